// The components of the blocks in React and Vue, each in a page that Vite builds.
import assert from "node:assert/strict";

import { eventually } from "../browser/harness/eventually.mjs";
import { program } from "./blocks.mjs";
import { approve, approved, bundle, visit } from "./pages.mjs";

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
