// What has to hold with every LangGraph agent beyond the common scenarios, simulated or real. A world is described in
// `scenarios.mjs`; here `wire` names which of LangGraph's gates it has.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { eventually } from './eventually.mjs';

/** Declares the scenarios of LangGraph's gates, as tests whose names begin with `name`. */
export function declareInterrupts(name, world, wire) {
  const human = wire === 'langgraph-interrupt';
  const batch = wire === 'langgraph-hitl';
  const refuse = (card) => (human ? card.ignore() : card.reject('No "mail" today'));

  test(`${name}: words stand in for an outcome, and the agent gets them as they were typed`, async (t) => {
    const chat = await world().open(t);
    const text = 'Use the "new" address \\ é 漢 🙂\nsecond line';
    await chat.say('email');
    const card = await chat.card('send_email');
    await card.respond(text);
    await card.becomes('responded');
    await eventually(async () => assert.ok(await world().modelGot(chat, text)));
    assert.deepEqual(await world().executed(chat), []);
    await chat.reload();
    // Only the middleware's own record tells whose words they are.
    if (batch) await card.becomes('responded');
    else await card.becomes('unknown');
  });

  test(`${name}: r10_batch: three calls are decided in three ways, in another order than asked`, async (t) => {
    const chat = await world().open(t);
    await chat.say('delete path=/srv/a then email then transfer amount=5');
    const cards = await chat.pending(3);
    const [remove, mail, transfer] = ['delete_file', 'send_email', 'transfer_funds'].map((tool) =>
      cards.find((card) => card.tool === tool),
    );
    const edited = (await transfer.shownArguments()).replace(':5,', ':6,');
    await transfer.edit(edited);
    await transfer.becomes(batch ? 'drafted' : 'completed');
    await refuse(mail);
    await mail.becomes(batch ? 'drafted' : 'rejected');
    await remove.becomes('pending');
    assert.equal((await world().executed(chat)).length, batch ? 0 : 1);
    await remove.approve();
    await Promise.all([remove.becomes('completed'), mail.becomes('rejected'), transfer.becomes('completed')]);
    const ran = (await world().executed(chat)).sort((one, other) => one.tool.localeCompare(other.tool));
    assert.deepEqual(ran, [
      { tool: 'delete_file', args: '{"path":"/srv/a"}' },
      { tool: 'transfer_funds', args: edited },
    ]);
  });

  test(`${name}: r01_identity: the same call twice is decided in reverse order`, async (t) => {
    const chat = await world().open(t);
    await chat.say('delete path=/srv/a then delete path=/srv/a');
    const [first, second] = await chat.pending(2);
    assert.notEqual(first.request, second.request);
    await refuse(second);
    await second.becomes(batch ? 'drafted' : 'rejected');
    await first.approve();
    await Promise.all([first.becomes('completed'), second.becomes('rejected')]);
    assert.deepEqual(await world().executed(chat), [{ tool: 'delete_file', args: '{"path":"/srv/a"}' }]);
  });

  test(`${name}: typed text leaves a pause behind, and nothing of it runs`, async (t) => {
    const chat = await world().open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await chat.say('hello');
    await chat.page.getByRole('button', { name: 'Send anyway' }).click();
    await card.becomes('superseded');
    await chat.reload();
    await card.becomes('superseded');
    assert.deepEqual(await world().executed(chat), []);
  });

  test(`${name}: r39_reload: cards and words are the same after a reload, wherever they stand`, async (t) => {
    const chat = await world().open(t);
    const words = 'transfer amount=1 then transfer amount=2';
    await chat.say(words);
    const [first, second] = await chat.pending(2);
    const shows = async (...statuses) => {
      const said = await chat.bubbles('agent');
      await chat.reload();
      await Promise.all([first, second].map((card, place) => card.becomes(statuses[place])));
      assert.deepEqual(await chat.bubbles('agent'), said);
      assert.deepEqual(await chat.bubbles('user'), [words]);
    };
    await shows('pending', 'pending');
    await first.approve();
    const done = human ? 'unknown' : 'completed';
    if (batch) {
      await first.becomes('drafted');
      await shows('pending', 'pending');
      await first.approve();
    } else {
      await first.becomes('completed');
      await shows(done, 'pending');
    }
    await second.approve();
    await second.becomes('completed');
    await eventually(async () => assert.equal((await chat.bubbles('agent')).length, 2));
    await shows(done, done);
    assert.equal((await world().executed(chat)).length, 2);
  });

  if (!human) return;

  test(`${name}: an ignored call does not run`, async (t) => {
    const chat = await world().open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await card.ignore();
    await card.becomes('rejected');
    assert.deepEqual(await world().executed(chat), []);
  });

  test(`${name}: r42_tabs: what one tab decides, the other does not ask any more`, async (t) => {
    const chat = await world().open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    const other = await world().tab(t, chat);
    const twin = await other.card('delete_file');
    await chat.page.bringToFront();
    await card.approve();
    await card.becomes('completed');
    await other.page.bringToFront();
    await twin.becomes('unknown');
    assert.equal((await world().executed(chat)).length, 1);
  });
}
