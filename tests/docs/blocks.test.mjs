// Every block of code in the documentation is what it says it is: it is compiled, read or run, each by its kind.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { launch } from "../browser/harness/browser.mjs";
import { eventually } from "../browser/harness/eventually.mjs";
import { install, pack, place } from "../packaging/install.mjs";
import { freePort } from "../support/port.mjs";
import { allBlocks, complaint, KINDS, program, root } from "./blocks.mjs";
import { shellComplaints } from "./commands.mjs";
import { inNode, stageBlock } from "./pages.mjs";
import { scripts, typeProblems } from "./programs.mjs";
import { runs, told, underHeader } from "./runs.mjs";

const typescript = createRequire(join(root, "tests/index.js"))("typescript");
const blocks = allBlocks();
const of = (...languages) => blocks.filter(({ language }) => languages.includes(language));
/** The kinds that run here; Rust runs with the documentation tests, and the others are held against what there is. */
const RUNNABLE = ["js", "jsx", "ts", "tsx", "vue", "html", "css", "json"];

let browser;
before(async () => {
  install(pack());
  browser = await launch();
});
after(() => browser?.close());

test("every block names a kind that is checked", () => {
  const counts = Object.keys(KINDS).map((kind) => `${of(kind).length} ${kind}`);
  console.log(`${blocks.length} blocks: ${counts.join(", ")}`);
  assert.deepEqual(blocks.flatMap((block) => (complaint(block) ? [`${block.file}:${block.line}: ${complaint(block)}`] : [])), []);
});

test("every block that can run has a run, and every run has its block", () => {
  const ids = of(...RUNNABLE).map(({ id }) => id);
  assert.deepEqual(ids.filter((id) => !(id in runs)), [], "blocks that nothing runs");
  assert.deepEqual(Object.keys(runs).filter((id) => !ids.includes(id)), [], "runs of blocks that are not there");
});

test("the scripts fit the declarations of the package and of the frameworks", () => {
  const all = of(...RUNNABLE).filter((block) => scripts(block).length > 0);
  const { programs, problems } = typeProblems(all, join(place, "docs"));
  console.log(`${programs} scripts type-checked`);
  assert.deepEqual(problems, []);
});

test("JSON can be read", () => {
  for (const block of of("json")) assert.doesNotThrow(() => JSON.parse(block.code), block.id);
});

test("the Rust of every page runs as a documentation test", () => {
  const included = rustFiles().flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/doc = include_str!\("([^"]+\.md)"\)/g)].map(([, path]) => resolve(dirname(file), path)),
  );
  assert.deepEqual(of("rust").filter(({ file }) => !included.includes(join(root, file))).map(({ id }) => id), []);
  for (const { id, words } of of("rust")) assert.deepEqual(words, [], `${id} is compiled and run, not passed over`);
});

test("dependencies can be resolved, and are those that the Rust after them uses", () => {
  assert.ok(of("toml").length > 0);
  for (const block of of("toml")) {
    const manifest = block.code.replaceAll("../countersign", root);
    const folder = stageBlock(block, { "Cargo.toml": `[package]\nname = "block"\nversion = "0.1.0"\nedition = "2024"\n\n${manifest}\n\n[workspace]\n` });
    mkdirSync(join(folder, "src"));
    writeFileSync(join(folder, "src/lib.rs"), "");
    // What is resolved is what this repository builds with: nothing is asked of anybody.
    copyFileSync(join(root, "Cargo.lock"), join(folder, "Cargo.lock"));
    const { status, stderr, stdout } = spawnSync("cargo", ["metadata", "--offline", "--format-version", "1"], { cwd: folder, encoding: "utf8", maxBuffer: 1 << 28 });
    assert.equal(status, 0, `${block.id}: ${stderr}`);
    const { packages } = JSON.parse(stdout);
    const named = packages.find(({ name }) => name === "block").dependencies.map(({ name }) => name.replaceAll("-", "_"));
    const page = blocks.filter(({ file, language, line }) => file === block.file && language === "rust" && line > block.line);
    const used = page.flatMap(({ code }) => [...code.matchAll(/\b(countersign_\w+|yew|js_sys|gloo\w*|web_sys|wasm_bindgen)::/g)].map(([, crate]) => crate));
    assert.deepEqual(named.sort(), [...new Set(used)].sort(), block.id);
  }
});

test("Python compiles, and what it imports is there", () => {
  const check = "import ast,sys,importlib.util as u\nfor n in ast.walk(ast.parse(sys.stdin.read())):\n  for m in ([a.name for a in n.names] if isinstance(n,ast.Import) else [n.module] if isinstance(n,ast.ImportFrom) else []):\n    assert u.find_spec(m.split('.')[0]), m";
  for (const block of of("python").filter(({ words }) => !words.includes("excerpt"))) {
    const { status, stderr } = spawnSync("python3", ["-c", check], { input: program(block), encoding: "utf8" });
    assert.equal(status, 0, `${block.id}: ${stderr}`);
  }
});

test("the server of an agent of one's own asks, takes one answer from its own page, and runs what it asked about", async (t) => {
  const [block, ...others] = of("python").filter(({ file }) => file === "www/docs/own.md");
  assert.deepEqual(others, []);
  const folder = stageBlock(block, { "server.py": program(block) });
  const HOST = `127.0.0.1:${await freePort()}`;
  const server = spawn("python3", ["server.py"], { cwd: folder, env: { ...process.env, HOST, ORIGIN: "http://page.test", TOKEN: "secret" }, stdio: ["ignore", "pipe", "ignore"] });
  t.after(() => server.kill());
  const headers = { authorization: "Bearer secret", origin: "http://page.test", "content-type": "application/json" };
  const get = (path) => fetch(`http://${HOST}${path}`, { headers }).then((response) => response.json());
  const [id] = await eventually(async () => {
    const ids = Object.keys(await get("/approvals/pending"));
    assert.equal(ids.length, 1);
    return ids;
  });
  await eventually(async () => assert.ok((await get("/approvals/pending"))[id].timeout_s < 600, "who opens the page later has less time"));
  const post = async (body, more = {}, name = id) => (await fetch(`http://${HOST}/approvals/${name}`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })).status;
  const approve = { action: "confirm" };
  const refused = [[{}, { origin: "http://elsewhere.test" }], [{}, { authorization: "Bearer guess" }], [{}, { "content-type": "text/plain" }], [{ action: "modify", new_tool_params: {} }], [{ action: "wave" }], [[]], [null], [approve, {}, "another"]];
  assert.deepEqual(await Promise.all(refused.map((words) => post(...words))), [403, 401, 403, 422, 422, 422, 422, 404]);
  const code = `import { init, Inbox } from "countersign/headless";
import { forward, rest } from "countersign/connect";
await init();
const inbox = new Inbox({ adapter: "haystack" });
const connector = rest({ url: "http://${HOST}", history: "/history", pollMs: 50, headers: ${JSON.stringify(headers)} });
await connector.connect(inbox);
forward(inbox, connector);
const [{ id, argsDigest, tool }] = inbox.requests();
const approved = new Promise((done) => inbox.subscribe(() => inbox.requests()[0].status === "approved" && done()));
inbox.decide(id, { kind: "approve", seen: argsDigest, tool });
await approved;
connector.close();`;
  const [printed] = await Promise.all([once(createInterface({ input: server.stdout }), "line"), inNode({ ...block, code })]);
  assert.deepEqual(printed, ['runs {"path": "/srv/reports/2025.csv"}']);
  assert.equal(await post(approve), 409, "the first answer has won");
  assert.deepEqual((await get("/history")).map(({ type }) => type), ["approval_request", "approval_resolved"]);
});

test("excerpts stand in an example, which is tried whole", () => {
  const excerpts = blocks.filter(({ words }) => words.includes("excerpt"));
  assert.deepEqual(excerpts.filter(({ language }) => language !== "python").map(({ id }) => id), []);
  const examples = filesIn("www/examples", ".py").map((file) => readFileSync(file, "utf8"));
  assert.deepEqual(excerpts.filter(({ code }) => !examples.some((text) => text.includes(code))).map(({ id }) => id), []);
});

test("shell lines name commands, options and files that there are", () => {
  assert.deepEqual(of("sh").flatMap(shellComplaints), []);
});

test("r49_csp: the element works under the header of the security page", (t) => {
  const headers = of("text").filter(({ code }) => code.startsWith("Content-Security-Policy:"));
  assert.equal(headers.length, 1);
  return underHeader(t, headers[0], { browser });
});

test("what the page on troubleshooting says of files that cannot be loaded is so", async (t) => {
  const missing = (name, status = 404) => ({ [`GET /node_modules/countersign/dist/wasm/countersign_${name}.wasm`]: ({ response }) => response.writeHead(status, { "content-type": "text/html" }).end("<!doctype html>") });
  const forbidden = await told(t, browser, { headers: { "content-security-policy": "script-src 'self'" } });
  assert.equal(forbidden.code, "part-missing");
  assert.match(forbidden.message, /Content Security Policy/);
  const absent = await told(t, browser, { routes: missing("bg") });
  assert.equal(absent.code, "part-missing");
  assert.match(absent.message, /the first file.*404 Not Found/);
  assert.match((await told(t, browser, { routes: missing("bg", 200) })).message, /magic word/);
  assert.equal((await told(t, browser, { routes: missing("a2a") })).code, "part-missing");
});

for (const block of of(...RUNNABLE)) {
  test(block.id, (t) => runs[block.id]?.(t, block, { browser, blocks, transpile }) ?? assert.fail("nothing runs it"));
}

/** TypeScript without its types. */
function transpile(code) {
  const { target, module } = { target: typescript.ScriptTarget.ES2022, module: typescript.ModuleKind.ES2022 };
  return typescript.transpileModule(code, { compilerOptions: { target, module } }).outputText;
}

/** The Rust files of the workspace. */
function rustFiles() {
  return ["crates", "www/src", "tests/support"].flatMap((folder) => filesIn(folder, ".rs"));
}

/** The files below a folder of the repository whose names end so. */
function filesIn(folder, end) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true, recursive: true });
  return entries.filter((entry) => entry.isFile() && entry.name.endsWith(end)).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}
