// What people type, tick and pick in the forms of the elements, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { stage } from "./page.mjs";

const open = stage("forms", "<countersign-inbox></countersign-inbox>");

/** An inbox that was asked all this, of one adapter. */
async function asked(t, adapter, messages) {
  const page = await open(t);
  await page.evaluate(
    ([adapter, messages]) => {
      const element = document.querySelector("countersign-inbox");
      element.options = { adapter };
      element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
      for (const message of messages) element.receive(JSON.stringify(message));
    },
    [adapter, messages],
  );
  return page;
}

/** The dialog that edits these arguments. */
async function edited(t, tool_params, parameters) {
  const ask = { type: "approval_request", id: "r1", tool_name: "send", tool_params, tool_call_id: "c1", parameters };
  const page = await asked(t, "haystack", [{ ...ask, allowed_actions: ["confirm", "reject", "modify"] }]);
  await page.locator("[part=edit-button]").click();
  const dialog = page.getByRole("dialog");
  const button = (name) => dialog.getByRole("button", { name, exact: true });
  return { page, dialog, button, field: (name) => dialog.getByLabel(name, { exact: true }) };
}

function part(id, name, args) {
  const call = { originalFunctionCall: { id: `call-${id}`, name, args }, toolConfirmation: { hint: "", confirmed: false } };
  const data = { id, name: "adk_request_confirmation", args: call };
  return { kind: "data", metadata: { kagent_type: "function_call", kagent_is_long_running: true }, data };
}

function task(at, ...parts) {
  const message = { kind: "message", role: "agent", messageId: `m-${at}`, parts };
  const status = { state: "input-required", timestamp: "2026-11-21T09:00:00Z", message };
  return { kind: "task", id: `task-${at}`, contextId: `ctx-${at}`, status, history: [] };
}

test("r07_what_is_typed_before_a_value_stays_where_the_caret_is", async (t) => {
  const { page, dialog, button, field } = await edited(t, { n: 1, list: [1] });
  await field("n").focus();
  await page.keyboard.press("Home");
  await page.keyboard.type(" 2");
  assert.equal(await field("n").inputValue(), " 21");
  await button("Edit as JSON list").click();
  const json = field("JSON text of list");
  await json.focus();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Enter");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.type("2, ");
  assert.equal(await json.inputValue(), "\n[2, 1]");
  await button("JSON").click();
  assert.equal(await dialog.locator("[part=edit-json]").inputValue(), '{"n":21,"list":[2, 1]}');
});

test("r47_the_focus_stays_in_the_dialog_whatever_is_drawn_in_the_place_of_what_had_it", async (t) => {
  const schema = { properties: { map: { type: ["object", "null"] }, list: { type: "array" } } };
  const { page, dialog, button, field } = await edited(t, { n: 1, map: {}, list: [{}, {}] }, schema);
  const has = (locator) => eventually(async () => assert.ok(await locator.evaluate((element) => element.matches(":focus"))));
  await button("Edit as JSON n").click();
  await field("JSON text of n").fill("1,");
  await button("Form n").click();
  await has(button("Back to the JSON text n"));
  await page.keyboard.press("Enter");
  await has(field("JSON text of n"));
  // The name of a new member belongs to its object, wherever that goes, and is given up with it.
  await button("Add field map").click();
  await has(field("Name of the new field"));
  await button("Set to null map").click();
  await has(button("Give a value map"));
  await button("Add field list[0]").click();
  await page.keyboard.type("x");
  await button("Down list[0]").click();
  await eventually(async () => assert.equal(await field("Name of the new field").count(), 0));
  await button("Add field list[0]").click();
  await button("JSON").click();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("r44_answers_that_are_taken_back_can_be_changed", async (t) => {
  const question = { question: "Which?", choices: ["red", "blue"], multiple: true };
  const why = { question: "Why?", choices: [], multiple: false };
  const page = await asked(t, "a2a", [
    task(1, part("q", "ask_user", { questions: [question, why] }), part("d", "delete_file", { path: "/x" })),
  ]);
  await page.getByLabel("blue").check();
  await page.getByLabel("Why?").fill("a long story");
  await page.locator("[part=answer-button]").click();
  await page.locator("[part=undo-button]").click();
  assert.equal(await page.getByLabel("Why?").inputValue(), "a long story");
  assert.deepEqual([await page.getByLabel("red").isChecked(), await page.getByLabel("blue").isChecked()], [false, true]);
});

test("r44_what_was_said_outlives_a_page_that_is_turned", async (t) => {
  const asks = Array.from({ length: 30 }, (_, at) => {
    const why = { question: `Why ${at}?`, choices: [], multiple: false };
    return task(at, at === 1 ? part("d", "delete_file", { path: "/x" }) : part(`q${at}`, "ask_user", { questions: [why] }));
  });
  const page = await asked(t, "a2a", asks);
  const turn = async (name, first) => {
    await page.locator(`[part=${name}]`).last().click();
    await page.locator("[part=card]").filter({ hasText: first }).waitFor();
  };
  await page.getByLabel("Why 0?").fill("a long story");
  await page.locator("[part=reject-button]").click();
  await page.locator("[part=reason-field]").fill("not yet");
  await turn("more", "Why 29?");
  await turn("previous", "Why 0?");
  assert.equal(await page.getByLabel("Why 0?").inputValue(), "a long story");
  await page.locator("[part=reject-button]").click();
  assert.equal(await page.locator("[part=reason-field]").inputValue(), "not yet");
});
