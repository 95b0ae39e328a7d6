import { CountersignError } from "./error.js";
import { runtime, type Inbox } from "./full.js";
import { acting, appear, attribute, checked, complete, Drawing, fail, isThere, mayDraw, upgrade, watch } from "./surface.js";
import type { RequestView } from "./types.js";
import { WordedElement } from "./worded-element.js";

/** How long a call may be on its way before the developer hears that there is none, in milliseconds. */
const UNKNOWN = 5000;
/** How long a decision may wait for who sends it before the developer hears that nobody does, in milliseconds. */
const UNSENT = 10_000;
/** How many calls that there are, or that are meant, are told. */
const LISTED = 10;

/** An element that has an inbox; `<countersign-inbox>` lets it be seen without being asked for it. */
type Owner = HTMLElement & { inbox?: Inbox | undefined; shown?: Inbox | undefined };

/**
 * One card of an inbox, to stand where the call stands in a conversation.
 *
 * It draws and takes decisions, and never sends: that is up to the `<countersign-inbox>` that owns the inbox, hidden or
 * not, or to whoever made it. Several cards and an inbox can show the same request; it is decided once.
 *
 * @attr request-id - the request that is shown: its scoped id, or its bare one where that is unique
 * @attr inbox-id - the id of the `<countersign-inbox>` whose inbox is shared; the nearest one when absent
 * @event {CustomEvent<ExtendDetail>} countersign-extend - a person wants more time; only with the option `extend`. Call `detail.respondWith(promise)`
 * @event {CustomEvent<ErrorDetail>} countersign-error - something was refused
 * @event {CustomEvent<GrantsDetail>} countersign-grants - a person allowed something for longer than one call; keep `detail.text`
 */
export class CountersignCardElement extends WordedElement {
  /** @internal */
  static readonly observedAttributes = ["request-id", "inbox-id", "locale", "lang"];

  #given: Inbox | undefined;
  #shown: Inbox | undefined;
  #drawing: Drawing | undefined;
  #unsubscribe: (() => void) | undefined;
  /** That in which it listens: when it leaves for another one, it belongs to that already. */
  #document: Document | undefined;
  /** Looks whether there is such a call. */
  #doubt: ReturnType<typeof setTimeout> | undefined;
  /** It was told that several calls have its id. */
  #isAmbiguous = false;
  /** An inbox may appear on the page later than its cards, or get another one. */
  #look = () => {
    if (this.#found() !== this.#shown) this.#renew();
  };

  constructor() {
    super();
    upgrade(this, ["inbox", "inboxId", "requestId", "locale", "messages"]);
  }

  /** The inbox: the one that was given, else that of the element that `inbox-id` names, else that of the nearest one. */
  get inbox(): Inbox | undefined {
    return this.#given ?? this.#owner()?.inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    const given = checked(inbox);
    if (given === this.#given) return;
    this.#given = given;
    this.#renew();
  }

  /** The id of the `<countersign-inbox>` whose inbox is shared, where it is named. */
  get inboxId(): string | undefined {
    return this.getAttribute("inbox-id") ?? undefined;
  }

  set inboxId(id: string | undefined) {
    attribute(this, "inbox-id", id);
  }

  /** The request that is shown. */
  get requestId(): string | undefined {
    return this.getAttribute("request-id") ?? undefined;
  }

  set requestId(id: string | undefined) {
    attribute(this, "request-id", id);
  }

  /** @internal Its nearest inbox may be another one now. */
  override connectedMoveCallback(): void {
    this.#look();
  }

  /** @internal */
  protected redraw(): void {
    this.#drawing?.draw();
  }

  /** @internal */
  protected arrive(): void {
    this.#document = this.ownerDocument;
    this.#document.addEventListener("countersign-change", this.#look);
    this.#renew();
  }

  /** @internal */
  protected depart(): void {
    this.#document?.removeEventListener("countersign-change", this.#look);
    this.#hide();
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === "locale" || name === "lang") this.wording.locale = this.locale;
    else if (before !== after) this.#renew();
  }

  /** The inbox as it is shown: to look at it takes nothing from what its element may still be told. */
  #found(): Inbox | undefined {
    const owner = this.#given ? null : this.#owner();
    return this.#given ?? (owner && "shown" in owner ? owner.shown : owner?.inbox);
  }

  /** The nearest element that has an inbox: around this one, else in the same tree, else in the trees around that. */
  #owner(): Owner | null {
    const id = this.getAttribute("inbox-id");
    const around = id === null ? this.closest("countersign-inbox") : null;
    if (around) return around;
    for (let root = this.getRootNode(); ; root = (root as ShadowRoot).host.getRootNode()) {
      // Not by its class: the document of a frame has another one.
      if (root.nodeType === Node.DOCUMENT_NODE || root instanceof ShadowRoot) {
        const tree = root as Document | ShadowRoot;
        const found = id === null ? tree.querySelector("countersign-inbox") : (tree.getElementById(id) as HTMLElement | null);
        if (found) return found;
      }
      if (!(root instanceof ShadowRoot)) return null;
    }
  }

  #renew(): void {
    this.#hide();
    if (isThere(this)) appear(this, this.wording, () => this.#show(), () => this.takes());
  }

  #show(): void {
    const root = this.shadowRoot;
    const { requestId } = this;
    const inbox = this.#found();
    if (!root || !inbox || !requestId || this.#drawing || !mayDraw()) return;
    // What the clock has changed meanwhile is drawn as it is now.
    inbox.tick();
    const act = acting(this, inbox, () => this.#drawing);
    const acted = (error?: string, wish?: string, id?: string) => {
      act(error, wish, id);
      setTimeout(tellUnsent, UNSENT, inbox, requestId);
    };
    const panel = runtime.wasm.mountCard(root, inbox.raw, requestId, () => inbox.at(), acted);
    this.#shown = inbox;
    this.#drawing = new Drawing(panel, inbox, this);
    this.wording.panel = panel;
    const ends = [inbox.subscribe(() => this.#draw(inbox)), watch(this, this.wording)];
    this.#unsubscribe = () => ends.forEach((end) => end());
    this.#draw(inbox);
    complete(inbox);
    this.#doubt = setTimeout(() => {
      const cards = inbox.requests();
      if (cards.some(({ id, request }) => id === requestId || request === requestId)) return;
      const ids = cards.slice(0, LISTED).map(({ id }) => `\`${id}\``);
      console.warn(`countersign-card: there is no call \`${requestId}\`; ${ids.length > 0 ? `there are ${ids.join(", ")}` : "there is none at all"}`);
    }, UNKNOWN);
  }

  /** Draws the card; where several calls have its id, says in its place that none of them is shown. */
  #draw(inbox: Inbox): void {
    const isAmbiguous = (this.#drawing?.draw() ?? 0) > 1;
    if (isAmbiguous === this.#isAmbiguous) return;
    if (!isAmbiguous) return this.#renew();
    this.#isAmbiguous = true;
    const { requestId } = this;
    const named = inbox.requests().filter(({ request }) => request === requestId);
    const ids = named.slice(0, LISTED).map(({ id }) => `\`${id}\``);
    const help = "give the scoped id as `request-id`";
    const error = new CountersignError("ambiguous-request", `countersign-card: \`${requestId}\` stands for ${named.length} calls, ${ids.join(", ")}: ${help}`, { help });
    console.error(error);
    fail(this, this.wording, error);
  }

  #hide(): void {
    clearTimeout(this.#doubt);
    this.#isAmbiguous = false;
    this.#unsubscribe?.();
    this.wording.panel = undefined;
    this.#drawing?.end();
    this.#drawing = this.#unsubscribe = this.#shown = undefined;
  }
}

/** Tells the developer of what was decided and nobody takes: it leaves late, as soon as somebody does. */
function tellUnsent(inbox: Inbox, requestId: string): void {
  const waits = ({ id, request, outbound }: RequestView) => (id === requestId || request === requestId) && outbound?.state === "queued" && !outbound.held;
  if (!inbox.requests().some(waits)) return;
  console.warn(`countersign-card: what was decided of \`${requestId}\` was not sent, since a card sends nothing. Keep a <countersign-inbox> with its inbox on the page, hidden or not, or call \`forward\``);
}

declare global {
  interface HTMLElementTagNameMap {
    "countersign-card": CountersignCardElement;
  }
}
