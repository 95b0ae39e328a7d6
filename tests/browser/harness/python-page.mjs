// The pages of www/examples that are written in Python, each with its agent in the same process.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { freePort } from '../../support/port.mjs';
import { launch, openPage } from './browser.mjs';
import { eventually } from './eventually.mjs';
import { press } from './press.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PATIENCE = 60_000;

/** The example with the built package in it, in a folder of its own. */
function stage(name) {
  const built = path.join(root, 'target/npm/countersign');
  if (!existsSync(built)) throw new Error('target/npm/countersign is missing: run `cargo xtask npm`');
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-'));
  cpSync(path.join(root, 'www/examples', name), folder, { recursive: true });
  cpSync(built, path.join(folder, 'static/countersign'), { recursive: true });
  return folder;
}

/** The page as a process; `stop()` ends it, and `start()` begins it again at the same address. */
class Page {
  #folder;
  #python;
  #command;
  #child;
  // A test run that ends early must not leave it behind.
  #kill = () => this.#child?.kill('SIGKILL');

  constructor(name, { python, command }) {
    this.#python = process.env[python];
    if (!this.#python) throw new Error(`${python} is not set: it names the Python that has the packages of the example`);
    this.#command = command;
    this.#folder = stage(name);
  }

  async start(more = {}) {
    this.port ??= await freePort();
    this.origin = `http://127.0.0.1:${this.port}`;
    const env = { ...process.env, HAYSTACK_TELEMETRY_ENABLED: 'False', PORT: String(this.port), ...more };
    const child = spawn(this.#python, this.#command(this.port), { cwd: this.#folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    process.once('exit', this.#kill);
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
    await eventually(async () => {
      assert.equal(child.exitCode, null, said);
      assert.equal((await fetch(this.origin)).status, 200);
    }, PATIENCE);
  }

  async stop() {
    process.removeListener('exit', this.#kill);
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#kill();
    await gone;
  }

  /** Ends it for good. */
  async end() {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const TRANSFERRED = 'Transferred 1250.5 to DE02 under 2512292042121000001.';
const card = (page, tool) => page.locator('[part~=card]').filter({ hasText: tool });
const status = (page, tool, word) => card(page, tool).and(page.locator(`[data-status=${word}]`));
const heard = (page, words) => page.getByText(`I heard: ${words}`, { exact: true });

async function say(page, words) {
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.fill(words);
  await field.press('Enter');
}

const approve = (page, tool) => press(card(page, tool).locator('[part~="approve-button"]'), { timeout: 30_000 });

async function edit(shown, field, value) {
  await shown.locator('[part~=edit-button]').click();
  const dialog = shown.getByRole('dialog');
  await dialog.getByLabel(field, { exact: true }).fill(value);
  await press(dialog.locator('[part~=send-edit-button]'), { timeout: 30_000 });
}

/** Sends a body as if the inbox had written it; the status with which it was refused, else `taken`. */
function send(page, body) {
  return page.locator('countersign-inbox').evaluate((element, text) => {
    const { promise, resolve } = Promise.withResolvers();
    const respondWith = (delivery) => delivery.then(() => resolve('taken'), (error) => resolve(error.status));
    element.dispatchEvent(new CustomEvent('countersign-send', { detail: { id: crypto.randomUUID(), body: text, respondWith } }));
    return promise;
  }, body);
}

/** The id of the only request, as the wire has it. */
function requestId(page) {
  return eventually(() => page.locator('countersign-inbox').evaluate(({ inbox }) => /[0-9a-f-]{32,}/.exec(inbox.requests()[0].id)[0]));
}

/** Waits until all of the wasm is there that the page loads behind its first card. */
async function complete(page) {
  await page.locator('countersign-inbox').evaluate(async ({ inbox }) => {
    const [{ offers, argsSchema }] = inbox.requests();
    const parts = ['deciding', 'rest', ...(offers.some(({ kind }) => kind === 'edit') ? ['editing'] : []), ...(argsSchema ? ['schema'] : [])];
    const isThere = (part) => performance.getEntriesByType('resource').some(({ name }) => name.endsWith(`_${part}.wasm`));
    while (!parts.every(isThere)) await new Promise((resolve) => setTimeout(resolve, 100));
  });
}

/** Keeps the body of the next decision. */
function overhear(page) {
  return page.locator('countersign-inbox').evaluate((element) => {
    window.body = new Promise((resolve) => element.addEventListener('countersign-send', ({ detail }) => resolve(detail.body), { once: true }));
  });
}

/** The code of the answer to a page whose name resolves to this machine. */
function foreignHost(port) {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, headers: { host: `elsewhere.test:${port}` } });
    sent.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject).end();
  });
}

/**
 * Declares what must hold of one page, which runs with the Python in the variable `python`, with the packages in `pinned`.
 * `right(id)` approves a request; `wrong(id)`: answers that do not fit, each with the status of its refusal; `unknown`: the
 * status for an answer to a request that this conversation never had; `edits`: arguments can be edited.
 */
export function declarePage(name, { right, wrong, unknown, edits = false, pinned, ...how }) {
  let browser;
  let server;
  /** One for all tests, and one for what is of another person. */
  let own;
  let others;
  before(async () => {
    server = new Page(name, how);
    [browser] = await Promise.all([launch(), server.start()]);
    [own, others] = await Promise.all([browser.newContext(), browser.newContext()]);
  });
  after(async () => {
    await browser?.close();
    await server?.end();
  });

  const open = async (t, context = own, address = server.origin) => {
    // While the server is away.
    const expectedErrors = [/ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|when disconnected from server/];
    // These pages load megabytes before they begin.
    context.setDefaultTimeout(30_000);
    const page = await openPage(t, context, address, { expectedErrors });
    t.after(() => page.close());
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    // Before NiceGUI has shaken hands, words and the Enter behind them may arrive in another order.
    await page.waitForFunction(() => window.did_handshake ?? true);
    return page;
  };

  test(`${name}: a call waits, also after a reload, and runs as it was shown once it is approved`, async (t) => {
    const page = await open(t);
    await say(page, 'transfer');
    await status(page, 'transfer_funds', 'pending').waitFor();
    await page.reload();
    await status(page, 'transfer_funds', 'pending').waitFor();
    assert.match(await card(page, 'transfer_funds').innerText(), /"?DE02"?[^]*1250\.5[^]*2512292042121000001/, 'every digit is shown');
    await approve(page, 'transfer_funds');
    await heard(page, TRANSFERRED).waitFor();
    await status(page, 'transfer_funds', 'completed').waitFor();
    await page.reload();
    await status(page, 'transfer_funds', 'completed').waitFor();
    assert.equal(await page.locator('[part~=approve-button]').count(), 0);
  });

  test(`${name}: of two calls one is rejected, and the model hears why${edits ? '; the other runs as it was edited' : ''}`, async (t) => {
    const page = await open(t);
    await say(page, 'delete and transfer');
    await card(page, 'delete_file').getByRole('button', { name: 'Reject delete_file' }).click();
    await card(page, 'delete_file').getByRole('textbox', { name: /^Reason/ }).fill('still needed');
    await card(page, 'delete_file').getByRole('button', { name: /^Send rejection/ }).click();
    if (edits) await edit(card(page, 'transfer_funds'), 'amount', '7.25');
    else await approve(page, 'transfer_funds');
    const answer = page.getByText(/^I heard: /);
    await answer.waitFor();
    assert.match(await answer.innerText(), /still needed/);
    assert.ok((await answer.innerText()).endsWith(edits ? TRANSFERRED.replace('1250.5', '7.25') : TRANSFERRED));
    assert.doesNotMatch(await answer.innerText(), /Deleted/);
    await status(page, 'delete_file', 'rejected').waitFor();
  });

  test(`${name}: r50 what does not fit is refused, and of two tabs the first counts`, async (t) => {
    const one = await open(t);
    await say(one, 'transfer');
    await status(one, 'transfer_funds', 'pending').waitFor();
    // Not beside the first: tabs of one browser tell one another.
    const other = await open(t, others, one.url());
    await status(other, 'transfer_funds', 'pending').waitFor();
    for (const [body, expected] of [['nonsense', 422], ['[]', 422], ...wrong(await requestId(other))]) assert.equal(await send(other, body), expected, body);
    await status(one, 'transfer_funds', 'pending').waitFor();
    await overhear(one);
    await approve(one, 'transfer_funds');
    await heard(other, TRANSFERRED).waitFor();
    await status(other, 'transfer_funds', 'completed').waitFor();
    const body = await one.evaluate(() => window.body);
    for (const page of [other, one]) assert.equal(await send(page, body), 409);
    assert.equal(await heard(one, TRANSFERRED).count(), 1);
  });

  test(`${name}: r50 what nobody decides in time does not run, nor what a restarted server has forgotten`, async (t) => {
    const page = await open(t);
    await say(page, 'delete');
    await status(page, 'delete_file', 'pending').waitFor();
    // What a page still loads would break off.
    await complete(page);
    await server.stop();
    await server.start({ APPROVAL_SECONDS: '1' });
    const again = await open(t, others);
    await say(again, 'delete');
    const id = await requestId(again);
    await again.getByText(/^I heard: .*Nobody decided in time/).waitFor();
    await status(again, 'delete_file', 'pending').waitFor({ state: 'detached' });
    assert.equal(await send(again, right(id)), 409);
    assert.equal(await again.getByText(/Deleted/).count(), 0);
    // It stayed open, and comes back by itself.
    await eventually(async () => assert.equal(await status(page, 'delete_file', 'pending').count(), 0), PATIENCE);
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    await page.locator('countersign-inbox').waitFor();
    // Another conversation's.
    assert.equal(await send(page, right(id)), unknown);
  });

  test(`${name}: r50 a foreign name of this machine reaches nothing`, async () => {
    assert.ok([400, 403].includes(await foreignHost(server.port)));
  });

  test(`${name}: what the page installs is what is tried here`, () => {
    const read = (file) => readFileSync(path.join(root, file), 'utf8').split('\n').filter((line) => /^\w.*==/.test(line));
    const tried = read(pinned);
    for (const line of read(`www/examples/${name}/requirements.txt`)) assert.ok(tried.includes(line), line);
  });
}
