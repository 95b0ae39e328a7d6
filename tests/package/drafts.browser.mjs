// What becomes of edited arguments that nobody has sent yet, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually, pause } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";

const open = stage("drafts", `<countersign-inbox adapter="haystack"></countersign-inbox>`);
const ASK = JSON.stringify({
  type: "approval_request",
  id: "r1",
  tool_name: "send",
  tool_params: { title: "a" },
  tool_call_id: "c1",
  allowed_actions: ["confirm", "reject", "modify"],
});

const arrive = (page) =>
  page.evaluate((ask) => {
    const element = document.querySelector("countersign-inbox");
    element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
    return element.receive(ask);
  }, ASK);
const kept = (page) => page.evaluate(() => Object.values(sessionStorage).map((text) => text.slice(text.indexOf(" ") + 1)));
const field = (page) => page.getByRole("dialog").getByLabel("title", { exact: true });

async function edit(page) {
  await page.locator("[part=edit-button], [part=continue-button]").first().click();
  await field(page).click();
  await page.keyboard.press("End");
}

/** Types, and says what was kept in the same turn as the last key. */
async function type(page, words) {
  await page.evaluate(() => {
    globalThis.atOnce = undefined;
    addEventListener("input", () => (globalThis.atOnce = Object.values(sessionStorage)[0]), { once: true });
  });
  await page.keyboard.type(words);
}

test("what was typed is kept a moment after the last key, and at once when the page goes", async (t) => {
  const page = await open(t);
  await arrive(page);
  await edit(page);
  await type(page, "b");
  assert.equal(await page.evaluate(() => globalThis.atOnce), undefined);
  await eventually(async () => assert.deepEqual(await kept(page), ['{"title":"ab"}']));
  await page.keyboard.type("c");
  await page.reload();
  assert.deepEqual(await kept(page), ['{"title":"abc"}']);
});

test("what was typed is kept when the page is hidden and when the dialog closes, and not once it was sent", async (t) => {
  const page = await open(t);
  await arrive(page);
  await edit(page);
  const now = await page.evaluate(() => {
    const field = document.querySelector("countersign-inbox").shadowRoot.querySelector("[role=dialog] textarea, dialog textarea");
    field.value = "ab";
    field.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
    const before = Object.values(sessionStorage).length;
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    return [before, Object.values(sessionStorage).length];
  });
  assert.deepEqual(now, [0, 1]);
  await page.keyboard.press("End");
  await page.keyboard.type("c");
  await page.keyboard.press("Escape");
  await page.locator("[part=continue-button]").waitFor();
  assert.deepEqual(await kept(page), ['{"title":"abc"}']);
  await edit(page);
  await page.keyboard.type("d");
  await press(page.locator("[part=send-edit-button]"));
  await page.waitForFunction(() => document.querySelector("countersign-inbox").inbox.requests()[0].status === "sent");
  await pause(500);
  assert.deepEqual(await kept(page), []);
});
