/**
 * Defines `<countersign-inbox>`, `<countersign-card>` and `<countersign-policy>`. A tag that was defined before stays as it
 * is.
 *
 * @module
 */
import { define } from "./tags.js";

// With the types of the elements and their events, so that whoever imports only this finds them in the document.
export type { CountersignCardElement } from "./card-element.js";
export type { CountersignInboxElement } from "./element.js";
export type * from "./events.js";
export type { CountersignPolicyElement } from "./policy-element.js";
export { define };

define();
