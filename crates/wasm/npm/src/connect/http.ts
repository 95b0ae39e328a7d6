import { ConnectorError, lost, NOWHERE, refused } from "./failure.js";
import { EventReader, decoded, unmarked, type StreamEvent } from "./events.js";
import { isAnswer, word } from "./json.js";
import type { Platform } from "./surroundings.js";
import type { ConnectorOptions } from "./types.js";

/** How long a message may be on its way until its answer begins, in milliseconds; after that nobody knows whether it arrived. */
export const PATIENCE = 60_000;
/** How long the answer to a message that ends with its connection is waited for until it begins, in milliseconds. */
const KEPT = 10 * PATIENCE;
/** How much a browser sends at once when the page is gone, in characters; with three bytes for each it is within 64 KiB. */
const PARTING = 20_000;
/** What each of these requests counts beside its body: a browser takes only so many of them. */
const EACH = 100;
/** The longest pause for which a backend is left alone because it says so, in milliseconds. */
const PAUSE = 300_000;

/** A request. */
export interface Call {
  method?: string;
  url: string;
  /** JSON text. */
  body?: string;
  headers?: Record<string, string>;
  /** The answer is one body, whatever it calls itself, and counts as lost when it is not there by then. */
  timeoutMs?: number;
  /** The answer counts as lost when by then neither its stream has begun nor its one body is there. */
  patienceMs?: number;
  /** It decides something: what the backend sends elsewhere is not sent. */
  decides?: boolean;
  /**
   * Every backend of this kind has this address: where there is none, the backend is elsewhere. With `"always"` nothing of a
   * conversation stands in it, so that no 404 is about one.
   */
  mustExist?: boolean | "always";
  /** Whether what is read can be what was asked for; by default anything whole, or nothing with status 204. */
  fits?: ((text: string) => boolean) | undefined;
  /** Hears in what words a backend says that it knows nothing there (404): the `detail` of its JSON, or its plain text. */
  unknown?: (words: string, isJson: boolean) => void;
  /** A backend ends the run when nobody reads its stream: it is not dropped, nor soon where a proxy may keep back its beginning. */
  isKept?: boolean;
  /** It leaves, too, when the page goes meanwhile. */
  isParting?: boolean;
  /** Is called right before it leaves. */
  leaves?: () => void;
  /** Is called when its stream has said nothing for a while, and each time again; also when it may have missed what was said. */
  quiet?: () => void;
  /** Ends it. */
  signal?: AbortSignal;
}

/** What is on its way of that. A browser refuses what is more at once, though the page is still there. */
let parting = 0;

/** Requests with the host's headers, which end when the connector does. */
export class Http {
  #options: ConnectorOptions;
  #platform: Platform;
  #closed: AbortSignal;
  #ended: AbortSignal;
  /** How many states are being looked at for messages. */
  #looks = 0;
  /** Where the backend sent what was read by a body. */
  #moved = new Map<string, string>();
  /** What is followed without an end, streams and those of answers once they have begun: what to do where one may be silent for ever. */
  #followed = new Set<() => void>();

  /** What reads ends when the connector is `closed`, what belongs to a message when it is `ended`. */
  constructor(options: ConnectorOptions, platform: Platform, closed: AbortSignal, ended: AbortSignal) {
    this.#options = options;
    this.#platform = platform;
    this.#closed = closed;
    this.#ended = ended;
  }

  /** What is read meanwhile belongs to a message. */
  async look<T>(ask: () => Promise<T>): Promise<T> {
    this.#looks += 1;
    try {
      return await ask();
    } finally {
      this.#looks -= 1;
    }
  }

  /** What is known of the whole answer; `undefined` where there is nothing (404). */
  async read(call: Call): Promise<string | Uint8Array | undefined> {
    try {
      let found: string | Uint8Array = "";
      for await (const { data } of this.#exchange({ ...call, timeoutMs: this.#options.timeoutMs ?? 30_000 })) found = data;
      return found;
    } catch (error) {
      const isUnknown = error instanceof ConnectorError && error.status === 404;
      if (isUnknown && call.mustExist !== "always" && !(call.mustExist && error.message === NOWHERE)) return undefined;
      throw error;
    }
  }

  /** Sends a message under its id and gives the events of the answer. */
  send(call: Call, id?: string): AsyncGenerator<StreamEvent> {
    const { idempotencyHeader = "Idempotency-Key" } = this.#options;
    const own: Record<string, string> = id === undefined || idempotencyHeader === false ? {} : { [idempotencyHeader]: id };
    return this.stream({ patienceMs: PATIENCE, ...call, headers: { ...call.headers, ...own }, decides: true });
  }

  /** The events of an answer, or its one body. An answer without a body has none. */
  stream(call: Call): AsyncGenerator<StreamEvent> {
    return this.#exchange(call);
  }

  /** Calls `drop`, too, when what is followed counts as lost, until the function that it returns is called. */
  follow(drop: () => void): () => void {
    this.#followed.add(drop);
    return () => this.#followed.delete(drop);
  }

  /** What is followed counts as lost: after a break of the network it may be silent for ever. */
  drop(): void {
    for (const drop of this.#followed) drop();
  }

  async *#exchange(call: Call): AsyncGenerator<StreamEvent> {
    const abort = new AbortController();
    const { timeoutMs, patienceMs, decides, isKept, quiet } = call;
    const over = decides || (timeoutMs !== undefined && this.#looks > 0) ? this.#ended : this.#closed;
    const end = () => abort.abort();
    const drop = isKept ? () => quiet?.() : end;
    if (!decides && timeoutMs === undefined) this.#followed.add(drop);
    const limit = timeoutMs ?? patienceMs;
    let waited = 0;
    let hasLeft = false;
    let isLate = false;
    const late = () => {
      waited += limit ?? 0;
      if (isKept && hasLeft && waited < KEPT) return silent();
      isLate = true;
      end();
    };
    let cancel: (() => void) | undefined;
    const later = (callback: (() => void) | undefined) => {
      cancel?.();
      cancel = callback && limit !== undefined ? this.#platform.later(callback, limit) : undefined;
    };
    later(late);
    const listen = () => later(quiet && silent);
    const silent = () => {
      if (stage === "asked") later(late);
      else if (!this.#closed.aborted) listen();
      quiet?.();
    };
    const leaves = () => {
      hasLeft = true;
      call.leaves?.();
    };
    let stage: "asked" | "begun" | "taken" = "asked";
    // Whoever has left hears no answer: it is enough that the message was taken.
    const leave = () => {
      if (stage === "taken") end();
      else if (stage === "begun") later(late);
    };
    over.addEventListener("abort", end);
    if (decides && !isKept) this.#closed.addEventListener("abort", leave);
    call.signal?.addEventListener("abort", end);
    try {
      over.throwIfAborted();
      const response = await this.#fetch({ ...call, leaves }, abort.signal);
      abort.signal.throwIfAborted();
      const kind = response.headers.get("content-type") ?? "";
      if (timeoutMs === undefined && kind.trimStart().toLowerCase().startsWith("text/event-stream")) {
        stage = "begun";
        if (isKept || !this.#closed.aborted) listen();
        this.#followed.add(drop);
        for await (const event of events(response)) {
          yield event;
          stage = "taken";
          listen();
          if (!isKept && this.#closed.aborted) return;
        }
      } else {
        const bytes = unmarked(new Uint8Array(await response.arrayBuffer()));
        const data = decoded(bytes);
        // A development server answers so at every address that it does not know, and a proxy where nobody is logged in.
        if (/^\s*text\/html/i.test(kind) && /^\s*</.test(String(data))) throw refused(response.status, "and a web page, not with data", "");
        this.#note(call, response, data);
        const { fits = (text) => response.status === 204 || isAnswer(text) } = call;
        // Nothing is known then: as a state it would say that nothing waits.
        if (timeoutMs !== undefined && !fits(typeof data === "string" ? data : new TextDecoder().decode(data))) {
          throw lost(undefined, "the answer was cut short, or is none of this backend's");
        }
        if (bytes.length > 0) yield { name: "", data };
      }
    } catch (error) {
      if (isLate || !abort.signal.aborted) this.#moved.delete(call.url);
      if (error instanceof ConnectorError) throw error;
      if (over.aborted) throw new ConnectorError("closed", "the connector was closed before the backend had answered");
      if (abort.signal.aborted) {
        if (isLate && !hasLeft) throw lost(undefined, `the page did not give its \`headers\` within ${limit} ms: nothing was sent`);
        const why = isLate ? `the backend did not answer within ${waited} ms` : "the connection was lost";
        throw lost(undefined, decides && hasLeft ? `${why}: the message may have arrived all the same` : why);
      }
      throw lost(error);
    } finally {
      cancel?.();
      this.#followed.delete(drop);
      over.removeEventListener("abort", end);
      this.#closed.removeEventListener("abort", leave);
      call.signal?.removeEventListener("abort", end);
      abort.abort();
    }
  }

  /**
   * Notes where the backend has sent a call, for decisions on what was read there. Another origin is not who was named, and only
   * an answer with the call's own id says that the call was sent on as it was, and not turned into a `GET`.
   */
  #note({ url, body = "" }: Call, response: Response, data: string | Uint8Array): void {
    const id = word(body, "id");
    if (!response.redirected || id === undefined || word(String(data), "id") !== id) return;
    const page = globalThis.document?.baseURI ?? globalThis.location?.href;
    if (new URL(url, page).origin === new URL(response.url).origin) this.#moved.set(url, response.url);
  }

  async #fetch(call: Call, signal: AbortSignal): Promise<Response> {
    const { headers } = this.#options;
    const given = typeof headers === "function" ? await unless(signal, headers()) : headers;
    // Of a `Headers` object nothing would be sent, of a text every letter.
    if (Symbol.iterator in Object(given)) throw new ConnectorError("options-invalid", "`headers` are an object, such as `{ authorization: \"…\" }`");
    signal.throwIfAborted();
    const { method = call.body === undefined ? "GET" : "POST", body, decides = false } = call;
    const size = (body ?? "").length + EACH;
    const outlives = call.isParting === true && parting + size <= PARTING;
    const init: RequestInit = {
      method,
      signal,
      cache: "no-store",
      // A decision that was sent on may arrive as a question, and looks delivered.
      redirect: decides ? "manual" : "follow",
      headers: merged(
        { accept: "text/event-stream, application/json", ...(body === undefined ? {} : { "content-type": "application/json" }) },
        call.headers,
        given,
      ),
      ...(body === undefined ? {} : { body }),
      ...(outlives ? { keepalive: true } : {}),
    };
    call.leaves?.();
    if (outlives) parting += size;
    let response: Response;
    try {
      response = await this.#platform.fetch(this.#moved.get(call.url) ?? call.url, init);
    } finally {
      if (outlives) parting -= size;
    }
    if (response.ok) return response;
    if (response.type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(response.status)) {
      throw new ConnectorError("backend-error", "the backend sends it to another address, where nothing was sent: name that one, or sign in again");
    }
    const pause = this.#pause(response.headers);
    const said = await response.text().catch(() => "");
    const [, kind] = /^\s*(application\/json|text\/plain)\b/i.exec(response.headers.get("content-type") ?? "") ?? [];
    if (response.status === 404 && kind !== undefined) {
      const isJson = kind.toLowerCase() === "application/json";
      call.unknown?.(isJson ? (word(said, "detail") ?? "") : said, isJson);
    }
    throw refused(response.status, response.statusText, said, pause);
  }

  /** How long the backend wants to be left alone: seconds, or a date by its own clock, which may not be that of the page. */
  #pause(headers: Headers): number {
    const given = headers.get("retry-after");
    const now = Date.parse(headers.get("date") ?? "") || this.#platform.now();
    const wait = Number(given) * 1000 || Date.parse(String(given)) - now;
    return Math.min(Math.max(wait || 0, 0), PAUSE);
  }
}

/** What a function of the host brings, unless it takes too long. */
function unless<T>(signal: AbortSignal, promise: T | Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error));
    Promise.resolve(promise).then(resolve, reject);
  });
}

/** Headers, of which later ones replace earlier ones, however they are spelled. */
function merged(...all: (Record<string, string> | undefined)[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of all.flatMap((some) => Object.entries(some ?? {}))) {
    if (typeof value !== "string") throw new ConnectorError("options-invalid", `the header \`${name}\` is no text`);
    // The platform would say it with the value, which may be a secret.
    if (/[\0\r\n]/.test(value)) throw new ConnectorError("options-invalid", `the header \`${name}\` has a line break in it`);
    headers.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(headers);
}

async function* events(response: Response): AsyncGenerator<StreamEvent> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const pieces = new EventReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* pieces.push(value);
    }
    yield* pieces.finish();
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** A path below an address; what the address asks for by query stays. */
export function below(address: string | URL, path: string): string {
  const [whole = ""] = String(address).split("#");
  const at = whole.indexOf("?");
  const head = at < 0 ? whole : whole.slice(0, at);
  const query = at < 0 ? "" : whole.slice(at + 1);
  const url = `${head.replace(/\/+$/, "")}/${path.replace(/^\//, "")}`;
  return query === "" ? url : `${url}${path.includes("?") ? "&" : "?"}${query}`;
}
