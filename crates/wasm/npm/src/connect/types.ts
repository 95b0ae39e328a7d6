import type { Message } from "../message.js";
import type { Outbound, Receipt, SendFailure } from "../options.js";
import type { RequestView } from "../types.js";
import type { ConnectorError } from "./failure.js";

/** What a connector needs of an inbox; the `Inbox` of either entry has it. */
export interface ConnectorInbox {
  receive(message: Message): Receipt;
  restore(history: Message): Receipt;
  requests(): readonly (Pick<RequestView, "request" | "status" | "outbound"> & Partial<Pick<RequestView, "key" | "id" | "changed" | "decision">>)[];
  delivered(outboundId: string): void;
  failed(outboundId: string, failure?: SendFailure): void;
}

/**
 * Where a connector stands.
 *
 * - `idle`: `connect` was not called yet.
 * - `connecting`: history is being read, or a lost connection is being made again.
 * - `live`: the inbox knows what the backend knows; what is new arrives.
 * - `waiting`: the backend could not be reached; it is tried again after a while.
 * - `failed`: the backend refused, or the attempts are used up; `refresh` begins anew.
 * - `closed`: `close` was called or the signal aborted; nothing is read any more, and only what was handed over still leaves.
 */
export type ConnectorState = "idle" | "connecting" | "live" | "waiting" | "failed" | "closed";

/** Keeps one inbox in step with one conversation of a backend. */
export interface Connector {
  /** Where it stands. */
  readonly state: ConnectorState;
  /** Why it is `waiting` or `failed`. */
  readonly error: ConnectorError | undefined;

  /**
   * Restores the inbox from history, then follows what happens.
   *
   * Resolves once history is in the inbox. What arrives while it is read comes after it. To connect the same inbox
   * again is to refresh it.
   * @throws {ConnectorError} when the backend refuses, the attempts are used up, or the connector is closed.
   */
  connect(inbox: ConnectorInbox): Promise<void>;

  /**
   * Sends a message that the inbox handed out, once, and tells the inbox what became of it.
   *
   * One message goes out after the other; none waits for more than a minute for an answer that says nothing. Resolves when its fate is known and the answer to it has been read; a failure
   * is told to the inbox and does not reject.
   * @throws {ConnectorError} with code `not-connected`; nothing was sent.
   */
  send(outbound: Outbound): Promise<void>;

  /**
   * Sends words of the person, where the protocol has a form for them: a {@link TextConnector} always has it. Resolves when the answer has been read.
   * @throws {ConnectorError} when they did not arrive.
   */
  sendText?(text: string): Promise<void>;

  /**
   * Reads the present state; a connector that waits or has failed tries again at once.
   * @throws {ConnectorError} when it cannot be read.
   */
  refresh(): Promise<void>;

  /**
   * Ends reading and following; it cannot be connected again. Messages that were handed over before still leave, and what became
   * of them is told to the inbox.
   */
  close(): void;

  /** Calls `listener` after every change of `state` until the function that it returns is called. */
  subscribe(listener: () => void): () => void;
}

/** A connector that also sends words of the person: those of `a2a`, `adk` and `langgraph`. */
export interface TextConnector extends Connector {
  sendText(text: string): Promise<void>;
}

/** HTTP headers, or a function that is asked before every request and may fetch a fresh token. */
export type HeadersSource = Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);

/** How a lost connection is made again: each wait is a random part of a limit that doubles from `baseMs` to `maxMs`. */
export interface Retry {
  /**
   * The limit of the first wait, in milliseconds.
   * @default 500
   */
  baseMs?: number | undefined;
  /**
   * The largest limit, in milliseconds.
   * @default 30000
   */
  maxMs?: number | undefined;
  /**
   * How many attempts in a row may fail.
   * @default Infinity
   */
  attempts?: number | undefined;
}

/** What a connector uses of its surroundings, for tests and unusual hosts. */
export interface Surroundings {
  /**
   * Sends a request.
   * @default globalThis.fetch
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * The present moment, in milliseconds.
   * @default Date.now
   */
  now?: (() => number) | undefined;
  /**
   * A number from 0 to 1, for the waits.
   * @default Math.random
   */
  random?: (() => number) | undefined;
  /** @default globalThis.setTimeout */
  setTimeout?: ((callback: () => void, milliseconds: number) => unknown) | undefined;
  /** @default globalThis.clearTimeout */
  clearTimeout?: ((timer: never) => void) | undefined;
  /**
   * Tells with an `online` event that the network is back, and with a `pageshow` event that a kept page is shown again.
   * @default globalThis, where it has events
   */
  network?: Pick<EventTarget, "addEventListener" | "removeEventListener"> | undefined;
}

/** Options of every connector. */
export interface ConnectorOptions extends Surroundings {
  /** Headers of every request. A browser's WebSocket has none. */
  headers?: HeadersSource | undefined;
  /** Ends everything at once when it aborts, also messages on their way. */
  signal?: AbortSignal | undefined;
  /** How a lost connection is made again. */
  retry?: Retry | undefined;
  /**
   * How long a reading request may take until it counts as lost, in milliseconds; over a WebSocket, how long until it is open.
   * Answers of the agent take their time.
   * @default 30000
   */
  timeoutMs?: number | undefined;
  /**
   * The header that carries the id of an outbound message, so that a backend can tell a repetition; `false` for none,
   * where the backend's CORS rules do not allow it.
   * @default "Idempotency-Key"
   */
  idempotencyHeader?: string | false | undefined;
  /**
   * Hears what the inbox was given and what it said to that, for a host that also draws the conversation.
   *
   * `message` is the exact text, or the bytes where they are no UTF-8.
   */
  onReceive?: ((message: string | Uint8Array, receipt: Receipt) => void) | undefined;
}

/** Options of the connectors that read by asking. */
export interface PollingOptions extends ConnectorOptions {
  /**
   * How often the state is read while nothing happens, also beside a stream that is silent, in milliseconds. Without it, what another client begins is seen only
   * after something was sent from here or the connection was lost.
   */
  pollMs?: number | undefined;
}
