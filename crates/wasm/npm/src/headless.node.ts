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
  const { source = runtime.ready ? undefined : readFile(new URL("./wasm/headless_bg.wasm", import.meta.url)) } = options;
  return runtime.init({ adapters: [], ...options, ...(source === undefined ? {} : { source }) });
}
