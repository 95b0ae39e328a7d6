import { readAll, poll, throwError } from "./answer.js";
import type { Delivery } from "./delivery.js";
import { ConnectorError, lost } from "./failure.js";
import { below } from "./http.js";
import type { Payload } from "./intake.js";
import { isAnswer, isDocument, items, member, word } from "./json.js";
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
   * a request that is open no more, and of a call that was approved, is found in it.
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
  readonly pollMs: number;
  #options: RestOptions;
  #link: Link;
  /** What was missing in the list when it was read last. */
  #sought: string[] = [];
  /** Nothing stood at the log when it was read last. */
  #isLogDue = false;
  /** The calls that were approved and have no outcome, and how many lists were read since these are so. */
  #running = "";
  #lists = 0;
  /** Resolves when the answers to all rejections that left with the page are read. */
  #parting: Promise<unknown> = Promise.resolve();

  constructor(options: RestOptions, link: Link) {
    this.#options = options;
    this.#link = link;
    this.pollMs = options.pollMs ?? 2000;
  }

  async read(history: boolean): Promise<Payload[]> {
    for (;;) {
      const parting = this.#parting;
      await parting;
      const { payloads, gone } = await this.#state(history);
      // A list that was read while such a rejection was on its way may be from before it.
      if (parting !== this.#parting) continue;
      this.#sought = gone;
      return payloads;
    }
  }

  /** What is known, and what is gone from the list of what waits. */
  async #state(history: boolean): Promise<{ payloads: Payload[]; gone: string[] }> {
    const { history: log, detail } = this.#options;
    const isOutcomeDue = this.#isOutcomeDue();
    if (log !== undefined && (history || this.#isLogDue || isOutcomeDue)) return { payloads: await this.#all(log), gone: [] };
    const payloads = await this.#list();
    if (log === undefined && detail === undefined) return { payloads, gone: [] };
    const [list] = payloads;
    const ids = list === undefined ? [] : listed(list);
    const known = new Set(ids);
    const gone = ids ? this.#link.open().filter((id) => !known.has(id)) : [];
    // What became of a request that is not in the list any more the list cannot say. Where nobody knows it, the next list counts.
    const fresh = gone.filter((id) => !this.#sought.includes(id));
    if (fresh.length === 0) return { payloads, gone };
    return { payloads: log === undefined ? [...(await this.#details(fresh)), ...payloads] : await this.#all(log), gone };
  }

  /** Whether a call that was approved may have an outcome by now, which the log alone tells: asked with the 1st list, the 2nd, the 4th, the 8th. */
  #isOutcomeDue(): boolean {
    const running = this.#link.running().join("\n");
    this.#lists = running === this.#running ? this.#lists + 1 : 1;
    this.#running = running;
    return running !== "" && (this.#lists & (this.#lists - 1)) === 0;
  }

  /** The log, and a list from after it: a request goes by the list, for the answer goes back the way the request came. */
  async #all(log: string): Promise<Payload[]> {
    const known = await this.#get(log, (text) => text.length === 0 || isAnswer(text));
    this.#isLogDue = known[0]?.length === 0;
    const list = await this.#list();
    return [...known.map((text) => without(text, listed(list[0]) ?? [])), ...list];
  }

  async #details(ids: string[]): Promise<Payload[]> {
    const { detail = "" } = this.#options;
    const payloads: Payload[] = [];
    for (const id of ids) {
      const path = detail.replace("{id}", () => encodeURIComponent(id));
      const payload = await this.#link.http.read({ url: below(this.#options.url, path), fits: () => true });
      if (payload !== undefined) payloads.push(payload);
    }
    return payloads;
  }

  #list(): Promise<Payload[]> {
    const { pending = "/approvals/pending" } = this.#options;
    return this.#get(this.#own(pending));
  }

  /** What is there; nothing where the backend says in words of its own that it knows no such conversation. */
  async #get(path: string, fits?: (text: string) => boolean): Promise<Payload[]> {
    const payload = await this.#link.http.read({ url: below(this.#options.url, path), mustExist: true, fits });
    return payload === undefined ? [] : [payload];
  }

  live(): Promise<never> {
    return poll(this.#link, this.pollMs);
  }

  /** While an answer is on its way no list is read: it would not be known whether it was made before or after. */
  send(delivery: Delivery, way: Way): Promise<void> {
    if (!way.isParting) return this.#link.alone(() => this.#post(delivery, way));
    // It does not wait for a list that is being read, nor do others for the answer to it: the page may be gone by then.
    const sent = this.#post(delivery, way);
    this.#parting = Promise.allSettled([this.#parting, sent]);
    return sent;
  }

  async #post(delivery: Delivery, { isParting = false, leaves, free }: Way): Promise<void> {
    delivery.check();
    const { id, body, requestIds } = delivery.outbound;
    const { method, path, content } = request(body);
    const url = below(this.#options.url, path);
    const replies: Payload[] = [];
    const left = () => {
      leaves?.();
      if (isParting) free();
    };
    let isTaken = false;
    const call = { method, url, isParting, leaves: left, ...(content === undefined ? {} : { body: content }) };
    await readAll(this.#link.http.send(call, id), ({ data }) => {
      if (typeof data !== "string") return false;
      throwError(data);
      if (!isDocument(data)) return false;
      // An empty list would say that nothing waits any more, and a proxy's words say nothing of the message.
      if (WORDS.some((name) => member(data, name) !== undefined)) replies.push(data);
      isTaken ||= replies.length > 0 || member(data, "error") !== undefined;
      return false;
    });
    if (!isTaken && (await this.#asks(requestIds))) throw lost(undefined, "the answer does not say that the message was taken: it may have arrived all the same");
    delivery.delivered();
    for (const reply of replies) this.#link.receive(reply);
  }

  /** Whether the backend is not known to ask these no more. */
  async #asks(requestIds: string[]): Promise<boolean> {
    try {
      const [list] = await this.#link.http.look(() => this.#list());
      const ids = listed(list);
      return !ids || requestIds.some((id) => ids.includes(id));
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

/** The ids of what waits; nothing where this is no list of it. What stands in arguments is the agent's. */
function listed(list: Payload | undefined): string[] | undefined {
  try {
    const all = JSON.parse(String(list)) as object;
    const entries = Object.values(all) as { request_id?: unknown; id?: unknown }[];
    if (typeof all !== "object" || !entries.every((entry) => typeof entry === "object" && !Array.isArray(entry))) return undefined;
    if (!Array.isArray(all)) return Object.keys(all);
    const ids = entries.map(({ request_id, id }) => request_id ?? id);
    return ids.includes(undefined) ? undefined : ids.map(String);
  } catch {
    return undefined;
  }
}

/** A log without the requests of which only the list may tell: a rule would answer them on the way of the log at once. */
function without(log: Payload, ids: string[]): Payload {
  const all = items(String(log)).map((text) => ({ text, type: word(text, "type"), id: word(text, "id") ?? "" }));
  const waiting = new Set(ids);
  const settled = new Set(all.filter(({ type }) => type === "approval_resolved").map(({ id }) => id));
  const rest = all.filter(({ type, id }) => type !== "approval_request" || !waiting.has(id) || settled.has(id));
  return rest.length === all.length ? log : `[${rest.map(({ text }) => text).join(",")}]`;
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
