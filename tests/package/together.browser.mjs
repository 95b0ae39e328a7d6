// Calls of which the backend runs none when one is rejected, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";

const open = stage("together", "<countersign-inbox></countersign-inbox>");
const RULE = "If one of these calls is rejected, none of them runs.";

/** What a thread in JavaScript asks about these tools. */
const asked = (...tools) => ({
  event: "updates",
  data: {
    __interrupt__: [
      {
        id: "903a7051571533cd67d2897a2694c6d1",
        value: {
          actionRequests: tools.map((name) => ({ name, args: { n: 1 } })),
          reviewConfigs: tools.map((actionName) => ({ actionName, allowedDecisions: ["approve", "reject"] })),
        },
      },
    ],
  },
});

test("that one rejection drops a whole batch is said on each card before it happens, and again before the batch leaves", async (t) => {
  const page = await open(t);
  const element = page.locator("countersign-inbox");
  await page.evaluate((message) => {
    const element = document.querySelector("countersign-inbox");
    element.options = { adapter: "langgraph", holdBatches: 60_000 };
    return element.receive(message);
  }, asked("delete_file", "send_email"));
  const cards = element.locator("[part~=card]");
  await element.getByText(RULE).nth(1).waitFor();
  assert.deepEqual(await cards.evaluateAll((cards, rule) => cards.map((card) => card.innerText.includes(rule)), RULE), [true, true]);
  await press(cards.nth(0).getByRole("button", { name: /^Approve/ }));
  await cards.nth(1).getByRole("button", { name: /^Reject/ }).click();
  await cards.nth(1).locator("[part~=send-rejection-button]").click();
  // It goes out in a moment, and what was approved will not run.
  const bar = element.locator("[part~=batch-bar]");
  await bar.getByText("To run: 0 · refused: 1").waitFor();
  assert.ok((await bar.innerText()).includes(RULE));
  await bar.locator("[part~=change-button]").click();
  await press(cards.nth(1).getByRole("button", { name: /^Approve/ }));
  await bar.getByText("To run: 2 · refused: 0").waitFor();
  assert.ok(!(await bar.innerText()).includes(RULE), "nothing is dropped");
});

test("one call alone has nothing said of others", async (t) => {
  const page = await open(t);
  const element = page.locator("countersign-inbox");
  await page.evaluate((message) => {
    const element = document.querySelector("countersign-inbox");
    element.options = { adapter: "langgraph" };
    return element.receive(message);
  }, asked("delete_file"));
  await element.locator("[part~=card]").waitFor();
  assert.equal(await element.getByText(RULE).count(), 0);
});
