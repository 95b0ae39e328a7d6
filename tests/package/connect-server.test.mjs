// What a server does in place of an answer: it sends elsewhere, asks somebody to sign in, or asks for a pause.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, TestSocket, until } from "./connect-harness.mjs";
import { adk as recordedAdk, langgraph as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, adk, forward, langgraph, rest, websocket } = await load("countersign/connect");
await init();

const WAITS = task([["r1", "delete_file", '{"path":"/x"}']], "t1");
const answer = (exchange, result = WAITS) => exchange.json(`{"jsonrpc":"2.0","id":"${JSON.parse(exchange.body).id}","result":${result}}`);

/** An inbox over an agent that waits for a decision. */
async function connected(t, url, options = {}) {
  const inbox = new Inbox({ adapter: "a2a" });
  const connector = a2a({ url, ids: { contextId: "c1", taskId: "t1" }, stream: false, retry: { baseMs: 1 }, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  const approve = async () => {
    const [card] = inbox.requests();
    inbox.decide(card.id, { kind: "approve", seen: card.argsDigest });
    await connector.send(inbox.takeOutbound()[0]);
    return inbox.requests()[0];
  };
  return { inbox, connector, approve };
}

for (const redirects of [1, Infinity]) {
  test(`r10_server: neither a decision nor its secrets go where a server of another origin was named ${redirects === 1 ? "once" : "each time"}`, async (t) => {
    let left = redirects;
    const other = await serve(t, { other: (exchange) => answer(exchange) });
    const server = await serve(t, {
      other: (exchange) => ((left -= 1) >= 0 ? exchange.response.writeHead(307, { location: `${other.url}/elsewhere` }).end() : answer(exchange)),
    });
    const { approve } = await connected(t, server.url, { headers: { authorization: "Bearer SECRET" } });
    const card = await approve();
    assert.deepEqual([other.of("message/send"), other.requests.filter(({ headers }) => headers.authorization)], [[], []]);
    if (redirects === 1) assert.deepEqual([other.requests.length, server.of("message/send").length], [1, 1]);
    else assert.match(card.outbound.error, /another address/);
  });
}

test("r10_server: a decision does not go where a call was turned into a GET", async (t) => {
  let isAway = true;
  let isAsked = false;
  const server = await serve(t, {
    "POST /": (exchange) => (isAway ? exchange.response.writeHead(302, { location: "/login" }).end() : answer(exchange)),
    "GET /login": (exchange) => (isAsked = true) && exchange.json('{"login":"required"}'),
    "POST /login": (exchange) => exchange.json('{"login":"required"}'),
  });
  const connecting = connected(t, server.url);
  await until(() => isAsked);
  isAway = false;
  const { approve } = await connecting;
  const card = await approve();
  assert.deepEqual([card.outbound.state, server.of("message/send").map(({ url }) => url)], ["delivered", ["/"]]);
  assert.deepEqual(server.requests.filter(({ method, url }) => method === "POST" && url === "/login"), []);
});

test("an address that fails is not asked any more", async (t) => {
  let isMoved = true;
  const server = await serve(t, {
    "POST /old": (exchange) => (isMoved ? exchange.response.writeHead(307, { location: "/new" }).end() : answer(exchange)),
    "POST /new": (exchange) => (isMoved ? answer(exchange) : exchange.json('{"detail":"gone"}', 410)),
  });
  const { connector, approve } = await connected(t, `${server.url}/old`);
  isMoved = false;
  await assert.rejects(connector.refresh(), { status: 410 });
  await connector.refresh();
  assert.equal((await approve()).outbound.state, "delivered");
  assert.deepEqual(server.of("message/send").map(({ url }) => url), ["/old"]);
});

test("a session that ran out is no other address: after somebody has signed in, everything is read", async (t) => {
  let isIn = false;
  const server = await serve(t, {
    other: (exchange) => {
      if (exchange.url === "/login") return exchange.response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><p>sign in");
      if (!isIn) return exchange.response.writeHead(302, { location: "/login" }).end();
      exchange.json(exchange.url.endsWith("/state") ? '{"values":{},"next":[],"tasks":[]}' : "[]");
    },
  });
  const connector = langgraph({ url: server.url, ids: { threadId: "t1", assistantId: "a" } });
  t.after(() => connector.close());
  await assert.rejects(connector.connect(new FakeInbox()), { message: /a web page/ });
  isIn = true;
  await connector.refresh();
  assert.equal(connector.state, "live");
});

const CUT = "the answer was cut short, or is none of this backend's";
const V1 = '{"id":"t1","contextId":"c1","history":[],"status":{"state":"TASK_STATE_WORKING"}}';
/** Connectors: what their backend answers with as history, and which whole answers are none of it. */
const READERS = {
  adk: [(url, options) => adk({ url, ids: { appName: "a", userId: "u", sessionId: "s" }, ...options }), recordedAdk.session, ["null", "{}", "[]"]],
  langgraph: [(url, options) => langgraph({ url, ids: { threadId: "t1", assistantId: "a" }, ...options }), `[${recorded.state}]`, ["null", "{}"]],
  "a2a with a list": [(url, options) => a2a({ url, history: `${url}/tasks`, ids: { contextId: "c1" }, ...options }), `[${WAITS}]`, []],
  "a2a 0.3": [(url, options) => a2a({ url, ids: { contextId: "c1", taskId: "t1" }, ...options }), `{"jsonrpc":"2.0","id":"x","result":${WAITS}}`, ["null", "{}", '{"status":"ok"}']],
  "a2a 1.0": [(url, options) => a2a({ url, version: "1.0", ids: { contextId: "c1" }, ...options }), `{"jsonrpc":"2.0","id":"x","result":{"tasks":[${V1}]}}`, ["null", "{}"]],
  rest: [(url, options) => rest({ url, ...options }), "{}", []],
  websocket: [(url, options) => websocket({ url: url.replace("http", "ws"), history: `${url}/log`, WebSocket: TestSocket, ...options }), "[]", []],
};

for (const [name, [make, whole, others]] of Object.entries(READERS)) {
  test(`r39_server: ${name}: a history that arrives empty, cut short or as something else is read again`, async (t) => {
    for (const broken of ["", " ", "OK", whole.slice(0, -1), whole.slice(0, whole.length >> 1), Buffer.from('["\u00fc').subarray(0, -1), ...others]) {
      let isBroken = true;
      const given = (exchange) => (isBroken ? exchange.json(broken) : exchange.json(exchange.url.includes("/runs") ? "[]" : whole));
      const server = await serve(t, { other: given }, () => {});
      const clock = new Clock();
      const connector = make(server.url, clock.options);
      t.after(() => connector.close());
      const inbox = new FakeInbox();
      const connecting = connector.connect(inbox);
      await until(() => connector.state !== "connecting");
      assert.deepEqual([connector.state, connector.error?.code, connector.error?.message, inbox.log], ["waiting", "unreachable", CUT, []], String(broken));
      isBroken = false;
      clock.advance(500);
      await connecting;
      assert.deepEqual([connector.state, inbox.log], ["live", [["restore", whole]]]);
    }
  });
}

for (const [name, body] of [["a2a with a list", "null"], ["a2a with a list", "{}"], ["rest", "null"], ["rest", ": none\n\ndata: {}\n\n"], ["websocket", '{"requests":[]}']]) {
  test(`an empty list is a history in whatever form: ${name}, ${JSON.stringify(body)}`, async (t) => {
    const server = await serve(t, { other: (exchange) => exchange.json(body) }, () => {});
    const connector = READERS[name][0](server.url, {});
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    assert.deepEqual([connector.state, inbox.log], ["live", [["restore", body]]]);
  });
}

test("a list that has no content is empty", async (t) => {
  const server = await serve(t, { other: ({ response }) => response.writeHead(204).end() }, () => {});
  for (const name of ["a2a with a list", "rest", "websocket"]) {
    const connector = READERS[name][0](server.url, {});
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    assert.deepEqual([connector.state, inbox.log], ["live", []], name);
  }
});

for (const name of ["adk", "langgraph", "a2a 0.3"]) {
  test(`r10_server: ${name}: a state that arrives broken before a decision says nothing of the conversation, and nothing is sent`, async (t) => {
    for (const broken of ["", "OK", "null", "{}", '{"a":']) {
      let isBroken = false;
      const [make, whole] = READERS[name];
      const state = (url) => (url.includes("/runs") ? "[]" : url.endsWith("/state") ? recorded.state : whole);
      const server = await serve(t, { other: (exchange) => exchange.json(isBroken ? broken : state(exchange.url)) });
      const inbox = new Inbox({ adapter: name.slice(0, 9).replace(" 0.3", "") });
      const connector = make(server.url, {});
      t.after(() => connector.close());
      await connector.connect(inbox);
      const card = inbox.requests().find(({ status }) => status === "pending");
      inbox.decide(card.id, { kind: "approve" });
      isBroken = true;
      const asked = server.requests.length;
      await connector.send(inbox.takeOutbound()[0]);
      const { status, outbound } = inbox.requests().find(({ id }) => id === card.id);
      assert.deepEqual([status, outbound.state, outbound.error], ["drafted", "failed", CUT], broken);
      assert.deepEqual(server.requests.slice(asked).filter(({ url, body }) => /run_sse|runs.stream|message.s/.test(url + body)), []);
      connector.close();
    }
  });
}

test("r10_server: a byte order mark at the head of an answer is no part of it", async (t) => {
  const log = async (body) => {
    const server = await serve(t, {
      "GET /log": ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end(body),
      other: (exchange) => exchange.json("[]"),
    });
    const connector = rest({ url: server.url, history: "/log" });
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    return inbox.log;
  };
  assert.deepEqual(await log("\ufeff{}"), [["restore", "{}"], ["receive", "[]"]]);
  assert.deepEqual(await log("\ufeff"), [["restore", "[]"]]);
  const latin = Buffer.from('["\u00e9"]', "latin1");
  assert.deepEqual(await log(Buffer.concat([Buffer.from("\ufeff"), latin])), [["restore", new Uint8Array(latin)], ["receive", "[]"]]);
  const server = await serve(t, { other: (exchange) => exchange.json(`\ufeff{"jsonrpc":"2.0","id":"${JSON.parse(exchange.body).id}","result":${WAITS}}`) });
  const { inbox, approve } = await connected(t, server.url);
  assert.deepEqual(inbox.requests().map(({ status }) => status), ["pending"]);
  assert.equal((await approve()).outbound.state, "delivered");
});

test("r10_server: a byte order mark at the head of a binary frame is no part of it", async (t) => {
  let socket;
  class Socket {
    constructor() {
      socket = this;
    }
    close() {}
  }
  const made = websocket({ url: "ws://127.0.0.1/", WebSocket: Socket });
  t.after(() => made.close());
  const inbox = new FakeInbox();
  const connecting = made.connect(inbox);
  await until(() => socket?.onopen);
  socket.onopen({});
  await connecting;
  socket.onmessage({ data: new TextEncoder().encode("\ufeff{}").buffer });
  assert.deepEqual(inbox.of("receive"), ["{}"]);
});

for (const [what, header, wait, ahead = 0] of [
  ["seconds", () => "5", 5000],
  ["a date", (now) => new Date(now + 8000).toUTCString(), 8000],
  ["a date, an hour ahead of the page", (now) => new Date(now + 8000).toUTCString(), 8000, 3_600_000],
  ["a date, an hour behind the page", (now) => new Date(now + 8000).toUTCString(), 8000, -3_600_000],
  ["a date, and says no date of its own", (now) => new Date(now + 8000).toUTCString(), 8000, null],
  ["more than it may", () => "86400", 300_000],
  ["what has passed", (now) => new Date(now - 8000).toUTCString(), 0],
  ["what is neither", () => "soon", 0],
]) {
  for (const status of [429, 503]) {
    test(`a server that answers ${status} and asks for a pause by ${what} is left alone for ${wait} ms and then as long as ever`, async (t) => {
      const clock = new Clock();
      let isBusy = true;
      const server = await serve(t, {
        other: ({ response, ...exchange }) => {
          const now = clock.now + ahead;
          response.sendDate = false;
          const date = ahead === null ? {} : { date: new Date(now).toUTCString() };
          if (isBusy) return response.writeHead(status, { ...date, "retry-after": header(now) }).end();
          response.writeHead(200, { "content-type": "application/json" }).end("{}");
        },
      });
      const connector = rest({ url: server.url, ...clock.options });
      t.after(() => connector.close());
      const connecting = connector.connect(new FakeInbox());
      await until(() => connector.state === "waiting");
      assert.deepEqual(clock.waits, [wait + 500]);
      isBusy = false;
      clock.advance(wait + 500);
      await connecting;
      assert.equal(server.requests.length, 2);
    });
  }
}
