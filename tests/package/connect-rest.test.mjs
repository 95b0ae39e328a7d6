// The connector for backends that list their open requests and take answers as posts, with recorded bodies.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, until } from "./connect-harness.mjs";
import { adalflow, haystack } from "./connect-recordings.mjs";
import { load } from "./package.mjs";

const { rest } = await load("countersign/connect");
const { path: PATH } = JSON.parse(haystack.answer);

async function connected(t, routes = {}, options = {}) {
  const state = { pending: haystack.pending };
  const server = await serve(t, {
    "GET /approvals/pending": (exchange) => exchange.json(state.pending),
    [`POST ${PATH}`]: (exchange) => exchange.json(haystack.reply),
    ...routes,
  });
  const clock = new Clock();
  const inbox = new FakeInbox();
  const connector = rest({ url: server.url, ids: { clientId: "c 7" }, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { state, server, clock, inbox, connector, posts: () => server.requests.filter(({ method }) => method === "POST") };
}

test("the list is restored, read again, and answers are posted with exactly their text", async (t) => {
  const { inbox, connector, state, clock, posts, server } = await connected(t);
  assert.equal(server.requests[0].url, "/approvals/pending?client_id=c%207");
  const body = '{"action":"modify","new_tool_params":{"to":2512292042121000001, "n":1.00,"x":1e400,"s":"\\u202e}"}}';
  const outbound = inbox.due(`{"method":"POST","path":"${PATH}","body":${body}}`);
  await connector.send(outbound);
  assert.deepEqual([posts()[0].body, posts()[0].url, posts()[0].headers["idempotency-key"]], [body, PATH, outbound.id]);
  state.pending = haystack.after;
  assert.deepEqual(clock.waits, [2000]);
  clock.advance(2000);
  await until(() => inbox.log.length === 4);
  assert.deepEqual(inbox.log, [["restore", haystack.pending], ["delivered", outbound.id], ["receive", haystack.reply], ["receive", haystack.after]]);
});

test("a log is the history where there is one", async (t) => {
  const { inbox } = await connected(t, { "GET /history/c7": (exchange) => exchange.json(haystack.log) }, { history: "/history/c7" });
  assert.deepEqual(inbox.log, [["restore", haystack.log], ["receive", haystack.pending]]);
});

test("what became of a request that is open no more is looked up in the log", async (t) => {
  const { inbox, state, clock, server } = await connected(t, { "GET /history/c7": (exchange) => exchange.json(haystack.log) }, { history: "/history/c7" });
  const ids = Object.keys(JSON.parse(haystack.pending));
  inbox.cards.push(...ids.map((request) => ({ request, status: "pending" })), { request: "settled", status: "rejected" });
  const reads = () => server.requests.map(({ url }) => url.split("?")[0]).splice(2);
  clock.advance(2000);
  await until(() => inbox.log.length === 3);
  assert.deepEqual(reads(), ["/approvals/pending"]);
  state.pending = haystack.after;
  clock.advance(2000);
  await until(() => inbox.log.length === 5);
  // A list from after the log says what waits.
  assert.deepEqual(reads().slice(1), ["/approvals/pending", "/history/c7", "/approvals/pending"]);
  assert.deepEqual(inbox.log.slice(-2), [["receive", haystack.log], ["receive", haystack.after]]);
  // A log that does not know it either is not asked again and again.
  clock.advance(2000);
  await until(() => inbox.log.length === 6);
  assert.deepEqual(reads().slice(4), ["/approvals/pending"]);
  assert.deepEqual(inbox.log.at(-1), ["receive", haystack.after]);
});

test("where there is no log, a request that is open no more is asked for by itself", async (t) => {
  const [{ request_id: id, ...rest }] = JSON.parse(adalflow.pending);
  const expired = JSON.stringify({ request_id: id, ...rest, status: "expired" });
  const state = { pending: adalflow.pending };
  const routes = {
    "GET /api/v1/approvals/pending": (exchange) => exchange.json(state.pending),
    [`GET /api/v1/approvals/${id}`]: (exchange) => exchange.json(expired),
  };
  const { inbox, clock, server } = await connected(t, routes, { pending: "/api/v1/approvals/pending", detail: "/api/v1/approvals/{id}", ids: {} });
  inbox.cards.push({ request: id, status: "pending" }, { request: "never/there", status: "pending" });
  state.pending = "[]";
  clock.advance(2000);
  await until(() => inbox.log.length === 3);
  assert.deepEqual(inbox.log.slice(1), [["receive", expired], ["receive", "[]"]]);
  assert.equal(server.requests.at(-1).url, "/api/v1/approvals/never%2Fthere");
});

test("an answer without a body has none, and a query stays", async (t) => {
  const { inbox, connector, posts } = await connected(t, { "POST /approvals/x": (exchange) => exchange.json('{"status":"approved"}') });
  await connector.send(inbox.due('{"method":"POST","path":"/approvals/x?outcome=cancel"}'));
  assert.deepEqual([posts()[0].url, posts()[0].body, posts()[0].headers["content-type"]], ["/approvals/x?outcome=cancel", "", undefined]);
});

test("another prefix, as AdalFlow's own handler has it", async (t) => {
  const { path } = JSON.parse(adalflow.answer);
  const routes = { "GET /api/v1/approvals/pending": (exchange) => exchange.json(adalflow.pending), [`POST ${path}`]: (exchange) => exchange.json(adalflow.reply) };
  const { inbox, connector } = await connected(t, routes, { pending: "/api/v1/approvals/pending", ids: {} });
  await connector.send(inbox.due(adalflow.answer));
  assert.deepEqual(inbox.log, [["restore", adalflow.pending], ["delivered", "outbound-1"], ["receive", adalflow.reply]]);
});

test("404, 409, 422 and 503 are told with their words, and nothing is posted again by itself", async (t) => {
  for (const [status, body, message] of [
    [404, '{"detail":"no such approval"}', "no such approval"],
    [409, '{"detail":"already decided: timeout"}', "already decided: timeout"],
    [422, '{"detail":{"errors":["/amount: no"]}}', '{"errors":["/amount: no"]}'],
    [503, "", "the backend answered with status 503 Service Unavailable"],
  ]) {
    const { inbox, connector, posts, clock } = await connected(t, { [`POST ${PATH}`]: (exchange) => exchange.json(body, status) });
    await connector.send(inbox.due(haystack.answer));
    clock.advance(600_000);
    await connector.refresh();
    assert.deepEqual([inbox.of("failed"), posts().length], [[["outbound-1", { status, message }]], 1]);
  }
});

test("no list is read while an answer is on its way", async (t) => {
  let open;
  const { inbox, connector, clock, server } = await connected(t, { [`POST ${PATH}`]: (exchange) => (open = exchange) });
  const sent = connector.send(inbox.due(haystack.answer));
  await until(() => open);
  const before = server.requests.length;
  clock.advance(2000);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(server.requests.length, before);
  open.json(haystack.reply);
  await sent;
  await until(() => server.requests.length > before);
});

test("an answer that decides nothing, or leads elsewhere, does not leave", async (t) => {
  const { inbox, connector, server } = await connected(t);
  const before = server.requests.length;
  for (const [method, path] of [["GET", "/approvals/x"], ["POST", "/approvals/../admin"], ["POST", "/a/%2E%2e/b"], ["POST", "@evil.example/x"], ["POST", "/a\\\\b"], ["POST", "/a#b"]]) {
    await connector.send(inbox.due(`{"method":"${method}","path":"${path}","body":{}}`));
  }
  assert.equal(inbox.of("failed").length, 6);
  assert.ok(server.requests.slice(before).every(({ url }) => url.startsWith("/approvals/pending")));
});

for (const history of [undefined, "/history/c7"]) {
  test(`an address that the server does not know is a mistake, not an empty list (${history ?? "pending"})`, async (t) => {
    for (const [body, type] of [["", "text/plain"], ["<h1>Not Found</h1>", "text/html"], ['{"detail":"Not Found"}', "application/json"], ["404 page not found", "text/plain"]]) {
      const nowhere = ({ response }) => response.writeHead(404, { "content-type": type }).end(body);
      const pending = history === undefined ? nowhere : (exchange) => exchange.json(haystack.pending);
      const refused = { code: "backend-error", status: 404, message: "the backend has nothing at this address" };
      await assert.rejects(connected(t, { "GET /approvals/pending": pending, other: nowhere }, { history }), refused, body);
    }
  });

  test(`a backend that knows no such conversation has not begun it (${history ?? "pending"})`, async (t) => {
    let pending = '{"detail":"no such client"}';
    const routes = { "GET /approvals/pending": (exchange) => exchange.json(pending, pending === haystack.pending ? 200 : 404), "GET /history/c7": (exchange) => exchange.json('{"detail":"no such client"}', 404) };
    const { inbox, connector, clock } = await connected(t, routes, { history });
    assert.deepEqual([connector.state, inbox.log], ["live", []]);
    pending = haystack.pending;
    clock.advance(2000);
    await until(() => inbox.log.length > 0);
    // What comes after the beginning is no history.
    assert.deepEqual(inbox.log, [["receive", haystack.pending]]);
    pending = '{"detail":"no such client"}';
    await connector.refresh();
    assert.deepEqual([connector.state, inbox.log.length], ["live", 1]);
  });
}

test("a decision that nobody answers is given up after a minute, keeps nothing back and is not posted again", async (t) => {
  const { inbox, connector, clock, posts, server } = await connected(t, { [`POST ${PATH}`]: () => {}, "POST /approvals/next": (exchange) => exchange.json("{}") });
  const [first, second] = [inbox.due(haystack.answer), inbox.due('{"method":"POST","path":"/approvals/next","body":{}}')];
  const sent = connector.send(first);
  const next = connector.send(second);
  await until(() => posts().length === 1);
  clock.advance(59_999);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual([inbox.of("failed"), posts().length], [[], 1]);
  const reads = server.requests.length;
  clock.advance(1);
  await sent;
  assert.deepEqual(inbox.of("failed"), [[first.id, { message: "the backend did not answer within 60000 ms: the message may have arrived all the same" }]]);
  await next;
  assert.deepEqual([inbox.of("delivered"), posts().map(({ url }) => url), connector.state], [[second.id], [PATH, "/approvals/next"], "live"]);
  // The list says what became of it.
  await until(() => server.requests.slice(reads).some(({ method }) => method === "GET"));
  clock.advance(600_000);
  await connector.refresh();
  assert.equal(posts().length, 2);
});
