import { streamed } from "./answer.js";
import type { Delivery } from "./delivery.js";
import { ConnectorError, movedOn } from "./failure.js";
import { below } from "./http.js";
import type { Payload } from "./intake.js";
import { has, isDocument, member, quote, word } from "./json.js";
import { Link, type Transport, type Way } from "./link.js";
import { required } from "./required.js";
import { uuid } from "./surroundings.js";
import type { PollingOptions, TextConnector } from "./types.js";

/** Options of {@link adk}. */
export interface AdkOptions extends PollingOptions {
  /** Where `adk api_server` or `adk web` listens. */
  url: string | URL;
  ids: { appName: string; userId: string; sessionId: string };
  /**
   * Whether the model's words arrive piece by piece.
   * @default false
   */
  streaming?: boolean | undefined;
}

/** The call by which ADK asks, and the name of the answer to it. */
const CONFIRMATION = "adk_request_confirmation";

/** What ADK says of a session that it does not know; some versions name it. */
const UNKNOWN = "Session not found";

/** Why an answer does not leave that may when it is sent again. */
const BESIDE = "the agent works on another answer of this run, and could run its call again; send this one when that has ended, or after a minute if it broke off";

/** How long it is kept back, in milliseconds. */
const AGAIN = 60_000;

/** How often a session is read while its agent seems to work: for nearly four hours. */
const LOOKS = 450;

/** Connects an inbox to Google ADK's own REST interface. */
export function adk(options: AdkOptions): TextConnector {
  required("adk", options, { ids: 1, streaming: 1, pollMs: 1 }, { appName: true, userId: true, sessionId: true });
  return new Link(options, (link) => new Adk(options, link)) as TextConnector;
}

class Adk implements Transport {
  readonly pollMs: number | undefined;
  #options: AdkOptions;
  #link: Link;
  #isAtWork = false;
  /** When a message was first kept back. */
  #kept = new Map<string, number>();

  constructor(options: AdkOptions, link: Link) {
    this.#options = options;
    this.#link = link;
    this.pollMs = options.pollMs;
  }

  async read(): Promise<Payload[]> {
    const session = await this.#session();
    this.#isAtWork = typeof session === "string" && isAtWork(session);
    return session === undefined ? [] : [session];
  }

  /** A run cannot be joined: the session is read again while it lasts. */
  async live(): Promise<never> {
    const link = this.#link;
    const { pollMs } = this;
    for (let round = 0; ; ) {
      await link.read();
      link.ready();
      let isDue = false;
      while (!isDue) {
        if (!this.#isAtWork) round = 0;
        const isLookedAfter = this.#isAtWork && pollMs === undefined && !link.busy && round < LOOKS;
        isDue = await (isLookedAfter ? link.pace.wait(round++) : link.pace.idle(pollMs));
      }
    }
  }

  async send(delivery: Delivery, way: Way): Promise<void> {
    const { id, body, transport } = delivery.outbound;
    // It names what it rejects; a page that goes hears no answer any more.
    if (!way.isParting) await this.#check(id, body);
    delivery.check();
    await this.#run(body, id, () => delivery.delivered(), way, transport.customMetadata);
  }

  sendText(text: string, taken: () => void, way: Way): Promise<void> {
    return this.#run(`{"role":"user","parts":[{"text":${quote(text)}}]}`, uuid(), taken, way);
  }

  /** Runs the agent with a message, which goes out exactly as it is given. */
  async #run(message: string, id: string, taken: () => void, { free: _, ...way }: Way, customMetadata?: unknown): Promise<void> {
    const { appName, userId, sessionId } = this.#options.ids;
    const ids = `"appName":${quote(appName)},"userId":${quote(userId)},"sessionId":${quote(sessionId)}`;
    const further = customMetadata === undefined ? "" : `,"customMetadata":${JSON.stringify(customMetadata)}`;
    const body = `{${ids},"streaming":${this.#options.streaming === true},"newMessage":${message}${further}}`;
    const url = below(this.#options.url, "/run_sse");
    let wasTaken = false;
    let last = "";
    await streamed(this.#link.http.send({ ...way, url, body, isKept: true }, id), ({ data }, isTaken) => {
      const error = typeof data === "string" ? runError(data) : undefined;
      // Of a message that was taken nobody hears that it failed: then the inbox tells of the error.
      if (error && wasTaken) this.#link.receive(data);
      if (error) throw error;
      wasTaken = isTaken;
      if (isTaken) taken();
      if (isDocument(data)) last = String(data);
      this.#link.receive(data);
    });
    // The end of an answer need not be that of its run.
    if (isAtWork(`{"events":[${last}]}`)) this.#link.pace.wake();
    this.#link.rested();
  }

  /** Reads the session once more: some versions of ADK run a call again when it is approved again. */
  async #check(id: string, body: string): Promise<void> {
    const session = await this.#link.look(() => this.#session());
    if (typeof session !== "string") throw movedOn("the session is not there any more");
    const { asked, answered } = confirmations(session);
    const ours = confirmations(`{"events":[{"content":${body}}]}`).answered;
    if (ours.some((id) => answered.includes(id))) throw movedOn("the request was answered elsewhere");
    if (!ours.every((id) => asked.includes(id))) throw movedOn("the session asks this no more");
    if (!isBesideAnother(session, ours)) return;
    const now = this.#link.platform.now();
    const since = this.#kept.get(id) ?? now;
    this.#kept.set(id, since);
    // A run that broke off looks the same: who still wants to send has decided that it did.
    if (now - since < AGAIN) throw movedOn(BESIDE);
  }

  #session(): Promise<Payload | undefined> {
    const { appName, userId, sessionId } = this.#options.ids;
    const [app, user, session] = [appName, userId, sessionId].map(encodeURIComponent);
    const url = below(this.#options.url, `/apps/${app}/users/${user}/sessions/${session}`);
    // A session that was in the memory of a server is gone with it.
    const unknown = (words: string, isJson: boolean) => {
      if (isJson && [UNKNOWN, `${UNKNOWN}: ${sessionId}`].includes(words)) this.#link.forget(sessionId, words);
    };
    return this.#link.http.read({ url, mustExist: true, unknown, fits: has("id") });
  }
}

interface Named {
  name?: unknown;
  id?: unknown;
  args?: { originalFunctionCall?: Named | null } | null;
  response?: { confirmed?: unknown } | null;
}

interface Event {
  author?: unknown;
  invocationId?: unknown;
  errorCode?: unknown;
  partial?: unknown;
  branch?: string | null;
  longRunningToolIds?: unknown[] | null;
  actions?: { skipSummarization?: unknown; agentState?: unknown; endOfAgent?: unknown } | null;
  content?: { role?: unknown; parts?: unknown } | null;
}

interface Part {
  functionCall?: Named | null;
  functionResponse?: Named | null;
}

/** The objects in a list: what is damaged hides nothing else. */
function objects<T>(list: unknown): T[] {
  return Array.isArray(list) ? list.filter((each) => Object(each) === each) : [];
}

const eventsOf = (session: string): Event[] => objects((JSON.parse(session) as { events?: unknown }).events);

const partsOf = ({ content }: Event): Part[] => objects(content?.parts);

/** The ids of the requests that a session asks, and of those that people answered in it. */
function confirmations(session: string): { asked: string[]; answered: string[] } {
  const all = eventsOf(session);
  const byPeople = all.filter(({ content }) => content?.role === "user");
  return { asked: idsOf(all, "functionCall"), answered: idsOf(byPeople, "functionResponse") };
}

/** The ids of the confirmations in events, asked or answered. */
function idsOf(events: Event[], of: "functionCall" | "functionResponse"): string[] {
  return events.flatMap(partsOf).flatMap(({ [of]: named }) => (named?.name === CONFIRMATION ? [String(named.id)] : []));
}

/**
 * Whether a call of the same run was approved and has no outcome: ADK may run it again when another answer of the run comes
 * meanwhile, where an agent has a branch of its own in it.
 */
function isBesideAnother(session: string, ours: string[]): boolean {
  const asked = new Map<unknown, { run: unknown; call: unknown; branch: unknown }>();
  let approved: { run: unknown; call: unknown }[] = [];
  for (const event of eventsOf(session)) {
    for (const { functionCall: asks, functionResponse: says } of partsOf(event)) {
      if (asks?.name === CONFIRMATION) asked.set(asks.id, { run: event.invocationId, call: asks.args?.originalFunctionCall?.id, branch: event.branch });
      const request = says?.name === CONFIRMATION && event.content?.role === "user" ? asked.get(says.id) : undefined;
      if (request?.branch && says?.response?.confirmed !== false) approved.push(request);
      else if (says && !request) approved = approved.filter(({ call }) => call !== says.id);
    }
  }
  return approved.some(({ run }) => ours.some((id) => asked.get(id)?.run === run));
}

/** Whether the agent works: a run goes on after the last event of a branch. Nothing else in a session says so. */
function isAtWork(session: string): boolean {
  let isBegun = false;
  // Agents that work side by side have a branch each, and none waits for what another one asks.
  const branches = new Map<string, { goesOn: boolean; asks: boolean }>();
  for (const event of eventsOf(session).filter(isOfRun)) {
    const { author, branch } = event;
    isBegun = author === "user";
    // A run that a person began does not wait for what was asked before it.
    if (isBegun) branches.clear();
    // What waits for a person is followed by what its tool says meanwhile.
    else branches.set(branch ?? "", { goesOn: isFollowed(event), asks: branches.get(branch ?? "")?.asks === true || idsOf([event], "functionCall").length > 0 });
  }
  const asking = [...branches].flatMap(([branch, { asks }]) => (asks ? [branch] : []));
  const waits = (own: string) => asking.some((branch) => own === "" || `${branch}.`.startsWith(`${own}.`));
  return isBegun || [...branches].some(([branch, { goesOn }]) => goesOn && !waits(branch));
}

/** Whether an event tells how far a run has come. Others say what was summed up, taken back or put into the state. */
function isOfRun({ author, errorCode, actions, content }: Event): boolean {
  return Boolean(content ?? errorCode ?? (author !== "user" && (actions?.agentState ?? actions?.endOfAgent)));
}

/** Whether another event follows this one of an agent's, by ADK's own rule for the last of an answer. */
function isFollowed(event: Event): boolean {
  const { errorCode, partial, longRunningToolIds, actions } = event;
  if (errorCode) return false;
  const waits = (longRunningToolIds ?? []).length > 0;
  const calls = partsOf(event).some(({ functionCall, functionResponse }) => functionCall || functionResponse);
  // An agent that can be resumed notes where it is before it goes on.
  return Boolean(actions?.agentState) || (!(actions?.skipSummarization === true || waits) && (calls || partial === true));
}

/** A run that fails says so in an event that is none of a session. */
function runError(text: string): ConnectorError | undefined {
  const error = word(text, "error") ?? word(text, "detail");
  if (error === undefined || member(text, "invocationId") !== undefined) return undefined;
  return new ConnectorError("backend-error", error, { status: 200 });
}
