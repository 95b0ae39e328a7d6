// The one place of an element in which a page may draw something of its own, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("slots", '<countersign-inbox><p slot="empty">All done for today.</p><p>A child without a place</p></countersign-inbox>');

test("a page says in its own words that nothing waits, and nothing else of it is drawn", async (t) => {
  const page = await open(t);
  await page.getByText("All done for today.").waitFor();
  assert.equal(await page.getByText("A child without a place").isVisible(), false);
  assert.equal(await page.getByText("Nothing waits for you.").isVisible(), false);
  await page.evaluate(() => document.querySelector("[slot=empty]").remove());
  await page.getByText("Nothing waits for you.").waitFor();
});

test("where a card stands, what a page says of an empty list is not drawn, whatever it looks like", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("[slot=empty] { position: fixed; inset: 0; z-index: 2147483647; background: white; }");
    document.adoptedStyleSheets = [sheet];
  });
  const [words, inbox] = [page.getByText("All done for today."), page.locator("countersign-inbox")];
  await words.waitFor();
  await page.evaluate((text) => document.querySelector("countersign-inbox").receive(text), task([["r1", "pay", "{}"]]));
  await inbox.locator("[part=card]").waitFor();
  assert.equal(await words.isVisible(), false);
  await press(inbox.locator("[part~=approve-button]"));
  await page.waitForFunction(() => told.some(([type]) => type === "countersign-send"));
});

test("while nothing is known of what waits, the page does not say that nothing does", async (t) => {
  const page = await open(t);
  await page.getByText("All done for today.").waitFor();
  await page.evaluate(() => {
    document.querySelector("countersign-inbox").connector = { state: "connecting", connect: () => new Promise(() => {}), send: async () => {}, subscribe: () => () => {} };
  });
  await page.locator("countersign-inbox [part=connection]").waitFor();
  assert.equal(await page.getByText("All done for today.").isVisible(), false);
});
