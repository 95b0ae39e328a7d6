import { CountersignError } from "./error.js";
import type { InitOptions, PartSource, WasmSource } from "./options.js";
import { LATER, missing, ON_DEMAND, POLICY, type Parts } from "./parts.js";
import type { RawInbox } from "./wasm/headless.js";

/** What one of the two wasm files exports. */
export interface Wasm {
  RawInbox: new (options: string, seed: string) => RawInbox;
  adapterOf(message: Uint8Array): string | undefined;
  inspectArgs(text: string): string;
  validateArgs(schema: string, args: string, dialect: string | undefined, formats: boolean): string;
  versions(): string;
}

/** Files that do not lie beside the script. */
export interface Supply {
  /** The first file. */
  source: WasmSource;
  parts: Record<string, PartSource>;
}

/** One wasm and whether it is ready. */
export class Runtime<T extends Wasm> {
  readonly parts: Parts;
  #wasm: T;
  #load: (source: WasmSource | undefined) => Promise<unknown>;
  #loading: Promise<void> | undefined;
  #ready = false;
  #supply: (() => Promise<Supply>) | undefined;
  /** Says where the first file is to whoever waits for it. */
  #tell: ((source: WasmSource) => void) | undefined;

  constructor(wasm: T & { parts: Parts }, load: (source: WasmSource | undefined) => Promise<unknown>) {
    this.#wasm = wasm;
    this.parts = wasm.parts;
    this.#load = load;
  }

  /** Takes all files from elsewhere than beside the script, once they are needed. */
  supply(files: () => Promise<Supply>): void {
    this.#supply = files;
    this.parts.detach();
  }

  /** Loads nothing before `init` has said where the files are. */
  wait(): void {
    const told = new Promise<Supply>((resolve) => {
      this.#tell = (source) => resolve({ source, parts: {} });
    });
    this.supply(() => told);
  }

  async #find(source: WasmSource | undefined): Promise<WasmSource | undefined> {
    if (source !== undefined || !this.#supply) return source;
    const supply = await this.#supply();
    this.parts.give(supply.parts);
    return supply.source;
  }

  /** Loads the first file; once, however often and however simultaneously it is called. After a failure it can be called again. */
  start(source?: WasmSource): Promise<void> {
    this.#loading ??= this.#find(source).then((found) => this.#load(found)).then(
      () => {
        this.#ready = true;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw missing("the first file of the wasm could not be loaded", error);
      },
    );
    return this.#loading;
  }

  /** @internal Loads the first file, and these parts; `undefined` where all of that is there. */
  load(wanted: readonly string[] = []): Promise<unknown> | undefined {
    const { parts } = this;
    // Where nothing can be loaded at once, everything has to be there before the wasm begins.
    const needed = () => (parts.read ? wanted : parts.names.filter((name) => !this.#supply || parts.isGiven(name)));
    if (this.#ready && needed().every((name) => parts.has(name))) return undefined;
    const first = this.start();
    const all = () => Promise.all([first, ...needed().map((name) => parts.prefetch(name, first))]);
    // Where files are supplied, they are known once the first one is.
    return this.#supply ? first.then(all) : all();
  }

  /** Loads the first file and some adapters: all where none are named. */
  async init(given?: WasmSource | InitOptions): Promise<void> {
    const { source, adapters: named, policy, parts } = isOptions(given) ? given : ({ source: given } as InitOptions);
    const known = this.parts.adapters;
    // One name is no list, and none of its letters is one.
    const adapters = named && [named].flat();
    for (const name of adapters ?? []) {
      if (known.includes(name)) continue;
      throw new CountersignError("unknown-adapter", `there is no adapter \`${name}\`; known are ${known.join(", ")}`);
    }
    if (parts) this.parts.give(parts);
    const waited = this.#tell !== undefined;
    if (waited) this.#hear(source, adapters ?? []);
    const all = waited ? this.parts.names.filter((name) => this.parts.isGiven(name)) : this.parts.names;
    const needed = [...(adapters ?? known.filter((name) => all.includes(name))), ...(policy ? [POLICY, ...LATER] : [])];
    const wanted = this.parts.read ? needed : all;
    const first = this.start(source);
    if (this.#supply) await first;
    await Promise.all([first, ...wanted.map((name) => this.parts.prefetch(name, first))]);
    void this.parts.prefetchAll(LATER);
  }

  /** Takes note of where the host says that the files are. */
  #hear(source: WasmSource | undefined, adapters: readonly string[]): void {
    const parts = [...LATER, ...ON_DEMAND, ...adapters].filter((name) => !this.parts.has(name) && !this.parts.isGiven(name));
    const missing = [...(source === undefined && !this.#ready ? ["source"] : []), ...parts.map((name) => `parts.${name}`)];
    if (missing.length > 0) {
      const help = "this entry has no files beside it: name each with its address, its bytes or its module";
      throw new CountersignError("options-invalid", `init() was not told \`${missing.join("`, `")}\``, { help });
    }
    if (source !== undefined) this.#tell?.(source);
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

/** @throws {CountersignError} with code `options-invalid` for options that are no object. */
export function mustBeObject<T>(options: T): T {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return options;
  throw new CountersignError("options-invalid", "the options are an object");
}

/** An object literal, which no source is. */
export function isOptions(given: unknown): given is InitOptions {
  return typeof given === "object" && given !== null && Object.getPrototypeOf(given) === Object.prototype;
}
