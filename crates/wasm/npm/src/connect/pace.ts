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
  #isNews = false;
  #chases = 0;

  constructor(platform: Platform, backoff: Backoff, signal: AbortSignal) {
    this.#platform = platform;
    this.#backoff = backoff;
    this.#signal = signal;
  }

  /** Has the state read soon, where nothing else would; not before so many milliseconds have passed. */
  wake(pause = 0): void {
    if (pause > 0) this.#later(pause);
    else if (this.#awaited) this.#awaited(true);
    else this.#isDue = true;
  }

  #later(pause: number): void {
    if (this.#signal.aborted) return;
    const cancel = this.#platform.later(() => {
      this.#signal.removeEventListener("abort", cancel);
      this.wake();
    }, pause);
    this.#signal.addEventListener("abort", cancel);
  }

  /** Whether something that began at this moment lasted so long that it may be asked for again at once. */
  isLong(began: number): boolean {
    return this.#backoff.isLong(this.#platform.now() - began);
  }

  /** Ends the waiting without a need to read. */
  stir(): void {
    this.#awaited?.(false);
  }

  /** Something arrived in what is followed: the state is not read only because it has been quiet. */
  heard(): void {
    this.#isNews = true;
  }

  /** The answer to a message broke off: what became of it is seen in the state, now or after a while. */
  chase(): void {
    this.#chases = CHASES;
    this.wake();
  }

  /**
   * Waits until the state should be read, at the latest after `pollMs` in which nothing was heard; `false` says that it just was.
   * @throws {ConnectorError} when the connector is closed.
   */
  idle(pollMs?: number): Promise<boolean> {
    return this.#until(Infinity, pollMs);
  }

  /**
   * Waits for something that goes on elsewhere and cannot be followed, longer each round.
   * @throws {ConnectorError} when the connector is closed.
   */
  wait(round: number, pollMs?: number): Promise<boolean> {
    return this.#until(this.#backoff.limit(round), pollMs);
  }

  /** Waits that long, or for `pollMs` in which nothing was heard, or until it is woken; whether that was by time or by a wish to read. */
  rest(milliseconds: number, pollMs = Infinity): Promise<boolean> {
    return new Promise((resolve) => {
      const later = (callback: () => void, wait: number) => (Number.isFinite(wait) ? this.#platform.later(callback, wait) : undefined);
      const done = (isDue: boolean) => {
        cancel?.();
        unlisten?.();
        if (this.#awaited === done) this.#awaited = undefined;
        resolve(isDue);
      };
      const listen = () => {
        this.#isNews = false;
        unlisten = later(() => (this.#isNews ? listen() : done(true)), pollMs);
      };
      let unlisten: (() => void) | undefined;
      const cancel = later(() => done(true), milliseconds);
      listen();
      this.#awaited = done;
    });
  }

  async #until(milliseconds: number, pollMs?: number): Promise<boolean> {
    const isChase = this.#chases > 0;
    const chase = isChase ? this.#backoff.limit(CHASES - this.#chases) : Infinity;
    const isDue = this.#isDue || this.#signal.aborted || (await this.rest(Math.min(milliseconds, chase), pollMs));
    if (isDue && isChase) this.#chases -= 1;
    this.#isDue = false;
    if (this.#signal.aborted) throw closed();
    return isDue;
  }
}
