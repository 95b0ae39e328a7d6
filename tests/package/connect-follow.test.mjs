// What is followed: how many streams there are, what ends them, and what is read beside them.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, until } from "./connect-harness.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, langgraph } = await load("countersign/connect");
await init();

const inState = (id, state, at) =>
  `{"kind":"task","id":"${id}","contextId":"c1","history":[],"status":{"state":"${state}"${at === undefined ? "" : `,"timestamp":"2026-11-20T15:59:${at}+00:00"`}}}`;
const update = (id, state) => `{"jsonrpc":"2.0","id":"x","result":{"kind":"status-update","taskId":"${id}","contextId":"c1","status":{"state":"${state}"},"final":false}}`;
const asks = (id, request = "r1") => task([[request, "delete_file", '{"path":"/x"}']], id);
const pause = () => new Promise((resolve) => setTimeout(resolve, 60));

/** An agent with these tasks, whose streams are `open` until it or the connector ends them. */
async function agent(t, tasks, options = {}, answers = {}) {
  const state = { tasks, reads: 0, follows: [], open: new Map(), most: 0 };
  const server = await serve(t, {
    "GET /sessions": (exchange) => {
      state.reads += 1;
      exchange.json(`[${state.tasks.join(",")}]`);
    },
    "POST /": (exchange) => {
      const { method, params } = JSON.parse(exchange.body);
      if (answers[method]) return answers[method](exchange, params.id);
      if (method === "tasks/get") return exchange.json(`{"jsonrpc":"2.0","id":"x","result":${state.tasks.find((text) => text.includes(`"id":"${params.id}"`))}}`);
      if (method !== "tasks/resubscribe") return exchange.stream([update("t2", "completed")]).end();
      state.follows.push(params.id);
      assert.ok(!state.open.has(params.id), `${params.id} is followed twice`);
      state.open.set(params.id, exchange.stream());
      state.most = Math.max(state.most, state.open.size);
      exchange.response.on("close", () => state.open.delete(params.id));
    },
  });
  const clock = new Clock();
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { server, state, clock, inbox, connector };
}

test("when a stream is lost the others end with it, and each task is followed once again", async (t) => {
  const { state, clock, connector } = await agent(t, [inState("t1", "working"), inState("t2", "working")]);
  for (let round = 0; round < 4; round += 1) {
    await until(() => state.open.size === 2);
    state.open.get("t1").cut();
    await until(() => connector.state === "waiting" && state.open.size === 0);
    clock.advance(30_000);
  }
  await until(() => state.open.size === 2);
  assert.deepEqual([state.most, state.follows.length], [2, 10]);
  connector.close();
  await until(() => state.open.size === 0);
});

test("two tasks are followed, the newest, and the others are read again, each time later", async (t) => {
  const at = { w1: "11", w2: "13", w3: "15", w4: "14", w5: "12", w6: "10" };
  const all = (state = "working") => Object.entries(at).map(([id, time]) => inState(id, id === "w1" ? state : "working", time));
  const { server, state, clock, inbox, connector } = await agent(t, [...all(), asks("t2")]);
  await until(() => state.open.size === 2);
  const waits = [];
  for (let round = 0; round < 3; round += 1) {
    await until(() => clock.rests.length === 1);
    waits.push(...clock.rests);
    if (round === 2) state.tasks = [...all("completed"), asks("t2")];
    clock.advance(clock.rests[0]);
    await until(() => state.reads === round + 2);
  }
  assert.deepEqual([waits, [...state.open.keys()].sort(), state.follows.length], [[500, 1000, 2000], ["w3", "w4"], 2]);
  inbox.decide(inbox.requests().find(({ request }) => request === "r1").id, { kind: "approve" });
  await connector.send(inbox.takeOutbound()[0]);
  assert.equal(server.of("message/stream").length, 1);
});

test("without times the newest task is the last one in the list", async (t) => {
  const { state } = await agent(t, ["w1", "w2", "w3"].map((id) => inState(id, "working")));
  await until(() => state.open.size === 2);
  assert.deepEqual([...state.open.keys()].sort(), ["w2", "w3"]);
});

test("a stream that a server leaves open after the end of its task takes no connection", async (t) => {
  const { state, inbox } = await agent(t, [inState("t1", "working")]);
  await until(() => state.open.size === 1);
  state.tasks = [asks("t1")];
  state.open.get("t1").stream([`{"jsonrpc":"2.0","id":"x","result":${asks("t1")}}`]);
  await until(() => state.open.size === 0 && state.reads === 2);
  assert.deepEqual(inbox.requests().map(({ status }) => status), ["pending"]);
});

/** An agent that asks `r1` of `t1`, and leaves its answers open. */
async function leaving(t, answers = () => [asks("t1", "r2")], options = {}) {
  const open = [];
  const state = { asked: asks("t1"), most: 0, sent: 0 };
  const made = await agent(t, [state.asked], options, {
    "message/stream": (exchange) => {
      state.sent += 1;
      open.push(exchange);
      state.most = Math.max(state.most, open.length);
      exchange.response.on("close", () => open.splice(open.indexOf(exchange), 1));
      [state.asked] = answers(state.sent);
      made.state.tasks = [state.asked];
      exchange.stream([`{"jsonrpc":"2.0","id":"x","result":${state.asked}}`]);
    },
    "tasks/get": (exchange) => exchange.json(`{"jsonrpc":"2.0","id":"x","result":${state.asked}}`),
  });
  const approve = async () => {
    const card = made.inbox.requests().find(({ status }) => status === "pending");
    made.inbox.decide(card.id, { kind: "approve" });
    await made.connector.send(made.inbox.takeOutbound()[0]);
    return card.request;
  };
  return { ...made, open, answered: state, approve };
}

test("r10_open: an answer that is left open once it has settled is heard for three seconds more, and what comes later is read and followed", async (t) => {
  const heard = [];
  const { state, open, clock, inbox, approve } = await leaving(t, undefined, { onReceive: (message) => heard.push(message) });
  await approve();
  // The list was read before kagent's words left, too.
  const { reads } = state;
  await until(() => clock.waits[0] === 3000);
  clock.advance(2000);
  const artifact = '{"jsonrpc":"2.0","id":"x","result":{"kind":"artifact-update","taskId":"t1","contextId":"c1","artifact":{"artifactId":"a1","parts":[{"kind":"text","text":"late"}]}}}';
  open[0].stream([artifact]);
  await until(() => heard.includes(artifact) && clock.waits[0] === 3000);
  clock.advance(2000);
  await pause();
  assert.deepEqual([open.length, state.reads, clock.waits[0]], [1, reads, 1000]);
  state.tasks = [inState("t1", "working")];
  clock.advance(1000);
  await until(() => open.length === 0 && state.reads === reads + 1);
  await until(() => state.follows.length === 1);
  state.open.get("t1").stream([update("t1", "completed")]).end();
  await until(() => inbox.requests().every(({ status }) => status !== "pending"));
});

test("r10_open: an answer that is left open ends when the next decision on its task leaves", async (t) => {
  const { server, open, answered, approve } = await leaving(t, (sent) => [asks("t1", `r${sent + 1}`)]);
  const approved = [];
  for (let round = 0; round < 8; round += 1) approved.push(await approve());
  assert.deepEqual(approved, ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8"]);
  await until(() => open.length === 1);
  // The server may hear of the end of one after the beginning of the next.
  assert.ok(answered.most <= 2, `${answered.most} at once`);
  assert.equal(server.of("message/stream").length, 8);
});

test("r10_open: of the answers that are left open on other tasks two stay", async (t) => {
  const ids = ["t1", "t2", "t3", "t4", "t5"];
  const open = new Map();
  const answer = (exchange) => {
    const { taskId } = JSON.parse(exchange.body).params.message;
    open.set(taskId, exchange.stream([update(taskId, "completed")]));
    exchange.response.on("close", () => open.delete(taskId));
  };
  const { state, clock, inbox, connector } = await agent(t, ids.map((id) => asks(id, `r-${id}`)), {}, { "message/stream": answer });
  for (const { id } of inbox.requests()) {
    inbox.decide(id, { kind: "approve" });
    await connector.send(inbox.takeOutbound()[0]);
  }
  await until(() => open.size === 3);
  assert.deepEqual([...open.keys()], ["t3", "t4", "t5"]);
  // Once before the last answer, which is in kagent's words.
  await until(() => state.reads > 2);
  clock.advance(3000);
  await until(() => open.size === 0);
  assert.deepEqual(inbox.requests().map(({ status }) => status), ids.map(() => "approved"));
});

for (const [what, event] of [
  ["the agent works again", update("t1", "working")],
  ["somebody signs in elsewhere", update("t1", "auth-required")],
]) {
  test(`r10_open: an answer that is left open is heard while ${what}`, async (t) => {
    const { open, state, clock, inbox, approve } = await leaving(t);
    await approve();
    const { reads } = state;
    await until(() => clock.waits[0] === 3000);
    open[0].stream([event]);
    await until(() => clock.waits[0] !== 3000);
    clock.advance(50_000);
    await pause();
    assert.deepEqual([open.length, state.reads], [1, reads]);
    open[0].stream([update("t1", "completed")]);
    await until(() => clock.waits[0] === 3000);
    assert.ok(inbox.requests().every(({ status }) => status !== "pending"));
    clock.advance(3000);
    await until(() => open.length === 0);
  });
}

test("while another task is followed, the state is read after an answer that broke off, and again for a while", async (t) => {
  const broken = (exchange) => exchange.stream([update("t2", "working")]).cut();
  const { state, clock, inbox, connector } = await agent(t, [inState("t1", "working"), asks("t2")], {}, { "message/stream": broken });
  await until(() => state.open.size === 1);
  inbox.decide(inbox.requests()[0].id, { kind: "approve" });
  await connector.send(inbox.takeOutbound()[0]);
  // The agent works on, and says so only to who asks.
  await until(() => state.reads === 2);
  state.tasks = [inState("t1", "working"), inState("t2", "completed")];
  await until(() => clock.rests.length === 1);
  clock.advance(clock.rests[0]);
  await until(() => state.reads === 3);
  assert.deepEqual([state.follows, [...state.open.keys()], inbox.requests()[0].status], [["t1"], ["t1"], "approved"]);
});

test("a task that goes on after an answer is followed beside another one", async (t) => {
  const ended = (exchange) => {
    state.tasks = [inState("t1", "working"), inState("t2", "working")];
    exchange.stream([update("t2", "working")]).end();
  };
  const { state, inbox, connector } = await agent(t, [inState("t1", "working"), asks("t2")], {}, { "message/stream": ended });
  await until(() => state.open.size === 1);
  inbox.decide(inbox.requests()[0].id, { kind: "approve" });
  await connector.send(inbox.takeOutbound()[0]);
  await until(() => state.open.size === 2);
  assert.deepEqual(state.follows, ["t1", "t2"]);
});

test("beside a stream that is silent the state is read, and what it says ends the stream", async (t) => {
  const { state, clock, inbox } = await agent(t, [inState("t1", "working")], { pollMs: 2000 });
  await until(() => state.open.size === 1);
  state.open.get("t1").stream([update("t1", "working")]);
  await pause();
  state.tasks = [asks("t1")];
  assert.deepEqual(clock.rests, [2000]);
  // It was not silent.
  clock.advance(2000);
  await pause();
  assert.deepEqual([state.reads, state.open.size, clock.rests], [1, 1, [2000]]);
  clock.advance(2000);
  await until(() => inbox.requests().length === 1 && state.open.size === 0);
  assert.deepEqual([state.reads, state.follows], [2, ["t1"]]);
});

test("beside a run that is silent the state is read, and a run that is over is followed no longer", async (t) => {
  let runs = '[{"run_id":"x","status":"running"}]';
  let open = 0;
  let states = 0;
  let stream;
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json("[]"),
    "GET /threads/t1/state": (exchange) => (states += 1) && exchange.json('{"values":{},"next":[],"tasks":[]}'),
    "GET /threads/t1/runs": (exchange) => exchange.json(runs),
    "GET /threads/t1/runs/x/stream": (exchange) => {
      open += 1;
      stream = exchange.stream();
      exchange.response.on("close", () => (open -= 1));
    },
  });
  const clock = new Clock();
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...clock.options, pollMs: 2000 });
  t.after(() => connector.close());
  const inbox = new FakeInbox();
  await connector.connect(inbox);
  const streams = () => server.requests.filter(({ url }) => url.endsWith("/stream")).length;
  await until(() => open === 1 && clock.rests.length === 1);
  stream.stream([["updates", "{}"]]);
  await until(() => inbox.of("receive").includes('{"event":"updates","data":{}}'));
  clock.advance(2000);
  await pause();
  assert.equal(states, 0);
  clock.advance(2000);
  await until(() => states === 1 && clock.rests.length === 1);
  await pause();
  assert.deepEqual([open, streams()], [1, 1]);
  runs = "[]";
  clock.advance(2000);
  await until(() => states === 2 && open === 0);
  assert.deepEqual([streams(), connector.state], [1, "live"]);
});

test("r10_follow: the state is read when what is followed has been silent for a minute, and ends what is over", async (t) => {
  const { state, clock, inbox, connector } = await agent(t, [inState("t1", "working"), inState("t2", "working")]);
  await until(() => state.open.size === 2);
  clock.advance(59_999);
  state.open.get("t2").stream([update("t2", "working")]);
  await pause();
  clock.advance(1);
  await until(() => state.reads === 2);
  await pause();
  // It goes on, and a server may be silent while its agent works.
  assert.deepEqual([state.open.size, state.follows.length, connector.state], [2, 2, "live"]);
  state.tasks = [asks("t1"), inState("t2", "working")];
  clock.advance(60_000);
  await until(() => inbox.requests().some(({ status }) => status === "pending"));
  await until(() => state.open.size === 1);
  assert.deepEqual([[...state.open.keys()], state.follows.length], [["t2"], 2]);
  connector.close();
  await until(() => clock.timers.size === 0);
});

test("r10_follow: of a run of LangGraph that has been silent for a minute the state is read", async (t) => {
  let runs = '[{"run_id":"x","status":"running"}]';
  let states = 0;
  let open = 0;
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json("[]"),
    "GET /threads/t1/state": (exchange) => (states += 1) && exchange.json('{"values":{},"next":[],"tasks":[]}'),
    "GET /threads/t1/runs": (exchange) => exchange.json(runs),
    "GET /threads/t1/runs/x/stream": (exchange) => {
      open += 1;
      exchange.stream().response.on("close", () => (open -= 1));
    },
  });
  const clock = new Clock();
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...clock.options });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  await until(() => open === 1);
  await pause();
  clock.advance(60_000);
  await until(() => states === 1);
  await pause();
  assert.equal(open, 1);
  runs = "[]";
  clock.advance(60_000);
  await until(() => states === 2 && open === 0);
  assert.equal(connector.state, "live");
});

test("r10_follow: a stream that has not begun after a minute is lost, and asked for again", async (t) => {
  let asked = 0;
  const { clock, connector } = await agent(t, [inState("t1", "working")], {}, { "tasks/resubscribe": () => void (asked += 1) });
  await until(() => asked === 1);
  clock.advance(60_000);
  await until(() => connector.state === "waiting");
  assert.deepEqual([connector.error.code, connector.error.message], ["unreachable", "the backend did not answer within 60000 ms"]);
  clock.advance(500);
  await until(() => asked === 2);
});

test("r39_words: what waits in another task is read again after words, which may have ended it", async (t) => {
  const { state, inbox, connector } = await agent(t, [asks("t1")], {}, {
    "message/stream": (exchange) => {
      state.tasks = [inState("t1", "completed"), asks("t2", "r2")];
      exchange.stream([`{"jsonrpc":"2.0","id":"x","result":${asks("t2", "r2")}}`]).end();
    },
  });
  const states = () => inbox.requests().map(({ request, status }) => `${request} ${status}`);
  await connector.sendText("something else");
  await until(() => states().includes("r1 expired"));
  assert.deepEqual([states().sort(), state.reads], [["r1 expired", "r2 pending"], 2]);
});

test("nothing is read after words where nothing else waits, nor after a decision", async (t) => {
  const answer = (exchange, request = "r2") => exchange.stream([`{"jsonrpc":"2.0","id":"x","result":${asks("t2", request)}}`]).end();
  const { state, inbox, connector } = await agent(t, [], {}, { "message/stream": (exchange) => answer(exchange, exchange.body.includes('"taskId"') ? "r3" : "r2") });
  await connector.sendText("delete it");
  await pause();
  assert.deepEqual([inbox.requests().map(({ request }) => request), state.reads], [["r2"], 1]);
  state.tasks = [asks("t1"), asks("t2", "r2")];
  await connector.refresh();
  inbox.decide(inbox.requests().find(({ request }) => request === "r2").id, { kind: "approve" });
  await connector.send(inbox.takeOutbound()[0]);
  await pause();
  assert.deepEqual([inbox.requests().some(({ request }) => request === "r3"), state.reads], [true, 2]);
});
