import type { Connector } from "./connect/types.js";
import { CountersignError, NOT_TAKEN, sentence } from "./error.js";
import { event, type SendDetail } from "./events.js";
import { Inbox, runtime } from "./full.js";
import { takes } from "./inbox.js";
import type { Message } from "./message.js";
import { Notifier, TitleBadge } from "./notice.js";
import type { Decision, InboxOptions, Outbound, Receipt } from "./options.js";
import { endOutage } from "./outage.js";
import { Revocations } from "./revocations.js";
import { mustBeObject } from "./runtime.js";
import { deliver, offer, sendHeld } from "./sending.js";
import { speaks } from "./speaking.js";
import { acting, appear, attribute, checked, complete, Drawing, fail, isGone, isThere, mayDraw, tell, upgrade, watch } from "./surface.js";
import { Shelf } from "./shelf.js";
import { decided, isOurs, Tabs, tellOnce, type TabNews } from "./tabs.js";
import type { Problem, RequestView } from "./types.js";
import type { Handle } from "./wasm/countersign.js";
import { WordedElement } from "./worded-element.js";

/** How long an empty inbox leaves the line to its first message, in milliseconds. */
const EMPTY = 2000;
/** How long a rejection can be undone, in milliseconds. */
const HOLD_REJECTIONS = 4000;
/** How long the decisions of a batch can be looked at before it leaves, in milliseconds. */
const HOLD_BATCHES = 3000;
/** How long a message may leave without a word before the developer hears of it, in milliseconds. */
const UNANSWERED = 10_000;
/** How long a connection may be lost before that is shown, in milliseconds. */
const PATIENCE = 3000;
/** Where a connection stands, as the wasm is told. */
const LIVE = 0;
const CONNECTING = 1;
const LOST = 2;
/** How many problems of a connector are kept in mind, so that each is told once. */
const TOLD = 100;
/** How long the address of a saved file lives, in milliseconds. */
const SAVING = 40_000;

/** The inboxes that elements have made for connectors: each keeps its own, whichever element has the connector. */
const had = new WeakMap<Connector, Inbox>();

/**
 * The queue of one conversation: what waits for a person, and what was decided.
 *
 * It shows the inbox that it is given, or one of its own. Messages of a shown inbox go out through the element's
 * `countersign-send` events, or through its connector where it has one.
 *
 * @attr adapter - the adapter of the element's own inbox; `auto` when absent
 * @attr title-badge - puts the number of calls that wait before the title of the page
 * @slot empty - what the page says in the place of “Nothing waits for you.”; drawn where no card is, and only there
 * @event {CustomEvent<SendDetail>} countersign-send - a message is to be sent; call `detail.respondWith(promise)`
 * @event {CustomEvent<ChangeDetail>} countersign-change - something looks different
 * @event {CustomEvent<ExtendDetail>} countersign-extend - a person wants more time; only with the option `extend`. Call `detail.respondWith(promise)`
 * @event {CustomEvent<ErrorDetail>} countersign-error - something was refused, or could not be read or loaded
 * @event {CustomEvent<GrantsDetail>} countersign-grants - a person allowed something for longer than one call, or took that back; keep `detail.text`
 */
export class CountersignInboxElement extends WordedElement {
  /** @internal */
  static readonly observedAttributes = ["adapter", "locale", "lang", "title-badge"];

  #options: InboxOptions = {};
  #inbox: Inbox | undefined;
  /** The element's own inbox, as long as nobody else knows it: other options make it anew. */
  #untouched: Inbox | undefined;
  /** The inbox that is shown is the element's own. */
  #isOwn = false;
  #connector: Connector | undefined;
  /** Who had the inbox that is shown, where it is the element's own. */
  #owner: Connector | undefined;
  #drawing: Drawing | undefined;
  #panel: Handle | undefined;
  #unsubscribe: (() => void) | undefined;
  #unhear: (() => void) | undefined;
  /** The inbox and the connector are about to be brought together. */
  #joining: object | undefined;
  /** Says that the connection is lost, unless it is there again before. */
  #losing: ReturnType<typeof setTimeout> | undefined;
  /** The last of the messages that wait for something to be loaded. */
  #last: Promise<unknown> | undefined;
  /** What waits for a file that cannot be had. */
  #shelf = new Shelf(
    () => isThere(this),
    () => {
      endOutage(this.shadowRoot);
      this.wording.panel = this.#panel;
    },
  );
  #badge = new TitleBadge();
  #notifier = new Notifier();
  #tabs: Tabs | undefined;
  #revocations = new Revocations();
  /** It stands in the document and has begun to appear there; while it is upgraded it only stands there. */
  #begun = false;

  constructor() {
    super();
    upgrade(this, ["adapter", "options", "inbox", "connector", "locale", "messages", "titleBadge"]);
  }

  /**
   * Options of the element's own inbox. They count as long as it is untouched: nothing has arrived, nobody has asked for it and no
   * connector has it, in this element or in one before. Of later ones only `locale` counts.
   */
  get options(): InboxOptions {
    return this.#options;
  }

  set options(options: InboxOptions) {
    // What a framework takes away is undefined.
    this.#options = mustBeObject(options ?? {});
    this.wording.locale = this.locale;
    this.#renew();
  }

  /** The adapter of the element's own inbox, where it is named; it counts as long as that is untouched. */
  get adapter(): string | undefined {
    return this.getAttribute("adapter") ?? undefined;
  }

  set adapter(adapter: string | undefined) {
    attribute(this, "adapter", adapter);
  }

  /** Puts the number of calls that wait before the title of the page. */
  get titleBadge(): boolean {
    return this.hasAttribute("title-badge");
  }

  set titleBadge(shown: boolean) {
    this.toggleAttribute("title-badge", Boolean(shown));
  }

  /** The language, as a BCP 47 tag: the attribute `locale`, else `lang`, else that of the options. */
  override get locale(): string | undefined {
    return super.locale ?? this.#options.locale;
  }

  override set locale(tag: string | undefined) {
    super.locale = tag;
  }

  /** The inbox that is shown: its own is made once the wasm is loaded, and `undefined` before. */
  get inbox(): Inbox | undefined {
    const inbox = this.#owned();
    this.#untouched = undefined;
    if (isThere(this)) this.#show();
    return inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    const given = checked(inbox);
    if (given === this.#inbox) return;
    this.#leave();
    this.#hide();
    this.#inbox = given;
    this.#isOwn = false;
    this.#untouched = this.#owner = undefined;
    if (isThere(this) && runtime.ready) this.#show();
  }

  /** @internal The inbox that is shown, for cards: it stays untouched. */
  get shown(): Inbox | undefined {
    return this.#inbox;
  }

  /**
   * What the inbox is connected with, as soon as both are there; it sends what becomes due, and no `countersign-send` event
   * is fired. A page that turns to another conversation sets both, in either order, without waiting in between. An inbox of the
   * element's own stays with the connector that had it first: every element that has this one shows it, and another connector gets
   * another one. To close it is up to whoever made it.
   */
  get connector(): Connector | undefined {
    return this.#connector;
  }

  set connector(connector: Connector | undefined) {
    const given = connector ?? undefined;
    if (given === this.#connector) return;
    if (given && typeof given.connect !== "function") {
      throw new CountersignError("options-invalid", "this is no connector", { help: "make it with a function of `countersign/connect`" });
    }
    if (this.#connector) this.#leave();
    this.#connector = given;
    const kept = given && had.get(given);
    const isOthers = kept ? kept !== this.#inbox : this.#owner !== undefined && given !== undefined && given !== this.#owner;
    if (this.#isOwn && isOthers) this.#turn();
    else this.#join();
  }

  /**
   * Takes in a live event or a polled state, as soon as the wasm is loaded. Where it cannot be, this rejects with
   * `part-missing`, and the message is read as soon as it can.
   */
  receive(message: Message): Promise<Receipt> {
    return this.#soon(message, false, (inbox) => inbox.receive(message));
  }

  /** Rebuilds everything from history, as soon as the wasm is loaded; where it cannot be, as {@link receive}. */
  restore(history: Message): Promise<Receipt> {
    return this.#soon(history, true, (inbox) => inbox.restore(history));
  }

  /**
   * Tells of calls that begin to wait while the page is hidden, by notifications with tool names and counts only. Call it
   * in the listener of a person's act; resolves to whether the person allows it.
   */
  async enableNotifications(): Promise<boolean> {
    const isAllowed = await this.#notifier.enable();
    // What waits already is no news.
    if (this.#inbox) this.#notifier.show(this.#inbox);
    return isAllowed;
  }

  /** No more notifications. */
  disableNotifications(): void {
    this.#notifier.disable();
  }

  /** @internal */
  protected redraw(): void {
    this.#drawing?.draw();
  }

  /** @internal */
  protected arrive(): void {
    this.#begun = true;
    // The adapter comes along with the first file.
    const adapter = this.#inbox ? null : (this.#options.adapter ?? (this.adapter || null));
    this.#appear(adapter);
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (name === "adapter") this.#renew();
    else if (name === "title-badge") this.#count();
    else this.wording.locale = this.locale;
  }

  /** @internal */
  protected depart(isMoved: boolean): void {
    this.#begun = false;
    if (!isMoved) this.#leave();
    this.#hide();
  }

  /** Nobody looks at what is held any more, and nobody can undo it: a rejection goes out while there is who sends it. */
  #leave(): void {
    const inbox = this.#inbox;
    if (!inbox || !this.#isSending(inbox) || this.#connector?.state === "closed") return;
    const isShown = [...inbox.shownBy].some((other) => other !== this && !isGone(other) && !other.connector === !this.#connector);
    try {
      if (!isShown && inbox.raw.holds) inbox.leave();
    } catch (error) {
      tell(this, error);
    }
  }

  /** Shows the connector's own inbox; what is held in the one of before leaves by the connector that had that. */
  #turn(): void {
    const inbox = this.#inbox;
    const owner = this.#owner;
    this.#hide();
    this.#inbox = this.#untouched = this.#owner = undefined;
    if (inbox && owner) sendHeld(inbox, owner);
    if (isThere(this) && runtime.ready) this.#show();
  }

  /** Makes the element's own inbox anew, as long as it is untouched: some frameworks say what it is only when the element stands there. */
  #renew(): void {
    if (this.#inbox !== this.#untouched || !this.#begun || !runtime.ready) return;
    this.#hide();
    this.#inbox = this.#untouched = undefined;
    this.#appear();
  }

  /** @internal With what its own inbox takes, where that is still to be made. */
  protected override takes(): readonly string[] {
    return [...super.takes(), ...(this.#inbox ? [] : takes(this.#options))];
  }

  /** The inbox that is shown, or one of its own where there is none and one can be made. */
  #owned(): Inbox | undefined {
    if (this.#inbox || !runtime.ready) return this.#inbox;
    this.#isOwn = true;
    this.#owner = this.#connector && had.has(this.#connector) ? this.#connector : undefined;
    this.#inbox = this.#owner && had.get(this.#owner);
    if (this.#inbox) return this.#inbox;
    const { adapter } = this;
    // Frameworks empty what they take away.
    const named = adapter ? { adapter } : {};
    this.#inbox = new Inbox({ holdRejections: HOLD_REJECTIONS, holdBatches: HOLD_BATCHES, ...named, ...this.#options });
    this.#untouched = this.#inbox;
    return this.#inbox;
  }

  /** Calls `take` in the order of the calls: at once, unless something has to be loaded before. */
  #soon(message: Message, history: boolean, take: (inbox: Inbox) => Receipt): Promise<Receipt> {
    const now = () => {
      const receipt = take(this.inbox as Inbox);
      if (!this.inbox?.unread) for (const problem of receipt.problems) tell(this, problem);
      return receipt;
    };
    const prepare = () => this.inbox?.prepare(message, history);
    try {
      const loading = this.#last ?? runtime.load(this.takes()) ?? prepare();
      if (!loading && this.#shelf.isEmpty) return Promise.resolve(now());
      const done = Promise.resolve(loading)
        .then(() => runtime.load(this.takes()))
        .then(prepare)
        // What was called for before is read before.
        .then(() => this.#shelf.read())
        .then(now);
      done.catch((error: CountersignError) => {
        if (error.code !== "part-missing") return;
        this.#shelf.keep({ prepare, now }, history, error);
        fail(this, this.wording, error);
      });
      // What happens to one message is no reason to keep the next.
      const settled = Promise.allSettled([done]).then(() => {
        if (this.#last === settled) this.#last = undefined;
      });
      this.#last = settled;
      return done;
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** Shows it as soon as what it takes is there. */
  #appear(adapter?: string | null): void {
    appear(this, this.wording, () => this.#show(), () => this.takes(), adapter);
  }

  #show(): void {
    const root = this.shadowRoot;
    const inbox = this.#owned();
    if (!root || !inbox || this.#drawing || !mayDraw()) return;
    // Who asks for the inbox may be sooner than the parts that its words take.
    if (!this.takes().every((name) => runtime.parts.has(name))) return this.#appear();
    // What the clock has changed meanwhile is drawn as it is now.
    inbox.tick();
    const act = acting(this, inbox, () => this.#drawing);
    const acted = (error?: string, wish?: string, requestId?: string) => {
      if (wish === "speak") return speaks(this, inbox.shownBy);
      if (wish === "export") saveRecord(inbox.audit());
      else act(error, wish, requestId);
      return undefined;
    };
    const tabs = (this.#tabs = new Tabs((news) => this.#hear(inbox, news)));
    const arrived = (cards: readonly RequestView[]) => tabs.tell(decided(cards));
    inbox.arrived.add(arrived);
    inbox.arrivedUnseen = tellOnce;
    const panel = runtime.wasm.mount(root, inbox.raw, () => inbox.at(), acted);
    this.#panel = panel;
    this.#drawing = new Drawing(panel, inbox, this);
    this.wording.panel = panel;
    const ends = [inbox.subscribe(() => this.#changed(inbox)), watch(this, this.wording), () => inbox.arrived.delete(arrived)];
    this.#unsubscribe = () => ends.forEach((end) => end());
    inbox.shownBy.add(this);
    this.#join();
    this.#changed(inbox);
    const { error } = this.#shelf;
    if (this.#shelf.isEmpty || !error) return;
    // What waits is not known yet.
    fail(this, this.wording, error);
    void this.#shelf.retry();
  }

  #hide(): void {
    const inbox = this.#inbox;
    if (inbox && this.#tabs) this.#revocations.end(inbox, this.#tabs);
    inbox?.shownBy.delete(this);
    this.#unsubscribe?.();
    this.#unhear?.();
    clearTimeout(this.#losing);
    this.wording.panel = undefined;
    this.#drawing?.end();
    this.#badge.show(0, undefined);
    this.#panel = this.#drawing = this.#unsubscribe = this.#unhear = this.#joining = this.#tabs = undefined;
  }

  /**
   * Connects the inbox once the page has had its say: when it turns to another conversation, it sets the inbox and the connector
   * one after the other, and neither may meet the other of before.
   */
  #join(): void {
    const inbox = this.#drawing && this.#inbox;
    if (!inbox) return;
    this.#unhear?.();
    this.#unhear = undefined;
    const turn = (this.#joining = {});
    queueMicrotask(() => {
      if (turn !== this.#joining) return;
      this.#joining = undefined;
      this.#connect(inbox);
      this.#take(inbox);
    });
  }

  /** Connects the inbox with the connector, and shows and tells when that cannot reach the backend. */
  #connect(inbox: Inbox): void {
    const connector = this.#connector;
    if (connector) this.#untouched = undefined;
    if (connector && this.#isOwn) {
      // Another element may have been sooner.
      if ((had.get(connector) ?? inbox) !== inbox) return this.#turn();
      had.set(connector, inbox);
      this.#owner = connector;
    }
    // It tries again for ever: once is enough, until it has been there.
    let told: unknown;
    let lasting: ReturnType<typeof setTimeout> | undefined;
    let isRefused = false;
    let wait = 0;
    const look = () => {
      const { state, error } = connector ?? {};
      clearTimeout(lasting);
      if (isRefused) this.#showConnection(LOST);
      else if (state === "idle" || state === "connecting") {
        if (wait === 0 && told === undefined) this.#showConnection(CONNECTING);
      } else if (state === "waiting" || state === "failed" || state === "closed") {
        // The last moment in which it takes a message.
        if (state === "closed" && inbox.raw.holds) inbox.leave();
        this.#losing ??= setTimeout(() => this.#showConnection(LOST), wait);
        if (error && error !== told && (state === "failed" || (state === "waiting" && told === undefined))) {
          told = error;
          tell(this, error);
        }
      } else {
        // One that opens and is closed at once has told nothing new.
        lasting = setTimeout(() => (told = undefined), PATIENCE);
        wait = PATIENCE;
        this.#showConnection(LIVE);
      }
    };
    const end = connector?.subscribe?.(look);
    this.#unhear = end;
    look();
    if (!connector) return;
    const unread = this.#unreadable();
    inbox.unread = unread;
    const unhear = () => {
      end?.();
      if (inbox.unread === unread) inbox.unread = undefined;
    };
    this.#unhear = unhear;
    const wasClosed = connector.state === "closed";
    new Promise((resolve) => resolve(connector.connect(inbox))).catch((error: unknown) => {
      const { code } = Object(error) as { code?: unknown };
      // Who leaves while it connects closes it. React has it once more for a moment when it shows a page again.
      if (code === "closed") return wasClosed && setTimeout(() => this.#unhear === unhear && tell(this, error), PATIENCE);
      if (error !== told) tell(this, error);
      // It may be live for another inbox, and of this one knows nothing.
      isRefused = code === "options-invalid";
      if (isRefused && this.#unhear === unhear) look();
      return undefined;
    });
  }

  /** Tells of what a connector brought and nobody could read: once, since whoever polls brings it again and again. */
  #unreadable(): (problems: readonly Problem[]) => void {
    const told = new Set<string>();
    return (problems) => {
      for (const problem of problems) {
        const { size } = told;
        if (told.add(JSON.stringify(problem)).size > size) tell(this, problem);
        if (size > TOLD) told.clear();
      }
    };
  }

  /** Shows that the backend was not reached yet, cannot be reached, or neither. */
  #showConnection(state: typeof LIVE | typeof CONNECTING | typeof LOST): void {
    clearTimeout(this.#losing);
    this.#losing = undefined;
    this.#panel?.connection(state);
    this.#drawing?.draw();
  }

  #changed(inbox: Inbox): void {
    this.#revocations.tell(inbox, this.#tabs);
    this.#take(inbox);
    this.#drawing?.draw();
    const { waiting, held } = inbox.raw;
    this.#count();
    this.#notifier.show(inbox, () => this.#panel?.notice() ?? "");
    this.dispatchEvent(event("countersign-change", { waiting, held }));
    // While there is no card, one may be on its way.
    complete(inbox, inbox.raw.size > 0 ? 0 : EMPTY);
  }

  /** Whether what becomes due is sent from here: an element that only shows the inbox leaves it to one with a connector. */
  #isSending(inbox: Inbox): boolean {
    if (!this.#drawing || this.#joining || isGone(this)) return false;
    return this.#connector !== undefined || ![...inbox.shownBy].some((other) => other.connector && !isGone(other));
  }

  #take(inbox: Inbox): void {
    if (!this.#isSending(inbox)) return;
    for (const outbound of inbox.takeOutbound()) this.#send(inbox, outbound);
  }

  /** Shows how many calls wait before the title of the page, where that is wished. */
  #count(): void {
    const inbox = this.#drawing && this.#inbox;
    if (inbox) this.#badge.show(this.titleBadge ? inbox.raw.waiting : 0, inbox);
  }

  /** What another tab has decided closes here, and what it has revoked counts no longer. */
  #hear(inbox: Inbox, news: TabNews[]): void {
    this.#revocations.hear(this, inbox, news);
    const cards = inbox.requests();
    for (const entry of news) {
      const { requestId, tool, digest, kind } = entry;
      const card = cards.find(({ id }) => id === requestId);
      if (!card) continue;
      // Another conversation's, or spelt anew: servers of A2A 1.0 write members in any order. The backend knows.
      if (card.tool !== tool || card.argsDigest !== digest || !isOurs(entry)) {
        this.#connector?.refresh().catch(() => undefined);
        continue;
      }
      try {
        inbox.decidedElsewhere(requestId, { kind, args: "", text: "", answers: [] } as unknown as Decision);
      } catch {
        // It is another conversation's, or of a kind that this version does not know.
      }
    }
  }

  #send(inbox: Inbox, outbound: Outbound): void {
    if (this.#connector) {
      deliver(inbox, this.#connector, outbound).catch((error: unknown) => tell(this, error));
      return;
    }
    let isAnswered = false;
    const respondWith = (delivery: PromiseLike<unknown>) => {
      isAnswered = true;
      Promise.resolve(delivery)
        .then(
          async (result) => {
            // Not by its class: that of another window, or of a library, has another one.
            const answer = Object(result) as Partial<Response>;
            const isUncalled = typeof result === "function";
            if (answer.ok !== false && !isUncalled) return inbox.delivered(outbound.id);
            const message = isUncalled ? "`respondWith` got a function that nobody called" : await read(answer).catch(() => "");
            inbox.failed(outbound.id, { ...(answer.status === undefined ? {} : { status: answer.status }), ...(message === "" ? {} : { message }) });
          },
          (error: unknown) => {
            const { status } = Object(error) as { status?: number };
            inbox.failed(outbound.id, { message: sentence(error), ...(status === undefined ? {} : { status }) });
          },
        )
        .catch((error: unknown) => tell(this, error));
    };
    let isSeen = false;
    const look = (message: SendDetail, name: string | symbol) => {
      isSeen = true;
      return Reflect.get(message, name) as unknown;
    };
    const detail = new Proxy<SendDetail>({ ...outbound, respondWith }, { get: look });
    const { isConnected } = this;
    // The listener may be at another element on this inbox, or around that.
    offer([this, ...inbox.shownBy], detail, () => isAnswered);
    setTimeout(() => {
      const isSending = () => inbox.requests().some(({ outbound: sent }) => sent?.id === outbound.id && sent.state === "sending");
      if (isAnswered || !isSending()) return;
      console.warn("countersign-send: nobody says what became of it. Call detail.respondWith(promise) in the listener, at one of the elements that show this inbox");
      // Who has looked at it may have sent it, and tell the inbox later.
      if (!isSeen) inbox.failed(outbound.id, { status: NOT_TAKEN, message: "nobody listens to `countersign-send`: it was not sent" });
      else if (!isConnected) inbox.failed(outbound.id, { message: "its element was taken away, and nobody says what became of it" });
    }, UNANSWERED);
  }
}

/** What an answer says. */
async function read(answer: Partial<Response>): Promise<string> {
  return (await answer.text?.()) ?? "";
}

/** Saves the record of all decisions as a file. */
function saveRecord(lines: string): void {
  const address = URL.createObjectURL(new Blob([lines], { type: "application/jsonl" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: "countersign-audit.jsonl" });
  link.click();
  // Safari reads it only after a while.
  setTimeout(() => URL.revokeObjectURL(address), SAVING);
}

declare global {
  interface HTMLElementTagNameMap {
    "countersign-inbox": CountersignInboxElement;
  }
}
