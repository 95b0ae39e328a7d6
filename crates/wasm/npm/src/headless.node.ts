/**
 * The headless entry for Node, where a file beside the module is read and not fetched.
 *
 * @module
 */
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

import { isOptions } from "./runtime.js";
import { runtime } from "./headless.js";
import type { InitOptions, WasmSource } from "./options.js";

export * from "./headless.js";

runtime.parts.read = (url) => readFileSync(url);
runtime.parts.fetch = (url) => readFile(url);

/** Loads the wasm. Call and await it before anything else; adapters are read when they are needed. */
export function init(given?: WasmSource | InitOptions): Promise<void> {
  const options: InitOptions = isOptions(given) ? given : given === undefined ? {} : { source: given };
  const { source = runtime.ready ? undefined : BESIDE } = options;
  return runtime.init({ adapters: [], ...options, ...(source === undefined ? {} : { source: fromFile(source) }) });
}

const BESIDE = new URL("./wasm/headless_bg.wasm", import.meta.url);

/** The bytes of a file, which `fetch` does not read here; anything else is left to it. */
function fromFile(source: WasmSource): WasmSource {
  const isFile = (source instanceof URL || typeof source === "string") && String(source).startsWith("file:");
  return isFile ? readFile(new URL(source)) : source;
}
