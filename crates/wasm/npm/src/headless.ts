/**
 * The rules without the pixels: for an interface of one's own, a worker, a test, a server.
 *
 * @module
 */
import load, * as wasm from "./wasm/headless.js";
import { BaseInbox } from "./inbox.js";
import type { InboxOptions, Inspection, Versions, WasmSource } from "./options.js";
import { Runtime } from "./runtime.js";

export { CountersignError } from "./error.js";
export type { Message } from "./message.js";
export type * from "./options.js";
export type * from "./types.js";

/** @internal */
export const runtime = new Runtime(wasm, (source) => load(source === undefined ? undefined : { module_or_path: source }));

/** Loads the wasm. Call and await it before anything else; calling it again does nothing. */
export function init(source?: WasmSource): Promise<void> {
  return runtime.init(source);
}

/** All requests of one conversation. */
export class Inbox extends BaseInbox {
  /** @throws {CountersignError} with code `not-initialised`, `unknown-adapter` or `options-invalid`. */
  constructor(options?: InboxOptions) {
    super(runtime.wasm, options);
  }
}

/** What a reader must know about the arguments of a call, given as JSON text. */
export function inspectArgs(argsText: string): Inspection {
  return JSON.parse(runtime.wasm.inspectArgs(argsText)) as Inspection;
}

/** What was built from what. */
export function versions(): Versions {
  return JSON.parse(runtime.wasm.versions()) as Versions;
}
