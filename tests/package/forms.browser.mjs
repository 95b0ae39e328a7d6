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

test("r48_in_a_narrow_dialog_what_is_wrong_is_in_view_and_no_row_is_narrow_because_of_another_one", async (t) => {
  const schema = { properties: { amount: { type: "number", minimum: 0, maximum: 5000 } }, required: ["amount"] };
  const { page, dialog, field } = await edited(t, { amount: 1, token: "sk-live-1234567890abcdefghijklmnop", memo: "a" }, schema);
  for (const [width, height] of [[320, 640], [360, 300]]) {
    await page.setViewportSize({ width, height });
    const [row, head] = await dialog
      .locator("[part=edit-row]")
      .first()
      .evaluate((row) => [row, row.firstElementChild].map((element) => element.getBoundingClientRect().width));
    assert.ok(head > row * 0.6, `the name has ${head} of ${row} pixels`);
    await field("memo").fill("b");
    await field("amount").fill("99999");
    const heading = dialog.locator("[part=edit-summary] > p");
    await heading.filter({ hasText: "1 problem" }).waitFor();
    const seen = await heading.evaluate((heading) => {
      const { left, top, bottom } = heading.getBoundingClientRect();
      return [top, bottom - 1].every((y) => heading.contains(heading.getRootNode().elementFromPoint(left + 10, y)));
    });
    assert.ok(seen, `${width} by ${height}: why it cannot be sent is in view`);
    const [send, cancel] = await Promise.all(["send-edit-button", "cancel-button"].map((part) => dialog.locator(`[part=${part}]`).boundingBox()));
    assert.ok(cancel.x > send.x + send.width && cancel.y < send.y + send.height, "the buttons stand beside each other");
    await field("amount").fill("1");
  }
});

test("r44_a_reason_that_is_offered_is_said_once", async (t) => {
  const ask = { type: "approval_request", id: "r1", tool_name: "send", tool_params: {}, tool_call_id: "c1" };
  const page = await asked(t, "haystack", []);
  await page.evaluate((ask) => {
    const element = document.querySelector("countersign-inbox");
    element.options = { adapter: "haystack", rejectionPresets: ["Wrong account", "Too much"] };
    element.receive(ask);
  }, JSON.stringify({ ...ask, allowed_actions: ["confirm", "reject"] }));
  await page.locator("[part=reject-button]").click();
  const words = page.locator("[part=reason-field]");
  await words.fill("Never.");
  for (const [preset, expected] of [
    ["Too much", "Never.\nToo much"],
    ["Too much", "Never.\nToo much"],
    ["Wrong account", "Never.\nToo much\nWrong account"],
    ["Too much", "Never.\nToo much\nWrong account"],
  ]) {
    await page.getByRole("button", { name: preset }).click();
    assert.equal(await words.inputValue(), expected);
  }
  await words.fill("Too much");
  await page.getByRole("button", { name: "Wrong account" }).click();
  assert.equal(await words.inputValue(), "Wrong account");
});

test("r25_a_problem_names_its_place_as_the_form_does", async (t) => {
  const number = { type: "integer" };
  const schema = { properties: { "a.b": number, a: { properties: { b: number } }, 0: number, o: { properties: { "": number } } } };
  const { dialog } = await edited(t, { "a.b": "x", a: { b: "x" }, 0: "x", o: { "": "x" } }, schema);
  const rows = await dialog.locator("[part=edit-summary] li").allInnerTexts();
  assert.deepEqual(rows.map((row) => row.replace(" must be a whole number", "")).sort(), ['["0"]', '["a.b"]', "a.b", 'o[""]']);
});

test("the look of the form comes with it, once, and no sheet of its own that would outdo the page's", async (t) => {
  const { page, dialog } = await edited(t, { a: "b" });
  const looks = () =>
    page.evaluate(() => {
      const [sheet, ...others] = document.querySelector("countersign-inbox").shadowRoot.adoptedStyleSheets;
      const rules = [...sheet.cssRules].map((rule) => rule.cssText);
      return [rules.filter((rule) => rule.includes(".cs-edit-row ")).length, others.length];
    });
  const row = dialog.locator(".cs-edit-row");
  assert.equal(await row.evaluate((row) => getComputedStyle(row).display), "grid");
  assert.deepEqual(await looks(), [1, 0]);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator("[part=edit-button]").click();
  await row.waitFor();
  assert.deepEqual(await looks(), [1, 0]);
});
