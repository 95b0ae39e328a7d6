// Everything in the demo page with a finger, on a screen of 320 by 640: nothing is clicked, hovered or typed but in fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { demo } from './harness/demo.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { fits, framed, inSight, large, phone, tap, tapSteady } from './harness/touch.mjs';

const site = demo();

async function open(t, query) {
  const page = await openPage(t, await phone(t, site.browser), `${site.origin}/?delay=0&${query}`);
  const chat = await Chat.on(page);
  return { chat, page };
}

/** Types words with the on-screen keyboard, and taps Send. */
async function say({ chat, page }, words, count) {
  await page.locator('form#composer textarea').tap();
  await page.keyboard.insertText(words);
  await tap(page.getByRole('button', { name: 'Send', exact: true }));
  return chat.pending(count);
}

const executed = (chat) => chat.page.evaluate(() => window.countersignDemo.executed().map(({ tool, args }) => ({ tool, args })));
const part = (card, name) => card.element.locator(`[part~=${name}]`).first();

test('r48_touch: a call is read in full, unfolded and approved', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  await fits(on.page, 'the welcome');
  await large(on.page, 'the welcome');
  const [card] = await say(on, `email to=${'a'.repeat(900)}@example.com`, 1);
  await fits(on.page);
  await large(on.page);
  await tap(card.element.locator('.cs-fold').first());
  await eventually(async () => assert.ok((await card.element.innerText()).includes('a'.repeat(600))));
  await tap(card.element.getByText('Raw', { exact: true }));
  await part(card, 'raw').waitFor();
  await fits(on.page, 'an unfolded card');
  await tapSteady(part(card, 'approve-button'));
  await card.becomes('completed');
  assert.equal((await executed(on.chat)).length, 1);
});

test('r48_touch: a decision is taken back, and a call rejected with a reason while the keyboard is up', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  const [first, second] = await say(on, 'delete path=/srv/a then delete path=/srv/b', 2);
  await tapSteady(part(first, 'approve-button'));
  await first.becomes('drafted');
  await tap(part(first, 'undo-button'));
  await first.becomes('pending');
  await tap(part(first, 'reject-button'));
  const field = part(first, 'reason-field');
  await field.waitFor();
  // What the on-screen keyboard leaves.
  await on.page.setViewportSize({ width: 320, height: 320 });
  await field.tap();
  await inSight(field, 'the reason');
  await on.page.keyboard.type('Not this week');
  await inSight(part(first, 'send-rejection-button'), 'Send rejection');
  await fits(on.page, 'the reason');
  await large(on.page, 'the reason');
  await tap(part(first, 'send-rejection-button'));
  await first.becomes('drafted');
  await on.page.setViewportSize({ width: 320, height: 640 });
  await tap(part(second, 'reject-button'));
  await tap(part(second, 'send-rejection-button'));
  await Promise.all([first.becomes('rejected'), second.becomes('rejected')]);
  assert.deepEqual(await executed(on.chat), []);
});

test('r48_touch: arguments are edited in the form and as JSON while the keyboard is up', async (t) => {
  const on = await open(t, 'wire=langgraph-hitl');
  const [card] = await say(on, 'transfer amount=10.25', 1);
  await tap(part(card, 'edit-button'));
  const dialog = card.element.getByRole('dialog');
  await dialog.waitFor();
  await framed(dialog);
  await fits(on.page, 'the form');
  await large(on.page, 'the form');
  await on.page.setViewportSize({ width: 320, height: 320 });
  const field = dialog.getByLabel('amount', { exact: true });
  await field.tap();
  await on.page.keyboard.press('Control+a');
  await on.page.keyboard.type('7.5');
  await framed(dialog);
  await inSight(field, 'the field');
  await inSight(part(card, 'send-edit-button'), 'Approve with changes');
  await tap(dialog.getByRole('button', { name: 'JSON', exact: true }));
  await part(card, 'edit-json').waitFor();
  await framed(dialog);
  await part(card, 'edit-json').tap();
  await inSight(part(card, 'send-edit-button'), 'Approve with changes');
  await on.page.setViewportSize({ width: 320, height: 640 });
  await tapSteady(part(card, 'send-edit-button'));
  await card.becomes('completed');
  assert.match((await executed(on.chat))[0].args, /"amount":7\.5,/);
});

test('r48_touch: the agent gets a reply instead of a result while the keyboard is up', async (t) => {
  const on = await open(t, 'wire=langgraph-interrupt');
  const [card] = await say(on, 'email', 1);
  await tap(part(card, 'respond-button'));
  const dialog = card.element.getByRole('dialog');
  await dialog.waitFor();
  await on.page.setViewportSize({ width: 320, height: 320 });
  const field = part(card, 'reason-field');
  await field.tap();
  await on.page.keyboard.type('Use the new address');
  await framed(dialog);
  await inSight(field, 'the reply');
  await inSight(part(card, 'send-rejection-button'), 'Send reply');
  await large(on.page, 'the reply');
  await tap(part(card, 'send-rejection-button'));
  await card.becomes('responded');
});

test('r48_touch: questions are answered', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  const [card] = await say(on, 'ask', 1);
  await fits(on.page);
  await large(on.page);
  await tap(card.element.getByText('MySQL', { exact: true }));
  await tap(card.element.getByText('Auth', { exact: true }));
  await tap(card.element.getByText('Caching', { exact: true }));
  await on.page.setViewportSize({ width: 320, height: 320 });
  const field = card.element.getByRole('textbox');
  await field.tap();
  await on.page.keyboard.type('Nothing else');
  await inSight(field, 'the answer');
  await on.page.setViewportSize({ width: 320, height: 640 });
  await tap(part(card, 'answer-button'));
  await card.becomes('responded');
});

test('r48_touch: some of several calls are chosen from the list and approved', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  const [first, second, mail] = await say(on, 'delete path=/srv/a then delete path=/srv/b then email', 3);
  await fits(on.page);
  await large(on.page);
  const bar = on.chat.inbox.locator('[part=batch-bar]');
  await tap(bar.locator('[part=approve-all-button]'));
  const dialog = bar.getByRole('dialog');
  await dialog.waitFor();
  await framed(dialog);
  await fits(on.page, 'the list');
  await large(on.page, 'the list');
  await tap(dialog.getByRole('button', { name: 'delete_file × 2' }));
  await tap(dialog.getByRole('checkbox').nth(1));
  await tapSteady(dialog.locator('[part=confirm-button]'));
  await Promise.all([second.becomes('drafted'), mail.becomes('drafted'), first.becomes('pending')]);
  await tapSteady(bar.locator('[part=approve-all-button]').or(part(first, 'approve-button')).first());
  await first.becomes('completed');
});

test('r48_touch: a tool is always allowed, and that is taken back from the list', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  const [card] = await say(on, 'delete path=/srv/a', 1);
  await tap(part(card, 'always-button'));
  const dialog = card.element.getByRole('dialog');
  await dialog.waitFor();
  await framed(dialog);
  await fits(on.page, 'the dialog');
  await large(on.page, 'the dialog');
  await tap(dialog.getByLabel(/with any arguments$/));
  // What is allowed does not fit beside the choices: a tap before it was read brings it into view.
  await part(card, 'grant-button').tap({ force: true });
  await tapSteady(part(card, 'grant-button'));
  await card.becomes('completed');
  const list = on.chat.inbox.locator('[part=grants]');
  await tap(list.getByRole('button', { name: '1 permission in force' }));
  await fits(on.page, 'the list');
  await large(on.page, 'the list');
  await tap(list.locator('[part=revoke-button]'));
  await list.getByText('0 permissions in force').waitFor();
});

test('r48_touch: the history is opened, and what the agent asks about is switched', async (t) => {
  const on = await open(t, 'wire=kagent-0.10');
  const [card] = await say(on, 'delete path=/srv/a', 1);
  await tapSteady(part(card, 'approve-button'));
  await card.becomes('completed');
  await tap(card.element.locator('[part~=toggle]').first());
  await part(card, 'arguments').waitFor();
  await fits(on.page, 'the history');
  await large(on.page, 'the history');
  await tap(on.page.getByRole('button', { name: 'Policy' }));
  const policy = on.page.locator('countersign-policy');
  await policy.locator('[part=require-switch]').first().waitFor();
  await fits(on.page, 'the policy');
  await large(on.page, 'the policy');
  await tap(policy.getByRole('switch', { name: 'Require approval delete_file' }));
  await tap(on.page.getByRole('button', { name: 'Back to the chat' }));
  await say(on, 'delete path=/srv/b', 0);
  await eventually(async () => assert.equal((await executed(on.chat)).length, 2));
});

test('r48_touch: every state of the gallery fits and can be tapped, also from right to left', async (t) => {
  for (const query of ['', 'dir=rtl&locale=ar', 'density=compact&locale=de']) {
    const gallery = await openGallery(t, await phone(t, site.browser), site.origin, query);
    await fits(gallery.page, query);
    await large(gallery.page, query);
    await gallery.page.close();
  }
});

test('r48_touch: a call of high risk is asked about twice, within the screen', async (t) => {
  const gallery = await openGallery(t, await phone(t, site.browser), site.origin, 'state=pending');
  const argsText = JSON.stringify({ command: 'rm -rf /srv/exports', paths: Array.from({ length: 40 }, (_, at) => `/srv/exports/${at}`) });
  const risk = { level: 'high', reasons: [{ source: 'arguments', code: 'recursive-delete', message: 'deletes a folder with everything in it' }] };
  await gallery.show([{ tool: 'run_shell_with_a_very_long_name_that_has_to_be_broken_somewhere', argsText, risk }]);
  const card = gallery.exhibit('shown').locator('[part=card]');
  await fits(gallery.page);
  await tapSteady(card.locator('[part=approve-button]'));
  const dialog = card.getByRole('alertdialog');
  await dialog.waitFor();
  await framed(dialog);
  await fits(gallery.page, 'the question');
  await large(gallery.page, 'the question');
  await tapSteady(dialog.locator('[part=confirm-button]'));
  const [{ decision }] = await gallery.intents();
  assert.equal(decision.kind, 'approve');
});
