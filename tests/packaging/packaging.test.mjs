// The packed package in bundlers and frameworks: each project is built and driven in Chromium. A person approves the
// waiting call, and the message that would go out is the right one.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { press } from "../browser/harness/press.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { install, pack, place, stage } from "./install.mjs";
import { complaints } from "./markup.mjs";
import { buildNext, startNext } from "./next.mjs";

const run = promisify(execFile);
const STRICT = {
  "content-security-policy":
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'",
};

let browser;
let tarball;
before(async () => {
  tarball = pack();
  install(tarball);
  browser = await launch();
});
after(() => browser?.close());

const TOOL_ENV = { ...process.env, NODE_ENV: "production" };

/** Runs a program that the bundlers brought. */
const tool = (folder, name, ...words) =>
  run(process.execPath, [join(place, "node_modules", name), ...words], { cwd: folder, env: TOOL_ENV, maxBuffer: 1 << 24 });

const vite = (folder) => tool(folder, "vite/bin/vite.js", "build", "--logLevel", "warn").then(() => join(folder, "dist"));

/** Whether a message is the approval of the task that waits. */
function approves(body) {
  const message = JSON.parse(body);
  assert.equal(message.taskId, "t1");
  assert.equal(message.parts[0].data.decision_type, "approve");
}

/** Opens what was built, approves, and looks at the one message. */
async function drive(t, folder, { headers, approve } = {}) {
  const server = await serveFolder(folder, { headers });
  t.after(() => server.close());
  return visit(t, server.origin, approve);
}

async function visit(t, address, approve) {
  const page = await openPage(t, await profile(t, browser), address);
  await (approve ?? look)(page);
  await page.waitForFunction(() => globalThis.sent?.length > 0);
  const sent = await page.evaluate(() => sent);
  assert.equal(sent.length, 1);
  approves(sent[0]);
  return page;
}

/** A person looks, and approves. */
async function look(page) {
  await page.getByText("delete_file", { exact: true }).first().waitFor();
  await press(page.locator('[part~="approve-button"]'));
}

/** The package beside a page that no bundler has touched. */
function withPackage(folder) {
  mkdirSync(join(folder, "node_modules"), { recursive: true });
  symlinkSync(join(place, "node_modules/countersign"), join(folder, "node_modules/countersign"), "junction");
  return folder;
}

test("plain HTML without a bundler", (t) => drive(t, withPackage(stage("html"))));

test("r49_csp: a page under a strict content security policy", async (t) => {
  const folder = withPackage(stage("html"));
  // An import map would have to stand in the page.
  const script = readFileSync(join(folder, "plain.js"), "utf8");
  writeFileSync(join(folder, "plain.js"), script.replace('"countersign/define"', '"./node_modules/countersign/dist/define.js"'));
  const page = readFileSync(join(folder, "index.html"), "utf8");
  writeFileSync(join(folder, "index.html"), page.replace(/<link rel="icon"[^>]*>|<script type="importmap">[^]*?<\/script>/g, ""));
  writeFileSync(join(folder, "favicon.ico"), "");
  await drive(t, folder, { headers: STRICT });
});

test("Vite", async (t) => drive(t, await vite(stage("vite"))));

/** A page of Vite's development server. */
async function develop(t, version, options = {}) {
  const { createServer } = await import(join(place, "node_modules", version, "dist/node/index.js"));
  const server = await createServer({
    root: stage("vite"),
    cacheDir: join(place, "vite", "cache", version),
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, fs: { allow: [place] } },
    ...options,
  });
  await server.listen();
  t.after(() => server.close());
  await visit(t, server.resolvedUrls.local[0]);
}

test("Vite while a developer works", (t) => develop(t, "vite"));

test("Vite 7 while a developer works, with the option that the documentation names", (t) =>
  develop(t, "vite-7", { optimizeDeps: { exclude: ["countersign"] } }));

test("webpack", async (t) => {
  const folder = stage("webpack");
  const { default: webpack } = await import(join(place, "node_modules/webpack/lib/index.js"));
  const { default: configuration } = await import(join(folder, "webpack.config.js"));
  const compiler = webpack({ ...configuration, context: folder, output: { ...configuration.output, path: folder } });
  const stats = await promisify((done) => compiler.run(done))();
  await promisify((done) => compiler.close(done))();
  assert.equal(stats.toString({ all: false, errors: true, warnings: true }), "");
  await drive(t, folder);
});

test("esbuild", async (t) => {
  const folder = stage("esbuild");
  const { build } = await import(join(place, "node_modules/esbuild/lib/main.js"));
  const { warnings } = await build({
    absWorkingDir: folder,
    entryPoints: ["main.js"],
    outfile: join(folder, "bundle.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    loader: { ".wasm": "file" },
  });
  assert.deepEqual(warnings, []);
  await drive(t, folder);
});

test("Rollup", async (t) => {
  const folder = stage("rollup");
  const { rollup } = await import(join(place, "node_modules/rollup/dist/es/rollup.js"));
  const { nodeResolve } = await import(join(place, "node_modules/@rollup/plugin-node-resolve/dist/es/index.js"));
  const bundle = await rollup({ input: join(folder, "main.js"), plugins: [nodeResolve()] });
  await bundle.write({ dir: folder, format: "es", entryFileNames: "bundle.js" });
  for (const name of ["bg", "a2a", "deciding", "rest", "editing", "schema", "policy"]) {
    cpSync(join(place, `node_modules/countersign/dist/wasm/countersign_${name}.wasm`), join(folder, `countersign_${name}.wasm`));
  }
  await drive(t, folder);
});

test("React 19 knows the types of the components, their refs and the tags", async () => {
  assert.deepEqual(await complaints("react"), []);
});

test("React 19", async (t) => {
  const page = await drive(t, await vite(stage("react")));
  assert.equal(await page.locator("countersign-inbox").getAttribute("class"), "calls");
});

test("Vue 3, its templates type-checked", async (t) => {
  const folder = stage("vue");
  await tool(folder, "vue-tsc/bin/vue-tsc.js", "-p", ".").catch(({ stdout }) => assert.fail(stdout));
  await drive(t, await vite(folder));
});

test("Svelte 5", async (t) => drive(t, await vite(stage("svelte"))));

test("Next.js draws the page on its server and the cards in the browser", async (t) => {
  const folder = stage("next");
  await buildNext(folder);
  const origin = await startNext(t, folder);
  const drawn = async (path) => (await fetch(origin + path)).text();
  assert.match(await drawn("/"), /<h1>Calls<\/h1><countersign-inbox><\/countersign-inbox>/);
  await visit(t, origin, async (page) => {
    await page.locator("[part~=always-button]").waitFor();
    await look(page);
  });
  assert.match(await drawn("/card"), /<h1>Call<\/h1><countersign-card class="inline" request-id="r1"><\/countersign-card>/);
  const page = await visit(t, `${origin}/card`);
  assert.equal(await page.locator("main > countersign-card").getAttribute("class"), "inline");
});

/** The addresses that a page asks for, seen from its own. */
function watch(page) {
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").at(-1)));
  return asked;
}

test("`./slim` downloads what the page names, when it names it, and nothing else", async (t) => {
  const folder = withPackage(stage("slim"));
  const server = await serveFolder(folder);
  t.after(() => server.close());
  const page = await openPage(t, await profile(t, browser), `${server.origin}/blank.html`);
  const asked = watch(page);
  await page.goto(server.origin);
  await page.waitForFunction(() => globalThis.begin);
  const wasm = () => asked.filter((name) => name.endsWith(".wasm")).sort();
  assert.match(await page.evaluate(() => begin({}).then(String, (error) => error.message)), /`source`, `parts.deciding`, `parts.rest`, `parts.editing`, `parts.schema`, `parts.policy`/);
  assert.deepEqual(wasm(), [], "an element that stands in the page waits");
  await page.evaluate(() => void begin());
  await look(page);
  await page.waitForFunction(() => globalThis.sent?.length > 0);
  approves((await page.evaluate(() => sent))[0]);
  assert.deepEqual(wasm(), ["bg", "a2a", "deciding", "rest"].map((name) => `countersign_${name}.wasm`).sort());
  const code = await page.evaluate(() => element.restore('{"values":{"messages":[]},"next":[],"tasks":[]}').then(String, ({ code }) => code));
  assert.equal(code, "part-missing", "a history for an adapter that was not named");
});

test("Vite puts only what `./slim` is told into its output", async (t) => {
  const folder = stage("slim-vite");
  const built = await vite(folder);
  const files = readdirSync(join(built, "assets")).map((name) => name.replace(/-[\w-]{8}\./, "."));
  const named = ["bg", "a2a", "deciding", "rest", "editing", "schema", "policy"].map((name) => `countersign_${name}.wasm`);
  assert.deepEqual(files.filter((name) => name.endsWith(".wasm")).sort(), named.sort());
  await drive(t, built);
});

test("`./inline` is one file: the page asks for nothing else", async (t) => {
  const folder = withPackage(stage("inline"));
  const server = await serveFolder(folder);
  t.after(() => server.close());
  const page = await openPage(t, await profile(t, browser), `${server.origin}/blank.html`);
  const asked = watch(page);
  await page.goto(server.origin);
  await look(page);
  await page.waitForFunction(() => globalThis.sent?.length > 0);
  approves((await page.evaluate(() => sent))[0]);
  await page.getByText("Genehmigt").first().waitFor();
  assert.deepEqual(asked, ["", "task.js", "inline.js"]);
});

test("`./inline` in a page that is one file, opened from a disk", async (t) => {
  const folder = stage("inline");
  const module = readFileSync(join(place, "node_modules/countersign/dist/inline.js"), "utf8");
  assert.doesNotMatch(module, /<\/script/i);
  const readme = readFileSync(join(place, "node_modules/countersign/README.md"), "utf8");
  const [, said, compressed] = /About (\d+) kB, (\d+) kB compressed/.exec(readme);
  for (const [number, bytes] of [[said, module.length], [compressed, gzipSync(module).length]]) {
    assert.ok(Math.abs(bytes / 1000 / number - 1) < 0.05, `the README says ${number} kB, and there are ${bytes} bytes`);
  }
  const task = readFileSync(join(folder, "task.js"), "utf8").replace("export ", "");
  const page = readFileSync(join(folder, "one-file.html"), "utf8").replace("/* inline.js */", () => module).replace("/* task.js */", () => task);
  writeFileSync(join(folder, "one-file.html"), page);
  await visit(t, pathToFileURL(join(folder, "one-file.html")).href);
});

test("Node without a browser", async () => {
  const { stdout } = await run(process.execPath, ["main.js"], { cwd: stage("node") });
  approves(stdout);
});

test("a web worker", async (t) => drive(t, await vite(stage("worker")), { approve: (page) => page.getByRole("button").click() }));

test("an empty folder, `npm i` and the first example of the README", async (t) => {
  const folder = join(place, "readme");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const words of [["init", "-y"], ["install", "--no-audit", "--no-fund", tarball]]) await run("npm", words, { cwd: folder });
  const readme = readFileSync(join(folder, "node_modules/countersign/README.md"), "utf8");
  // What a reader finds first is what they try.
  const [, language, page] = /^```(\w*)\n([^]*?)^```$/m.exec(readme);
  assert.equal(language, "html");
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "favicon.ico"), "");
  for (const [, file] of readme.matchAll(/<img src="([^"]+)"/g)) assert.ok(existsSync(join(folder, "node_modules/countersign", file)), file);
  const server = await serveFolder(folder);
  t.after(() => server.close());
  const shown = await openPage(t, await profile(t, browser), server.origin);
  const logged = shown.waitForEvent("console", (message) => message.type() === "log");
  await look(shown);
  approves((await logged).text());
});
