// The plain pages of www/examples against the real frameworks.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startBackend } from './backend.mjs';
import { launch, openPage, profile } from './browser.mjs';
import { eventually } from './eventually.mjs';
import { press } from './press.mjs';
import { serveFolder } from './server.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The examples with the built package beside them. */
function stage() {
  const built = path.join(root, 'target/npm/countersign');
  if (!existsSync(built)) throw new Error('target/npm/countersign is missing: run `cargo xtask npm`');
  const folder = path.join(root, 'target/examples');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, 'www/examples'), folder, { recursive: true });
  symlinkSync(built, path.join(folder, 'countersign'), 'junction');
  writeFileSync(path.join(folder, 'index.html'), '');
  return folder;
}

/** Declares the tests of one page: a call is approved and runs, also when the page was loaded again in between. */
export function declarePlain(name) {
  let backend;
  let browser;
  let server;
  before(async () => {
    server = await serveFolder(stage());
    backend = await startBackend(name, server.origin);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await backend?.stop();
    await server?.close();
  });

  const open = async (t) => {
    const query = new URLSearchParams({ backend: backend.url, token: backend.token });
    // A conversation that has not begun is not there yet.
    const expectedErrors = [/status of 404.*\/(sessions|threads)\//];
    const address = `${server.origin}/plain-${name}.html?${query}`;
    const page = await openPage(t, await profile(t, browser), address, { expectedErrors });
    await page.locator('main > [role=status]').filter({ hasText: 'live' }).waitFor();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('delete_file', { exact: true }).first().waitFor();
    return page;
  };
  const approve = (page) => press(page.locator('[part~="approve-button"]'));
  const conversation = async (page) => new URL(await page.evaluate(() => location.href)).hash.slice(1);
  const ran = async (page) => {
    const id = await conversation(page);
    await eventually(async () =>
      assert.deepEqual(await backend.executed(id), [{ tool: 'delete_file', args: '{"path":"/srv/reports/2025.csv"}' }]),
    );
  };

  test(`${name}: a plain page asks, a person approves, the tool runs`, async (t) => {
    const page = await open(t);
    await approve(page);
    await ran(page);
  });

  test(`${name}: a plain page that was loaded again still asks`, async (t) => {
    const page = await open(t);
    await page.reload();
    await page.getByText('delete_file', { exact: true }).first().waitFor();
    await approve(page);
    await ran(page);
  });
}
