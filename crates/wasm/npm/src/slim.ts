/**
 * The inbox and the elements without any address in them: for libraries, extensions, and hosts that serve files in their own
 * way. Nothing is downloaded but what `init` was told, and elements wait until it was.
 *
 * One module, made by the build. Its inbox is not that of the entry `countersign`: take everything from one of them.
 *
 * @example
 * ```js
 * await init({ source: first, adapters: ["a2a"], parts: { a2a, deciding, editing, policy, rest, schema } });
 * define();
 * ```
 * @module
 */
import { runtime } from "./full.js";

export * from "./index.js";
export { define } from "./tags.js";

runtime.wait();
