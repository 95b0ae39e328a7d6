// The demo page with a real Google ADK server behind it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { values } from './harness/chat.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, editIsNotOffered, loseReply, outliveServer, pauseTwice, RealWorld, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const stage = demo('adk');

/** The real server, with one of its apps behind one of the page's wires. */
class Adk extends RealWorld {
  /** Both of these apps also tell the model why a call was rejected, which the gates alone never do. */
  static APPS = { 'adk-plain': 'plain_told', 'adk-deepagents': 'deep_told' };

  constructor(wire, behind) {
    const app = Adk.APPS[wire];
    // The browser itself reports every refusal: 404 is a session that has not begun.
    // One that is killed may be in the middle of an answer.
    const killed = behind ? [/net::ERR_/] : [];
    super(stage, { query: { wire, app }, expectedErrors: [/status of (404|409|422|503)/, ...killed], behind });
    this.app = app;
  }

  /** Whether the model was told these words, as part of a tool's outcome. */
  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, outcome]) => values(outcome).includes(text));
  }

  /** The session, as the server tells it. */
  async session(chat) {
    return this.behind.request(`/apps/${this.app}/users/user/sessions/${await chat.context()}`);
  }

  /** Waits until the session has all of a pause: the gate's own word on it comes behind the request that the page shows. */
  async paused(chat) {
    await eventually(async () => {
      const { events } = await this.session(chat);
      assert.ok(events.some(({ actions }) => Object.keys(actions?.requestedToolConfirmations ?? {}).length > 0), 'the pause is kept');
    });
  }

  /** Another client gives this answer to everything that a card's request asks. */
  async answerElsewhere(chat, card, response) {
    const functionResponse = { id: card.request, name: 'adk_request_confirmation', response };
    const newMessage = { role: 'user', parts: [{ functionResponse }] };
    const run = { appName: this.app, userId: 'user', sessionId: await chat.context(), newMessage };
    return this.behind.request('/run', { method: 'POST', body: JSON.stringify(run) });
  }
}

const TALENTS = {
  'adk-plain': ['delegation', 'together', 'retry', 'grant'],
  'adk-deepagents': ['delegation', 'together', 'retry', 'edit', 'grant'],
};

for (const [wire, talents] of Object.entries(TALENTS)) {
  declareScenarios(`${wire} (real)`, () => new Adk(wire), talents);

  test(`${wire}: r10_lost: after a lost reply the page sees what came of the decision, and nothing runs again`, (t) => loseReply(t, new Adk(wire)));

  test(`${wire}: r09_replay: what another client decided is not decided again from a page that has not heard of it`, async (t) => {
    const world = new Adk(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.answerElsewhere(chat, card, { confirmed: false });
    await card.approveIfAsked();
    await card.becomes('rejected', 'conflict');
    assert.deepEqual(await world.executed(chat), []);
  });

  test(`${wire}: a turn that pauses again asks again`, (t) => pauseTwice(t, new Adk(wire)));

  test(`${wire}: typed text ends no pause, and requests of two turns are decided each for itself`, async (t) => {
    const world = new Adk(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const first = await chat.card('delete_file');
    await chat.say('hello');
    await eventually(async () => assert.match((await chat.bubbles('agent')).join(), /You said: hello/));
    await chat.say('delete path=/srv/b');
    const cards = await chat.pending(2);
    const second = cards.find(({ request }) => request !== first.request);
    await second.approve();
    await second.becomes('completed');
    await first.becomes('pending');
    await first.reject();
    await first.becomes('rejected');
    assert.deepEqual(await world.executed(chat), [removed('/srv/b')]);
  });

  test(`${wire}: a tool that fails is shown as failed`, async (t) => {
    const world = new Adk(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/missing');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('failed');
  });

  test(`${wire}: a model that fails is said, and the conversation goes on`, async (t) => {
    const world = new Adk(wire);
    const chat = await world.open(t);
    await chat.say('crash');
    assert.ok((await chat.notice()).length > 0);
    await chat.say('delete path=/srv/a');
    await chat.card('delete_file');
  });

  test(`${wire}: words are shown once, also after the page has looked again`, async (t) => {
    const world = new Adk(wire);
    const chat = await world.open(t);
    await chat.say('hello');
    await eventually(async () => assert.equal((await chat.bubbles('agent')).length, 1));
    await chat.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await chat.say('hello');
    await eventually(async () => assert.equal((await chat.bubbles('agent')).length, 2));
    await chat.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await pause(500);
    assert.deepEqual(await chat.bubbles('user'), ['hello', 'hello']);
  });

  test(`${wire}: a request that nobody decided in time ends, and a late decision runs nothing`, async (t) => {
    const world = new Adk(wire, await anotherBackend(t, stage, ['--timeout-s', '4']));
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const late = await chat.card('delete_file');
    await pause(4200);
    await late.approve();
    await late.becomes('failed', 'conflict');
    await chat.say('delete path=/srv/b');
    const unseen = await chat.card('delete_file');
    await pause(4200);
    await chat.reload();
    await unseen.becomes('failed');
    await chat.pending(0);
    assert.deepEqual(await world.executed(chat), []);
  });

  test(`${wire}: r39_reload: a pause outlives the server, also one that is killed`, async (t) => {
    const lasting = await startLastingBackend(t, 'adk', stage.origin);
    const world = new Adk(wire, lasting);
    await outliveServer(t, world, lasting);
  });
}

test('adk-deepagents: an edit and its reload show what ran, and the session has only what was changed', async (t) => {
  const world = new Adk('adk-deepagents');
  const chat = await world.open(t);
  await chat.say('transfer amount=10.25 reference=2512292042121000001');
  const card = await chat.card('transfer_funds');
  const edited = (await card.shownArguments()).replace('10.25', '7.5');
  await card.editFields({ amount: '7.5' });
  await card.becomes('completed');
  await chat.reload();
  await card.becomes('completed');
  const changes = values(await world.session(chat)).filter((value) => value?.modified_args);
  assert.deepEqual(changes.map(({ modified_args }) => modified_args), [{ amount: 7.5 }]);
  assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: edited }]);
});

test('adk-deepagents: an edit that does not fit the tool is refused by the server, and can be taken back', async (t) => {
  const world = new Adk('adk-deepagents');
  const chat = await world.open(t);
  await chat.say('transfer amount=10.25');
  const card = await chat.card('transfer_funds');
  const shown = await card.shownArguments();
  // This gate says nothing of types, so the dialog lets the text pass.
  await card.edit(shown.replace('10.25', '"much"'));
  await card.canRetry();
  assert.deepEqual(await world.executed(chat), []);
  await card.undo();
  await card.becomes('pending');
  await card.approve();
  await card.becomes('completed');
  assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: shown }]);
});

test('adk-plain: an edit is not offered, and asking for one changes nothing', async (t) => {
  const world = new Adk('adk-plain');
  const chat = await editIsNotOffered(t, world);
  assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
});
