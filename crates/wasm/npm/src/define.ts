/**
 * Defines `<countersign-inbox>`. A tag that was defined before stays as it is.
 *
 * @module
 */
import { CountersignInboxElement } from "./element.js";

if (globalThis.customElements && !customElements.get("countersign-inbox")) {
  customElements.define("countersign-inbox", CountersignInboxElement);
}
