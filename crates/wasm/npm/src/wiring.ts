import type { ChangeDetail, ErrorDetail, GrantsDetail, PolicyChangeDetail } from "./events.js";
import type { Outbound } from "./options.js";

const UNKNOWN = "`onSend` returned no promise, and nobody knows whether the message arrived: return that of `fetch`";

/** What a component of a framework hears from the element. */
export interface Handlers {
  /**
   * Sends a message to the backend. When the promise resolves, the message was delivered; a `Response` that is not
   * `ok`, a rejection, or no promise at all is a failure, after which a person can send it again.
   */
  onSend?: ((outbound: Outbound) => PromiseLike<unknown>) | undefined;
  /** A person wants more time for a call: resolves to until when the agent waits. Only with the option `extend`. */
  onExtend?: ((requestId: string) => PromiseLike<number>) | undefined;
  /** Something looks different. */
  onChange?: ((detail: ChangeDetail) => void) | undefined;
  /** Something was refused, or could not be read or loaded. */
  onError?: ((detail: ErrorDetail) => void) | undefined;
  /** A person granted something, or took a grant back: keep `text`. */
  onGrants?: ((detail: GrantsDetail) => void) | undefined;
}

/** What a component of `<countersign-policy>` hears from it. */
export interface PolicyHandlers extends Pick<Handlers, "onError" | "onGrants"> {
  /** A person turned a switch: `configuration` is the configuration as it is now. */
  onPolicyChange?: ((detail: PolicyChangeDetail) => void) | undefined;
}

/**
 * Lets `handlers()`, asked anew for each event, hear an element, as long as there is one.
 *
 * Not until the component goes: a framework ends the effects of what it only hides, and leaves what it takes away in the
 * document while that fades. What becomes due there is still to be sent.
 */
export function wire(element: HTMLElement, handlers: () => Handlers & PolicyHandlers): void {
  element.addEventListener("countersign-send", ({ detail }) => {
    const { onSend } = handlers();
    if (!onSend) return;
    const { respondWith, ...outbound } = detail;
    // A handler that throws has not delivered, and of one that returns no promise nobody knows.
    const send = (resolve: (sent: unknown) => void) => {
      const sent: Partial<PromiseLike<unknown>> = Object(onSend(outbound));
      if (typeof sent.then !== "function") throw new TypeError(UNKNOWN);
      resolve(sent);
    };
    respondWith(new Promise(send));
  });
  element.addEventListener("countersign-extend", ({ detail: { requestId, respondWith } }) => {
    const { onExtend } = handlers();
    if (onExtend) respondWith(new Promise((resolve) => resolve(onExtend(requestId))));
  });
  element.addEventListener("countersign-change", ({ detail }) => handlers().onChange?.(detail));
  element.addEventListener("countersign-error", ({ detail }) => handlers().onError?.(detail));
  element.addEventListener("countersign-grants", ({ detail }) => handlers().onGrants?.(detail));
  element.addEventListener("countersign-policy-change", ({ detail }) => handlers().onPolicyChange?.(detail));
}
