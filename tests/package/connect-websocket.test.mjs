// The connector for backends that ask and hear over a WebSocket, with recorded messages.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, TestSocket, until } from "./connect-harness.mjs";
import { socket as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";

const { websocket } = await load("countersign/connect");

async function backend(t, routes = {}, greet = (peer) => recorded.before.forEach((text) => peer.send(text))) {
  const peers = [];
  const server = await serve(t, routes, (peer, request) => {
    peers.push(Object.assign(peer, { request }));
    greet(peer, peers.length);
  });
  return Object.assign(server, { peers });
}

function connector(t, server, options = {}) {
  const clock = new Clock();
  const made = websocket({ url: `${server.url}/ws/c7`, WebSocket: TestSocket, ...clock.options, ...options });
  t.after(() => made.close());
  return { clock, connector: made, inbox: new FakeInbox() };
}

test("what the backend says arrives, and the answer leaves as it is", async (t) => {
  const server = await backend(t);
  const { connector: made, inbox } = connector(t, server);
  await made.connect(inbox);
  await until(() => inbox.log.length === 2);
  const body = recorded.answer.replace("}", ',"n":2512292042121000001.00}');
  const sent = made.send(inbox.due(body));
  await until(() => server.peers[0].received.length === 1);
  assert.deepEqual([server.peers[0].received, inbox.of("receive")], [[body], recorded.before]);
  for (const text of recorded.after) server.peers[0].send(text);
  await sent;
  await until(() => inbox.of("receive").length === 6);
  assert.deepEqual(inbox.log.slice(2, 4), [["delivered", "outbound-1"], ["receive", recorded.after[0]]]);
});

test("what arrives while history loads waits for its place", async (t) => {
  let open;
  const server = await backend(t, { "GET /history": (exchange) => (open = exchange) });
  const { connector: made, inbox } = connector(t, server, { history: `${server.url}/history`, url: server.url });
  const connecting = made.connect(inbox);
  await until(() => open);
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(inbox.log, []);
  open.json(recorded.log);
  await connecting;
  await until(() => inbox.log.length === 3);
  assert.deepEqual(inbox.log, [["restore", recorded.log], ...recorded.before.map((text) => ["receive", text])]);
});

test("r43_what_arrives_while_a_file_of_the_package_cannot_be_had_is_read_once_it_can_be_and_until_then_the_connection_is_lost", async (t) => {
  const [first] = recorded.before;
  const server = await backend(t, {}, () => {});
  const { connector: made, inbox, clock } = connector(t, server, { retry: { baseMs: 100 } });
  await made.connect(inbox);
  const receive = inbox.receive.bind(inbox);
  inbox.receive = () => {
    throw Object.assign(new Error("the part `haystack` could not be loaded"), { code: "part-missing" });
  };
  server.peers[0].send(first);
  await until(() => made.state === "waiting");
  assert.deepEqual([made.error.code, inbox.of("receive")], ["unreachable", []]);
  assert.match(made.error.message, /haystack/);
  // A connection over which nothing can be read is none, though it opens.
  const states = new Set();
  made.subscribe(() => states.add(made.state));
  clock.advance(100);
  await until(() => server.peers.length === 2 && made.state === "waiting");
  assert.deepEqual([...states], ["connecting", "waiting"]);
  inbox.receive = receive;
  clock.advance(1000);
  await until(() => made.state === "live");
  assert.deepEqual(inbox.of("receive"), [first]);
});

test("a lost socket is opened again with a fresh address, and the gap is read", async (t) => {
  let log = "[]";
  const server = await backend(t, { "GET /history": (exchange) => exchange.json(log) });
  let tickets = 0;
  const url = async () => `${server.url}/ws/c7?ticket=${(tickets += 1)}`;
  const { connector: made, inbox, clock } = connector(t, server, { history: `${server.url}/history`, url, protocols: () => ["countersign", `token.${tickets}`], retry: { baseMs: 100 } });
  await made.connect(inbox);
  log = recorded.log;
  server.peers[0].cut();
  await until(() => made.state === "waiting");
  assert.deepEqual([clock.waits, made.error.code], [[100], "unreachable"]);
  clock.advance(100);
  await until(() => made.state === "live" && server.peers.length === 2);
  assert.deepEqual(server.peers.map(({ request }) => request.url), ["/ws/c7?ticket=1", "/ws/c7?ticket=2"]);
  assert.deepEqual(server.peers.map(({ request }) => request.headers["sec-websocket-protocol"]), ["countersign, token.1", "countersign, token.2"]);
  assert.deepEqual([inbox.of("restore"), inbox.of("receive").includes(recorded.log)], [["[]"], true]);
});

test("a backend that hangs up at once is tried ever later", async (t) => {
  const server = await backend(t, {}, (peer) => setTimeout(() => peer.close(1011, "busy"), 5));
  const { connector: made, inbox, clock } = connector(t, server, { retry: { baseMs: 100, maxMs: 400 } });
  made.connect(inbox).catch(() => undefined);
  const waits = [];
  for (let round = 1; round <= 4; round += 1) {
    await until(() => server.peers.length === round && made.state === "waiting" && clock.waits.length === 1);
    waits.push(...clock.waits);
    clock.advance(clock.waits[0]);
  }
  assert.deepEqual(waits, [100, 200, 400, 400]);
});

test("a socket whose history cannot be read waits before it is opened again", async (t) => {
  const server = await backend(t, { "GET /history": (exchange) => exchange.json("{}", 503) });
  const { connector: made, inbox, clock } = connector(t, server, { history: `${server.url}/history`, retry: { baseMs: 100 } });
  made.connect(inbox).catch(() => undefined);
  await until(() => made.state === "waiting");
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.deepEqual([server.peers.length, made.state, clock.waits], [1, "waiting", [100]]);
});

for (const code of [1008, 4400, 4401, 4403, 4404]) {
  test(`a backend that refuses is not asked again (${code})`, async (t) => {
    const server = await backend(t, {}, (peer) => setTimeout(() => peer.close(code, "wrong token"), 20));
    const { connector: made, inbox } = connector(t, server);
    await made.connect(inbox);
    await until(() => made.state === "failed");
    assert.deepEqual([made.error.message, made.error.code, server.peers.length], ["wrong token", "backend-error", 1]);
  });
}

for (const code of [1011, 4001, 4408, 4429, 4500]) {
  test(`a backend that cannot now is asked again (${code})`, async (t) => {
    const server = await backend(t, {}, (peer) => setTimeout(() => peer.close(code, "later"), 20));
    const { connector: made, inbox } = connector(t, server);
    await made.connect(inbox);
    await until(() => made.state === "waiting");
    assert.deepEqual([made.error.message, made.error.code], ["the connection was lost: later", "unreachable"]);
  });
}

test("without a connection nothing is sent, now or later", async (t) => {
  const server = await backend(t);
  const { connector: made, inbox, clock } = connector(t, server, { retry: { baseMs: 100 } });
  await made.connect(inbox);
  server.peers[0].cut();
  await until(() => made.state === "waiting");
  await made.send(inbox.due(recorded.answer));
  assert.deepEqual(inbox.of("failed"), [["outbound-1", { status: 412, message: "the connection is closed: nothing was sent" }]]);
  clock.advance(100);
  await until(() => made.state === "live");
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.deepEqual(server.peers.flatMap(({ received }) => received), []);
});

test("a message that did not leave before the connection was lost has failed", async (t) => {
  const server = await backend(t);
  const made = [];
  class Stuck extends TestSocket {
    constructor(address) {
      super(address);
      made.push(this);
    }
    send() {
      this.bufferedAmount = 1;
    }
  }
  const { connector: link, inbox, clock } = connector(t, server, { WebSocket: Stuck });
  await link.connect(inbox);
  const sent = link.send(inbox.due(recorded.answer));
  await until(() => clock.waits.includes(20));
  made[0].cut();
  await until(() => link.state === "waiting");
  clock.advance(20);
  await sent;
  assert.deepEqual(inbox.of("failed"), [["outbound-1", { message: "the connection was lost" }]]);
});

test("a message that does not leave within a minute keeps nothing back: the socket is closed, and the next message leaves by another", async (t) => {
  const server = await backend(t);
  const made = [];
  // As where the other end has gone without a word: nothing leaves, and no close is heard of either.
  class Stuck extends TestSocket {
    constructor(address) {
      super(address);
      made.push(this);
    }
    send(text) {
      if (made.length > 1) return super.send(text);
      this.bufferedAmount = 1;
    }
    close() {
      if (made.length > 1) return super.close();
      this.readyState = 2;
    }
  }
  const { connector: link, inbox, clock } = connector(t, server, { WebSocket: Stuck, retry: { baseMs: 100 } });
  await link.connect(inbox);
  const states = [];
  link.subscribe(() => states.push(link.state));
  const [first, second, third] = [inbox.due(recorded.answer), inbox.due(recorded.answer), inbox.due(recorded.answer)];
  const sent = link.send(first);
  const next = link.send(second);
  for (let waited = 0; waited < 59_980; waited += 20) {
    await until(() => clock.waits.includes(20));
    clock.advance(20);
  }
  await until(() => clock.waits.includes(20));
  assert.deepEqual([inbox.of("failed"), link.state], [[], "live"]);
  clock.advance(20);
  await Promise.all([sent, next]);
  const words = "the connection was lost: the message did not leave within 60000 ms and may have arrived all the same";
  assert.deepEqual(inbox.of("failed"), [[first.id, { message: words }], [second.id, { status: 412, message: "the connection is closed: nothing was sent" }]]);
  // What became of it is asked at once.
  await until(() => link.state === "live" && server.peers.length === 2);
  assert.deepEqual([states, made[0].readyState], [["waiting", "connecting", "live"], 2]);
  server.peers[1].onmessage = () => server.peers[1].send(recorded.after[0]);
  await link.send(third);
  assert.deepEqual(inbox.of("delivered"), [third.id]);
});

// An answer that the machine has handed on is lost with a process that dies, or with a connection that nobody knows to be broken.
test("r10_lost: over a socket a decision is delivered once the backend has said something of it", async (t) => {
  const other = recorded.after[0].replace(/"id":"[^"]*"/, '"id":"another"');
  for (const says of [recorded.before[1], other, '{"type":"run_finished","messages":[]}']) {
    const server = await backend(t);
    const { connector: link, inbox } = connector(t, server);
    await link.connect(inbox);
    const outbound = inbox.due(recorded.answer);
    const sent = link.send(outbound);
    await until(() => server.peers[0].received.length === 1);
    server.peers[0].send(says);
    await until(() => inbox.of("receive").includes(says));
    assert.deepEqual([inbox.of("delivered"), inbox.of("failed")], [[], []]);
    server.peers[0].cut();
    await sent;
    assert.deepEqual([inbox.of("delivered"), inbox.of("failed")], [[], [[outbound.id, { message: "the connection was lost" }]]], says);
  }
});

test("r10_lost: what runs after a decision says that it was heard", async (t) => {
  const server = await backend(t, {}, () => {});
  const { connector: link, inbox } = connector(t, server);
  await link.connect(inbox);
  const sent = link.send(inbox.due('{"type":"approval_response","id":"f1","outcome":"proceed_once"}'));
  await until(() => server.peers[0].received.length === 1);
  const run = (name, id) => `{"name":"agent.tool_${name}","item":{"id":"random","data":{"id":"${id}"}},"type":"run_item_stream_event"}`;
  const permission = run("permission_request", "f1");
  server.peers[0].send(permission);
  await until(() => inbox.of("receive").includes(permission));
  assert.deepEqual(inbox.of("delivered"), []);
  server.peers[0].send(run("call_start", "f1"));
  await sent;
  assert.deepEqual(inbox.of("delivered"), ["outbound-1"]);
});

test("r10_lost: a backend that never answers has what left it when its socket is still open after a while, and the next one need not wait", async (t) => {
  const server = await backend(t, {}, () => {});
  const { connector: link, inbox, clock } = connector(t, server);
  await link.connect(inbox);
  const sent = [link.send(inbox.due(recorded.answer)), link.send(inbox.due(recorded.answer))];
  await until(() => server.peers[0].received.length === 2 && clock.waits.length === 2);
  assert.deepEqual([clock.waits, inbox.of("delivered")], [[5000, 5000], []]);
  clock.advance(5000);
  await Promise.all(sent);
  assert.deepEqual([inbox.of("delivered").length, clock.timers.size, link.state], [2, 0, "live"]);
});

test("r10_lost: what a backend that never answers seemed to have comes back to a person when its connection breaks, also where the next one is silent", async (t) => {
  for (const says of [undefined, recorded.after[1]]) {
    const server = await backend(t, {}, () => {});
    const { connector: link, inbox, clock } = connector(t, server, { retry: { baseMs: 100 } });
    await link.connect(inbox);
    const outbound = inbox.due(recorded.answer);
    const sent = link.send(outbound);
    await until(() => server.peers[0].received.length === 1 && clock.waits.length === 1);
    clock.advance(5000);
    await sent;
    assert.deepEqual(inbox.of("delivered"), [outbound.id]);
    if (says !== undefined) {
      server.peers[0].send(says);
      await until(() => inbox.of("receive").includes(says));
    }
    server.peers[0].cut();
    await until(() => link.state === "waiting");
    // What was answered has arrived, whatever becomes of the connection.
    const lost = says === undefined ? [[outbound.id, { message: "the connection was lost", late: true }]] : [];
    assert.deepEqual(inbox.of("failed"), lost);
    clock.advance(100);
    await until(() => link.state === "live");
    clock.advance(60_000);
    assert.deepEqual([inbox.of("failed"), server.peers[1].received], [lost, []]);
  }
});

test("of what counts as delivered and was never answered, the last hundred are remembered", async (t) => {
  const server = await backend(t, {}, () => {});
  const { connector: link, inbox, clock } = connector(t, server);
  await link.connect(inbox);
  const ids = [];
  for (let count = 1; count <= 102; count += 1) {
    const outbound = inbox.due(recorded.answer);
    const sent = link.send(outbound);
    await until(() => server.peers[0].received.length === count);
    await until(() => clock.timers.size > 0);
    clock.advance(5000);
    await sent;
    ids.push(outbound.id);
  }
  server.peers[0].cut();
  await until(() => link.state === "waiting");
  assert.deepEqual(inbox.of("failed").map(([id]) => id), ids.slice(2));
});

test("r10_lost: closing a connector loses nothing of what had left", async (t) => {
  const server = await backend(t, {}, () => {});
  const { connector: link, inbox, clock } = connector(t, server);
  await link.connect(inbox);
  const sent = link.send(inbox.due(recorded.answer));
  await until(() => server.peers[0].received.length === 1 && clock.waits.length === 1);
  clock.advance(5000);
  await sent;
  link.close();
  await until(() => server.peers[0].readyState === 3);
  assert.deepEqual([inbox.of("delivered").length, inbox.of("failed")], [1, []]);
});

test("r10_lost: a backend that answers and does not is left after a minute, and asked anew", async (t) => {
  const server = await backend(t);
  const { connector: link, inbox, clock } = connector(t, server, { retry: { baseMs: 100 } });
  await link.connect(inbox);
  await until(() => inbox.log.length === 2);
  const sent = link.send(inbox.due(recorded.answer));
  await until(() => clock.waits.length === 1);
  assert.deepEqual(clock.waits, [60_000]);
  clock.advance(60_000);
  await sent;
  const words = "the connection was lost: the message was not answered within 60000 ms and may have arrived all the same";
  assert.deepEqual(inbox.of("failed"), [["outbound-1", { message: words }]]);
  await until(() => link.state === "waiting");
  clock.advance(100);
  await until(() => server.peers.length === 2 && link.state === "live");
});

test("a ticket that nobody gives is waited for as long as a socket that does not open", async (t) => {
  const server = await backend(t);
  for (const option of ["url", "protocols"]) {
    let asked = 0;
    const never = () => ((asked += 1), new Promise(() => undefined));
    const { connector: link, inbox, clock } = connector(t, server, { [option]: never, timeoutMs: 300, retry: { baseMs: 100 } });
    const connecting = link.connect(inbox);
    await until(() => asked === 1);
    assert.deepEqual([link.state, clock.waits], ["connecting", [300]]);
    clock.advance(300);
    await until(() => link.state === "waiting");
    assert.deepEqual([link.error.code, link.error.message, clock.waits], ["unreachable", "the connection was lost: it did not open within 300 ms", [100]]);
    clock.advance(100);
    await until(() => asked === 2);
    link.close();
    await assert.rejects(connecting, { code: "closed" });
    await until(() => clock.timers.size === 0);
  }
});

test("closing closes the socket and leaves no timer", async (t) => {
  const server = await backend(t);
  const { connector: made, inbox, clock } = connector(t, server);
  await made.connect(inbox);
  made.close();
  await until(() => server.peers[0].readyState === 3);
  assert.deepEqual([made.state, clock.timers.size], ["closed", 0]);
});

test("a socket that does not open, and a host without sockets, are told", async (t) => {
  const server = await backend(t);
  class Silent extends TestSocket {
    attach() {}
  }
  const silent = connector(t, server, { WebSocket: Silent, timeoutMs: 50, retry: { attempts: 1 } });
  const connecting = silent.connector.connect(silent.inbox);
  await until(() => silent.clock.timers.size === 1);
  silent.clock.advance(50);
  await assert.rejects(connecting, { code: "unreachable" });
  if (typeof WebSocket === "undefined") {
    const none = connector(t, server, { WebSocket: undefined });
    await assert.rejects(none.connector.connect(none.inbox), { code: "options-invalid" });
  }
});

test("what belongs to other connectors is refused by name: the address says which conversation it is", () => {
  assert.throws(() => websocket({ url: "ws://127.0.0.1:9/ws", ids: { clientId: "c" } }), { code: "options-invalid", path: "/ids", message: /`websocket` has no `ids`/ });
});

test("r10_lost: when the network is back the socket is opened anew, and what no word was said of may be lost", async (t) => {
  const network = new EventTarget();
  const server = await backend(t, {}, () => {});
  const { connector: link, inbox, clock } = connector(t, server, { network, retry: { baseMs: 100 } });
  await link.connect(inbox);
  const [silent, late] = [inbox.due('{"id":"a"}'), inbox.due('{"id":"b"}')];
  const sent = link.send(silent);
  await until(() => server.peers[0].received.length === 1 && clock.waits.length === 1);
  clock.advance(5000);
  await sent;
  link.send(late);
  await until(() => server.peers[0].received.length === 2);
  network.dispatchEvent(new Event("online"));
  await until(() => link.state === "waiting" && inbox.of("failed").length === 2);
  const failed = new Map(inbox.of("failed"));
  assert.deepEqual([failed.get(silent.id), failed.get(late.id)], [{ message: "the connection was lost", late: true }, { message: "the connection was lost" }]);
  clock.advance(100);
  await until(() => server.peers.length === 2 && link.state === "live");
});

test("a socket that cannot be made is told of without its address and its subprotocols, in which a token may stand", async (t) => {
  class Picky {
    constructor(url, protocols) {
      throw new DOMException(`The URL '${url}' or the subprotocol '${protocols}' is invalid.`, "SyntaxError");
    }
  }
  const link = websocket({ url: "ws://127.0.0.1:9/?ticket=SECRET", protocols: ["SECRET/=="], WebSocket: Picky, retry: { attempts: 1 } });
  const error = await link.connect(new FakeInbox()).catch((thrown) => thrown);
  assert.deepEqual([error.code, error.message], ["unreachable", "no WebSocket can be made of this `url` and these `protocols` (SyntaxError)"]);
  assert.doesNotMatch(String(error.cause), /SECRET/);
});
