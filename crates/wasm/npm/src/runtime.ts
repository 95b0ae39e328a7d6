import { CountersignError } from "./error.js";
import type { WasmSource } from "./options.js";
import type { RawInbox } from "./wasm/headless.js";

/** What one of the two wasm files exports. */
export interface Wasm {
  RawInbox: new (options: string, seed: string) => RawInbox;
  inspectArgs(text: string): string;
  versions(): string;
}

/** One wasm file and whether it is ready. */
export class Runtime<T extends Wasm> {
  #wasm: T;
  #load: (source: WasmSource | undefined) => Promise<unknown>;
  #loading: Promise<void> | undefined;
  #ready = false;

  constructor(wasm: T, load: (source: WasmSource | undefined) => Promise<unknown>) {
    this.#wasm = wasm;
    this.#load = load;
  }

  /** Loads the wasm; once, however often and however simultaneously it is called. After a failure it can be called again. */
  init(source?: WasmSource): Promise<void> {
    this.#loading ??= this.#load(source).then(
      () => {
        this.#ready = true;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** Whether the wasm can be used. */
  get ready(): boolean {
    return this.#ready;
  }

  /** What the wasm exports. */
  get wasm(): T {
    if (!this.#ready) {
      throw new CountersignError("not-initialised", "Countersign is not initialised: call and await init() first", {
        help: "await init()",
      });
    }
    return this.#wasm;
  }
}
