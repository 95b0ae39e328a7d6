/** What an element was given to read while a file that this takes could not be had. */
import type { CountersignError } from "./error.js";
import { runtime } from "./full.js";
import type { Receipt } from "./options.js";

/** After this time it is tried again, in milliseconds, then after twice as long, up to the second. */
const PATIENCE = 1000;
const LONGEST = 60_000;

/** @internal A message that waits. */
export interface Kept {
  /** Loads what it takes; `undefined` where that is there. */
  prepare(): Promise<unknown> | undefined;
  now(): Receipt;
}

/** @internal Messages in the order in which they were given; they are read once what they take is there. */
export class Shelf {
  /** Why the last of them could not be read. */
  error: CountersignError | undefined;
  #kept: Kept[] = [];
  #patience = PATIENCE;
  #again: ReturnType<typeof setTimeout> | undefined;
  #isWanted: () => boolean;
  #emptied: () => void;

  /** `isWanted` says whether somebody still looks at them, `emptied` hears that none is left. */
  constructor(isWanted: () => boolean, emptied: () => void) {
    this.#isWanted = isWanted;
    this.#emptied = emptied;
  }

  get isEmpty(): boolean {
    return this.#kept.length === 0;
  }

  /** A history replaces what was given before. */
  keep(message: Kept, history: boolean, error: CountersignError): void {
    this.#kept = history ? [message] : [...this.#kept, message];
    this.error = error;
    this.#wait();
  }

  /** Reads what can be read by now. */
  read(): void {
    if (this.isEmpty || !runtime.ready) return;
    for (const message of this.#kept) {
      const loading = message.prepare();
      if (loading) {
        loading.catch(() => {});
        continue;
      }
      this.#kept = this.#kept.filter((other) => other !== message);
      try {
        message.now();
      } catch (error) {
        // Whoever gave it was told already that it was not read.
        console.error(error);
      }
    }
    if (this.isEmpty) this.#emptied();
  }

  /** Asks for what is missing, and reads. */
  async retry(): Promise<void> {
    clearTimeout(this.#again);
    this.#again = undefined;
    try {
      await runtime.load();
      for (const { prepare } of this.#kept) await prepare();
    } catch {
      // The next time, perhaps.
    }
    this.read();
    this.#wait();
  }

  #wait(): void {
    if (this.isEmpty) {
      this.#patience = PATIENCE;
      return;
    }
    this.#again ??= setTimeout(() => {
      this.#again = undefined;
      if (this.#isWanted()) void this.retry();
    }, this.#patience);
    this.#patience = Math.min(LONGEST, 2 * this.#patience);
  }
}
