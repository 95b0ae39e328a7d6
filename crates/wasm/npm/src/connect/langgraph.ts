import { NOT_TAKEN } from "../error.js";
import { streamed } from "./answer.js";
import type { Delivery } from "./delivery.js";
import { ConnectorError, isRefusal, movedOn } from "./failure.js";
import type { StreamEvent } from "./events.js";
import { Follows } from "./follow.js";
import { below, type Call } from "./http.js";
import type { Payload } from "./intake.js";
import { has, isWhole, quote, word } from "./json.js";
import { Link, type Transport, type Way } from "./link.js";
import { required } from "./required.js";
import { uuid } from "./surroundings.js";
import type { PollingOptions, TextConnector } from "./types.js";

/** Options of {@link langgraph}. */
export interface LangGraphOptions extends PollingOptions {
  /** Where the agent server listens. */
  url: string | URL;
  ids: {
    threadId: string;
    /** The assistant, or the name of the graph. */
    assistantId: string;
  };
  /**
   * What runs report.
   * @default ["updates", "values"]
   */
  streamMode?: readonly string[] | undefined;
  /**
   * Whether runs report what happens inside subgraphs; without it, requests of sub-agents do not name their call.
   * @default true
   */
  subgraphs?: boolean | undefined;
  /**
   * How many checkpoints are read as history.
   * @default 100
   */
  historyLimit?: number | undefined;
  /** Further members of every run, such as `config`, `context` or `metadata`. */
  run?: Record<string, unknown> | undefined;
}

/** Connects an inbox to a LangGraph agent server. */
export function langgraph(options: LangGraphOptions): TextConnector {
  required("langgraph", options, { ids: 1, streamMode: 1, subgraphs: 1, historyLimit: 1, run: 1, pollMs: 1 }, { threadId: true, assistantId: true });
  return new Link(options, (link) => new LangGraph(options, link)) as TextConnector;
}

class LangGraph implements Transport {
  readonly pollMs: number | undefined;
  #options: LangGraphOptions;
  #link: Link;

  constructor(options: LangGraphOptions, link: Link) {
    this.#options = options;
    this.#link = link;
    this.pollMs = options.pollMs;
  }

  async read(history: boolean): Promise<Payload[]> {
    const payload = history ? await this.#history() : await this.#state();
    return payload === undefined ? [] : [payload];
  }

  async live(): Promise<never> {
    const link = this.#link;
    const { pollMs } = this;
    const stream = (run: string) => ({ url: this.#url(`/runs/${encodeURIComponent(run)}/stream`) });
    const follows = new Follows(link, stream, (event) => this.#take(event));
    try {
      let last: string | undefined;
      for (let round = 0; ; ) {
        await link.read();
        link.ready();
        follows.renew();
        let isDue = false;
        while (!isDue) {
          if (!follows.isOver && !link.busy) {
            const run = await this.#running();
            if (run !== last) round = 0;
            last = run;
            follows.only(run === undefined ? [] : [run]);
          }
          // At once the first time; a run that is listed but has nothing to tell is not asked ever faster.
          const again = () => {
            if (follows.hasLasted()) round = 0;
            return round++ === 0 || link.pace.wait(round, pollMs);
          };
          isDue = await follows.beside(() => (follows.isOver ? again() : link.pace.idle(pollMs)));
        }
      }
    } finally {
      follows.end();
    }
  }

  async send(delivery: Delivery, way: Way): Promise<void> {
    const { id, body, requestIds, transport } = delivery.outbound;
    // Where it names what it rejects; a page that goes hears no answer any more.
    if (!(way.isParting && keys(body))) await this.#check(delivery);
    delivery.check();
    // An interrupt that asks more by now, or something else, takes the answer all the same.
    const interrupts = requestIds.map(interruptOf);
    delivery.checkAlone(({ request, status }) => ["pending", "blocked"].includes(status) && request !== undefined && interrupts.includes(interruptOf(request)));
    const { metadata } = transport;
    const told = metadata ? { metadata: { ...Object(this.#options.run?.["metadata"]), ...Object(metadata) } } : {};
    await this.#run("command", body, { multitask_strategy: "reject", ...told }, id, () => delivery.delivered(), way);
  }

  sendText(text: string, taken: () => void, way: Way): Promise<void> {
    const input = `{"messages":[{"role":"user","content":${quote(text)}}]}`;
    return this.#run("input", input, { multitask_strategy: "reject", if_not_exists: "create" }, uuid(), taken, way);
  }

  /** Runs the graph with a member that goes out exactly as it is given, and reads the state afterwards. */
  async #run(
    name: "command" | "input",
    value: string,
    how: Record<string, unknown>,
    id: string,
    taken: () => void,
    { free: _free, ...way }: Way,
  ): Promise<void> {
    const { ids, streamMode = ["updates", "values"], subgraphs = true, run } = this.#options;
    const { command: _command, input: _input, ...rest } = run ?? {};
    const frame = JSON.stringify({
      ...rest,
      assistant_id: ids.assistantId,
      stream_mode: streamMode,
      stream_subgraphs: subgraphs,
      // A tool that was approved runs to its end, whether someone watches or not.
      on_disconnect: "continue",
      ...how,
    });
    const body = `${frame.slice(0, -1)},${quote(name)}:${value}}`;
    let hasBegun = false;
    await streamed(this.#link.http.send({ ...way, url: this.#url("/runs/stream"), body }, id), (event, isTaken) => {
      // A run that begins says so first. One that fails before that, for want of its graph or a store, has read nothing of this.
      if (!hasBegun && event.name === "error") throw notBegun(event.data);
      hasBegun = true;
      if (isTaken) taken();
      this.#take(event);
    });
    await this.#link.read().catch(() => this.#link.pace.chase());
    // The end of an answer need not be that of its run.
    this.#link.rested();
  }

  /** Reads the thread once more: an answer that is late reaches the next question, which nobody has seen. */
  async #check(delivery: Delivery): Promise<void> {
    let refusal: ConnectorError | undefined;
    await this.#link.look(async () => {
      const state = await this.#state();
      if (typeof state !== "string") refusal = movedOn("the thread is not there any more");
      else if (!waitsFor(state, delivery.outbound.body)) refusal = movedOn("the thread does not wait for this answer any more");
      // Before the inbox reads it: a thread that went on says nothing of an answer that has not left.
      if (refusal) delivery.failed(refusal);
      return state;
    });
    if (refusal) throw refusal;
  }

  /** Hands over an event with its name, which says what it is. */
  #take({ name, data }: StreamEvent): boolean {
    const isFramed = typeof data === "string" && isWhole(data);
    this.#link.receive(isFramed ? `{"event":${quote(name)},"data":${data}}` : data);
    return false;
  }

  /** The run that is under way, begun by this page before it was reloaded or by another client. */
  async #running(): Promise<string | undefined> {
    try {
      // By their status, for the server in JavaScript lists the oldest runs first; in this order, for a run may begin meanwhile.
      for (const status of ["pending", "running"]) {
        const runs = await this.#link.http.read({ url: this.#url(`/runs?limit=10&status=${status}`) });
        if (typeof runs !== "string") return undefined;
        const found: unknown = JSON.parse(runs);
        const list = Array.isArray(found) ? (found as ({ run_id?: string; status?: string } | null)[]) : [];
        const run = list.find((each) => each?.status === "running" || each?.status === "pending");
        if (run) return run.run_id;
      }
      return undefined;
    } catch (error) {
      // A server that does not list runs is read and not followed.
      if (error instanceof SyntaxError || isRefusal(error)) return undefined;
      throw error;
    }
  }

  #history(): Promise<Payload | undefined> {
    const { historyLimit = 100 } = this.#options;
    return this.#read({ url: this.#url("/history"), body: JSON.stringify({ limit: historyLimit }), mustExist: true, fits: isList });
  }

  #state(): Promise<Payload | undefined> {
    return this.#read({ url: this.#url("/state"), fits: has("values", "tasks") });
  }

  #read(call: Call): Promise<Payload | undefined> {
    const { threadId } = this.#options.ids;
    // The servers in Python and JavaScript name the thread, in one wording or another; the former says it as JSON.
    const unknown = (words: string) => {
      if (/^Thread .*\bnot found\b/.test(words) && words.includes(threadId)) this.#link.forget(threadId, words);
    };
    return this.#link.http.read({ ...call, unknown });
  }

  #url(path: string): string {
    return below(this.#options.url, `/threads/${encodeURIComponent(this.#options.ids.threadId)}${path}`);
  }
}

const isList = (text: string): boolean => /^\s*\[/.test(text) && isWhole(text);

/** Why a run has failed before it began. */
function notBegun(said: Payload): ConnectorError {
  const text = typeof said === "string" ? said : "";
  return new ConnectorError("backend-error", word(text, "message") ?? word(text, "error") ?? "the run failed before it began", { status: NOT_TAKEN });
}

/** Whether a thread waits for what this command answers. */
function waitsFor(state: string, body: string): boolean {
  const waiting = interrupts(state);
  const ids = keys(body);
  return ids ? ids.every((id) => waiting.includes(id)) : waiting.length === 1;
}

/** The ids of the interrupts that a command answers, where it names them. */
function keys(body: string): string[] | undefined {
  const { resume } = JSON.parse(body) as { resume?: unknown };
  const ids = typeof resume === "object" && resume !== null && !Array.isArray(resume) ? Object.keys(resume) : [];
  return ids.length > 0 && ids.every((id) => /^[0-9a-f]{32}$/.test(id)) ? ids : undefined;
}

/** The ids of the interrupts that wait in a state; one without an id counts as well. */
function interrupts(state: string): string[] {
  interface Task {
    interrupts?: { id?: unknown }[] | null;
    result?: unknown;
    error?: unknown;
  }
  const { tasks } = JSON.parse(state) as { tasks?: Task[] | null };
  // Before langgraph 1.2.20 a task that was answered and asks again has an empty result.
  const isAbsent = (value: unknown) => value === undefined || value === null || JSON.stringify(value) === "{}";
  const waiting = (tasks ?? []).filter(({ result, error }) => isAbsent(result) && isAbsent(error));
  return waiting.flatMap((task) => (task.interrupts ?? []).map(({ id }) => String(id)));
}

/** The interrupt that asks a request: one may ask several. */
const interruptOf = (request: string): string => request.replace(/\/\d+$/, "");
