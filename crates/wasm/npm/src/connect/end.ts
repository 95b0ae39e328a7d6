import type { ConnectorError } from "./failure.js";

/** An end that comes once, with an error. Not a promise: that would keep whatever ever waited beside it. */
export class End {
  #error: ConnectorError | undefined;
  #listeners = new Set<(error: ConnectorError) => void>();

  /** It comes now, unless it has come. */
  come(error: ConnectorError): void {
    if (this.#error) return;
    this.#error = error;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener(error);
  }

  /** Fails where it has come. */
  check(): void {
    if (this.#error) throw this.#error;
  }

  /** Calls `listener` when it comes, until the function that it returns is called. */
  listen(listener: (error: ConnectorError) => void): () => void {
    if (this.#error) listener(this.#error);
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What comes before the end, which fails. */
  async unless<T>(awaited: T | PromiseLike<T>): Promise<T> {
    let unlisten: (() => void) | undefined;
    const end = new Promise<never>((_, reject) => (unlisten = this.listen(reject)));
    try {
      return await Promise.race([awaited, end]);
    } finally {
      unlisten?.();
    }
  }
}
