import type { CountersignError } from "./error.js";
import type { Outbound } from "./options.js";

/** A message is to be sent. */
export interface SendDetail extends Outbound {
  /**
   * Says what becomes of it: call it while the event is dispatched. When the promise resolves, the message was
   * delivered; a `Response` that is not `ok`, or a rejection, is a failure, after which a person can send it again.
   */
  respondWith(delivery: PromiseLike<unknown>): void;
}

/** The inbox looks different. */
export interface ChangeDetail {
  /** How many calls wait for a person. */
  waiting: number;
}

/** Something was refused, or could not be read or loaded. */
export interface ErrorDetail {
  /** A stable code in kebab case. */
  code: string;
  /** One sentence. */
  message: string;
  /** What can be done about it. */
  help?: string;
  /** Where. */
  path?: string;
}

/** The events of `<countersign-inbox>`; all bubble and cross shadow roots. */
export interface CountersignEventMap {
  "countersign-send": CustomEvent<SendDetail>;
  "countersign-change": CustomEvent<ChangeDetail>;
  "countersign-error": CustomEvent<ErrorDetail>;
}

declare global {
  interface HTMLElementEventMap extends CountersignEventMap {}
}

/** An event of the element. */
export function event<K extends keyof CountersignEventMap>(type: K, detail: CountersignEventMap[K]["detail"]): CustomEvent {
  return new CustomEvent(type, { detail, bubbles: true, composed: true });
}

/** An error as an event tells it. */
export function errorDetail(error: unknown): ErrorDetail {
  const { code = "failed", message = String(error), help, path } = Object(error) as Partial<CountersignError>;
  return { code, message, ...(help === undefined ? {} : { help }), ...(path === undefined ? {} : { path }) };
}
