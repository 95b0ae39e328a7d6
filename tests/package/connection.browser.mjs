// What the element says of its connector: that nothing waits, only where the backend has said so.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("connection", "<countersign-inbox></countersign-inbox>");

const ASKING = "Asking the agent what waits…";
const LOST = "No connection to the agent. What waits now is not known.";
const UNREAD = "What the agent sent cannot be read. What waits now is not known.";
const NOTHING = "Nothing waits for you.";

const line = (page) => page.locator("[part=connection], [part=empty]");
const says = (page, words) => eventually(async () => assert.deepEqual(await line(page).allInnerTexts(), words));

/** A connector whose state the test sets with `become`. */
const driven = (page, first) =>
  page.evaluate((state) => {
    const listeners = new Set();
    const connector = {
      state,
      error: undefined,
      connect: () => Promise.resolve(),
      send: () => Promise.resolve(),
      subscribe: (listener) => (listeners.add(listener), () => listeners.delete(listener)),
    };
    globalThis.become = (next, error) => {
      Object.assign(connector, { state: next, error });
      for (const listener of listeners) listener();
    };
    document.querySelector("countersign-inbox").connector = connector;
  }, first);
const become = (page, state, error) => page.evaluate(([next, why]) => become(next, why), [state, error]);

test("until history is there the element says that it asks", async (t) => {
  const page = await open(t);
  await says(page, [NOTHING]);
  let answer;
  await page.route("**/sessions", (route) => (answer = () => route.fulfill({ json: JSON.parse(`{"error":false,"data":[${task([["r1", "delete_file", "{}"]])}]}`) })));
  await page.evaluate(async () => {
    const { a2a } = await import("./package/dist/connect/index.js");
    document.querySelector("countersign-inbox").connector = a2a({ url: "/agent", history: "/sessions", ids: { contextId: "c1" } });
  });
  await says(page, [ASKING]);
  await eventually(() => assert.ok(answer));
  await page.route("**/agent", (route) => route.fulfill({ json: { jsonrpc: "2.0", id: "1", result: JSON.parse(task([["r1", "delete_file", "{}"]])) } }));
  await answer();
  await page.locator("[part~=card]").waitFor();
  await says(page, []);
});

test("a history that cannot be read is not taken for one in which nothing waits", async (t) => {
  const page = await open(t);
  const restore = (history) => page.evaluate((text) => void document.querySelector("countersign-inbox").restore(text), history);
  await says(page, [NOTHING]);
  for (const broken of ['{"kind":"task","id":', '{"nobody":"knows this"}']) {
    await restore(broken);
    await says(page, [UNREAD]);
    await restore(task([]));
    await says(page, [NOTHING]);
    await restore(broken);
    await restore("{}");
    await says(page, [NOTHING]);
  }
  await restore(task([["r1", "delete_file", "{}"]]));
  await says(page, []);
  // What was known stays.
  await restore("<!doctype html>");
  await says(page, []);
  assert.equal(await page.locator("[part~=card]").count(), 1);
});

test("a backend that cannot be reached is not taken for one that asks nothing", async (t) => {
  const page = await open(t);
  await driven(page, "idle");
  await says(page, [ASKING]);
  await become(page, "connecting");
  await become(page, "waiting", { code: "unreachable", message: "no answer" });
  await says(page, [LOST]);
  // It tries again, which changes nothing until it is there.
  await become(page, "connecting");
  await says(page, [LOST]);
  assert.equal(await page.locator("[role=status][part=connection]").count(), 1);
  await become(page, "live");
  await says(page, [NOTHING]);
  assert.deepEqual(await page.evaluate(() => told.map(([type, , { code }]) => [type, code])), [["countersign-error", "unreachable"]]);
});

test("a short break is not shown, a long one is, over cards that stay", async (t) => {
  const page = await open(t);
  await driven(page, "live");
  await page.evaluate((message) => document.querySelector("countersign-inbox").restore(message), task([["r1", "delete_file", "{}"]]));
  await page.locator("[part~=card]").waitFor();
  await become(page, "waiting", { code: "unreachable", message: "no answer" });
  await become(page, "connecting");
  await page.waitForTimeout(500);
  await says(page, []);
  await become(page, "live");
  await become(page, "failed", { code: "backend-error", message: "401" });
  await says(page, [LOST]);
  assert.equal(await page.getByRole("button", { name: /^Approve/ }).count(), 1);
  await page.evaluate(() => {
    const element = document.querySelector("countersign-inbox");
    const { parentElement } = element;
    element.remove();
    parentElement.append(element);
  });
  await says(page, [LOST]);
  await become(page, "live");
  await says(page, []);
  // To end it is to know no more what waits.
  await become(page, "closed");
  await says(page, [LOST]);
  await page.evaluate(() => (document.querySelector("countersign-inbox").connector = undefined));
  await says(page, []);
});

test("a backend that refuses later on is told of once", async (t) => {
  const page = await open(t);
  await page.evaluate(() => {
    globalThis.refusals = [];
    document.querySelector("countersign-inbox").addEventListener("countersign-error", ({ detail }) => refusals.push(detail.message));
  });
  await driven(page, "connecting");
  await become(page, "live");
  const refused = (message) =>
    page.evaluate((words) => {
      const error = Object.assign(new Error(words), { code: "backend-error" });
      for (const _ of [1, 2]) become("failed", error);
    }, message);
  await refused("401");
  await become(page, "live");
  await refused("403");
  await eventually(async () => assert.deepEqual(await page.evaluate(() => refusals), ["401", "403"]));
});

test("an element whose connector serves another inbox does not say that nothing waits", async (t) => {
  const page = await open(t);
  await page.route("**/approvals/pending", (route) => route.fulfill({ json: {} }));
  const said = await page.evaluate(async () => {
    const { rest } = await import("./package/dist/connect/index.js");
    const first = document.querySelector("countersign-inbox");
    const connector = rest({ url: "/" });
    first.connector = connector;
    while (connector.state !== "live") await new Promise((resolve) => setTimeout(resolve, 10));
    first.remove();
    const next = Object.assign(document.createElement("countersign-inbox"), { inbox: new countersign.Inbox() });
    const told = new Promise((resolve) => next.addEventListener("countersign-error", ({ detail }) => resolve(detail.code)));
    next.connector = connector;
    document.body.append(next);
    return told;
  });
  assert.equal(said, "options-invalid");
  await says(page, [LOST]);
});

test("a connector that is closed while it connects is no error, one that is closed and stays is", async (t) => {
  const page = await open(t);
  // A server that is slow to answer.
  await page.route("**/approvals/pending", () => undefined);
  await page.evaluate(async () => {
    const { rest } = await import("./package/dist/connect/index.js");
    globalThis.turn = (connector = rest({ url: "/" })) => (document.querySelector("countersign-inbox").connector = connector);
    const next = () => new Promise((resolve) => setTimeout(resolve, 100));
    const left = turn();
    await next();
    // React shows a page again with the connector of before, which it then replaces.
    left.close();
    turn(undefined);
    turn(left);
    await next();
    // A page that is left takes its element away, and closes what still connects.
    const gone = turn();
    await next();
    gone.close();
    document.querySelector("countersign-inbox").remove();
    await next();
    document.body.append(document.createElement("countersign-inbox"));
    turn();
  });
  const codes = () => page.evaluate(() => told.map(([, , { code }]) => code));
  // React hides a page that is left, with its element.
  await page.evaluate(() => document.querySelector("countersign-inbox").connector.close());
  await page.waitForTimeout(3500);
  assert.deepEqual(await codes(), []);
  await says(page, [LOST]);
  await page.evaluate(() => {
    const { connector } = document.querySelector("countersign-inbox");
    turn(undefined);
    turn(connector);
  });
  await eventually(async () => assert.deepEqual(await codes(), ["closed"]));
});

test("a connection that opens and breaks at once, again and again, is told of once until it lasts", async (t) => {
  const page = await open(t);
  await driven(page, "connecting");
  const broken = () => page.evaluate(() => told.length);
  for (const _ of [1, 2, 3]) {
    await become(page, "live");
    await become(page, "waiting", { code: "unreachable", message: "closed" });
  }
  assert.equal(await broken(), 1);
  await become(page, "live");
  await page.waitForTimeout(3200);
  await become(page, "waiting", { code: "unreachable", message: "closed again" });
  assert.equal(await broken(), 2);
});
