import { ConnectorError, lost, refused } from "./failure.js";
import { EventReader, textOf, type StreamEvent } from "./events.js";
import type { Platform } from "./surroundings.js";
import type { ConnectorOptions } from "./types.js";

/** A request. */
export interface Call {
  method?: string;
  url: string;
  /** JSON text. */
  body?: string;
  headers?: Record<string, string>;
  /** The answer is one body, whatever it calls itself, and counts as lost when it is not there by then. */
  timeoutMs?: number;
}

/** Requests with the host's headers, which end when the connector does. */
export class Http {
  #options: ConnectorOptions;
  #platform: Platform;
  #signal: AbortSignal;

  constructor(options: ConnectorOptions, platform: Platform, signal: AbortSignal) {
    this.#options = options;
    this.#platform = platform;
    this.#signal = signal;
  }

  /** What is known of the whole answer; `undefined` where there is nothing (404). */
  async read(call: Call): Promise<string | Uint8Array | undefined> {
    try {
      let found: string | Uint8Array = "";
      for await (const { data } of this.#exchange({ ...call, timeoutMs: this.#options.timeoutMs ?? 30_000 })) found = data;
      return found;
    } catch (error) {
      if (error instanceof ConnectorError && error.status === 404) return undefined;
      throw error;
    }
  }

  /** Sends a message under its id and gives the events of the answer. */
  send(call: Call, id?: string): AsyncGenerator<StreamEvent> {
    const { idempotencyHeader = "Idempotency-Key" } = this.#options;
    const own: Record<string, string> = id === undefined || idempotencyHeader === false ? {} : { [idempotencyHeader]: id };
    return this.stream({ ...call, headers: { ...call.headers, ...own } });
  }

  /** The events of an answer, or its one body. An answer without a body has none. */
  stream(call: Call): AsyncGenerator<StreamEvent> {
    return this.#exchange(call);
  }

  async *#exchange(call: Call): AsyncGenerator<StreamEvent> {
    const abort = new AbortController();
    const end = () => abort.abort();
    const cancel = call.timeoutMs === undefined ? undefined : this.#platform.later(end, call.timeoutMs);
    this.#signal.addEventListener("abort", end);
    try {
      const response = await this.#fetch(call, abort.signal);
      const kind = response.headers.get("content-type") ?? "";
      if (cancel === undefined && kind.trimStart().toLowerCase().startsWith("text/event-stream")) {
        yield* events(response);
      } else {
        const bytes = new Uint8Array(await response.arrayBuffer());
        const data = textOf(bytes);
        // A development server answers so at every address that it does not know, and a proxy where nobody is logged in.
        if (/^\s*text\/html/i.test(kind) && /^\s*</.test(String(data))) throw refused(response.status, "and a web page, not with data", "");
        if (bytes.length > 0) yield { name: "message", data };
      }
    } catch (error) {
      if (error instanceof ConnectorError) throw error;
      if (this.#signal.aborted) throw new ConnectorError("closed", "the connector was closed before the backend had answered");
      if (abort.signal.aborted) throw lost(undefined, `the backend did not answer within ${call.timeoutMs} ms`);
      throw lost(error);
    } finally {
      cancel?.();
      this.#signal.removeEventListener("abort", end);
      abort.abort();
    }
  }

  async #fetch(call: Call, signal: AbortSignal): Promise<Response> {
    const { headers } = this.#options;
    const given = typeof headers === "function" ? await headers() : headers;
    signal.throwIfAborted();
    this.#signal.throwIfAborted();
    const { method = call.body === undefined ? "GET" : "POST", body } = call;
    const response = await this.#platform.fetch(call.url, {
      method,
      signal,
      cache: "no-store",
      headers: {
        accept: "text/event-stream, application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...call.headers,
        ...given,
      },
      ...(body === undefined ? {} : { body }),
    });
    if (response.ok) return response;
    throw refused(response.status, response.statusText, await response.text().catch(() => ""));
  }
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
  const url = head.replace(/\/+$/, "") + path;
  return query === "" ? url : `${url}${path.includes("?") ? "&" : "?"}${query}`;
}
