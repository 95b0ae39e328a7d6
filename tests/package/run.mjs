// Everything in this folder, through the built package: traces, the promises of the API, the element in Chromium.
//
//   node tests/package/run.mjs
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed. A skipped test has failed.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Files } from "../support/files.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
/** Files that have the machine for themselves: it is measured there how long something takes. */
const ALONE = ["connect-parts.test.mjs", "several.browser.mjs"];
const files = readdirSync(folder).filter((name) => /\.(test|browser)\.mjs$/.test(name)).sort();
const all = new Files();

const traces = spawnSync(process.execPath, [join(folder, "traces.mjs")], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
const [, passed, failed] = /(\d+) passed, (\d+) failed\s*$/.exec(traces.stdout) ?? [undefined, 0, 1];
all.add({ passed: Number(passed), failed: Number(failed) });

/** How many files run at once. */
const PLACES = 3;
const takes = (file) => (ALONE.includes(basename(file)) ? PLACES : 1);
await all.run(files.map((name) => join(folder, name)), { places: PLACES, takes, timeout: 5 * 60_000 });
await all.finish();
