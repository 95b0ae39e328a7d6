// Elements in frames and other windows: what they hear of keys there, and whether they can be pressed.
import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage, profile } from "../browser/harness/browser.mjs";
import { steady } from "../browser/harness/press.mjs";
import { serve } from "./page.mjs";
import { task } from "./task.mjs";

const served = serve(
  "frames",
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title>
<script type="importmap">{"imports":{"countersign":"./package/dist/index.js","countersign/define":"./package/dist/define.js"}}</script>`,
  { headers: { "access-control-allow-origin": "*" } },
);

/** Puts an element with these calls into a page. */
const fill = (page, calls) =>
  page.evaluate(async (message) => {
    const { init, Inbox } = await import("countersign");
    await init();
    await import("countersign/define");
    const inbox = new Inbox({ adapter: "a2a" });
    inbox.receive(message);
    const element = Object.assign(document.createElement("countersign-inbox"), { inbox });
    Object.assign(globalThis, { sent: [], element });
    element.addEventListener("countersign-send", ({ detail }) => {
      sent.push(...detail.requestIds);
      detail.respondWith(Promise.resolve());
    });
    document.body.append(element);
  }, task(calls, "t1"));

for (const place of ["frame", "window"]) {
  test(`r27_enter_that_went_down_elsewhere_in_a_${place}_presses_no_button_that_gets_the_focus_there`, async (t) => {
    const page = await openPage(t, await profile(t, served.browser), served.origin);
    await fill(page, [["r1", "pay", "{}"]]);
    const opened = place === "window" ? page.waitForEvent("popup") : undefined;
    await page.evaluate((kind) => {
      const frame = Object.assign(document.createElement("iframe"), { width: 900, height: 500 });
      if (kind === "frame") document.body.append(frame);
      const { document: there } = kind === "frame" ? frame.contentWindow : open("", "", "width=900,height=700");
      const line = there.body.appendChild(there.createElement("input"));
      line.id = "line";
      there.body.append(element);
      line.addEventListener("keydown", ({ key }) => key === "Enter" && element.shadowRoot.querySelector("[part~=approve-button]").focus());
    }, place);
    const other = await opened;
    const within = other ?? page.frames()[1];
    await other?.bringToFront();
    await steady(within.locator("[part~=approve-button]"));
    await within.locator("#line").focus();
    await (other ?? page).keyboard.press("Enter");
    await page.waitForTimeout(300);
    assert.deepEqual(await page.evaluate(() => sent), []);
    await (other ?? page).keyboard.press("Enter");
    await page.waitForFunction(() => sent.length === 1);
  });
}

// In Chromium no such key acts; in Firefox it does, and the other window never hears it go down.
for (const [from, to] of [["page", "frame"], ["frame", "page"]]) {
  test(`r27_enter_that_went_down_in_the_${from}_presses_no_button_that_gets_the_focus_in_the_${to}`, async (t) => {
    const page = await openPage(t, await profile(t, served.browser), served.origin);
    await fill(page, [["r1", "pay", "{}"]]);
    await page.evaluate(([from, to]) => {
      const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { width: 900, height: 500 }));
      const places = { page: document, frame: frame.contentDocument };
      const line = places[from].body.appendChild(places[from].createElement("input"));
      line.id = "line";
      places[to].body.append(element);
      line.addEventListener("keydown", ({ key }) => key === "Enter" && element.shadowRoot.querySelector("[part~=approve-button]").focus());
    }, [from, to]);
    const within = { page, frame: page.frames()[1] };
    await steady(within[to].locator("[part~=approve-button]"));
    await within[from].locator("#line").focus();
    await page.keyboard.press("Enter");
    await page.waitForTimeout(300);
    assert.deepEqual(await page.evaluate(() => sent), []);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => sent.length === 1);
  });
}

test("r30_in a frame that another page holds each of several calls can be approved, also the first below their bar", async (t) => {
  const page = await openPage(t, await profile(t, served.browser), served.origin);
  for (const density of ["comfortable", "compact"]) {
    await page.evaluate((source) => {
      const frame = Object.assign(document.createElement("iframe"), { width: 900, height: 850, src: source });
      frame.sandbox = "allow-scripts";
      document.body.replaceChildren(frame);
      return new Promise((resolve) => (frame.onload = resolve));
    }, served.origin);
    const frame = page.frames()[1];
    await frame.evaluate(() => document.body.replaceChildren());
    await fill(frame, [["r1", "pay", "{}"], ["r2", "send", "{}"]]);
    await frame.evaluate((name) => element.setAttribute("data-density", name), density);
    for (const at of [0, 1]) await steady(frame.locator("[part~=card] [part~=approve-button]").nth(at));
  }
});
