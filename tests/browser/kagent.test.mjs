// The demo page with a real kagent agent behind it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, loseReply, outliveServer, pauseTwice, RealWorld, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const stage = demo('kagent');

/** The real agent. */
class Kagent extends RealWorld {
  answers = [['Berlin'], ['Tables', 'Images'], ['Nothing else']];

  constructor(behind) {
    // The browser itself reports the failure that was asked for, and a server that is gone for a while.
    super(stage, { expectedErrors: [/status of 503/, /net::ERR_/], behind });
  }

  /** Whether a model was told these words, as part of a tool's outcome. */
  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, { result }]) => String(result).includes(text));
  }

  async answersGot(chat) {
    const [, outcome] = (await this.told(chat)).find(([tool]) => tool === 'ask_user') ?? [];
    return outcome && JSON.parse(outcome.result).map(({ answer }) => answer);
  }
}

declareScenarios('kagent', () => new Kagent(), ['questions', 'delegation', 'together', 'retry', 'grant']);

test('kagent: r10_lost: after a lost reply the page sees what came of the decision, and nothing runs again', (t) => loseReply(t, new Kagent()));

test('kagent: r40_remote: questions of a remote agent are answered', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delegate: ask');
  const card = await chat.card('ask_user');
  await card.answer(world.answers);
  await card.becomes('responded');
  await eventually(async () => assert.deepEqual(await world.answersGot(chat), world.answers));
});

test('kagent: a task that pauses again asks again', (t) => pauseTwice(t, new Kagent()));

test('kagent: r09_replay: an answer given elsewhere is not given again from a page that has not heard of it', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  const context = await chat.context();
  const [task] = await stage.backend.tasks(context);
  await rejectElsewhere(task, context);
  await card.approveIfAsked();
  await card.becomes('rejected', 'conflict');
  assert.deepEqual(await world.executed(chat), []);
});

test('kagent: a request that nobody decided in time ends, and a late decision runs nothing', async (t) => {
  const world = new Kagent(await anotherBackend(t, stage, ['--timeout-s', '4']));
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const late = await chat.card('delete_file');
  await pause(4200);
  await late.approve();
  await late.becomes('expired');
  await chat.say('delete path=/srv/b');
  const unseen = await chat.card('delete_file');
  await pause(4200);
  await chat.reload();
  await unseen.becomes('expired');
  await chat.pending(0);
  assert.deepEqual(await world.executed(chat), []);
});

test('kagent: r39_reload: a pause outlives the server, also one that is killed', async (t) => {
  const lasting = await startLastingBackend(t, 'kagent', stage.origin);
  const world = new Kagent(lasting);
  await outliveServer(t, world, lasting);
});

test('kagent: r39_reload: a decision that finds no server is kept, and runs once when the server is back', async (t) => {
  const lasting = await startLastingBackend(t, 'kagent', stage.origin);
  const world = new Kagent(lasting);
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await lasting.stop('SIGKILL');
  await card.approve();
  await card.canRetry();
  await lasting.start();
  await card.retry();
  await card.becomes('completed');
  assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
});

/** Another client rejects everything that a task waits for. */
async function rejectElsewhere(task, context) {
  const ids = { messageId: crypto.randomUUID(), contextId: context, taskId: task.id };
  const message = { kind: 'message', role: 'user', ...ids };
  message.parts = [{ kind: 'data', data: { decision_type: 'reject' }, metadata: {} }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const { url, token } = stage.backend;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await (await fetch(url, { method: 'POST', headers, body })).json();
  assert.equal(answer.result.status.state, 'completed');
}
