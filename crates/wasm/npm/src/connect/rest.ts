import { drain, poll, throwError } from "./answer.js";
import type { Delivery } from "./delivery.js";
import { ConnectorError, lost } from "./failure.js";
import { below } from "./http.js";
import type { Payload } from "./intake.js";
import { member, quote, word } from "./json.js";
import { Link, type Transport, type Way } from "./link.js";
import { required } from "./required.js";
import type { Connector, PollingOptions } from "./types.js";

/** Options of {@link rest}. */
export interface RestOptions extends PollingOptions {
  /** What the paths of requests begin with. */
  url: string | URL;
  ids?: {
    /** Whose requests are read; it goes into the query as `client_id`. */
    clientId?: string | undefined;
  } | undefined;
  /**
   * The path under which open requests are listed.
   * @default "/approvals/pending"
   */
  pending?: string | undefined;
  /**
   * The path under which everything that was sent is listed: settled requests are restored from it, and what became of
   * a request that is open no more is found in it.
   */
  history?: string | undefined;
  /**
   * The path under which one request is, with `{id}` for its id: where there is no `history`, what became of a request
   * that is open no more is asked there.
   */
  detail?: string | undefined;
  /**
   * How often the list is read, in milliseconds.
   * @default 2000
   */
  pollMs?: number | undefined;
}

/** What a backend's word about a message has one of. */
const WORDS = ["id", "request_id", "status", "action", "outcome"];

/** Connects an inbox to a backend that lists its open requests and takes answers as posts: Haystack, AdalFlow. */
export function rest(options: RestOptions): Connector {
  required("rest", options, { ids: 1, pending: 1, history: 1, detail: 1, pollMs: 1 }, { clientId: false });
  return new Link(options, (link) => new Rest(options, link));
}

class Rest implements Transport {
  #options: RestOptions;
  #link: Link;
  /** What was missing in the list when it was read last. */
  #sought: string[] = [];

  constructor(options: RestOptions, link: Link) {
    this.#options = options;
    this.#link = link;
  }

  async read(history: boolean): Promise<Payload[]> {
    const { pending = "/approvals/pending", history: log, detail } = this.#options;
    const list = () => this.#get(this.#own(pending));
    if (history && log !== undefined) return [...(await this.#get(log)), ...(await list())];
    const payloads = await list();
    if (log === undefined && detail === undefined) return payloads;
    const gone = this.#link.open().filter((id) => !String(payloads[0]).includes(quote(id)));
    // What became of a request that is not in the list any more the list cannot say. Where nobody knows it, the next list counts.
    const found = gone.every((id) => this.#sought.includes(id)) ? payloads : await this.#seek(gone, payloads);
    this.#sought = gone;
    return found;
  }

  async #seek(gone: string[], list: Payload[]): Promise<Payload[]> {
    const { history: log, detail = "" } = this.#options;
    if (log !== undefined) return this.#get(log);
    const payloads: Payload[] = [];
    for (const id of gone) {
      const path = detail.replace("{id}", () => encodeURIComponent(id));
      const payload = await this.#link.http.read({ url: below(this.#options.url, path) });
      if (payload !== undefined) payloads.push(payload);
    }
    return [...payloads, ...list];
  }

  /** What is there; nothing where the backend says in words of its own that it knows no such conversation. */
  async #get(path: string): Promise<Payload[]> {
    const payload = await this.#link.http.read({ url: below(this.#options.url, path), mustExist: true });
    return payload === undefined ? [] : [payload];
  }

  live(): Promise<never> {
    return poll(this.#link, this.#options.pollMs ?? 2000);
  }

  /** While an answer is on its way no list is read: it would not be known whether it was made before or after. */
  send(delivery: Delivery, { isParting = false, leaves }: Way): Promise<void> {
    return this.#link.alone(async () => {
      delivery.check();
      const { id, body, requestIds } = delivery.outbound;
      const { method, path, content } = request(body);
      const url = below(this.#options.url, path);
      const replies: Payload[] = [];
      let isTaken = false;
      const call = { method, url, isParting, ...(leaves ? { leaves } : {}), ...(content === undefined ? {} : { body: content }) };
      await drain(this.#link.http.send(call, id), ({ data }) => {
        if (typeof data !== "string") return false;
        throwError(data);
        // An empty list would say that nothing waits any more, and a proxy's words say nothing of the message.
        if (WORDS.some((name) => member(data, name) !== undefined)) replies.push(data);
        isTaken ||= replies.length > 0 || member(data, "error") !== undefined;
        return false;
      });
      if (!isTaken && (await this.#asks(requestIds))) throw lost(undefined, "the answer does not say that the message was taken: it may have arrived all the same");
      delivery.delivered();
      for (const reply of replies) this.#link.receive(reply);
    });
  }

  /** Whether the backend is not known to ask these no more. */
  async #asks(requestIds: string[]): Promise<boolean> {
    const { pending = "/approvals/pending" } = this.#options;
    try {
      const [list] = await this.#link.http.look(() => this.#get(this.#own(pending)));
      const entries: unknown[] = Object.values(JSON.parse(String(list)) as object);
      return !entries.every((entry) => typeof entry === "object") || requestIds.some((id) => String(list).includes(quote(id)));
    } catch {
      return true;
    }
  }

  #own(path: string): string {
    const clientId = this.#options.ids?.clientId;
    if (clientId === undefined) return path;
    return `${path}${path.includes("?") ? "&" : "?"}client_id=${encodeURIComponent(clientId)}`;
  }
}

/**
 * What to send where. The body is the exact text that stands in the message.
 *
 * @throws {ConnectorError} for a method that does not decide, and for a path that leads elsewhere: ids stand in it.
 */
function request(body: string): { method: string; path: string; content?: string } {
  const method = word(body, "method") ?? "";
  const path = word(body, "path") ?? "";
  const content = member(body, "body");
  const [way = ""] = path.split("?");
  const climbs = way.split("/").some((part) => /^(\.|%2e){1,2}$/i.test(part));
  const leadsElsewhere = !path.startsWith("/") || /[\\#\s]/.test(path) || climbs;
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(method) || leadsElsewhere) {
    throw new ConnectorError("backend-error", `\`${method} ${path}\` is no place for a decision: nothing was sent`);
  }
  return { method, path, ...(content === undefined ? {} : { content }) };
}
