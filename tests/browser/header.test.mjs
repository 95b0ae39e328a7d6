// The header of the demo page: its list of wires, and its links.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { eventually } from './harness/eventually.mjs';
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

const list = (page) => page.getByRole('combobox', { name: 'Simulated agent' });

test('the wire is chosen with the keyboard, stands in the address, and outlives a reload', async (t) => {
  const page = await openPage(t, await profile(t, browser), `${server.origin}/?delay=0`);
  const chat = await Chat.on(page);
  await list(page).focus();
  await page.keyboard.press('ArrowDown');
  await eventually(() => assert.equal(new URL(page.url()).searchParams.get('wire'), 'kagent-hitl-v1'));
  await chat.reload();
  assert.equal(await list(page).inputValue(), 'kagent-hitl-v1');
});

test('the address chooses the wire, and the wires of one system stand together', async (t) => {
  const page = await openPage(t, await profile(t, browser), `${server.origin}/?wire=adk-plain&delay=0`);
  await Chat.on(page);
  assert.equal(await list(page).inputValue(), 'adk-plain');
  const groups = await page.locator('select[name=wire] optgroup').evaluateAll((all) => all.map(({ label }) => label));
  assert.ok(groups.includes('kagent') && groups.includes('Google ADK'), groups.join());
  assert.equal(new Set(groups).size, groups.length);
});

test('each wire has its own conversation', async (t) => {
  const page = await openPage(t, await profile(t, browser), `${server.origin}/?wire=adk-plain&delay=0`);
  const chat = await Chat.on(page);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await list(page).selectOption('kagent-0.10');
  await chat.pending(0);
  await list(page).selectOption('adk-plain');
  assert.equal((await chat.card('delete_file')).request, card.request);
});

test('nothing sticks out of the header of a narrow page', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 320, height: 700 } });
  const page = await openPage(t, context, `${server.origin}/?delay=0`);
  await Chat.on(page);
  for (const name of await page.locator('select[name=wire] option').evaluateAll((all) => all.map(({ value }) => value))) {
    await list(page).selectOption(name);
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(inner <= outer, `${name}: ${inner} > ${outer}`);
  }
});

test('a page that stands beside the documentation leads back to it, and no other does', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 320, height: 700 } });
  const link = (page) => page.getByRole('link', { name: 'Countersign, documentation' });
  const alone = await openPage(t, context, `${server.origin}/?delay=0`);
  await Chat.on(alone);
  assert.equal(await link(alone).count(), 0);
  // As `cargo xtask docs` places it.
  await context.route(`${server.origin}/?delay=0`, async (route) => {
    const response = await route.fetch();
    const page = (await response.text()).replace('</head>', '<link rel="help" href="../index.html"></head>');
    await route.fulfill({ response, body: page });
  });
  const page = await openPage(t, context, `${server.origin}/?delay=0`);
  await Chat.on(page);
  assert.equal(await link(page).getAttribute('href'), '../index.html');
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `${inner} > ${outer}`);
});
