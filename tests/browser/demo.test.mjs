// The demo page with the agent that is simulated in it, on all of its wires.


import { openPage, profile } from './harness/browser.mjs';
import { Chat, values } from './harness/chat.mjs';
import { demo } from './harness/demo.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const site = demo();

/** The simulated agent, speaking one of its wires. */
class Simulation {
  answers = [['PostgreSQL'], ['Auth', 'Caching'], ['Nothing else']];

  constructor(wire) {
    this.wire = wire;
  }

  async open(t, { failing = false } = {}) {
    return this.#page(t, await profile(t, site.browser), failing ? '&fail=1' : '');
  }

  tab(t, chat) {
    return this.#page(t, chat.page.context(), '');
  }

  async #page(t, context, query) {
    const chat = await Chat.on(await openPage(t, context, `${site.origin}/?wire=${this.wire}&delay=0${query}`));
    chat.apart = this.wire.startsWith('adalflow');
    return chat;
  }

  /** Nothing to do: `fail=1` in the address has seen to it. */
  async breakNextSend() {}

  executed(chat) {
    return chat.page.evaluate(() => window.countersignDemo.executed().map(({ tool, args }) => ({ tool, args })));
  }

  async modelGot(chat, text) {
    return values(await chat.lastSent()).includes(text);
  }

  async answersGot(chat) {
    const given = values(await chat.lastSent()).find((value) => Array.isArray(value?.[0]?.answer));
    return given?.map(({ answer }) => answer);
  }
}

/** What the agent can do on each wire. */
const TALENTS = {
  'kagent-0.10': ['questions', 'delegation', 'together', 'retry'],
  'kagent-hitl-v1': ['questions', 'delegation', 'together', 'retry'],
  'adk-plain': ['delegation', 'together', 'retry'],
  'adk-deepagents': ['delegation', 'together', 'retry', 'edit'],
  'langgraph-hitl': ['delegation', 'together', 'retry', 'edit'],
  'langgraph-interrupt': ['retry', 'edit', 'ignore'],
  'langgraph-per-call': ['retry', 'edit'],
  'haystack-ws': ['retry', 'edit'],
  'adalflow-ws': ['retry', 'edit', 'always', 'mute'],
  'adalflow-rest': ['retry', 'always', 'mute'],
};

for (const [wire, talents] of Object.entries(TALENTS)) {
  declareScenarios(wire, () => new Simulation(wire), talents, { atOnce: 3 });
}
