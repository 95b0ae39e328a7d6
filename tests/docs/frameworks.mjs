// The components of the blocks in React and Vue, each in a page that Vite builds.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";

import { eventually } from "../browser/harness/eventually.mjs";
import { place } from "../packaging/install.mjs";
import { program } from "./blocks.mjs";
import { approve, approved, bundle, scripted, stageBlock, visit } from "./pages.mjs";

export const JSX = 'import react from "@vitejs/plugin-react";\nexport default { plugins: [react()] };';
export const VUE = 'import vue from "@vitejs/plugin-vue";\nexport default { plugins: [vue()] };';

/** A module with a component, drawn strictly with some properties. */
export const drawn = (code, name, properties, before = "") => ({
  "vite.config.js": JSX,
  "block.jsx": code,
  "main.js": `import { createElement, StrictMode } from "react";\nimport { createRoot } from "react-dom/client";\nimport { ${name} } from "./block.jsx";\n${before}const root = createRoot(document.getElementById("root"));\nconst draw = (more) => root.render(createElement(StrictMode, null, createElement(${name}, { ...${properties}, ...more })));\ndraw();\n`,
});

/** A component of Vue, mounted with some properties. */
export const mounted = (code, properties) => ({
  "vite.config.js": VUE,
  "Block.vue": code,
  "main.js": `import { createApp } from "vue";\nimport Block from "./Block.vue";\ncreateApp(Block, ${properties}).mount("#root");\n`,
});

/** A component that says words to the agent, tells where its connector stands, and begins another conversation. */
export const conversing = (thread) => async (t, block, { browser }) => {
  const folder = await bundle(block, drawn(program(block), "Chat", "{}"));
  // The stub has no other conversation.
  const { page, told } = await visit(t, browser, { folder, backend: "langgraph", ...thread, expectedErrors: [/\/api\/threads\//] });
  await page.getByText("live", { exact: true }).waitFor();
  await approve(page);
  await approved(told, "langgraph");
  const ask = page.getByRole("button", { name: "Ask" });
  await ask.click();
  await eventually(() => assert.equal(told[1]?.input.messages[0].content, "Delete the report of last year."));
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByText("the backend has nothing at this address").first().waitFor();
  assert.equal(await ask.isDisabled(), true);
  assert.equal(await page.locator("[part~=card]").count(), 0);
  assert.ok(!thread.query.endsWith(await page.evaluate(() => location.hash)));
};

const ANGULAR = `import "@angular/compiler";
import { Component, signal } from "@angular/core";
import { bootstrapApplication } from "@angular/platform-browser";
import { AgentCalls } from "./block.js";

@Component({ selector: "app-root", imports: [AgentCalls], template: "<agent-calls [threadId]='thread()' />" })
class App {
  thread = signal("THREAD");
  constructor() {
    Object.assign(globalThis, { app: this });
  }
}
globalThis.application = await bootstrapApplication(App);
`;

/** A component of Angular without zones, compiled in the browser, in a script of esbuild, which is Angular's own bundler. */
export const inAngular = (thread) => async (t, block, { browser }) => {
  // Angular's command line says by a decorator what an input is.
  const declared = program(block)
    .replace("@angular/core", '@angular/core";\nimport { Input } from "@angular/core')
    .replace("readonly threadId", '@Input({ isSignal: true, alias: "threadId", required: true } as any) readonly threadId');
  const html = scripted('import "./bundle.js";', "<app-root></app-root>");
  const tsconfig = '{"compilerOptions":{"experimentalDecorators":true,"useDefineForClassFields":false}}';
  const folder = stageBlock(block, { "block.ts": declared, "main.ts": ANGULAR.replace("THREAD", thread.options.thread), "index.html": html, "tsconfig.json": tsconfig });
  const esbuild = await import(join(place, "node_modules/esbuild/lib/main.js"));
  await esbuild.build({ absWorkingDir: folder, entryPoints: ["main.ts"], outfile: join(folder, "bundle.js"), bundle: true, format: "esm" });
  cpSync(join(place, "node_modules/countersign/dist/wasm"), join(folder, "wasm"), { recursive: true });
  // The stub has no other conversation.
  const { page, told } = await visit(t, browser, { folder, backend: "langgraph", ...thread, expectedErrors: [/\/api\/threads\//] });
  await approve(page);
  await approved(told, "langgraph");
  await page.evaluate(() => {
    globalThis.before = document.querySelector("countersign-inbox").connector;
    globalThis.app.thread.set("another");
  });
  await page.waitForFunction(() => document.querySelector("countersign-inbox").connector !== globalThis.before);
  assert.equal(await page.evaluate(() => globalThis.before.state), "closed");
  await page.locator("[part~=card]").waitFor({ state: "detached" });
  await page.evaluate(() => {
    globalThis.before = document.querySelector("countersign-inbox").connector;
    globalThis.application.destroy();
  });
  assert.equal(await page.evaluate(() => globalThis.before.state), "closed");
};
