// What only LangGraph's wires have, with the agent that is simulated in the demo page.


import { openPage, profile } from './harness/browser.mjs';
import { Chat, values } from './harness/chat.mjs';
import { demo } from './harness/demo.mjs';
import { declareInterrupts } from './harness/interrupts.mjs';

const site = demo();

/** The simulated agent, with one of the gates. */
class Simulation {
  constructor(wire) {
    this.wire = wire;
  }

  async open(t) {
    return this.#page(t, await profile(t, site.browser));
  }

  tab(t, chat) {
    return this.#page(t, chat.page.context());
  }

  async #page(t, context) {
    return Chat.on(await openPage(t, context, `${site.origin}/?wire=${this.wire}&delay=0`));
  }

  executed(chat) {
    return chat.page.evaluate(() => window.countersignDemo.executed().map(({ tool, args }) => ({ tool, args })));
  }

  async modelGot(chat, text) {
    return values(await chat.lastSent()).includes(text);
  }
}

for (const wire of ['langgraph-hitl', 'langgraph-interrupt', 'langgraph-per-call']) {
  declareInterrupts(wire, () => new Simulation(wire), wire);
}
