// The wasm in parts, in Node: what is read when, what is missing, what comes from elsewhere.
import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";

import { folder, modules, root } from "./package.mjs";

const copies = join(root, "target/npm/copies");
const read = (trace) => JSON.parse(readFileSync(join(root, "tests/traces", trace), "utf8"));
const step = (trace, way) => JSON.stringify(read(trace).steps.find((step) => way in step)[way]);
const A2A = step("a2a/kagent-0.10--reload-while-pending.json", "restore");
const LANGGRAPH = step("langgraph/written/request-description.json", "receive");

rmSync(copies, { recursive: true, force: true });
after(() => rmSync(copies, { recursive: true, force: true }));

let count = 0;
/** The headless entry of a fresh copy of the package, made of its single modules, and the parts that are read from it. */
async function fresh({ without = [] } = {}) {
  count += 1;
  const copy = join(copies, String(count));
  for (const place of [join(folder, "dist"), modules]) cpSync(place, copy, { recursive: true });
  const file = (part) => join(copy, "wasm", part === "bg" ? "headless_bg.wasm" : `headless_${part}.wasm`);
  for (const part of without) rmSync(file(part));
  const entry = await import(pathToFileURL(join(copy, "headless.node.js")).href);
  const glue = await import(pathToFileURL(join(copy, "wasm/headless.js")).href);
  const loaded = () => glue.parts.adapters.filter((name) => glue.parts.has(name));
  return { ...entry, glue, loaded, file };
}

const withCode = (code) => (error) => error.name === "CountersignError" && error.code === code;

test("nothing but the first file is read before an adapter is needed, and then only that adapter", async () => {
  const { init, Inbox, loaded } = await fresh();
  await init();
  const inbox = new Inbox();
  assert.deepEqual(loaded(), []);
  inbox.receive('{"nobody":"knows this"}');
  assert.deepEqual(loaded(), []);
  inbox.restore(A2A);
  assert.deepEqual(loaded(), ["a2a"]);
  assert.ok(inbox.requests().length > 0);
});

test("a conversation goes on with its adapter, and a history may bring another one", async () => {
  const { init, Inbox, loaded } = await fresh();
  await init();
  const inbox = new Inbox();
  inbox.restore(A2A);
  inbox.receive(LANGGRAPH);
  assert.deepEqual(loaded(), ["a2a"]);
  inbox.restore(LANGGRAPH);
  assert.deepEqual(loaded().sort(), ["a2a", "langgraph"]);
  assert.ok(inbox.requests().length > 0);
  const another = new Inbox();
  another.receive(LANGGRAPH);
  another.receive(LANGGRAPH);
  assert.ok(another.requests().length > 0);
});

test("adapters that are named are there after init, and others are read all the same", async () => {
  const { init, Inbox, loaded } = await fresh();
  await init({ adapters: ["langgraph"] });
  assert.deepEqual(loaded(), ["langgraph"]);
  await init({ adapters: ["adk"] });
  assert.deepEqual(loaded().sort(), ["adk", "langgraph"]);
  const inbox = new Inbox();
  inbox.restore(A2A);
  assert.ok(inbox.requests().length > 0);
  await assert.rejects(init({ adapters: ["fax"] }), withCode("unknown-adapter"));
});

test("a missing adapter is told before anything changes, and everything else goes on", async () => {
  const { init, Inbox, CountersignError } = await fresh({ without: ["langgraph"] });
  await init();
  const inbox = new Inbox();
  assert.throws(() => inbox.receive(LANGGRAPH), (error) => error instanceof CountersignError && /headless_langgraph/.test(error.message));
  assert.throws(() => inbox.receive(LANGGRAPH), withCode("part-missing"));
  assert.deepEqual([inbox.requests().length, inbox.audit()], [0, ""]);
  inbox.restore(A2A);
  const { id } = inbox.requests().find(({ status }) => status === "pending");
  inbox.decide(id, { kind: "reject" });
  assert.equal(inbox.takeOutbound().length, 1);
  await assert.rejects(init({ adapters: ["langgraph"] }), withCode("part-missing"));
});

test("a part that is missing in the middle of the work ends it: nothing is decided or sent from then on", async (t) => {
  const { init, Inbox, glue } = await fresh({ without: ["langgraph"] });
  await init();
  t.mock.method(console, "error", () => {});
  const inbox = new Inbox();
  inbox.restore(A2A);
  const { id } = inbox.requests().find(({ status }) => status === "pending");
  const heard = [];
  glue.parts.onBreak((error) => heard.push(error.code));
  // Below the check that loads an adapter before it is needed.
  const raw = new glue.RawInbox('{"adapter":"langgraph"}', "");
  assert.throws(() => raw.receive(new TextEncoder().encode(LANGGRAPH), false, 0), withCode("part-missing"));
  assert.deepEqual([heard, console.error.mock.callCount()], [["part-missing"], 1]);
  for (const act of [() => inbox.decide(id, { kind: "approve" }), () => inbox.takeOutbound(), () => inbox.restore(A2A), () => new Inbox()]) {
    assert.throws(act, withCode("part-missing"));
  }
  raw.free();
});

test("what answers without a person is read with the first inbox that has a policy or grants, or along with the first file", async () => {
  for (const options of [{ grants: [] }, { policy: { rules: [] } }]) {
    const { init, Inbox, glue } = await fresh();
    await init();
    const inbox = new Inbox();
    inbox.restore(A2A);
    const { id } = inbox.requests().find(({ status }) => status === "pending");
    inbox.decide(id, { kind: "approve" });
    assert.deepEqual([inbox.takeOutbound().length, inbox.grants(), glue.parts.has("policy")], [1, [], false]);
    new Inbox(options);
    assert.ok(glue.parts.has("policy"));
  }
  const { init, glue } = await fresh();
  await init({ policy: true });
  assert.ok(glue.parts.has("policy") && !glue.parts.has("schema"));
});

test("a policy that cannot be read for want of its part is told before anything changes", async () => {
  const { init, Inbox } = await fresh({ without: ["policy"] });
  await init();
  const inbox = new Inbox();
  inbox.restore(A2A);
  const { id } = inbox.requests().find(({ status }) => status === "pending");
  for (const act of [
    () => new Inbox({ grants: "[]" }),
    () => inbox.setPolicy("{}"),
    () => inbox.setGrants([]),
    () => inbox.draftGrant(id, { scope: "tool" }),
    () => inbox.revoke("g"),
  ]) {
    assert.throws(act, withCode("part-missing"));
  }
  inbox.decide(id, { kind: "reject" });
  assert.equal(inbox.takeOutbound().length, 1);
});

test("all files may come from elsewhere, as bytes, modules or addresses", async () => {
  const { init, Inbox, file, loaded } = await fresh();
  const bytes = (part) => readFileSync(file(part));
  const parts = { a2a: bytes("a2a"), adk: new WebAssembly.Module(bytes("adk")), langgraph: pathToFileURL(file("langgraph")).href };
  const source = bytes("bg");
  for (const part of ["bg", "a2a", "adk", "langgraph"]) if (part !== "langgraph") rmSync(file(part));
  await init({ source, parts, adapters: ["adk"] });
  const inbox = new Inbox({ adapter: "a2a" });
  inbox.restore(A2A);
  new Inbox().receive(LANGGRAPH);
  assert.deepEqual(loaded().sort(), ["a2a", "adk", "langgraph"]);
  assert.ok(inbox.requests().length > 0);
});

test("the first file may be given alone", async () => {
  const { init, Inbox, file } = await fresh();
  await init(readFileSync(file("bg")));
  const inbox = new Inbox();
  inbox.restore(A2A);
  assert.ok(inbox.requests().length > 0);
});

test("a part of another build is refused", async () => {
  const { init, Inbox } = await fresh();
  await init({ parts: { a2a: readFileSync(join(folder, "dist/wasm/countersign_a2a.wasm")) } });
  const inbox = new Inbox();
  assert.throws(() => inbox.restore(A2A), withCode("part-missing"));
  assert.equal(inbox.requests().length, 0);
});

test("where nothing can be read at once, init loads everything", async () => {
  const { init, Inbox, glue, loaded } = await fresh();
  glue.parts.read = undefined;
  await init({ adapters: ["a2a"] });
  assert.deepEqual(loaded(), glue.parts.adapters);
  new Inbox().receive(LANGGRAPH);
});
