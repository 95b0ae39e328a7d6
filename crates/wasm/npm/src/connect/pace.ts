import { closed } from "./failure.js";
import type { Backoff, Platform } from "./surroundings.js";

/** How often the state is read again after the answer to a message broke off. */
const CHASES = 8;

/** When the state is read next: after a while, when someone wants it, or when something broke off. */
export class Pace {
  #platform: Platform;
  #backoff: Backoff;
  #signal: AbortSignal;
  #awaited: ((isDue: boolean) => void) | undefined;
  #isDue = false;
  #chases = 0;

  constructor(platform: Platform, backoff: Backoff, signal: AbortSignal) {
    this.#platform = platform;
    this.#backoff = backoff;
    this.#signal = signal;
  }

  /** Has the state read soon, where nothing else would. */
  wake(): void {
    if (this.#awaited) this.#awaited(true);
    else this.#isDue = true;
  }

  /** Ends the waiting without a need to read. */
  stir(): void {
    this.#awaited?.(false);
  }

  /** The answer to a message broke off: what became of it is seen in the state, now or after a while. */
  chase(): void {
    this.#chases = CHASES;
    this.wake();
  }

  /**
   * Waits until the state should be read; `false` says that it just was.
   * @throws {ConnectorError} when the connector is closed.
   */
  idle(pollMs = Infinity): Promise<boolean> {
    const chase = this.#chases > 0 ? this.#backoff.limit(CHASES - this.#chases--) : Infinity;
    return this.#until(Math.min(pollMs, chase));
  }

  /**
   * Waits for something that goes on elsewhere and cannot be followed, longer each round.
   * @throws {ConnectorError} when the connector is closed.
   */
  wait(round: number): Promise<boolean> {
    return this.#until(this.#backoff.limit(round));
  }

  /** Waits that long, or until it is woken; whether that was by time or by a wish to read. */
  rest(milliseconds: number): Promise<boolean> {
    return new Promise((resolve) => {
      const done = (isDue: boolean) => {
        cancel?.();
        if (this.#awaited === done) this.#awaited = undefined;
        resolve(isDue);
      };
      const cancel = Number.isFinite(milliseconds) ? this.#platform.later(() => done(true), milliseconds) : undefined;
      this.#awaited = done;
    });
  }

  async #until(milliseconds: number): Promise<boolean> {
    const isDue = this.#isDue || (await this.rest(milliseconds));
    this.#isDue = false;
    if (this.#signal.aborted) throw closed();
    return isDue;
  }
}
