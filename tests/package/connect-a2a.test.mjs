// The connector for A2A: a real inbox, recorded conversations, a server that can break at any moment.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { Clock, serve, until } from "./connect-harness.mjs";
import { member, read } from "./lossless.mjs";
import { load, root } from "./package.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, forward, ConnectorError } = await load("countersign/connect");
await init();

/** A recording: what came before the first decision, what came after it, and what a reload read at the end. */
function recording(name) {
  const steps = read(readFileSync(join(root, `tests/traces/a2a/${name}.json`), "utf8")).value.get("steps").value;
  const decided = steps.findIndex((step) => step.value.has("decide"));
  const texts = (list, kind) => list.filter((step) => step.value.has(kind)).map((step) => step.value.get(kind).text);
  const before = texts(steps.slice(0, decided), "receive");
  return {
    before,
    after: texts(steps.slice(decided), "receive"),
    ended: texts(steps.slice(decided), "restore").at(-1),
    request: member(steps[decided].value.get("decide"), "request").value,
    status: member(member(read(before.at(-1)), "result"), "status")?.text,
    taskId: member(member(read(before.at(-1)), "result"), "taskId")?.value,
  };
}

const approved = recording("kagent-0.10--approved");
const { request, taskId } = approved;
const waiting = `{"kind":"task","id":"${taskId}","contextId":"c1","history":[],"status":${approved.status}}`;
const list = (...tasks) => `{"error":false,"data":[${tasks.join(",")}],"message":"Tasks retrieved"}`;
const result = (text, id = "x") => `{"jsonrpc":"2.0","id":"${id}","result":${text}}`;
const inState = (state) => `{"kind":"task","id":"${taskId}","contextId":"c1","history":[],"status":{"state":"${state}"}}`;
const rpcError = (code, message) => `{"jsonrpc":"2.0","id":"x","error":{"code":${code},"message":"${message}"}}`;

/** An agent that waits for a decision; `answers` replace what it does by default, by method. */
async function agent(t, answers = {}) {
  const state = { list: list(waiting), task: result(waiting) };
  const server = await serve(t, {
    "GET /sessions": async (exchange) => (answers.history ? answers.history(exchange) : exchange.json(state.list)),
    "POST /": async (exchange) => {
      const { method } = JSON.parse(exchange.body);
      if (answers[method]) return answers[method](exchange);
      if (method === "tasks/get") return exchange.json(state.task);
      exchange.stream(approved.after).end();
    },
  });
  return Object.assign(server, { state });
}

/** A connected connector with a clock of its own. */
async function connected(t, server, options = {}) {
  const clock = new Clock();
  const inbox = new Inbox({ adapter: "a2a", ...options.inbox });
  const { inbox: _, ...rest } = options;
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...clock.options, ...rest });
  t.after(() => connector.close());
  const states = [];
  connector.subscribe(() => states.push(connector.state));
  await connector.connect(inbox);
  const only = () => inbox.requests().find((card) => card.request === request);
  const decide = (decision = { kind: "approve" }) => {
    inbox.decide(request, decision);
    return inbox.takeOutbound()[0];
  };
  return { clock, inbox, connector, states, only, decide };
}

test("connecting restores from history", async (t) => {
  const server = await agent(t);
  const { connector, only, states } = await connected(t, server);
  assert.deepEqual([only().status, connector.state, states], ["pending", "live", ["connecting", "live"]]);
});

test("a decision goes out byte for byte and its streamed answer comes in", async (t) => {
  const server = await agent(t);
  const { connector, only, decide } = await connected(t, server);
  const outbound = decide();
  await connector.send(outbound);
  const [sent] = server.of("message/stream");
  assert.ok(sent.body.includes(`"params":{"message":${outbound.body}}`), sent.body);
  assert.equal(sent.headers["idempotency-key"], outbound.id);
  assert.equal(sent.headers["content-type"], "application/json");
  assert.deepEqual([only().status, only().outbound.state], ["completed", "delivered"]);
});

test("edited numbers leave with all their digits", async (t) => {
  const args = '{"to":2512292042121000001,"n":1.00}';
  const part =
    `{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"${request}","name":"adk_request_confirmation",` +
    `"args":{"originalFunctionCall":{"id":"k","name":"pay","args":${args}},"toolConfirmation":{"confirmed":false}}}}`;
  const task = `{"kind":"task","id":"${taskId}","contextId":"c1","history":[],"status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m","taskId":"${taskId}","parts":[${part}]}}}`;
  const server = await agent(t);
  Object.assign(server.state, { list: list(task), task: result(task) });
  const { connector, decide } = await connected(t, server, { inbox: { a2a: { edits: "always" } } });
  await connector.send(decide({ kind: "edit", args: '{"to":18446744073709551616,"n":1.00,"new":1e400}' }));
  const [{ body }] = server.of("message/stream");
  assert.match(body, /"modified_args":\{"to":18446744073709551616,"new":1e400\}/);
});

test("forward sends what becomes due", async (t) => {
  const server = await agent(t);
  const { connector, inbox, only } = await connected(t, server);
  const stop = forward(inbox, connector);
  inbox.decide(request, { kind: "approve" });
  await until(() => only().status === "completed");
  stop();
  assert.equal(server.of("message/stream").length, 1);
});

test("forward sends what was held, and nothing on the page shows it", async (t) => {
  const server = await agent(t);
  const { connector, inbox } = await connected(t, server, { inbox: { holdRejections: 60 } });
  t.after(forward(inbox, connector));
  inbox.decide(request, { kind: "reject", reason: "no" });
  assert.deepEqual([inbox.requests()[0].status, server.of("message/stream").length], ["drafted", 0]);
  await until(() => server.of("message/stream").length === 1);
});

test("forward leaves alone what its sender has told the inbox, and stops", async () => {
  const inbox = new Inbox({ adapter: "a2a", holdRejections: 30 });
  const history = (await import("./task.mjs")).task([["r1", "delete_file", "{}"]]);
  inbox.restore(history);
  const sent = [];
  const send = async ({ id }) => {
    sent.push(id);
    inbox.failed(id, { message: "said by the sender" });
    throw new Error("said once more");
  };
  const stop = forward(inbox, { send });
  inbox.decide("r1", { kind: "approve" });
  await until(() => inbox.requests()[0].outbound?.state === "failed");
  stop();
  inbox.restore(history);
  inbox.decide("r1", { kind: "reject" });
  await new Promise((resolve) => setTimeout(resolve, 80));
  assert.equal(sent.length, 1, "nothing is ticked after the end");
  assert.equal(inbox.requests()[0].status, "drafted");
});

test("the task is read again before sending, and nothing is sent when it moved on", async (t) => {
  for (const [state, after] of [["completed", "expired"], ["canceled", "cancelled"], ["working", "drafted"]]) {
    const server = await agent(t);
    const { connector, only, decide } = await connected(t, server);
    server.state.task = result(inState(state));
    await connector.send(decide());
    assert.equal(server.of("tasks/get").length, 1);
    assert.deepEqual([server.of("message/stream"), only().status], [[], after], state);
    assert.equal(only().outbound?.state ?? "failed", "failed", state);
  }
});

test("a pause that asks something else by now gets no answer", async (t) => {
  const server = await agent(t);
  const { connector, decide, only } = await connected(t, server);
  const outbound = decide();
  // Another client answered, and the tool's outcome stands in the task, which waits for something else.
  const history = approved.after.map((text) => member(member(member(read(text), "result"), "status") ?? read("{}"), "message")?.text).filter(Boolean);
  server.state.task = result(
    `{"kind":"task","id":"${taskId}","contextId":"c1","history":[${member(read(approved.status), "message").text},${history.join(",")}],"status":{"state":"input-required"}}`,
  );
  await connector.send(outbound);
  assert.deepEqual([server.of("message/stream"), only().status === "pending"], [[], false], only().status);
});

test("a second send of the same message sends nothing", async (t) => {
  const server = await agent(t);
  const { connector, decide } = await connected(t, server);
  const outbound = decide();
  await Promise.all([connector.send(outbound), connector.send(outbound)]);
  await connector.send(outbound);
  assert.equal(server.of("message/stream").length, 1);
});

test("a refusal keeps the decision, is not tried again by itself, and a person's retry is the identical body", async (t) => {
  for (const status of [409, 500]) {
    let refuse = true;
    const server = await agent(t, {
      "message/stream": (exchange) => (refuse ? exchange.json('{"detail":"busy"}', status) : exchange.stream(approved.after).end()),
    });
    const { connector, inbox, only, decide, clock } = await connected(t, server);
    const outbound = decide();
    await connector.send(outbound);
    assert.deepEqual([only().status, only().outbound], ["drafted", { id: outbound.id, state: "failed", error: "busy" }]);
    await until(() => server.requests.filter(({ url }) => url === "/sessions").length === 2);
    clock.advance(120_000);
    await connector.refresh();
    assert.equal(server.of("message/stream").length, 1);
    refuse = false;
    inbox.retry(request);
    const [again] = inbox.takeOutbound();
    await connector.send(again);
    const [one, two] = server.of("message/stream");
    assert.deepEqual([one.body === two.body, one.headers["idempotency-key"] === two.headers["idempotency-key"], only().status], [true, true, "completed"]);
  }
});

test("an error of JSON-RPC is a failed send, and the state is read", async (t) => {
  for (const reply of [(exchange, text) => exchange.json(text), (exchange, text) => exchange.stream([text]).end()]) {
    const server = await agent(t, { "message/stream": (exchange) => reply(exchange, rpcError(-32602, "the task has ended")) });
    const { connector, only, decide } = await connected(t, server);
    const outbound = decide();
    server.state.list = list(inState("completed"));
    await connector.send(outbound);
    await until(() => only().status === "expired");
    assert.equal(server.of("message/stream").length, 1);
  }
});

test("a connection that is lost before any answer is a failure; the state tells whether it had arrived", async (t) => {
  const server = await agent(t, {
    "message/stream": (exchange) => {
      server.state.list = approved.ended;
      exchange.response.destroy();
    },
  });
  const { connector, only, decide, inbox } = await connected(t, server);
  const outbound = decide();
  await connector.send(outbound);
  await until(() => only().status === "completed");
  assert.equal(server.of("message/stream").length, 1);
  assert.throws(() => inbox.retry(request));
});

test("a stream that is lost in the middle goes on where the task is followed", async (t) => {
  const [first, ...rest] = approved.after;
  let follows = 0;
  const server = await agent(t, {
    "message/stream": (exchange) => {
      server.state.list = list(inState("working"));
      exchange.stream([first]).cut();
    },
    "tasks/resubscribe": (exchange) => {
      follows += 1;
      server.state.list = approved.ended;
      exchange.stream(rest).end();
    },
  });
  const { connector, only, decide } = await connected(t, server);
  await connector.send(decide());
  assert.equal(only().outbound.state, "delivered");
  await until(() => only().status === "completed");
  assert.deepEqual([follows, server.of("message/stream").length], [1, 1]);
});

test("an answer that ends while the agent works on is read and followed", async (t) => {
  const server = await agent(t, {
    "message/stream": (exchange) => {
      server.state.list = list(inState("working"));
      exchange.stream(approved.after.slice(0, 1)).end();
    },
    "tasks/resubscribe": (exchange) => exchange.stream(approved.after.slice(1)).end(),
  });
  const { connector, only, decide } = await connected(t, server);
  await connector.send(decide());
  await until(() => only().status === "completed");
});

test("a task that cannot be followed is read again, each time later", async (t) => {
  const server = await agent(t, { "tasks/resubscribe": (exchange) => exchange.json(rpcError(-32004, "not supported")) });
  server.state.list = list(inState("working"));
  const { clock, only } = await connected(t, server);
  const waits = [];
  for (let round = 0; round < 3; round += 1) {
    const [wait] = await until(() => clock.rests.length === 1 && clock.rests);
    waits.push(wait);
    if (round === 2) server.state.list = approved.ended;
    clock.advance(wait);
  }
  assert.deepEqual(waits, [500, 1000, 2000]);
  await until(() => only()?.status === "completed");
});

test("a lost backend is tried again, later each time, and what is known stays", async (t) => {
  let down = false;
  const server = await agent(t, { history: (exchange) => (down ? exchange.response.destroy() : exchange.json(server.state.list)) });
  const { connector, clock, only, inbox, states } = await connected(t, server, { retry: { baseMs: 100, maxMs: 300 } });
  inbox.decide(request, { kind: "reject" });
  const [outbound] = inbox.takeOutbound();
  inbox.failed(outbound.id);
  down = true;
  await assert.rejects(connector.refresh(), (error) => error instanceof ConnectorError && error.code === "unreachable");
  const waits = [];
  for (let round = 0; round < 4; round += 1) {
    await until(() => states.filter((state) => state === "waiting").length > round && clock.waits.length === 1);
    waits.push(...clock.waits);
    if (round === 3) down = false;
    clock.advance(clock.waits[0]);
  }
  await until(() => connector.state === "live");
  assert.deepEqual(waits, [100, 200, 300, 300]);
  // A refresh, not a restoration: the draft is still there.
  assert.deepEqual([only().status, only().decision.kind], ["drafted", "reject"]);
});

test("what happened in a gap is known after it", async (t) => {
  const server = await agent(t);
  const { connector, only } = await connected(t, server);
  server.state.list = approved.ended;
  await connector.refresh();
  assert.equal(only().status, "completed");
});

test("attempts end, and a refresh begins anew", async (t) => {
  let down = true;
  const server = await agent(t, { history: (exchange) => (down ? exchange.json("{}", 503) : exchange.json(server.state.list)) });
  const clock = new Clock();
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...clock.options, retry: { attempts: 2 } });
  t.after(() => connector.close());
  for (const begin of [() => connector.connect(inbox), () => connector.refresh()]) {
    const beginning = begin();
    await until(() => connector.state === "waiting");
    clock.advance(500);
    await assert.rejects(beginning, (error) => error.status === 503 && error.code === "backend-error");
    assert.deepEqual([connector.state, connector.error.status, clock.timers.size], ["failed", 503, 0]);
  }
  down = false;
  await connector.refresh();
  assert.deepEqual([connector.state, connector.error, inbox.requests().length], ["live", undefined, 1]);
});

test("a refusal of the history is not tried again, and nothing at all is no history", async (t) => {
  let status = 403;
  const server = await agent(t, { history: (exchange) => exchange.json('{"error":{"message":"not yours"}}', status) });
  const options = { url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" } };
  const refused = a2a(options);
  await assert.rejects(refused.connect(new Inbox()), { name: "CountersignError", code: "backend-error", status: 403, message: "not yours" });
  assert.deepEqual([refused.state, server.requests.length], ["failed", 1]);
  refused.close();
  status = 404;
  const fresh = a2a(options);
  t.after(() => fresh.close());
  await fresh.connect(new Inbox());
  assert.equal(fresh.state, "live");
});

test("r10_an agent that is not there is not one that has forgotten its task: the decision stays, with the words of whoever answers", async (t) => {
  const words = "agent ops/keeper not found";
  const server = await agent(t, { "tasks/get": (exchange) => exchange.json(`{"error":"${words}"}`, 404) });
  const { connector, only, decide } = await connected(t, server);
  await connector.send(decide());
  assert.deepEqual([only().status, only().outbound.state, only().outbound.error], ["drafted", "failed", words]);
  assert.equal(server.of("message/stream").length, 0);
});

test("the header function is asked before every request", async (t) => {
  const server = await agent(t);
  let count = 0;
  const headers = async () => ({ authorization: `Bearer ${(count += 1)}` });
  const { connector, decide } = await connected(t, server, { headers, idempotencyHeader: false });
  await connector.send(decide());
  assert.deepEqual(server.requests.map(({ headers }) => headers.authorization), ["Bearer 1", "Bearer 2", "Bearer 3", "Bearer 4"]);
  assert.ok(server.requests.every((request) => !("idempotency-key" in request.headers)));
});

test("one message goes out after the other", async (t) => {
  const open = [];
  const server = await agent(t, { "message/stream": (exchange) => open.push(exchange) });
  const { connector, decide } = await connected(t, server);
  const sent = connector.send(decide());
  const said = connector.sendText("go on");
  await until(() => open.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(server.of("message/stream").length, 1);
  open[0].stream(approved.after).end();
  await until(() => open.length === 2);
  const message = JSON.parse(open[1].body).params.message;
  assert.deepEqual([message.parts, message.contextId, "taskId" in message], [[{ kind: "text", text: "go on" }], "c1", false]);
  open[1].stream(approved.before).end();
  await Promise.all([sent, said]);
});

test("a pause in a stream that stays open does not keep the decision back", async (t) => {
  let streams = 0;
  const server = await agent(t, {
    "message/stream": (exchange) => (streams++ === 0 ? exchange.stream(approved.before) : exchange.stream(approved.after).end()),
  });
  server.state.list = list();
  const { connector, only, decide } = await connected(t, server);
  await connector.sendText("delete it");
  assert.equal(only().status, "pending");
  await connector.send(decide());
  assert.equal(only().status, "completed");
});

test("words that did not arrive are told, and words that did are not said again", async (t) => {
  let how = (exchange) => exchange.json("{}", 500);
  const server = await agent(t, { "message/stream": (exchange) => how(exchange) });
  const { connector } = await connected(t, server);
  await assert.rejects(connector.sendText("hello"), { code: "backend-error", status: 500 });
  how = (exchange) => exchange.stream([approved.before[0]]).cut();
  await connector.sendText("hello");
});

test("version 1.0 opts in on every call, reads all pages oldest last, and gets the task", async (t) => {
  const v1 = recording("kagent-hitl-v1--approved");
  const update = member(member(read(v1.before.at(-1)), "result"), "statusUpdate");
  const [id, context] = ["taskId", "contextId"].map((name) => member(update, name).value);
  const task = `{"id":"${id}","contextId":"${context}","status":${member(update, "status").text},"history":[]}`;
  const page = (tasks, token) => result(`{"tasks":[${tasks}],"nextPageToken":"${token}","pageSize":1,"totalSize":2}`);
  const methods = [];
  const server = await serve(t, {
    "POST /": (exchange) => {
      const { method, params } = JSON.parse(exchange.body);
      methods.push(method);
      if (method === "ListTasks") {
        assert.equal(params.includeArtifacts, true);
        return exchange.json(params.pageToken === "p2" ? page(`{"id":"old","contextId":"${context}","status":{"state":"TASK_STATE_COMPLETED"}}`, "") : page(task, "p2"));
      }
      if (method === "GetTask") return exchange.json(result(task));
      exchange.stream(v1.after).end();
    },
  });
  const heard = [];
  const inbox = new Inbox();
  const connector = a2a({ url: server.url, version: "1.0", ids: { contextId: context }, onReceive: (text, receipt) => heard.push([text, receipt.problems]) });
  t.after(() => connector.close());
  await connector.connect(inbox);
  assert.match(heard[0][0], /^\{"tasks":\[\{"id":"[^]*1250\.0[^]*\},\{"id":"old"[^]*\}\]\}$/);
  inbox.decide(v1.request, { kind: "approve" });
  await connector.send(inbox.takeOutbound()[0]);
  const card = inbox.requests().find(({ request }) => request === v1.request);
  assert.deepEqual([card.status, methods], ["completed", ["ListTasks", "ListTasks", "GetTask", "SendStreamingMessage"]]);
  for (const { headers } of server.requests) {
    assert.deepEqual([headers["a2a-version"], headers["a2a-extensions"]], ["1.0", "https://kagent.dev/extensions/hitl/v1"]);
  }
  assert.ok(heard.every(([, problems]) => problems.length === 0));
});

test("without streams, the one answer is the task", async (t) => {
  const server = await agent(t, { "message/send": (exchange) => exchange.json(result(inState("completed"))) });
  const { connector, decide, only } = await connected(t, server, { stream: false });
  await connector.send(decide());
  assert.deepEqual([only().status, only().outbound.state], ["approved", "delivered"]);
});

test("without streams, the one answer may take longer than a stream may take to begin", async (t) => {
  let open;
  const server = await agent(t, { "message/send": (exchange) => (open = exchange) });
  const { connector, decide, only, clock } = await connected(t, server, { stream: false });
  const sent = connector.send(decide());
  await until(() => open);
  clock.advance(599_999);
  open.json(result(inState("completed")));
  await sent;
  assert.equal(only().outbound.state, "delivered");
});

test("a tab that is offline fails its sends and comes back with the network", async (t) => {
  const network = new EventTarget();
  let offline = false;
  const server = await agent(t);
  const { connector, decide, only, clock } = await connected(t, server, {
    network,
    fetch: (url, init) => (offline ? Promise.reject(new TypeError("Failed to fetch")) : fetch(url, init)),
  });
  offline = true;
  await connector.send(decide());
  assert.deepEqual([only().status, only().outbound.error], ["drafted", "the backend cannot be reached: Failed to fetch"]);
  await until(() => connector.state === "waiting");
  offline = false;
  network.dispatchEvent(new Event("online"));
  await until(() => connector.state === "live");
  assert.deepEqual([server.of("message/stream"), only().status], [[], "drafted"]);
  // Expired in the meantime: what the person decided offline is never sent.
  server.state.list = list(inState("completed"));
  await connector.refresh();
  clock.advance(600_000);
  assert.deepEqual([server.of("message/stream"), only().status], [[], "expired"]);
});

test("a page that a browser has kept and shows again asks what has happened meanwhile", async (t) => {
  const network = new EventTarget();
  const server = await agent(t);
  const { connector, only } = await connected(t, server, { network });
  server.state.list = list(inState("completed"));
  const asked = server.requests.length;
  network.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: false }));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([only().status, server.requests.length], ["pending", asked]);
  network.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await until(() => only().status !== "pending");
  connector.close();
  assert.equal(getEventListeners(network, "pageshow").length, 0);
});

test("an answer that is later than the news of it is no second answer", async (t) => {
  let open;
  const server = await agent(t, { "message/stream": (exchange) => (open = exchange) });
  const { connector, decide, only } = await connected(t, server);
  const sent = connector.send(decide());
  await until(() => open);
  server.state.list = approved.ended;
  await connector.refresh();
  open.stream(approved.after).end();
  await sent;
  assert.deepEqual([only().status, server.of("message/stream").length], ["completed", 1]);
});

test("an abort ends everything and leaves nothing behind", async (t) => {
  const abort = new AbortController();
  const network = new EventTarget();
  let broken = false;
  const server = await agent(t, {
    "message/stream": (exchange) => exchange.stream([approved.after[0]]).response.on("close", () => (broken = true)),
  });
  const { connector, decide, only, clock } = await connected(t, server, { signal: abort.signal, pollMs: 5000, network });
  assert.deepEqual([clock.waits, getEventListeners(abort.signal, "abort").length, getEventListeners(network, "online").length], [[5000], 1, 1]);
  const sent = connector.send(decide());
  await until(() => only().outbound.state === "delivered");
  abort.abort();
  await sent;
  assert.equal(connector.state, "closed");
  await until(() => broken);
  assert.deepEqual([clock.timers.size, getEventListeners(abort.signal, "abort").length, getEventListeners(network, "online").length], [0, 0, 0]);
  await assert.rejects(connector.refresh(), { code: "closed" });
  await assert.rejects(connector.sendText("x"), { code: "closed" });
});

test("an abort tells the fate of what waits to be sent, and closing ends an attempt to connect", async (t) => {
  const server = await agent(t, { "message/stream": () => undefined, history: () => undefined });
  const opening = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" } });
  const connecting = opening.connect(new Inbox());
  await until(() => server.requests.length === 1);
  opening.close();
  await assert.rejects(connecting, { code: "closed" });
  await assert.rejects(opening.connect(new Inbox()), { code: "closed" });

  const quiet = await agent(t, { "message/stream": () => undefined });
  const abort = new AbortController();
  const { connector, decide, only } = await connected(t, quiet, { signal: abort.signal });
  const sent = connector.send(decide());
  await until(() => quiet.of("message/stream").length === 1);
  connector.close();
  abort.abort();
  await sent;
  assert.deepEqual([only().status, only().outbound.state], ["drafted", "failed"]);
});

test("before it is connected nothing is sent", async (t) => {
  const server = await agent(t);
  const connector = a2a({ url: server.url, ids: { contextId: "c1" } });
  t.after(() => connector.close());
  const outbound = { id: "o", adapter: "a2a", requestIds: [], body: "{}", transport: {} };
  await assert.rejects(connector.send(outbound), { code: "not-connected" });
  await assert.rejects(connector.sendText("x"), { code: "not-connected" });
  await assert.rejects(connector.refresh(), { code: "not-connected" });
  assert.deepEqual([connector.state, server.requests.length], ["idle", 0]);
});

test("a backend that never answers is lost after a while", async (t) => {
  const server = await agent(t, { history: () => undefined });
  const clock = new Clock();
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...clock.options, timeoutMs: 700, retry: { attempts: 1 } });
  t.after(() => connector.close());
  const connecting = connector.connect(new Inbox());
  await until(() => server.requests.length === 1);
  clock.advance(700);
  await assert.rejects(connecting, { code: "unreachable", message: "the backend did not answer within 700 ms" });
});

test("of tasks that no list has, each that has ended is read once more, and again only for what is rebuilt", async (t) => {
  const asked = [];
  const server = await agent(t, {
    "tasks/get": (exchange) => {
      asked.push(JSON.parse(exchange.body).params.id);
      exchange.json(server.state.task);
    },
  });
  const options = { history: undefined, ids: { contextId: "c1", taskId } };
  const { inbox, connector, only } = await connected(t, server, options);
  const read = async () => {
    await connector.refresh();
    return asked.splice(0);
  };
  assert.deepEqual([await read(), only().status], [[taskId, taskId], "pending"]);
  server.state.task = result(inState("completed"));
  assert.deepEqual([await read(), await read(), await read()], [[taskId], [taskId], []]);
  // Something new of it: it is looked at again.
  await connector.sendText("go on");
  assert.deepEqual([await read(), await read()], [[taskId], []]);
  // Another conversation was in the inbox meanwhile.
  const other = a2a({ url: server.url, ids: { contextId: "c2" } });
  t.after(() => other.close());
  await other.connect(inbox);
  await connector.connect(inbox);
  assert.deepEqual(asked, [taskId]);
});
