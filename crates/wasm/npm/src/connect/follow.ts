import type { StreamEvent } from "./events.js";
import { isRefusal } from "./failure.js";
import { PATIENCE, type Call } from "./http.js";
import type { Link } from "./link.js";

/** What is followed during one connection, while the state is read beside it. When one stream is lost, all of them end. */
export class Follows {
  #link: Link;
  #call: (id: string) => Call;
  #each: (event: StreamEvent) => boolean;
  #open = new Map<string, AbortController>();
  /** What has ended, and how many readings of the state it is left alone for. */
  #over = new Map<string, number>();
  #hasLasted = false;
  #lost: unknown;

  /** `call` asks for a stream; `each` takes an event and says whether nothing more is to be waited for. */
  constructor(link: Link, call: (id: string) => Call, each: (event: StreamEvent) => boolean) {
    this.#link = link;
    this.#call = call;
    this.#each = each;
  }

  /** Whether a stream has ended since the state was read, which says what became of it. */
  get isOver(): boolean {
    return this.#over.size > 0;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  /** The state was read: what has ended may be followed once more; what had settled only after another reading, where the state does not know that yet. */
  renew(): void {
    for (const [id, left] of this.#over) {
      if (left > 1) this.#over.set(id, left - 1);
      else this.#over.delete(id);
    }
  }

  /** Whether a stream that ended since this was asked had lasted, and was not merely begun and hung up. */
  hasLasted(): boolean {
    const hasLasted = this.#hasLasted;
    this.#hasLasted = false;
    return hasLasted;
  }

  /** Follows these and nothing else, none of them twice. */
  only(ids: string[]): void {
    for (const [id, abort] of this.#open) {
      if (ids.includes(id)) continue;
      this.#open.delete(id);
      abort.abort();
    }
    if (this.#lost !== undefined) return;
    for (const id of ids) if (!this.#open.has(id) && !this.#over.has(id)) void this.#follow(id);
  }

  /**
   * Waits meanwhile.
   * @throws what a stream was lost with.
   */
  async beside(wait: () => boolean | Promise<boolean>): Promise<boolean> {
    const isDue = this.#lost === undefined && (await wait());
    if (this.#lost !== undefined) throw this.#lost;
    return isDue;
  }

  end(): void {
    this.only([]);
  }

  async #follow(id: string): Promise<void> {
    const abort = new AbortController();
    this.#open.set(id, abort);
    const { http, pace, platform } = this.#link;
    const began = platform.now();
    let isSettled = false;
    let lost: unknown;
    // It may be silent because nothing comes over it any more: the state says what it has missed.
    const quiet = () => pace.wake();
    try {
      for await (const event of http.stream({ ...this.#call(id), signal: abort.signal, patienceMs: PATIENCE, quiet })) {
        if (abort.signal.aborted) return;
        pace.heard();
        isSettled = this.#each(event);
        // A stream that stays open all the same would take a connection from those of decisions.
        if (isSettled) break;
      }
    } catch (error) {
      // It has just ended and is not there any more, or cannot be followed here: the state says what became of it.
      if (!isRefusal(error)) lost = error;
    }
    if (abort.signal.aborted) return;
    this.#open.delete(id);
    this.#over.set(id, isSettled ? 2 : 1);
    this.#hasLasted ||= pace.isLong(began);
    if (lost !== undefined) {
      this.#lost = lost;
      this.end();
    }
    if (isSettled) pace.wake();
    else pace.stir();
  }
}
