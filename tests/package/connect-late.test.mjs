// What stands between a decision and its backend: another question by now, another address, a host that does not answer.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, TestSocket, until } from "./connect-harness.mjs";
import { load } from "./package.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, adk, forward, langgraph, rest, websocket } = await load("countersign/connect");
await init();

const approval = (id, args = '{"p":1}') =>
  `{"type":"approval_request","id":"${id}","tool_name":"read_file","tool_description":"d","tool_params":${args},"tool_call_id":"c${id}"}`;
const states = (inbox) => inbox.requests().map(({ request, status }) => `${request} ${status}`);

/** Approves the first call of an inbox, after the backend went on. */
async function approveLate(t, connector, goOn) {
  const inbox = new Inbox();
  t.after(() => connector.close());
  await connector.connect(inbox);
  const [card] = inbox.requests().filter(({ status }) => status === "pending");
  goOn();
  inbox.decide(card.id, { kind: "approve", seen: card.argsDigest });
  await connector.send(inbox.takeOutbound()[0]);
  return inbox;
}

const part = ([id, name, args]) =>
  `{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"${id}","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"call-${id}","name":"${name}","args":${args}},"toolConfirmation":{"hint":"?","confirmed":false}}}}`;
const message = (calls, id) => `{"kind":"message","role":"agent","messageId":"${id}","taskId":"t1","parts":[${calls.map(part).join(",")}]}`;
const task = (waits, history = []) =>
  `{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","history":[${history.join(",")}],"status":{"state":"input-required","message":${waits}}}}`;
const READ = ["r1", "read_file", '{"path":"a"}'];
const DROP = ["r2", "drop_database", '{"name":"prod"}'];

for (const [what, next, left] of [
  ["another request", task(message([DROP], "m2")), ["r1 superseded", "r2 pending"]],
  ["another request after a question that nobody answered", task(message([DROP], "m2"), [message([READ], "m1")]), ["r1 superseded", "r2 pending"]],
  ["one more request", task(message([READ, DROP], "m2")), ["r1 drafted", "r2 pending"]],
  ["other arguments under the same id", task(message([["r1", "read_file", '{"path":"/etc/shadow"}']], "m2")), ["r1 pending"]],
]) {
  test(`r10_late: an approval without ids does not reach ${what} of its task`, async (t) => {
    let now = task(message([READ], "m1"));
    const server = await serve(t, { "POST /": (exchange) => exchange.json(now) });
    const connector = a2a({ url: server.url, ids: { contextId: "c1", taskId: "t1" }, stream: false });
    const inbox = await approveLate(t, connector, () => (now = next));
    assert.deepEqual([server.of("message/send"), states(inbox)], [[], left]);
    assert.match(inbox.audit(), /"failed".*nothing was sent/);
  });
}

for (const id of ['"id":"0123456789abcdef0123456789abcdef",', '"resumable":true,"ns":["node:uuid1"],"when":"during",', ""]) {
  test(`r10_late: an approval does not reach another question of the same interrupt (${id.slice(1, 5) || "bare"})`, async (t) => {
    const state = (tool, args) =>
      `{"values":{"messages":[]},"next":["n"],"tasks":[{"id":"t","name":"n","interrupts":[{${id}"value":[{"action_request":{"action":"${tool}","args":${args}},"config":{"allow_accept":true,"allow_edit":false,"allow_respond":false,"allow_ignore":true}}]}]}]}`;
    let now = state("read_file", '{"path":"a"}');
    const server = await serve(t, {
      "POST /threads/t1/history": (exchange) => exchange.json(`[${now}]`),
      "GET /threads/t1/state": (exchange) => exchange.json(now),
      "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
    });
    const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } });
    const inbox = await approveLate(t, connector, () => (now = state("drop_database", '{"name":"prod"}')));
    assert.deepEqual(server.requests.filter(({ url }) => url.endsWith("/runs/stream")), []);
    assert.deepEqual([inbox.requests()[0].status, inbox.requests()[0].offers.map(({ kind }) => kind)], ["pending", ["ignore"]]);
  });
}

const CALLS = { read: '{"name":"read_file","args":{"path":"a"}}', drop: '{"name":"drop_database","args":{}}' };
const ONE = `{"action_requests":[${CALLS.read}],"review_configs":[{"action_name":"read_file","allowed_decisions":["approve","reject"]}]}`;
for (const [what, value, posts] of [
  ["the same question", ONE, 1],
  ["one more call", `{"action_requests":[${CALLS.read},${CALLS.drop}],"review_configs":[{"action_name":"read_file","allowed_decisions":["approve","reject"]},{"action_name":"drop_database","allowed_decisions":["approve","reject"]}]}`, 0],
  ["a question in words", '"which database?"', 0],
]) {
  test(`r10_late: an approval ${posts ? "reaches" : "does not reach"} ${what} of the same interrupt`, async (t) => {
    const state = (asked) => `{"values":{"messages":[]},"next":["n"],"tasks":[{"id":"t","name":"n","interrupts":[{"id":"0123456789abcdef0123456789abcdef","value":${asked}}]}]}`;
    let now = state(ONE);
    const server = await serve(t, {
      "POST /threads/t1/history": (exchange) => exchange.json(`[${now}]`),
      "GET /threads/t1/state": (exchange) => exchange.json(now),
      "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
    });
    await approveLate(t, langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } }), () => (now = state(value)));
    assert.equal(server.requests.filter(({ url }) => url.endsWith("/runs/stream")).length, posts);
  });
}

const session = (args) => {
  const call = `{"functionCall":{"id":"c1","name":"read_file","args":${args}}}`;
  const ask = `{"functionCall":{"id":"r1","name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"c1","name":"read_file","args":${args}},"toolConfirmation":{"hint":"?","confirmed":false}}}}`;
  const event = (id, one) => `{"id":"${id}","author":"agent","invocationId":"i1","timestamp":1,"actions":{},"longRunningToolIds":["r1"],"content":{"role":"model","parts":[${one}]}}`;
  return `{"id":"s1","appName":"a","userId":"u","state":{},"events":[${event("e1", call)},${event("e2", ask)}]}`;
};
for (const [what, next, posts] of [
  ["a session that is as it was", session('{"path":"a"}'), 1],
  ["a session that begins anew", '{"id":"s1","appName":"a","userId":"u","state":{},"events":[]}', 0],
  ["a session without events", '{"id":"s1","appName":"a","userId":"u","state":{},"events":null}', 0],
  ["other arguments under the same id", session('{"path":"/etc/shadow"}'), 0],
]) {
  test(`r10_late: an approval ${posts ? "reaches" : "does not reach"} ${what}`, async (t) => {
    let now = session('{"path":"a"}');
    const server = await serve(t, { "GET /apps/a/users/u/sessions/s1": (exchange) => exchange.json(now) });
    const connector = adk({ url: server.url, ids: { appName: "a", userId: "u", sessionId: "s1" } });
    await approveLate(t, connector, () => (now = next));
    assert.equal(server.requests.filter(({ method }) => method === "POST").length, posts);
  });
}

for (const status of [301, 302, 303, 307, 308]) {
  test(`r10_late: a decision that is sent elsewhere with status ${status} is not delivered`, async (t) => {
    const server = await serve(t, {
      "GET /approvals/pending": (exchange) => exchange.json(`{"r1":${approval("r1")}}`),
      "POST /approvals/r1": (exchange) => exchange.response.writeHead(status, { location: "/login" }).end(),
      other: (exchange) => exchange.json('{"login":"required"}'),
    });
    const inbox = await approveLate(t, rest({ url: server.url }), () => {});
    assert.deepEqual(states(inbox), ["r1 drafted"]);
    assert.match(inbox.requests()[0].outbound.error, /another address/);
    assert.deepEqual(server.requests.filter(({ url }) => url === "/login"), []);
  });
}

test("r10_late: a reply that is an error is no delivery, whatever its status", async (t) => {
  const server = await serve(t, {
    "GET /approvals/pending": (exchange) => exchange.json(`{"r1":${approval("r1")}}`),
    "POST /approvals/r1": (exchange) => exchange.json('{"error":{"message":"not allowed"}}'),
  });
  const inbox = await approveLate(t, rest({ url: server.url }), () => {});
  assert.deepEqual([states(inbox), inbox.requests()[0].outbound.error], [["r1 drafted"], "not allowed"]);
});

for (const reply of ['{"status":"approved","error":""}', '{"status":"approved","error":{ }}', '{"status":"approved","error":[]}', '{"error":null}', '{"error":false}']) {
  test(`a reply whose error says nothing is a delivery: ${reply}`, async (t) => {
    const server = await serve(t, {
      "GET /approvals/pending": (exchange) => exchange.json(`{"r1":${approval("r1")}}`),
      "POST /approvals/r1": (exchange) => exchange.json(reply),
    });
    const inbox = await approveLate(t, rest({ url: server.url }), () => {});
    assert.equal(inbox.requests()[0].outbound.state, "delivered");
  });
}

for (const error of ["{}", '""']) {
  test(`r10_late: an answer of JSON-RPC that is an error without words is no delivery: ${error}`, async (t) => {
    const waits = task(message([READ], "m1"));
    const server = await serve(t, { "POST /": (exchange) => exchange.json(exchange.body.includes("message/send") ? `{"jsonrpc":"2.0","id":1,"error":${error}}` : waits) });
    const inbox = await approveLate(t, a2a({ url: server.url, ids: { contextId: "c1", taskId: "t1" }, stream: false }), () => {});
    assert.deepEqual([server.of("message/send").length, states(inbox)], [1, ["r1 drafted"]]);
  });
}

test("what is read at another address is sent there too", async (t) => {
  let reads = 0;
  // As JSON-RPC wants it: an answer has the id of its call.
  const echo = (exchange, text) => exchange.json(text.replace('"id":1,', `"id":"${JSON.parse(exchange.body).id}",`));
  const server = await serve(t, {
    "POST /old": (exchange) => exchange.response.writeHead(307, { location: "/new" }).end(),
    "POST /new": (exchange) => echo(exchange, (reads += 1) < 3 ? task(message([READ], "m1")) : '{"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"t1","contextId":"c1","status":{"state":"completed"}}}'),
  });
  await approveLate(t, a2a({ url: `${server.url}/old`, ids: { contextId: "c1", taskId: "t1" }, stream: false }), () => {});
  assert.deepEqual(server.of("message/send").map(({ url }) => url), ["/new"]);
});

test("headers of the host replace those of the connector, and are not told when they cannot be sent", async (t) => {
  const server = await serve(t, { other: (exchange) => exchange.json("{}") });
  const options = { url: server.url, retry: { attempts: 1 } };
  const good = rest({ ...options, headers: { Accept: "application/json", "X-Api-Key": "k" } });
  t.after(() => good.close());
  await good.connect(new FakeInbox());
  assert.equal(server.requests[0].headers.accept, "application/json");
  const bad = rest({ ...options, headers: { authorization: "Bearer s3cr3t\nx" } });
  await assert.rejects(bad.connect(new FakeInbox()), ({ code, message }) => code === "options-invalid" && !message.includes("s3cr3t"));
});

test("a host that never has its headers ready loses no more than a try", async (t) => {
  let isStuck = false;
  const server = await serve(t, { other: (exchange) => exchange.json("{}") });
  const headers = () => (isStuck ? new Promise(() => {}) : {});
  const connector = rest({ url: server.url, timeoutMs: 50, headers, retry: { baseMs: 1, attempts: 2 } });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  isStuck = true;
  await assert.rejects(connector.refresh(), { code: "unreachable" });
});

test("r43_headers: a decision whose headers are never ready has not arrived, and nobody says that it may have", async (t) => {
  const clock = new Clock();
  const server = await serve(t, { "GET /approvals/pending": (exchange) => exchange.json("[]") });
  let isReady = true;
  const headers = () => (isReady ? {} : new Promise(() => undefined));
  const connector = rest({ url: server.url, headers, ...clock.options });
  t.after(() => connector.close());
  const inbox = new FakeInbox();
  await connector.connect(inbox);
  isReady = false;
  const outbound = inbox.due('{"method":"POST","path":"/approvals/r1","body":{}}');
  connector.send(outbound);
  await until(() => clock.waits.includes(60_000));
  clock.advance(60_000);
  await until(() => inbox.of("failed").length === 1);
  assert.deepEqual(inbox.of("failed"), [[outbound.id, { status: 412, message: "the page did not give its `headers` within 60000 ms: nothing was sent" }]]);
  assert.equal(server.requests.some(({ method }) => method === "POST"), false);
});

test("an address with a password in it is refused without the password", (t) => {
  const page = globalThis.location;
  globalThis.location = { href: "https://page.example/" };
  t.after(() => (page === undefined ? delete globalThis.location : (globalThis.location = page)));
  const absolute = ["http://user:SECRET@127.0.0.1:9/", "https://SECRET@agent.example", "HTTPS:/user:SECRET@agent.example"];
  for (const url of [...absolute, "//user:SECRET@agent.example/api", " \\/SECRET@agent.example"]) {
    assert.throws(() => rest({ url }), ({ code, path, message }) => code === "options-invalid" && path === "/url" && !message.includes("SECRET"), url);
    assert.throws(() => websocket({ url: "ws://127.0.0.1:9/", history: url }), { code: "options-invalid", path: "/history" });
  }
  for (const url of ["https://agent.example/a@b", "/@a", "//agent.example/@a", "https://agent.example?to=a@b"]) assert.ok(rest({ url: new URL(url, "http://127.0.0.1:9/") }));
  assert.ok(websocket({ url: "ws://user:SECRET@127.0.0.1:9/" }));
});

test("attempts end where each of them only runs out of time", async (t) => {
  const server = await serve(t, { other: () => {} });
  const connector = rest({ url: server.url, timeoutMs: 60, retry: { baseMs: 10, maxMs: 20, attempts: 3 } });
  await assert.rejects(connector.connect(new FakeInbox()), { code: "unreachable" });
  assert.deepEqual([server.requests.length, connector.state], [3, "failed"]);
});

test("a wait that is longer than timers know is no short one", async (t) => {
  const server = await serve(t, { other: (exchange) => exchange.json("{}") });
  const connector = rest({ url: server.url, timeoutMs: Infinity, pollMs: 2 ** 40 });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual([connector.state, server.requests.length], ["live", 1]);
});

test("an id that would climb out of its address is refused", () => {
  for (const threadId of [".", ".."]) {
    assert.throws(() => langgraph({ url: "http://127.0.0.1:9", ids: { threadId, assistantId: "a" } }), { code: "options-invalid" });
  }
});

test("a socket that could not be made does not keep back what the next one brings", async (t) => {
  const server = await serve(t, {}, (peer) => peer.send(approval("r1")));
  let attempts = 0;
  const url = () => ((attempts += 1) === 1 ? "ws://" : `${server.url}/ws`);
  const connector = websocket({ url, WebSocket: TestSocket, retry: { baseMs: 1 } });
  t.after(() => connector.close());
  const inbox = new Inbox({ adapter: "haystack" });
  await connector.connect(inbox);
  await until(() => inbox.requests().length === 1);
});

test("a message of another inbox fails there, and can be taken back", async (t) => {
  const server = await serve(t, { "GET /approvals/pending": (exchange) => exchange.json("{}") });
  const connector = rest({ url: server.url });
  t.after(() => connector.close());
  await connector.connect(new Inbox());
  const other = new Inbox();
  t.after(forward(other, connector));
  other.receive(`{"r1":${approval("r1")}}`);
  const [{ id }] = other.requests();
  other.decide(id, { kind: "approve" });
  await until(() => other.requests()[0].status === "drafted");
  other.undo(id);
  assert.deepEqual([states(other), server.requests.length], [["r1 pending"], 1]);
});

test("after its end a connector brings nothing, whatever was on its way", async (t) => {
  let answer;
  const connector = rest({ url: "http://127.0.0.1:9", fetch: () => new Promise((resolve) => (answer = resolve)) });
  const inbox = new FakeInbox();
  const connected = connector.connect(inbox);
  await until(() => answer);
  connector.close();
  answer(new Response(`{"r1":${approval("r1")}}`));
  await assert.rejects(connected, { code: "closed" });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(inbox.log, []);
});

test("history that the inbox cannot take leaves nobody believing that nothing waits", async (t) => {
  const server = await serve(t, { other: (exchange) => exchange.json("{}") });
  const inbox = new FakeInbox();
  let tries = 0;
  const { restore } = inbox;
  inbox.restore = (history) => {
    if ((tries += 1) === 1) throw new Error("the adapter could not be loaded");
    return restore.call(inbox, history);
  };
  const connector = rest({ url: server.url, retry: { baseMs: 1 } });
  t.after(() => connector.close());
  const seen = [];
  connector.subscribe(() => seen.push(connector.state));
  await connector.connect(inbox);
  assert.deepEqual([seen, tries], [["connecting", "waiting", "connecting", "live"], 2]);
});

test("what is followed is followed anew when the network is back", async (t) => {
  const network = new EventTarget();
  let follows = 0;
  const state = '{"values":{},"next":[],"tasks":[]}';
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${state}]`),
    "GET /threads/t1/state": (exchange) => exchange.json(state),
    "GET /threads/t1/runs": (exchange) => exchange.json('[{"run_id":"x","status":"running"}]'),
    // It stays open and says nothing.
    "GET /threads/t1/runs/x/stream": (exchange) => (follows += 1) && exchange.stream([]),
  });
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" }, network, retry: { baseMs: 1 } });
  t.after(() => connector.close());
  await connector.connect(new FakeInbox());
  await until(() => follows === 1);
  network.dispatchEvent(new Event("online"));
  await until(() => follows === 2);
});

test("r08_late: an answer that has not left does not count as taken when the thread went on without it", async (t) => {
  const asks = `[{"id":"0123456789abcdef0123456789abcdef","value":{"action_requests":[${CALLS.read}],"review_configs":[{"action_name":"read_file","allowed_decisions":["approve","reject"]}]}}]`;
  const state = (interrupts) => `{"values":{"messages":[]},"next":["n"],"tasks":[{"id":"t","name":"n","interrupts":${interrupts}}]}`;
  let now = state(asks);
  const server = await serve(t, {
    "POST /threads/t1/history": (exchange) => exchange.json(`[${now}]`),
    "GET /threads/t1/state": (exchange) => exchange.json(now),
    "GET /threads/t1/runs": (exchange) => exchange.json("[]"),
  });
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } });
  t.after(() => connector.close());
  const inbox = new Inbox();
  await connector.connect(inbox);
  const [card] = inbox.requests();
  // Somebody else has answered, and the tool runs.
  now = state("[]");
  inbox.decide(card.id, { kind: "reject", seen: card.argsDigest });
  await connector.send(inbox.takeOutbound()[0]);
  assert.deepEqual(server.requests.filter(({ url }) => url.endsWith("/runs/stream")), []);
  assert.deepEqual(inbox.requests().map(({ status, decision }) => [status, decision]), [["superseded", undefined]]);
});

/** How each connector asks where its backend should be; the last one asks at an address of the host's own. */
const CONNECTORS = {
  adk: (url) => adk({ url, ids: { appName: "a", userId: "u", sessionId: "s" } }),
  langgraph: (url) => langgraph({ url, ids: { threadId: "t1", assistantId: "a" } }),
  "a2a 0.3": (url) => a2a({ url, history: `${url}/sessions`, ids: { contextId: "c1" } }),
  "a2a 1.0": (url) => a2a({ url, version: "1.0", ids: { contextId: "c1" } }),
  websocket: (url) => websocket({ url: url.replace("http", "ws"), history: `${url}/history`, WebSocket: TestSocket }),
};

for (const [name, make] of Object.entries(CONNECTORS)) {
  test(`${name}: an address that a server does not know is no conversation that has not begun`, async (t) => {
    let body;
    const server = await serve(t, { other: (exchange) => exchange.json(body, 404) }, () => {});
    const begun = async () => {
      const connector = make(server.url);
      t.after(() => connector.close());
      return connector.connect(new FakeInbox()).then(() => connector.state, ({ code, status, message }) => [code, status, message]);
    };
    const unrouted = [
      ...["", "<!doctype html><title>404</title>", '{"detail":"Not Found"}', "Not Found", "404 page not found\n", "Not found: /threads", '{"detail":"Not found."}'],
      '{"message":"Route POST:/threads/t-1/history not found","error":"Not Found","statusCode":404}',
      '{"message":"Cannot POST /threads/t-1/history","error":"Not Found","statusCode":404}',
      '{"type":"https://tools.ietf.org/html/rfc9110#section-15.5.5","title":"Not Found","status":404,"traceId":"00-a"}',
      '{"message":"no Route matched with those values"}',
      '{"message":"The route threads/t-1/history could not be found."}',
      '{"message":"No route found for \\"POST /threads\\""}',
      '{"error_msg":"404 Route Not Found"}',
      "default backend - 404",
    ];
    for (body of unrouted) {
      const expected = name === "websocket" ? "live" : ["backend-error", 404, "the backend has nothing at this address"];
      assert.deepEqual(await begun(), expected, body);
    }
    // An agent says in JSON-RPC that it knows no task: at its address nothing is about a conversation.
    const words = (body) => (name === "a2a 1.0" ? ["backend-error", 404, Object.values(JSON.parse(body))[0] ?? "{}"] : "live");
    for (body of ["{}", '{"detail":"there is no such conversation"}', '{"detail":"Thread with ID t1 not found"}', '{"error":"Session not found"}']) {
      assert.deepEqual(await begun(), words(body), body);
    }
  });
}
