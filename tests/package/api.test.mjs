// What the headless entry promises to JavaScript, beyond what traces can say.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { install, load, resolve } from "./package.mjs";
import { task } from "./task.mjs";

const START = Date.parse("2026-01-01T00:00:00Z");
const { init, Inbox, CountersignError, inspectArgs, validateArgs, verifyAudit, versions } = await load("countersign/headless");

const ONE = task([["r1", "delete_file", '{"path":"/tmp/x"}']]);
const inbox = (options) => new Inbox({ adapter: "a2a", now: START, ...options });
const withCode = (code) => (error) => error instanceof CountersignError && error instanceof Error && error.code === code;

test("importing any entry touches no document and loads nothing", () => {
  const entries = ["countersign/headless", "countersign", "countersign/define"].map((entry) => resolve(entry));
  for (const entry of entries) {
    const script = `await import(${JSON.stringify(entry)}); console.log(typeof document, typeof customElements)`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: install() });
    assert.equal(stdout.toString().trim(), "undefined undefined", stderr.toString());
  }
});

test("what comes before init throws a sentence that says to call it", () => {
  for (const early of [() => new Inbox(), () => inspectArgs("{}"), () => validateArgs({}, "{}"), () => versions(), () => verifyAudit("")]) {
    assert.throws(early, (error) => withCode("not-initialised")(error) && /init\(\)/.test(error.message));
  }
});

test("init may be called twice at once and again later", async () => {
  await Promise.all([init(), init()]);
  await init();
  assert.deepEqual(Object.keys(versions()), ["package", "core", "commit"]);
});

test("a decision is made once and sends one body", () => {
  const here = inbox();
  const receipt = here.receive(ONE);
  assert.deepEqual({ ...receipt }, { changed: ["t1/r1"], hidden: [true], problems: [] });
  here.decide("r1", { kind: "approve" });
  assert.throws(() => here.decide("r1", { kind: "reject" }), withCode("already-decided"));
  const sent = here.takeOutbound();
  assert.equal(sent.length, 1);
  assert.deepEqual(Object.keys(sent[0]), ["id", "adapter", "requestIds", "body", "transport"]);
  assert.deepEqual([sent[0].adapter, sent[0].requestIds, typeof sent[0].transport], ["a2a", ["r1"], "object"]);
  assert.match(sent[0].body, /approve/);
  assert.deepEqual(here.takeOutbound(), []);
  here.delivered(sent[0].id);
  assert.equal(here.requests()[0].status, "sent");
  assert.throws(() => here.delivered(sent[0].id), withCode("unknown-outbound"));
  assert.equal(here.audit().trim().split("\n").length, 4);
});

test("r45_a_record_that_was_changed_by_a_byte_or_lacks_a_line_is_told_at_its_place", () => {
  const here = inbox();
  here.receive(task([["r1", "delete_file", "{}"]]));
  here.decide("r1", { kind: "approve" });
  here.delivered(here.takeOutbound()[0].id);
  const record = here.audit();
  const lines = record.trimEnd().split("\n");
  assert.ok(lines.length > 2);
  assert.equal(verifyAudit(record), undefined);
  assert.equal(verifyAudit(""), undefined);
  assert.deepEqual(verifyAudit(record.replace("approve", "approvf")), { seq: lines.findIndex((line) => line.includes("approve")), reason: "its hash does not fit its content" });
  assert.deepEqual(verifyAudit([lines[0], ...lines.slice(2)].join("\n")), { seq: 1, reason: "it does not follow the record before it" });
  assert.throws(() => verifyAudit(undefined), withCode("options-invalid"));
});

test("errors carry a stable code, a sentence and, where there is one, help or a place", () => {
  const here = inbox();
  here.receive(ONE);
  here.receive(task([["r1", "delete_file", "{}"]], "t2"));
  assert.throws(() => here.decide("nobody", { kind: "approve" }), withCode("unknown-request"));
  assert.throws(() => here.decide("r1", { kind: "approve" }), (error) => withCode("ambiguous-request")(error) && /scope/.test(error.help));
  here.decide("t2/r1", { kind: "approve" });
  assert.throws(() => here.decide("t1/r1", { kind: "wave" }), withCode("decision-invalid"));
  assert.throws(() => here.decide("t1/r1", { kind: 5 }), (error) => withCode("decision-invalid")(error) && error.path === "/kind");
  assert.throws(() => here.decide("t1/r1", { kind: "respond" }), withCode("decision-invalid"));
  assert.throws(() => here.decide("t1/r1", { kind: "respond", text: "x" }), withCode("not-offered"));
  assert.throws(() => here.decide("t1/r1", { kind: "approve", seen: "other" }), withCode("args-changed"));
  assert.throws(() => new Inbox({ adapter: "fax" }), withCode("unknown-adapter"));
  assert.throws(() => new Inbox({ a2a: { edits: "never" } }), withCode("options-invalid"));
  assert.throws(() => here.receive(() => {}), withCode("message-invalid"));
  assert.equal(here.requests()[0].status, "pending");
});

test("edited arguments may be text or an object, and text keeps its lexemes", () => {
  for (const [args, expected] of [['{"path":"/tmp/y","n":1.00}', '"n":1.00'], [{ path: "/tmp/y", n: 1 }, '"n":1']]) {
    const here = inbox({ a2a: { edits: "always" } });
    here.receive(ONE);
    here.decide("r1", { kind: "edit", args });
    const [{ body }] = here.takeOutbound();
    assert.ok(body.includes(expected), body);
  }
});

test("decideAll says what was decided and what was not", () => {
  const here = inbox();
  here.receive(task([["r1", "a", "{}"], ["r2", "b", '{"k":1,"k":2}'], ["r3", "c", "{}"]]));
  const { decided, refused } = here.decideAll(["r1", "nobody", "r2", "t1/r3", "r1"], { kind: "approve" });
  assert.deepEqual(decided, ["r1", "t1/r3"]);
  assert.deepEqual(refused, [
    { requestId: "nobody", code: "unknown-request" },
    { requestId: "r2", code: "args-ambiguous" },
    { requestId: "r1", code: "already-decided" },
  ]);
});

test("r04_decide_all: each decision can be bound to what was on screen", () => {
  const here = inbox();
  here.receive(task([["r1", "pay", '{"n":1}'], ["r2", "pay", '{"n":2}'], ["r3", "pay", '{"n":3}']]));
  const [one, two] = here.requests().map(({ id, argsDigest }) => ({ requestId: id, seen: argsDigest }));
  const { decided, refused } = here.decideAll([one, { ...two, seen: one.seen }, { requestId: "r3" }], { kind: "approve" });
  assert.deepEqual(decided, ["t1/r1", "r3"]);
  assert.deepEqual(refused, [{ requestId: "t1/r2", code: "args-changed" }]);
  for (const seen of ["", null, 0, {}]) assert.equal(here.decideAll([{ ...two, seen }], { kind: "approve" }).refused[0].code, "args-changed");
  assert.equal(here.decideAll([null, 7, { seen: one.seen }], { kind: "approve" }).refused.length, 3);
});

test("r03_a_decision_is_bound_to_the_tool_that_was_on_screen", () => {
  const here = inbox({ grants: [] });
  here.receive(task([["r1", "read_file", "{}"], ["r2", "read_file", "{}"]]));
  const [{ argsDigest: seen, tool }] = here.requests();
  const draft = here.draftGrant("t1/r1", { scope: "session" });
  assert.deepEqual([draft.tool, draft.siblings], ["read_file", [{ requestId: "t1/r2", seen, tool }]]);
  // The same arguments, but another tool under the same id.
  here.receive(task([["r1", "delete_file", "{}"], ["r2", "delete_file", "{}"]]));
  assert.equal(here.requests()[0].argsDigest, seen);
  const approve = { kind: "approve", seen, tool };
  for (const decision of [approve, { kind: "approve", tool }, { ...approve, tool: "" }]) {
    assert.throws(() => here.decide("t1/r1", decision), withCode("args-changed"));
    assert.equal(here.decideAll(["t1/r1"], decision).refused[0].code, "args-changed");
  }
  assert.throws(() => here.decide("t1/r1", { ...approve, tool: null }), (error) => withCode("decision-invalid")(error) && error.path === "/tool");
  assert.throws(() => here.grant("t1/r1", draft), withCode("args-changed"));
  for (const wrong of [tool, "", null, 0, {}]) {
    assert.equal(here.decideAll([{ requestId: "t1/r1", seen, tool: wrong }], { kind: "approve" }).refused[0].code, "args-changed");
  }
  assert.match(here.audit(), /"code":"args-changed","seen":"[0-9a-f]{64}","seenTool":"read_file"/);
  assert.deepEqual(here.decideAll([{ requestId: "t1/r1", seen, tool: "delete_file" }], { kind: "approve" }).decided, ["t1/r1"]);
  here.decide("t1/r2", { ...approve, tool: "delete_file" });
  assert.equal(here.takeOutbound().length, 1);
});

test("a decision that did not go out is taken back, one that did not arrive is sent again as it was", () => {
  const here = inbox({ holdRejections: 1000 });
  here.receive(ONE);
  here.decide("r1", { kind: "reject", reason: "no" });
  assert.equal(here.nextWake(), START + 1000);
  here.undo("r1");
  assert.equal(here.nextWake(), undefined);
  here.decide("r1", { kind: "reject" }, { at: START + 1 });
  here.tick(START + 1001);
  const [first] = here.takeOutbound();
  here.failed(first.id, { status: 503, message: "busy" });
  const [card] = here.requests();
  assert.deepEqual([card.status, card.outbound.state, card.outbound.error], ["drafted", "failed", "busy"]);
  here.retry("r1");
  assert.deepEqual(here.takeOutbound(), [first]);
});

test("r41_set_back: a clock that is set back stops nothing and gives no more time, and what is told late sets back no clock", () => {
  let clock = START + 600_000;
  const ask = (id) => JSON.stringify({ type: "approval_request", id, tool_name: "pay", tool_params: { id }, timeout_s: 30 });
  const here = new Inbox({ adapter: "haystack", holdRejections: 4000, now: () => clock });
  here.receive(ask("a"));
  here.decide("a", { kind: "reject" });
  clock = START;
  here.receive(ask("b"));
  const moments = () => here.requests().map(({ sendsAt, expiresAt }) => [sendsAt, expiresAt].map((moment) => moment && moment - START));
  assert.deepEqual(moments(), [[4000, 30_000], [undefined, 30_000]]);
  // What the page hears of may have happened before what it knows.
  for (const at of [START - 9000, START + 2000, START - 9000]) here.receive(ask("b"), { at });
  assert.deepEqual(moments(), [[4000, 30_000], [undefined, 30_000]]);
  assert.equal(here.at(), START + 2000);
  clock += 3999;
  here.tick();
  assert.equal(here.takeOutbound().length, 0);
  clock += 1;
  here.tick();
  assert.equal(here.takeOutbound().length, 1);
  clock = START + 30_000;
  assert.throws(() => here.decide("b", { kind: "approve" }), withCode("expired"));
});

test("repeated keys can be rejected and not approved", () => {
  const here = inbox();
  here.receive(task([["r1", "delete_file", '{"path":"/tmp/x","path":"/"}']]));
  const [{ inspectable, hazards, argsText }] = here.requests();
  assert.equal(argsText, '{"path":"/tmp/x","path":"/"}');
  assert.deepEqual([inspectable, hazards[0].code, hazards[0].pointer], [false, "duplicate-key", "/path"]);
  assert.throws(() => here.decide("r1", { kind: "approve" }), withCode("args-ambiguous"));
  here.decide("r1", { kind: "reject" });
});

test("numbers that a parsed value may have rounded are told", () => {
  const text = task([["r1", "pay", '{"to":2512292042121000001}']]);
  const [exact, rounded] = [inbox(), inbox()];
  exact.receive(text);
  rounded.receive(JSON.parse(text));
  assert.deepEqual([exact.requests()[0].argsText, exact.requests()[0].hazards], ['{"to":2512292042121000001}', []]);
  assert.equal(rounded.requests()[0].hazards[0]?.code, "rounded-number");
});

test("text, bytes, a buffer and a parsed value say the same", () => {
  const bytes = new TextEncoder().encode(ONE);
  const cards = [ONE, bytes, bytes.buffer, JSON.parse(ONE)].map((message) => {
    const here = inbox({ adapter: "auto" });
    here.restore(message);
    return here.requests()[0];
  });
  for (const card of cards) assert.deepEqual(card, cards[0]);
});

test("bytes that are no text are a problem and nothing is lost", () => {
  const here = inbox();
  here.receive(ONE);
  for (const message of [new Uint8Array([0x7b, 0x22, 0xff]), '{"half":"\ud800"}']) {
    for (const take of ["receive", "restore"]) {
      const { changed, hidden, problems } = here[take](message);
      assert.deepEqual([changed, hidden, problems.length, problems[0].code], [[], [], 1, "encoding-invalid"]);
      assert.deepEqual(here.requests({ limit: 5 }).map(({ request }) => request), here.requests().map(({ request }) => request));
      assert.equal(here.requests({ limit: 5 }).length, 1);
    }
  }
  const { problems } = here.receive("{");
  assert.deepEqual([problems[0].code, here.requests().length], ["json-invalid", 1]);
});

test("a card that looks as before is the identical frozen object", () => {
  const here = inbox();
  here.restore(task([["r1", "a", '{"x":[1]}'], ["r2", "b", "{}"]]));
  here.receive(task([["r9", "z", "{}"]], "t9"));
  const before = here.requests();
  assert.equal(here.requests(), before);
  assert.ok(Object.isFrozen(before) && before.every((card) => Object.isFrozen(card) && Object.isFrozen(card.offers[0])));
  here.receive(task([["r9", "z", "{}"]], "t9"));
  assert.equal(here.requests(), before, "nothing looks different");
  here.decide("r1", { kind: "approve" });
  const after = here.requests();
  assert.deepEqual([after[0] === before[0], after[2] === before[2]], [false, true]);
  assert.deepEqual(here.requests({ offset: 1, limit: 1 }), [after[1]]);
  assert.equal(here.requests({ offset: 2 })[0], after[2]);
  assert.deepEqual(here.requests({ offset: 7, limit: 1 }), []);
  here.restore(ONE);
  assert.deepEqual(here.requests().map(({ key, id }) => [key, id]), [[3, "t1/r1"]]);
});

test("listeners hear of every change, and one that fails stops nobody", (context) => {
  const here = inbox();
  const heard = [];
  context.mock.method(console, "error", () => {});
  here.subscribe(() => {
    throw new Error("not my day");
  });
  const stop = here.subscribe(() => heard.push(here.requests()[0].status));
  here.receive(ONE);
  here.decide("r1", { kind: "approve" });
  const [{ id }] = here.takeOutbound();
  assert.throws(() => here.undo("r1"), withCode("already-decided"));
  here.delivered(id);
  stop();
  here.restore(ONE);
  assert.deepEqual(heard, ["pending", "sending", "sending", "sent"]);
});

test("a listener may act at once", () => {
  const here = inbox();
  const sent = [];
  here.subscribe(() => {
    for (const { id } of here.takeOutbound()) {
      sent.push(id);
      here.delivered(id);
    }
  });
  here.receive(ONE);
  here.decide("r1", { kind: "approve" });
  assert.deepEqual([sent.length, here.requests()[0].status], [1, "sent"]);
});

test("r25_validate: validateArgs says what is wrong, where and by which keyword, on the exact digits", () => {
  const schema = { type: "object", properties: { n: { type: "integer", maximum: 100 }, id: { type: "string" } }, required: ["id"] };
  assert.deepEqual(validateArgs(schema, '{"n":100.00,"id":"x"}'), { valid: true, problems: [], unchecked: [] });
  assert.deepEqual(validateArgs(JSON.stringify(schema), '{"n":100.5}').problems, [
    { pointer: "/id", keyword: "required", message: "`id` is missing" },
    { pointer: "/n", keyword: "type", message: "`n` must be a whole number" },
    { pointer: "/n", keyword: "maximum", message: "`n` must be at most 100" },
  ]);
  // Floats cannot tell these two apart.
  assert.equal(validateArgs('{"const":9007199254740993}', "9007199254740992").valid, false);
  assert.equal(validateArgs(false, "1").valid, false);
});

test("r16_validate: what cannot be checked is neither right nor wrong", () => {
  const schema = { properties: { a: { pattern: "^(?!x)" }, b: { $ref: "https://example.com/schema" }, c: { pattern: "(a+)+$" } } };
  assert.deepEqual(validateArgs(schema, `{"a":"x","b":1,"c":"${"a".repeat(100_000)}b"}`), {
    valid: false,
    problems: [{ pointer: "/c", keyword: "pattern", message: "`c` must match the pattern \"(a+)+$\"" }],
    unchecked: [{ pointer: "/a", keyword: "pattern" }, { pointer: "/b", keyword: "$ref" }],
  });
  assert.deepEqual(validateArgs({ $ref: "#" }, "1"), { valid: true, problems: [], unchecked: [{ pointer: "", keyword: "$ref" }] });
});

test("validateArgs takes the dialect from the schema, else from its options", () => {
  const schema = { $ref: "#/definitions/any", maximum: 0, definitions: { any: true } };
  assert.equal(validateArgs(schema, "1").valid, false);
  assert.equal(validateArgs(schema, "1", { dialect: "draft-07" }).valid, true);
  assert.equal(validateArgs({ ...schema, $schema: "http://json-schema.org/draft-07/schema#" }, "1", { dialect: "2020-12" }).valid, true);
  assert.equal(validateArgs({ format: "date" }, '"x"').valid, true);
  assert.equal(validateArgs({ format: "date" }, '"x"', { formats: true }).valid, false);
  assert.throws(() => validateArgs("{", "1"), withCode("schema-invalid"));
  assert.throws(() => validateArgs("[]", "1"), withCode("schema-invalid"));
  assert.throws(() => validateArgs({}, "{"), withCode("args-invalid"));
  for (const dialect of [5, true, {}, null]) assert.throws(() => validateArgs({}, "1", { dialect }), withCode("options-invalid"));
  assert.throws(() => validateArgs({}, "1", { dialect: "latin" }), (error) => withCode("options-invalid")(error) && error.path === "/dialect");
});

test("inspectArgs tells hazards and the digest of the exact text", () => {
  const { inspectable, hazards, digest } = inspectArgs('{"a":1,"a":2}');
  assert.deepEqual([inspectable, hazards.map(({ code }) => code)], [false, ["duplicate-key"]]);
  assert.match(digest, /^[0-9a-f]{64}$/);
  const here = inbox();
  here.receive(ONE);
  assert.equal(here.requests()[0].argsDigest, inspectArgs('{"path":"/tmp/x"}').digest);
});

test("huge and deep messages leave the instance as usable as before", () => {
  const here = inbox();
  const huge = JSON.stringify({ text: "x".repeat(10 << 20) });
  const deep = '{"a":'.repeat(100_000) + "1" + "}".repeat(100_000);
  here.receive(task([["r1", "write", huge]]));
  here.receive(task([["r2", "nest", deep]], "t2"));
  for (const text of [deep, "[".repeat(100_000), "{".repeat(100_000), `{"kind":"task","history":${deep}}`]) here.receive(text);
  const cards = here.requests();
  assert.deepEqual(cards.map(({ inspectable, argsText }) => [inspectable, argsText.length]), [[false, huge.length], [false, deep.length]]);
  assert.equal(inspectArgs(deep).inspectable, false);
  here.receive(task([["r3", "delete_file", "{}"]], "t3"));
  here.decide("r3", { kind: "approve" });
  assert.equal(here.takeOutbound().length, 1);
});

test("limits are the host's", () => {
  const here = inbox({ limits: { argsDepth: 1, messageBytes: 2000 } });
  assert.equal(here.receive(task([["r1", "a", `{"x":"${"y".repeat(2000)}"}`]])).problems[0].code, "message-too-large");
  here.receive(task([["r1", "a", '{"x":[]}']]));
  assert.throws(() => here.decide("r1", { kind: "approve" }), withCode("args-ambiguous"));
});

test("what the host sent itself is read as such", () => {
  const here = inbox();
  here.receive(ONE);
  const sent = { kind: "message", role: "user", messageId: "u1", taskId: "t1", parts: [{ kind: "text", text: "stop" }] };
  assert.deepEqual(here.receive({ sent }).problems, []);
  assert.equal(here.requests().length, 1);
});

test("the wasm may be handed over by the host, and a failure to load can be repeated", () => {
  const script = `
    import { readFile } from "node:fs/promises";
    import { init, Inbox, versions } from "countersign/headless";
    const failed = await init(new Uint8Array([1, 2, 3])).catch(({ code, cause }) => [code, cause instanceof WebAssembly.CompileError].join());
    await init(await WebAssembly.compile(await readFile(${JSON.stringify(resolve("countersign/headless.wasm"))})));
    console.log(failed, new Inbox().requests().length, typeof versions().core);`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: install() });
  assert.equal(stdout.toString().trim(), "part-missing,true 0 string", stderr.toString());
});

test("a message names the adapter that wrote it, also where that was found from the bytes", () => {
  const here = inbox({ adapter: "auto" });
  here.receive(ONE);
  here.decide("r1", { kind: "approve" });
  assert.equal(here.takeOutbound()[0].adapter, "a2a");
});

test("a receipt says what the cards were called when it was given", () => {
  const here = inbox();
  const before = here.receive(ONE);
  const after = here.restore([]);
  assert.deepEqual([before.changed, after.changed], [["t1/r1"], []]);
});

test("a server-sent event is read as those who parse streams give it", () => {
  const interrupt = '{"__interrupt__":[{"id":"i1","value":{"action_requests":[{"name":"pay","args":{"to":2512292042121000001}}],"review_configs":[{"action_name":"pay","allowed_decisions":["approve","reject"]}]}}]}';
  for (const data of [interrupt, `${interrupt.slice(0, 1)}\r\n${interrupt.slice(1)}`]) {
    const here = inbox({ adapter: "langgraph" });
    const { problems } = here.receive({ event: "values", data, id: "7" });
    assert.deepEqual([problems, here.requests().map(({ argsText }) => argsText)], [[], ['{"to":2512292042121000001}']]);
  }
  const here = inbox({ adapter: "langgraph" });
  assert.deepEqual(here.receive({ event: "custom", data: "half done" }).problems, []);
});

test("arguments that are no object are refused as arguments, and only where there is something to decide", () => {
  const here = inbox({ a2a: { edits: "always" } });
  here.receive(ONE);
  for (const args of [null, 5, true, [1], "null", "[1]"]) {
    assert.throws(() => here.decide("r1", { kind: "edit", args }), withCode("args-invalid"), String(args));
  }
  assert.throws(() => here.decide("r1", { kind: "edit" }), withCode("decision-invalid"));
  here.decide("r1", { kind: "approve" });
  assert.throws(() => here.decide("r1", { kind: "edit", args: null }), withCode("already-decided"));
});

test("each kind of offer is a kind of decision", () => {
  const here = inbox();
  here.receive(ONE);
  for (const kind of ["approve_always", "reject_always", "answer", "cancel", "ignore"]) {
    assert.throws(() => here.decide("r1", { kind }), withCode("not-offered"), kind);
  }
});

test("options and moments of another type are told", () => {
  assert.throws(() => new Inbox({ polcy: {} }), (error) => withCode("options-invalid")(error) && error.path === "/polcy" && /no such option/.test(error.message));
  for (const options of [null, "a2a", { now: null }, { now: "x" }, { now: Number.NaN }]) assert.throws(() => new Inbox(options), withCode("options-invalid"));
  const here = inbox();
  for (const at of [Number.NaN, "x", Infinity]) assert.throws(() => here.tick(at), withCode("options-invalid"));
});

test("a tick has its moment as every other method, or as a bare number", () => {
  const here = inbox();
  for (const moment of [START + 5, { at: START + 7 }]) here.tick(moment);
  assert.equal(here.at(), START + 7);
});

test("in Node the wasm is read from a file wherever it is named", () => {
  for (const source of ["address", "new URL(address)", "{ source: address }"]) {
    const script = `import { init, versions } from "countersign/headless";
      const address = import.meta.resolve("countersign/headless.wasm");
      await init(${source});
      console.log(versions().package);`;
    const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { cwd: install() });
    assert.match(stdout.toString(), /^\d/, stderr.toString());
  }
});

test("an inbox that was freed says so, and what it told before stays", () => {
  const here = inbox();
  const receipt = here.receive(ONE);
  const cards = here.requests();
  here.free();
  here.free();
  const calls = [() => here.requests(), () => here.receive(ONE), () => here.decide("r1", { kind: "approve" }), () => here.takeOutbound(), () => here.audit()];
  for (const call of calls) assert.throws(call, (error) => withCode("inbox-freed")(error) && /free\(\)/.test(error.message));
  assert.deepEqual([receipt.changed, cards.length], [["t1/r1"], 1]);
  if (Symbol.dispose) {
    const other = inbox();
    other[Symbol.dispose]();
    assert.throws(() => other.requests(), withCode("inbox-freed"));
  }
});

test("a state that is polled and says nothing new calls no listener, and the list is the same", () => {
  const here = inbox();
  here.restore(ONE);
  const before = here.requests();
  let calls = 0;
  here.subscribe(() => calls++);
  for (let poll = 0; poll < 3; poll += 1) here.receive(ONE);
  assert.deepEqual([calls, here.requests() === before], [0, true]);
  here.receive(ONE.replace("/tmp/x", "/tmp/y"));
  assert.deepEqual([calls, here.requests() === before], [1, false]);
});
