// A real LangGraph server behind the demo page, and what holds on each of its wires.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './backend.mjs';
import { demo } from './demo.mjs';
import { eventually, pause } from './eventually.mjs';
import { declareInterrupts } from './interrupts.mjs';
import { anotherBackend, loseReply, outliveRestarts, pauseTwice, RealWorld, removed } from './real.mjs';
import { declareScenarios } from './scenarios.mjs';

/** The graph that the page speaks with on each wire. */
const GRAPHS = {
  'langgraph-hitl': 'hitl-python',
  'langgraph-interrupt': 'human-interrupt',
  'langgraph-per-call': 'per-call',
};

/** The real server, with one of its graphs behind one of the page's wires. */
export class LangGraph extends RealWorld {
  constructor(stage, wire, { behind, graph, expectedErrors = [] } = {}) {
    super(stage, {
      query: graph === undefined ? { wire } : { wire, app: graph },
      // The browser itself reports every refusal: 404 is a thread that has not begun.
      expectedErrors: [/status of (404|409|422|503)/, ...expectedErrors],
      behind,
    });
    this.graph = graph ?? GRAPHS[wire];
  }

  /** Whether the model was told these words: as they are, or as the reason of a rejection. */
  async modelGot(chat, text) {
    const told = await this.told(chat);
    return told.some(([, outcome]) => outcome === text || outcome.endsWith(` with reason: ${text}`));
  }

  /** Another client gives this answer to the interrupt of a card. */
  async answerElsewhere(chat, card, answer) {
    const [interrupt] = card.request.match(/[0-9a-f]{32}/);
    const run = { assistant_id: this.graph, command: { resume: { [interrupt]: answer } } };
    const body = JSON.stringify(run);
    return this.behind.request(`/threads/${await chat.context()}/runs/wait`, { method: 'POST', body });
  }
}

const TALENTS = {
  'langgraph-hitl': ['together', 'retry', 'edit', 'grant'],
  'langgraph-interrupt': ['retry', 'edit', 'ignore', 'grant'],
  'langgraph-per-call': ['retry', 'edit', 'grant'],
};

/** How another client of each graph says no to a single call. */
const REFUSALS = {
  'langgraph-hitl': { decisions: [{ type: 'reject' }] },
  'langgraph-interrupt': [{ type: 'ignore', args: null }],
  'langgraph-per-call': { type: 'reject' },
};

/** Declares what is tested on one wire, for a file of its own: each waits for the server most of the time. */
export function declareWire(wire) {
  const stage = demo('langgraph');
  const talents = TALENTS[wire];
  const name = `${wire} (real)`;
  declareScenarios(name, () => new LangGraph(stage, wire), talents);
  declareInterrupts(name, () => new LangGraph(stage, wire), wire);

  test(`${name}: r10_lost: after a lost reply the page sees what came of the decision, and nothing runs again`, (t) =>
    loseReply(t, new LangGraph(stage, wire)),
  );

  test(`${name}: r09_replay: what another client decided is not decided again from a page that has not heard of it`, async (t) => {
    const world = new LangGraph(stage, wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.answerElsewhere(chat, card, REFUSALS[wire]);
    await card.approveIfAsked();
    const human = wire === 'langgraph-interrupt';
    // An outcome of this gate is the tool's own text: a page whose own answer failed cannot tell whose it shows.
    await card.becomes(...(human ? ['unknown', 'completed'] : ['rejected', 'conflict']));
    await chat.reload();
    await card.becomes(human ? 'unknown' : 'rejected');
    assert.deepEqual(await world.executed(chat), []);
  });

  test(`${name}: a turn that pauses again asks again`, (t) => {
    const human = wire === 'langgraph-interrupt';
    return pauseTwice(t, new LangGraph(stage, wire), (card) => (human ? card.ignore() : card.reject()));
  });

  test(`${name}: a tool that fails is not shown as done`, async (t) => {
    const chat = await new LangGraph(stage, wire).open(t);
    await chat.say('delete path=/missing');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('failed');
  });

  test(`${name}: a model that fails is said, and the conversation goes on`, async (t) => {
    const chat = await new LangGraph(stage, wire).open(t);
    await chat.say('crash');
    await eventually(async () => assert.match(await chat.notice(), /the scripted model failed/i));
    await chat.say('delete path=/srv/a');
    await chat.card('delete_file');
  });

  test(`${name}: a request that nobody decided in time ends, and a late decision runs nothing`, async (t) => {
    const world = new LangGraph(stage, wire, { behind: await anotherBackend(t, stage, ['--timeout-s', '6']) });
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const late = await chat.card('delete_file');
    await pause(6200);
    await late.approve();
    await late.becomes('failed', 'conflict', 'unknown', 'superseded');
    await chat.say('delete path=/srv/b');
    const unseen = await chat.card('delete_file');
    await pause(6200);
    await chat.reload();
    await unseen.becomes('failed', 'unknown', 'superseded');
    await chat.pending(0);
    assert.deepEqual(await world.executed(chat), []);
  });

  test(`${name}: r39_reload: a pause outlives the server`, async (t) => {
    const lasting = await startLastingBackend(t, 'langgraph', stage.origin);
    // While it starts and stops it answers nothing, or without saying whom it lets read the answer.
    const expectedErrors = [/CORS policy/, /net::ERR_/];
    const world = new LangGraph(stage, wire, { behind: lasting, expectedErrors });
    await outliveRestarts(t, world, lasting);
  });
}
