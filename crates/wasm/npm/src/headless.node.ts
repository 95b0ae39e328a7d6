/**
 * The headless entry for Node, where a file beside the module is read and not fetched.
 *
 * @module
 */
import { readFile } from "node:fs/promises";

import { runtime } from "./headless.js";
import type { WasmSource } from "./options.js";

export * from "./headless.js";

/** Loads the wasm. Call and await it before anything else; calling it again does nothing. */
export function init(source?: WasmSource): Promise<void> {
  if (runtime.ready) return runtime.init();
  return runtime.init(source ?? readFile(new URL("./wasm/headless_bg.wasm", import.meta.url)));
}
