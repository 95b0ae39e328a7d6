import { sentence, type CountersignError } from "./error.js";
import type { Grant, Outbound } from "./options.js";

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
  /**
   * How many decisions have not left yet: they can be undone, the others of their batch are not decided, or they could not be
   * delivered. An element that is taken away before can lose them.
   */
  held: number;
}

/** A person wants more time for a call before the agent stops waiting. */
export interface ExtendDetail {
  /** The request's scoped id. */
  requestId: string;
  /** Says until when the agent waits now, in milliseconds since the Unix epoch: call it while the event is dispatched. */
  respondWith(until: PromiseLike<number>): void;
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

/** A person granted something, or took a grant back. */
export interface GrantsDetail {
  /** What people granted, oldest first; numbers in it may be rounded. */
  grants: Grant[];
  /** The same as exact JSON text: keep this, and give it as the option `grants` the next time. */
  text: string;
}

/** A person turned a switch of `<countersign-policy>`. */
export interface PolicyChangeDetail {
  /** The configuration as it is now, as JSON text: every byte that the switch did not concern is as it was. */
  configuration: string;
  /** Its format. */
  format: string;
  /** The tool, and whether its calls are asked about now. */
  tool: { name: string; server?: string; agent: string[]; requiresApproval: boolean };
}

/** The events of the elements; all bubble and cross shadow roots. */
export interface CountersignEventMap {
  "countersign-send": CustomEvent<SendDetail>;
  "countersign-change": CustomEvent<ChangeDetail>;
  "countersign-extend": CustomEvent<ExtendDetail>;
  "countersign-error": CustomEvent<ErrorDetail>;
  "countersign-grants": CustomEvent<GrantsDetail>;
  "countersign-policy-change": CustomEvent<PolicyChangeDetail>;
}

declare global {
  // Of elements, of the document and of the window: the events reach all of them.
  interface GlobalEventHandlersEventMap extends CountersignEventMap {}
}

/** An event of an element. */
export function event<K extends keyof CountersignEventMap>(type: K, detail: CountersignEventMap[K]["detail"]): CustomEvent {
  return new CustomEvent(type, { detail, bubbles: true, composed: true });
}

/** An error as an event tells it. */
export function errorDetail(error: unknown): ErrorDetail {
  const { code, help, path } = Object(error) as Partial<CountersignError>;
  const told = { code: typeof code === "string" ? code : "failed", message: sentence(error) };
  return { ...told, ...(help === undefined ? {} : { help }), ...(path === undefined ? {} : { path }) };
}
