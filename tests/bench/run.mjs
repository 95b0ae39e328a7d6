// Measures the built package in headless Chromium, prints a table, writes target/bench.json.
//
//   node tests/bench/run.mjs [--calls 1000,10000] [--runs N] [--check]      --calls 0: cards alone
//
// --check: fail when a budget is exceeded.
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { build } from "esbuild";
import { chromium } from "playwright-core";

import { browserPath } from "../browser/harness/browser.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { folder as packageFolder, root } from "../package/package.mjs";
import { measureCards } from "./cards-run.mjs";
import { RECORDINGS } from "./repeat.mjs";
import { waiting } from "./waiting.mjs";

const BUDGET = { ratio: 0.5, growth: 12, policy: 0.01 };
const POLICY = { calls: 1000, rules: 20 };
const DIALECTS = ["a2a", "a2a-v1", ...Object.keys(RECORDINGS)];

const { values: options } = parseArgs({
  options: {
    calls: { type: "string", default: "1000,10000,100000" },
    runs: { type: "string" },
    check: { type: "boolean", default: false },
  },
});
const sizes = options.calls.split(",").map(Number).filter((calls) => calls > 0);
const runsOf = (calls) => Number(options.runs ?? (calls > 20_000 ? 3 : calls > 2_000 ? 9 : 21));

const here = fileURLToPath(new URL(".", import.meta.url));
const staged = join(root, "target/bench");
rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
for (const file of ["page.mjs", "generate.mjs", "reference.mjs", "repeat.mjs", "waiting.mjs", "cards.mjs", "cards.html"]) cpSync(join(here, file), join(staged, file));
cpSync(join(here, "page.html"), join(staged, "index.html"));
await build({
  entryPoints: [join(here, "react-list.mjs")],
  outfile: join(staged, "react-list.js"),
  bundle: true,
  minify: true,
  format: "esm",
  define: { "process.env.NODE_ENV": '"production"' },
});
symlinkSync(packageFolder, join(staged, "package"), "junction");

const server = await serveFolder(staged);
const browser = await chromium.launch({
  executablePath: browserPath(),
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--js-flags=--expose-gc"],
});
const measured = [];
let cards = [];
let policy;
try {
  policy = await measurePolicy();
  cards = await measureCards(browser, server.origin, options.runs === undefined ? undefined : Number(options.runs));
  for (const dialect of DIALECTS) {
    for (const calls of sizes) measured.push({ dialect, calls, ...(await measure(dialect, calls)) });
  }
} finally {
  await browser.close();
  await server.close();
}

/** The histories in the recording that is repeated for this adapter; none where histories are generated. */
function recordedOf(dialect) {
  const recording = RECORDINGS[dialect];
  if (!recording) return undefined;
  const { steps } = JSON.parse(readFileSync(join(root, "tests/traces", recording.file), "utf8"));
  return steps.filter(({ restore }) => restore).map(({ restore }) => restore);
}

/** In a page of its own, so that no measurement inherits another one's heap. */
async function measure(dialect, calls) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  page.setDefaultTimeout(540_000);
  await page.goto(server.origin);
  await page.waitForFunction("globalThis.ready");
  const measuring = ([name, count, runs, recorded]) => globalThis.measure(name, count, runs, recorded);
  const result = await page.evaluate(measuring, [dialect, calls, runsOf(calls), recordedOf(dialect)]);
  await page.close();
  return result;
}

/** How long a policy takes for one call, in milliseconds. */
async function measurePolicy() {
  const page = await browser.newPage();
  await page.goto(server.origin);
  await page.waitForFunction("globalThis.ready");
  const time = await page.evaluate(([text, ...rest]) => globalThis.measurePolicy(text, ...rest), [waiting(POLICY.calls), POLICY.calls, POLICY.rules, 15]);
  await page.close();
  return time;
}

const results = [];
const note = (name, ours, reference) => results.push({ name, ours_ms: ours, reference_ms: reference, ratio: ours / reference });
for (const { dialect, calls, ...times } of measured) {
  const name = `recover/${dialect}/${calls}`;
  note(name, times.firstPage, times.parse);
  note(`${name}/with-decode`, times.firstPage, times.decodeAndParse);
  note(`${name}/all-requests`, times.allRequests, times.parse);
  if (times.byHand) note(`${name}/typescript`, times.firstPage, times.byHand);
}
for (const { name, ours, react } of cards) note(name, ours, react);
note("policy/check", policy);
writeFileSync(join(root, "target/bench.json"), `${JSON.stringify({ results }, undefined, 2)}\n`);

const over = [];
const ms = (value) => value.toFixed(1).padStart(9);
console.log("From the bytes of a history to cards; medians in milliseconds, and ours as a share of each.");
console.log("                            cards  first 60  all cards | JSON.parse   share |  + decode   share |   by hand   share |  all/parse");
for (const { dialect, calls, ...times } of measured) {
  const share = (reference) =>
    reference ? `${ms(reference)} ${(times.firstPage / reference).toFixed(2).padStart(7)}` : " ".repeat(17);
  const all = (times.allRequests / times.parse).toFixed(2).padStart(10);
  console.log(
    `${`recover/${dialect}/${calls}`.padEnd(24)} ${String(times.cards).padStart(8)} ${ms(times.firstPage)}  ${ms(times.allRequests)} |  ${share(times.parse)} | ${share(times.decodeAndParse)} | ${share(times.byHand)} | ${all}`,
  );
  if (times.firstPage / times.parse > BUDGET.ratio) over.push(`recover/${dialect}/${calls} takes more than ${BUDGET.ratio} of JSON.parse`);
}
for (const dialect of DIALECTS) {
  const at = (calls) => measured.find((entry) => entry.dialect === dialect && entry.calls === calls)?.firstPage;
  if (at(10_000) && at(100_000)) {
    const growth = at(100_000) / at(10_000);
    console.log(`growth of recover/${dialect} from 10,000 to 100,000 calls: ${growth.toFixed(1)} times`);
    if (growth > BUDGET.growth) over.push(`recover/${dialect} grows by more than ${BUDGET.growth} times`);
  }
}
console.log("\nCards in the element, and the same cards as a plain React list; medians in milliseconds, to the paint.");
console.log("                                ours |     React   share | budget");
for (const { name, ours, react, budget } of cards) {
  const limit = budget === undefined ? "" : ms(budget);
  const reference = react === undefined ? " ".repeat(17) : `${ms(react)} ${(ours / react).toFixed(2).padStart(7)}`;
  console.log(`${name.padEnd(26)} ${ms(ours)} | ${reference} | ${limit}`);
  if (ours > budget) over.push(`${name} takes more than ${budget} ms`);
}
console.log(`\nA policy of ${POLICY.rules} rules takes ${(policy * 1000).toFixed(1)} µs for each call; the budget is ${BUDGET.policy * 1000} µs.`);
if (policy > BUDGET.policy) over.push(`policy/check takes more than ${BUDGET.policy * 1000} µs`);
for (const sentence of over) console.log(`over budget: ${sentence}`);
if (options.check && over.length > 0) process.exitCode = 1;
