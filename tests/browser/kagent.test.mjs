// The demo page with a real kagent agent behind it.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { startBackend } from './harness/backend.mjs';
import { launch, openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { eventually } from './harness/eventually.mjs';
import { declareScenarios } from './harness/scenarios.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

let backend;
let browser;
let server;

before(async () => {
  server = await serveFolder(DEMO_FOLDER);
  backend = await startBackend('kagent', server.origin);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await backend?.stop();
  await server?.close();
});

/** The real agent. */
class Kagent {
  answers = [['Berlin'], ['Tables', 'Images'], ['Nothing else']];

  async open(t) {
    return this.#page(t, await profile(t, browser));
  }

  tab(t, chat) {
    return this.#page(t, chat.page.context());
  }

  async #page(t, context) {
    const query = new URLSearchParams({ backend: 'kagent', url: backend.url, token: backend.token });
    // The browser itself reports the failure that was asked for.
    const expectedErrors = [/status of 503/];
    return Chat.on(await openPage(t, context, `${server.origin}/?${query}`, { expectedErrors }));
  }

  async breakNextSend(chat, when = 'before') {
    await backend.failNext({ context: await chat.context(), when });
  }

  async executed(chat) {
    return backend.executed(await chat.context());
  }

  /** Whether a model was told these words, as part of a tool's outcome. */
  async modelGot(chat, text) {
    return (await this.#outcomes(chat)).some(({ result }) => String(result).includes(text));
  }

  async answersGot(chat) {
    const answered = (await this.#outcomes(chat)).find(({ tool }) => tool === 'ask_user');
    return answered && JSON.parse(answered.result).map(({ answer }) => answer);
  }

  async #outcomes(chat) {
    const told = await backend.told(await chat.context());
    return told.map(({ tool, response }) => ({ tool, result: JSON.parse(response).result }));
  }
}

declareScenarios('kagent', () => new Kagent(), ['questions', 'delegation', 'together', 'retry']);

test('kagent: r10_retry: a retry after a lost reply does not run the call again', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await world.breakNextSend(chat, 'after');
  await card.approve();
  await eventually(async () => assert.equal((await world.executed(chat)).length, 1));
  await card.canRetry();
  await card.retry();
  await card.becomes('completed');
  assert.equal((await world.executed(chat)).length, 1);
});

test('kagent: r40_remote: questions of a remote agent are answered', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delegate: ask');
  const card = await chat.card('ask_user');
  await card.answer(world.answers);
  await card.becomes('responded');
  await eventually(async () => assert.deepEqual(await world.answersGot(chat), world.answers));
});

test('kagent: a task that pauses again asks again', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await first.approve();
  await first.becomes('completed');
  const second = await chat.card('delete_file');
  assert.notEqual(second.request, first.request);
  await second.reject();
  await second.becomes('rejected');
  assert.deepEqual(await world.executed(chat), [{ tool: 'delete_file', args: '{"path":"/srv/a"}' }]);
});

test('kagent: r9_replay: an answer given elsewhere is not given again from a page that has not heard of it', async (t) => {
  const world = new Kagent();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  const context = await chat.context();
  const [task] = await backend.tasks(context);
  await rejectElsewhere(task, context);
  await card.approve();
  await card.becomes('rejected', 'conflict');
  assert.deepEqual(await world.executed(chat), []);
});

/** Another client rejects everything that a task waits for. */
async function rejectElsewhere(task, context) {
  const ids = { messageId: crypto.randomUUID(), contextId: context, taskId: task.id };
  const message = { kind: 'message', role: 'user', ...ids };
  message.parts = [{ kind: 'data', data: { decision_type: 'reject' }, metadata: {} }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const headers = { authorization: `Bearer ${backend.token}`, 'content-type': 'application/json' };
  const answer = await (await fetch(backend.url, { method: 'POST', headers, body })).json();
  assert.equal(answer.result.status.state, 'completed');
}
