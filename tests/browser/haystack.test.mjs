// The demo page with a real Haystack agent behind it, over its web socket.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { profile } from './harness/browser.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, RealWorld, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const BIG = '2512292042121000001';

const stage = demo('haystack');

/** The real host. */
class Haystack extends RealWorld {
  constructor(behind) {
    // The browser itself reports a server that is gone for a while.
    super(stage, { expectedErrors: [/WebSocket connection to/, /net::ERR_/], behind });
  }

  /** Whether the model was told these words behind a refusal; it reads them in its next turn. */
  async modelGot(chat, text) {
    return eventually(async () => {
      const told = await this.told(chat);
      const ends = ([, outcome]) => outcome.endsWith(` With user feedback: ${text}`);
      assert.ok(told.some(ends), JSON.stringify(told));
      return true;
    });
  }

  /** Another client gives this answer to a card's request. */
  answerElsewhere(card, answer) {
    return this.behind.request(`/approvals/${card.request}`, { method: 'POST', body: JSON.stringify(answer) });
  }
}

declareScenarios('haystack', () => new Haystack(), ['retry', 'edit', 'grant']);

test('haystack: r10_batch: three calls are decided each in its own way, and run when the last one is decided', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say(`delete path=/srv/a then email to=bob@example.com then transfer amount=10.25 reference=${BIG}`);
  const [remove, mail, transfer] = await chat.pending(3);
  const edited = (await transfer.shownArguments()).replace('10.25', '7.5');
  await transfer.edit(edited, { note: 'less' });
  await transfer.becomes('approved');
  await mail.reject('Bob left');
  await mail.becomes('rejected');
  assert.deepEqual(await world.executed(chat), []);
  await remove.approve();
  await Promise.all([remove.becomes('completed'), mail.becomes('rejected'), transfer.becomes('completed')]);
  assert.deepEqual(await world.executed(chat), [removed('/srv/a'), { tool: 'transfer_funds', args: edited }]);
  assert.ok(await world.modelGot(chat, 'Bob left'));
  assert.deepEqual((await chat.bubbles('user')).length, 1, 'what the library writes as a user is no bubble');
});

test('haystack: a policy that asks once lets the same call pass the second time, and the page says so', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('askonce: delete path=/srv/a then delete path=/srv/a');
  const card = await chat.card('delete_file');
  await card.approve();
  await card.becomes('completed');
  await world.ran(chat, removed('/srv/a'), removed('/srv/a'));
  const settled = chat.inbox.locator('[part~=card][data-status=completed]');
  await eventually(async () => assert.equal(await settled.count(), 2));
  await chat.say('askonce: delete path=/srv/b');
  const other = await chat.card('delete_file');
  await other.reject();
  await other.becomes('rejected');
  assert.equal((await world.executed(chat)).length, 2);
});

test('haystack: an edit that does not fit the tool is refused by the server, and the call waits on', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('transfer amount=10.25');
  const card = await chat.card('transfer_funds');
  const shown = await card.shownArguments();
  const wrong = shown.replace('10.25', '"much"');
  assert.match(await card.cannotEdit(wrong), /amount/);
  const answer = { action: 'modify', new_tool_params: JSON.parse(wrong) };
  await assert.rejects(world.answerElsewhere(card, answer), /422.*amount/);
  await card.becomes('pending');
  assert.deepEqual(await world.executed(chat), []);
  await card.approve();
  await card.becomes('completed');
  await world.ran(chat, { tool: 'transfer_funds', args: shown });
});

test('haystack: r10_retry: what was decided before the connection broke is learned when it is back', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await world.breakNextSend(chat, 'after');
  await card.approve();
  await card.becomes('completed');
  await pause(500);
  await world.ran(chat, removed('/srv/a'));
});

test('haystack: what another client decides is shown at once, also in a page that is not looked at', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a then delete path=/srv/b');
  const [first, second] = await chat.pending(2);
  const other = await world.tab(t, chat);
  const [, twin] = await other.pending(2);
  assert.equal(twin.request, second.request);
  await world.answerElsewhere(second, { action: 'reject', feedback: 'no' });
  await Promise.all([second.becomes('rejected'), twin.becomes('rejected')]);
  await first.approve();
  await Promise.all([first.becomes('completed'), second.becomes('rejected'), twin.becomes('rejected')]);
  await world.ran(chat, removed('/srv/a'));
});

test('haystack: r09_replay: a decision that comes second changes nothing, and the page says who was first', async (t) => {
  const world = new Haystack();
  const context = await profile(t, stage.browser);
  // What the server says is held back, so that the page decides without having heard of the other.
  const held = [];
  let release;
  let holding = false;
  await context.routeWebSocket(/\/ws\//, (socket) => {
    const real = socket.connectToServer();
    socket.onMessage((text) => real.send(text));
    real.onMessage((text) => (holding ? held.push(text) : socket.send(text)));
    release = () => held.splice(0).forEach((text) => socket.send(text));
  });
  const chat = await world.page(t, context);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  holding = true;
  await world.answerElsewhere(card, { action: 'reject', feedback: 'first' });
  await card.approve();
  await eventually(() => assert.ok(held.some((text) => text.includes('already decided: reject')), held.join('\n')));
  holding = false;
  release();
  await card.becomes('conflict');
  assert.deepEqual(await world.executed(chat), []);
});

test('haystack: a run that pauses again asks again', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await first.approve();
  await first.becomes('approved');
  const second = await chat.card('delete_file');
  assert.notEqual(second.request, first.request);
  await second.reject();
  await second.becomes('rejected');
  await first.becomes('completed');
  await world.ran(chat, removed('/srv/a'));
});

test('haystack: typed text ends no pause', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const first = await chat.card('delete_file');
  await chat.say('hello');
  await eventually(async () => assert.match((await chat.bubbles('agent')).join(), /You said: hello/));
  await chat.say('delete path=/srv/b');
  const [, second] = await chat.pending(2);
  await second.approve();
  await second.becomes('completed');
  await first.becomes('pending');
  await first.reject();
  await first.becomes('rejected');
  await world.ran(chat, removed('/srv/b'));
});

test('haystack: a tool that fails is shown as failed, and a model that fails is said', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/missing');
  const card = await chat.card('delete_file');
  await card.approve();
  await card.becomes('failed');
  await chat.say('crash');
  await eventually(async () => assert.match((await chat.bubbles('agent')).at(-1), /The run failed: RuntimeError/));
  await chat.say('delete path=/srv/a');
  await chat.card('delete_file');
});

test('haystack: words are shown once, also after the page has looked again', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  for (const count of [1, 2]) {
    await chat.say('hello');
    await eventually(async () => assert.equal((await chat.bubbles('agent')).length, count));
    await chat.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  }
  await pause(500);
  assert.deepEqual(await chat.bubbles('user'), ['hello', 'hello']);
  assert.equal((await chat.bubbles('agent')).length, 2);
  await chat.reload();
  await eventually(async () => assert.deepEqual(await chat.bubbles('user'), ['hello', 'hello']));
});

test('haystack: r39_reload: cards are the same after a reload, wherever they stand', async (t) => {
  const world = new Haystack();
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a then email to=bob@example.com then transfer amount=10.25');
  const cards = await chat.pending(3);
  const [remove, mail, transfer] = cards;
  const shows = async (...statuses) => {
    for (const look of [() => {}, () => chat.reload()]) {
      await look();
      await Promise.all(cards.map((card, place) => card.becomes(statuses[place])));
    }
  };
  await shows('pending', 'pending', 'pending');
  await mail.reject('no');
  await shows('pending', 'rejected', 'pending');
  const edited = (await transfer.shownArguments()).replace('10.25', '7.5');
  await transfer.editFields({ amount: '7.5' });
  await shows('pending', 'rejected', 'approved');
  await remove.approve();
  await shows('completed', 'rejected', 'completed');
  await world.ran(chat, removed('/srv/a'), { tool: 'transfer_funds', args: edited });
});

test('haystack: a request that nobody decided in time expires, and a late decision runs nothing', async (t) => {
  const world = new Haystack(await anotherBackend(t, stage, ['--timeout-s', '4']));
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a then delete path=/srv/b');
  const [first, second] = await chat.pending(2);
  await second.approve();
  await first.becomes('expired');
  await second.becomes('completed');
  await assert.rejects(world.answerElsewhere(first, { action: 'confirm' }), /409.*already decided: timeout/);
  await chat.reload();
  await Promise.all([first.becomes('expired'), second.becomes('completed')]);
  await chat.pending(0);
  await world.ran(chat, removed('/srv/b'));
});

test('haystack: r39_reload: a pause outlives the server, and the page finds it again', async (t) => {
  const lasting = await startLastingBackend(t, 'haystack', stage.origin);
  const world = new Haystack(lasting);
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await lasting.stop('SIGKILL');
  await first.approve();
  await first.canRetry();
  await eventually(async () => assert.match(await chat.notice(), /cannot be reached/));
  await lasting.start();
  await eventually(async () => assert.equal(await chat.page.locator('.notice').count(), 0));
  await first.becomes('drafted');
  await first.retry();
  await first.becomes('approved');
  const second = await chat.card('delete_file');
  await lasting.restart('SIGTERM');
  await second.reject();
  await second.becomes('rejected');
  await first.becomes('completed');
  // The ledger of a server that has ended is gone: what it ran before the second pause is not run again.
  assert.deepEqual(await world.executed(chat), []);
});

test('haystack: a request that a restarted server does not know runs nothing', async (t) => {
  const forgetful = await anotherBackend(t, stage);
  const world = new Haystack(forgetful);
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await forgetful.restart('SIGKILL');
  await card.approve();
  await card.becomes('unknown');
  assert.deepEqual(await world.executed(chat), []);
});
