// The element and the connector `a2a` with kagent's main branch: the extension `hitl/v1` over A2A 1.0. It is not released, so `run.mjs`
// leaves this file out unless KAGENT_MAIN_PYTHON names a Python that has it; `tests/backends/kagent_main.py` says how.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { values } from './harness/chat.mjs';
import { elementPage, ElementWorld } from './harness/element.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, editIsNotOffered, flagsRounded, outliveServer, pauseTwice, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const stage = elementPage('kagent_main');
const HITL = 'https://kagent.dev/extensions/hitl/v1';
const REFERENCE = '2512292042121000001';

/** The real agent. */
class KagentMain extends ElementWorld {
  answers = [['Berlin'], ['Tables', 'Images'], ['Nothing else']];

  /** `more`: further options of the connector. */
  constructor(behind, more = {}) {
    const connect = (url) => ({ kind: 'a2a', url, version: '1.0', ids: { contextId: '{conversation}' }, ...more });
    // The browser itself reports the failure that was asked for, and a server that is gone for a while.
    super(stage, connect, { expectedErrors: [/status of 503/, /net::ERR_/], behind });
  }

  /** Whether a model was told these words, as part of a tool's outcome. */
  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, outcome]) => values(outcome).some((value) => String(value).includes(text)));
  }

  async answersGot(chat) {
    const [, outcome] = (await this.told(chat)).find(([tool]) => tool === 'ask_user') ?? [];
    return outcome && JSON.parse(outcome.result).map(({ answer }) => answer);
  }

  /** What another client is told that makes this call. */
  async call(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = {
      'x-countersign-token': this.behind.token,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      'a2a-extensions': HITL,
    };
    const { result, error } = await this.behind.request('/', { method: 'POST', headers, body });
    assert.equal(error, undefined);
    return result;
  }

  /** The newest task of a conversation. */
  async task(chat) {
    const { tasks } = await this.call('ListTasks', { contextId: await chat.context() });
    return tasks[0];
  }

  /** Another client sends this message into the newest task. */
  async messageElsewhere(chat, message) {
    const { id: taskId, contextId } = await this.task(chat);
    const { task } = await this.call('SendMessage', {
      message: { messageId: randomUUID(), role: 'ROLE_USER', contextId, taskId, parts: [{ text: 'Decided.' }], ...message },
    });
    return task;
  }

  /** Another client decides everything that waits in the newest task. */
  async decideElsewhere(chat, approved) {
    const { status } = await this.task(chat);
    const approvals = status.message.metadata[HITL].tools.map(({ id }) => ({ id, approved }));
    return this.messageElsewhere(chat, { extensions: [HITL], metadata: { [HITL]: { type: 'tool_approval_response', approvals } } });
  }
}

declareScenarios('kagent_main', () => new KagentMain(), ['questions', 'together', 'retry', 'doubles'], { atOnce: 4 });

/** kagent's answer to a remote agent has no parts, which its own SDK refuses: the backend adds one. */
const mended = async (t) => new KagentMain(await anotherBackend(t, stage, ['--mend']));

describe('kagent_main, beyond the scenarios', { concurrency: 4 }, () => {
  test('kagent_main: a task that pauses again asks again', (t) => pauseTwice(t, new KagentMain()));

  test('kagent_main: r39_reload: a pause outlives the server, also one that is killed', async (t) => {
    const lasting = await startLastingBackend(t, 'kagent_main', stage.origin);
    await outliveServer(t, new KagentMain(lasting), lasting);
  });

  test('kagent_main: an edit is not offered', async (t) => {
    const here = new KagentMain();
    const chat = await editIsNotOffered(t, here);
    assert.deepEqual(await here.executed(chat), [removed('/srv/a')]);
  });

  test('kagent_main: a number that a double does not hold is flagged, and runs with all its digits', (t) =>
    flagsRounded(t, new KagentMain(), REFERENCE));

  test('kagent_main: r09_replay: what another client decided is not decided again from a page that has not heard of it', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    const { status } = await here.decideElsewhere(chat, false);
    assert.equal(status.state, 'TASK_STATE_COMPLETED');
    await card.approveIfAsked();
    await card.becomes('rejected', 'conflict');
    assert.deepEqual(await here.executed(chat), []);
  });

  test('kagent_main: what was cancelled elsewhere can no longer be approved', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await here.call('CancelTask', { id: (await here.task(chat)).id });
    await card.approveIfAsked();
    await card.becomes('cancelled');
    await chat.reload();
    await card.becomes('cancelled');
    assert.deepEqual(await here.executed(chat), []);
  });

  test('kagent_main: words with the id of the task take the place of the request, and nothing can be approved', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    const { status } = await here.messageElsewhere(chat, { parts: [{ text: 'Wait.' }] });
    assert.equal(status.state, 'TASK_STATE_INPUT_REQUIRED');
    await chat.reload();
    await card.becomes('superseded');
    await chat.pending(0);
    assert.deepEqual(await here.executed(chat), []);
  });

  test('kagent_main: a client that does not ask for the extension shows that it cannot decide', async (t) => {
    const here = new KagentMain(undefined, { extensions: [] });
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    await chat.inbox.locator('[part~=card][data-status=blocked]').waitFor();
    await chat.pending(0);
    assert.deepEqual(await here.executed(chat), []);
  });

  test('kagent_main: r39_reload: a page that is loaded again while a tool runs hears what came of it', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/slow');
    const card = await chat.card('delete_file');
    await card.approve();
    await here.ran(chat, removed('/slow'));
    await chat.reload();
    await card.becomes('completed');
    await here.ran(chat, removed('/slow'));
  });

  test('kagent_main: a call that ran is completed, also where its run fails after it', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a later crash');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('completed');
    await eventually(async () => assert.equal((await here.task(chat)).status.state, 'TASK_STATE_FAILED'));
    await chat.reload();
    await card.becomes('completed');
  });

  test('kagent_main: requests of two tasks are decided each for itself', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const first = await chat.card('delete_file');
    await chat.say('delete path=/srv/b');
    const second = (await chat.pending(2)).find(({ request }) => request !== first.request);
    await first.approve();
    await first.becomes('completed');
    await second.becomes('pending');
    await second.reject();
    await second.becomes('rejected');
    assert.deepEqual(await here.executed(chat), [removed('/srv/a')]);
  });

  test('kagent_main: questions beside a call are answered, and the call is decided, in one message', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('ask then delete path=/srv/a');
    const [ask, remove] = await chat.pending(2);
    await remove.approve();
    await ask.answer(here.answers);
    await ask.becomes('responded');
    await remove.becomes('completed');
    assert.deepEqual(await here.answersGot(chat), here.answers);
    assert.deepEqual(await here.executed(chat), [removed('/srv/a')]);
  });

  test('kagent_main: r40_remote: a call of a remote agent that was approved does not run, and does not look as if it had', async (t) => {
    const here = new KagentMain();
    const chat = await here.open(t);
    await chat.say('delegate: delete path=/srv/inner');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('approved');
    // The test fails once kagent has mended its answer to remote agents.
    await eventually(async () => assert.ok(await here.modelGot(chat, 'resume failed: Validation failed')));
    assert.deepEqual(await here.executed(chat), []);
  });

  test('kagent_main, mended: r40_remote: calls of a remote agent are decided each for itself, also of one behind it', async (t) => {
    const here = await mended(t);
    for (const way of ['delegate:', 'delegate: delegate:']) {
      const chat = await here.open(t);
      await chat.say(`${way} delete path=/srv/a then delete path=/srv/b`);
      const [first, second] = await chat.pending(2);
      await first.reject('not a');
      await second.approve();
      await first.becomes('rejected');
      await second.becomes('approved');
      await eventually(async () => assert.deepEqual(await here.executed(chat), [removed('/srv/b')]));
      assert.ok(await here.modelGot(chat, 'not a'));
    }
  });

  test('kagent_main, mended: r40_remote: questions of a remote agent are answered', async (t) => {
    const here = await mended(t);
    const chat = await here.open(t);
    await chat.say('delegate: ask');
    await chat.card('ask_user');
    await chat.reload();
    const card = await chat.card('ask_user');
    await card.answer(here.answers);
    await card.becomes('responded');
    await eventually(async () => assert.deepEqual(await here.answersGot(chat), here.answers));
  });

  test('kagent_main: r40_remote: what waits beside a remote agent has no answer, and none is sent', async (t) => {
    for (const words of ['delete path=/srv/own delegate: ask', 'delete path=/srv/own delegate: delete path=/srv/inner']) {
      const here = new KagentMain();
      const chat = await here.open(t);
      await chat.say(words);
      const blocked = chat.inbox.locator('[part~=card][data-status=blocked]');
      await eventually(async () => assert.equal(await blocked.count(), 2));
      await chat.pending(0);
      await chat.reload();
      await eventually(async () => assert.equal(await blocked.count(), 2));
      await pause(500);
      assert.deepEqual(await here.executed(chat), []);
    }
  });
});
