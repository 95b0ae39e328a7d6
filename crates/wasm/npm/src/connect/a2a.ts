import {
  call,
  HITL,
  isAtRest,
  isEnd,
  isSettled,
  isWorking,
  messageOf,
  METHODS,
  NoTask,
  present,
  stateOf,
  tasks,
  transport,
  type Version,
} from "./a2a-wire.js";
import { readAll, throwError, unsaid } from "./answer.js";
import type { Delivery } from "./delivery.js";
import { ConnectorError, movedOn } from "./failure.js";
import { Follows } from "./follow.js";
import type { Payload } from "./intake.js";
import { has, isWhole, items, member, quote, word } from "./json.js";
import { Link, type Transport, type Way } from "./link.js";
import { required } from "./required.js";
import { uuid } from "./surroundings.js";
import type { PollingOptions, TextConnector } from "./types.js";

/** Options of {@link a2a}. */
export interface A2aOptions extends PollingOptions {
  /** Where the agent takes JSON-RPC calls. */
  url: string | URL;
  ids: {
    /** The conversation. */
    contextId: string;
    /** The task to begin with, where history is not listed. */
    taskId?: string | undefined;
  };
  /**
   * The version of the protocol in which tasks are read and words are sent. Decisions are sent in the version of their
   * request.
   * @default "0.3"
   */
  version?: "0.3" | "1.0" | undefined;
  /**
   * The extensions that are asked for on every call.
   * @default kagent's `hitl/v1` in 1.0, none in 0.3
   */
  extensions?: readonly string[] | undefined;
  /**
   * Where all tasks of the conversation are listed: for kagent `/api/sessions/<context id>/tasks`.
   * @default `ListTasks` in 1.0; in 0.3 the tasks whose ids are known
   */
  history?: string | URL | undefined;
  /**
   * Whether answers are streamed.
   * @default true
   */
  stream?: boolean | undefined;
}

/** The most tasks that a backend gives at once, and how often it is asked for more. */
const PAGE = 100;
const PAGES = 1000;
/** How many tasks are followed, and how many answers that have settled stay open: a browser has six connections to a server of HTTP/1.1, and a decision needs one. */
const FOLLOWED = 2;
/** How long an answer that has settled is still heard when nothing comes any more, in milliseconds. */
const LINGER = 3000;
/** What stands in a message that answers in kagent's words; inside of a text its quotes are escaped. */
const WORDS = '{"decision_type":';
/** How long an agent may work on an answer that is not streamed, in milliseconds. */
const PATIENCE = 600_000;

/** Connects an inbox to an A2A agent: kagent, or ADK with `to_a2a`. */
export function a2a(options: A2aOptions): TextConnector {
  required("a2a", options, { ids: 1, version: 1, extensions: 1, history: 1, stream: 1, pollMs: 1 }, { contextId: true, taskId: false }, ["url", "history"]);
  const { version = "0.3" } = options;
  if (!Object.hasOwn(METHODS, version)) throw new ConnectorError("options-invalid", '`version` is "0.3" or "1.0"', { path: "/version" });
  return new Link(options, (link) => new A2a(options, link)) as TextConnector;
}

class A2a implements Transport {
  readonly pollMs: number | undefined;
  #options: A2aOptions;
  #link: Link;
  #version: Version;
  /** The tasks that were seen, and since when the agent works on them. */
  #tasks = new Map<string, string | undefined>();
  /** Those of them that were read after they had ended: only what is rebuilt from history needs them again. */
  #over = new Set<string>();
  /** Whether words of the person may have begun a task of which nothing was heard yet. */
  #isUnsure = false;
  /** How many answers to messages of ours are being read. */
  #answers = 0;
  /** What ends the answers that have settled and that the agent leaves open, each with its task. */
  #settled = new Map<(isLater: boolean) => void, string | undefined>();

  constructor(options: A2aOptions, link: Link) {
    this.#options = options;
    this.#link = link;
    this.#version = options.version ?? "0.3";
    this.pollMs = options.pollMs;
    const { taskId } = options.ids;
    if (taskId !== undefined) this.#tasks.set(taskId, undefined);
  }

  async read(isHistory: boolean): Promise<Payload[]> {
    const { history } = this.#options;
    const wasUnsure = this.#isUnsure && this.#answers === 0;
    let payloads: Payload[];
    if (history !== undefined) payloads = await this.#fetched(history);
    else payloads = this.#version === "1.0" ? await this.#listed() : await this.#known(isHistory);
    if (wasUnsure) this.#isUnsure = false;
    const listed = new Set(payloads.flatMap((payload) => tasks(payload).map((task) => this.#note(task))));
    // Of what waits and is not listed any more the agent says by itself whether it knows it; some cannot be asked so.
    if (history !== undefined || this.#version === "1.0") {
      const missing = [...this.#tasks.keys()].filter((id) => !listed.has(id) && this.#link.waits(id));
      for (const id of missing) await this.#task(id, this.#version).catch(() => undefined);
    }
    return payloads;
  }

  async live(): Promise<never> {
    const link = this.#link;
    const { pollMs } = this;
    const follow = (id: string) => ({ ...this.#call(), body: call(METHODS[this.#version].follow, `{"id":${quote(id)}}`) });
    const follows = new Follows(link, follow, ({ data }) => isSettled(this.#hear(data)));
    try {
      for (let round = 0; ; ) {
        await link.read();
        link.ready();
        follows.renew();
        let isDue = false;
        while (!isDue) {
          const working = this.#working();
          const isAnswered = this.#answers > 0;
          if (!isAnswered) follows.only(working.slice(0, FOLLOWED));
          // What goes on elsewhere and is not followed is read again, each time later.
          const isKnown = isAnswered || working.every((id) => follows.has(id));
          if (isAnswered || working.length === 0 || follows.hasLasted()) round = 0;
          isDue = await follows.beside(() => (isKnown ? link.pace.idle(pollMs) : link.pace.wait(round, pollMs)));
          if (isDue && !isKnown) round += 1;
        }
      }
    } finally {
      follows.end();
    }
  }

  /** The tasks on which the agent works, the newest first. */
  #working(): string[] {
    const working = [...this.#tasks].filter(([, since]) => since !== undefined).reverse();
    return working.sort(([, one = ""], [, other = ""]) => Number(one < other) - Number(one > other)).map(([id]) => id);
  }

  async send(delivery: Delivery, way: Way): Promise<void> {
    const { outbound } = delivery;
    const { version = this.#version, taskId, extensions } = transport(outbound);
    const isWords = outbound.body.includes(WORDS);
    if (taskId !== undefined) await this.#check(taskId, version);
    if (isWords) await this.#checkOthers();
    delivery.check();
    delivery.checkAlone(({ id, status }) => status === "pending" && taskId !== undefined && id?.startsWith(`${taskId}/`) === true);
    if (isWords) this.#checkWords(delivery, taskId);
    await this.#message(version, outbound.body, outbound.id, extensions, () => delivery.delivered(), way);
  }

  sendText(text: string, taken: () => void, way: Way): Promise<void> {
    const id = uuid();
    const message = messageOf(this.#version, id, this.#options.ids.contextId, text);
    this.#isUnsure = true;
    const heard = () => {
      this.#isUnsure = false;
      taken();
    };
    return this.#message(this.#version, message, id, undefined, heard, way);
  }

  /** Sends a message, which goes out exactly as it is given, and hands over the answer. */
  async #message(
    version: Version,
    message: string,
    id: string,
    extensions: string[] | undefined,
    taken: () => void,
    { free, leaves, ...way }: Way,
  ): Promise<void> {
    const { stream = true } = this.#options;
    const { http, pace, platform } = this.#link;
    const body = call(METHODS[version][stream ? "stream" : "send"], `{"message":${message}}`, id);
    const abort = new AbortController();
    let cancel: (() => void) | undefined;
    const ended = () => {
      cancel?.();
      this.#settled.delete(end);
    };
    const end = (isLater = true) => {
      ended();
      abort.abort();
      // What the agent says later is in the state.
      if (isLater) pace.wake();
    };
    const sent = http.send(
      {
        ...this.#call(version, extensions),
        body,
        ...(stream ? {} : { patienceMs: PATIENCE }),
        ...way,
        signal: abort.signal,
        leaves: () => {
          // What comes of this task now comes in the answer to this message, which needs a connection.
          for (const [close, settled] of this.#settled) if (settled === task || this.#settled.size > FOLLOWED) close(settled !== task);
          leaves?.();
        },
      },
      id,
    );
    let task = word(message, "taskId");
    const isWords = task === undefined;
    let isEmpty = true;
    let isTaken = false;
    let isOver = false;
    let isResting = false;
    this.#answers += 1;
    try {
      isOver = await readAll(
        sent,
        ({ data }) => {
          isEmpty = false;
          const event = this.#hear(data, () => {
            isTaken = true;
            taken();
            // The agent may work on it for hours. What is for another task need not wait, and what is for this one is held against its state.
            free();
          });
          const state = stateOf(event);
          task = idOf(event) ?? task;
          isResting = state === undefined ? isResting || isSettled(event) : isAtRest(state);
          ended();
          // Left open it would take a connection from those of decisions.
          if (isResting) {
            this.#settled.set(end, task);
            cancel = platform.later(end, LINGER);
          }
          return isSettled(event);
        },
        ended,
      );
    } finally {
      this.#answers -= 1;
    }
    if (!isTaken) throw unsaid(isEmpty);
    // Words end what waits in another task, and nothing here says so.
    const isElsewhere = isWords && [...this.#tasks.keys()].some((id) => id !== task && this.#link.waits(id));
    // The agent works on, and the rest is read elsewhere; or on another task, which can be followed now.
    if (!isOver || isElsewhere) pace.wake();
    else pace.stir();
  }

  /** Words are taken for an answer to what the conversation asked last, whichever task they name: also what began while they waited for their turn. */
  #checkWords(delivery: Delivery, taskId: string | undefined): void {
    if (this.#isUnsure || this.#working().some((id) => id !== taskId)) throw movedOn("another task works, and may ask before this arrives");
    delivery.checkLast();
  }

  /** Reads what others may have begun meanwhile, another page or another client, where that is listed. */
  async #checkOthers(): Promise<void> {
    const { history } = this.#options;
    if (history === undefined) return;
    const payload = await this.#link.look(async () => (await this.#fetched(history))[0]);
    if (payload !== undefined) for (const task of tasks(payload)) this.#note(task);
  }

  /** Reads the task once more: an answer to a task that does not wait any more can run what nobody looked at. */
  async #check(taskId: string, version: Version): Promise<void> {
    const payload = await this.#link.look(() => this.#task(taskId, version));
    const [task] = payload === undefined ? [] : tasks(payload);
    if (task) this.#note(task);
    const state = task && stateOf(task);
    if (state !== "input-required") throw movedOn(`the task is ${state === undefined ? "not known any more" : `\`${state}\``}`);
  }

  /** The tasks as a list that the host named. */
  async #fetched(url: string | URL): Promise<Payload[]> {
    return present(await this.#link.http.read({ url: String(url), headers: this.#call().headers, mustExist: true }));
  }

  /** The tasks page by page. They come newest first, so the pages are put together and read as one. */
  async #listed(): Promise<Payload[]> {
    const pages: string[] = [];
    const context = `"contextId":${quote(this.#options.ids.contextId)},"pageSize":${PAGE},"includeArtifacts":true`;
    let token: string | undefined;
    do {
      const parameters: string = token ? `{${context},"pageToken":${quote(token)}}` : `{${context}}`;
      const [page] = present(await this.#ask(call("ListTasks", parameters), "1.0"));
      if (page === undefined) break;
      if (typeof page !== "string") return [page];
      pages.push(page);
      token = word(page, "result", "nextPageToken");
    } while (token && pages.length < PAGES);
    if (pages.length < 2) return pages;
    const all = pages.flatMap((page) => items(member(page, "result", "tasks") ?? ""));
    return [`{"tasks":[${all.join(",")}]}`];
  }

  /** The tasks of which only the ids are known. */
  async #known(isHistory: boolean): Promise<Payload[]> {
    const payloads: Payload[] = [];
    for (const id of this.#tasks.keys()) {
      if (!isHistory && this.#over.has(id)) continue;
      const payload = await this.#task(id, this.#version);
      if (payload === undefined) continue;
      payloads.push(payload);
      if (tasks(payload).some((task) => isEnd(stateOf(task))) && !this.#link.waits(id)) this.#over.add(id);
    }
    return payloads;
  }

  async #task(id: string, version: Version): Promise<Payload | undefined> {
    try {
      return present(await this.#ask(call(METHODS[version].get, `{"id":${quote(id)}}`), version))[0];
    } catch (error) {
      if (!(error instanceof NoTask)) throw error;
      // A task that was in the memory of an agent is gone with it. Others give that number another meaning.
      const isForgotten = /^task .*(not found|not exist)/i.test(error.message) && this.#link.forget(id, error.message);
      if (isForgotten) this.#tasks.delete(id);
      return undefined;
    }
  }

  #ask(body: string, version: Version): Promise<Payload | undefined> {
    return this.#link.http.read({ ...this.#call(version), body, mustExist: "always", fits: has("result", "error") });
  }

  #call(version = this.#version, more: readonly string[] = []): { url: string; headers: Record<string, string> } {
    const { url, extensions = this.#version === "1.0" ? [HITL] : [] } = this.#options;
    const wanted = [...new Set([...extensions, ...more])].join(", ");
    const headers: Record<string, string> = version === "1.0" ? { "A2A-Version": "1.0" } : {};
    if (wanted !== "") headers[version === "1.0" ? "A2A-Extensions" : "X-A2A-Extensions"] = wanted;
    return { url: String(url), headers };
  }

  /** Takes an event, and notes and gives what it says of its task. `taken` is called where only an agent that has the message can have said it. */
  #hear(data: Payload, taken?: () => void): string {
    if (typeof data === "string") {
      throwError(data);
      if (isWhole(data) && member(data, "result")?.startsWith("{")) taken?.();
    }
    this.#link.receive(data);
    const [event = ""] = tasks(data);
    const id = this.#note(event);
    if (id !== undefined) this.#over.delete(id);
    return event;
  }

  /** Notes what is said of a task, and gives its id. */
  #note(task: string): string | undefined {
    const id = idOf(task);
    const state = stateOf(task);
    if (id !== undefined && state !== undefined) this.#tasks.set(id, isWorking(state) ? (word(task, "status", "timestamp") ?? "") : undefined);
    return id;
  }
}

const idOf = (task: string): string | undefined => word(task, "taskId") ?? word(task, "id");
