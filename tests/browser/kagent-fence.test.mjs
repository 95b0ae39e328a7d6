// Which pages the real backend answers, seen from real pages.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { startBackend } from './harness/backend.mjs';
import { launch, openPage, profile } from './harness/browser.mjs';
import { serveFolder } from './harness/server.mjs';

let backend;
let browser;
let folder;
let foreign;
let own;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-'));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><link rel="icon" href="data:,">');
  [own, foreign] = await Promise.all([serveFolder(folder), serveFolder(folder)]);
  backend = await startBackend('kagent', own.origin);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await backend?.stop();
  await own?.close();
  await foreign?.close();
  await rm(folder, { recursive: true });
});

test('a page of the allowed origin talks to the agent', async (t) => {
  const page = await openPage(t, await profile(t, browser), own.origin);
  const answer = await page.evaluate(say, { ...backend, context: 'own', words: 'read path=/a' });
  assert.equal(answer.state, 'completed');
  assert.deepEqual(await backend.executed('own'), [{ tool: 'read_file', args: '{"path":"/a"}' }]);
});

test('r50_origin: a page of another origin makes nothing run, with the right token', async (t) => {
  const context = await profile(t, browser);
  const page = await openPage(t, context, foreign.origin, { expectedErrors: [/CORS policy/, /net::ERR_FAILED/] });
  const answer = await page.evaluate(say, { ...backend, context: 'foreign', words: 'read path=/a' });
  assert.equal(answer.error, 'TypeError');
  assert.deepEqual(await backend.executed('foreign'), []);
});

test('r50_origin: a plain request of another origin, which needs no preflight, makes nothing run', async (t) => {
  const context = await profile(t, browser);
  const page = await openPage(t, context, foreign.origin, { expectedErrors: [/403/, /ERR_/] });
  await page.evaluate(({ url }) => {
    const message = { kind: 'message', messageId: 'm', role: 'user', contextId: 'plain' };
    message.parts = [{ kind: 'text', text: 'read' }];
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
    return fetch(url, { method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body });
  }, backend);
  assert.deepEqual(await backend.executed('plain'), []);
});

test('r50_token: a page without the token is refused and can read why', async (t) => {
  const context = await profile(t, browser);
  const page = await openPage(t, context, own.origin, { expectedErrors: [/401/] });
  const answer = await page.evaluate(say, { ...backend, token: 'wrong', context: 'stranger', words: 'read path=/a' });
  assert.equal(answer.status, 401);
  assert.deepEqual(await backend.executed('stranger'), []);
});

/** Runs inside the page: sends words to the agent. */
async function say({ url, token, context, words }) {
  const message = { kind: 'message', messageId: crypto.randomUUID(), role: 'user', contextId: context };
  message.parts = [{ kind: 'text', text: words }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  try {
    const response = await fetch(url, { method: 'POST', headers, body });
    const answer = await response.json();
    return { status: response.status, state: answer.result?.status.state };
  } catch (error) {
    return { error: error.name };
  }
}
