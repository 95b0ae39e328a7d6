// Decisions of which nobody hears what became of them: answers that say nothing, streams that fall silent, pages that go.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, until } from "./connect-harness.mjs";
import { adk as recordedAdk, haystack, langgraph as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, adk, forward, langgraph, rest } = await load("countersign/connect");
await init();

const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
const states = (inbox) => inbox.requests().filter(({ request }) => request).map(({ request, status }) => `${request} ${status}`);
const DOUBT = "the backend said nothing: the message may have arrived all the same";

/** A connector with a clock of its own, connected with an inbox. */
async function connected(t, make, options, inbox = new FakeInbox()) {
  const clock = new Clock();
  const network = new EventTarget();
  const connector = make({ ...clock.options, network, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { clock, network, connector, inbox };
}

const haystackRequest = (id) => `"${id}":{"type":"approval_request","id":"${id}","tool_name":"read_file","tool_description":"d","tool_params":{"p":1},"tool_call_id":"c${id}"}`;
for (const [what, answer] of [
  ["{}", (exchange) => exchange.json("{}")],
  ["[]", (exchange) => exchange.json("[]")],
  ["nothing", ({ response }) => response.writeHead(204).end()],
  ["a proxy's words", (exchange) => exchange.json('{"login":"required"}')],
  ["the beginning of a reply", (exchange) => exchange.json('{"id":"r1","status":"accepted","err')],
]) {
  for (const [fate, asks] of [["drafted", ["r1", "r2"]], ["approved", ["r2"]], ["drafted", undefined]]) {
    test(`r10_lost: an answer with ${what} says nothing of other calls, and of its own the list does: ${fate}${asks ? "" : ", for there is none"}`, async (t) => {
      let list = ["r1", "r2"];
      const server = await serve(t, {
        "GET /approvals/pending": (exchange) => exchange.json(list ? `{${list.map(haystackRequest).join(",")}}` : '{"login":"required"}'),
        "POST /approvals/r1": (exchange) => {
          list = asks;
          answer(exchange);
        },
      });
      const { connector, inbox, clock } = await connected(t, rest, { url: server.url }, new Inbox());
      inbox.decide("r1", { kind: "approve" });
      await connector.send(inbox.takeOutbound()[0]);
      list ??= ["r1", "r2"];
      await connector.refresh();
      clock.advance(2000);
      await pause();
      assert.deepEqual(states(inbox), [`r1 ${fate}`, "r2 pending"]);
      inbox.decide("r2", { kind: "reject" });
    });
  }
}

const update = (id, state) => `{"jsonrpc":"2.0","id":"x","result":{"kind":"status-update","taskId":"${id}","contextId":"c1","status":{"state":"${state}"},"final":false}}`;

/** An A2A agent with a task for each request, of which `streams` are the answers to messages. */
async function agent(t, streams) {
  const tasks = ["t1", "t2"].map((id, at) => task([[`r${at + 1}`, "delete_file", '{"path":"/x"}']], id));
  const state = { tasks, reads: 0, open: [] };
  const server = await serve(t, {
    "GET /tasks": (exchange) => {
      state.reads += 1;
      exchange.json(`[${state.tasks.join(",")}]`);
    },
    "POST /": (exchange) => {
      const { method, params } = JSON.parse(exchange.body);
      if (method === "tasks/get") return exchange.json(`{"jsonrpc":"2.0","id":"x","result":${state.tasks.find((text) => text.includes(`"id":"${params.id}"`))}}`);
      state.open.push(exchange.stream(streams(params.message.taskId)));
    },
  });
  const made = await connected(t, a2a, { url: server.url, history: `${server.url}/tasks`, ids: { contextId: "c1" } }, new Inbox({ adapter: "a2a" }));
  t.after(forward(made.inbox, made.connector));
  return { ...made, state, server };
}

const plain = (body) => ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end(body);
const events = (body) => ({ response }) => response.writeHead(200, { "content-type": "text/event-stream" }).end(body);
const UNSAID = "the answer does not say that the message was taken: it may have arrived all the same";
for (const [what, answer, error] of [
  ["an empty object", plain("{}"), UNSAID],
  ["a word of a proxy", plain("OK"), UNSAID],
  ["a proxy's words", plain('{"status":"ok"}'), UNSAID],
  ["an error that was cut short", plain('{"jsonrpc":"2.0","id":"x","error":{"code":-32602,"message":"the task is no'), UNSAID],
  ["a result that was cut short", plain(`{"jsonrpc":"2.0","id":"x","result":${task([], "t1")}`), UNSAID],
  ["a result that is none", plain('{"jsonrpc":"2.0","id":"x","result":null}'), UNSAID],
  ["an event that is no JSON", events(": hi\n\ndata: x\n\n"), UNSAID],
  ["an error in an event that was cut short", events('data: {"jsonrpc":"2.0","id":"x","error":{"code":-32602,"mess'), "the answer ended before it began"],
  ["a task in an event that was cut short", events('data: {"jsonrpc":"2.0","id":"x","result":{"kind":"task","id":"'), "the answer ended before it began"],
]) {
  test(`r10_lost: an answer of A2A with ${what} does not say that the decision was taken, and the state is read`, async (t) => {
    const asks = task([["r1", "delete_file", '{"path":"/x"}']], "t1");
    let reads = 0;
    const server = await serve(t, {
      "GET /tasks": (exchange) => (reads += 1) && exchange.json(`[${asks}]`),
      "POST /": (exchange) => (exchange.body.includes('"tasks/get"') ? exchange.json(`{"jsonrpc":"2.0","id":"x","result":${asks}}`) : answer(exchange)),
    });
    const { inbox, connector } = await connected(t, a2a, { url: server.url, history: `${server.url}/tasks`, ids: { contextId: "c1" } }, new Inbox({ adapter: "a2a" }));
    inbox.decide(inbox.requests()[0].id, { kind: "approve" });
    await connector.send(inbox.takeOutbound()[0]);
    const [{ status, outbound }] = inbox.requests();
    assert.deepEqual([status, outbound.state, outbound.error], ["drafted", "failed", error]);
    await until(() => reads > 1);
    await assert.rejects(connector.sendText("go on"), { code: "unreachable", message: error });
  });
}

test("r10_lost: a decision does not wait for the answer of another task, on which the agent works for long", async (t) => {
  const { inbox, server } = await agent(t, (id) => [update(id, "working")]);
  inbox.decide("r1", { kind: "approve" });
  await until(() => states(inbox)[0] === "r1 sent");
  inbox.decide("r2", { kind: "reject" });
  await until(() => states(inbox)[1] === "r2 sent");
  assert.equal(server.of("message/stream").length, 2);
});

test("words wait until a run has answered, and no longer than it is silent", async (t) => {
  const { inbox, connector, server, state, clock } = await agent(t, (id) => [update(id ?? "t3", "working")]);
  inbox.decide("r1", { kind: "approve" });
  await until(() => states(inbox)[0] === "r1 sent");
  const said = [connector.sendText("go on"), connector.sendText("and on")];
  await pause();
  assert.equal(server.of("message/stream").length, 1);
  state.open[0].stream([update("t1", "completed")]).end();
  await until(() => server.of("message/stream").length === 2);
  await pause();
  assert.equal(server.of("message/stream").length, 2);
  clock.advance(60_000);
  await until(() => server.of("message/stream").length === 3);
  for (const exchange of state.open) exchange.end();
  await Promise.all(said);
});

test("r43_offline: what a connector refuses to send has not arrived", async () => {
  const inbox = new Inbox();
  inbox.receive(`{${haystackRequest("r1")}}`);
  const failed = [];
  const { requests, subscribe, takeOutbound, tick, nextWake } = Object.fromEntries(["requests", "subscribe", "takeOutbound", "tick", "nextWake"].map((name) => [name, (...args) => inbox[name](...args)]));
  const stop = forward({ requests, subscribe, takeOutbound, tick, nextWake, failed: (...args) => failed.push(args) }, rest({ url: "http://127.0.0.1:9" }));
  inbox.decide("r1", { kind: "approve" });
  await until(() => failed.length === 1);
  stop();
  assert.equal(failed[0][1].status, 412);
});

test("r10_lost: a stream that begins and says nothing keeps no decision back, and is not dropped", async (t) => {
  const { inbox, server, state, clock } = await agent(t, (id) => (id === "t2" ? [update(id, "working")] : []));
  inbox.decide("r1", { kind: "approve" });
  inbox.decide("r2", { kind: "approve" });
  await until(() => state.open.length === 1);
  await pause();
  const { reads } = state;
  clock.advance(60_000);
  await until(() => states(inbox)[1] === "r2 sent");
  assert.deepEqual([states(inbox)[0], inbox.requests()[0].outbound.error, state.reads > reads, state.open[0].response.destroyed], ["r1 drafted", DOUBT, true, false]);
  // What it says at last is heard all the same.
  state.open[0].stream([`{"jsonrpc":"2.0","id":"x","result":${task([["r3", "delete_file", '{"path":"/y"}']], "t1")}}`]);
  await until(() => states(inbox).includes("r3 pending"));
  assert.equal(server.of("message/stream").length, 2);
});

const ids = { appName: "plain", userId: "u", sessionId: "s" };
const SESSION = "GET /apps/plain/users/u/sessions/s";
const asked = (n) => `{"id":"b${n}","author":"agent","invocationId":"i","longRunningToolIds":["r${n}"],"content":{"role":"user","parts":[{"functionCall":{"id":"r${n}","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"c${n}","name":"t","args":{"n":${n}}},"toolConfirmation":{"hint":"","confirmed":false}}}}]}}`;

/** A session of ADK that asks twice; `taken` says whether it notes the answers, `says` what a run tells. */
async function session(t, says, taken = true) {
  const state = { events: [asked(1), asked(2)], runs: [], missing: false };
  const server = await serve(t, {
    [SESSION]: (exchange) => (state.missing ? exchange.json('{"detail":"Session not found"}', 404) : exchange.json(`{"id":"s","appName":"plain","userId":"u","state":{},"events":[${state.events.join(",")}]}`)),
    "POST /run_sse": (exchange) => {
      const { newMessage } = JSON.parse(exchange.body);
      if (taken) state.events.push(JSON.stringify({ id: `u${state.runs.length}`, author: "user", invocationId: "x", content: newMessage }));
      state.runs.push(exchange.stream(says));
    },
  });
  const heard = [];
  const onReceive = (message, receipt) => heard.push([message, receipt]);
  const made = await connected(t, adk, { url: server.url, ids, onReceive }, new Inbox({ adapter: "adk" }));
  t.after(forward(made.inbox, made.connector));
  return { ...made, state, server, heard };
}

for (const [what, taken, fate] of [["has it", true, ["sent", "delivered"]], ["does not have it", false, ["drafted", "failed"]]]) {
  for (const how of ["after a minute", "when the network is back"]) {
    test(`r10_lost: a run that says nothing is looked up in its session, which ${what}, ${how}`, async (t) => {
      const { inbox, state, clock, network } = await session(t, [], taken);
      inbox.decide("r1", { kind: "approve" });
      await until(() => state.runs.length === 1);
      await pause();
      inbox.decide("r2", { kind: "approve" });
      await pause();
      assert.equal(state.runs.length, 1);
      if (how === "after a minute") clock.advance(60_000);
      else network.dispatchEvent(new Event("online"));
      await until(() => state.runs.length === 2);
      const [{ status, outbound }] = inbox.requests().filter(({ request }) => request);
      assert.deepEqual([status === "approved" ? "sent" : status, outbound.state, state.runs[0].response.destroyed], [...fate, false]);
    });
  }
}

test("r10_lost: a run that fell silent keeps the next decision back no longer than a minute", async (t) => {
  const { inbox, state, clock } = await session(t, ['{"id":"o","author":"agent","invocationId":"x","content":{"role":"model","parts":[{"text":"…"}]}}']);
  inbox.decide("r1", { kind: "approve" });
  await until(() => inbox.requests().some(({ outbound }) => outbound?.state === "delivered"));
  inbox.decide("r2", { kind: "approve" });
  await pause();
  assert.equal(state.runs.length, 1);
  clock.advance(60_000);
  await until(() => state.runs.length === 2);
});

test("an error of a run that had taken the message is told", async (t) => {
  const error = '{"error":"ValueError: boom"}';
  const { inbox, heard, state } = await session(t, ['{"id":"o","author":"agent","invocationId":"x","content":{"role":"model","parts":[{"text":"…"}]}}', error]);
  inbox.decide("r1", { kind: "approve" });
  await until(() => state.runs.length === 1);
  await until(() => heard.some(([message]) => message === error));
  const [, { problems }] = heard.find(([message]) => message === error);
  assert.deepEqual(problems.map(({ code, message }) => [code, message.includes("boom")]), [["backend-error", true]]);
});

const thread = (t, options = {}, held = {}) =>
  serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${recorded.state}]`),
    "GET /threads/t1/state": (exchange) => held.look?.(exchange) ?? exchange.json(recorded.state),
    "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
    "POST /threads/t1/runs/stream": (exchange) => exchange.stream(recorded.events).end(),
  }).then(async (server) => ({ server, ...(await connected(t, langgraph, { url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...options })) }));

for (const [what, change] of [
  ["headers that cannot be had", ({ options }) => (options.headers = () => Promise.reject(new Error("no token")))],
  ["a state that cannot be read", ({ held }) => (held.look = (exchange) => exchange.json('{"detail":"later"}', 503) ?? true)],
  ["a state that may not be read", ({ held }) => (held.look = (exchange) => exchange.json('{"detail":"who?"}', 401) ?? true)],
  ["a connector that is closed", ({ connector }) => connector.close()],
]) {
  test(`r43_offline: what could not leave because of ${what} has not arrived`, async (t) => {
    const held = {};
    let headers = () => ({});
    const made = await thread(t, { headers: () => headers() }, held);
    change({ held, connector: made.connector, options: { set headers(given) { headers = given; } } });
    const outbound = made.inbox.due(recorded.command);
    await made.connector.send(outbound);
    assert.deepEqual(made.inbox.of("failed").map(([id, { status }]) => [id, status]), [[outbound.id, 412]]);
    assert.deepEqual(made.server.requests.filter(({ url }) => url.endsWith("/runs/stream")), []);
  });
}

/** Has a page that is out of sight for the time of a test. */
function hidden(t) {
  globalThis.document = { visibilityState: "hidden" };
  t.after(() => delete globalThis.document);
}

/** A `fetch` that writes down what leaves, whether it does after the page is gone, and what comes back. */
function writesDown(left) {
  return (url, init) => {
    left.push([init.method, new URL(url).pathname.split("/").at(-1), init.keepalive === true]);
    const { keepalive: _, ...rest } = init;
    return fetch(url, rest);
  };
}

for (const kind of ["reject", "approve"]) {
  const isRejection = kind === "reject";
  test(`r10_leave: of a page that goes ${isRejection ? "a rejection leaves at once" : "an approval is held against the state first"}`, async (t) => {
    const left = [];
    const inbox = new Inbox({ adapter: "langgraph" });
    const state =
      '{"values":{"messages":[]},"next":["n"],"tasks":[{"id":"t","name":"n","interrupts":[{"id":"0123456789abcdef0123456789abcdef","value":' +
      '{"action_requests":[{"name":"t","args":{"a":1}}],"review_configs":[{"action_name":"t","allowed_decisions":["approve","reject"]}]}}]}]}';
    const server = await serve(t, {
      "POST /threads/t1/history": (exchange) => exchange.json(`[${state}]`),
      "GET /threads/t1/state": (exchange) => exchange.json(state),
      "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
      "POST /threads/t1/runs/stream": (exchange) => exchange.stream(recorded.events).end(),
      [SESSION]: (exchange) => exchange.json(`{"id":"s","appName":"plain","userId":"u","state":{},"events":[${asked(1)}]}`),
      "POST /run_sse": (exchange) => exchange.stream(recordedAdk.events).end(),
      "GET /approvals/pending": (exchange) => exchange.json(`{${haystackRequest("r1")}}`),
      "POST /approvals/r1": (exchange) => exchange.json(haystack.reply),
    });
    const fetching = writesDown(left);
    const made = [
      await connected(t, langgraph, { url: server.url, ids: { threadId: "t1", assistantId: "a" }, fetch: fetching }, inbox),
      await connected(t, adk, { url: server.url, ids, fetch: fetching }, new Inbox({ adapter: "adk" })),
      await connected(t, rest, { url: server.url, fetch: fetching }, new Inbox()),
    ];
    await pause();
    hidden(t);
    const first = [];
    for (const { inbox: each, connector } of made) {
      const card = each.requests().find(({ status }) => status === "pending");
      each.decide(card.id, { kind });
      left.length = 0;
      await connector.send(each.takeOutbound()[0]);
      first.push(left[0]);
    }
    const leaves = [["POST", "stream", true], ["POST", "run_sse", true], ["POST", "r1", true]];
    assert.deepEqual(first, isRejection ? leaves : [["GET", "state", false], ["GET", "s", false], ["POST", "r1", false]]);
  });
}

test("r10_leave: of many rejections that leave with their page as many may outlive it as a browser takes, and all leave", async (t) => {
  const ids = Array.from({ length: 300 }, (_, at) => `r${at}`);
  const held = [];
  const left = [];
  const server = await serve(t, {
    "GET /approvals/pending": (exchange) => exchange.json(`{${ids.map(haystackRequest).join(",")}}`),
    other: (exchange) => held.push(exchange),
  });
  const { connector, inbox } = await connected(t, rest, { url: server.url, fetch: writesDown(left) }, new Inbox());
  hidden(t);
  left.length = 0;
  const sends = (some) => {
    for (const id of some) inbox.decide(id, { kind: "reject" });
    return inbox.takeOutbound().map((outbound) => connector.send(outbound));
  };
  const answered = sends(ids.slice(1));
  await until(() => held.length === 299);
  const kept = left.filter(([, , outlives]) => outlives).length;
  // Chromium takes 256, and 64 KiB.
  assert.ok(kept > 100 && kept < 250, String(kept));
  for (const exchange of held.splice(0)) exchange.json(haystack.reply);
  await Promise.all(answered);
  const last = sends(["r0"]);
  await until(() => held.length === 1);
  assert.deepEqual(left.findLast(([method]) => method === "POST"), ["POST", "r0", true]);
  held[0].json(haystack.reply);
  await Promise.all(last);
});
