// How soon a backend is asked again: whose connections end after a moment, which says that it wants a pause, and whose runs go on.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, TestSocket, until } from "./connect-harness.mjs";
import { adk as adkSays, langgraph as langgraphSays } from "./connect-recordings.mjs";
import { load } from "./package.mjs";

const { a2a, adk, langgraph, rest, websocket } = await load("countersign/connect");

const task = (state) => `{"kind":"task","id":"t1","contextId":"c1","history":[],"status":{"state":"${state}"}}`;
const update = (state) => `{"jsonrpc":"2.0","id":"x","result":{"kind":"status-update","taskId":"t1","contextId":"c1","status":{"state":"${state}"},"final":false}}`;
const settle = () => new Promise((resolve) => setTimeout(resolve, 40));

/** An A2A agent that works on a task; `follow` answers who follows it. */
async function agent(t, follow, options = {}, others = {}) {
  const server = await serve(t, {
    "GET /sessions": (exchange) => exchange.json(`[${task("working")}]`),
    "POST /": (exchange) => (exchange.body.includes("tasks/resubscribe") ? follow(exchange) : exchange.json("{}", 404)),
    ...others,
  });
  const clock = new Clock();
  const inbox = new FakeInbox();
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { server, clock, inbox, connector };
}

/** What is waited for after each of some streams that last so long and then break, or end. */
async function waitsAfter(t, lasts, how, options) {
  let open;
  const { clock, connector } = await agent(t, (exchange) => (open = exchange.stream()), options);
  const waits = [];
  for (const milliseconds of lasts) {
    await until(() => open && clock.rests.length === (options?.pollMs ? 1 : 0));
    await settle();
    clock.advance(milliseconds);
    const ending = open;
    open = undefined;
    if (how === "breaks") ending.cut();
    else ending.end();
    await until(() => clock.rests.length === 1 && (how === "ends" || connector.state === "waiting"));
    waits.push(clock.rests[0]);
    clock.advance(clock.rests[0]);
  }
  return waits;
}

const MOMENT = 1000;
const WHILE = 5000;

test("r10_follow: a backend whose streams break after a moment is asked ever more rarely, and one whose streams last at once", async (t) => {
  assert.deepEqual(await waitsAfter(t, Array(5).fill(MOMENT), "breaks"), [500, 1000, 2000, 4000, 8000]);
  assert.deepEqual(await waitsAfter(t, Array(4).fill(WHILE), "breaks"), [500, 500, 500, 500]);
});

test("r10_follow: a backend that ends streams before the work is done is followed again at once where they lasted", async (t) => {
  assert.deepEqual(await waitsAfter(t, Array(5).fill(MOMENT), "ends"), [500, 1000, 2000, 4000, 8000]);
  assert.deepEqual(await waitsAfter(t, [MOMENT, MOMENT, WHILE, 60_000 - 1], "ends"), [500, 1000, 500, 500]);
});

test("streams of a moment are no attempts that failed, and what can be read is read as often as the host says", async (t) => {
  assert.deepEqual(await waitsAfter(t, Array(5).fill(MOMENT), "breaks", { retry: { attempts: 2 } }), [500, 1000, 2000, 4000, 8000]);
  assert.deepEqual(await waitsAfter(t, Array(5).fill(MOMENT), "breaks", { pollMs: 1500 }), [500, 1000, 1500, 1500, 1500]);
});

test("a list that cannot be read now and then is read as often as one that always can be", async (t) => {
  let isDown = false;
  const server = await serve(t, { "GET /approvals/pending": (exchange) => exchange.json("[]", isDown ? 503 : 200) });
  const clock = new Clock();
  const connector = rest({ url: server.url, ...clock.options });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  const waits = [];
  for (let round = 0; round < 6; round += 1) {
    await until(() => connector.state === "live" && clock.waits.length === 1);
    isDown = true;
    clock.advance(2000);
    await until(() => connector.state === "waiting" && clock.waits.length === 1);
    waits.push(clock.waits[0]);
    isDown = false;
    clock.advance(clock.waits[0]);
  }
  assert.deepEqual(waits, [500, 1000, 2000, 2000, 2000, 2000]);
});

test("a socket that closes after a moment each time is opened ever more rarely", async (t) => {
  const peers = [];
  const server = await serve(t, {}, (peer) => peers.push(peer));
  const clock = new Clock();
  const connector = websocket({ url: server.url, WebSocket: TestSocket, ...clock.options });
  t.after(() => connector.close());
  connector.connect(new FakeInbox()).catch(() => undefined);
  const waits = [];
  for (const lasts of [MOMENT, MOMENT, MOMENT, WHILE, MOMENT]) {
    await until(() => connector.state === "live");
    clock.advance(lasts);
    peers.pop().close(1011, "it fell");
    await until(() => connector.state === "waiting" && clock.waits.length === 1);
    waits.push(clock.waits[0]);
    clock.advance(clock.waits[0]);
  }
  assert.deepEqual(waits, [500, 1000, 2000, 500, 1000]);
});

test("r10_follow: a task that has settled, and that its list still has at work, is followed again ever more rarely", async (t) => {
  let follows = 0;
  const { server, clock } = await agent(t, (exchange) => {
    follows += 1;
    exchange.stream([update("completed")]).end();
  });
  const reads = () => server.requests.filter(({ url }) => url === "/sessions").length;
  for (const [round, wait] of [500, 1000, 2000].entries()) {
    // What settled is read at once, and once.
    await until(() => reads() === 2 * round + 2 && clock.rests.length === 1);
    await settle();
    assert.deepEqual([clock.rests, follows, reads()], [[wait], round + 1, 2 * round + 2]);
    clock.advance(wait);
  }
});

test("r10_follow: of runs that follow one another each is joined as soon as the one before has ended", async (t) => {
  let run = 1;
  let open;
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json("[]"),
    "GET /threads/t1/state": (exchange) => exchange.json('{"values":{},"next":[],"tasks":[]}'),
    "GET /threads/t1/runs": (exchange) => exchange.json(`[{"run_id":"r${run}","status":"running"}]`),
    other: (exchange) => (open = exchange.stream()),
  });
  const clock = new Clock();
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...clock.options });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  const end = async () => {
    await until(() => open !== undefined);
    const ending = open;
    open = undefined;
    clock.advance(MOMENT);
    ending.end();
  };
  while (run < 6) {
    await until(() => open?.url.includes(`/r${run}/`));
    run += 1;
    await end();
  }
  await until(() => open?.url.includes("/r6/"));
  assert.deepEqual(clock.rests, []);
  // One that is listed and has nothing to tell waits, unless it was heard for a while.
  await end();
  await until(() => open !== undefined);
  await end();
  await until(() => clock.rests[0] === 1000 * 2);
});

test("r10_follow: a run of LangGraph that goes on after the answer to a decision, or to words, is followed", async (t) => {
  for (const act of ["send", "sendText"]) {
    let runs = "[]";
    const server = await serve(t, {
      "POST /threads/t1/history": (exchange) => exchange.json(`[${langgraphSays.state}]`),
      "GET /threads/t1/state": (exchange) => exchange.json(langgraphSays.state),
      "GET /threads/t1/runs": (exchange) => exchange.json(runs),
      "POST /threads/t1/runs/stream": (exchange) => {
        runs = '[{"run_id":"r1","status":"running"}]';
        exchange.stream(langgraphSays.events.slice(0, 2)).end();
      },
      "GET /threads/t1/runs/r1/stream": (exchange) => exchange.stream(),
    });
    const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...new Clock().options });
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    await connector[act](act === "send" ? inbox.due(langgraphSays.command) : "go on");
    await until(() => server.requests.some(({ url }) => url === "/threads/t1/runs/r1/stream"));
  }
});

test("r10_follow: a run of ADK whose answer ends in the middle is looked after, and one that has ended is not read again", async (t) => {
  const [, over] = adkSays.events;
  for (const [events, isCut] of [[adkSays.events, false], [adkSays.events.slice(0, 1), true], [[over.replace('"author"', '"partial":true,"author"')], true]]) {
    let reads = 0;
    let session = adkSays.session;
    const server = await serve(t, {
      "POST /run_sse": (exchange) => {
        session = isCut ? `${adkSays.session.slice(0, adkSays.session.lastIndexOf("]"))},${events[0]}]}` : adkSays.answered;
        exchange.stream(events).end();
      },
      other: (exchange) => (reads += 1) && exchange.json(session),
    });
    const clock = new Clock();
    const connector = adk({ url: server.url, ids: { appName: "plain", userId: "u1", sessionId: "s" }, ...clock.options });
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    await connector.send(inbox.due(adkSays.message));
    await settle();
    assert.equal(reads, isCut ? 3 : 2);
  }
});

test("r10_follow: an agent of ADK that works for another client is looked after again when the answer to a decision has been read", async (t) => {
  const words = '{"id":"w","author":"user","content":{"role":"user","parts":[{"text":"and more"}]}}';
  const session = `${adkSays.session.slice(0, adkSays.session.lastIndexOf("]"))},${words}]}`;
  let open;
  let reads = 0;
  const server = await serve(t, { "POST /run_sse": (exchange) => (open = exchange.stream(adkSays.events)), other: (exchange) => (reads += 1) && exchange.json(session) });
  const clock = new Clock();
  const connector = adk({ url: server.url, ids: { appName: "plain", userId: "u1", sessionId: "s" }, ...clock.options });
  t.after(() => connector.close());
  const inbox = new FakeInbox();
  await connector.connect(inbox);
  await until(() => clock.rests[0] === 500);
  const sent = connector.send(inbox.due(adkSays.message));
  await until(() => inbox.of("delivered").length === 1);
  clock.advance(500);
  await until(() => reads === 3);
  await settle();
  assert.deepEqual(clock.rests, []);
  open.end();
  await sent;
  await until(() => clock.rests[0] === 1000);
});

test("after a refusal that asks for a pause the state is read when that is over", async (t) => {
  const refusal = (exchange) => exchange.response.writeHead(429, { "retry-after": "120", "content-type": "application/json" }).end('{"detail":"too often"}');
  const { server, clock, inbox, connector } = await agent(t, undefined, {}, { "GET /sessions": (exchange) => exchange.json("[]"), "POST /": refusal });
  const reads = () => server.requests.filter(({ url }) => url === "/sessions").length;
  await connector.send(inbox.due('{"messageId":"m1"}'));
  await settle();
  assert.deepEqual([inbox.of("failed"), reads()], [[["outbound-1", { status: 429, message: "too often" }]], 1]);
  clock.advance(119_999);
  await settle();
  assert.equal(reads(), 1);
  clock.advance(1);
  await until(() => reads() === 2);
  await connector.send(inbox.due('{"messageId":"m2"}'));
  connector.close();
  await until(() => clock.timers.size === 0);
});

test("a host that closes a connector while the state is handed over leaves no timer", async (t) => {
  const server = await serve(t, { "GET /approvals/pending": (exchange) => exchange.json("[]") });
  const clock = new Clock();
  const connector = rest({ url: server.url, ...clock.options, onReceive: () => connector.close() });
  await assert.rejects(connector.connect(new FakeInbox()), { code: "closed" });
  await settle();
  assert.equal(clock.timers.size, 0);
});

test("r43_doubt: what a gateway could not say of a message is looked up for a while, and what was refused once", async (t) => {
  for (const [status, isDoubtful] of [[500, true], [503, true], [504, true], [408, true], [409, false], [429, false]]) {
    let session = adkSays.session;
    let reads = 0;
    const server = await serve(t, { "POST /run_sse": (exchange) => exchange.json("{}", status), other: (exchange) => (reads += 1) && exchange.json(session) });
    const clock = new Clock();
    const inbox = new FakeInbox();
    const connector = adk({ url: server.url, ids: { appName: "plain", userId: "u1", sessionId: "s" }, ...clock.options });
    t.after(() => connector.close());
    await connector.connect(inbox);
    await connector.send(inbox.due(adkSays.message));
    await until(() => reads === 3);
    await settle();
    assert.deepEqual(clock.rests, isDoubtful ? [500] : [], String(status));
    session = adkSays.answered;
    clock.advance(1000);
    await settle();
    assert.equal(inbox.of("receive").at(-1) === adkSays.answered, isDoubtful, String(status));
  }
});
