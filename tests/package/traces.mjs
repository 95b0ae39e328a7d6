// Every recorded conversation, through the built npm package: once with its adapter, once with `auto`.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { member, read } from "./lossless.mjs";
import { load, root } from "./package.mjs";
import { Runner } from "./runner.mjs";

const ADAPTERS = ["a2a", "adk", "adalflow", "haystack", "langgraph"];

const countersign = await load("countersign/headless");
await countersign.init();
const counts = { passed: 0, failed: 0 };
const EACH = 40;
const tried = new Map();

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
    spoil(trace, name, file);
  }
}

/** A wrong expectation fails, whatever it is about: one of each kind in a trace, and not every trace. */
function spoil(trace, name, file) {
  const seen = new Set();
  for (const { at, kind, end } of expectations(trace)) {
    const count = tried.get(kind) ?? 0;
    if (seen.has(kind) || count === EACH) continue;
    seen.add(kind);
    tried.set(kind, count + 1);
    const right = { ...end };
    Object.assign(end, wrong(end));
    const fault = run(trace, name);
    if (!fault?.startsWith(`step ${at}: `)) {
      counts.failed += 1;
      console.error(`${name}/${file}: step ${at}: \`${kind}\` ${right.text} became ${end.text}, and it is ${fault}`);
    }
    Object.assign(end, right);
  }
}

function wrong(end) {
  const text = end.kind === "bool" ? String(!end.value) : member(end, "$any") || member(end, "$id") ? '{"$absent":true}' : '"something else"';
  return read(text);
}

function* expectations(trace) {
  for (const [at, step] of trace.value.get("steps").value.entries()) {
    for (const card of member(step, "cards")?.value ?? []) {
      for (const [kind, value] of card.value) for (const end of ends(value)) yield { at, kind, end };
    }
    for (const kind of ["send", "hidden"]) {
      const list = member(step, kind);
      if (list) for (const end of ends(list)) yield { at, kind, end };
    }
    const code = member(member(step, "refuse"), "code");
    if (code) yield { at, kind: "refuse", end: code };
  }
}

/** What holds nothing else, and what stands for a value. */
function* ends(tree) {
  const stands = ["$any", "$id", "$absent"].some((word) => member(tree, word));
  if (tree.kind !== "array" && (tree.kind !== "object" || stands)) return yield tree;
  for (const item of tree.value.values()) yield* ends(item);
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

const seldom = [...tried].filter(([, count]) => count < 4);
if (tried.size < 19 || seldom.length > 0) {
  counts.failed += 1;
  console.error(`too few wrong expectations were tried: ${[...tried].join(" ")}`);
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 ? 1 : 0;
