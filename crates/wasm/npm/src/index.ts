/**
 * The inbox and the element that draws it. Importing this defines no tag and loads no wasm: see `countersign/define`.
 *
 * @module
 */
export { CountersignError } from "./error.js";
export { CountersignInboxElement } from "./element.js";
export type * from "./events.js";
export { Inbox, init, inspectArgs, versions } from "./full.js";
export type { Message } from "./message.js";
export type * from "./options.js";
export type * from "./types.js";
