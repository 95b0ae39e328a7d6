// Calls that need care: who says so, and the second question before one of high risk runs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { press, steady } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

let browser;
let server;

before(async () => {
  server = await serveFolder(DEMO_FOLDER);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

const ARGS = '{"cmd":"rm -rf /srv/\u202edata","n":1.00}';
const HIGH = {
  level: 'high',
  reasons: [
    { source: 'server', code: 'destructive', message: 'destructive' },
    { source: 'arguments', code: 'recursive-delete', message: 'deletes a folder with everything in it' },
    { source: 'host', code: 'host-rule', message: 'production <b>only</b>' },
  ],
};
const CALL = { tool: 'run', argsText: ARGS, risk: HIGH };

async function open(t, cards = [CALL], { query = '', ...options } = {}) {
  const gallery = await openGallery(t, await profile(t, browser, options), server.origin, `state=pending&${query}`);
  await gallery.show(cards);
  const card = gallery.exhibit('shown').locator('[part=card]').first();
  const focused = () => gallery.page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active?.getAttribute('part');
  });
  return { gallery, page: gallery.page, card, dialog: card.locator('[part=dialog]'), approve: card.locator('[part=approve-button]'), focused };
}

test('each reason names its source, and that of the server is marked as not verified', async (t) => {
  const { card } = await open(t);
  assert.deepEqual(await card.locator('[part=risk-reason]').allInnerTexts(), [
    'The server says: destructive (not verified)',
    'It deletes a folder with everything in it',
    'Rule of this app: production <b>only</b>',
  ]);
  assert.equal(await card.locator('[part=risk-level]').innerText(), 'High risk');
});

test('r47_high_risk_asks_again_with_everything_that_runs_and_the_focus_on_cancel', async (t) => {
  const { gallery, page, card, dialog, approve, focused } = await open(t);
  await press(approve);
  await dialog.waitFor();
  assert.equal(await dialog.getAttribute('role'), 'alertdialog');
  assert.equal(await focused(), 'cancel-button');
  const place = await dialog.boundingBox();
  const right = (await page.evaluate(() => document.documentElement.clientWidth)) - place.x - place.width;
  assert.ok(Math.abs(place.x - right) <= 2, `in the middle: ${place.x} left of it, ${right} right`);
  assert.equal(await dialog.locator('[part=dialog-title]').innerText(), 'Really run run?');
  await dialog.getByRole('button', { name: 'Raw' }).click();
  assert.equal(await dialog.locator('[part=raw]').innerText(), ARGS.replace('\u202e', '\\u{202E}'));
  assert.deepEqual(await gallery.intents(), [], 'nothing is decided yet');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await focused(), 'approve-button');
  assert.deepEqual(await gallery.intents(), []);
  await press(approve);
  await press(dialog.locator('[part=confirm-button]'));
  const intents = await gallery.intents();
  assert.deepEqual(intents.map(({ decision }) => decision), [{ kind: 'approve' }]);
  assert.equal(await card.locator('[part=dialog]').count(), 0);
});

test('r24_the_second_question_masks_what_the_schema_calls_secret_and_so_does_the_card', async (t) => {
  const argsSchema = '{"properties":{"door":{"type":"string","format":"password"}}}';
  const { card, dialog, approve } = await open(t, [{ ...CALL, argsText: '{"door":"sesame","n":1}', argsSchema }]);
  const shown = (place) => place.evaluate((element) => element.innerText);
  await card.getByRole('button', { name: 'Raw' }).click();
  assert.equal((await shown(card)).includes('sesame'), false);
  await press(approve);
  await dialog.waitFor();
  assert.equal((await shown(dialog)).includes('sesame'), false);
  await dialog.getByRole('button', { name: 'Reveal 6 characters' }).click();
  await eventually(async () => assert.equal((await shown(dialog)).includes('sesame'), true));
});

test('r26_the_second_question_is_inert_at_first_too', async (t) => {
  const { gallery, page, dialog, approve } = await open(t, [CALL], { query: 'arm=1500' });
  await press(approve);
  const { x, y } = await dialog.locator('[part=confirm-button]').boundingBox();
  await page.mouse.dblclick(x + 10, y + 10);
  assert.deepEqual(await gallery.intents(), []);
});

test('r47_the_shortcut_asks_again_too_and_r37_nothing_of_high_risk_is_allowed_for_good', async (t) => {
  const offers = [{ kind: 'approve', reason: 'none' }, { kind: 'approve_always', scope: 'tool', reason: 'none' }];
  const { gallery, page, card, dialog, approve } = await open(t, [{ ...CALL, offers }]);
  assert.equal(await card.locator('[part=always-button]').count(), 0);
  await steady(approve);
  await card.focus();
  await page.keyboard.press('Control+Enter');
  await dialog.waitFor();
  assert.deepEqual(await gallery.intents(), []);
});

test('a card that changes while the question is open closes it', async (t) => {
  const { gallery, dialog, approve } = await open(t);
  await press(approve);
  await dialog.waitFor();
  await gallery.show([{ ...CALL, argsText: '{"cmd":"rm -rf /"}', changed: true }]);
  await dialog.waitFor({ state: 'detached' });
  assert.deepEqual(await gallery.intents(), []);
});

test('a call that needs no care shows nothing and asks once', async (t) => {
  const { gallery, card, approve } = await open(t, [{ tool: 'read', argsText: '{}' }]);
  assert.equal(await card.locator('[data-note=risk]').count(), 0);
  await press(approve);
  assert.equal((await gallery.intents()).length, 1);
});

const chat = async (t, wire) => Chat.on(await openPage(t, await profile(t, browser), `${server.origin}/?wire=${wire}&delay=0`));
const executed = async (here) => (await here.page.evaluate(() => window.countersignDemo.executed())).map(({ args }) => args);

test('r47_chat: a rule of the page asks twice in the conversation too, and says why', async (t) => {
  const here = await chat(t, 'kagent-0.10');
  await here.say('transfer amount=9000');
  const card = await here.card('transfer_funds');
  const dialog = card.element.getByRole('alertdialog');
  assert.match(await card.element.locator('[part=risk-reason]').innerText(), /Rule of this app: more than 5,000 at once/);
  await card.approve();
  await dialog.waitFor();
  assert.deepEqual(await executed(here), []);
  await press(dialog.locator('[part=confirm-button]'));
  await card.becomes('completed');
  assert.equal((await executed(here)).length, 1);
});

test('r33_chat: an edit that falls under a rule of the page says so, and is asked about twice', async (t) => {
  const here = await chat(t, 'langgraph-hitl');
  await here.say('transfer amount=10.25');
  const card = await here.card('transfer_funds');
  assert.equal(await card.element.locator('[part=risk-reason]').count(), 0);
  const editor = await card.openEditor();
  await editor.getByLabel('amount', { exact: true }).fill('9000');
  await editor.getByText('Rule of this app: more than 5,000 at once').waitFor();
  await press(editor.getByRole('button', { name: /^Approve with changes/ }));
  const question = card.element.getByRole('alertdialog');
  await question.waitFor();
  await question.getByText('Rule of this app: more than 5,000 at once').waitFor();
  assert.deepEqual(await executed(here), []);
  await press(question.locator('[part=confirm-button]'));
  await card.becomes('completed');
  assert.equal(JSON.parse((await executed(here))[0]).amount, 9000);
});
