// The packed package in real projects, and in every example of the documentation.
//
//   node tests/packaging/run.mjs [words of test names]
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed.
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const [pattern] = process.argv.slice(2);
const counts = { passed: 0, failed: 0 };
const files = ["packaging", "published", "chats", "properties", "../docs/blocks", "../docs/site"].map((name) => join(folder, `${name}.test.mjs`));
const tests = run({ files, concurrency: 1, timeout: 10 * 60_000, ...(pattern ? { testNamePatterns: [pattern] } : {}) });
tests.on("test:pass", ({ skip, todo }) => (counts[skip === undefined && todo === undefined ? "passed" : "failed"] += 1));
tests.on("test:fail", () => (counts.failed += 1));
tests.compose(new Spec()).pipe(process.stdout, { end: false });
await finished(tests);

console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
