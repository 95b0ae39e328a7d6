// What the tests of the connectors share: small servers, a clock that only moves when told, an inbox that writes down.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { connect as dial } from "node:net";

/** An HTTP server on 127.0.0.1; `routes` maps `"POST /path"`, without a query, or `other` to `(exchange) => …`. Its sockets open after so many milliseconds. */
export async function serve(t, routes, upgrade, opensAfter = 0) {
  const requests = [];
  const sockets = new Set();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (piece) => (body += piece));
    request.on("end", () => {
      const { method, url, headers } = request;
      const seen = { method, url, headers, body, at: requests.length };
      requests.push(seen);
      const route = routes[`${method} ${url.split("?")[0]}`] ?? routes.other;
      if (!route) return response.writeHead(404).end("{}");
      Promise.resolve(route(new Exchange(seen, response))).catch((error) => response.destroy(error));
    });
  });
  server.on("connection", (socket) => sockets.add(socket.on("close", () => sockets.delete(socket))));
  if (upgrade) {
    server.on("upgrade", async (request, socket) => {
      if (opensAfter > 0) await new Promise((resolve) => setTimeout(resolve, opensAfter));
      upgrade(accept(request, socket), request);
    });
  }
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  };
  t.after(close);
  const url = `http://127.0.0.1:${server.address().port}`;
  return { url, requests, sockets, close, of: (method) => requests.filter((request) => request.body.includes(`"method":"${method}"`)) };
}

/** A request and the ways to answer it. */
export class Exchange {
  constructor(request, response) {
    Object.assign(this, request);
    this.response = response;
  }

  json(text, status = 200) {
    this.response.writeHead(status, { "content-type": "application/json" }).end(text);
  }

  /** Begins a stream, sends these events (texts, or `[name, text]`), and leaves it open. */
  stream(events = []) {
    if (!this.response.headersSent) this.response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
    for (const event of events) {
      const [name, text] = Array.isArray(event) ? event : [undefined, event];
      this.response.write(`${name ? `event: ${name}\n` : ""}${text.replace(/^/gm, "data: ")}\n\n`);
    }
    return this;
  }

  end() {
    this.response.end();
  }

  /** The connection breaks. */
  cut() {
    setTimeout(() => this.response.destroy(), 20);
  }
}

const ENDED = { message: "the answer ended before it began" };
const SAYS_NOTHING = { message: "the answer does not say that the message was taken: it may have arrived all the same" };
const UNTYPED = { message: "a stream of events arrived without the content type `text/event-stream`, which a proxy may have dropped: the message may have arrived" };
/** Answers of something that ran nothing, or does not say so, each with what is told of the message. */
export const unsaid = [
  [(exchange) => exchange.stream([]).end(), ENDED],
  [({ response }) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": ping\n\n"), ENDED],
  [({ response }) => response.writeHead(204).end(), ENDED],
  [({ response }) => response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"error":"no mo'), ENDED],
  [(exchange) => exchange.stream(["x", '{"error":"no mo']).end(), SAYS_NOTHING],
  [({ response }) => response.writeHead(200, { "content-type": "text/plain" }).end("event: metadata\ndata: {}\n\n"), UNTYPED],
  [(exchange) => exchange.json('{"error":"boom"}'), { status: 200, message: "boom" }],
  [(exchange) => exchange.json('{"login":"required"}'), { status: 200, message: '{"login":"required"}' }],
  [({ response }) => response.end(Buffer.from([0xff])), { status: 200, message: "the backend answered with status 200 and no stream of events" }],
];

/** A clock that only moves when told; its options go into a connector. */
export class Clock {
  now = 1_000_000;
  timers = new Map();
  #next = 1;

  options = {
    timeoutMs: 1e9,
    now: () => this.now,
    random: () => 1,
    setTimeout: (callback, milliseconds) => {
      this.timers.set(this.#next, { at: this.now + milliseconds, callback, milliseconds });
      return this.#next++;
    },
    clearTimeout: (timer) => this.timers.delete(timer),
  };

  /** The waits that are being waited for, shortest first; how long requests may take is none. */
  get waits() {
    return this.#waits(() => true);
  }

  /** Those of the waits that are none for a stream to say something. */
  get rests() {
    return this.#waits(({ milliseconds }) => milliseconds !== 60_000);
  }

  #waits(counts) {
    const all = [...this.timers.values()].filter(counts).map(({ at }) => at - this.now).sort((one, other) => one - other);
    return all.filter((wait) => wait < 1e8);
  }

  advance(milliseconds) {
    this.now += milliseconds;
    for (const [id, { at, callback }] of [...this.timers]) if (at <= this.now && this.timers.delete(id)) callback();
  }
}

/** Writes down what it is told. `due(body)` is a message that waits to be sent. */
export class FakeInbox {
  log = [];
  cards = [];
  #next = 1;

  receive(message) {
    this.log.push(["receive", message]);
    return { changed: [], hidden: [], problems: [] };
  }
  restore(message) {
    this.log.push(["restore", message]);
    return { changed: [], hidden: [], problems: [] };
  }
  requests() {
    return this.cards;
  }
  delivered(id) {
    this.#settle(id, "delivered", "sent");
    this.log.push(["delivered", id]);
  }
  failed(id, failure) {
    if (failure.late !== true) this.#settle(id, "failed", "drafted");
    this.log.push(["failed", id, failure]);
  }
  due(body, transport = {}) {
    const id = `outbound-${this.#next++}`;
    this.cards.push({ status: "sending", outbound: { id, state: "sending" } });
    return { id, adapter: "fake", requestIds: ["r"], body, transport };
  }
  #settle(id, state, status) {
    const card = this.cards.find(({ outbound }) => outbound.id === id);
    if (card?.outbound.state !== "sending") throw new Error("unknown-outbound");
    Object.assign(card, { status, outbound: { id, state } });
  }
  /** What was told of one kind. */
  of(kind) {
    return this.log.filter(([name]) => name === kind).map(([, ...rest]) => (rest.length === 1 ? rest[0] : rest));
  }
}

/** Resolves when `holds` does; fails after a few seconds. */
export async function until(holds, what = String(holds)) {
  for (let round = 0; round < 1000; round += 1) {
    const found = await holds();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`this never held: ${what}`);
}

/** One side of a WebSocket over a TCP socket: text frames, close, ping. */
class Peer {
  readyState = 0;
  bufferedAmount = 0;
  binaryType = "blob";
  onopen = this.onmessage = this.onerror = this.onclose = null;
  received = [];
  #masks;
  #rest = Buffer.alloc(0);

  constructor(masks) {
    this.#masks = masks;
  }

  attach(socket, head = Buffer.alloc(0)) {
    this.socket = socket;
    this.readyState = 1;
    socket.on("data", (piece) => this.#read(piece));
    socket.on("error", () => undefined);
    socket.on("close", () => this.#ended(1006, ""));
    queueMicrotask(() => {
      this.onopen?.({});
      if (head.length > 0) this.#read(head);
    });
  }

  send(data) {
    if (this.readyState !== 1) throw new Error("the socket is not open");
    this.#write(1, Buffer.from(data));
  }

  close(code = 1000, reason = "") {
    if (this.readyState >= 2) return;
    if (this.readyState === 1) {
      this.readyState = 2;
      const data = Buffer.alloc(2 + Buffer.byteLength(reason));
      data.writeUInt16BE(code);
      data.write(reason, 2);
      this.#write(8, data);
    }
    this.socket?.end();
  }

  /** The connection breaks. */
  cut() {
    this.socket.destroy();
  }

  #write(code, data) {
    const length = data.length < 126 ? Buffer.from([data.length]) : Buffer.from([126, data.length >> 8, data.length & 255]);
    if (this.#masks) length[0] |= 128;
    // A mask of zeros masks nothing and is allowed.
    this.socket.write(Buffer.concat([Buffer.from([128 | code]), length, Buffer.alloc(this.#masks ? 4 : 0), data]));
  }

  #read(piece) {
    this.#rest = Buffer.concat([this.#rest, piece]);
    for (;;) {
      const { length: size } = this.#rest;
      if (size < 2) return;
      const isMasked = (this.#rest[1] & 128) !== 0;
      const kind = this.#rest[1] & 127;
      let [length, at] = [kind, 2];
      if (kind === 126) [length, at] = [size < 4 ? Infinity : this.#rest.readUInt16BE(2), 4];
      if (kind === 127) [length, at] = [size < 10 ? Infinity : Number(this.#rest.readBigUInt64BE(2)), 10];
      const mask = isMasked ? this.#rest.subarray(at, at + 4) : undefined;
      if (isMasked) at += 4;
      if (size < at + length) return;
      const data = Buffer.from(this.#rest.subarray(at, at + length)).map((byte, place) => (mask ? byte ^ mask[place % 4] : byte));
      const code = this.#rest[0] & 15;
      this.#rest = this.#rest.subarray(at + length);
      if (code === 1) this.#heard(data.toString());
      if (code === 8) {
        this.#ended(data.length < 2 ? 1005 : data.readUInt16BE(0), data.subarray(2).toString());
        this.socket.end();
      }
    }
  }

  #heard(text) {
    this.received.push(text);
    this.onmessage?.({ data: text });
  }

  #ended(code, reason) {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.onclose?.({ code, reason });
  }
}

/** The server's side of a WebSocket. */
function accept(request, socket) {
  const key = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${key.digest("base64")}\r\n\r\n`);
  const peer = new Peer(false);
  peer.attach(socket);
  return peer;
}

/** A WebSocket for versions of Node that have none. */
export class TestSocket extends Peer {
  constructor(address, protocols = []) {
    super(true);
    const { hostname, port, pathname, search } = new URL(address);
    const socket = dial(Number(port), hostname);
    this.socket = socket;
    const failed = () => {
      this.readyState = 3;
      this.onerror?.({});
      this.onclose?.({ code: 1006, reason: "" });
    };
    socket.once("error", failed);
    socket.once("connect", () => {
      socket.write(
        `GET ${pathname}${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
          (protocols.length > 0 ? `Sec-WebSocket-Protocol: ${[protocols].flat().join(", ")}\r\n` : "") +
          `Sec-WebSocket-Key: ${Buffer.from("0123456789abcdef").toString("base64")}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
      );
    });
    socket.once("data", (piece) => {
      const end = piece.indexOf("\r\n\r\n");
      socket.off("error", failed);
      if (end < 0 || !piece.toString().startsWith("HTTP/1.1 101")) return failed();
      this.attach(socket, piece.subarray(end + 4));
    });
  }
}
