// What the tarball promises to package managers, type checkers and servers.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { install, pack, place } from "./install.mjs";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const tools = join(root, "tests/node_modules");
const installed = join(place, "node_modules/countersign");

let tarball;
before(() => {
  tarball = pack();
  install(tarball);
});

test("publint finds nothing", async () => {
  const { publint } = await import("publint");
  const { messages } = await publint({ pkgDir: installed, strict: true });
  assert.deepEqual(messages, []);
});

test("the types are right for every way to resolve modules", async () => {
  // The package is ESM alone, and an older Node's own resolution knows no `exports`.
  const words = [tarball, "--profile", "esm-only", "--no-color", "--no-emoji", "--exclude-entrypoints", "countersign.wasm", "headless.wasm"];
  const program = join(tools, "@arethetypeswrong/cli/dist/index.js");
  const { code = 0, stdout } = await run(process.execPath, [program, ...words]).catch((error) => error);
  assert.equal(code, 0, stdout);
});

test("nothing runs at installation, and nothing else is installed", () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.equal(manifest.scripts, undefined);
  assert.equal(manifest.dependencies, undefined);
  assert.deepEqual(Object.keys(manifest.peerDependencies).sort(), Object.keys(manifest.peerDependenciesMeta).sort());
});

test("the public API is the one that was agreed on", () => {
  for (const name of ["api.txt", "custom-elements.json"]) {
    const built = readFileSync(join(root, "target/npm/countersign", name), "utf8");
    const agreed = join(root, "crates/wasm/npm", name);
    if (process.env.COUNTERSIGN_BLESS) writeFileSync(agreed, built);
    assert.equal(built, readFileSync(agreed, "utf8"), `${name} is out of date: run this test with COUNTERSIGN_BLESS=1`);
  }
});

test("every entry can be imported where there is no document", async () => {
  const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  for (const [entry, target] of Object.entries(manifest.exports)) {
    if (!target.default) continue;
    const specifier = entry.replace(".", "countersign");
    const program = `const found = await import(${JSON.stringify(specifier)}); console.log(typeof found)`;
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { cwd: place });
    assert.equal(stdout.trim(), "object", specifier);
  }
});
