// What somebody does who uses the package for the first time, without a compiler that would say so: each is refused in a
// sentence that says what to do, nothing is decided, and nothing is lost without a word.
import assert from "node:assert/strict";
import { test } from "node:test";

import { serve } from "./connect-harness.mjs";
import { load } from "./package.mjs";

const { init, Inbox, CountersignError, inspectArgs, validateArgs } = await load("countersign/headless");
const { a2a, adk, langgraph, rest, websocket } = await load("countersign/connect");
await init();

const INTERRUPT = "0123456789abcdef0123456789abcdef";
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

test("what is no decision is told what one is", () => {
  const { inbox, id } = waiting();
  for (const wrong of ["approve", undefined, null, true]) assert.throws(() => inbox.decide(id, wrong), refused("decision-invalid", /\{ kind: "approve" \}/));
  assert.throws(() => inbox.decideAll(id, { kind: "approve" }), refused("decision-invalid", /array/));
  assert.throws(() => inbox.decide(id, { kind: "accept" }), refused("decision-invalid", /`accept`.*offers/));
  assert.throws(() => inbox.decide(id, { kind: "respond", text: "x" }), refused("not-offered", /`offers`/));
  assert.throws(() => inbox.decide(inbox.requests()[0], { kind: "approve" }), refused("unknown-request", /`id` of a card/));
  assert.equal(inbox.requests()[0].status, "pending");
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
  ];
  for (const [make, words] of missing) assert.throws(make, refused("options-invalid", words));
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
