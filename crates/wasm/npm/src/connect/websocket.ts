import type { Delivery } from "./delivery.js";
import { ConnectorError, lost } from "./failure.js";
import { textOf } from "./events.js";
import type { Payload } from "./intake.js";
import { Link, type Transport } from "./link.js";
import { invalid, required } from "./required.js";
import type { Connector, ConnectorOptions } from "./types.js";

/** What a connector needs of a WebSocket. */
export interface SocketLike {
  binaryType: string;
  readonly bufferedAmount: number;
  readonly readyState: number;
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  send(text: string): void;
  close(): void;
}

/** Options of {@link websocket}. */
export interface WebSocketOptions extends ConnectorOptions {
  /** Where to connect; a function is asked before every attempt, and may fetch a ticket, for sockets have no headers. */
  url: string | URL | (() => string | URL | Promise<string | URL>);
  /** The subprotocols that are asked for, in which some backends take a token; a function is asked before every attempt. */
  protocols?: string | string[] | (() => string | string[] | Promise<string | string[]>);
  /** Where everything that was sent can be read. Without it, the backend says what is open whenever a socket opens. */
  history?: string | URL;
  /**
   * Makes sockets.
   * @default globalThis.WebSocket, which Node has from version 22 on
   */
  WebSocket?: SocketMaker;
}

/** Makes a web socket. */
export type SocketMaker = new (url: string, protocols?: string | string[]) => SocketLike;

const OPEN = 1;
/** The backend closes because of a rule of its own. */
const POLICY = 1008;
/** How often is looked whether a message has left, in milliseconds, and how many times. */
const LOOK = 20;
const LOOKS = 3000;

/** Connects an inbox to a backend that asks and hears over a WebSocket: Haystack, AdalFlow. */
export function websocket(options: WebSocketOptions): Connector {
  required("websocket", options, [], ["url", "history"]);
  if ("ids" in options) throw invalid("ids", "`websocket` has no `ids`: its `url` says which conversation it is");
  return new Link(options, (link) => new Socket(options, link));
}

class Socket implements Transport {
  #options: WebSocketOptions;
  #link: Link;
  #socket: SocketLike | undefined;

  constructor(options: WebSocketOptions, link: Link) {
    this.#options = options;
    this.#link = link;
  }

  async read(): Promise<Payload[]> {
    const { history } = this.#options;
    const payload = history === undefined ? undefined : await this.#link.http.read({ url: String(history) });
    return payload === undefined ? [] : [payload];
  }

  async live(): Promise<never> {
    const link = this.#link;
    const { url, protocols } = this.#options;
    const address = String(typeof url === "function" ? await url() : url).replace(/^http/, "ws");
    const wanted = typeof protocols === "function" ? await protocols() : protocols;
    if (link.signal.aborted) throw lost(undefined);
    // The socket first, then history: what happens in between arrives, and waits for its place.
    const socket = this.#make(address, wanted);
    const release = link.hold();
    // What was handed over before leaves first.
    const end = () => void link.sent().then(() => socket.close());
    link.signal.addEventListener("abort", end);
    socket.onmessage = ({ data }: { data: unknown }) => link.receive(payload(data));
    let isOver = false;
    const { timeoutMs = 30_000 } = this.#options;
    let cancel: (() => void) | undefined;
    const ended = new Promise<never>((_, reject) => {
      cancel = link.platform.later(() => reject(gone(`it did not open within ${timeoutMs} ms`)), timeoutMs);
      socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
        if (code !== POLICY) reject(gone(reason));
        else reject(new ConnectorError("backend-error", reason || "the backend closed the connection"));
      };
    });
    ended.catch(() => {
      isOver = true;
      link.pace.wake();
    });
    try {
      await Promise.race([opened(socket), ended]);
      cancel?.();
      await Promise.race([link.read(), ended]);
      release();
      this.#socket = socket;
      link.ready();
      for (;;) {
        await link.pace.idle();
        if (isOver) await ended;
        await Promise.race([link.read(), ended]);
      }
    } finally {
      cancel?.();
      if (link.signal.aborted) await link.sent();
      this.#socket = undefined;
      link.signal.removeEventListener("abort", end);
      socket.onmessage = null;
      // Its end is no news any more, and must not cut short the wait before the next attempt.
      socket.onclose = null;
      release();
      socket.close();
    }
  }

  async send(delivery: Delivery): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== OPEN) throw lost(undefined, "the connection is closed: nothing was sent");
    delivery.check();
    socket.send(delivery.outbound.body);
    for (let looks = 0; socket.bufferedAmount > 0; looks += 1) {
      await new Promise<void>((resolve) => this.#link.platform.later(resolve, LOOK));
      if (socket.readyState !== OPEN || this.#link.ended.aborted || looks > LOOKS) throw gone("");
    }
  }

  #make(address: string, protocols: string | string[] | undefined): SocketLike {
    const Make = this.#options.WebSocket ?? (globalThis.WebSocket as SocketMaker | undefined);
    if (!Make) throw new ConnectorError("options-invalid", "there is no WebSocket here: give one as the option `WebSocket`");
    const socket = new Make(address, protocols);
    socket.binaryType = "arraybuffer";
    return socket;
  }
}

function opened(socket: SocketLike): Promise<void> {
  return new Promise((resolve) => {
    // The reason of an error is in the `close` event that follows it.
    socket.onerror = () => undefined;
    socket.onopen = () => resolve();
  });
}

function gone(reason: string): ConnectorError {
  return lost(undefined, reason === "" ? "the connection was lost" : `the connection was lost: ${reason}`);
}

function payload(data: unknown): Payload {
  if (typeof data === "string") return data;
  return data instanceof ArrayBuffer ? textOf(new Uint8Array(data)) : "";
}
