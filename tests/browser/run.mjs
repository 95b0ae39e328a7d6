// Runs the tests of this folder in real Chromium, or in Firefox where the variable IN_FIREFOX has its path: three files at
// once, or as many as AT_ONCE says; those about what takes its time share the machine with one other, and those in which time
// is measured run alone.
//
//   node tests/browser/run.mjs [FILE | WORD…]      only these files, or those whose name contains a word; without one, in
//                                                  Firefox those about what a person does and must not do by accident
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed. A skipped test has failed.

import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { Files } from '../support/files.mjs';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const PATIENCE = 15 * 60_000;

/** Files that have the machine for themselves: latencies are measured there. */
const ALONE = ['many'];
/** Files that share it with one other: they press before a card arms and after, and show a megabyte. */
const PACED = ['arguments', 'safety', 'safety-hosts', 'input-methods'];
/** The longest come first, so that nothing waits for them in the end. */
const FIRST = ['arguments', 'safety', 'langgraph-hitl', 'langgraph-per-call', 'adalflow', 'adk', 'langgraph-interrupt', 'kagent', 'demo', 'axe'];

/** What browsers could do differently: presses, keys, the focus, what is in view, what others put into a card. */
const IN_FIREFOX = ['batch.test', 'edit.test', 'keyboard.test', 'risk.test', 'safety.test', 'surroundings.test'];

/** What is not released, and begins the names of its files, by the variable that names the Python that has it. */
const UNRELEASED = { kagent_main: 'KAGENT_MAIN_PYTHON' };

const named = process.argv.slice(2);
const wanted = named.length === 0 && process.env.IN_FIREFOX ? IN_FIREFOX : named;
const files = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.test.mjs'))
  .filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(path.basename(word))))
  .filter(isThere)
  .sort((one, other) => rank(one) - rank(other) || (one < other ? -1 : 1));
/** How many parts of the machine there are to be had. */
const PLACES = 12;
const atOnce = Number(process.env.AT_ONCE ?? 3);

/** How many parts of it a file needs. */
function takes(file) {
  const name = path.basename(file, '.test.mjs');
  if (ALONE.includes(name)) return PLACES;
  return PACED.includes(name) ? PLACES / 2 : PLACES / atOnce;
}

/** The place among the longest, and behind them for all others. */
function rank(name) {
  const place = FIRST.indexOf(name.replace('.test.mjs', ''));
  return place === -1 ? FIRST.length : place;
}

function isThere(name) {
  const variable = UNRELEASED[name.split(/[.-]/)[0]];
  if (variable === undefined || process.env[variable]) return true;
  console.log(`${name} is left out: ${variable} names no Python that has what it tests, which is not released`);
  return false;
}

const inFolder = (names) => names.map((name) => path.join(FOLDER, name));

if (files.length === 0) console.log(`no test file matches ${wanted.join(', ')}`);
const all = new Files();
await all.run(inFolder(files), { places: PLACES, takes, timeout: PATIENCE });
await all.finish();
