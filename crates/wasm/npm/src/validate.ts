import { attempt, CountersignError } from "./error.js";
import type { JsonSchema, Validation, ValidationOptions } from "./options.js";
import type { Wasm } from "./runtime.js";

/** Holds arguments against a schema. */
export function validate(wasm: Wasm, schema: string | JsonSchema, argsText: string, options: ValidationOptions = {}): Validation {
  const { dialect, formats = false } = options;
  return JSON.parse(attempt(() => wasm.validateArgs(stringify(schema), argsText, dialect, formats))) as Validation;
}

function stringify(schema: string | JsonSchema): string {
  if (typeof schema === "string") return schema;
  try {
    // What has no JSON at all becomes no text, which is no schema either.
    return (JSON.stringify(schema) as string | undefined) ?? "";
  } catch (cause) {
    throw new CountersignError("schema-invalid", "the schema cannot be written as JSON", { cause });
  }
}
