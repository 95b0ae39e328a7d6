// Calls that need care: who says so, and the second question before one of high risk runs.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
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
