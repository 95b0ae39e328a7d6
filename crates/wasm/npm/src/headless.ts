/**
 * The rules without the pixels: for an interface of one's own, a worker, a test, a server.
 *
 * @module
 */
import load, * as wasm from "./wasm/headless.js";
import { BaseInbox } from "./inbox.js";
import type {
  AuditFault,
  InboxOptions,
  InitOptions,
  Inspection,
  JsonSchema,
  Validation,
  ValidationOptions,
  Versions,
  WasmSource,
} from "./options.js";
import { CountersignError } from "./error.js";
import { Runtime } from "./runtime.js";
import { asText, validate } from "./validate.js";

export { CountersignError } from "./error.js";
export type { Message } from "./message.js";
export type * from "./options.js";
export type * from "./types.js";

/** @internal */
export const runtime = new Runtime(wasm, (source) => load(source === undefined ? undefined : { module_or_path: source }));

/**
 * Loads the wasm. Call and await it before anything else; calling it again loads only what is missing.
 *
 * @example await init({ adapters: ["langgraph"] });
 * @throws {CountersignError} with code `unknown-adapter` or `part-missing`.
 */
export function init(options?: WasmSource | InitOptions): Promise<void> {
  return runtime.init(options);
}

/** All requests of one conversation. */
export class Inbox extends BaseInbox {
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

/**
 * Looks through a record that {@link Inbox.audit} gave: where it is not what was written, or `undefined`. Lines that were cut off at
 * its end show only by the hash of the last line, kept elsewhere.
 *
 * @throws {CountersignError} with code `options-invalid` for what is no text.
 */
export function verifyAudit(jsonLines: string): AuditFault | undefined {
  if (typeof jsonLines !== "string") throw new CountersignError("options-invalid", "a record is the text that `audit()` gave");
  const fault = runtime.wasm.verifyAudit(jsonLines);
  return fault === undefined ? undefined : (JSON.parse(fault) as AuditFault);
}

/** What was built from what. */
export function versions(): Versions {
  return JSON.parse(runtime.wasm.versions()) as Versions;
}
