// A backend that was restarted without its memory knows nothing of a conversation that is open in a page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, until } from "./connect-harness.mjs";
import { adk as adkBodies, langgraph as langgraphBodies } from "./connect-recordings.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, adk, forward, langgraph } = await load("countersign/connect");
await init();

const WAITS = task([["r1", "delete_file", '{"path":"/x"}']], "t1");
const THREAD = "01a1f9d7-6beb-70df-ae16-0ccff5a4ed39";
const rpc = (exchange, member) => exchange.json(`{"jsonrpc":"2.0","id":${JSON.stringify(JSON.parse(exchange.body).id)},${member}}`);
const json = (body) => (exchange) => exchange.json(body, 404);
const typed = (body, type) => ({ response }) => response.writeHead(404, { "content-type": type }).end(body);
const error = (code, message) => (exchange) => rpc(exchange, `"error":{"code":${code},"message":${JSON.stringify(message)}}`);

/** Systems: their connector, what the backend says while it knows the conversation, once it does not, and what only looks so. */
const SYSTEMS = {
  adk: {
    id: "s1",
    connect: (url, options) => adk({ url, ids: { appName: "plain", userId: "u", sessionId: "s1" }, ...options }),
    known: (exchange) => exchange.json(adkBodies.session),
    forgotten: [["Session not found", json('{"detail":"Session not found"}')], ["Session not found: s1", json('{"detail":"Session not found: s1"}')]],
    others: [
      json('{"detail":"Not Found"}'),
      json('{"detail":"Session not found: s2"}'),
      json('{"message":"Session not found"}'),
      json('{"detail":"App not found"}'),
      typed("Session not found", "text/plain"),
      typed('{"detail":"Session not found"}', "text/html"),
      typed("<h1>Session not found</h1>", "text/html"),
      (exchange) => exchange.json('{"detail":"Session not found"}', 503),
    ],
  },
  langgraph: {
    id: THREAD,
    connect: (url, options) => langgraph({ url, ids: { threadId: THREAD, assistantId: "legacy" }, ...options }),
    known: (exchange) => exchange.json(exchange.url.endsWith("/history") ? `[${langgraphBodies.state}]` : exchange.url.includes("/runs?") ? "[]" : langgraphBodies.state),
    forgotten: [
      [`Thread with ID ${THREAD} not found`, json(`{"detail":"Thread with ID ${THREAD} not found"}`)],
      [`Thread ${THREAD} not found.`, json(`{"detail":"Thread ${THREAD} not found."}`)],
      // As the server in JavaScript says it.
      [`Thread with ID ${THREAD} not found`, typed(`Thread with ID ${THREAD} not found`, "text/plain;charset=UTF-8")],
    ],
    others: [
      json('{"detail":"Not Found"}'),
      json('{"detail":"Thread with ID 00000000-0000-0000-0000-000000000000 not found"}'),
      json('{"message":"no Route matched with those values"}'),
      typed(`Thread with ID ${THREAD} not found`, "text/html"),
      typed(`<p>Thread with ID ${THREAD} not found`, "text/html; charset=utf-8"),
      (exchange) => exchange.json(`{"detail":"Thread with ID ${THREAD} not found"}`, 503),
    ],
  },
  a2a: {
    id: "t1",
    connect: (url, options) => a2a({ url, ids: { contextId: "c1", taskId: "t1" }, ...options }),
    known: (exchange) => rpc(exchange, `"result":${WAITS}`),
    forgotten: [
      ["Task not found", error(-32001, "Task not found")],
      ["Task t1 was specified but does not exist", error(-32001, "Task t1 was specified but does not exist")],
    ],
    others: [error(-32001, "Request timed out"), error(-32000, "Task not found"), json('{"detail":"Not Found"}'), typed("<h1>Task not found</h1>", "text/html"), typed("", "text/plain")],
  },
};

/** A connector over a backend that says `state.says`. */
async function connected(t, { connect }, inbox, says, options = {}) {
  const state = { says };
  const server = await serve(t, { other: (exchange) => state.says(exchange) });
  const clock = new Clock();
  const connector = connect(server.url, { ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { state, server, clock, connector };
}

for (const [name, system] of Object.entries(SYSTEMS)) {
  const frame = (words) => JSON.stringify({ forgotten: system.id, said: words });

  test(`${name}: a conversation that its backend has forgotten is told of to the inbox, once, in the backend's words`, async (t) => {
    for (const [words, says] of system.forgotten) {
      const inbox = new FakeInbox();
      const { state, connector } = await connected(t, system, inbox, system.known);
      const known = inbox.log.length;
      state.says = says;
      for (let round = 0; round < 2; round += 1) await connector.refresh();
      assert.deepEqual(inbox.log.slice(known), [["receive", frame(words)]]);
      assert.equal(connector.state, "live");
      // It may begin anew, and be forgotten again.
      state.says = system.known;
      if (name === "a2a") continue;
      await connector.refresh();
      state.says = says;
      await connector.refresh();
      assert.deepEqual(inbox.of("receive").filter((text) => text === frame(words)).length, 2);
    }
  });

  test(`${name}: what only looks as if it were forgotten, and what was never there, says nothing`, async (t) => {
    for (const says of system.others) {
      const inbox = new FakeInbox();
      const { state, connector } = await connected(t, system, inbox, system.known);
      state.says = says;
      await connector.refresh().catch(() => undefined);
      assert.deepEqual(inbox.of("receive").filter((text) => text.includes('"forgotten"')), [], String(says));
    }
    for (const [, says] of system.forgotten) {
      const inbox = new FakeInbox();
      const { connector } = await connected(t, system, inbox, says);
      await connector.refresh();
      assert.deepEqual([inbox.log, connector.state], [[], "live"]);
    }
  });

  test(`r43_${name}: a decision on what was forgotten is not sent, its card is closed with a reason, and a new conversation works`, async (t) => {
    for (const [words, says] of system.forgotten) {
      const inbox = new Inbox({ adapter: name });
      const problems = [];
      const onReceive = (_, receipt) => problems.push(...receipt.problems);
      const { state, connector, server } = await connected(t, system, inbox, system.known, { onReceive });
      t.after(forward(inbox, connector));
      const [card] = inbox.requests().filter(({ status }) => status === "pending");
      const asked = server.requests.length;
      state.says = says;
      inbox.decide(card.id, { kind: "approve", seen: card.argsDigest });
      const now = () => inbox.requests().find(({ id }) => id === card.id);
      await until(() => now().status === "superseded");
      assert.equal(now().error, words);
      assert.deepEqual(problems.map(({ code }) => code), ["backend-error"]);
      assert.match(problems[0].message, /knows this conversation no more/);
      assert.deepEqual(server.requests.slice(asked).filter(({ body, url }) => /run_sse|runs\/stream|message\/s/.test(url + body)), []);
      assert.throws(() => inbox.retry(card.id), { code: "superseded" });
      assert.deepEqual(inbox.advice(), []);
      // The backend knows it again, or another one of the same name that asks the same.
      state.says = system.known;
      await connector.refresh();
      if (name !== "a2a") assert.equal(now().status, "pending");
    }
  });
}

test("a2a: where tasks are listed, the agent is asked for one that waits and is listed no more", async (t) => {
  const state = { list: [WAITS], task: "known" };
  const asked = [];
  const server = await serve(t, {
    "GET /sessions": (exchange) => exchange.json(`{"error":false,"data":[${state.list}],"message":"ok"}`),
    "POST /": (exchange) => {
      asked.push(JSON.parse(exchange.body).method);
      if (state.task === "known") return rpc(exchange, `"result":${WAITS}`);
      if (state.task === "broken") return exchange.json('{"error":"no such method"}', 500);
      return error(-32001, "Task not found")(exchange);
    },
  });
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url: server.url, history: `${server.url}/sessions`, ids: { contextId: "c1" }, ...new Clock().options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  await connector.refresh();
  assert.deepEqual([asked, inbox.requests()[0].status], [[], "pending"]);
  state.list = [];
  for (const says of ["known", "broken"]) {
    state.task = says;
    await connector.refresh();
    assert.deepEqual([asked.splice(0), inbox.requests()[0].status, connector.state], [["tasks/get"], "pending", "live"]);
  }
  state.task = "forgotten";
  for (let round = 0; round < 2; round += 1) await connector.refresh();
  assert.deepEqual([asked, inbox.requests()[0].status], [["tasks/get"], "superseded"]);
  // What the person begins then is another task.
  state.list = [WAITS.replaceAll("t1", "t2").replaceAll("r1", "r2")];
  await connector.refresh();
  assert.deepEqual(inbox.requests().map(({ status }) => status), ["superseded", "pending"]);
});
