// The README of the package tells the truth: its JavaScript runs and prints what its comments say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { install, root } from "./package.mjs";

test("the headless example prints what it says", () => {
  const readme = readFileSync(join(root, "crates/wasm/npm/README.md"), "utf8");
  const [, script] = /```js\n([^]*?)```/.exec(readme);
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: install() });
  const expected = [...script.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment]) => comment);
  assert.deepEqual(stdout.toString().trim().split("\n"), expected, stderr.toString());
});
