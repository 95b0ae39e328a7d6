// Pages of the built package in real Chromium, as a careful host serves them.
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { folder, root } from "./package.mjs";

const HEAD = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Elements</title>
<script type="importmap">{"imports":{"countersign":"./package/dist/index.js","countersign/define":"./package/dist/define.js"}}</script>`;
// No inline styles, wasm but no eval.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; style-src 'self'";

/**
 * Serves this page, with the package beside it, to the tests of the file.
 *
 * What it returns has the `origin` and a `browser` once the tests have begun.
 */
export function serve(name, html, options) {
  const served = {};
  let server;
  before(async () => {
    const staged = join(root, "target", name);
    rmSync(staged, { recursive: true, force: true });
    mkdirSync(staged, { recursive: true });
    writeFileSync(join(staged, "index.html"), html);
    writeFileSync(join(staged, "favicon.ico"), "");
    symlinkSync(folder, join(staged, "package"), "junction");
    server = await serveFolder(staged, options);
    Object.assign(served, { origin: server.origin, browser: await launch() });
  });
  after(async () => {
    await served.browser?.close();
    await server?.close();
  });
  return served;
}

/** Serves a page with this body to the tests of the file; returns what opens it, with the tags defined. */
export function stage(name, body) {
  const served = serve(name, HEAD + body, { headers: { "content-security-policy": POLICY } });
  return async (t, { expectedErrors = [], ...options } = {}) => {
    const page = await openPage(t, await profile(t, served.browser, options), served.origin, { expectedErrors });
    await page.evaluate(async () => {
      Object.assign(globalThis, { told: [], countersign: await import("countersign") });
      const events = ["countersign-send", "countersign-extend", "countersign-error", "countersign-grants", "countersign-policy-change"];
      for (const type of events) document.addEventListener(type, ({ target, detail }) => told.push([type, target.localName, detail]));
      await countersign.init();
      await import("countersign/define");
    });
    return page;
  };
}
