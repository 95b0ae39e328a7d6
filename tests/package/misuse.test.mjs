// What somebody does who uses the package for the first time, without a compiler that would say so: each is refused in a
// sentence that says what to do, nothing is decided, and nothing is lost without a word.
import assert from "node:assert/strict";
import { test } from "node:test";

import { serve } from "./connect-harness.mjs";
import { load } from "./package.mjs";

const { init, Inbox, CountersignError, inspectArgs, validateArgs } = await load("countersign/headless");
const { a2a, adk, forward, langgraph, rest, websocket } = await load("countersign/connect");
await init();

const INTERRUPT = "0123456789abcdef0123456789abcdef";
/** An object that nobody can look at any more. */
function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
/** A thread of LangChain's middleware that waits for one call. */
const THREAD = JSON.stringify({
  values: { messages: [] },
  next: ["tools"],
  tasks: [{ id: "t", name: "tools", interrupts: [{ id: INTERRUPT, value: {
    action_requests: [{ name: "delete_file", args: { path: "/a" }, description: "" }],
    review_configs: [{ action_name: "delete_file", allowed_decisions: ["approve", "edit", "reject"] }],
  } }] }],
});
const waiting = () => {
  const inbox = new Inbox({ adapter: "langgraph" });
  inbox.restore(THREAD);
  return { inbox, id: inbox.requests()[0].id };
};
const refused = (code, words = /./) => (error) => error instanceof CountersignError && error.code === code && words.test(`${error.message} ${error.help ?? ""}`);

test("an approval that carries edited arguments does not run the call as it was", () => {
  const { inbox, id } = waiting();
  assert.throws(() => inbox.decide(id, { kind: "approve", args: { path: "/b" } }), refused("decision-invalid", /`args`.*`edit`/));
  assert.throws(() => inbox.decideAll([id], { kind: "approve", args: { path: "/b" } }), refused("decision-invalid"));
  assert.deepEqual([inbox.requests()[0].status, inbox.takeOutbound()], ["pending", []]);
  inbox.decide(id, { kind: "edit", args: { path: "/b" } });
  assert.match(inbox.takeOutbound()[0].body, /"\/b"/);
});

test("words under another name than a decision has for them are not dropped", () => {
  const { inbox, id } = waiting();
  for (const name of ["feedback", "message", "comment", "reasons"]) {
    assert.throws(() => inbox.decide(id, { kind: "reject", [name]: "wrong file" }), refused("decision-invalid", new RegExp(`\`${name}\``)));
  }
  assert.deepEqual(inbox.takeOutbound(), []);
  // What a card says of its decision is a decision, whatever it leaves empty.
  inbox.decide(id, { kind: "reject", reason: "wrong file", text: "", args: undefined, answers: [] });
  assert.match(inbox.takeOutbound()[0].body, /wrong file/);
});

test("a digest that is `null` is not taken for none: what was on screen would not be held against what runs", () => {
  const { inbox, id } = waiting();
  const approve = { kind: "approve", seen: null };
  const wrong = (error) => refused("decision-invalid", /`seen` is the digest/)(error) && error.path === "/seen";
  assert.throws(() => inbox.decide(id, approve), wrong);
  assert.throws(() => inbox.decideAll([id], approve), wrong);
  assert.throws(() => inbox.decidedElsewhere(id, approve), wrong);
  assert.deepEqual([inbox.requests()[0].status, inbox.takeOutbound()], ["pending", []]);
  inbox.decide(id, { kind: "approve", seen: undefined });
  assert.equal(inbox.takeOutbound().length, 1);
});

test("what is no decision is told what one is", () => {
  const { inbox, id } = waiting();
  for (const wrong of ["approve", undefined, null, true]) assert.throws(() => inbox.decide(id, wrong), refused("decision-invalid", /\{ kind: "approve" \}/));
  assert.throws(() => inbox.decideAll(id, { kind: "approve" }), refused("decision-invalid", /array/));
  assert.throws(() => inbox.decide(id, { kind: "accept" }), refused("decision-invalid", /`accept`.*offers/));
  assert.throws(() => inbox.decide(id, { kind: "respond", text: "x" }), refused("not-offered", /`offers`/));
  assert.throws(() => inbox.decide(inbox.requests()[0], { kind: "approve" }), refused("unknown-request", /`id` of a card/));
  assert.equal(inbox.requests()[0].status, "pending");
});

test("a hole in a list of requests is one that is not known, and keeps no other from being decided", () => {
  const { inbox, id } = waiting();
  assert.deepEqual(inbox.decideAll([, id], { kind: "reject" }), { decided: [id], refused: [{ requestId: "undefined", code: "unknown-request" }] });
});

test("a window of the cards has whole places, and each of its cards is as it is now", () => {
  const inbox = new Inbox({ adapter: "adalflow" });
  for (const at of [0, 1, 2, 3]) inbox.receive(JSON.stringify({ type: "approval_request", id: `r${at}`, tool: "pay", args: [], kwargs: {}, message: "", allowed_outcomes: ["proceed_once", "cancel"] }));
  const seen = (window) => inbox.requests(window).map(({ request, status }) => `${request} ${status}`);
  assert.equal(seen().length, 4);
  inbox.decide("r2", { kind: "reject" });
  assert.deepEqual(seen({ offset: 1.7, limit: 1.5 }), ["r1 pending"]);
  assert.deepEqual(seen({ offset: 1.7, limit: 2.9 }), ["r1 pending", "r2 sending"]);
  assert.deepEqual([seen({ offset: -1, limit: 1 }), seen({ offset: 9 }), seen({ limit: null }).length], [["r0 pending"], [], 4]);
  for (const window of [{ offset: Number.NaN }, { limit: Number.NaN }, { limit: "all" }]) assert.throws(() => inbox.requests(window), refused("options-invalid", /`offset` and `limit`/));
});

test("what was to be waited for is no message", async () => {
  const { inbox } = waiting();
  const wrong = { Promise: Promise.resolve(THREAD), Response: new Response(THREAD), Blob: new Blob([THREAD]), "\\w*Event": new MessageEvent("message", { data: THREAD }) };
  for (const [kind, message] of Object.entries(wrong)) {
    for (const take of ["receive", "restore"]) assert.throws(() => inbox[take](message), refused("message-invalid", new RegExp(`\`${kind}\`.*response\\.text\\(\\).*event\\.data`)));
  }
  assert.equal(inbox.requests().length, 1);
});

test("nothing is no message, and says so", () => {
  const { inbox } = waiting();
  for (const nothing of [undefined, null, 5, true]) {
    for (const take of ["receive", "restore"]) assert.throws(() => inbox[take](nothing), refused("message-invalid", /is no message/));
  }
});

test("parsed arguments are no arguments, and the wasm is none the worse for them", () => {
  for (const wrong of [{ path: "/a" }, undefined, 7]) {
    assert.throws(() => inspectArgs(wrong), refused("args-invalid", /JSON\.stringify/));
    assert.throws(() => validateArgs({ type: "object" }, wrong), refused("args-invalid"));
  }
  assert.equal(inspectArgs("{}").inspectable, true);
  const { inbox, id } = waiting();
  inbox.decide(id, { kind: "approve" });
  const [outbound] = inbox.takeOutbound();
  inbox.failed(outbound.id, { message: new TypeError("Failed to fetch") });
  assert.match(inbox.requests()[0].outbound.error, /Failed to fetch/);
});

test("what is no draft of a grant, and failures of whatever a page has caught, leave the wasm as it was", () => {
  const { inbox, id } = waiting();
  for (const draft of [undefined, null, {}, { seen: 1.5, text: 1.5, siblings: [] }, { seen: "", text: {}, siblings: [] }, { seen: "", text: "{}" }, { seen: "", text: "{}", siblings: [{ requestId: 5 }, null] }]) {
    assert.throws(() => inbox.grant(id, draft), refused("options-invalid", /no draft/));
  }
  const hostile = [null, "offline", 7, { message: { toString: () => 5 } }, { message: Object.create(null) }, { status: 5n }, { status: Symbol("x") }, { status: Number.NaN }, { status: 1e9 }, new Error("gone"), { get status() { throw new Error("no"); }, get message() { throw new Error("no"); } }, revoked()];
  const told = hostile.map((failure) => {
    const { inbox: here, id: request } = waiting();
    here.decide(request, { kind: "approve" });
    here.failed(here.takeOutbound()[0].id, failure);
    assert.equal(here.requests()[0].outbound.state, "failed");
    return here.requests()[0].outbound.error;
  });
  assert.deepEqual([told[1], told[9]], ["offline", "gone"]);
  for (const error of told) assert.doesNotMatch(error, /status/);
});

test("arguments that JSON would empty, or cannot hold, are not sent", () => {
  const { inbox, id } = waiting();
  for (const args of [Promise.resolve({ path: "/b" }), new Map([["path", "/b"]]), new Set(), /x/, new Error("x"), { path: Number.NaN }, { path: { deep: Promise.resolve() } }, () => {}, 5n]) {
    assert.throws(() => inbox.decide(id, { kind: "edit", args }), refused("args-invalid"));
  }
  assert.throws(() => inbox.editRisk(id, undefined), refused("args-invalid"));
  // As a text it would leave with another character than it has.
  assert.throws(() => inbox.decide(id, { kind: "edit", args: '{"path":"\ud800"}' }), refused("args-invalid", /half of a surrogate pair/));
  assert.deepEqual([inbox.requests()[0].status, inbox.takeOutbound()], ["pending", []]);
  const args = Object.assign(Object.create(null), { path: ["/b", { n: 1 }] });
  inbox.decide(id, { kind: "edit", args });
  assert.match(inbox.takeOutbound()[0].body, /"path":\["\/b",\{"n":1\}\]/);
});

test("half a surrogate pair is found in arguments and schemas, not replaced", () => {
  const { inspectable, hazards } = inspectArgs('{"a":"\ud800"}');
  assert.deepEqual([inspectable, hazards.map(({ code, pointer }) => [code, pointer])], [false, [["lone-surrogate", "/a"]]]);
  const schema = { properties: { a: { const: "\ufffd" } } };
  assert.equal(validateArgs(schema, '{"a":"\ud800"}').valid, false);
  assert.equal(validateArgs(schema, '{"a":"\ufffd"}').valid, true);
});

test("options that JSON cannot hold are refused, by name: for ever is not at once", () => {
  const wrong = { holdRejections: Infinity, holdBatches: Infinity, armDelay: Number.NaN, policy: Promise.resolve({}), grants: new Set(), schemas: new Map() };
  for (const [name, value] of Object.entries(wrong)) {
    assert.throws(() => new Inbox({ [name]: value }), (error) => refused("options-invalid", new RegExp(`\`${name}\``))(error) && error.path === `/${name}`);
  }
  for (const name of ["limits", "a2a", "adk", "adalflow", "haystack"]) assert.throws(() => new Inbox({ [name]: "always" }), (error) => refused("options-invalid")(error) && error.path === `/${name}`);
  const cyclic = {};
  cyclic.policy = cyclic;
  assert.throws(() => new Inbox(cyclic), refused("options-invalid"));
  const { inbox, id } = waiting();
  for (const value of [undefined, () => {}, Promise.resolve([]), 5n]) {
    for (const set of ["setPolicy", "setGrants"]) assert.throws(() => inbox[set](value), refused("options-invalid"));
    assert.throws(() => inbox.draftGrant(id, value), refused("options-invalid"));
  }
  assert.throws(() => inbox.draftGrant(id, { scope: "tool", span: Infinity }), refused("options-invalid", /`span`/));
  assert.throws(() => inbox.subscribe(undefined), refused("options-invalid", /listener/));
});

test("what is no moment gives no more time, and says so", () => {
  const inbox = new Inbox({ adapter: "adalflow", now: 0 });
  inbox.receive('{"type":"approval_request","id":"r1","tool":"delete_file","args":["/a"],"message":"May it?"}');
  for (const until of [undefined, null, Number.NaN, "later", new Response("60000"), new Date(60_000)]) {
    assert.throws(() => inbox.extend("r1", until), refused("options-invalid", /milliseconds/));
  }
  assert.equal(inbox.requests()[0].expiresAt, 30_000);
});

test("what stands where a moment or options belong is refused or as good as nothing", () => {
  const { inbox, id } = waiting();
  const acts = ["receive", "restore", "decide", "decideAll", "undo", "retry", "delivered", "decidedElsewhere", "leave", "revoke"];
  const given = { receive: [THREAD], restore: [THREAD], decide: [id, { kind: "reject" }], decideAll: [[id], { kind: "reject" }], decidedElsewhere: [id, { kind: "reject" }], leave: [] };
  for (const act of acts) {
    for (const at of [5, { at: "soon" }, { at: new Date() }]) assert.throws(() => inbox[act](...(given[act] ?? [id]), at), refused("options-invalid", /milliseconds.*`\{ at \}`/), act);
  }
  assert.throws(() => inbox.extend(id, 5, 5), refused("options-invalid"));
  assert.throws(() => inbox.failed(id, {}, 5), refused("options-invalid"));
  assert.throws(() => inbox.draftGrant(id, { scope: "tool" }, 5), refused("options-invalid"));
  assert.equal(inbox.requests()[0].status, "pending");
  for (const options of [null, "draft-07", []]) assert.throws(() => validateArgs({}, "{}", options), refused("options-invalid", /object/));
  inbox.decide(id, { kind: "approve" }, null);
  inbox.delivered(inbox.takeOutbound()[0].id, { at: null });
  assert.equal(inbox.requests()[0].status, "sent");
});

test("an error says where, also to a console that shows its sentence alone", () => {
  assert.throws(() => new Inbox({ holdRejections: "4s" }), (error) => error.path === "/holdRejections" && error.message.endsWith("at /holdRejections"));
  assert.throws(() => new Inbox({ policy: { rules: {} } }), refused("options-invalid", /at \/policy\/rules/));
});

test("init takes the letters of a name for no names, and what is no name for no adapter", async () => {
  await init({ adapters: "a2a" });
  await assert.rejects(init({ adapters: { a2a: true } }), refused("unknown-adapter", /known are a2a/));
});

test("bytes are bytes whatever window they come from, and other lists of numbers are no message", async () => {
  const { runInNewContext } = await import("node:vm");
  const bytes = new TextEncoder().encode(THREAD);
  const foreign = runInNewContext("Uint8Array").from(bytes);
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  for (const message of [foreign, foreign.buffer, shared, shared.buffer]) {
    const inbox = new Inbox({ adapter: "langgraph" });
    assert.deepEqual(inbox.restore(message).problems, []);
    assert.equal(inbox.requests().length, 1);
  }
  const { inbox } = waiting();
  structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
  assert.deepEqual(inbox.receive(bytes).problems.map(({ code }) => code), ["json-invalid"]);
  for (const message of [new Int8Array(3), new Float64Array(1), new DataView(new ArrayBuffer(2))]) assert.throws(() => inbox.receive(message), refused("message-invalid"));
  assert.equal(inbox.requests().length, 1);
});

test("a function that sends and throws has not sent, and keeps nothing else from being sent", async () => {
  const task = (id) => `{"kind":"task","id":"${id}","contextId":"c","history":[],"status":{"state":"input-required","message":{"kind":"message","role":"agent","messageId":"m","taskId":"${id}","parts":[{"kind":"data","metadata":{"kagent_type":"function_call"},"data":{"id":"r-${id}","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k-${id}","name":"delete_file","args":{}}}}}]}}}`;
  const inbox = new Inbox({ adapter: "a2a" });
  inbox.restore(`[${task("t1")},${task("t2")}]`);
  const tried = [];
  const stop = forward(inbox, {
    send({ id, requestIds }) {
      tried.push(...requestIds);
      if (requestIds[0] === "r-t1") throw new Error("no socket");
      inbox.delivered(id);
    },
  });
  inbox.decideAll(inbox.requests().map(({ id }) => id), { kind: "approve" });
  await new Promise((resolve) => setTimeout(resolve));
  stop();
  assert.deepEqual(tried, ["r-t1", "r-t2"]);
  assert.deepEqual(inbox.requests().map(({ outbound }) => outbound.state), ["failed", "delivered"]);
});

test("a connector names the options that it cannot do without", () => {
  const url = "http://127.0.0.1:9";
  const missing = [
    [() => a2a({ url, ids: { contextId: null } }), /`a2a`.*`ids\.contextId`/],
    [() => a2a({ ids: { contextId: "c" } }), /`url`/],
    [() => adk({ url, ids: { appName: "a" } }), /`ids\.userId`, `ids\.sessionId`/],
    [() => langgraph({ url }), /`ids\.threadId`, `ids\.assistantId`/],
    [() => rest({}), /`url`/],
    [() => websocket(), /`url`/],
    [() => langgraph({ url: "/langgraph", ids: { threadId: "t", assistantId: "a" } }), /`\/langgraph` is no whole address/],
    [() => langgraph({ url: "localhost:2024", ids: { threadId: "t", assistantId: "a" } }), /`localhost:2024` has no `http:\/\/`/],
    [() => langgraph({ url, ids: null }), /`ids\.threadId`/],
    [() => a2a({ url, ids: { contextId: "c" }, history: "/tasks" }), /`\/tasks` is no whole address/],
    [() => websocket({ url: "ws://127.0.0.1:9", history: "/log" }), /`\/log` is no whole address/],
  ];
  for (const [make, words] of missing) assert.throws(make, refused("options-invalid", words));
});

test("an option that a connector does not have is refused by name: a misspelt one would do nothing", () => {
  const url = "http://127.0.0.1:9";
  const makers = {
    a2a: (more) => a2a({ url, ids: { contextId: "c" }, ...more }),
    adk: (more) => adk({ url, ids: { appName: "a", userId: "u", sessionId: "s" }, ...more }),
    langgraph: (more) => langgraph({ url, ids: { threadId: "t", assistantId: "a" }, ...more }),
    rest: (more) => rest({ url, ...more }),
    websocket: (more) => websocket({ url, ...more }),
  };
  for (const [name, make] of Object.entries(makers)) {
    for (const option of ["pollms", "timeoutMS", "toString"]) {
      assert.throws(() => make({ [option]: 5 }), (error) => refused("options-invalid", new RegExp(`\`${name}\` has no option \`${option}\``))(error) && error.path === `/${option}`);
      make({ [option]: undefined }).close();
    }
  }
  // What stands within one counts as much: with a client misspelt the requests of all of them would be read.
  const within = { a2a: "ids.taskID", adk: "ids.session", langgraph: "ids.thread", rest: "ids.clientID", websocket: "retry.delayMs" };
  const ids = { a2a: { contextId: "c" }, adk: { appName: "a", userId: "u", sessionId: "s" }, langgraph: { threadId: "t", assistantId: "a" } };
  for (const [name, place] of Object.entries(within)) {
    const [option, member] = place.split(".");
    for (const [outer, inner] of [[option, member], ["retry", "retries"], ["retry", "toString"]]) {
      const more = (value) => ({ [outer]: { ...(outer === "ids" ? ids[name] : { baseMs: 5 }), [inner]: value } });
      const wrong = new RegExp(`\`${name}\` has no option \`${outer}\\.${inner}\``);
      assert.throws(() => makers[name](more(5)), (error) => refused("options-invalid", wrong)(error) && error.path === `/${outer}/${inner}`);
      makers[name](more(undefined)).close();
    }
  }
  makers.rest({ ids: { clientId: "c" }, retry: { baseMs: 1, maxMs: 2, attempts: 3 } }).close();
  // Options may be shared: one that polls nothing minds no interval.
  makers.websocket({ pollMs: 5000 }).close();
});

test("an option of a connector that is of another kind is refused before anything is asked, by its name and place", () => {
  const url = "http://127.0.0.1:9";
  const wrong = {
    headers: [Promise.resolve({ authorization: "Bearer x" })],
    signal: ["x", new AbortController(), {}],
    network: [{}],
    retry: [null, false, 3],
    pollMs: [0, "often", null],
    timeoutMs: ["5s", 0],
    idempotencyHeader: [true, null, ""],
    "retry/baseMs": [0, "x"],
    "retry/maxMs": [-1],
  };
  for (const name of ["fetch", "now", "random", "setTimeout", "clearTimeout", "onReceive", "WebSocket"]) wrong[name] = [5, "x", {}];
  for (const [place, values] of Object.entries(wrong)) {
    const [name, member] = place.split("/");
    for (const value of values) {
      const make = () => rest({ url, [name]: member === undefined ? value : { [member]: value } });
      assert.throws(make, (error) => refused("options-invalid", new RegExp(`\`${name}`))(error) && error.path === `/${place}`, `${place}: ${String(value)}`);
    }
  }
  assert.throws(() => a2a({ url, ids: { contextId: "c" }, version: 1 }), (error) => refused("options-invalid", /"1\.0"/)(error) && error.path === "/version");
  for (const nothing of [undefined, null]) rest({ url, signal: nothing, network: nothing, headers: nothing, fetch: nothing, onReceive: nothing }).close();
});

test("a connector is made in the oldest browsers that it is for, and says the same there", (t) => {
  const { canParse } = URL;
  t.after(() => Object.assign(URL, { canParse }));
  delete URL.canParse;
  rest({ url: "http://127.0.0.1:9" }).close();
  assert.throws(() => rest({ url: "/approvals" }), refused("options-invalid", /no whole address/));
});

test("headers that would not be sent, or as something else, are refused and nothing is asked", async (t) => {
  const server = await serve(t, { "GET /approvals/pending": (exchange) => exchange.json("[]") });
  const wrong = [new Headers({ authorization: "x" }), [["authorization", "x"]], new Map(), "Bearer x", { authorization: undefined }, { authorization: 5 }];
  for (const headers of wrong) {
    for (const given of [headers, async () => headers]) {
      const connector = rest({ url: server.url, headers: given });
      t.after(() => connector.close());
      await assert.rejects(connector.connect(new Inbox()), refused("options-invalid", /header/));
      assert.equal(connector.state, "failed");
    }
  }
  assert.deepEqual(server.requests, []);
});

test("forward says what it takes, and a path needs no slash", async (t) => {
  const server = await serve(t, { "GET /open": (exchange) => exchange.json("[]") });
  const connector = rest({ url: server.url, pending: "open" });
  t.after(() => connector.close());
  for (const [one, other] of [[], [new Inbox()], [connector, new Inbox()], [new Inbox(), async () => {}]]) assert.throws(() => forward(one, other), refused("options-invalid", /an inbox, and then/));
  await connector.connect(new Inbox());
  assert.equal(connector.state, "live");
});

test("a connector refuses what is no inbox, no message and no words, and a wait that is none", async (t) => {
  const server = await serve(t, { "POST /threads/t1/history": (exchange) => exchange.json("[]"), "GET /threads/t1/state": (exchange) => exchange.json("{}") });
  const make = (rest) => langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, ...rest });
  const connector = make();
  t.after(() => connector.close());
  const element = { receive: async () => ({}), restore: async () => ({}) };
  for (const none of [undefined, null, "inbox", {}, element]) await assert.rejects(connector.connect(none), refused("options-invalid", /`Inbox`.*`connector`/));
  assert.equal(connector.state, "idle");
  const { inbox, id } = waiting();
  await connector.connect(inbox);
  inbox.restore(THREAD);
  inbox.decide(id, { kind: "approve" });
  for (const none of [undefined, {}, { id: "other" }]) await assert.rejects(connector.send(none), refused("options-invalid"));
  for (const words of [undefined, null, 5, { text: "go on" }]) await assert.rejects(connector.sendText(words), refused("options-invalid", /text/));
  for (const pollMs of [0, -1, Number.NaN, "often"]) assert.throws(() => make({ pollMs }), refused("options-invalid", /`pollMs`/));
  assert.throws(() => connector.subscribe(undefined), refused("options-invalid", /listener/));
  assert.deepEqual(server.requests.filter(({ url }) => url.includes("stream")), []);
});

test("a web page in place of an answer is a failure, as of an address that a development server does not know", async (t) => {
  const page = ({ response }) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<!doctype html><p>Sign in</p>");
  const server = await serve(t, { other: page });
  for (const make of [
    () => a2a({ url: server.url, history: `${server.url}/tasks`, ids: { contextId: "c1" } }),
    () => langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } }),
    () => rest({ url: server.url }),
  ]) {
    const connector = make();
    t.after(() => connector.close());
    await assert.rejects(connector.connect(new Inbox()), refused("backend-error", /a web page/));
    assert.equal(connector.state, "failed");
  }
});

test("a decision that a login page answered is not delivered", async (t) => {
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${THREAD}]`),
    "GET /threads/t1/state": (exchange) => exchange.json(THREAD),
    "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
    "POST /threads/t1/runs/stream": ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>Sign in</p>"),
  });
  const inbox = new Inbox({ adapter: "langgraph" });
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } });
  t.after(() => connector.close());
  await connector.connect(inbox);
  inbox.decide(inbox.requests()[0].id, { kind: "approve" });
  for (const outbound of inbox.takeOutbound()) await connector.send(outbound);
  const [{ outbound }] = inbox.requests();
  assert.equal(outbound.state, "failed");
  assert.match(outbound.error, /a web page/);
});
