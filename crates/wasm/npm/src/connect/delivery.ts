import { NOT_TAKEN } from "../error.js";
import type { Outbound } from "../options.js";
import { closed, movedOn, type ConnectorError } from "./failure.js";
import type { ConnectorInbox } from "./types.js";

/** One message on its way, and the one word to the inbox about what became of it. */
export class Delivery {
  readonly outbound: Outbound;
  #inbox: ConnectorInbox;
  #told = false;
  #hasLeft = false;

  constructor(inbox: ConnectorInbox, outbound: Outbound) {
    this.#inbox = inbox;
    this.outbound = outbound;
  }

  /** Whether it is a message of this inbox. */
  get known(): boolean {
    return typeof this.outbound?.id === "string" && this.#carried().length > 0;
  }

  /** Whether the inbox was told. */
  get told(): boolean {
    return this.#told;
  }

  /** Whether the inbox still waits for its fate: it learns of it also from the state. */
  get waits(): boolean {
    return !this.#told && this.#carried().some(({ status }) => status === "sending");
  }

  /** Whether it runs nothing, and the page may be gone before anything could be asked. */
  get isParting(): boolean {
    return globalThis.document?.visibilityState === "hidden" && this.#carried().every(({ decision }) => decision?.kind === "reject");
  }

  /** It leaves now: from here on nobody knows whether it arrived, until somebody says so. */
  leaves(): void {
    this.#hasLeft = true;
  }

  /**
   * Fails unless the inbox still waits for the fate of this message.
   *
   * A message that was delivered, or that answers what is settled, forgotten or something else by now, must not leave.
   */
  check(): void {
    const carried = this.#carried();
    const isOnItsWay = carried.every(({ status, outbound }) => status === "sending" && outbound?.state === "sending");
    if (carried.length === 0 || !isOnItsWay) throw movedOn("the request was settled in the meantime");
    if (carried.some(({ changed }) => changed)) throw movedOn("the request came again with other arguments");
  }

  /** Fails where something else waits that the backend would take the message for an answer to. */
  checkAlone(answers: (card: { key?: number; id?: string; request?: string; status: string }) => boolean): void {
    const { requestIds } = this.outbound;
    const others = this.#inbox.requests().filter(({ request }) => !requestIds.includes(request ?? ""));
    if (others.some(answers)) throw movedOn("something else is asked there by now");
  }

  /** Fails where something was asked since. */
  checkLast(): void {
    const carried = this.#carried();
    const last = Math.max(...carried.map(({ key = Infinity }) => key));
    const open = ["pending", "drafted", "sending", "blocked"];
    this.checkAlone(({ key = 0, status }) => key > last && open.includes(status));
  }

  #carried() {
    return this.#inbox.requests().filter(({ outbound }) => outbound?.id === this.outbound.id);
  }

  /** The backend has it. */
  delivered(): void {
    this.#tell(() => this.#inbox.delivered(this.outbound.id));
  }

  /** It did not arrive, or nobody knows whether it did. */
  failed(error: ConnectorError = closed()): void {
    const { message } = error;
    const status = this.#hasLeft ? error.status : NOT_TAKEN;
    this.#tell(() => this.#inbox.failed(this.outbound.id, status === undefined ? { message } : { status, message }));
  }

  /** It counted as delivered because it had left; but its connection broke before the backend said anything of it. */
  lost({ message }: ConnectorError): void {
    try {
      this.#inbox.failed(this.outbound.id, { message, late: true });
    } catch {
      // The inbox knows better by now.
    }
  }

  #tell(say: () => void): void {
    if (this.#told) return;
    this.#told = true;
    try {
      say();
    } catch {
      // The inbox was rebuilt or has settled it by itself: then nobody asks any more.
    }
  }
}
