// Everything in this folder, through the built package: traces, the promises of the API, the element in Chromium.
//
//   node tests/package/run.mjs
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed. A skipped test has failed.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec as Spec } from "node:test/reporters";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));
const files = readdirSync(folder).filter((name) => /\.(test|browser)\.mjs$/.test(name)).sort();
const counts = { passed: 0, failed: 0 };

const traces = spawnSync(process.execPath, [join(folder, "traces.mjs")], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(traces.stdout) ?? [undefined, 0, 1];
counts.passed += Number(passed);
counts.failed += Number(failed);

const tests = run({ files: files.map((name) => join(folder, name)), concurrency: 1, timeout: 5 * 60_000 });
tests.on("test:pass", ({ skip, todo }) => (counts[skip === undefined && todo === undefined ? "passed" : "failed"] += 1));
tests.on("test:fail", () => (counts.failed += 1));
const report = tests.compose(new Spec());
report.pipe(process.stdout, { end: false });
await finished(report);

console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
