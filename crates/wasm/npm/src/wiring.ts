import type { ChangeDetail, ErrorDetail, GrantsDetail } from "./events.js";
import type { Outbound } from "./options.js";

/** What a component of a framework hears from the element. */
export interface Handlers {
  /**
   * Sends a message to the backend. When the promise resolves, the message was delivered; a `Response` that is not
   * `ok`, or a rejection, is a failure, after which a person can send it again.
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

/** Lets `handlers()`, asked anew for each event, hear an element until the returned function is called. */
export function wire(element: HTMLElement, handlers: () => Handlers): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  element.addEventListener(
    "countersign-send",
    ({ detail }) => {
      const { onSend } = handlers();
      if (!onSend) return;
      const { respondWith, ...outbound } = detail;
      // A handler that throws has not delivered.
      respondWith(new Promise((resolve) => resolve(onSend(outbound))));
    },
    { signal },
  );
  element.addEventListener(
    "countersign-extend",
    ({ detail: { requestId, respondWith } }) => {
      const { onExtend } = handlers();
      if (onExtend) respondWith(new Promise((resolve) => resolve(onExtend(requestId))));
    },
    { signal },
  );
  element.addEventListener("countersign-change", ({ detail }) => handlers().onChange?.(detail), { signal });
  element.addEventListener("countersign-error", ({ detail }) => handlers().onError?.(detail), { signal });
  element.addEventListener("countersign-grants", ({ detail }) => handlers().onGrants?.(detail), { signal });
  return () => stop.abort();
}
