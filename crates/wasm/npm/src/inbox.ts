import { attempt, CountersignError, memberOf, report, sentence } from "./error.js";
import { encode, mustBeWritten, ownMessage, jsonOf, type Encoded, type Message } from "./message.js";
import type {
  CardWindow,
  Decision,
  DecideAllResult,
  Grant,
  GrantDraft,
  GrantWish,
  InboxOptions,
  Moment,
  Outbound,
  Policy,
  Receipt,
  SeenRequest,
  SendFailure,
} from "./options.js";
import { LATER, POLICY, SCHEMA, type Parts } from "./parts.js";
import { mustBeObject, type Runtime, type Wasm } from "./runtime.js";
import type { Advice, Problem, RequestView, RiskView } from "./types.js";
import type { RawInbox } from "./wasm/headless.js";

/** How many cards are taken out of wasm at once. */
const PAGE = 1024;
/** The bytes of a message with nothing in it: `[]`, `{}`. */
const EMPTY = 2;

/** A message that was looked at before it is read. */
interface Looked extends Encoded {
  message: Message;
  history: boolean;
  /** The adapter that reads it, where not all are there already. */
  adapter: string | undefined;
}

/**
 * All requests of one conversation: what was asked, what was decided, what must be sent.
 *
 * It sends nothing itself. After every change, take what became due with {@link takeOutbound}, send it, and report
 * with {@link delivered} or {@link failed} what became of it.
 */
export class BaseInbox {
  /** @internal Vue wraps nothing that says so: a wrapper could not reach what is private. */
  readonly __v_skip = true;
  /** `undefined` once it was given back. */
  #raw: RawInbox | undefined;
  #wasm: Wasm;
  #parts: Parts;
  #adapter: string;
  /** The adapter that the conversation turned out to need; it goes on with that one until everything is rebuilt. */
  #spoken: string | undefined;
  #looked: Looked | undefined;
  #now: () => number;
  /** What the clock said last, and the moment that counted as now last. */
  #clock = 0;
  #moment = 0;
  #cards: RequestView[] = [];
  #all: readonly RequestView[] | undefined;
  /** Something may look different since all cards were read. */
  #isStale = true;
  #listeners: (() => void)[] = [];
  /** The last receipt, while someone holds it. */
  #receipt: WeakRef<Receipt> | undefined;
  /** @internal Who is called with the cards whose decision has reached the backend: the first, for all of them say the same. */
  readonly arrived = new Set<(cards: readonly RequestView[]) => void>();
  /** @internal Who is called in their place once an element has shown it and none does any more. */
  arrivedUnseen: ((cards: readonly RequestView[]) => void) | undefined;
  /** @internal The elements that show it, each with the connector that it has. */
  readonly shownBy = new Set<HTMLElement & { readonly connector: unknown }>();
  /** @internal What is drawn of it. */
  readonly drawnBy = new Set<object>();
  /** @internal What is called with what could not be read of something that arrived. */
  unread: ((problems: readonly Problem[]) => void) | undefined;
  #revision = 0;

  /** @internal */
  constructor({ wasm, parts }: Runtime<Wasm>, options: InboxOptions = {}) {
    mustBeObject(options);
    const { now = Date.now, adapter = "auto" } = options;
    if (typeof now !== "function" && !Number.isFinite(now)) {
      throw new CountersignError("options-invalid", "`now` is a number of milliseconds or a function that returns one", { path: "/now" });
    }
    this.#wasm = wasm;
    this.#parts = parts;
    this.#adapter = adapter;
    this.#now = typeof now === "number" ? () => now : now;
    // Before the wasm begins, so that where it cannot be loaded nothing has happened.
    for (const name of takes(options)) parts.demand(name);
    const written = jsonOf(options, "options-invalid");
    for (const name of ["policy", "grants"] as const) if (options[name] !== undefined) mustBeWritten(options[name], `/${name}`);
    this.#raw = attempt(() => new wasm.RawInbox(written, seed()));
    // Before it is needed; where that fails, it is tried again then.
    if (adapter !== "auto") parts.prefetch(adapter).catch(() => {});
  }

  /** @internal */
  get raw(): RawInbox {
    if (!this.#raw) throw new CountersignError("inbox-freed", "this inbox was given back with `free()`: make another one");
    return this.#raw;
  }

  /**
   * Gives back the memory of an inbox that nobody needs any more, which a long-running server cannot leave to the garbage collector.
   * What is held in it does not leave; every method but this one throws `inbox-freed` from then on.
   * @throws {CountersignError} with code `options-invalid` as long as an element shows it.
   */
  free(): void {
    if (this.drawnBy.size > 0) throw new CountersignError("options-invalid", "an element shows this inbox: take it from the element before");
    // A receipt that someone holds looks its ids up when someone asks.
    if (this.#raw) void this.#receipt?.deref()?.changed;
    this.#raw?.free();
    this.#raw = this.#all = undefined;
    this.#cards = [];
    this.#listeners = [];
  }

  /** What reading a message takes. A text that was just looked at is not looked at again: it may be long. */
  #look(message: Message, history: boolean): Looked {
    const before = this.#looked;
    this.#looked = undefined;
    if (typeof message === "string" && before?.message === message && before.history === history) return before;
    const encoded = encode(message);
    return { message, history, ...encoded, adapter: this.#adapterOf(encoded.bytes, history) };
  }

  #adapterOf(bytes: Uint8Array, history: boolean): string | undefined {
    if (this.#adapter !== "auto") return this.#adapter;
    if (this.#parts.adapters.every((name) => this.#parts.has(name))) return undefined;
    return (history ? undefined : this.#spoken) ?? this.#wasm.adapterOf(bytes);
  }

  /** @internal Loads what reading a message takes; `undefined` where it is there already. */
  prepare(message: Message, history: boolean): Promise<void> | undefined {
    const looked = this.#look(ownMessage(message) ?? message, history);
    this.#looked = looked;
    const { adapter } = looked;
    return adapter === undefined || this.#parts.has(adapter) ? undefined : this.#parts.prefetch(adapter);
  }

  /** Takes in a live event, or a polled state, which refreshes what is known. */
  receive(message: Message, moment?: Moment): Receipt {
    const own = ownMessage(message);
    const { bytes, rounded, adapter } = this.#look(own ?? message, false);
    const now = this.#at(moment);
    // Before the wasm begins to read, so that where it cannot be loaded nothing has changed.
    if (adapter !== undefined) this.#parts.demand(adapter);
    const receipt = this.#arrive(() => (own ? this.raw.own(bytes, now) : this.raw.receive(bytes, rounded, now)));
    this.#spoken ??= adapter;
    return this.#tell(receipt, bytes);
  }

  /** Rebuilds everything from history; what was known before is forgotten. */
  restore(history: Message, moment?: Moment): Receipt {
    const { bytes, rounded, adapter } = this.#look(history, true);
    if (adapter !== undefined) this.#parts.demand(adapter);
    const receipt = this.#arrive(() => {
      const told = this.raw.restore(bytes, rounded, this.#at(moment));
      // What replaces a card is read when someone asks; where the history cannot be read, all of them stay.
      this.#cards.splice(this.raw.size);
      return told;
    });
    // A history that does not show it is one of the adapter before.
    this.#spoken = adapter ?? this.#spoken;
    return this.#tell(receipt, bytes);
  }

  #tell(receipt: Receipt, { length }: Uint8Array): Receipt {
    // `[]` and `{}` say that there is nothing, whosever they are.
    if (receipt.problems.length > 0 && length > EMPTY) this.unread?.(receipt.problems);
    return receipt;
  }

  /**
   * The cards in the order in which they are shown. A card that looks as before is the identical object, and a list in which all
   * do is the identical list; all are frozen.
   *
   * A window gives some of them, without the cost of drawing the others.
   * @throws {CountersignError} with code `options-invalid` for a window without numbers.
   */
  requests(window?: CardWindow): readonly RequestView[] {
    const all = this.#all;
    if (!window && all && !this.#isStale) return all;
    const from = places(window?.offset ?? 0);
    const until = Math.min(this.raw.size, from + places(window?.limit ?? Infinity));
    for (let at = from; at < until; at += PAGE) this.#read(at, Math.min(PAGE, until - at));
    const found = Object.freeze(this.#cards.slice(from, until));
    if (window) return found;
    this.#isStale = false;
    // Where nothing looks different, whoever draws the list draws nothing anew.
    if (all?.length === found.length && found.every((card, at) => card === all[at])) return all;
    return (this.#all = found);
  }

  #read(from: number, count: number): void {
    const text = this.raw.changed(from, count);
    if (text === "[]") return;
    const changed = JSON.parse(text) as unknown[];
    for (let at = 0; at < changed.length; at += 2) {
      const card = freeze(changed[at + 1]) as RequestView;
      this.#cards[changed[at] as number] = card;
      // An edit would be held against it.
      if (card.argsSchema !== undefined) this.#parts.prefetch(SCHEMA).catch(() => {});
    }
  }

  /**
   * How much care a call needs if it runs with these arguments: `risk` of the request as it would be after the edit. A level
   * of `high` asks a person a second time. Nothing is decided, and whether the edit can be sent is not looked at.
   * @throws {CountersignError} with code `unknown-request`, `ambiguous-request` or `args-invalid`.
   */
  editRisk(requestId: string, args: string | object): RiskView {
    const written = jsonOf(args, "args-invalid");
    return JSON.parse(attempt(() => this.raw.editRisk(String(requestId), written))) as RiskView;
  }

  /**
   * A person decided.
   * @throws {CountersignError} with a refusal code; nothing of it was done.
   */
  decide(requestId: string, decision: Decision, moment?: Moment): void {
    const written = fields(decision);
    if (decision.kind === "edit") this.#parts.demand(SCHEMA);
    this.#act(() => this.raw.decide(String(requestId), written, this.#at(moment)));
  }

  /**
   * A person decided several requests at once, each given by its id or with what was on screen of it. What is refused
   * does not keep the others from being decided.
   * @throws {CountersignError} with code `decision-invalid`.
   */
  decideAll(requests: readonly (string | SeenRequest)[], decision: Decision, moment?: Moment): DecideAllResult {
    if (!Array.isArray(requests)) throw new CountersignError("decision-invalid", "the requests are an array");
    // A hole in a list is no request.
    const named = Array.from(requests as readonly (string | SeenRequest)[], (request) => (Object(request) === request ? (request as SeenRequest) : { requestId: request as string }));
    const ids = named.map(({ requestId }) => String(requestId));
    // A digest that is no text is that of no arguments, and a name that is none that of no tool.
    const isName = (tool: unknown) => tool === undefined || typeof tool === "string";
    const seen = named.map(({ seen, tool }) => (!isName(tool) ? "none" : seen === undefined ? "" : String(seen) || "none"));
    // The empty name is one, too.
    const tools = named.map(({ tool }) => (tool === undefined ? "" : `=${tool}`));
    const codes = JSON.parse(this.#act(() => this.raw.decideAll(ids, seen, tools, fields(decision), this.#at(moment)))) as (string | null)[];
    const result: DecideAllResult = { decided: [], refused: [] };
    ids.forEach((requestId, place) => {
      const code = codes[place];
      if (code) result.refused.push({ requestId, code });
      else result.decided.push(requestId);
    });
    return result;
  }

  /**
   * A person takes back a decision that is not sent yet.
   * @throws {CountersignError} with a refusal code.
   */
  undo(requestId: string, moment?: Moment): void {
    this.#act(() => this.raw.undo(String(requestId), this.#at(moment)));
  }

  /**
   * A person sends again what did not arrive: the identical body under the same id becomes due.
   * @throws {CountersignError} with a refusal code.
   */
  retry(requestId: string, moment?: Moment): void {
    this.#act(() => this.raw.retry(String(requestId), this.#at(moment)));
  }

  /** What the host should know now. */
  advice(): Advice[] {
    return JSON.parse(this.raw.advice()) as Advice[];
  }

  /**
   * The messages that became due since the last call; each is handed out once. What a rule or a grant has decided that does
   * not count any more is not among them: it waits again. Nor is what must not leave yet: call it after every change.
   */
  takeOutbound(moment?: Moment): Outbound[] {
    return JSON.parse(this.#act(() => this.raw.takeOutbound(this.#present(moment)))) as Outbound[];
  }

  /**
   * The host delivered a message.
   * @throws {CountersignError} with code `unknown-outbound`.
   */
  delivered(outboundId: string, moment?: Moment): void {
    const carried = this.arrivedUnseen ? this.requests().filter(({ outbound }) => outbound?.id === outboundId) : [];
    this.#act(() => this.raw.delivered(String(outboundId), this.#at(moment)));
    // A listener may just have taken away who would have been called.
    const [arrived = this.arrivedUnseen] = this.arrived;
    if (carried.length > 0) arrived?.(carried);
  }

  /**
   * Another tab, or someone else whom the host trusts, has decided a request, and the backend has that decision. The card
   * closes, what was drafted here is dropped, and nothing is sent. A request that is not open here is left alone.
   * @throws {CountersignError} with code `unknown-request` or `decision-invalid`.
   */
  decidedElsewhere(requestId: string, decision: Decision, moment?: Moment): void {
    this.#act(() => this.raw.decidedElsewhere(String(requestId), fields(decision), this.#at(moment)));
  }

  /**
   * The agent waits longer than it said: until this moment, in milliseconds since the Unix epoch.
   * @throws {CountersignError} with a refusal code, `expired` where it is too late; `options-invalid` for what is no moment.
   */
  extend(requestId: string, until: number, moment?: Moment): void {
    const end = millis(until);
    this.#act(() => this.raw.extend(String(requestId), end, this.#at(moment)));
  }

  /**
   * The host could not deliver a message. The decisions in it are kept and can be sent again.
   * @throws {CountersignError} with code `unknown-outbound`.
   */
  failed(outboundId: string, failure: SendFailure = {}, moment?: Moment): void {
    const { status, message, late } = known(failure);
    this.#act(() => this.raw.failed(String(outboundId), status, message, late, this.#at(moment)));
  }

  /**
   * Nobody looks any more, and nobody can undo: rejections that are held (`holdRejections`) go out now. A batch that would
   * run something keeps its time, or is lost with the page.
   */
  leave(moment?: Moment): void {
    this.#act(() => this.raw.leave(this.#at(moment)));
  }

  /** Time has passed; the moment may also be the bare number of milliseconds. */
  tick(moment?: Moment | number): void {
    this.#act(() => this.raw.tick(this.#at(typeof moment === "number" ? { at: moment } : moment)));
  }

  /** When the clock alone will change something next, in milliseconds since the Unix epoch: call {@link tick} then. */
  nextWake(): number | undefined {
    return this.raw.nextWake;
  }

  /** What people granted, oldest first, with what is over or was taken back. Numbers in it may be rounded: see {@link grantsText}. */
  grants(): Grant[] {
    return JSON.parse(this.raw.grants()) as Grant[];
  }

  /** What people granted, as exact JSON text: to be kept by the host, and given as the option `grants` the next time. */
  grantsText(): string {
    return this.raw.grants();
  }

  /**
   * Puts what people granted in place, as the option `grants` does. What waits already is not judged again; what a grant has
   * approved that is not among them waits again, unless it has left.
   * @throws {CountersignError} with code `options-invalid` and the place as `path`; nothing was changed.
   */
  setGrants(grants: readonly Grant[] | string, moment?: Moment): void {
    this.#parts.demand(POLICY);
    const written = jsonOf(grants, "options-invalid");
    mustBeWritten(grants, "");
    this.#act(() => this.raw.setGrants(written, this.#present(moment)));
  }

  /**
   * Puts another policy in place, as the option `policy` does; what people granted stays. What waits already is not judged
   * again; what a rule has decided and would not decide so any more waits again, unless it has left.
   * @throws {CountersignError} with code `options-invalid` and the place as `path`; nothing was changed.
   */
  setPolicy(policy: Policy | string, moment?: Moment): void {
    this.#parts.demand(POLICY);
    const written = jsonOf(policy, "options-invalid");
    mustBeWritten(policy, "");
    this.#act(() => this.raw.setPolicy(written, this.#present(moment)));
  }

  /**
   * Writes out the grant that a person wishes to give on a call, for the person to look at. `undefined`: it would permit
   * nothing; the call is denied, of high risk, unreadable or not to be approved, or the option `grants` was not given.
   * @throws {CountersignError} with code `options-invalid` where this is no wish.
   */
  draftGrant(requestId: string, wish: GrantWish, moment?: Moment): GrantDraft | undefined {
    this.#parts.demand(POLICY);
    const wished = jsonOf(wish, "options-invalid");
    const written = attempt(() => this.raw.draftGrant(String(requestId), wished, this.#at(moment)));
    if (written === undefined) return undefined;
    const draft = JSON.parse(written) as Omit<GrantDraft, "grant">;
    return { ...draft, grant: JSON.parse(draft.text) as Grant };
  }

  /**
   * A person confirmed a draft: the call is approved, the grant is kept, and the siblings in the draft are approved by it.
   * `undo` of that call takes both back.
   * @throws {CountersignError} with a refusal code, `options-invalid` where this is no draft; nothing was granted.
   */
  grant(requestId: string, draft: GrantDraft, moment?: Moment): void {
    this.#parts.demand(POLICY);
    const { seen, tool, text, siblings } = Object(draft) as GrantDraft;
    const shown = Array.isArray(siblings) ? siblings.flatMap((sibling?: Required<SeenRequest>) => [sibling?.requestId, sibling?.seen, sibling?.tool]) : [siblings];
    if ([seen, tool, text, ...shown].some((word) => typeof word !== "string")) {
      throw new CountersignError("options-invalid", "this is no draft of a grant: hand over what `draftGrant` returned");
    }
    this.#act(() => this.raw.grant(String(requestId), seen, tool, text, shown as string[], this.#at(moment)));
  }

  /** A person takes a grant back. `false`: there is none of this id. */
  revoke(grantId: string, moment?: Moment): boolean {
    this.#parts.demand(POLICY);
    return this.#act(() => this.raw.revoke(String(grantId), this.#at(moment)));
  }

  /** Everything that was decided and sent here, as JSON Lines in which each line carries the hash of the one before. */
  audit(): string {
    return this.raw.audit();
  }

  /** Calls `listener` after every change until the function that it returns is called. */
  subscribe(listener: () => void): () => void {
    if (typeof listener !== "function") throw new CountersignError("options-invalid", "a listener is a function");
    // A listener that subscribes twice is called twice, and each subscription ends by itself.
    const entry = () => listener();
    this.#listeners = [...this.#listeners, entry];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== entry);
    };
  }

  /** @internal Tells listeners of what changed since they were last told. */
  settle(): void {
    const { revision } = this.raw;
    if (revision === this.#revision) return;
    this.#revision = revision;
    this.#isStale = true;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        report(error);
      }
    }
  }

  /** @internal The moment that counts as now. */
  at(): number {
    return this.#at();
  }

  #at(moment?: Moment): number {
    // A number would be taken for a moment that says nothing.
    const at = typeof moment === "number" ? Number.NaN : (moment?.at ?? undefined);
    const clock = at === undefined ? millis(this.#now()) : this.#clock;
    // Only the clock itself is set back; what is told late says nothing of it.
    const back = Math.max(0, this.#clock - clock);
    this.#clock = clock;
    this.#moment = Math.max(this.#moment - back, at === undefined ? clock : millis(at));
    return this.#moment;
  }

  /** Where no moment is told, the clock, or what was told last where that is later; nothing counts from it. */
  #present(moment?: Moment): number {
    return moment === undefined ? Math.max(this.#moment, millis(this.#now())) : this.#at(moment);
  }

  #arrive(take: () => string): Receipt {
    // What arrives may rename cards, or replace them: a receipt that someone holds says what they were called.
    void this.#receipt?.deref()?.changed;
    const { changed, hidden, problems } = JSON.parse(this.#act(take)) as {
      changed: number[];
      hidden: boolean[];
      problems: Problem[];
    };
    const { raw } = this;
    let ids: string[] | undefined;
    const receipt: Receipt = {
      // Ids are looked up when someone asks: a long history has many.
      get changed() {
        ids ??= changed.map((key) => raw.id(key)).filter((id) => id !== undefined);
        return ids;
      },
      hidden,
      problems,
    };
    this.#receipt = new WeakRef(receipt);
    return receipt;
  }

  #act<T>(call: () => T): T {
    try {
      return attempt(call);
    } finally {
      this.settle();
    }
  }
}

// Where there is `using`.
const { dispose } = Symbol as { readonly dispose?: symbol };
if (dispose) Object.defineProperty(BaseInbox.prototype, dispose, { value: BaseInbox.prototype.free });

/** Options that the first file and an adapter heed without another part. */
const PLAIN = ["a2a", "adalflow", "adapter", "adk", "armDelay", "haystack", "holdBatches", "holdRejections", "limits", "locale", "now"];

/** @internal The parts that an inbox with these options takes before it has a card. */
export function takes(options: InboxOptions): readonly string[] {
  const { policy, grants, ...others } = options;
  if ((policy ?? grants) !== undefined) return [POLICY, ...LATER];
  const isPlain = Object.entries(others).every(([name, value]) => value === undefined || PLAIN.includes(name));
  return isPlain ? [] : LATER;
}

/** A decision as wasm reads it: arguments are text. */
function fields(decision: Decision): string {
  if (typeof decision !== "object" || decision === null) {
    throw new CountersignError("decision-invalid", 'a decision is an object, such as `{ kind: "approve" }`');
  }
  const { kind, args, seen, tool } = decision as { kind?: unknown; args?: unknown; seen?: unknown; tool?: unknown };
  // JSON has it for what is missing, and a digest that is missing is held against nothing.
  if (seen === null) throw new CountersignError("decision-invalid", "`seen` is the digest of the arguments that were on screen", { path: "/seen" });
  if (tool === null) throw new CountersignError("decision-invalid", "`tool` is the name of the tool that was on screen, empty where there was none", { path: "/tool" });
  // What is no object is refused as arguments, once it is known that there is something to decide.
  const written = kind === "edit" ? args !== undefined : (typeof args === "object" && args !== null) || typeof args === "string";
  return jsonOf(written ? { ...decision, args: jsonOf(args, "args-invalid") } : decision, "decision-invalid");
}

/** How many cards: of a fraction, which a list that is scrolled may come to, the whole ones. */
function places(given: number): number {
  const whole = Math.max(0, Math.trunc(given));
  if (!Number.isNaN(whole)) return whole;
  throw new CountersignError("options-invalid", "a window of the cards has numbers as `offset` and `limit`");
}

function millis(given: number): number {
  if (Number.isFinite(given)) return given;
  throw new CountersignError("options-invalid", "a moment is a number of milliseconds since the Unix epoch, or `{ at }` with one");
}

/** What is known of a failure, whatever the host has caught. */
function known(failure: unknown): { status: number | undefined; message: string | undefined; late: boolean } {
  const [status, late, said = typeof failure === "string" ? failure : undefined] = ["status", "late", "message"].map((name) => memberOf(failure, name));
  const isStatus = Number.isInteger(status) && (status as number) > 0 && (status as number) < 1000;
  const message = said === undefined || said === null ? undefined : sentence(said);
  return { status: isStatus ? (status as number) : undefined, message, late: late === true };
}

/** From what the ids of outbound messages are derived. */
function seed(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function freeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    for (const member of Object.values(value)) freeze(member);
    Object.freeze(value);
  }
  return value;
}
