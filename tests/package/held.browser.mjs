// What is decided while the agent works on another task and must not leave before that has ended, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("held", `<countersign-inbox adapter="a2a"></countersign-inbox>`);
const WHY = "Waits until the agent has finished another task";

/** A task that asks about a call of a remote agent, which kagent 0.10 takes an answer to in words alone. */
function remote() {
  const inner = { name: "adk_request_confirmation", id: "inner", originalFunctionCall: { id: "call-inner", name: "send", args: {} } };
  const payload = { task_id: "it", context_id: "ic", subagent_name: "helper", hitl_parts: [inner] };
  const asked = JSON.parse(task([["outer", "helper", "{}"]], "t2"));
  asked.status.message.parts[0].data.args.toolConfirmation.payload = payload;
  return JSON.stringify(asked);
}

const state = (id, state) => JSON.stringify({ kind: "status-update", taskId: id, contextId: "c1", status: { state } });
const receive = (page, text) => page.evaluate((text) => element.receive(text), text);
const sent = (page) => page.evaluate(() => told.filter(([type]) => type === "countersign-send").map(([, , { requestIds }]) => requestIds.join()));

test("r43_what_must_not_leave_yet_says_so_and_why_and_can_be_taken_back_and_what_just_leaves_never_does", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const element = document.querySelector("countersign-inbox");
    Object.assign(globalThis, { element, held: 0, seen: [] });
    element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
    element.addEventListener("countersign-change", ({ detail }) => (held = detail.held));
    const look = () => seen.push(element.shadowRoot.textContent);
    new MutationObserver(look).observe(element.shadowRoot, { childList: true, subtree: true, characterData: true });
  });
  await receive(page, task([["own", "pay", "{}"]], "t1"));
  await receive(page, remote());
  const card = page.locator("[part=card][data-request=inner]");
  await press(page.locator("[part=card][data-request=own]").getByRole("button", { name: /^Approve/ }));
  await page.waitForFunction(() => element.inbox.requests().some(({ request, status }) => request === "own" && status === "sent"));
  assert.ok(await page.evaluate((why) => seen.length > 0 && seen.every((text) => !text.includes(why) && !text.includes("not sent yet")), WHY));

  for (const undone of [true, false]) {
    await press(card.getByRole("button", { name: /^Approve/ }));
    await card.getByText(WHY).waitFor();
    await card.getByText("Approved · not sent yet").waitFor();
    assert.doesNotMatch(await card.innerText(), /sending/i);
    assert.equal(await page.evaluate(() => held), 1, "the page may not be left");
    if (!undone) break;
    await card.getByRole("button", { name: /^Undo/ }).click();
    await card.getByText("Waits for you").waitFor();
    assert.equal(await page.evaluate(() => held), 0);
  }
  assert.equal((await sent(page)).length, 1);
  await receive(page, state("t1", "completed"));
  await page.waitForFunction(() => element.inbox.requests().some(({ request, status }) => request === "inner" && status === "sent"));
  assert.deepEqual((await sent(page)).map((ids) => ids.includes("inner")), [false, true]);
  assert.equal(await page.evaluate(() => held), 0);
});
