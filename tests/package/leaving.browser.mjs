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

for (const place of ["a frame", "a window"]) {
  test(`what is decided after ${place} with an element in it was closed leaves by another element`, async (t) => {
    const page = await open(t);
    const outcome = await page.evaluate(
      async ([message, place]) => {
        const { Inbox } = countersign;
        const inbox = new Inbox({ adapter: "a2a" });
        inbox.receive(message);
        const frame = place === "a frame" ? document.body.appendChild(document.createElement("iframe")) : undefined;
        const view = frame?.contentWindow ?? window.open("about:blank", "_blank", "width=300,height=200");
        const show = (body) => body.appendChild(Object.assign(document.createElement("countersign-inbox"), { inbox }));
        const moment = () => new Promise((done) => setTimeout(done, 100));
        const lost = show(view.document.body);
        await moment();
        const shownBefore = inbox.shownBy.size;
        if (frame) frame.remove();
        else view.close();
        await moment();
        const shownAfter = inbox.shownBy.size;
        const bodies = [];
        document.addEventListener("countersign-send", ({ detail }) => {
          bodies.push(detail.body);
          detail.respondWith(Promise.resolve());
        });
        show(document.body);
        await moment();
        inbox.decide("r1", { kind: "approve" });
        await moment();
        // It can be shown again elsewhere.
        document.body.append(lost);
        await moment();
        return { shown: [shownBefore, shownAfter, inbox.shownBy.size], sent: bodies.length, status: inbox.requests()[0].status };
      },
      [task([["r1", "delete_file", "{}"]]), place],
    );
    assert.deepEqual(outcome, { shown: [1, 0, 2], sent: 1, status: "sent" });
  });
}

/** Two elements on one inbox, each in a container; `listen` is called with these, and then a call is approved. Ten seconds are few. */
async function together(t, listen) {
  const page = await open(t, { expectedErrors: [/nobody says what became of it/] });
  return page.evaluate(
    async ([message, listen]) => {
      const later = globalThis.setTimeout;
      globalThis.setTimeout = (act, wait, ...rest) => later(act, wait === 10_000 ? 200 : wait, ...rest);
      const inbox = new countersign.Inbox({ adapter: "a2a" });
      inbox.receive(message);
      const places = ["one", "two"].map((id) => document.body.appendChild(Object.assign(document.createElement("div"), { id })));
      for (const place of places) place.append(Object.assign(document.createElement("countersign-inbox"), { inbox }));
      const heard = [];
      new Function("heard", "places", listen)(heard, places);
      await new Promise((done) => later(done, 100));
      inbox.decide("r1", { kind: "approve" });
      await new Promise((done) => later(done, 500));
      const [{ status, outbound }] = inbox.requests();
      return { heard, status, outbound: outbound?.state };
    },
    [task([["r1", "delete_file", "{}"]]), listen],
  );
}

test("a message is heard around each element of its inbox, once by whoever stands around several", async (t) => {
  const { heard, status } = await together(
    t,
    `for (const at of [...places, document]) at.addEventListener("countersign-send", ({ target, detail }) => {
      heard.push([at.id ?? "document", target.parentNode.id]);
      if (at === places[1]) detail.respondWith(Promise.resolve());
    });`,
  );
  assert.deepEqual([heard, status], [[["one", "one"], ["document", "one"], ["two", "two"]], "sent"]);
});

test("what nobody looks at has failed and can be sent again, and who has looked at it may answer later", async (t) => {
  const unheard = await together(t, "");
  assert.deepEqual([unheard.status, unheard.outbound], ["drafted", "failed"]);
  const seen = await together(t, 'places[0].addEventListener("countersign-send", ({ detail }) => heard.push(detail.id));');
  assert.deepEqual([seen.heard.length, seen.status, seen.outbound], [1, "sending", "sending"]);
});

test("an inbox that an element shows is not freed under it", async (t) => {
  const page = await open(t);
  const outcomes = await page.evaluate(async (message) => {
    const inbox = new countersign.Inbox({ adapter: "a2a" });
    inbox.receive(message);
    const told = [];
    const free = () => {
      try {
        inbox.free();
        inbox.requests();
      } catch ({ code }) {
        told.push(code);
      }
    };
    for (const name of ["inbox", "card", "policy"]) {
      const element = Object.assign(document.createElement(`countersign-${name}`), { inbox, requestId: "r1" });
      document.body.append(element);
      free();
      element.remove();
    }
    free();
    return told;
  }, task([["r1", "pay", "{}"]]));
  assert.deepEqual(outcomes, ["options-invalid", "options-invalid", "options-invalid", "inbox-freed"]);
});
