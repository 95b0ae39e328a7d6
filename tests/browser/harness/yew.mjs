// The plain page in Rust (`?plain`) against the real frameworks: a conversation over a transport of countersign-connect.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startLastingBackend } from './backend.mjs';
import { openPage, profile } from './browser.mjs';
import { demo } from './demo.mjs';
import { eventually } from './eventually.mjs';
import { press } from './press.mjs';

const RAN = [{ tool: 'delete_file', args: '{"path":"/srv/reports/2025.csv"}' }];

const approve = (page) => press(page.locator('[part~="approve-button"]'));
const status = (page, word) => page.locator(`[part~=card][data-status=${word}]`);
const conversation = (page) => new URL(page.url()).searchParams.get('conversation');

/**
 * Declares the tests of one wire; `isFollowed`: the page hears by itself what happens elsewhere; `isLasting`: what waits outlives a
 * restart of the backend; `isKept`: a run goes on when its page is gone; `system`: the one of the demo page that speaks this wire,
 * if it has another name than the backend; `path`: of the agent, where a backend has several.
 */
export function declareYew(name, { wire, system = name, path = '', isFollowed = false, isLasting = false, isKept = false } = {}) {
  const stage = demo(name);
  const title = system === name ? (wire ?? name) : name;

  const open = async (t, { url, token } = stage.backend, begun, more = {}, words = undefined) => {
    const query = new URLSearchParams({ plain: '', backend: system, url: url + path, token, ...more });
    if (wire) query.set('wire', wire);
    if (begun) query.set('conversation', begun);
    // A conversation that has not begun is not there yet, and a backend may be away.
    const expectedErrors = [/status of (404|409)/, /ERR_CONNECTION|WebSocket|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE/];
    const page = await openPage(t, await profile(t, stage.browser), `${stage.origin}/?${query}`, { expectedErrors });
    await page.locator('main > [role=status]').filter({ hasText: 'live' }).waitFor();
    if (begun) return page;
    if (words) await page.getByRole('textbox', { name: 'Message' }).fill(words);
    await page.getByRole('button', { name: 'Send' }).click();
    await status(page, 'pending').waitFor();
    return page;
  };
  const ran = (page, backend = stage.backend) => eventually(async () => assert.deepEqual(await backend.executed(conversation(page)), RAN));

  test(`${title}: a page in Rust asks, a person approves, the tool runs`, async (t) => {
    const page = await open(t);
    await approve(page);
    await ran(page);
    await status(page, 'completed').waitFor();
  });

  test(`${title}: a page in Rust that was loaded again still asks, and then knows what came of it`, async (t) => {
    const page = await open(t);
    await page.reload();
    await status(page, 'pending').waitFor();
    await approve(page);
    await ran(page);
    await status(page, 'completed').waitFor();
    await page.reload();
    await page.locator('main > [role=status]').filter({ hasText: 'live' }).waitFor();
    assert.equal(await page.locator('[part~="approve-button"]').count(), 0);
  });

  test(`${title}: of two pages in Rust the first decides, and the second sends nothing`, async (t) => {
    const late = await open(t);
    const first = await open(t, stage.backend, conversation(late));
    await approve(first);
    await ran(first);
    if (!isFollowed) await approve(late);
    await eventually(async () => assert.equal(await late.locator('[part~="approve-button"]').count(), 0));
    await ran(late);
  });

  test(`${title}: a rejection that could still be undone leaves when a page in Rust goes out of sight`, async (t) => {
    const page = await open(t, stage.backend, undefined, { hold: '600000' });
    await page.locator('[part~="reject-button"]').click();
    const send = page.locator('[part~="send-rejection-button"]');
    await send.or(status(page, 'drafted')).first().waitFor();
    if (await send.count()) await send.click();
    await status(page, 'drafted').waitFor();
    await page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await status(page, 'rejected').waitFor();
    assert.deepEqual(await stage.backend.executed(conversation(page)), []);
  });

  if (isKept) {
    test(`${title}: a page in Rust that is loaded again while a tool runs hears what came of it`, async (t) => {
      const page = await open(t, stage.backend, undefined, {}, 'delete path=/slow');
      await approve(page);
      await eventually(async () => assert.equal((await stage.backend.executed(conversation(page))).length, 1));
      await page.reload();
      await status(page, 'completed').waitFor();
      assert.equal((await stage.backend.executed(conversation(page))).length, 1);
    });
  }

  if (!isLasting) return;
  test(`${title}: while the agent is away a page in Rust loses no decision`, async (t) => {
    const backend = await startLastingBackend(t, name, stage.origin);
    const page = await open(t, backend);
    await backend.stop();
    await approve(page);
    await page.locator('[part~="retry-button"]').waitFor();
    await backend.start();
    await press(page.locator('[part~="retry-button"]'));
    await ran(page, backend);
    await status(page, 'completed').waitFor();
  });
}
