// Pages that show other people's pages in a frame: what a person cannot see there cannot be approved.

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { eventually, pause } from './harness/eventually.mjs';
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

const kinds = (intents) => intents.map(({ kind, code, decision }) => code ?? decision?.kind ?? kind);
const inert = (button) => button.getAttribute('aria-disabled');

/** A page of another origin that holds the gallery in a frame of this style; `over` is laid over it. */
async function frame(t, style, over = '', state = 'pending') {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-frame-'));
  const held = `<iframe style="border: 0; width: 1200px; height: 800px; ${style}" src="${server.origin}/?gallery&state=${state}"></iframe>`;
  writeFileSync(path.join(folder, 'index.html'), `<!doctype html><title>Prizes</title><body style="margin: 0">${held}${over}`);
  writeFileSync(path.join(folder, 'favicon.ico'), '');
  const outer = await serveFolder(folder);
  t.after(async () => {
    await outer.close();
    rmSync(folder, { recursive: true });
  });
  const page = await openPage(t, await profile(t, browser), outer.origin);
  const inner = await eventually(async () => {
    const found = page.frames().find((one) => one.url().startsWith(server.origin));
    assert.ok(found);
    return found;
  });
  const approve = inner.locator('[part~=approve-button]').first();
  await approve.waitFor({ state: 'attached' });
  const press = async (button = approve) => {
    const { x, y, width, height } = await button.boundingBox();
    await page.mouse.click(x + width / 2, y + height / 2);
  };
  return { inner, approve, press, intents: () => inner.evaluate(() => window.countersignDemo.intents) };
}

const OVER = '<div style="position: fixed; inset: 0; background: white; pointer-events: none">You have won!</div>';
for (const [name, style, over] of [['invisible', 'opacity: 0', ''], ['faint', 'opacity: 0.01', ''], ['painted over', '', OVER]]) {
  test(`r30_a frame that another page has made ${name} approves nothing`, async (t) => {
    const { approve, press, intents } = await frame(t, style, over);
    await pause(1500);
    assert.equal(await inert(approve), 'true');
    await press();
    assert.deepEqual(kinds(await intents()), ['obstructed']);
  });
}

test('r30_a frame whose arguments another page paints over approves nothing', async (t) => {
  const { inner, approve, press, intents } = await frame(t, '', OVER.replace('inset: 0', 'inset: 0 0 auto 0; height: 0'));
  await eventually(async () => assert.equal(await inert(approve), null));
  const { y } = await inner.locator('[part~=arguments]').first().boundingBox();
  const cover = inner.page().locator('div', { hasText: 'You have won!' });
  await cover.evaluate((element, top) => (element.style.cssText += `top: ${top}px; height: 30px`), y);
  await eventually(async () => assert.equal(await inert(approve), 'true'));
  await press();
  assert.deepEqual(kinds(await intents()), ['obstructed']);
});

test('r30_a frame that can be seen approves, and asks again about what is of high risk', async (t) => {
  const { inner, approve, press, intents } = await frame(t, '', '', 'pending');
  await eventually(async () => assert.equal(await inert(approve), null));
  await press();
  await eventually(async () => assert.deepEqual(kinds(await intents()), ['approve']));
  const risk = { level: 'high', reasons: [{ source: 'host', code: 'host-rule', message: 'production' }] };
  await inner.evaluate((view) => window.countersignDemo.show([view]), { key: 9, tool: 'run', argsText: '{}', risk });
  await eventually(async () => assert.equal(await inert(approve), null));
  await press();
  const confirm = inner.locator('[part=confirm-button]');
  await confirm.waitFor();
  await eventually(async () => assert.equal(await inert(confirm), null));
  await press(confirm);
  await eventually(async () => assert.deepEqual(kinds(await intents()), ['approve', 'approve']));
});

test('r30_a page that holds itself in a smaller frame still approves', async (t) => {
  const { page } = await openGallery(t, await profile(t, browser), server.origin, 'state=pending');
  await page.evaluate(() => {
    const frame = Object.assign(document.createElement('iframe'), { src: location.href });
    frame.style.cssText = 'width: 1200px; height: 800px; transform: scale(0.9); transform-origin: 0 0';
    document.body.replaceChildren(frame);
  });
  const approve = page.frameLocator('iframe').locator('[part~=approve-button]').first();
  await eventually(async () => assert.equal(await inert(approve), null));
});

test('r30_what becomes faint, turned or hidden is inert until it can be seen again', async (t) => {
  const gallery = await openGallery(t, await profile(t, browser), server.origin, 'state=pending');
  await gallery.show([{ tool: 'delete_file', argsText: '{"path":"/tmp/x"}' }]);
  const host = gallery.exhibit('shown').locator('countersign-inbox');
  const approve = gallery.exhibit('shown').locator('[part=approve-button]');
  for (const style of ['opacity: 0.05', 'filter: blur(6px)', 'transform: rotate(1deg)', 'clip-path: inset(0 0 50% 0)', 'mix-blend-mode: difference']) {
    await eventually(async () => assert.equal(await inert(approve), null, style));
    await approve.focus();
    await host.evaluate((element, css) => (element.style.cssText = `display: block; ${css}`), style);
    await eventually(async () => assert.equal(await inert(approve), 'true', style));
    await gallery.page.keyboard.press('Enter');
    await host.evaluate((element) => (element.style.cssText = ''));
  }
  assert.deepEqual([...new Set(kinds(await gallery.intents()))], ['obstructed']);
});
