import { attempt, CountersignError } from "./error.js";
import { jsonOf, whole } from "./message.js";
import type { JsonSchema, Validation, ValidationOptions } from "./options.js";
import { SCHEMA } from "./parts.js";
import { mustBeObject, type Runtime, type Wasm } from "./runtime.js";

/** Holds arguments against a schema. */
export function validate({ wasm, parts }: Runtime<Wasm>, schema: string | JsonSchema, argsText: string, options: ValidationOptions = {}): Validation {
  const { dialect, formats = false } = mustBeObject(options);
  if (dialect !== undefined && typeof dialect !== "string") {
    throw new CountersignError("options-invalid", "a dialect is `2020-12` or `draft-07`", { path: "/dialect" });
  }
  if (schema === undefined) throw new CountersignError("schema-invalid", "a schema is an object, true or false");
  const given = jsonOf(schema, "schema-invalid");
  const args = asText(argsText);
  // Before the wasm begins, so that where it cannot be loaded nothing has happened.
  parts.demand(SCHEMA);
  return JSON.parse(attempt(() => wasm.validateArgs(given, args, dialect, formats))) as Validation;
}

/** Arguments as text: what a parser made of them is not what arrived. */
export function asText(args: unknown): string {
  if (typeof args === "string") return whole(args);
  throw new CountersignError("args-invalid", "arguments are JSON text", { help: "hand over `argsText` of the card, or `JSON.stringify(args)`" });
}
