// The list of calls that are approved together, while the agent's time runs, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { stage } from "./page.mjs";

const open = stage("review", "<countersign-inbox></countersign-inbox>");
const ask = (id) => ({ type: "approval_request", id, tool: "delete_file", args: [`/${id}`], message: "?" });

test("r41_how_long_the_agent_waits_is_counted_in_the_list_of_calls_too_and_what_waits_no_more_is_not_said_to_have_changed", async (t) => {
  const page = await open(t);
  await page.evaluate((messages) => {
    globalThis.clock = 1_000_000;
    const element = Object.assign(document.createElement("countersign-inbox"), { options: { adapter: "adalflow", adalflow: { timeout_s: 100 }, now: () => clock } });
    document.querySelector("countersign-inbox").replaceWith(element);
    globalThis.element = element;
    for (const message of messages) element.receive(message);
  }, ["a", "b", "c"].map(ask));
  await page.locator("[part=approve-all-button]").click();
  const dialog = page.getByRole("dialog");
  const rows = dialog.locator("[part=review-row]");
  const left = (time) => dialog.getByText(`Waits for you · ${time}`);
  await left("1:40").nth(2).waitFor();
  assert.equal(await dialog.getByText("Little time is left").count(), 0);
  await page.evaluate(() => (clock += 81_000));
  await left("0:19").nth(2).waitFor();
  await dialog.getByText("Little time is left: the agent will stop waiting.").waitFor();
  // One is settled elsewhere.
  await page.evaluate(() => element.inbox.decidedElsewhere(element.inbox.requests()[1].id, { kind: "reject" }));
  await rows.nth(1).getByText("No longer waiting").waitFor();
  assert.doesNotMatch(await rows.nth(1).innerText(), /changed|Waits for you/);
  assert.equal(await rows.nth(1).locator("input").isChecked(), false);
  assert.match(await rows.nth(0).innerText(), /Waits for you · 0:19/);
});
