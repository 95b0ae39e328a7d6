// The demo page with a real AdalFlow agent behind it: over the example backend's web socket, and through the library's
// own handler, which is polled.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, editIsNotOffered, RealWorld, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const BIG = '2512292042121000001';
/** What the model is told in place of an outcome. */
const CANCELLED = 'Tool execution cancelled by user';

const stage = demo('adalflow');

/** The real server, behind one of the page's wires. */
class Adalflow extends RealWorld {
  constructor(wire, behind) {
    // The browser itself reports refusals, and a server that is gone for a while.
    const expectedErrors = [/status of (400|404|503)/, /WebSocket connection to/, /net::ERR_/];
    super(stage, { query: { wire }, expectedErrors, behind });
    this.wire = wire;
  }

  async page(t, context) {
    const chat = await super.page(t, context);
    chat.apart = true;
    return chat;
  }

  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, words]) => words.includes(text));
  }

  /** Another client gives this answer to a card's request, on the same way. */
  answerElsewhere(card, outcome, more = {}) {
    const shipped = this.wire === 'adalflow-rest';
    const at = shipped ? `/api/v1/approvals/${card.request}/approve` : `/approvals/${card.request}`;
    const body = JSON.stringify(shipped ? { request_id: card.request, outcome } : { outcome, ...more });
    return this.behind.request(at, { method: 'POST', body });
  }
}

const TALENTS = {
  'adalflow-ws': ['retry', 'edit', 'always', 'mute'],
  'adalflow-rest': ['retry', 'always', 'mute'],
};

for (const [wire, talents] of Object.entries(TALENTS)) {
  declareScenarios(`${wire} (real)`, () => new Adalflow(wire), talents);

  test(`${wire}: calls of one run are asked about one after the other, and those always allowed not at all`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a delete path=/srv/b email');
    await (await chat.card('delete_file')).allowAlways();
    const mail = await chat.card('send_email');
    await mail.reject();
    await mail.becomes('rejected');
    await world.ran(chat, removed('/srv/a'), removed('/srv/b'));
    await eventually(async () => assert.deepEqual((await world.told(chat)).at(-1), ['send_email', CANCELLED]));
    await chat.reload();
    await mail.becomes('rejected');
    await chat.pending(0);
  });

  test(`${wire}: three calls beside each other are decided each for itself`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say(`delete path=/srv/a then email to=bob@example.com then transfer amount=10.25 reference=${BIG}`);
    const [remove, mail, transfer] = await chat.pending(3);
    const shown = await transfer.shownArguments();
    await transfer.approve();
    await transfer.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: shown }]);
    await mail.reject('Bob left');
    await remove.allowAlways();
    await Promise.all([mail.becomes('rejected'), remove.becomes('completed')]);
    await world.ran(chat, { tool: 'transfer_funds', args: shown }, removed('/srv/a'));
  });

  test(`${wire}: r10_retry: a decision whose receipt was lost does not run the call again`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.breakNextSend(chat, 'after');
    await card.approve();
    await card.becomes('completed');
    await pause(500);
    await world.ran(chat, removed('/srv/a'));
  });

  test(`${wire}: r09_replay: what another client decides is settled here, and of two decisions at once one counts`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then delete path=/srv/b');
    const [first, second] = await chat.pending(2);
    await world.answerElsewhere(first, 'cancel');
    await first.becomes('rejected', 'unknown');
    const elsewhere = world.answerElsewhere(second, 'cancel').then(() => 'cancel', () => 'refused');
    const [winner] = await Promise.all([elsewhere, second.approve({ timeout: 2000 }).catch(() => {})]);
    await chat.pending(0);
    if (winner === 'cancel') await second.becomes('rejected', 'conflict');
    else await second.becomes('completed');
    await world.ran(chat, ...(winner === 'cancel' ? [] : [removed('/srv/b')]));
  });

  test(`${wire}: r39_reload: cards and words are the same after a reload, wherever they stand`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then email');
    const cards = await chat.pending(2);
    const said = ['delete path=/srv/a beside email'];
    const shows = async (...statuses) => {
      for (const look of [() => {}, () => chat.reload()]) {
        await look();
        await Promise.all(cards.map((card, place) => card.becomes(statuses[place])));
        await eventually(async () => assert.deepEqual(await chat.page.locator('[data-role]').allTextContents(), said));
      }
    };
    await shows('pending', 'pending');
    await cards[1].reject('no');
    said.push('Done.');
    await shows('pending', 'rejected');
    await cards[0].approve();
    said.push('Done.');
    await shows('completed', 'rejected');
    await chat.say('hello');
    said.push('hello', 'You said: hello');
    await shows('completed', 'rejected');
  });

  test(`${wire}: a request that nobody decided in time ends, and a late decision runs nothing`, async (t) => {
    const world = new Adalflow(wire, await anotherBackend(t, stage, ['--timeout-s', '4']));
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    // The library's own wire does not say why it cancelled.
    await card.becomes(wire === 'adalflow-ws' ? 'expired' : 'rejected', 'unknown');
    await assert.rejects(world.answerElsewhere(card, 'proceed_once'), /already decided: timeout|status: expired/);
    await chat.reload();
    await card.becomes(wire === 'adalflow-ws' ? 'expired' : 'rejected', 'unknown');
    await chat.pending(0);
    await world.ran(chat);
  });

  test(`${wire}: a server that was restarted ends what was open, says so, and goes on`, async (t) => {
    const lasting = await startLastingBackend(t, 'adalflow', stage.origin);
    const world = new Adalflow(wire, lasting);
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await lasting.stop('SIGKILL');
    await card.approve();
    await card.canRetry();
    await lasting.start();
    await card.becomes(wire === 'adalflow-ws' ? 'expired' : 'unknown');
    await eventually(async () => assert.match((await chat.bubbles('agent')).at(-1) ?? '', /server was restarted/));
    await world.ran(chat);
    await chat.say('delete path=/srv/b');
    await (await chat.card('delete_file')).approve();
    await world.ran(chat, removed('/srv/b'));
  });

  test(`${wire}: a tool that fails is not shown as one that ran well, and a model that fails is said`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say('delete path=/missing');
    const card = await chat.card('delete_file');
    await card.approve();
    // The library reports it exactly like a tool that returned nothing.
    await card.becomes('unknown');
    await chat.say('crash');
    await eventually(async () => assert.match((await chat.bubbles('agent')).at(-1), /The run failed: /));
  });

  test(`${wire}: arguments by position are shown, and run as they are shown`, async (t) => {
    const world = new Adalflow(wire);
    const chat = await world.open(t);
    await chat.say(`transfer amount=10.25 reference=${BIG} positional`);
    const card = await chat.card('transfer_funds');
    const shown = await card.shownArguments();
    assert.ok(shown.includes('"args"') && shown.includes(BIG), shown);
    await card.approve();
    await card.confirmRisk();
    await card.becomes('completed');
    await world.ran(chat, { tool: 'transfer_funds', args: shown });
  });
}

test('adalflow-ws: an edit that does not fit the tool is refused by the server, and the call still waits', async (t) => {
  const world = new Adalflow('adalflow-ws');
  const chat = await world.open(t);
  await chat.say('transfer amount=10.25');
  const card = await chat.card('transfer_funds');
  const shown = await card.shownArguments();
  const wrong = shown.replace('10.25', '"much"');
  assert.match(await card.cannotEdit(wrong), /amount/);
  await assert.rejects(world.answerElsewhere(card, 'modify', { kwargs: JSON.parse(wrong) }), /422.*amount/);
  await card.becomes('pending');
  assert.deepEqual(await world.executed(chat), []);
  await card.approve();
  await card.becomes('completed');
  await world.ran(chat, { tool: 'transfer_funds', args: shown });
});

test('adalflow-ws: arguments by position are edited together with those by name', async (t) => {
  const world = new Adalflow('adalflow-ws');
  const chat = await world.open(t);
  await chat.say(`transfer amount=10.25 reference=${BIG} positional`);
  const card = await chat.card('transfer_funds');
  const edited = (await card.shownArguments()).replace('10.25', '7.5');
  await card.edit(edited);
  await card.confirmRisk();
  await card.becomes('completed');
  await world.ran(chat, { tool: 'transfer_funds', args: edited });
  await chat.reload();
  await card.becomes('completed');
});

test('adalflow-rest: a question is answered in words', async (t) => {
  const world = new Adalflow('adalflow-rest');
  const chat = await world.open(t);
  await chat.say('clarify question="Which of them?"');
  const card = await chat.card('clarify');
  assert.equal(await card.element.getByRole('button', { name: /^(Approve|Always)/ }).count(), 0);
  await card.answer([['the second']]);
  await card.becomes('responded', 'completed');
  await eventually(async () => {
    assert.deepEqual(await world.told(chat), [['clarify', 'The person says: the second']]);
  });
});

test('adalflow-rest: an edit is not offered, and asking for one changes nothing', async (t) => {
  const world = new Adalflow('adalflow-rest');
  const chat = await editIsNotOffered(t, world);
  await world.ran(chat, removed('/srv/a'));
});
