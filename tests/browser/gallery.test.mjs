// The gallery: every state of the card on one page, and the hook that puts up any card.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { openGallery } from './harness/gallery.mjs';
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

async function open(t, query = '', options = {}) {
  return openGallery(t, await profile(t, browser, options), server.origin, query);
}

const STATUSES = [
  'requested', 'streaming', 'pending', 'drafted', 'sending', 'sent', 'approved', 'running', 'completed', 'failed',
  'rejected', 'responded', 'cancelled', 'expired', 'superseded', 'conflict', 'blocked', 'unknown',
];

test('the gallery shows a card of every status, each exhibit under a heading', async (t) => {
  const gallery = await open(t);
  const shown = new Set(await gallery.page.locator('[data-status]').evaluateAll((cards) => cards.map((card) => card.dataset.status)));
  assert.deepEqual([...shown].sort(), [...STATUSES].sort());
  const headings = await gallery.page.locator('section.exhibit > h2').allInnerTexts();
  assert.equal(headings.length, (await gallery.states()).length);
  assert.ok(headings.every((heading) => heading.trim().length > 0));
});

test('the gallery shows a call that needs care, what people have allowed, and which tools need approval', async (t) => {
  const gallery = await open(t);
  await gallery.exhibit('high-risk').locator('[data-risk=high]').first().waitFor();
  await gallery.exhibit('granted').getByRole('button', { name: '1 permission in force' }).waitFor();
  const policy = gallery.exhibit('policy').locator('countersign-policy');
  // The fourth is refused for good.
  assert.equal(await policy.locator('[part=require-switch]').count(), 3);
  assert.equal(await policy.locator('[part=granted]').count(), 2);
});

test('the address chooses states, theme, direction, density and language', async (t) => {
  const gallery = await open(t, 'state=pending,changed&theme=dark&dir=rtl&density=compact&width=320');
  assert.deepEqual(await gallery.states(), ['pending', 'changed']);
  const root = gallery.page.locator('html');
  for (const [name, value] of [['data-theme', 'dark'], ['dir', 'rtl'], ['data-density', 'compact'], ['lang', 'en']]) {
    assert.equal(await root.getAttribute(name), value);
  }
  const card = gallery.exhibit('pending').locator('[part=card]');
  assert.equal(await card.evaluate((element) => getComputedStyle(element).direction), 'rtl');
  assert.ok((await card.boundingBox()).width <= 320);
  // A language that was chosen brings its direction.
  const german = await open(t, 'state=pending&dir=rtl&locale=de');
  const panel = german.exhibit('pending').locator('[part=inbox]');
  assert.deepEqual([await panel.getAttribute('lang'), await panel.getAttribute('dir')], ['de', 'ltr']);
});

test('a script puts up any card, changes it in place, and reads what a person asked for', async (t) => {
  const gallery = await open(t);
  await gallery.show([{ tool: 'drop_table', argsText: '{"table":"users"}' }]);
  const card = gallery.exhibit('shown').locator('[part=card]');
  assert.equal(await card.count(), 1);
  assert.equal(await card.locator('[part=tool-name]').innerText(), 'drop_table');
  await card.evaluate((element) => { element.marked = true; });
  await gallery.show([{ tool: 'drop_table', argsText: '{"table":"users"}', changed: true }]);
  assert.equal(await card.getAttribute('data-changed'), '');
  assert.equal(await card.evaluate((element) => element.marked), true);
  await gallery.show([{ tool: 'drop_table', status: 'drafted', offers: [], decision: { kind: 'approve' } }]);
  await card.locator('[part=undo-button]').click();
  assert.deepEqual(await gallery.intents(), [{ kind: 'undo', request: 'gallery/r1' }]);
});

test('a card that cannot be read is told to the script, and nothing changes', async (t) => {
  const gallery = await open(t, 'state=pending');
  for (const cards of ['{}', '[1]', '[{"status":"asleep"}]']) {
    await assert.rejects(gallery.page.evaluate((text) => window.countersignDemo.show(text), cards));
  }
  assert.deepEqual(await gallery.states(), ['pending']);
});

test('the demo links to the gallery', async (t) => {
  const page = await openPage(t, await profile(t, browser), server.origin);
  await page.getByRole('link', { name: 'Gallery' }).click();
  await page.waitForSelector('section[data-state=pending] countersign-inbox');
});
