// The element of the built package in real Chromium: a person approves, the page sends, the card shows it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { openPage, profile } from "../browser/harness/browser.mjs";
import { press } from "../browser/harness/press.mjs";
import { member, read } from "./lossless.mjs";
import { root } from "./package.mjs";
import { serve } from "./page.mjs";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Element</title>
<script type="importmap">{"imports":{"countersign":"./package/dist/index.js","countersign/define":"./package/dist/define.js"}}</script>
<countersign-inbox adapter="a2a"></countersign-inbox>`;
// What a careful page allows: no inline styles, wasm but no eval.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; style-src 'self'";

/** The task that waits in a recorded reload. */
const trace = read(readFileSync(join(root, "tests/traces/a2a/kagent-0.10--reload-while-pending.json"), "utf8"));
const steps = trace.value.get("steps").value;
const waiting = steps.findLast((step) => step.value.has("restore")).value.get("restore").text;
const card = member(steps.find((step) => step.value.has("cards")), "cards").value[0];
const tool = member(card, "tool").value;

const served = serve("element", PAGE, { headers: { "content-security-policy": POLICY } });

/** A page whose element has received the waiting task; `deliveries` say what becomes of each message. */
async function open(t, deliveries = []) {
  const page = await openPage(t, await profile(t, served.browser), served.origin);
  await page.evaluate(
    async ([message, fates]) => {
      const element = document.querySelector("countersign-inbox");
      Object.assign(globalThis, { element, sent: [], errors: [], changes: [] });
      element.addEventListener("countersign-send", ({ detail }) => {
        sent.push({ id: detail.id, body: detail.body, requestIds: detail.requestIds });
        const fate = fates.shift() ?? "ok";
        detail.respondWith(fate === "ok" ? Promise.resolve() : Promise.resolve(new Response(fate, { status: 503 })));
      });
      element.addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));
      element.addEventListener("countersign-change", ({ detail }) => changes.push(detail.waiting));
      // Before the tag is defined, so the element must take its history later.
      const { CountersignInboxElement } = await import("countersign");
      await import("countersign/define");
      await import("./package/dist/define.js?again").catch(() => {});
      if (!(element instanceof CountersignInboxElement)) throw new Error("the element was not upgraded");
      await element.restore(message);
    },
    [waiting, deliveries],
  );
  return page;
}

const button = (page, name) => page.getByRole("button", { name: new RegExp(`^${name}`) }).first();
const statuses = (page) => page.evaluate(() => element.inbox.requests().map(({ status }) => status));
const until = (page, status) => page.waitForFunction((wanted) => element.inbox.requests()[0]?.status === wanted, status);

test("a person approves, the page sends the body, the card shows that it was sent", async (t) => {
  const page = await open(t);
  await page.getByText(tool, { exact: true }).first().waitFor();
  await press(button(page, "Approve"));
  await until(page, "sent");
  await page.getByText(/sent/i).first().waitFor();
  const { sent, errors, changes } = await page.evaluate(() => ({ sent, errors, changes }));
  assert.equal(sent.length, 1);
  const body = JSON.parse(sent[0].body);
  assert.equal(body.parts[0].data.decision_type, "approve");
  assert.equal(typeof body.taskId, "string");
  assert.deepEqual(sent[0].requestIds, [member(card, "request").value]);
  assert.deepEqual(errors, []);
  assert.equal(changes[0] >= 0 && changes.at(-1), 0);
});

test("what did not arrive says so and is sent again unchanged", async (t) => {
  const page = await open(t, ["busy"]);
  await press(button(page, "Approve"));
  await until(page, "drafted");
  await page.getByText("busy").first().waitFor();
  await button(page, "Retry").click();
  await until(page, "sent");
  const sent = await page.evaluate(() => sent);
  assert.equal(sent.length, 2);
  assert.deepEqual(sent[0], sent[1]);
});

test("what the backend did not take waits again, and says why until the next decision", async (t) => {
  const page = await open(t);
  await page.evaluate(async () => {
    element.remove();
    globalThis.element = document.createElement("countersign-inbox");
    element.setAttribute("adapter", "haystack");
    const fates = [new Response('{"detail":"/amount: too much"}', { status: 422 })];
    element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve(fates.shift())));
    document.body.append(element);
    await element.restore(JSON.stringify({ r1: { type: "approval_request", id: "r1", tool_name: "pay", tool_params: { amount: 5 } } }));
  });
  await press(button(page, "Approve"));
  const why = page.locator("[data-note=why-not-delivered]");
  await why.filter({ hasText: "(not verified): “{\"detail\":\"/amount: too much\"}”" }).waitFor();
  assert.deepEqual(await statuses(page), ["pending"]);
  // What stands there anew was not looked at yet, and does not look as if it had been.
  assert.deepEqual(await button(page, "Approve").evaluate((element) => element.ariaDisabled), "true");
  await press(button(page, "Approve"));
  await until(page, "sent");
  await why.waitFor({ state: "detached" });
});

test("a rejection is held so that it can be undone, and nothing is sent", async (t) => {
  const page = await open(t);
  await button(page, "Reject").click();
  await button(page, "Send rejection").click();
  await until(page, "drafted");
  await button(page, "Undo").click();
  await until(page, "pending");
  assert.deepEqual(await page.evaluate(() => sent), []);
});

test("a held rejection goes out by itself", async (t) => {
  const page = await open(t);
  await button(page, "Reject").click();
  await button(page, "Send rejection").click();
  await until(page, "sent");
  assert.match((await page.evaluate(() => sent))[0].body, /reject/);
});

test("an element that moves, leaves and comes back shows the same inbox", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const place = document.body.appendChild(document.createElement("main"));
    place.append(element);
    element.remove();
    place.append(element);
  });
  await page.getByText(tool, { exact: true }).first().waitFor();
  assert.deepEqual(await statuses(page), ["pending"]);
  assert.equal(await page.evaluate(() => element.shadowRoot.children.length), 1);
});

test("two elements can show one inbox", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    const second = document.createElement("countersign-inbox");
    second.inbox = element.inbox;
    document.body.append(second);
  });
  await press(page.locator("countersign-inbox").nth(1).getByRole("button", { name: /^Approve/ }).first());
  await until(page, "sent");
  await page.waitForFunction(() => document.querySelector("countersign-inbox").shadowRoot.querySelector('[data-status="sent"], [part~="history"]'));
});

test("what was set before the tag was defined counts, and another entry's inbox is refused", async (t) => {
  const page = await openPage(t, await profile(t, served.browser), served.origin, { expectedErrors: [/no adapter `fax`/] });
  const found = await page.evaluate(async () => {
    const { init, Inbox } = await import("countersign");
    await init();
    const [first] = document.getElementsByTagName("countersign-inbox");
    first.inbox = new Inbox({ adapter: "a2a" });
    const second = document.createElement("countersign-inbox");
    second.options = { adapter: "fax" };
    await import("countersign/define");
    const codes = [];
    second.addEventListener("countersign-error", ({ detail }) => codes.push(detail.code));
    document.body.append(second);
    const headless = await import("./package/dist/headless.js");
    await headless.init();
    for (const act of [() => (second.inbox = new headless.Inbox()), () => second.inbox]) {
      try {
        act();
      } catch (error) {
        codes.push(error.code);
      }
    }
    return [first.inbox instanceof Inbox, Object.hasOwn(first, "inbox"), codes];
  });
  assert.deepEqual(found, [true, false, ["unknown-adapter", "options-invalid", "unknown-adapter"]]);
});

test("the element speaks the language it is told, and the host's own words over it", async (t) => {
  const page = await open(t);
  await button(page, "Approve").waitFor();
  await page.evaluate(() => element.setAttribute("locale", "de-AT"));
  await button(page, "Genehmigen").waitFor();
  assert.equal(await page.locator("[part=inbox]").getAttribute("lang"), "de");
  await page.evaluate(() => (element.messages = { approve: "Freigeben", aprove: "x", always_allow: "immer" }));
  await button(page, "Freigeben").waitFor();
  await button(page, "Ablehnen").waitFor();
  await page.waitForFunction(() => errors.length === 2);
  assert.deepEqual(await page.evaluate(() => errors), ["messages-invalid", "messages-invalid"]);
  await page.evaluate(() => (element.locale = "ar"));
  await button(page, "رفض").waitFor();
  assert.equal(await page.locator("[part=inbox]").getAttribute("dir"), "rtl");
  await page.evaluate(() => {
    element.locale = undefined;
    element.messages = undefined;
  });
  await button(page, "Approve").waitFor();
});

test("a language without a catalogue is spoken in English, and a tag that is none is told", async (t) => {
  const page = await open(t);
  await page.evaluate(() => (element.locale = "tlh"));
  await button(page, "Approve").waitFor();
  await page.evaluate(() => (element.locale = "not a tag"));
  await page.waitForFunction(() => errors.length === 1);
  assert.deepEqual(await page.evaluate(() => errors), ["messages-invalid"]);
  await button(page, "Approve").waitFor();
});
