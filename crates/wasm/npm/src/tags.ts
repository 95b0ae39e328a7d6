import { CountersignCardElement } from "./card-element.js";
import { CountersignInboxElement } from "./element.js";
import { CountersignPolicyElement } from "./policy-element.js";

/**
 * Defines `<countersign-inbox>`, `<countersign-card>` and `<countersign-policy>`. A tag that was defined before stays as it
 * is.
 */
export function define(): void {
  if (!globalThis.customElements) return;
  if (!customElements.get("countersign-inbox")) customElements.define("countersign-inbox", CountersignInboxElement);
  if (!customElements.get("countersign-card")) customElements.define("countersign-card", CountersignCardElement);
  if (!customElements.get("countersign-policy")) customElements.define("countersign-policy", CountersignPolicyElement);
}
