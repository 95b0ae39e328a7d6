// The small parts of the connectors: events out of bytes, parts out of JSON texts.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { modules } from "./package.mjs";

const part = (name) => import(pathToFileURL(join(modules, "connect", name)).href);
const { EventReader } = await part("events.js");
const { isWhole, items, member, word } = await part("json.js");
const { below } = await part("http.js");
const { Backoff } = await part("surroundings.js");
const { End } = await part("end.js");

const bytes = (text) => new TextEncoder().encode(text);

test("events are cut wherever the pieces and the characters end", () => {
  const stream = '\ufeff: ping\r\n\r\ndata: {"a":"ü€😀"}\r\n\r\nid: 7\nevent: x\ndata: one\ndata:two\n\nevent: gone\n\nretry: 1\rdata:  three\r\rdata\n\ndata: {"last":1}';
  const expected = [
    { name: "message", data: '{"a":"ü€😀"}' },
    { name: "x", data: "one\ntwo" },
    { name: "message", data: " three" },
    { name: "message", data: "" },
    { name: "message", data: '{"last":1}' },
  ];
  const whole = bytes(stream);
  for (const size of [1, 2, 3, 5, 7, 16, 1000]) {
    const reader = new EventReader();
    const found = [];
    for (let at = 0; at < whole.length; at += size) found.push(...reader.push(whole.subarray(at, at + size)));
    found.push(...reader.finish());
    assert.deepEqual(found, expected, `pieces of ${size}`);
  }
});

test("r10_lost: an event that the end of its stream has cut is none", () => {
  for (const end of ['data: {"error":{"code":1', 'data: {"a":1,\ndata: "b"', "data: 12", "data: OK", 'data: ["x"', 'data: {"a":"ü'].map(bytes)) {
    for (const size of [end.length, end.length - 1]) {
      const reader = new EventReader();
      assert.deepEqual([...reader.push(end.subarray(0, size)), ...reader.finish()], [], new TextDecoder().decode(end));
    }
  }
});

test("bytes that are no UTF-8 are handed on as they are, not replaced", () => {
  const [event] = new EventReader().push(new Uint8Array([...bytes("data: "), 0x22, 0xff, 0x22, 10, 10]));
  assert.deepEqual(event.data, new Uint8Array([0x22, 0xff, 0x22]));
});

test("a long event in many pieces takes time that grows with its length", () => {
  const piece = bytes("x".repeat(1 << 14));
  const reader = new EventReader();
  const began = performance.now();
  reader.push(bytes("data: "));
  for (let round = 0; round < 1024; round += 1) assert.deepEqual(reader.push(piece), []);
  const [{ data }] = reader.push(bytes("\n\n"));
  assert.equal(data.length, 1 << 24);
  assert.ok(performance.now() - began < 2000);
});

test("parts of a text keep every digit and every space", () => {
  const text = ' { "a" : {"n": 2512292042121000001.00 , "s":"}\\"]\\\\"}, "\\u0062":[1.0, {"x":[ ]},"]" ] ,"a":2} ';
  assert.equal(member(text, "a"), '{"n": 2512292042121000001.00 , "s":"}\\"]\\\\"}');
  assert.equal(member(text, "a", "n"), "2512292042121000001.00");
  assert.equal(word(text, "a", "s"), '}"]\\');
  assert.deepEqual(items(member(text, "b")), ["1.0", '{"x":[ ]}', '"]"']);
  assert.deepEqual([member(text, "c"), member("[]", "a"), member("", "a"), member('{"a"', "a"), items("{}")], [undefined, undefined, undefined, undefined, []]);
});

test("what is not one whole value is told", () => {
  for (const text of ["1", ' {"a":[]} ', '"x"', "null"]) assert.equal(isWhole(text), true, text);
  for (const text of ["", "1}", '{"a":1},"b":2', '"x', "[1", "1 2", '{}"']) assert.equal(isWhole(text), false, text);
});

test("paths go below an address and keep its query", () => {
  assert.equal(below("https://a.example/", "/run"), "https://a.example/run");
  assert.equal(below("/api?tenant=1#x", "/run"), "/api/run?tenant=1");
  assert.equal(below(new URL("https://a.example/p?t=1"), "/run?x=2"), "https://a.example/p/run?x=2&t=1");
});

test("waits double up to their limit, are random as a whole, and end with the attempts", () => {
  const backoff = new Backoff({ baseMs: 100, maxMs: 500, attempts: 5 });
  assert.deepEqual([1, 0.5, 0, 1, 1].map((chance) => backoff.next(() => chance)), [100, 100, 0, 500, undefined]);
  backoff.reset();
  assert.equal(backoff.limit(), 100);
});

test("what comes before an end is not kept by it, and after it nothing is waited for", async () => {
  const end = new End();
  const told = [];
  end.listen((error) => told.push(error.message));
  end.listen((error) => told.push(`no ${error.message}`))();
  assert.equal(await end.unless(Promise.resolve(7)), 7);
  await assert.rejects(end.unless(Promise.reject(new Error("before"))), { message: "before" });
  const waits = end.unless(new Promise(() => {}));
  end.check();
  for (const message of ["first", "second"]) end.come(new Error(message));
  await assert.rejects(waits, { message: "first" });
  assert.throws(() => end.check(), { message: "first" });
  await assert.rejects(end.unless(new Promise(() => {})), { message: "first" });
  end.listen((error) => told.push(`late ${error.message}`));
  assert.deepEqual(told, ["first", "late first"]);
});
