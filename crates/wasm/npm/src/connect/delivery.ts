import type { Outbound } from "../options.js";
import { closed, movedOn, type ConnectorError } from "./failure.js";
import type { ConnectorInbox } from "./types.js";

/** One message on its way, and the one word to the inbox about what became of it. */
export class Delivery {
  readonly outbound: Outbound;
  #inbox: ConnectorInbox;
  #told = false;

  constructor(inbox: ConnectorInbox, outbound: Outbound) {
    this.#inbox = inbox;
    this.outbound = outbound;
  }

  /** Whether the inbox was told. */
  get told(): boolean {
    return this.#told;
  }

  /**
   * Fails unless the inbox still waits for the fate of this message.
   *
   * A message that was delivered, or that answers what is settled or forgotten by now, must not leave.
   */
  check(): void {
    const { id } = this.outbound;
    const carried = this.#inbox.requests().filter(({ outbound }) => outbound?.id === id);
    const isOnItsWay = carried.every(({ status, outbound }) => status === "sending" && outbound?.state === "sending");
    if (carried.length === 0 || !isOnItsWay) throw movedOn("the request was settled in the meantime");
  }

  /** The backend has it. */
  delivered(): void {
    this.#tell(() => this.#inbox.delivered(this.outbound.id));
  }

  /** It did not arrive, or nobody knows whether it did. */
  failed({ status, message }: ConnectorError = closed()): void {
    this.#tell(() => this.#inbox.failed(this.outbound.id, status === undefined ? { message } : { status, message }));
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
