/**
 * Defines `<countersign-inbox>`, `<countersign-card>` and `<countersign-policy>`. A tag that was defined before stays as it
 * is.
 *
 * @module
 */
import { define } from "./tags.js";

export { define };

define();
