// The harness itself: what it serves, and that nothing that goes wrong in a page stays unseen.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

import { launch, openPage, profile } from './harness/browser.mjs';
import { eventually } from './harness/eventually.mjs';
import { serveFolder } from './harness/server.mjs';

const EMPTY_MODULE = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0);

let browser;
let folder;
let server;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'countersign-'));
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><link rel="icon" href="data:,"><h1>Here</h1>');
  await writeFile(path.join(folder, 'empty.wasm'), EMPTY_MODULE);
  server = await serveFolder(folder, { headers: { 'content-security-policy': "script-src 'self'" } });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, { recursive: true });
});

test('files come with their type and the extra headers', async () => {
  const page = await fetch(`${server.origin}/?wire=kagent-0.10`);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.equal(page.headers.get('content-security-policy'), "script-src 'self'");
  const wasm = await fetch(`${server.origin}/empty.wasm`);
  assert.equal(wasm.headers.get('content-type'), 'application/wasm');
  assert.deepEqual(new Uint8Array(await wasm.arrayBuffer()), EMPTY_MODULE);
});

test('nothing outside of the folder is served', async () => {
  for (const address of ['/../package.json', '/%2e%2e/package.json', '/..%2fpackage.json', '/nothing.js', '/%ff']) {
    assert.equal(await status(address), 404, address);
  }
});

/** Tests whose first runs are written down in a file: one of two that are called alike passes at the second. */
const UNSTEADY = String.raw`
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
const runs = new URL('runs.txt', import.meta.url);
const count = (name) => {
  appendFileSync(runs, name + '\n');
  return readFileSync(runs, 'utf8').split('\n').filter((line) => line === name).length;
};
test('steady', () => void count('steady'));
test('alike (a|b)', () => assert.equal(count('first'), 2));
describe('within', () => {
  test('alike (a|b)', () => void count('second'));
  test('never', () => assert.equal(count('never'), 0));
});
`;

/** Runs files of tests as the runners do, `run` being the code that does; returns the exit code and the last lines. */
async function runFiles(name, run, lines) {
  const runner = path.join(folder, name);
  await writeFile(runner, `
    import { Files } from ${JSON.stringify(new URL('../support/files.mjs', import.meta.url).href)};
    const all = new Files();
    ${run}
    await all.finish();
  `);
  // This test itself runs in such a run, which the inner one must not take for its own.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = promisify(execFile)(process.execPath, [runner], { env });
  const { code, stdout } = await child.then((ended) => ({ code: 0, ...ended }), (error) => error);
  return { code, last: stdout.trimEnd().split('\n').slice(-lines) };
}

test('what failed runs once more, alone, and only that', async () => {
  const file = path.join(folder, 'unsteady.test.mjs');
  await writeFile(file, UNSTEADY);
  const { code, last } = await runFiles('run.mjs', `await all.run([${JSON.stringify(file)}]);`, 2);
  assert.deepEqual(last, ['unsteady: alike (a|b)', '3 passed, 1 failed']);
  assert.equal(code, 1);
  const ran = (await readFile(path.join(folder, 'runs.txt'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(ran, ['steady', 'first', 'second', 'never', 'first', 'second', 'never']);
});

/** A test that runs until so many have begun, itself among them, and writes both down. */
const MEETING = (name, together) => String.raw`
import { appendFileSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
const log = new URL('meeting.txt', import.meta.url);
const lines = () => readFileSync(log, 'utf8').split('\n');
test('meets', async () => {
  appendFileSync(log, 'begin ${name}\n');
  while (lines().filter((line) => line.startsWith('begin ')).length < ${together}) await new Promise((next) => setTimeout(next, 20));
  appendFileSync(log, 'end ${name}\n');
});
`;

test('files run beside each other as far as there are places, and one that takes all of them alone', async () => {
  const names = ['alone', 'one', 'two'];
  const files = names.map((name) => path.join(folder, `${name}.test.mjs`));
  await Promise.all(names.map((name, at) => writeFile(files[at], MEETING(name, name === 'alone' ? 1 : 3))));
  const run = `await all.run(${JSON.stringify(files)}, { places: 4, takes: (file) => (file.includes('alone') ? 9 : 2) });`;
  assert.deepEqual(await runFiles('meet.mjs', run, 1), { code: 0, last: ['3 passed, 0 failed'] });
  const met = (await readFile(path.join(folder, 'meeting.txt'), 'utf8')).trimEnd().split('\n');
  assert.deepEqual(met.slice(0, 2), ['begin alone', 'end alone']);
  assert.deepEqual(met.slice(2, 4).sort(), ['begin one', 'begin two']);
});

test('a folder without a page is refused with what to do', async () => {
  await assert.rejects(serveFolder(path.join(folder, 'none')), /trunk build --release/);
});

test('a page without errors passes', async (t) => {
  const page = await openPage(t, await profile(t, browser), server.origin);
  assert.equal(await page.locator('h1').textContent(), 'Here');
});

test('an uncaught error is noticed', async (t) => {
  const page = await openPage(t, await profile(t, browser), server.origin, { expectedErrors: [/expected one/] });
  const problems = [];
  page.on('pageerror', (error) => problems.push(error.message));
  await page.evaluate(() => void setTimeout(() => Promise.reject(new Error('expected one'))));
  await eventually(() => assert.deepEqual(problems, ['expected one']));
  assert.deepEqual(page.problems(), []);
});

test('a console error fails the test unless it was expected', async (t) => {
  const ends = [];
  const inner = { after: (end) => ends.push(end) };
  const page = await openPage(inner, await profile(t, browser), server.origin, { expectedErrors: [/harmless/] });
  await page.evaluate(() => console.error('harmless'));
  await page.evaluate(() => console.error('harmful'));
  await eventually(() => assert.equal(page.problems().length, 1));
  assert.throws(() => ends[0](), /errors inside the page/);
});

test('a breach of the content security policy is a console error', async (t) => {
  const context = await profile(t, browser);
  const page = await openPage(t, context, server.origin, { expectedErrors: [/Content Security Policy/] });
  const seen = [];
  page.on('console', (message) => seen.push(message.text()));
  await page.evaluate(() => {
    const script = document.createElement('script');
    script.textContent = 'window.ran = true';
    document.body.append(script);
  });
  await eventually(() => assert.match(seen.join('\n'), /Content Security Policy/));
  assert.equal(await page.evaluate(() => window.ran), undefined);
});

test('waiting ends with the last error', async () => {
  await assert.rejects(
    eventually(() => assert.fail('still not'), 100),
    /still not/,
  );
});

/** Status for an address as it is: `fetch` would resolve the dots itself. */
function status(address) {
  const { port } = new URL(server.origin);
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: address }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.once('error', reject).end();
  });
}
