// A page that shows another conversation closes the connector of this one, with what was decided a moment before on its way.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import { Clock, FakeInbox, serve, TestSocket, until } from "./connect-harness.mjs";
import { adk as recordedAdk, langgraph as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, adk, langgraph, websocket } = await load("countersign/connect");
await init();

const IDLE = '{"values":{},"next":[],"tasks":[],"interrupts":[]}';
const pause = () => new Promise((resolve) => setTimeout(resolve, 60));

/** A LangGraph thread that waits, whose streams the tests hold. */
async function thread(t, options = {}) {
  const state = { text: recorded.state, open: [], ended: 0 };
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${state.text}]`),
    "GET /threads/t1/state": (exchange) => (state.answer ?? ((each) => each.json(state.text)))(exchange),
    "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
    "POST /threads/t1/runs/stream": (exchange) => {
      state.open.push(exchange);
      exchange.response.on("close", () => (state.ended += 1));
    },
  });
  const clock = new Clock();
  const inbox = new FakeInbox();
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { server, state, clock, inbox, connector };
}

test("r10_close: what was handed over right before leaves, one after the other, and nothing that comes later", async (t) => {
  const { state, inbox, connector } = await thread(t);
  const [first, second, late] = [inbox.due(recorded.command), inbox.due(recorded.command), inbox.due(recorded.command)];
  const sent = [connector.send(first), connector.send(second)];
  connector.close();
  assert.equal(connector.state, "closed");
  await Promise.all([until(() => state.open.length === 1), pause()]);
  state.open[0].stream(recorded.events.slice(0, 1));
  // The answer to the first one stays open, and nobody reads it any more.
  await until(() => state.open.length === 2 && state.ended === 1);
  state.open[1].stream(recorded.events.slice(0, 1));
  await Promise.all(sent);
  await connector.send(late);
  await until(() => state.ended === 2);
  assert.deepEqual([inbox.of("delivered"), inbox.of("failed").map(([id]) => id), state.open.length], [[first.id, second.id], [late.id], 2]);
});

test("r10_close: an answer that is being read ends, for its message was taken", async (t) => {
  const { state, inbox, connector } = await thread(t);
  const sent = connector.send(inbox.due(recorded.command));
  await until(() => state.open.length === 1);
  state.open[0].stream(recorded.events.slice(0, 1));
  await until(() => inbox.of("delivered").length === 1);
  connector.close();
  await sent;
  await until(() => state.ended === 1);
});

for (const what of ["nobody answers", "is answered by silence"]) {
  test(`r10_close: a message that ${what} has a minute`, async (t) => {
    const { state, clock, inbox, connector } = await thread(t);
    const sent = connector.send(inbox.due(recorded.command));
    await until(() => state.open.length === 1);
    if (what !== "nobody answers") state.open[0].stream();
    await pause();
    connector.close();
    await pause();
    assert.deepEqual([inbox.of("failed"), state.ended], [[], 0]);
    clock.advance(60_000);
    await sent;
    assert.match(inbox.of("failed")[0][1].message, /may have arrived all the same/);
    await until(() => state.ended === 1);
    assert.equal(clock.timers.size, 0);
  });
}

test("r10_close: an abort ends what is on its way, also after closing", async (t) => {
  const abort = new AbortController();
  const { state, clock, inbox, connector } = await thread(t, { signal: abort.signal });
  const sent = connector.send(inbox.due(recorded.command));
  await until(() => state.open.length === 1);
  connector.close();
  assert.equal(getEventListeners(abort.signal, "abort").length, 1);
  abort.abort();
  await sent;
  await until(() => state.ended === 1);
  assert.deepEqual([inbox.of("failed")[0][1].message, clock.timers.size], ["the connector was closed before the backend had answered", 0]);

  const done = await thread(t, { signal: new AbortController().signal });
  done.connector.close();
  await pause();
  assert.equal(getEventListeners(done.connector.signal, "abort").length, 0);
});

test("r10_close: reading ends at once, and what it would have brought", async (t) => {
  const { state, inbox, connector } = await thread(t);
  let broken = false;
  state.answer = (exchange) => exchange.response.on("close", () => (broken = true));
  const refreshed = connector.refresh();
  await pause();
  const { length } = inbox.log;
  connector.close();
  await assert.rejects(refreshed, { code: "closed" });
  await until(() => broken);
  assert.equal(inbox.log.length, length);
});

test("r10_close: what leaves after closing is held against the state all the same", async (t) => {
  const asks = (args) => `{"jsonrpc":"2.0","id":1,"result":${task([["r1", "delete_file", args]], "t1")}}`;
  let now = asks('{"path":"/x"}');
  let hold;
  const server = await serve(t, { "POST /": (exchange) => (hold ? hold(exchange) : exchange.json(now)) });
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url: server.url, ids: { contextId: "c1", taskId: "t1" }, stream: false });
  await connector.connect(inbox);
  let look;
  hold = (exchange) => (look = exchange);
  inbox.decide("r1", { kind: "approve", seen: inbox.requests()[0].argsDigest });
  const sent = connector.send(inbox.takeOutbound()[0]);
  await until(() => look);
  connector.close();
  now = asks('{"path":"/etc"}');
  look.json(now);
  await sent;
  assert.deepEqual([server.of("message/send"), inbox.requests()[0].status], [[], "pending"]);
});

test("r10_close: a run that a backend would end with its stream goes on to its end", async (t) => {
  let open;
  let isCut = false;
  const server = await serve(t, {
    "GET /apps/a/users/u/sessions/s": (exchange) => exchange.json(recordedAdk.session),
    "POST /run_sse": (exchange) => {
      open = exchange;
      exchange.response.on("close", () => (isCut = !exchange.response.writableEnded));
    },
  });
  const connector = adk({ url: server.url, ids: { appName: "a", userId: "u", sessionId: "s" } });
  const inbox = new FakeInbox();
  await connector.connect(inbox);
  let isSent = false;
  const sent = connector.send(inbox.due(recordedAdk.message)).then(() => (isSent = true));
  connector.close();
  await until(() => open);
  open.stream(recordedAdk.events.slice(0, 1));
  await until(() => inbox.of("delivered").length === 1);
  await pause();
  assert.deepEqual([isCut, isSent, inbox.of("receive").length], [false, false, 1]);
  open.stream(recordedAdk.events.slice(1)).end();
  await sent;
  assert.equal(isCut, false);
});

test("r10_close: a socket closes once what was handed over has left", async (t) => {
  const peers = [];
  const server = await serve(t, {}, (peer) => peers.push(peer));
  const connector = websocket({ url: `${server.url}/ws`, WebSocket: TestSocket });
  const inbox = new FakeInbox();
  await connector.connect(inbox);
  const [first, second] = [inbox.due('{"one":1}'), inbox.due('{"two":2}')];
  const sent = [connector.send(first), connector.send(second)];
  connector.close();
  await Promise.all(sent);
  await until(() => peers[0].readyState === 3);
  assert.deepEqual([inbox.of("delivered"), peers[0].received], [[first.id, second.id], ['{"one":1}', '{"two":2}']]);
});

test("r10_close: words that were said before arrive", async (t) => {
  const { state, connector } = await thread(t);
  const said = connector.sendText("hello");
  connector.close();
  await until(() => state.open.length === 1);
  state.open[0].stream(recorded.events.slice(0, 1));
  await said;
  await assert.rejects(connector.sendText("more"), { code: "closed" });
});
