// Runs the tests of this folder in real Chromium: two files at once, then one after the other those in which time is
// measured or a real framework runs.
//
//   node tests/browser/run.mjs [FILE | WORD…]      only these files, or those whose name contains a word
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed. A skipped test has failed.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Files } from '../support/files.mjs';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const PATIENCE = 10 * 60_000;

/** Files that have the machine for themselves: arming, latencies and what a megabyte costs are measured there. */
const ALONE = ['arguments', 'many', 'safety'];
/** Files of real frameworks, which are named after them. */
const REAL = /^(adalflow|adk|haystack|kagent|langgraph)[.-]/;
/** The longest comes first, so that nothing waits for it in the end. */
const FIRST = 'demo.test.mjs';

const wanted = process.argv.slice(2);
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(path.basename(word))))
  .sort((one, other) => Number(other === FIRST) - Number(one === FIRST) || (one < other ? -1 : 1));
const isAlone = (name) => REAL.test(name) || ALONE.some((word) => name === `${word}.test.mjs`);

const inFolder = (names) => names.map((name) => path.join(FOLDER, name));

if (files.length === 0) console.log(`no test file matches ${wanted.join(', ')}`);
const all = new Files();
await all.run(inFolder(files.filter((name) => !isAlone(name))), { concurrency: 2, timeout: PATIENCE });
await all.run(inFolder(files.filter(isAlone)), { timeout: PATIENCE });
await all.finish();
