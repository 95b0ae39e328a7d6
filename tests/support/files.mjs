// Runs files of tests for the runners beside them, and counts.

import path from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec as Spec } from 'node:test/reporters';

/** More files than this do not fail because the machine was busy. */
const MOST_AGAIN = 3;

/** Why `node:test` skips what has another name than those that were asked for; from Node.js 22 on it does not tell of it. */
const UNASKED = 'test name does not match pattern';

/**
 * What the tests of all files came to.
 *
 * Some wait for a real browser or a real framework, so a test that failed runs once more, alone, when everything else is
 * done. What passes then counts as passed, and is printed as `unsteady: NAME`: it is a fault to be found, in the test or
 * in what it tests.
 */
export class Files {
  #passed = 0;
  #failed = 0;
  #again = [];

  /** Adds what was counted elsewhere. */
  add({ passed, failed }) {
    this.#passed += passed;
    this.#failed += failed;
  }

  /**
   * Runs these files, as many at once as the machine has room for; `options` are those of `node:test`.
   *
   * `places` is how many files run at once where each takes one place. What `takes(file)` more than that leaves fewer to
   * others: a file that takes all of them runs alone.
   */
  async run(files, { places = 1, takes = () => 1, ...options } = {}) {
    const waiting = [...files];
    const running = new Set();
    const cost = (file) => Math.min(takes(file), places);
    let free = places;
    while (waiting.length > 0 || running.size > 0) {
      // A machine that is idle has room for anything, whatever fractions of places came to.
      const next = waiting.findIndex((file) => running.size === 0 || cost(file) <= free);
      if (next === -1) {
        await Promise.race(running);
        continue;
      }
      const [file] = waiting.splice(next, 1);
      free -= cost(file);
      const ended = this.#runOne(file, options, cost(file) === places).then(() => {
        free += cost(file);
        running.delete(ended);
      });
      running.add(ended);
    }
  }

  async #runOne(file, options, live) {
    const outcome = await runFile(file, options, live);
    if (outcome.failed.length === 0) this.add({ passed: outcome.passed.length, failed: 0 });
    else this.#again.push({ file, options, outcome });
  }

  /** Runs once more what failed, prints `N passed, N failed`, and sets the exit code: 1 unless everything passed. */
  async finish() {
    for (const { file, options, outcome } of this.#again) {
      const hopeless = this.#again.length > MOST_AGAIN;
      if (!hopeless) console.log(`\n${path.basename(file)}: what failed once more, alone`);
      const last = hopeless ? outcome : await runAgain(file, options, outcome);
      this.add({ passed: last.passed.length, failed: last.failed.length });
      for (const name of outcome.failed) if (!last.failed.includes(name)) console.log(`unsteady: ${name}`);
    }
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    process.exitCode = this.#failed === 0 && this.#passed > 0 ? 0 : 1;
  }
}

/** What a file comes to when the tests that failed in it run once more. */
async function runAgain(file, options, { passed, failed }) {
  const wanted = new Set(failed);
  const again = (name) => wanted.has(name);
  // What failed outside of any test is named after the file, and every test may hang on it.
  const isWhole = [file, path.relative(process.cwd(), file)].some(again);
  const patterns = [...wanted].map((name) => new RegExp(`^${name.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`));
  const last = await runFile(file, isWhole ? options : { ...options, testNamePatterns: patterns }, true);
  if (isWhole) return last;
  const kept = passed.filter((name) => !again(name));
  // Several may have one name. None of them is forgotten.
  const missing = [...passed, ...failed].filter(again).length - last.passed.length - last.failed.length;
  const lost = Array.from({ length: Math.max(missing, 0) }, () => `${path.basename(file)}: a test that did not run again`);
  return { passed: [...kept, ...last.passed], failed: [...last.failed, ...lost] };
}

/**
 * The names of what passed and failed in one file; a skipped test has failed, but for those that nobody asked for by
 * `testNamePatterns`. Its report is printed as it comes, or whole.
 */
async function runFile(file, options, live) {
  const passed = [];
  const failed = [];
  // What a failed test left open, a server say, does not keep the file from ending.
  const tests = run({ files: [file], concurrency: 1, forceExit: true, ...options });
  const isTest = (event) => event.details?.type !== 'suite' && event.skip !== UNASKED;
  tests.on('test:pass', (event) => {
    if (isTest(event)) (event.skip === undefined && event.todo === undefined ? passed : failed).push(event.name);
  });
  tests.on('test:fail', (event) => {
    if (isTest(event)) failed.push(event.name);
  });
  const report = tests.compose(new Spec());
  const lines = [];
  if (live) report.pipe(process.stdout, { end: false });
  else report.on('data', (text) => lines.push(text));
  await finished(report);
  if (!live) process.stdout.write(lines.join(''));
  return { passed, failed };
}
