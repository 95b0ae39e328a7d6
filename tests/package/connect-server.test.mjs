// What a server does in place of an answer: it sends elsewhere, asks somebody to sign in, or asks for a pause.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, until } from "./connect-harness.mjs";
import { load } from "./package.mjs";
import { task } from "./task.mjs";

const { init, Inbox } = await load("countersign/headless");
const { a2a, forward, langgraph, rest, websocket } = await load("countersign/connect");
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
  const server = await serve(t, {
    "POST /": (exchange) => (isAway ? exchange.response.writeHead(302, { location: "/login" }).end() : answer(exchange)),
    "GET /login": (exchange) => exchange.json('{"login":"required"}'),
    "POST /login": (exchange) => exchange.json('{"login":"required"}'),
  });
  const { connector, approve } = await connected(t, server.url);
  isAway = false;
  await connector.refresh();
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

test("r10_server: a byte order mark at the head of an answer is no part of it", async (t) => {
  const log = async (body) => {
    const server = await serve(t, { other: ({ response }) => response.writeHead(200, { "content-type": "application/json" }).end(body) });
    const connector = rest({ url: server.url });
    t.after(() => connector.close());
    const inbox = new FakeInbox();
    await connector.connect(inbox);
    return inbox.log;
  };
  assert.deepEqual(await log("\ufeff{}"), [["restore", "{}"]]);
  assert.deepEqual(await log("\ufeff"), []);
  assert.deepEqual(await log(Buffer.from([0xef, 0xbb, 0xbf, 0xff])), [["restore", new Uint8Array([0xff])]]);
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

for (const [what, header, wait] of [
  ["seconds", () => "5", 5000],
  ["a date", (now) => new Date(now + 8000).toUTCString(), 8000],
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
          if (isBusy) return response.writeHead(status, { "retry-after": header(clock.now) }).end();
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
