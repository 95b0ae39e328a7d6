// Pages with the code of a block in them, served beside the packed package and a stub of the backend.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { promisify } from "node:util";

import { openPage, profile } from "../browser/harness/browser.mjs";
import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { serve } from "../package/connect-harness.mjs";
import { place } from "../packaging/install.mjs";
import { backends } from "./backends.mjs";
import { program } from "./blocks.mjs";
import { nameOf } from "./programs.mjs";

const run = promisify(execFile);
const TYPES = { ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8" };
const ENTRIES = { countersign: "index", "countersign/define": "define", "countersign/headless": "headless", "countersign/connect": "connect/index" };
const imports = Object.fromEntries(Object.entries(ENTRIES).map(([name, file]) => [name, `/node_modules/countersign/dist/${file}.js`]));
const HEAD = `<!doctype html><html lang="en"><meta charset="utf-8"><title>A block</title><link rel="icon" href="data:,">
<script type="importmap">${JSON.stringify({ imports })}</script>`;

/** A page with a script in it. */
export const scripted = (code, body = "<countersign-inbox></countersign-inbox>") => `${HEAD}${body}<script type="module">${code}\n</script>`;
/** A page around some markup. */
export const marked = (markup) => (markup.startsWith("<!doctype") ? markup : HEAD + markup);

/** Serves what is needed and opens the page; `told` fills with what the stub was told. */
export async function visit(t, browser, { html, folder, backend, options = {}, query = "", routes = {}, headers = {}, opensAfter, ...rest }) {
  const told = [];
  const stub = backends[backend];
  const context = await profile(t, browser); // closed before the server is, whose end would be an error inside the page
  const server = await serve(
    t,
    {
      ...stub?.routes(told, options),
      "GET /favicon.ico": ({ response }) => response.writeHead(204).end(),
      ...routes,
      other: ({ url, response }) => {
        const path = url.split("?")[0];
        if (path === "/" && html !== undefined) return response.writeHead(200, { "content-type": TYPES[".html"], ...headers }).end(html);
        const within = path === "/" ? "/index.html" : path;
        const file = [folder, place].map((at) => at && join(at, within)).find((at) => at && existsSync(at));
        if (!file || path.includes("..")) return response.writeHead(404).end();
        response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "text/plain" }).end(readFileSync(file));
      },
    },
    stub?.upgrade?.(told),
    opensAfter,
  );
  const page = await openPage(t, context, server.url + query, rest);
  return { page, told, server };
}

/** A person looks at the card, and approves. */
export async function approve(page) {
  await press(page.locator('[part~="approve-button"]').first());
}

/** Waits for the one message that the stub was told, and holds it to be the approval. */
export async function approved(told, backend) {
  await eventually(() => assert.equal(told.length, 1, "messages that went out"));
  assert.ok(backends[backend].approves(told), JSON.stringify(told));
}

/** A folder of its own below the packed package. */
export function stageBlock(block, files) {
  const folder = join(place, "docs-runs", nameOf(block));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"private":true,"type":"module"}\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs a block in Node; `given` is a script that runs before it. What it printed, line by line. */
export async function inNode(block, given = "", after = "") {
  const folder = stageBlock(block, { "given.js": given, "block.js": `${program(block)}\n${after}` });
  const { stdout } = await run(process.execPath, ["--import", "./given.js", "block.js"], { cwd: folder, timeout: 60_000 });
  return stdout.trim().split("\n");
}

/** Builds a page with Vite; the folder with the result. */
export async function bundle(block, files) {
  const folder = stageBlock(block, { "index.html": '<!doctype html><html lang="en"><title>A block</title><link rel="icon" href="data:,"><div id="root"></div><script type="module" src="./main.js"></script>', ...files });
  const env = { ...process.env, NODE_ENV: "production" };
  await run(process.execPath, [join(place, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], { cwd: folder, env, maxBuffer: 1 << 24 });
  return join(folder, "dist");
}
