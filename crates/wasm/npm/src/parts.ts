import { CountersignError } from "./error.js";
import type { PartSource } from "./options.js";

/** The part that holds arguments against a JSON Schema, where it is one of its own. */
export const SCHEMA = "schema";

/** @internal The part with what answers without a person: policies, and what people granted. */
export const POLICY = "policy";

/** @internal The part with the dialog in which arguments are edited. */
export const EDITING = "editing";

/** @internal What a page loads only where it uses what they are for. */
export const ON_DEMAND: readonly string[] = [EDITING, SCHEMA, POLICY];

/** @internal The part with whatever is rarely needed. */
export const REST = "rest";

/** What a decision needs and a card that is only looked at does not, and whatever is rarely needed; in this order. */
export const LATER: readonly string[] = ["deciding", REST];

/**
 * The parts of one wasm that are not in its first file.
 *
 * When the wasm calls a function of a part that is not there, the part is loaded on the spot, and the call goes on. So
 * nothing depends on when parts are loaded; {@link prefetch} only saves the waiting.
 */
export class Parts {
  /** Reads bytes without letting anything else happen; `undefined` where that cannot be done. */
  read: ((url: URL) => BufferSource) | undefined = canReadNow() ? readNow : undefined;
  /** Reads bytes in the background. */
  fetch: (url: URL) => Promise<BufferSource | Response> = (url) => fetch(url);
  #urls: Map<string, () => URL | undefined>;
  #wasm: () => WebAssembly.Exports;
  #replace: (broken: WebAssembly.Exports) => void;
  #given = new Map<string, PartSource>();
  #loaded = new Set<string>();
  #loading = new Map<string, Promise<void>>();
  #listeners = new Set<(error: CountersignError) => void>();

  constructor(
    urls: [name: string, url: () => URL][],
    wasm: () => WebAssembly.Exports,
    replace: (broken: WebAssembly.Exports) => void,
  ) {
    this.#urls = new Map(urls);
    this.#wasm = wasm;
    this.#replace = replace;
  }

  get names(): string[] {
    return [...this.#urls.keys()];
  }

  /** Those that are an adapter each. */
  get adapters(): string[] {
    return this.names.filter((name) => ![...ON_DEMAND, ...LATER].includes(name));
  }

  /** Whether the part is there; one that does not exist is never missed. */
  has(name: string): boolean {
    return this.#loaded.has(name) || !this.#urls.has(name);
  }

  /** Takes parts from elsewhere than beside the script. */
  give(sources: Record<string, PartSource>): void {
    for (const [name, source] of Object.entries(sources)) this.#given.set(name, source);
  }

  /** Nothing lies beside the script: parts come from where they are given. */
  detach(): void {
    for (const name of this.names) this.#urls.set(name, () => undefined);
  }

  /** Whether it was said where the part comes from. */
  isGiven(name: string): boolean {
    return this.#given.has(name);
  }

  /**
   * Loads a part in the background; once, however often it is called. After a failure it can be called again.
   *
   * `first` is the loading of the first file, which need not have ended.
   */
  prefetch(name: string, first?: Promise<void>): Promise<void> {
    if (this.has(name)) return Promise.resolve();
    const loading = this.#loading.get(name) ?? this.#prefetch(name, first).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  /** Loads parts in the background, one after another. Where that fails, it is tried again when they are needed. */
  async prefetchAll(names: readonly string[]): Promise<void> {
    for (const name of names) await this.prefetch(name).catch(() => {});
  }

  async #prefetch(name: string, first: Promise<void> | undefined): Promise<void> {
    const missing = (cause: unknown): never => {
      throw this.#missing(name, cause);
    };
    const [module] = await Promise.all([this.#compile(name).catch(missing), first]);
    // Where it was needed meanwhile, it is there already.
    if (this.has(name)) return;
    await WebAssembly.instantiate(module, this.#imports()).catch(missing);
    this.#loaded.add(name);
  }

  /**
   * Loads a part at once, and lets nothing else happen meanwhile.
   * @throws {CountersignError} with code `part-missing`; nothing has changed.
   */
  demand(name: string): void {
    if (this.has(name)) return;
    try {
      const source = this.#source(name);
      const code = source instanceof URL ? this.#readNow(source) : source;
      new WebAssembly.Instance(code instanceof WebAssembly.Module ? code : new WebAssembly.Module(code as BufferSource), this.#imports());
      this.#loaded.add(name);
    } catch (cause) {
      throw this.#missing(name, cause);
    }
  }

  /**
   * Called by the wasm in the middle of its work, with the place of a part in the list.
   *
   * Without the part it cannot finish what it began, and what it had begun to change is neither old nor new. So from
   * then on every call into it throws: nothing is decided or sent from a state that nobody knows.
   */
  load(place: number): void {
    try {
      this.demand(this.names[place] ?? "");
    } catch (error) {
      this.#break(error as CountersignError);
      throw error;
    }
  }

  /** Calls `listener` when the wasm can do no more, until the function that it returns is called. */
  onBreak(listener: (error: CountersignError) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #break(error: CountersignError): void {
    console.error(error);
    const get = (_: unknown, name: string | symbol) => {
      // What only gives something back is called where nobody could catch anything.
      if (/free|drop|dealloc|destroy|dtor|unmount/.test(String(name))) return () => {};
      throw error;
    };
    this.#replace(new Proxy<WebAssembly.Exports>({}, { get }));
    for (const listener of this.#listeners) listener(error);
  }

  #source(name: string): Exclude<PartSource, string> {
    const source = this.#given.get(name) ?? this.#urls.get(name)?.();
    if (source === undefined) throw new TypeError("nobody said where it is");
    return typeof source === "string" ? new URL(source, globalThis.location?.href) : source;
  }

  async #compile(name: string): Promise<WebAssembly.Module> {
    const source = this.#source(name);
    if (source instanceof WebAssembly.Module) return source;
    const found = source instanceof URL ? await this.fetch(source) : source;
    if (!(found instanceof Response)) return WebAssembly.compile(found as BufferSource);
    if (!found.ok) throw new Error(`${found.status} ${found.statusText}`);
    return WebAssembly.compile(await found.arrayBuffer());
  }

  #readNow(url: URL): BufferSource {
    if (!this.read) throw new Error("nothing can be loaded here without waiting");
    return this.read(url);
  }

  /** What parts take from the first module, by its build too, so that parts of another build are refused. */
  #imports(): WebAssembly.Imports {
    const wasm = this.#wasm() as Record<string, WebAssembly.ExportValue>;
    const { value } = wasm["build"] as WebAssembly.Global<"i32">;
    const shared = wasm["shared"] as WebAssembly.Table;
    // What is not exported stands in a table; its name is the number of its slot, in printed characters.
    const get = (_: unknown, name: string) => wasm[name] ?? (shared.get(slot(name)) as WebAssembly.ExportValue);
    return { "": new Proxy<WebAssembly.ModuleImports>({}, { get }), [String(value >>> 0)]: wasm };
  }

  #missing(name: string, cause: unknown): CountersignError {
    const source = this.#given.get(name) ?? this.#urls.get(name)?.();
    const place = source instanceof URL || typeof source === "string" ? ` from ${source}` : "";
    return missing(`the part \`${name}\` could not be loaded${place}`, cause);
  }
}

function slot(name: string): number {
  return [...name].reduce((number, digit) => (number + 1) * 94 + digit.charCodeAt(0) - 33, -1);
}

/** @internal A file that cannot be had; nothing has changed. */
export function missing(what: string, cause: unknown): CountersignError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CountersignError("part-missing", `${what}: ${reason}`, {
    help:
      "serve every .wasm file of the package, all from the same build; elements ask again by themselves, " +
      "only what broke in the middle of a decision needs the page loaded again; " +
      'a development server of Vite before 8 needs `optimizeDeps: { exclude: ["countersign"] }`',
    cause,
  });
}

/** Whether a page may wait for a request; a policy of its server, or of the page around it, can forbid that. */
function canReadNow(): boolean {
  // Browsers that have no such policy heed none.
  const { featurePolicy } = (globalThis.document ?? {}) as { featurePolicy?: { allowsFeature(name: string): boolean } };
  return Boolean(globalThis.XMLHttpRequest) && featurePolicy?.allowsFeature("sync-xhr") !== false;
}

/** Reads bytes while the page stands still. */
function readNow(url: URL): BufferSource {
  const request = new XMLHttpRequest();
  request.open("GET", url, false);
  // A page cannot ask for bytes in this way; so they come as the lower halves of characters.
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  if (request.status !== 200) throw new Error(`${request.status} ${request.statusText}`);
  return Uint8Array.from(request.responseText, (character) => character.charCodeAt(0));
}
