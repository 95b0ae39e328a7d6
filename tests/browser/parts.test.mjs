// Parts of a card and of an inbox, each alone in a page: what they report reaches the page byte for byte, and no safeguard of the
// card is left behind. And the page of the example project in Rust.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, profile } from './harness/browser.mjs';
import { demo } from './harness/demo.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { Keys } from './harness/keys.mjs';
import { press } from './harness/press.mjs';

const site = demo();

/** The text that the exhibit `part-edit` is given. */
const TRANSFER = '{"to": "DE89 3704 0044", "amount" : 1250.00,"reference":2512292042121000001, "memo":"Invoice\\u0020704"}';

/** An exhibit of one part, what it told the page, and a keyboard. */
async function open(t, state, query = 'arm=0', options = {}) {
  const gallery = await openGallery(t, await profile(t, site.browser, options), site.origin, `state=pending,${state}&${query}`);
  const exhibit = gallery.exhibit(state);
  await exhibit.locator('countersign-part').waitFor({ state: 'attached' });
  const told = () => exhibit.locator('output').textContent();
  return { gallery, exhibit, told, page: gallery.page, keys: new Keys(gallery.page), dialog: exhibit.locator('dialog') };
}

test('arguments alone are a tree or exactly as they came, and wear the look of the cards', async (t) => {
  const { exhibit, page } = await open(t, 'part-arguments');
  assert.match(await exhibit.locator('[part=arguments]').innerText(), /2512292042121000001/);
  await exhibit.getByRole('button', { name: 'Raw' }).click();
  assert.equal(await exhibit.locator('[part=raw]').textContent(), TRANSFER);
  const look = (locator) => locator.first().evaluate((element) => {
    const { color, fontFamily, fontSize, boxSizing, fontVariantNumeric } = getComputedStyle(element.closest('.cs'));
    return [color, fontFamily, fontSize, boxSizing, fontVariantNumeric];
  });
  assert.deepEqual(await look(exhibit.locator('[part=arguments]')), await look(page.locator('[data-state=pending] [part=arguments]')));
});

test('r25_what was edited in a dialog alone reaches the page byte for byte, once, and only once it was seen', async (t) => {
  const { exhibit, told, dialog, gallery } = await open(t, 'part-edit', 'arm=2000');
  await exhibit.getByRole('button', { name: 'Edit it here' }).click();
  await dialog.getByLabel('amount', { exact: true }).fill('1250.50');
  const send = dialog.locator('[part=send-edit-button]');
  // It is inert: neither a press nor the keys send.
  assert.equal(await send.getAttribute('aria-disabled'), 'true');
  await send.click({ force: true });
  await dialog.getByLabel('amount', { exact: true }).press('Control+Enter');
  assert.equal(await told(), '');
  assert.match(await dialog.locator('[part=edit-changes]').innerText(), /amount: 1250\.00\s*amount: 1250\.50/);
  // A script is no person, however long it waits.
  await eventually(async () => assert.equal(await send.getAttribute('aria-disabled'), null));
  await send.evaluate((button) => button.click());
  assert.deepEqual([await told(), (await gallery.intents()).map(({ code }) => code)], ['', ['untrusted-event']]);
  await press(send);
  assert.equal(await told(), TRANSFER.replace('1250.00', '1250.50'));
  await dialog.waitFor({ state: 'detached' });
});

test('r25_a dialog alone sends nothing that does not fit the schema, and Escape closes it without a word', async (t) => {
  const { exhibit, told, dialog, page, keys } = await open(t, 'part-edit');
  const button = exhibit.getByRole('button', { name: 'Edit it here' });
  await button.click();
  await dialog.getByLabel('amount', { exact: true }).fill('0');
  const send = dialog.locator('[part=send-edit-button]');
  await dialog.locator('[part=edit-summary]').getByText('1 problem').waitFor();
  assert.equal(await send.getAttribute('aria-disabled'), 'true');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal((await keys.at()).name, 'Edit it here'));
  // What was typed goes with it.
  await button.click();
  assert.equal(await dialog.getByLabel('amount', { exact: true }).inputValue(), '1250.00');
  assert.equal(await told(), '');
});

test('r26_what is of high risk is asked about twice by a dialog alone, too', async (t) => {
  const { exhibit, told, dialog } = await open(t, 'part-edit');
  await exhibit.getByRole('button', { name: 'Edit it here' }).click();
  await dialog.getByLabel('memo', { exact: true }).fill('rm -rf /srv');
  await press(dialog.locator('[part=send-edit-button]'));
  const question = exhibit.getByRole('alertdialog');
  await question.waitFor();
  assert.equal(await told(), '');
  // Back to the edit, and what was typed is there still.
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  assert.equal(await dialog.getByLabel('memo', { exact: true }).inputValue(), 'rm -rf /srv');
  assert.equal(await told(), '');
  await press(dialog.locator('[part=send-edit-button]'));
  await press(question.locator('[part=confirm-button]'));
  assert.equal(await told(), TRANSFER.replace('Invoice\\u0020704', 'rm -rf /srv'));
});

test('words to the agent reach the page as they were typed, from a form and from a dialog', async (t) => {
  const { exhibit, told, dialog, page, keys } = await open(t, 'part-words');
  await exhibit.getByRole('button', { name: 'No, because' }).click();
  const field = exhibit.locator('[part=reason-field]');
  await eventually(async () => assert.ok(await field.evaluate((element) => element.getRootNode().activeElement === element), 'the field has the focus'));
  await page.keyboard.type(' Not "that"\tone ');
  await page.keyboard.press('Control+Enter');
  assert.equal(await told(), ' Not "that"\tone ');
  await exhibit.getByRole('button', { name: 'Say this instead' }).click();
  await dialog.locator('textarea').fill('Archive it.');
  await dialog.getByRole('button', { name: 'Send' }).click();
  assert.equal(await told(), 'Archive it.');
  await exhibit.getByRole('button', { name: 'No, because' }).click();
  await field.press('Escape');
  await field.waitFor({ state: 'detached' });
  assert.equal(await told(), 'Archive it.');
  await eventually(async () => assert.equal((await keys.at()).name, 'No, because'));
});

test('r47_keyboard: questions alone are answered with keys, once each has an answer', async (t) => {
  const { exhibit, told, keys } = await open(t, 'part-questions');
  await keys.tab(({ name }) => name === 'PostgreSQL');
  await keys.press('ArrowDown');
  const send = exhibit.locator('[part=answer-button]');
  assert.equal(await send.getAttribute('aria-disabled'), 'true');
  await keys.tab(({ tag }) => tag === 'textarea');
  await keys.type('"No"');
  await keys.tab(/Send answers/);
  await send.evaluate((button) => button.click());
  assert.equal(await told(), '');
  await keys.press('Enter');
  assert.equal(await told(), '[["SQLite"],["\\"No\\""]]');
});

test('r33_a bar alone approves several calls only by a list that shows them', async (t) => {
  const { exhibit, gallery, dialog } = await open(t, 'part-batch');
  await exhibit.getByRole('button', { name: 'Approve all' }).click();
  await dialog.locator('[part=review]').waitFor();
  assert.deepEqual(await gallery.intents(), []);
  await press(dialog.locator('[part=confirm-button]'));
  const [intent, ...others] = await gallery.intents();
  assert.deepEqual([intent.kind, intent.decision.kind, intent.requests.map(({ request }) => request), others], ['decide-all', 'approve', ['gallery/r1', 'gallery/r2', 'gallery/r3'], []]);
});

test('the history and the list of grants alone report what is wanted of them', async (t) => {
  const history = await open(t, 'part-history');
  await history.exhibit.locator('[part=toggle]').first().click();
  await history.exhibit.locator('[part=decided-by], [part=arguments]').first().waitFor();
  await history.exhibit.locator('[part=export-button]').click();
  assert.equal(await history.told(), 'the record');
  const grants = await open(t, 'part-grants');
  await grants.exhibit.locator('[part=revoke-button]').click();
  assert.equal(await grants.told(), 'g-2');
});

test('a part without its stylesheet says so in the console, and one with it does not', async (t) => {
  const context = await profile(t, site.browser);
  const heard = async (spoil) => {
    const page = await context.newPage();
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    if (spoil) await page.addInitScript(() => Object.defineProperty(ShadowRoot.prototype, 'adoptedStyleSheets', { get: () => [], set() {} }));
    await page.goto(`${site.origin}/?gallery&state=part-arguments`);
    await page.locator('countersign-part [part=arguments]').waitFor();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await page.close();
    return said.filter((text) => text.includes('stylesheet')).length;
  };
  assert.deepEqual([await heard(true), await heard(false)], [1, 0]);
});

test('the example project in Rust asks, runs what a person approves, and shows parts alone', async (t) => {
  const page = await openPage(t, await profile(t, site.browser), `${site.origin}/?example`);
  const warned = [];
  page.on('console', (message) => message.text().includes('stylesheet') && warned.push(message.text()));
  const ask = async (path) => {
    await page.getByLabel('Which file is to go?').fill(path);
    await page.getByRole('button', { name: 'Ask the agent' }).click();
  };
  const inChat = page.locator('countersign-card [part=card]');
  await ask('/srv/"a"  b.csv');
  await page.locator('call-arguments').getByText('/srv/"a"  b.csv').waitFor();
  assert.match(await page.locator('call-status [part=badge]').innerText(), /Waits for you/);
  await press(inChat.locator('[part=approve-button]'));
  await page.locator('countersign-card [data-status=approved]').waitFor();
  await page.locator('countersign-inbox [data-status=approved]').waitFor();
  // What is begun on the card is known in the inbox.
  await ask('/srv/c.csv');
  await page.locator('countersign-card [data-status=pending] [part=edit-button]').click();
  const dialog = page.locator('countersign-card dialog');
  await dialog.getByLabel('path', { exact: true }).fill('/srv/d.csv');
  await page.keyboard.press('Escape');
  await page.locator('countersign-inbox [data-note=draft]').waitFor();
  await page.locator('countersign-inbox [data-status=pending] [part=reject-button]').click();
  await page.locator('countersign-inbox [part=send-rejection-button]').click();
  await page.locator('countersign-card [data-status=rejected]').waitFor();
  assert.match(await page.locator('call-status [part=badge]').innerText(), /Rejected/);
  // What is granted in the inbox is not asked about again, until it is taken back.
  await ask('/srv/e.csv');
  const inbox = page.locator('countersign-inbox');
  await inbox.getByRole('button', { name: 'Always allow delete_file', exact: true }).click();
  await press(inbox.getByRole('dialog').locator('[part=grant-button]'));
  await page.locator('countersign-card [data-status=approved]').nth(1).waitFor();
  await ask('/srv/e.csv');
  await page.locator('countersign-card [data-status=approved]').nth(2).waitFor();
  await inbox.getByRole('button', { name: '1 permission in force' }).click();
  await inbox.getByRole('button', { name: 'Take back delete_file' }).click();
  await inbox.getByText('0 permissions in force').waitFor();
  await ask('/srv/e.csv');
  await page.locator('countersign-card [data-status=pending]').waitFor();
  assert.deepEqual(warned, []);
});
