/**
 * The inbox and the elements that draw it. Importing this defines no tag and loads no wasm: see `countersign/define`.
 *
 * @module
 */
export { CountersignError } from "./error.js";
export { CountersignCardElement } from "./card-element.js";
export { CountersignInboxElement } from "./element.js";
export { CountersignPolicyElement } from "./policy-element.js";
export type * from "./events.js";
export { Inbox, init, inspectArgs, validateArgs, versions } from "./full.js";
export type { CountersignMarkup } from "./markup.js";
export type { Message } from "./message.js";
export type * from "./options.js";
export type * from "./types.js";
export type { Messages } from "./wording.js";
