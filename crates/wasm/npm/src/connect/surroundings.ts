import type { Retry, Surroundings } from "./types.js";

/** The longest time that a timer knows, in milliseconds: 24 days. */
const LONGEST = 2 ** 31 - 1;

/** As many of the first waits a connection lasts that was no mere moment. */
const LASTING = 10;

/** What a connector uses of its surroundings; functions of the platform are called as such, for browsers insist on it. */
export interface Platform {
  fetch(url: string, init: RequestInit): Promise<Response>;
  now(): number;
  /** Calls back after a while, unless the function that it returns is called before. */
  later(callback: () => void, milliseconds: number): () => void;
  random(): number;
  network: Surroundings["network"];
}

export function platform(given: Surroundings): Platform {
  const set = given.setTimeout ?? ((callback: () => void, milliseconds: number) => setTimeout(callback, milliseconds));
  const clear = (given.clearTimeout ?? ((timer: never) => clearTimeout(timer))) as (timer: unknown) => void;
  const own = typeof globalThis.addEventListener === "function" ? globalThis : undefined;
  return {
    fetch: given.fetch ?? ((url, init) => fetch(url, init)),
    now: given.now ?? (() => Date.now()),
    later(callback, milliseconds) {
      // What is longer would come at once.
      const timer = set(callback, Math.min(milliseconds, LONGEST));
      return () => clear(timer);
    },
    random: given.random ?? (() => Math.random()),
    network: given.network ?? own,
  };
}

/** How long to wait, and when to give up. */
export class Backoff {
  #base: number;
  #max: number;
  #attempts: number;
  #failed = 0;
  #round = 0;

  constructor({ baseMs = 500, maxMs = 30_000, attempts = Infinity }: Retry = {}) {
    this.#base = baseMs;
    this.#max = maxMs;
    this.#attempts = attempts;
  }

  /** The limit of a wait, in milliseconds; of the next one, if nothing is said. */
  limit(round = this.#round): number {
    return Math.min(this.#max, this.#base * 2 ** round);
  }

  /** The next wait, or nothing when the attempts are used up. All of it is random: many tabs must not come back at once. */
  next(random: () => number): number | undefined {
    const wait = this.limit() * random();
    this.#round += 1;
    this.#failed += 1;
    return this.#failed < this.#attempts ? wait : undefined;
  }

  /** Whether a connection lasted so many milliseconds that a backend is not asked too often when the next one follows at once. */
  isLong(milliseconds: number): boolean {
    return milliseconds >= LASTING * this.#base;
  }

  /** A connection lasted so many milliseconds: whether it counts as a failed attempt, and how long is waited after it. */
  lasted(milliseconds: number): void {
    if (milliseconds >= this.limit(this.#failed)) this.#failed = 0;
    if (this.isLong(milliseconds) && milliseconds >= this.limit()) this.#round = 0;
  }

  /** All begins anew. */
  reset(): void {
    this.#failed = 0;
    this.#round = 0;
  }
}

/** A random UUID. Not `crypto.randomUUID`, which only secure pages have. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
