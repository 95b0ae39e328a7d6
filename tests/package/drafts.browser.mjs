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

test("the words of a reason outlive a reload and an inbox that is made anew, and not the answer", async (t) => {
  const page = await open(t);
  const words = page.locator("[part=reason-field]");
  const begin = async () => {
    await page.locator("[part=reject-button]").click();
    await words.waitFor();
  };
  await arrive(page);
  await begin();
  await page.keyboard.type("Not before Friday.");
  assert.equal(await words.inputValue(), "Not before Friday.");
  await page.reload();
  await page.evaluate(async () => {
    globalThis.countersign = await import("countersign");
    await countersign.init();
    await import("countersign/define");
  });
  await arrive(page);
  await begin();
  assert.equal(await words.inputValue(), "Not before Friday.", "after a reload");
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    const element = document.querySelector("countersign-inbox");
    element.inbox = new countersign.Inbox({ adapter: "haystack" });
  });
  await page.getByText("Nothing waits for you.").waitFor();
  await arrive(page);
  await begin();
  assert.equal(await words.inputValue(), "Not before Friday.", "in another inbox");
  await page.locator("[part=send-rejection-button]").click();
  await page.waitForFunction(() => ["sent", "rejected"].includes(document.querySelector("countersign-inbox").inbox.requests()[0].status));
  await eventually(async () => assert.deepEqual(await kept(page), []));
});

test("r24_the_words_of_a_reason_that_look_like_a_secret_are_not_written_down", async (t) => {
  const page = await open(t);
  await arrive(page);
  await page.locator("[part=reject-button]").click();
  const words = page.locator("[part=reason-field]");
  await words.fill("It needs another one");
  await eventually(async () => assert.equal((await kept(page)).length, 1));
  await words.fill("It needs another one, password=correct-horse-battery");
  await eventually(async () => assert.deepEqual(await kept(page), []));
});

test("r24_answers_to_an_agents_questions_are_written_down_nowhere_since_it_may_ask_for_a_secret_in_any_words", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const element = Object.assign(document.createElement("countersign-inbox"), { options: { adapter: "a2a" } });
    document.querySelector("countersign-inbox").replaceWith(element);
    const questions = [
      { question: "Which code has just been sent to you?", choices: [], multiple: false },
      { question: "Which account?", choices: ["first", "second"], multiple: false },
    ];
    const data = { id: "q1", name: "adk_request_confirmation", args: { originalFunctionCall: { id: "call-q1", name: "ask_user", args: { questions } }, toolConfirmation: { hint: "", confirmed: false } } };
    const parts = [{ kind: "data", metadata: { kagent_type: "function_call", kagent_is_long_running: true }, data }];
    const message = { kind: "message", role: "agent", messageId: "m1", taskId: "t1", parts };
    element.receive({ kind: "task", id: "t1", contextId: "c1", history: [], status: { state: "input-required", message } });
  });
  await page.locator("[part=answer-field]").click();
  await page.keyboard.type("493 027");
  await page.getByLabel("second").check();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  // Words for a reason are kept with the key that types them.
  await pause(500);
  assert.deepEqual(await page.evaluate(() => [sessionStorage.length, localStorage.length]), [0, 0]);
});

test("r39_an_edit_that_waits_for_others_is_a_draft_again_after_a_reload_and_nothing_of_it_stays_once_it_left", async (t) => {
  const page = await open(t);
  const call = (name) => ({ name, args: { title: "a" }, description: "" });
  const config = (name) => ({ action_name: name, allowed_decisions: ["approve", "edit", "reject"] });
  const value = { action_requests: ["one", "two"].map(call), review_configs: ["one", "two"].map(config) };
  const ask = () =>
    page.evaluate((value) => {
      const element = document.querySelector("countersign-inbox");
      element.options = { adapter: "langgraph" };
      element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
      element.receive({ event: "updates", data: { __interrupt__: [{ id: "i1", value }] } });
    }, value);
  const again = async () => {
    await page.reload();
    await page.evaluate(async () => {
      await (await import("countersign")).init();
      await import("countersign/define");
    });
    await ask();
  };
  await ask();
  await edit(page);
  await page.keyboard.type("b");
  await press(page.locator("[part=send-edit-button]"));
  await page.locator("[part=card][data-status=drafted]").waitFor();
  await again();
  assert.deepEqual(await kept(page), ['{"title":"ab"}']);
  await edit(page);
  assert.equal(await field(page).inputValue(), "ab");
  await press(page.locator("[part=send-edit-button]"));
  await page.locator("[part=undo-button]").click();
  await again();
  await edit(page);
  assert.equal(await field(page).inputValue(), "ab");
  await press(page.locator("[part=send-edit-button]"));
  await press(page.locator("[part=approve-button]"));
  await page.waitForFunction(() => document.querySelector("countersign-inbox").inbox.requests().every(({ status }) => status === "sent"));
  await eventually(async () => assert.deepEqual(await kept(page), []));
});
