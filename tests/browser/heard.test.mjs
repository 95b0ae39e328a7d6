// What a person who does not see the card is told, and when.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openPage, profile } from './harness/browser.mjs';
import { CALL, SLOW, kinds, openCards } from './harness/cards.mjs';
import { demo } from './harness/demo.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';

const site = demo();

const RISK = { level: 'high', reasons: [{ source: 'host', code: 'host-rule', message: 'more than 5,000 at once' }] };
const PAY = { tool: 'pay', argsText: '{"to":"DE00","amount":2512292042121000001.10}', risk: RISK };

/** What is heard after the name of an element: the text of everything that describes it, in the order in which it is named. */
const described = (element) => element.evaluate((node) => {
  const ids = (node.getAttribute('aria-describedby') ?? '').split(/\s+/);
  return ids.map((id) => node.getRootNode().getElementById(id)?.innerText ?? '').join(' ').replace(/\s+/g, ' ').trim();
});

/** Everything that the region said, in order. */
const listen = (region) => region.evaluate((node) => {
  window.said = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const added of addedNodes) if (added.nodeType === Node.TEXT_NODE) window.said.push(added.data);
  }).observe(node, { childList: true, subtree: true });
});

test('r47_what runs, and why it needs care, is heard with the button that approves', async (t) => {
  const { button, card } = await openCards(t, site, [CALL, { ...PAY, changed: true }]);
  assert.equal(await described(button('approve')), 'path /tmp/x');
  const heard = await described(button('approve', 1));
  assert.match(heard, /^This call changed .* High risk Rule of this app: more than 5,000 at once to DE00 amount 2512292042121000001\.10$/);
  // The exact text, once that is shown.
  await card(1).getByRole('button', { name: 'Raw' }).click();
  await eventually(async () => assert.ok((await described(button('approve', 1))).endsWith(PAY.argsText)));
});

test('r18_letters that look like others are heard with the button that approves', async (t) => {
  const { button } = await openCards(t, site, [{ ...CALL, tool: 'p\u0430y' }]);
  assert.match(await described(button('approve')), /U\+0430/);
});

test('r47_what asks a second time is described by what it warns of, and its button by what runs', async (t) => {
  const { armed, button, card } = await openCards(t, site, [PAY]);
  await armed();
  await button('approve').click();
  const dialog = card().getByRole('alertdialog');
  assert.equal(await described(dialog), 'High risk Rule of this app: more than 5,000 at once');
  assert.match(await described(dialog.locator('[part=confirm-button]')), /^High risk .* to DE00 amount 2512292042121000001\.10$/);
});

test('r25_what was changed is heard with the button that approves it', async (t) => {
  const { button, card } = await openCards(t, site, [{ ...CALL, offers: ['approve', 'edit', 'reject'].map((kind) => ({ kind, reason: 'none' })) }]);
  await button('edit').click();
  const dialog = card().getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'path' }).fill('/tmp/y');
  assert.ok((await described(dialog.locator('[part=send-edit-button]'))).endsWith(`path: "/tmp/x" path: "/tmp/y"`));
});

test('r47_the name of the tool is a heading, by which one goes from card to card', async (t) => {
  const { gallery } = await openCards(t, site, [CALL, PAY]);
  const headings = gallery.exhibit('shown').locator('[part=inbox]').getByRole('heading', { level: 2 });
  await eventually(async () => assert.deepEqual(await headings.allInnerTexts(), ['delete_file', 'pay']));
});

test('r27_a press that came too soon is answered, and nothing is said once the button acts', async (t) => {
  const { page, button, armed, inert, intents } = await openCards(t, site, [CALL], SLOW);
  const said = button('approve').locator('xpath=following-sibling::*[1][@aria-live="polite"]');
  await button('approve').focus();
  assert.equal(await said.textContent(), '');
  await inert();
  await page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await said.textContent(), 'Ready in a moment'));
  assert.deepEqual(await intents(), []);
  const [bubble, approve] = [await said.boundingBox(), await button('approve').boundingBox()];
  assert.ok(bubble.height > 12 && bubble.y + bubble.height <= approve.y, 'it is seen, and covers no button');
  await armed();
  assert.equal(await said.textContent(), '');
  assert.deepEqual(await button('approve').boundingBox(), approve);
  await page.keyboard.press('Enter');
  await eventually(async () => assert.deepEqual(kinds(await intents()), ['approve']));
});

test('r46_arguments that changed while they waited are announced, once', async (t) => {
  const { gallery } = await openCards(t, site, [CALL]);
  const region = gallery.exhibit('shown').locator('[part=live]');
  await region.getByText('1 call waits: delete_file').waitFor({ state: 'attached' });
  await listen(region);
  const changed = { ...CALL, argsText: '{"path":"/"}', changed: true };
  await gallery.show([changed]);
  const words = 'delete_file: This call changed while it waited. Look again';
  await region.getByText(words).waitFor({ state: 'attached' });
  await gallery.show([changed, { ...PAY, key: 9, id: 'g/r9', request: 'r9' }]);
  const arrived = '1 more call waits, 2 in all: pay';
  await region.getByText(arrived).waitFor({ state: 'attached' });
  assert.deepEqual(await gallery.page.evaluate(() => window.said), [words, arrived]);
});

test('r46_what was said is taken away before it is wrong', async (t) => {
  const context = await profile(t, site.browser);
  await context.clock.install();
  const gallery = await openGallery(t, context, site.origin, 'state=pending');
  await gallery.show([{ ...CALL, askedAt: 0, expiresAt: 200_000 }], { now: 165_000 });
  const shown = gallery.exhibit('shown');
  await shown.locator('[part=live]').getByText('1 call waits').waitFor({ state: 'attached' });
  await shown.locator('[part=alert]').getByText('35 s left').waitFor({ state: 'attached' });
  await context.clock.runFor(12_000);
  await eventually(async () => assert.equal(await shown.locator('[part=live]').textContent(), ''));
  assert.equal(await shown.locator('[part=alert]').count(), 0);
});

test('r46_nothing empty is read out as a status', async (t) => {
  const gallery = await openGallery(t, await profile(t, site.browser), site.origin);
  const texts = await gallery.page.locator('[role=status]').allInnerTexts();
  assert.deepEqual(texts.filter((text) => text.trim() === ''), []);
  assert.ok((await gallery.page.locator('[aria-live=polite]').count()) > 0);
});

test('r46_no sign that parts what is seen is read out by its name', async (t) => {
  const gallery = await openGallery(t, await profile(t, site.browser), site.origin);
  const names = await gallery.page.locator('[part=inbox] [aria-label]').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  assert.ok(names.length > 100);
  assert.deepEqual(names.filter((name) => name.includes(' · ')), []);
});

test('r46_the name of a card stays the same while its time runs', async (t) => {
  const now = Date.now();
  const { card } = await openCards(t, site, [{ ...CALL, askedAt: now, expiresAt: now + 600_000 }]);
  const badge = card().locator('[part=badge]');
  const first = await badge.innerText();
  await eventually(async () => assert.notEqual(await badge.innerText(), first));
  assert.equal(await card().getAttribute('aria-label'), 'delete_file: Waits for you');
});

test('r46_chat: what the agent says is read out', async (t) => {
  const page = await openPage(t, await profile(t, site.browser), `${site.origin}/?delay=0&wire=kagent-0.10`);
  const log = page.getByRole('log', { name: 'Conversation' });
  await log.waitFor({ state: 'attached' });
  await page.locator('#message').fill('hello');
  await page.locator('#message').press('Enter');
  await log.locator('[data-role=agent]').first().waitFor();
});

test('r46_chat: what was said stays as it is, so only what is new is read out, and by whom', async (t) => {
  const page = await openPage(t, await profile(t, site.browser), `${site.origin}/?delay=0&wire=kagent-0.10`);
  const items = page.getByRole('log', { name: 'Conversation' }).getByRole('listitem');
  const say = async (words, count) => {
    await page.locator('#message').fill(words);
    await page.locator('#message').press('Enter');
    await eventually(async () => assert.equal(await page.locator('[data-role=agent]').count(), count));
  };
  await say('read path=/srv/a', 2);
  const before = await items.evaluateAll((all) => all.map((item) => (item.isKnown = true)).length);
  await say('read path=/srv/b', 4);
  const found = await items.evaluateAll((all) => all.map(({ isKnown, innerText }) => [isKnown === true, innerText.split(/\s/)[0]]));
  assert.deepEqual(found.map(([isKnown]) => isKnown), found.map((_, at) => at < before));
  assert.deepEqual(found.map(([, who]) => who), ['You:', 'Agent:', 'Agent:', 'You:', 'Agent:', 'Agent:']);
});

test('r47_what is allowed from now on is heard with the button that allows it', async (t) => {
  const { page } = await openGallery(t, await profile(t, site.browser), site.origin, 'state=granted,offer-scopes');
  const heard = async (state) => {
    await page.locator(`section[data-state="${state}"] [part~=always-button]`).click();
    const text = await described(page.locator('dialog[open] [part~=grant-button]'));
    await page.keyboard.press('Escape');
    return text;
  };
  assert.match(await heard('granted'), /^What you allow Calls of send_newsletter .* With exactly these arguments: list all-customers/);
  assert.match(await heard('offer-scopes'), /^The agent’s side remembers this, not this page\./);
});
