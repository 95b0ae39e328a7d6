import { CountersignError } from "./error.js";
import { errorDetail, event, type SendDetail } from "./events.js";
import { Inbox, init, runtime } from "./full.js";
import type { Message } from "./message.js";
import type { InboxOptions, Outbound, Receipt } from "./options.js";
import type { Handle } from "./wasm/countersign.js";

/** How long a rejection can be undone, in milliseconds. */
const HOLD_REJECTIONS = 4000;
/** How often countdowns are drawn, in milliseconds. */
const SECOND = 1000;

// Where there is no document, the module can still be imported.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/**
 * The queue of one conversation: what waits for a person, and what was decided.
 *
 * It shows the inbox that it is given, or one of its own. Messages of a shown inbox go out through the element's
 * `countersign-send` events.
 *
 * @attr adapter - the adapter of the element's own inbox; `auto` when absent
 * @attr data-theme - `light` or `dark`; follows the page when absent
 * @event countersign-send - a message is to be sent; call `detail.respondWith(promise)`
 * @event countersign-change - something looks different
 * @event countersign-error - something was refused, or could not be read or loaded
 */
export class CountersignInboxElement extends Base {
  #options: InboxOptions = {};
  #inbox: Inbox | undefined;
  #panel: Handle | undefined;
  #unsubscribe: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #queue: (() => void)[] = [];

  constructor() {
    super();
    this.attachShadow({ mode: "open" });
    for (const name of ["options", "inbox"] as const) this.#upgrade(name);
  }

  /** Takes over what was set before the tag was defined. */
  #upgrade(name: "options" | "inbox"): void {
    const given = Object.getOwnPropertyDescriptor(this, name);
    if (!given) return;
    delete (this as Partial<this>)[name];
    Object.assign(this, { [name]: given.value });
  }

  /** Options of the element's own inbox; they count when it is made, at the first connection. */
  get options(): InboxOptions {
    return this.#options;
  }

  set options(options: InboxOptions) {
    this.#options = options;
  }

  /** The inbox that is shown: its own is made once the wasm is loaded, and `undefined` before. */
  get inbox(): Inbox | undefined {
    if (!this.#inbox && runtime.ready) this.inbox = this.#make();
    return this.#inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    if (inbox === this.#inbox) return;
    if (inbox && !(inbox instanceof Inbox)) {
      const help = "make it with the `Inbox` of the entry `countersign`; that of `countersign/headless` cannot be drawn";
      throw new CountersignError("options-invalid", "this is no inbox that the element can show", { help });
    }
    this.#hide();
    this.#inbox = inbox;
    if (this.isConnected && runtime.ready) this.#show();
  }

  /** Takes in a live event or a polled state, as soon as the wasm is loaded. */
  receive(message: Message): Promise<Receipt> {
    return this.#soon((inbox) => inbox.receive(message));
  }

  /** Rebuilds everything from history, as soon as the wasm is loaded. */
  restore(history: Message): Promise<Receipt> {
    return this.#soon((inbox) => inbox.restore(history));
  }

  /** @internal */
  connectedCallback(): void {
    // Not through a promise where there is no need for one, so that what is shown is never a moment behind.
    if (runtime.ready) return this.#appear();
    init().then(
      () => this.isConnected && this.#appear(),
      (error: unknown) => this.#tell(error),
    );
  }

  /** @internal */
  disconnectedCallback(): void {
    this.#hide();
  }

  #make(): Inbox {
    const adapter = this.getAttribute("adapter");
    return new Inbox({ holdRejections: HOLD_REJECTIONS, ...(adapter === null ? {} : { adapter }), ...this.#options });
  }

  #appear(): void {
    try {
      this.#show();
    } catch (error) {
      this.#tell(error);
    }
  }

  /** Calls `take` in the order of the calls, at once where the wasm is loaded. */
  #soon(take: (inbox: Inbox) => Receipt): Promise<Receipt> {
    return new Promise((resolve, reject) => {
      const now = () => {
        try {
          const inbox = this.inbox as Inbox;
          const receipt = take(inbox);
          for (const problem of receipt.problems) this.#tell(problem);
          resolve(receipt);
        } catch (error) {
          reject(error);
        }
      };
      if (runtime.ready) {
        this.#drain();
        return now();
      }
      this.#queue.push(now);
      init().then(() => this.#drain(), reject);
    });
  }

  #drain(): void {
    for (const take of this.#queue.splice(0)) take();
  }

  #show(): void {
    const root = this.shadowRoot;
    const { inbox } = this;
    if (!root || !inbox || this.#panel) return;
    const acted = (error: unknown) => {
      if (error !== undefined) this.#tell(error);
      inbox.settle();
    };
    this.#panel = runtime.wasm.mount(root, inbox.raw, () => inbox.at(), acted);
    this.#unsubscribe = inbox.subscribe(() => this.#changed(inbox));
    this.#drain();
    this.#changed(inbox);
  }

  #hide(): void {
    this.#unsubscribe?.();
    clearTimeout(this.#timer);
    this.#panel?.unmount();
    this.#panel = this.#unsubscribe = this.#timer = undefined;
  }

  #changed(inbox: Inbox): void {
    for (const outbound of inbox.takeOutbound()) this.#send(inbox, outbound);
    this.#draw(inbox);
    this.dispatchEvent(event("countersign-change", { waiting: inbox.raw.waiting }));
  }

  /** Draws, and again while the clock changes something. */
  #draw(inbox: Inbox): void {
    clearTimeout(this.#timer);
    const wake = inbox.nextWake();
    const now = inbox.at();
    this.#panel?.draw(wake === undefined ? undefined : now);
    if (wake === undefined || !this.#panel) return;
    this.#timer = setTimeout(
      () => {
        inbox.tick();
        this.#draw(inbox);
      },
      Math.min(SECOND, Math.max(0, wake - now)),
    );
  }

  #send(inbox: Inbox, outbound: Outbound): void {
    const respondWith = (delivery: PromiseLike<unknown>) => {
      Promise.resolve(delivery)
        .then(
          async (result) => {
            if (!(result instanceof Response) || result.ok) return inbox.delivered(outbound.id);
            const message = await result.text().catch(() => "");
            inbox.failed(outbound.id, { status: result.status, ...(message === "" ? {} : { message }) });
          },
          (error: unknown) => {
            const { status, message = String(error) } = Object(error) as { status?: unknown; message?: string };
            inbox.failed(outbound.id, { message, ...(typeof status === "number" ? { status } : {}) });
          },
        )
        .catch((error: unknown) => this.#tell(error));
    };
    this.dispatchEvent(event("countersign-send", { ...outbound, respondWith } satisfies SendDetail));
  }

  #tell(error: unknown): void {
    this.dispatchEvent(event("countersign-error", errorDetail(error)));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "countersign-inbox": CountersignInboxElement;
  }
}
