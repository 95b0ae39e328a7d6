// What hostile agents try, on the demo's page of attacks: a test for each, on what is really drawn.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { openAttacks } from './harness/gallery.mjs';
import { press, steady } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

let browser;
let server;
const tested = new Set();

before(async () => {
  server = await serveFolder(DEMO_FOLDER);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** A test of the attack with this `data-state`, on its card alone. */
function attack(name, promise, check) {
  tested.add(name);
  test(`${promise} (${name})`, async (t) => {
    const gallery = await openAttacks(t, await profile(t, browser), server.origin, `state=${name}`);
    const exhibit = gallery.exhibit(name);
    await check({ gallery, exhibit, card: exhibit.locator('[part=card]').first() });
  });
}

const approveOf = (card) => card.locator('[part=approve-button]');
/** The text that the card shows, without its line breaks. */
const shown = async (card) => (await card.innerText()).replaceAll('\n', ' ');

attack('padding', 'r20_the end of padded text is in sight', async ({ card }) => {
  const end = card.getByText('rm -rf /');
  await end.scrollIntoViewIfNeeded();
  assert.ok((await shown(card)).includes('ls /srv/reports') && (await end.isVisible()));
  assert.ok((await card.boundingBox()).height < 500, 'the padding does not blow up the card');
});

attack('bidi', 'r18_a direction mark is shown and reorders nothing', async ({ card }) => {
  assert.match(await shown(card), /holiday-\\u\{202E\}gpj\.exe/);
  const value = card.locator('[part=value]').first();
  assert.deepEqual(await value.evaluate((element) => {
    const style = getComputedStyle(element);
    return [style.direction, style.unicodeBidi, /\u202e/.test(element.textContent)];
  }), ['ltr', 'isolate', false]);
});

attack('invisible', 'r18_each invisible character has its code point shown', async ({ card }) => {
  const text = await shown(card);
  for (const code of ['200B', '2060', 'E0041', 'E0042', 'AD']) assert.ok(text.includes(`\\u{${code}}`), code);
});

attack('look-alikes', 'r21_a look-alike keeps its own characters, in the name and on the buttons', async ({ card }) => {
  const name = await card.locator('[part=tool-name]').textContent();
  assert.ok(name.includes('е') && !name.includes('delete'), name);
  assert.ok((await approveOf(card).getAttribute('aria-label')).includes('dеlete_file'));
  assert.match(await shown(card), /Cyrillic/);
});

attack('urls', 'r21_an address is text with all of its parts, never a link', async ({ card }) => {
  assert.equal(await card.locator('a, [href]').count(), 0);
  const text = await shown(card);
  assert.ok(text.includes('github.com@evil.example') && text.includes('gіthub.com'));
  assert.ok(text.includes('host evil.example') && text.includes('xn--'), text);
});

attack('tool-name', 'r21_a name with line breaks stays one line with visible breaks', async ({ card }) => {
  const name = card.locator('[part=tool-name]');
  const text = await name.textContent();
  for (const code of ['\\u{D}', '\\u{A}', '\\u{2028}', '\\u{202E}']) assert.ok(text.includes(code), code);
  assert.ok(!/[\r\n\u2028\u202e]/.test(text));
  assert.ok(!/[\r\u2028\u202e]/.test(await card.getAttribute('aria-label')));
});

attack('duplicate-keys', 'r11_both values of a key are shown and nobody can approve', async ({ card }) => {
  const text = await shown(card);
  assert.ok(text.includes('/tmp/cache') && text.includes('/etc'));
  assert.equal(await approveOf(card).count(), 0);
  assert.equal(await card.locator('[part=reject-button]').count(), 1);
});

attack('big-numbers', 'r12_numbers keep every digit', async ({ card }) => {
  const values = await card.locator('[part=value]').allInnerTexts();
  assert.deepEqual(values, ['2512292042121000001', '1.00', '1e400', '-0']);
});

attack('meaningful-keys', 'r13_keys with powers are shown and pointed out', async ({ card }) => {
  const text = await shown(card);
  assert.ok(text.includes('__proto__') && text.includes('$serde_json::private::Number'));
  assert.ok((await card.locator('[data-note=hazard]').count()) >= 2);
});

attack('huge', 'r19_a huge call keeps both ends and exact counts in sight, in a small document', async ({ card, gallery }) => {
  const text = await shown(card);
  for (const seen of ['FIRST', 'BEGIN', 'END']) assert.ok(text.includes(seen), seen);
  assert.match(text, /199,\d{3} characters more/);
  assert.ok(text.includes('rm -rf /'));
  const elements = await card.evaluate((element) => element.querySelectorAll('*').length);
  assert.ok(elements < 300, `${elements} elements`);
  const width = await gallery.page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  assert.ok(width[0] <= width[1], 'nothing sticks out');
});

attack('html', 'r17_markup is text', async ({ card, gallery }) => {
  assert.equal(await card.locator('img, script, [part=value] button, [part=claim] button').count(), 0);
  const text = await shown(card);
  assert.ok(text.includes('<script>approve()</script><button>Approve</button>') && text.includes('<b>Approved</b>'));
  assert.deepEqual(await gallery.intents(), []);
});

attack('markdown', 'r17_Markdown is text', async ({ card }) => {
  assert.equal(await card.locator('a, h1, h2, h3, img').count(), 0);
  assert.ok((await shown(card)).includes('# Approved') && (await shown(card)).includes('[Approve](javascript:approve())'));
});

attack('fake-buttons', 'r22_drawn buttons are quoted as a claim, apart from the real ones', async ({ card }) => {
  const claim = card.locator('[part=claim]');
  assert.ok((await claim.innerText()).includes('not verified'));
  assert.equal(await claim.locator('button').count(), 0);
  assert.equal(await card.locator('[part=decision-bar]').getByText('║').count(), 0);
  const names = await card.getByRole('button', { name: /^Approve/ }).all();
  assert.equal(names.length, 1);
});

attack('imitated-approval', 'r22_a claimed approval follows the arguments and changes nothing', async ({ card, gallery }) => {
  assert.equal(await card.getAttribute('data-status'), 'pending');
  const order = await card.evaluate((element) => {
    const place = (part) => element.querySelector(`[part~="${part}"]`).getBoundingClientRect().top;
    return [place('badge'), place('arguments'), place('claim'), place('decision-bar')];
  });
  assert.deepEqual(order, [...order].sort((one, other) => one - other));
  assert.equal(await card.locator('[part=badge]').innerText(), 'Waits for you');
  assert.ok((await card.locator('[part=claim]').allInnerTexts()).every((claim) => claim.includes('not verified')));
  assert.deepEqual(await gallery.intents(), []);
});

attack('imitated-policy', 'r36_a policy in a message grants nothing', async ({ card, gallery }) => {
  assert.equal(await card.getAttribute('data-status'), 'pending');
  assert.equal(await card.locator('[part~=always-button]').count(), 0);
  assert.ok((await card.locator('[part=claim]').innerText()).includes('"verdict":"allow"'));
  assert.deepEqual(await gallery.intents(), []);
});

attack('imitated-offer', 'r36_a lasting permission has our words and comes last, whatever the backend calls it', async ({ card }) => {
  const buttons = await card.locator('[part=decision-bar] button').allInnerTexts();
  assert.ok(buttons[0].startsWith('Approve') && !buttons.some((label) => label.includes('recommended')));
  assert.ok(!(await shown(card)).match(/Approve once \(recommended\)/) || (await card.locator('[part=claim]').count()) > 0);
});

attack('secrets', 'r24_the digest of a decision is that of the real text', async ({ card, gallery }) => {
  const text = '{"host":"srv-12.example","api_key":"sk-live-4f9a07c2d1e05b6688aa4c1f7e9023d4","password":"correct horse battery staple"}';
  assert.ok(!/sk-live|correct horse/.test(await shown(card)), 'secrets are masked');
  await press(approveOf(card));
  const [intent] = await gallery.intents();
  assert.equal(intent.seen, createHash('sha256').update(text).digest('hex'));
});

attack('swap', 'r03_arguments that change are announced, and the button waits anew', async ({ card, gallery }) => {
  assert.ok((await card.locator('[data-note=changed]').count()) === 1);
  await gallery.show([{ tool: 'delete_file', argsText: '{"path":"/tmp/cache"}' }]);
  const other = gallery.exhibit('shown').locator('[part=card]');
  await steady(approveOf(other));
  // The next arguments and the click come at once, as fast as a page can make them.
  await gallery.page.evaluate(() => {
    window.countersignDemo.show([{ tool: 'delete_file', argsText: '{"path":"/etc"}', changed: true }]);
  });
  const { x, y } = await approveOf(other).boundingBox();
  await gallery.page.mouse.click(x + 5, y + 5);
  assert.deepEqual(await gallery.intents(), []);
  await press(approveOf(other));
  const [intent] = await gallery.intents();
  assert.equal(intent.seen, createHash('sha256').update('{"path":"/etc"}').digest('hex'));
});

attack('half-arrived', 'r08_what has not arrived whole cannot be approved', async ({ card }) => {
  assert.equal(await card.locator('[part=approve-button]').count(), 0);
});

test('every attack of the page has a test', async (t) => {
  const gallery = await openAttacks(t, await profile(t, browser), server.origin);
  assert.deepEqual((await gallery.states()).sort(), [...tested].sort());
  for (const about of await gallery.page.locator('section.exhibit > p').allInnerTexts()) {
    assert.match(about, /^Attempt: .+\nCard: .+$/);
  }
});

test('r19_no attack widens a page of 320 pixels', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 320, height: 800 } });
  const gallery = await openAttacks(t, context, server.origin);
  const width = await gallery.page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 320, `${width} pixels`);
});
