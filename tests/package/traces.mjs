// Every recorded conversation, through the built npm package: once with its adapter, once with `auto`.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { read } from "./lossless.mjs";
import { load, root } from "./package.mjs";
import { Runner } from "./runner.mjs";

const ADAPTERS = ["a2a", "adk", "adalflow", "haystack", "langgraph"];

const countersign = await load("countersign/headless");
await countersign.init();
const counts = { passed: 0, failed: 0 };

for (const name of ADAPTERS) {
  const folder = join(root, "tests/traces", name);
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".json"));
  for (const file of files.sort()) {
    const trace = read(readFileSync(join(folder, file), "utf8"));
    for (const adapter of [name, "auto"]) {
      const fault = run(trace, adapter);
      counts[fault ? "failed" : "passed"] += 1;
      if (fault) console.error(`${name}/${file} (${adapter}): ${fault}`);
    }
  }
}

function run(trace, adapter) {
  let at = 0;
  try {
    const runner = new Runner(countersign, trace, adapter);
    for (const step of trace.value.get("steps").value) {
      runner.step(step);
      at += 1;
    }
    return undefined;
  } catch (error) {
    return `step ${at}: ${error instanceof Error ? error.message : JSON.stringify(error)}`;
  }
}

console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
