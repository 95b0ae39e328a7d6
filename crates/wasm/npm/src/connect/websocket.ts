import type { Delivery } from "./delivery.js";
import { End } from "./end.js";
import { closed, ConnectorError, lost } from "./failure.js";
import { decoded, unmarked } from "./events.js";
import type { Payload } from "./intake.js";
import { word } from "./json.js";
import { Link, type Transport, type Way } from "./link.js";
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
  protocols?: string | string[] | (() => string | string[] | Promise<string | string[]>) | undefined;
  /** Where everything that was sent can be read. Without it, the backend says what is open whenever a socket opens. */
  history?: string | URL | undefined;
  /**
   * Makes sockets.
   * @default globalThis.WebSocket, which Node has from version 22 on
   */
  WebSocket?: SocketMaker | undefined;
}

/** Makes a web socket. */
export type SocketMaker = new (url: string, protocols?: string | string[]) => SocketLike;

const OPEN = 1;
/** The backend closes because of a rule of its own, or as HTTP would with a status of 400 and more; it took too long (408) or too much (429) passes. */
const isRefused = (code: number): boolean => code === 1008 || (code >= 4400 && code < 4500 && code !== 4408 && code !== 4429);
/** How often is looked whether a message has left, in milliseconds. */
const LOOK = 20;
/** How long a message may take to leave, and then an answer to it where the backend answers, in milliseconds. */
const PATIENCE = 60_000;
/** How long a socket has to stay open behind a message that its backend may never answer, in milliseconds. */
const SILENCE = 5_000;

/** Of how many messages that count as delivered a word is still awaited. */
const SILENT = 100;

/** Connects an inbox to a backend that asks and hears over a WebSocket: Haystack, AdalFlow. */
export function websocket(options: WebSocketOptions): Connector {
  if ("ids" in Object(options)) throw invalid("ids", "`websocket` has no `ids`: its `url` says which conversation it is");
  required("websocket", options, { protocols: 1, history: 1, WebSocket: 1 }, {}, ["url", "history"]);
  return new Link(options, (link) => new Socket(options, link));
}

/** A message of which a word is awaited. */
interface Awaited {
  id: string | undefined;
  said: () => void;
  /** Waits no longer; where it counts as delivered already. */
  forget?: () => void;
}

class Socket implements Transport {
  #options: WebSocketOptions;
  #link: Link;
  #socket: SocketLike | undefined;
  /** The end of the connection. */
  #end: End | undefined;
  /** The ids of which something is awaited on this connection, each with whom it is told. */
  #awaited = new Set<Awaited>();
  /** Whether the backend is one that says what became of an answer. */
  #answers = false;

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
    const { url, protocols, timeoutMs = 30_000 } = this.#options;
    const end = new End();
    end.listen(() => link.pace.wake());
    // What was handed over before leaves first.
    const close = () => void link.sent().then(() => end.come(closed()));
    link.signal.addEventListener("abort", close);
    // For the functions of the host, too: one that waits for an answer may wait for ever.
    const cancel = link.platform.later(() => end.come(gone(`it did not open within ${timeoutMs} ms`)), timeoutMs);
    let socket: SocketLike | undefined;
    let release: (() => void) | undefined;
    // Where the network was away, an open socket may be silent for ever.
    const unfollow = link.http.follow(() => end.come(gone("")));
    try {
      const address = String(await end.unless(typeof url === "function" ? url() : url)).replace(/^http/, "ws");
      const wanted = await end.unless(typeof protocols === "function" ? protocols() : protocols);
      if (link.signal.aborted) throw closed();
      // The socket first, then history: what happens in between arrives, and waits for its place.
      socket = this.#make(address, wanted);
      release = link.hold();
      socket.onmessage = ({ data }: { data: unknown }) => this.#hear(payload(data));
      socket.onclose = ({ code, reason }: { code: number; reason: string }) => {
        end.come(isRefused(code) ? new ConnectorError("backend-error", reason || "the backend closed the connection") : gone(reason));
      };
      await end.unless(opened(socket));
      cancel();
      await end.unless(link.read());
      release();
      this.#socket = socket;
      this.#end = end;
      link.ready();
      for (;;) {
        await link.pace.idle();
        end.check();
        await end.unless(link.read());
      }
    } finally {
      cancel();
      unfollow();
      if (link.signal.aborted) await link.sent();
      end.come(gone(""));
      this.#socket = undefined;
      link.signal.removeEventListener("abort", close);
      release?.();
      if (socket) {
        socket.onmessage = null;
        // Its end is no news any more, and must not cut short the wait before the next attempt.
        socket.onclose = null;
        socket.close();
      }
    }
  }

  async send(delivery: Delivery, { leaves, free }: Way): Promise<void> {
    const { ended, platform } = this.#link;
    const socket = this.#socket;
    const over = this.#end;
    if (socket?.readyState !== OPEN || !over) throw lost(undefined, "the connection is closed: nothing was sent");
    delivery.check();
    let said!: () => void;
    let fail!: (error: ConnectorError) => void;
    const heard = new Promise<boolean>((resolve, reject) => {
      said = () => {
        delivery.delivered();
        resolve(true);
      };
      fail = reject;
    });
    heard.catch(() => undefined);
    const end = () => fail(closed());
    const unlisten = over.listen((error) => fail(error));
    const { body } = delivery.outbound;
    const awaited: Awaited = { id: word(body, "id"), said };
    let isSilent = false;
    let cancel: (() => void) | undefined;
    ended.addEventListener("abort", end);
    this.#awaited.add(awaited);
    try {
      socket.send(body);
      leaves?.();
      await Promise.race([heard, this.#left(socket)]);
      free();
      // Bytes that have left this machine may be lost behind it: only the backend can say that it has them.
      const isAnswered = this.#answers && awaited.id !== undefined;
      const silence = new Promise<boolean>((resolve) => {
        cancel = platform.later(() => resolve(false), isAnswered ? PATIENCE : SILENCE);
      });
      if (await Promise.race([heard, silence])) return;
      if (isAnswered) this.#hang(socket, `the message was not answered within ${PATIENCE} ms`);
      // It counts as delivered, and nothing is waited for. But a connection that breaks before a word on it may have been dead all the while.
      isSilent = true;
      this.#keepSilent(awaited, over, delivery);
    } finally {
      cancel?.();
      unlisten();
      ended.removeEventListener("abort", end);
      if (!isSilent) this.#awaited.delete(awaited);
    }
  }

  /** Keeps what counts as delivered until something is said of it, or the connection breaks; of many only the last. */
  #keepSilent(awaited: Awaited, over: End, delivery: Delivery): void {
    const unlisten = over.listen((error) => {
      if (this.#awaited.delete(awaited) && !this.#link.signal.aborted) delivery.lost(error);
    });
    awaited.forget = () => {
      this.#awaited.delete(awaited);
      unlisten();
    };
    awaited.said = awaited.forget;
    const [oldest, ...others] = [...this.#awaited].filter(({ forget }) => forget);
    if (others.length >= SILENT) oldest?.forget?.();
  }

  /** Resolves when nothing waits to leave. */
  async #left(socket: SocketLike): Promise<void> {
    const { ended, platform } = this.#link;
    const until = platform.now() + PATIENCE;
    while (socket.bufferedAmount > 0) {
      await new Promise<void>((resolve) => platform.later(resolve, LOOK));
      if (socket.readyState !== OPEN || ended.aborted) throw gone("");
      if (platform.now() >= until) this.#hang(socket, `the message did not leave within ${PATIENCE} ms`);
    }
  }

  /** What waits behind it would not arrive either; and what says that it is closed may never come. */
  #hang(socket: SocketLike, why: string): never {
    socket.close();
    const error = gone(`${why} and may have arrived all the same`);
    this.#end?.come(error);
    throw error;
  }

  /** Hands over what arrives, after those were told of whose messages it is. */
  #hear(data: Payload): void {
    const text = typeof data === "string" ? data : "";
    const type = word(text, "type") ?? "";
    // A request that is repeated, or told of anew, may have left before the answer to it came.
    const isAnswer = ["approval_resolved", "approval_error"].includes(type);
    const isRun = type === "run_item_stream_event" && ["agent.tool_call_start", "agent.tool_call_complete"].includes(word(text, "name") ?? "");
    this.#answers ||= isAnswer || type === "hello";
    const id = isAnswer ? word(text, "id") : isRun ? word(text, "item", "data", "id") : undefined;
    for (const awaited of this.#awaited) {
      if (id === undefined || awaited.id !== id) continue;
      this.#awaited.delete(awaited);
      awaited.said();
    }
    this.#link.receive(data);
  }

  #make(address: string, protocols: string | string[] | undefined): SocketLike {
    const Make = this.#options.WebSocket ?? (globalThis.WebSocket as SocketMaker | undefined);
    if (!Make) throw new ConnectorError("options-invalid", "there is no WebSocket here: give one as the option `WebSocket`");
    const socket = made(Make, address, protocols);
    socket.binaryType = "arraybuffer";
    return socket;
  }
}

function made(Make: SocketMaker, address: string, protocols: string | string[] | undefined): SocketLike {
  try {
    return new Make(address, protocols);
  } catch (thrown) {
    // The platform says it with the address or the subprotocol, in which a token may stand.
    const { name = "Error" } = Object(thrown) as { name?: string };
    throw lost(undefined, `no WebSocket can be made of this \`url\` and these \`protocols\` (${name})`);
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
  return data instanceof ArrayBuffer ? decoded(unmarked(new Uint8Array(data))) : "";
}
