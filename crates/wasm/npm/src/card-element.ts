import { runtime, type Inbox } from "./full.js";
import { acting, appear, Base, checked, complete, Drawing, tell, upgrade } from "./surface.js";
import { type Messages, Wording } from "./wording.js";

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
 * @attr locale - the language, as a BCP 47 tag: English, `de`, `zh-Hans` and `ar` come along; `lang` counts when absent
 * @attr data-theme - `light` or `dark`; follows the page's `color-scheme` when absent
 * @event countersign-error - something was refused
 * @event countersign-grants - a person allowed something for longer than one call; keep `detail.text`
 */
export class CountersignCardElement extends Base {
  /** @internal */
  static readonly observedAttributes = ["request-id", "inbox-id", "locale", "lang"];

  #given: Inbox | undefined;
  #shown: Inbox | undefined;
  #drawing: Drawing | undefined;
  #unsubscribe: (() => void) | undefined;
  #messages: Messages | undefined;
  #wording = new Wording(
    (error) => tell(this, error),
    () => this.#drawing?.draw(),
  );
  /** An inbox may appear on the page later than its cards, or get another one. */
  #look = () => {
    if (this.#found() !== this.#shown) this.#renew();
  };

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    upgrade(this, ["inbox", "requestId", "locale", "messages"]);
  }

  /** The inbox: the one that was given, else that of the element that `inbox-id` names, else that of the nearest one. */
  get inbox(): Inbox | undefined {
    return this.#given ?? this.#owner()?.inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    if (checked(inbox) === this.#given) return;
    this.#given = inbox;
    this.#renew();
  }

  /** The request that is shown. */
  get requestId(): string {
    return this.getAttribute("request-id") ?? "";
  }

  set requestId(id: string) {
    this.setAttribute("request-id", id);
  }

  /** The language, as a BCP 47 tag: the attribute `locale`, else `lang`. */
  get locale(): string | undefined {
    return this.getAttribute("locale") ?? this.getAttribute("lang") ?? undefined;
  }

  set locale(tag: string | undefined) {
    if (tag === undefined) this.removeAttribute("locale");
    else this.setAttribute("locale", tag);
  }

  /** Words of the host, over those of the language. What is wrong with them is told by `countersign-error`. */
  get messages(): Messages | undefined {
    return this.#messages;
  }

  set messages(messages: Messages | undefined) {
    this.#messages = messages;
    this.#wording.own = messages;
  }

  /** @internal */
  connectedCallback(): void {
    this.ownerDocument.addEventListener("countersign-change", this.#look);
    this.#renew();
  }

  /** @internal */
  disconnectedCallback(): void {
    this.ownerDocument.removeEventListener("countersign-change", this.#look);
    this.#hide();
  }

  /** @internal */
  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (name === "locale" || name === "lang") this.#wording.locale = this.locale;
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
      if (root instanceof Document || root instanceof ShadowRoot) {
        const found = id === null ? root.querySelector("countersign-inbox") : (root.getElementById(id) as HTMLElement | null);
        if (found) return found;
      }
      if (!(root instanceof ShadowRoot)) return null;
    }
  }

  #renew(): void {
    this.#hide();
    if (this.isConnected) appear(this, () => this.#show());
  }

  #show(): void {
    const root = this.shadowRoot;
    const { requestId } = this;
    const inbox = this.#found();
    if (!root || !inbox || requestId === "" || this.#drawing) return;
    const panel = runtime.wasm.mountCard(root, inbox.raw, requestId, () => inbox.at(), acting(this, inbox));
    this.#shown = inbox;
    this.#drawing = new Drawing(panel, inbox);
    this.#wording.panel = panel;
    this.#unsubscribe = inbox.subscribe(() => this.#drawing?.draw());
    this.#drawing.draw();
    complete(inbox);
  }

  #hide(): void {
    this.#unsubscribe?.();
    this.#wording.panel = undefined;
    this.#drawing?.end();
    this.#drawing = this.#unsubscribe = this.#shown = undefined;
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "countersign-card": CountersignCardElement;
  }
}
