/** The wasm with the interface in it, and the inbox that lives there. */
import load, * as wasm from "./wasm/countersign.js";
import { BaseInbox } from "./inbox.js";
import type {
  InboxOptions,
  InitOptions,
  Inspection,
  JsonSchema,
  Validation,
  ValidationOptions,
  Versions,
  WasmSource,
} from "./options.js";
import { Runtime } from "./runtime.js";
import { asText, validate } from "./validate.js";

/** @internal */
export const runtime = new Runtime(wasm, (source) => load(source === undefined ? undefined : { module_or_path: source }));

/**
 * Loads the wasm with all adapters, or with those that are named. An element needs no call: when it is connected it loads
 * the wasm, and the adapter that it needs.
 *
 * @throws {CountersignError} with code `unknown-adapter` or `part-missing`.
 */
export function init(options?: WasmSource | InitOptions): Promise<void> {
  return runtime.init(options);
}

/** All requests of one conversation, which elements can draw. */
export class Inbox extends BaseInbox {
  /** Only for the compiler: the `Inbox` of `countersign/headless` is none that elements can draw. */
  protected declare readonly drawable: true;

  /** @throws {CountersignError} with code `not-initialised`, `unknown-adapter` or `options-invalid`. */
  constructor(options?: InboxOptions) {
    super(runtime, options);
  }
}

/**
 * What a reader must know about the arguments of a call, given as JSON text.
 *
 * @throws {CountersignError} with code `args-invalid` for what is no text.
 */
export function inspectArgs(argsText: string): Inspection {
  return JSON.parse(runtime.wasm.inspectArgs(asText(argsText))) as Inspection;
}

/**
 * Holds the arguments of a call, given as JSON text, against a JSON Schema of draft 2020-12 or draft-07, given as text or as an
 * object. Hand over text where numbers must not be rounded.
 *
 * @throws {CountersignError} with code `schema-invalid` or `args-invalid` for what cannot be read, `options-invalid`, `part-missing`.
 */
export function validateArgs(schema: string | JsonSchema, argsText: string, options?: ValidationOptions): Validation {
  return validate(runtime, schema, argsText, options);
}

/** What was built from what. */
export function versions(): Versions {
  return JSON.parse(runtime.wasm.versions()) as Versions;
}
