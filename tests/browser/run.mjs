// Runs the tests of this folder, one file after the other, in real Chromium.
//
//   node tests/browser/run.mjs [FILE | WORD…]      only these files, or those whose name contains a word
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed. A skipped test has failed.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as Spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const PATIENCE = 10 * 60_000;

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(path.basename(word))))
  .sort()
  .map((name) => path.join(FOLDER, name));

let passed = 0;
let failed = 0;
const isTest = (event) => event.details?.type !== 'suite';

if (files.length > 0) {
  const tests = run({ files, concurrency: 1, timeout: PATIENCE });
  tests.on('test:pass', (event) => {
    if (!isTest(event)) return;
    if (event.skip === undefined && event.todo === undefined) passed += 1;
    else failed += 1;
  });
  tests.on('test:fail', (event) => {
    if (isTest(event)) failed += 1;
  });
  const report = tests.compose(new Spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
} else {
  console.log(`no test file matches ${wanted.join(', ')}`);
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
