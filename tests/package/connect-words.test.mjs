// Decisions in kagent's words, which are taken for an answer to what its conversation asked last, behind words of the person.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, serve, until } from "./connect-harness.mjs";
import { load } from "./package.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a } = await load("countersign/connect");
await init();

const call = '{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"k1","name":"pay","args":{}},"toolConfirmation":{"hint":"","confirmed":false}}}';
const message = `{"kind":"message","role":"agent","messageId":"m1","parts":[{"kind":"data","data":${call},"metadata":{"kagent_type":"function_call"}}]}`;
const waiting = `{"kind":"task","id":"t1","contextId":"c1","history":[],"status":{"state":"input-required","message":${message}}}`;
const result = (text) => `{"jsonrpc":"2.0","id":"x","result":${text}}`;
const event = (task, state) => result(`{"kind":"status-update","taskId":"${task}","contextId":"c1","status":{"state":"${state}"}}`);

/** A page before one call that waits; `answers` are what the agent does, by method. */
async function connected(t, answers) {
  const server = await serve(t, {
    "GET /sessions": async (exchange) => (answers.history ? answers.history(exchange) : exchange.json(`{"error":false,"data":[${waiting}]}`)),
    "POST /": async (exchange) => {
      const { method } = JSON.parse(exchange.body);
      return method === "tasks/get" ? exchange.json(result(waiting)) : answers[method](exchange);
    },
  });
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...new Clock().options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  const only = () => inbox.requests().find((card) => card.request === "r1");
  const decide = () => {
    inbox.decide(only().id, { kind: "approve", seen: only().argsDigest });
    return inbox.takeOutbound()[0];
  };
  return { inbox, connector, only, decide };
}

test("r01_kagent's words do not leave behind words of the person that have begun another task", async (t) => {
  const open = [];
  const { connector, inbox, decide, only } = await connected(t, { "message/stream": (exchange) => open.push(exchange) });
  const said = connector.sendText("and something else");
  await until(() => open.length === 1);
  const outbound = decide();
  assert.match(outbound.body, /"decision_type":"approve"/);
  const sent = connector.send(outbound);
  open[0].stream([event("t2", "submitted")]);
  await sent;
  assert.equal(open.length, 1);
  assert.deepEqual([only().status, only().outbound.state], ["drafted", "failed"]);
  assert.match(only().outbound.error, /another task works.*nothing was sent/);
  open[0].stream([event("t2", "completed")]).end();
  await said;
  inbox.retry(only().id);
  const again = connector.send(inbox.takeOutbound()[0]);
  await until(() => open.length === 2);
  assert.equal(JSON.parse(open[1].body).params.message.taskId, "t1");
  open[1].stream([event("t1", "completed")]).end();
  await again;
  assert.equal(only().status, "approved");
});

test("r01_kagent's words do not leave before it is known what words of the person that were lost have begun", async (t) => {
  const open = [];
  const answers = { "message/stream": (exchange) => open.push(exchange) };
  const { connector, decide, only } = await connected(t, answers);
  answers.history = (exchange) => exchange.json("{}", 503);
  const said = connector.sendText("and something else");
  await until(() => open.length === 1);
  const sent = connector.send(decide());
  open[0].cut();
  await assert.rejects(said, { code: "unreachable" });
  await sent;
  assert.deepEqual([open.length, only().outbound.state], [1, "failed"]);
});

test("r01_kagent's words do not leave where another client has begun a task of which nothing was heard", async (t) => {
  const asks = waiting.replaceAll("t1", "t2").replaceAll("r1", "r2").replace('"m1"', '"m2"');
  const works = '{"kind":"task","id":"t2","contextId":"c1","history":[],"status":{"state":"working"}}';
  for (const begun of [asks, works]) {
    const open = [];
    const answers = { "message/stream": (exchange) => open.push(exchange) && exchange.json("{}", 503) };
    const { inbox, connector, decide, only } = await connected(t, answers);
    answers.history = (exchange) => exchange.json(`{"error":false,"data":[${waiting},${begun}]}`);
    await connector.send(decide());
    assert.deepEqual([open.length, only().status, only().outbound.state], [0, "drafted", "failed"], begun);
    assert.match(only().outbound.error, /nothing was sent/);
    if (begun === asks) continue;
    // Nothing of it has arrived, so it may go out in another form: one that names its call.
    inbox.retry(only().id);
    const [named] = inbox.takeOutbound();
    assert.match(named.body, /"name":"adk_request_confirmation","id":"r1"|"id":"r1","name":"adk_request_confirmation"/);
  }
});
