// The element and the connector `a2a` with agents behind google-adk's own `to_a2a`, in both versions of A2A.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { values } from './harness/chat.mjs';
import { elementPage, ElementWorld } from './harness/element.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, editIsNotOffered, flagsRounded, outliveServer, pauseTwice, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const stage = elementPage('adk_a2a');
const REFERENCE = '2512292042121000001';

/** One of the two agents, in one version. */
class AdkA2a extends ElementWorld {
  constructor(agent, version, behind) {
    const connect = (url) => ({
      kind: 'a2a',
      url: `${url}/${agent}`,
      version,
      ids: { contextId: '{conversation}' },
      // Nothing lists tasks in 0.3. What another tab decides is known there at once; what came of it, when it is read.
      ...(version === '0.3' ? { history: `${url}/${agent}/tasks?context={conversation}`, pollMs: 1000 } : {}),
    });
    // The browser itself reports the failure that was asked for, and a server that is gone for a while.
    super(stage, connect, { expectedErrors: [/status of 503/, /net::ERR_/], behind });
    this.agent = agent;
  }

  /** Whether the model was told these words, as part of a tool's outcome. */
  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, outcome]) => values(outcome).includes(text));
  }

  /** What another client is told that makes this call. */
  async call(method, params) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'x-countersign-token': this.behind.token, 'content-type': 'application/json', 'a2a-version': '1.0' };
    const { result } = await this.behind.request(`/${this.agent}`, { method: 'POST', headers, body });
    return result;
  }

  /** Another client gives this answer to the one request that waits. */
  async answerElsewhere(chat, response) {
    const contextId = await chat.context();
    const { tasks } = await this.call('ListTasks', { contextId });
    const [{ data }] = tasks[0].status.message.parts;
    const answer = { data: { id: data.id, name: data.name, response }, metadata: { adk_type: 'function_response' } };
    const message = { messageId: randomUUID(), role: 'ROLE_USER', contextId, taskId: tasks[0].id, parts: [answer] };
    const { task } = await this.call('SendMessage', { message });
    assert.equal(task.status.state, 'TASK_STATE_COMPLETED');
  }
}

/** What the transport has a part in, with each agent, in each version; more of it in the first. */
const WORLDS = [
  ['deep', '1.0', ['delegation', 'together', 'retry', 'edit', 'doubles'], /^(r\d\d_|a call)/],
  ['plain', '0.3', ['together', 'retry', 'doubles'], /^(r10_|r39_|r42_|r44_)/],
];

for (const [agent, version, talents, only] of WORLDS) {
  const name = `adk-a2a, ${agent}, A2A ${version}`;
  const world = (behind) => new AdkA2a(agent, version, behind);
  declareScenarios(name, world, talents, { atOnce: 4, only });

  describe(`${name}, beyond the scenarios`, { concurrency: 6 }, () => {
    test(`${name}: r10_retry: after a lost reply the page finds out by itself that the call ran, once`, async (t) => {
      const here = world();
      const chat = await here.open(t);
      await chat.say('delete path=/srv/a');
      const card = await chat.card('delete_file');
      await here.breakNextSend(chat, 'after');
      await card.approve();
      await card.becomes('completed');
      assert.deepEqual(await here.executed(chat), [removed('/srv/a')]);
    });

    test(`${name}: r09_replay: what another client decided is not decided again from a page that has not heard of it`, async (t) => {
      const here = world();
      const chat = await here.open(t);
      await chat.say('delete path=/srv/a');
      const card = await chat.card('delete_file');
      await here.answerElsewhere(chat, { confirmed: false });
      await card.approveIfAsked();
      await card.becomes('rejected', 'conflict');
      assert.deepEqual(await here.executed(chat), []);
    });

    test(`${name}: r39_reload: a page that is loaded again while a tool runs hears what came of it`, async (t) => {
      const here = world();
      const chat = await here.open(t);
      await chat.say('delete path=/slow');
      const card = await chat.card('delete_file');
      await card.approve();
      await here.ran(chat, removed('/slow'));
      await chat.reload();
      await card.becomes('completed');
      await here.ran(chat, removed('/slow'));
    });

    test(`${name}: a number that a double does not hold is flagged, and runs with all its digits`, (t) =>
      flagsRounded(t, world(), REFERENCE));
  });
}

describe('adk-a2a', { concurrency: 6 }, () => {
  test('adk-a2a: a task that pauses again asks again', (t) => pauseTwice(t, new AdkA2a('deep', '1.0')));

  test('adk-a2a: requests of two tasks are decided each for itself', async (t) => {
    const here = new AdkA2a('deep', '1.0');
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const first = await chat.card('delete_file');
    await chat.say('delete path=/srv/b');
    const cards = await chat.pending(2);
    const second = cards.find(({ request }) => request !== first.request);
    await second.approve();
    await second.becomes('completed');
    await first.becomes('pending');
    await first.reject();
    await first.becomes('rejected');
    assert.deepEqual(await here.executed(chat), [removed('/srv/b')]);
  });

  test('adk-a2a: what is edited runs as it was typed, and the rest with all its digits', async (t) => {
    const here = new AdkA2a('deep', '1.0');
    const chat = await here.open(t);
    await chat.say(`transfer amount=10.25 reference=${REFERENCE}`);
    const card = await chat.card('transfer_funds');
    await card.editFields({ amount: '7.5' });
    await card.becomes('completed');
    const [{ args }] = await here.executed(chat);
    assert.equal(JSON.parse(args).amount, 7.5);
    assert.ok(args.includes(REFERENCE), args);
  });

  test('adk-a2a: an edit is not offered where the gate reads none, and asking for one changes nothing', async (t) => {
    const here = new AdkA2a('plain', '1.0');
    const chat = await editIsNotOffered(t, here);
    assert.deepEqual(await here.executed(chat), [removed('/srv/a')]);
  });

  test('adk-a2a: what was asked for in one version of A2A is decided in the other, on the same URL', async (t) => {
    for (const [one, other] of [['1.0', '0.3'], ['0.3', '1.0']]) {
      const here = new AdkA2a('deep', one);
      const chat = await here.open(t);
      await chat.say('delete path=/srv/a then email');
      const asked = await chat.pending(2);
      const there = await new AdkA2a('deep', other).tab(t, chat);
      const [remove, mail] = await there.pending(2);
      assert.deepEqual([remove.request, mail.request], asked.map(({ request }) => request));
      await chat.page.close();
      await mail.reject('No mail');
      await remove.approve();
      await Promise.all([remove.becomes('completed'), mail.becomes('rejected')]);
      assert.deepEqual(await here.executed(there), [removed('/srv/a')]);
    }
  });

  test('adk-a2a: a tool that fails is shown as failed', async (t) => {
    const chat = await new AdkA2a('deep', '1.0').open(t);
    await chat.say('delete path=/missing');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('failed');
  });

  test('adk-a2a: a request that nobody decided in time ends, and a late decision runs nothing', async (t) => {
    const here = new AdkA2a('plain', '1.0', await anotherBackend(t, stage, ['--timeout-s', '4']));
    const chat = await here.open(t);
    await chat.say('delete path=/srv/a');
    const late = await chat.card('delete_file');
    await pause(4200);
    await late.approve();
    await late.becomes('expired');
    assert.deepEqual(await here.executed(chat), []);
  });

  test('adk-a2a: r39_reload: a pause outlives the server, also one that is killed', async (t) => {
    const lasting = await startLastingBackend(t, 'adk_a2a', stage.origin);
    const here = new AdkA2a('deep', '1.0', lasting);
    await outliveServer(t, here, lasting);
  });

  test('adk-a2a: a stream that is cut while a tool runs is followed to its end, and nothing is sent again', async (t) => {
    const here = new AdkA2a('deep', '1.0');
    const chat = await here.open(t);
    await chat.say('delete path=/slow');
    const card = await chat.card('delete_file');
    await card.approve();
    await here.ran(chat, removed('/slow'));
    // As when a laptop sleeps: what is followed is dropped, and read anew.
    await chat.page.evaluate(() => dispatchEvent(new Event('online')));
    await card.becomes('completed');
    await eventually(async () => assert.deepEqual(await here.executed(chat), [removed('/slow')]));
  });
});
