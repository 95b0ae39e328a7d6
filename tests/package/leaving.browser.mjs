// A person rejects and goes: what is held so that it can be undone must not be lost with the page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("leaving", '<countersign-inbox adapter="a2a"></countersign-inbox>');

/** An element that holds decisions for longer than any test waits, with these calls of one pause. */
async function asked(t, requests) {
  const page = await open(t);
  const text = task(requests.map((request) => [request, "delete_file", "{}"]));
  await page.evaluate(async (message) => {
    const element = document.querySelector("countersign-inbox");
    element.inbox = new countersign.Inbox({ adapter: "a2a", holdRejections: 600_000, holdBatches: 600_000 });
    globalThis.sent = [];
    element.addEventListener("countersign-send", ({ detail }) => {
      sent.push(detail.body);
      detail.respondWith(Promise.resolve());
    });
    await element.receive(message);
  }, text);
  const card = (at) => page.locator("[part~=card]").nth(at);
  const reject = async (at) => {
    await card(at).locator("[part~=reject-button]").click();
    await card(at).locator("[part~=send-rejection-button]").click();
    await card(at).locator("[part~=undo-button]").waitFor();
  };
  const approve = (at) => press(card(at).locator("[part~=approve-button]"));
  return { page, reject, approve, sent: () => page.evaluate(() => globalThis.sent) };
}

/** Tells the page that it is hidden, and that it is back. */
const hide = (page) =>
  page.evaluate(() => {
    for (const visibilityState of ["hidden", "visible"]) {
      Object.defineProperty(document, "visibilityState", { value: visibilityState, configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }
    delete document.visibilityState;
  });

test("a rejection that is held goes out when the page is hidden, once", async (t) => {
  const { page, reject, sent } = await asked(t, ["r1"]);
  await hide(page);
  assert.deepEqual(await sent(), []);
  await reject(0);
  assert.deepEqual(await sent(), []);
  await hide(page);
  const [body, ...others] = await sent();
  assert.match(body, /reject/);
  assert.deepEqual(others, []);
  await hide(page);
  assert.equal((await sent()).length, 1);
  const cards = () => page.evaluate(() => document.querySelector("countersign-inbox").inbox.requests().map(({ status, decision }) => [status, decision.kind]));
  await eventually(async () => assert.deepEqual(await cards(), [["sent", "reject"]]));
});

test("a batch that would run something keeps its time, however the page is left", async (t) => {
  const { page, reject, approve, sent } = await asked(t, ["r1", "r2"]);
  await reject(0);
  await approve(1);
  await hide(page);
  await page.evaluate(() => document.querySelector("countersign-inbox").remove());
  assert.deepEqual(await sent(), []);
});

test("a rejection goes out by the connector of an element that is taken away, and stays held in one that is moved", async (t) => {
  const { page, reject } = await asked(t, ["r1"]);
  await page.evaluate(() => {
    globalThis.carried = [];
    const connector = { state: "live", connect: () => Promise.resolve(), send: async ({ body }) => void carried.push(body) };
    document.querySelector("countersign-inbox").connector = connector;
  });
  await reject(0);
  await page.evaluate(() => document.body.append(document.body.appendChild(document.createElement("main")), document.querySelector("countersign-inbox")));
  assert.deepEqual(await page.evaluate(() => carried), []);
  await page.locator("[part~=undo-button]").waitFor();
  await page.evaluate(() => document.querySelector("countersign-inbox").remove());
  assert.equal((await page.evaluate(() => carried)).length, 1);
});

for (const isFirst of [true, false]) {
  test(`a rejection that is held goes out by a connector that is closed ${isFirst ? "before" : "after"} its element is taken away`, async (t) => {
    const { page, reject } = await asked(t, ["r1"]);
    await page.evaluate(async (waits) => {
      const { a2a } = await import("/package/dist/connect/index.js");
      globalThis.carried = [];
      const fetch = async (_, { body, signal }) => {
        const { id, method } = JSON.parse(body);
        await new Promise((resolve) => setTimeout(resolve, 20));
        signal.throwIfAborted();
        if (method === "message/send") carried.push(body);
        return new Response(`{"jsonrpc":"2.0","id":"${id}","result":${waits}}`, { headers: { "content-type": "application/json" } });
      };
      globalThis.connector = a2a({ url: "/agent", ids: { contextId: "c1", taskId: "t1" }, stream: false, fetch });
      document.querySelector("countersign-inbox").connector = connector;
      await connector.connect(document.querySelector("countersign-inbox").inbox);
    }, task([["r1", "delete_file", "{}"]]));
    await reject(0);
    await page.evaluate((isFirst) => {
      if (isFirst) connector.close();
      document.querySelector("countersign-inbox").remove();
      connector.close();
    }, isFirst);
    const carried = () => page.evaluate(() => [connector.state, carried.map((body) => JSON.parse(body).method)]);
    await eventually(async () => assert.deepEqual(await carried(), ["closed", ["message/send"]]));
  });
}
