// What only AdalFlow's wires have, with the agent that is simulated in the demo page.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';

const site = demo();

async function open(t, wire) {
  return Chat.on(await openPage(t, await profile(t, site.browser), `${site.origin}/?wire=${wire}&delay=0`));
}

const executed = (chat) => chat.page.evaluate(() => window.countersignDemo.executed().map(({ args }) => args));

for (const wire of ['adalflow-ws', 'adalflow-rest']) {
  test(`${wire}: calls of one run are asked about one after the other, and those always allowed not at all`, async (t) => {
    const chat = await open(t, wire);
    await chat.say('delete path=/srv/a delete path=/srv/b email');
    await (await chat.card('delete_file')).allowAlways();
    const mail = await chat.card('send_email');
    await mail.reject();
    await mail.becomes('rejected');
    assert.deepEqual(await executed(chat), ['{"path":"/srv/a"}', '{"path":"/srv/b"}']);
  });

  test(`${wire}: r39_reload: cards and words are the same after a reload, wherever they stand`, async (t) => {
    const chat = await open(t, wire);
    await chat.say('Clean up the old invoices and pay ACME');
    const remove = await chat.card('delete_file');
    const shows = async (said, ...cards) => {
      for (const look of [() => {}, () => chat.reload()]) {
        await look();
        await Promise.all(cards.map(([card, status]) => card.becomes(status)));
        await eventually(async () => assert.equal(await chat.page.locator('[data-role]').count(), said));
      }
    };
    await shows(3, [remove, 'pending']);
    await remove.reject('keep it');
    const pay = await chat.card('transfer_funds');
    const shown = await pay.shownArguments();
    await shows(3, [remove, 'rejected'], [pay, 'pending']);
    await pay.approve();
    await shows(4, [remove, 'rejected'], [pay, 'completed']);
    assert.equal((await executed(chat)).at(-1), shown);
    assert.deepEqual(await chat.bubbles('user'), ['Clean up the old invoices and pay ACME']);
  });

  test(`${wire}: the button for the whole tool does not act before the card was seen`, async (t) => {
    const chat = await open(t, wire);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    // A script opens nothing, and confirms nothing.
    await card.element.locator('[part=always-button]').evaluate((element) => element.click());
    assert.equal(await card.element.getByRole('dialog').count(), 0);
    const dialog = await card.allow(/remembered by the agent’s side/);
    assert.match(await dialog.textContent(), /The agent’s side remembers this, not this page/);
    await dialog.locator('[part=grant-button]').evaluate((element) => element.click());
    await pause(300);
    await card.becomes('pending');
    assert.deepEqual(await executed(chat), []);
  });
}

test('adalflow-ws: a request expires before the eyes, and an answer to it runs nothing', async (t) => {
  const chat = await open(t, 'adalflow-ws');
  await chat.say('delete path=/srv/a timeout=4');
  const card = await chat.card('delete_file');
  await card.becomes('expired');
  await chat.decide(card, { kind: 'approve' });
  assert.ok((await chat.notice()).length > 0);
  await card.becomes('expired');
  assert.deepEqual(await executed(chat), []);
});

test('adalflow-rest: an answer that comes too late runs nothing', async (t) => {
  const chat = await open(t, 'adalflow-rest');
  await chat.say('delete path=/srv/a timeout=1');
  const card = await chat.card('delete_file');
  await pause(1100);
  await card.approve();
  await card.becomes('conflict', 'rejected');
  assert.deepEqual(await executed(chat), []);
});

test('adalflow-rest: questions are answered one after the other', async (t) => {
  const chat = await open(t, 'adalflow-rest');
  await chat.say('ask');
  for (const words of ['SQLite', 'Auth', 'nothing']) {
    const card = await chat.card('clarify');
    await card.answer([[words]]);
    await card.becomes('responded', 'completed');
  }
  await eventually(async () => assert.match((await chat.bubbles('agent')).at(-1), /SQLite.*Auth.*nothing/));
  assert.deepEqual(await executed(chat), []);
});
