// The connector for LangGraph's agent server, with recorded bodies.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, unsaid, until } from "./connect-harness.mjs";
import { langgraph as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";

const { langgraph } = await load("countersign/connect");
const IDLE = '{"values":{},"next":[],"tasks":[],"interrupts":[]}';
const framed = recorded.events.map(([name, data]) => `{"event":"${name}","data":${data}}`);

async function connected(t, routes = {}, options = {}) {
  const state = { state: recorded.state, runs: "[]" };
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${state.state}]`),
    "GET /threads/t1/state": (exchange) => exchange.json(state.state),
    "GET /threads/t1/runs": (exchange) => exchange.json(state.runs),
    "POST /threads/t1/runs/stream": (exchange) => {
      state.state = IDLE;
      exchange.stream(recorded.events).end();
    },
    ...routes,
  });
  const clock = new Clock();
  const inbox = new FakeInbox();
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "legacy" }, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { state, server, clock, inbox, connector, runs: () => server.requests.filter(({ url }) => url.endsWith("/runs/stream")) };
}

test("history is restored, the state is read before and after, and the command is exactly the text of the inbox", async (t) => {
  const { inbox, connector, runs, server } = await connected(t, {}, { run: { config: { tags: ["x"] }, command: "never" } });
  assert.deepEqual(JSON.parse(server.requests[0].body), { limit: 100 });
  const outbound = inbox.due(recorded.command);
  await connector.send(outbound);
  const [{ body, headers }] = runs();
  assert.ok(body.endsWith(`,"command":${recorded.command}}`), body);
  assert.deepEqual(JSON.parse(body), {
    config: { tags: ["x"] },
    assistant_id: "legacy",
    stream_mode: ["updates", "values"],
    stream_subgraphs: true,
    on_disconnect: "continue",
    multitask_strategy: "reject",
    command: JSON.parse(recorded.command),
  });
  assert.equal(headers["idempotency-key"], outbound.id);
  assert.deepEqual(inbox.log, [
    ["restore", `[${recorded.state}]`],
    ["receive", recorded.state],
    ["delivered", outbound.id],
    ...framed.map((text) => ["receive", text]),
    ["receive", IDLE],
  ]);
});

test("r04_sent: what the inbox says of the arguments that were decided on goes along, beside the host's own words", async (t) => {
  const { inbox, connector, runs } = await connected(t, {}, { run: { metadata: { user: "u1" } } });
  const metadata = { countersign_args_digests: { r1: "ab" } };
  await connector.send({ ...inbox.due(recorded.command), transport: { protocol: "langgraph", metadata } });
  assert.deepEqual(JSON.parse(runs()[0].body).metadata, { user: "u1", ...metadata });
});

test("numbers in a command keep their digits", async (t) => {
  const { inbox, connector, runs } = await connected(t);
  const [id] = Object.keys(JSON.parse(recorded.command).resume);
  const command = `{"resume":{"${id}":[{"type":"edit","args":{"action":"pay","args":{"to":2512292042121000001,"n":1.00,"x":1e400}}}]}}`;
  await connector.send(inbox.due(command));
  assert.ok(runs()[0].body.includes(command));
});

test("a late answer never reaches another question", async (t) => {
  const id = Object.keys(JSON.parse(recorded.command).resume)[0];
  const others = [
    IDLE,
    recorded.state.replaceAll(id, "f".repeat(32)),
    recorded.state.replace('"error":null', '"error":"bad answer"'),
    '{"tasks":[{"interrupts":[{"value":1},{"value":2}]}]}',
  ];
  for (const [place, other] of others.entries()) {
    const { inbox, connector, runs, state } = await connected(t);
    state.state = other;
    await connector.send(inbox.due(place === 3 ? '{"resume":"yes"}' : recorded.command));
    assert.deepEqual([runs(), inbox.of("delivered")], [[], []], other);
    assert.match(inbox.of("failed")[0][1].message, /does not wait for this answer any more: nothing was sent/);
    assert.deepEqual(inbox.of("receive"), [other]);
  }
});

test("a task that was answered and asks again waits, with an empty result", async (t) => {
  const { state, inbox, connector, runs } = await connected(t);
  state.state = recorded.state.replace(/"result": ?null/, '"result":{}');
  assert.notEqual(state.state, recorded.state);
  await connector.send(inbox.due(recorded.command));
  assert.equal(runs().length, 1);
});

test("a busy thread is told, and not asked again by itself", async (t) => {
  const { inbox, connector, runs, clock } = await connected(t, {
    "POST /threads/t1/runs/stream": (exchange) => exchange.json('{"detail":"Thread is already running a task."}', 409),
  });
  await connector.send(inbox.due(recorded.command));
  clock.advance(600_000);
  await connector.refresh();
  assert.deepEqual([inbox.of("failed"), runs().length], [[["outbound-1", { status: 409, message: "Thread is already running a task." }]], 1]);
});

test("an answer that says nothing delivers nothing, nor does one that is no stream, and the state is read", async (t) => {
  for (const [answer, failure] of unsaid) {
    const { inbox, connector, runs } = await connected(t, { "POST /threads/t1/runs/stream": answer });
    await connector.send(inbox.due(recorded.command));
    assert.deepEqual([inbox.of("delivered"), inbox.of("failed"), runs().length], [[], [["outbound-1", failure]], 1], String(answer));
    const reads = inbox.of("receive").length;
    await until(() => inbox.of("receive").length > reads);
    assert.equal(inbox.of("receive").at(-1), recorded.state);
    await assert.rejects(connector.sendText("go on"), { message: failure.message });
  }
});

test("a run that is lost in the middle is joined, and the state is read", async (t) => {
  const held = { joins: 0 };
  const { inbox, connector, runs, state } = await connected(t, {
    "POST /threads/t1/runs/stream": (exchange) => {
      held.state.runs = '[{"run_id":"r1","status":"running"}]';
      exchange.stream(recorded.events.slice(0, 2)).cut();
    },
    "GET /threads/t1/runs/r1/stream": (exchange) => {
      held.joins += 1;
      Object.assign(held.state, { runs: '[{"run_id":"r1","status":"success"}]', state: IDLE });
      exchange.stream(recorded.events.slice(2)).end();
    },
  });
  held.state = state;
  await connector.send(inbox.due(recorded.command));
  await until(() => inbox.of("receive").at(-1) === IDLE);
  assert.deepEqual([inbox.of("delivered"), runs().length, held.joins], [["outbound-1"], 1, 1]);
  assert.deepEqual(inbox.of("receive").filter((text) => text.startsWith('{"event"')), framed);
});

test("what arrives while the state is read comes after it", async (t) => {
  let open;
  let reading;
  const { inbox, connector, state } = await connected(t, {
    "POST /threads/t1/runs/stream": (exchange) => (open = exchange.stream(recorded.events.slice(0, 1))),
    "GET /threads/t1/state": (exchange) => (open && !reading ? (reading = exchange) : exchange.json(state.state)),
  });
  const sent = connector.send(inbox.due(recorded.command));
  await until(() => inbox.of("delivered").length === 1);
  const refreshed = connector.refresh();
  await until(() => reading);
  open.stream(recorded.events.slice(1));
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(inbox.of("receive").at(-1), framed[0]);
  reading.json('{"values":{"read":"late"},"tasks":[]}');
  await refreshed;
  open.end();
  await sent;
  const order = inbox.of("receive");
  assert.equal(order.indexOf('{"values":{"read":"late"},"tasks":[]}') + 1, order.indexOf(framed[1]));
});

test("data that would break out of its frame is handed over as it is", async (t) => {
  const broken = '1},"event":"values"';
  const { inbox, connector } = await connected(t, { "POST /threads/t1/runs/stream": (exchange) => exchange.stream([["custom", broken]]).end() });
  await connector.send(inbox.due(recorded.command));
  assert.ok(inbox.of("receive").includes(broken));
});

test("r10_a_run_that_fails_before_it_begins_has_taken_nothing_and_the_decision_can_be_sent_again", async (t) => {
  const message = "the database is not there";
  const failed = [["error", `{"error":"RuntimeError","message":"${message}"}`]];
  let answer = failed;
  const { inbox, connector, runs } = await connected(t, { "POST /threads/t1/runs/stream": (exchange) => exchange.stream(answer).end() });
  await connector.send(inbox.due(recorded.command));
  assert.deepEqual([inbox.of("delivered"), inbox.of("failed"), runs().length], [[], [["outbound-1", { status: 412, message }]], 1]);
  await assert.rejects(connector.sendText("go on"), { message });
  // What fails later may have read it.
  answer = [["metadata", '{"run_id":"r","attempt":1}'], ...failed];
  const next = inbox.due(recorded.command);
  await connector.send(next);
  await connector.sendText("go on");
  assert.deepEqual([inbox.of("delivered"), inbox.of("failed").length], [[next.id], 1]);
});

test("words begin a run, in a thread that may not be there yet", async (t) => {
  const { inbox, connector, runs } = await connected(t, {
    "POST /threads/t1/history": (exchange) => exchange.json("{}", 404),
    "GET /threads/t1/runs": (exchange) => exchange.json("{}", 404),
  });
  await connector.sendText("delete it");
  const { input, if_not_exists, multitask_strategy } = JSON.parse(runs()[0].body);
  assert.deepEqual([input, if_not_exists, multitask_strategy], [{ messages: [{ role: "user", content: "delete it" }] }, "create", "reject"]);
  assert.deepEqual(inbox.of("restore"), []);
});

// The server in JavaScript lists the oldest runs first, so one that is under way may not be among the first ten.
test("a run that is under way is asked for by its status, so that it is found in a long conversation", async (t) => {
  const runs = [...Array(12).keys()].map((at) => ({ run_id: `r${at}`, status: at === 11 ? "pending" : "success" }));
  const joined = [];
  const { connector, server } = await connected(t, {
    "GET /threads/t1/runs": ({ url, ...exchange }) => {
      const query = new URL(url, "http://127.0.0.1").searchParams;
      const found = runs.filter(({ status }) => (query.get("status") ?? status) === status);
      exchange.response.writeHead(200, { "content-type": "application/json" });
      exchange.response.end(JSON.stringify(found.slice(0, Number(query.get("limit")))));
    },
    "GET /threads/t1/runs/r11/stream": (exchange) => {
      joined.push(exchange.url);
      runs[11].status = "success";
      exchange.stream(recorded.events).end();
    },
  });
  await until(() => joined.length === 1);
  await until(() => server.requests.at(-1).url.includes("status=running"));
  assert.equal(connector.state, "live");
});

for (const status of [404, 405]) {
  test(`a run that is gone before it is followed ends nothing (${status})`, async (t) => {
    let joins = 0;
    const held = { runs: "[]" };
    const { inbox, connector, state, clock, server } = await connected(t, {
      "GET /threads/t1/runs": (exchange) => exchange.json(held.runs),
      "GET /threads/t1/runs/r1/stream": (exchange) => (joins += 1) && exchange.json('{"detail":"no such run"}', status),
    });
    held.runs = '[{"run_id":"r1","status":"running"}]';
    await connector.refresh();
    await until(() => clock.rests.length === 1);
    // Read at once, then after a while.
    assert.deepEqual([joins, clock.rests, connector.state], [2, [2000], "live"]);
    Object.assign(held, { runs: "[]" });
    state.state = IDLE;
    clock.advance(2000);
    await until(() => inbox.of("receive").at(-1) === IDLE);
    await until(() => server.requests.at(-1).url.includes("/runs?"));
    assert.deepEqual([joins, connector.state], [2, "live"]);
  });
}

test("an answer that falls silent is dropped when the network is back, and the next message leaves", async (t) => {
  const network = new EventTarget();
  const { inbox, connector, runs } = await connected(
    t,
    { "POST /threads/t1/runs/stream": (exchange) => exchange.stream(runs().length === 1 ? recorded.events.slice(0, 1) : []) },
    { network },
  );
  const [first, second] = [inbox.due(recorded.command), inbox.due(recorded.command)];
  const sent = connector.send(first);
  const next = connector.send(second);
  await until(() => inbox.of("delivered").length === 1);
  assert.equal(runs().length, 1);
  network.dispatchEvent(new Event("online"));
  await sent;
  // The second answer says nothing at all: whether the message arrived nobody knows.
  await until(() => runs().length === 2);
  await new Promise((resolve) => setTimeout(resolve, 50));
  network.dispatchEvent(new Event("online"));
  await next;
  assert.deepEqual([inbox.of("delivered"), inbox.of("failed").map(([id]) => id), runs().length], [[first.id], [second.id], 2]);
  assert.match(inbox.of("failed")[0][1].message, /the connection was lost: the message may have arrived all the same/);
});

test("r43_what_an_earlier_connector_of_an_inbox_still_reads_does_not_reach_the_conversation_of_the_next_one", async (t) => {
  let late;
  const at = (thread) => `{"values":{"thread":"${thread}"},"next":[],"tasks":[]}`;
  const routes = Object.fromEntries(
    ["old", "new"].flatMap((thread) => [
      [`POST /threads/${thread}/history`, (exchange) => exchange.json(`[${at(thread)}]`)],
      [`GET /threads/${thread}/runs`, (exchange) => exchange.json("[]")],
      [`GET /threads/${thread}/state`, (exchange) => (thread === "old" ? (late = exchange) : exchange.json(at(thread)))],
      [`POST /threads/${thread}/runs/stream`, (exchange) => exchange.stream([["metadata", '{"run_id":"r"}']]).end()],
    ]),
  );
  const server = await serve(t, routes);
  const inbox = new FakeInbox();
  const make = (threadId) => {
    const made = langgraph({ url: server.url, ids: { threadId, assistantId: "a" } });
    t.after(() => made.close());
    return made;
  };
  const before = make("old");
  await before.connect(inbox);
  const sent = before.send(inbox.due('{"command":{"resume":{"i":{"decisions":[{"type":"reject"}]}}}}'));
  await until(() => late);
  const next = make("new");
  await next.connect(inbox);
  before.close();
  late.json(at("old"));
  await sent;
  const arrived = inbox.log.filter(([kind]) => kind === "receive" || kind === "restore");
  assert.deepEqual(arrived.map(([kind, text]) => [kind, /"thread":"(\w+)"/.exec(text)?.[1]]), [["restore", "old"], ["restore", "new"]]);
});
