import type { DecisionFields, OfferKind, Problem } from "./types.js";

/** Where the wasm comes from. */
export type WasmSource =
  | string
  | URL
  | Request
  | Response
  | BufferSource
  | WebAssembly.Module
  | Promise<Response | BufferSource | WebAssembly.Module>;

/** How an inbox behaves; everything is optional. */
export interface InboxOptions {
  /**
   * The adapter that reads and writes: `auto` finds it from what arrives.
   * @default "auto"
   */
  adapter?: "auto" | "a2a" | "adk" | "adalflow" | "haystack" | "langgraph" | (string & {});
  /** What may arrive at most and still be approved. */
  limits?: Limits;
  /** The language of the interface, as a BCP 47 tag. The headless inbox has no words of its own. */
  locale?: string;
  /**
   * The present moment in milliseconds since the Unix epoch. A number is a clock that stands until `tick` or an `at`
   * moves it.
   * @default Date.now
   */
  now?: number | (() => number);
  /**
   * How long a rejection is held so that it can be undone, in milliseconds.
   * @default 0; 4000 in the element
   */
  holdRejections?: number;
  /** What the A2A adapter may assume. */
  a2a?: {
    /**
     * Whether an edit is offered only where the request declares that it takes effect, or always.
     * @default "declared"
     */
    edits?: "declared" | "always";
  };
  /** What the adapter of ADK's own events may assume. */
  adk?: {
    /**
     * Whether an edit is offered only where the request declares that it takes effect, or always.
     * @default "declared"
     */
    edits?: "declared" | "always";
  };
  /** What the AdalFlow adapter may assume. */
  adalflow?: {
    /**
     * How long the server of the first design waits before it cancels without a word, in seconds; `null`: for ever.
     * @default 30
     */
    timeout_s?: number | null;
    /** Where requests are answered that are known from the event stream only. Without it they are blocked. */
    answer?: "shipped-rest";
  };
  /** The templates that a Haystack backend was given instead of the library's own. */
  haystack?: {
    /** What the model is told of a refusal: `{tool_name}`. */
    reject_template?: string;
    /** What it is told of an edit: `{tool_name}` and `{final_tool_params}`. */
    modify_template?: string;
    /** The words that go with either: `{feedback}`. */
    user_feedback_template?: string;
  };
}

/** What may arrive at most. */
export interface Limits {
  /**
   * Bytes of the arguments of a call that can be approved.
   * @default 1048576
   */
  argsBytes?: number;
  /**
   * Objects and arrays around one another in such arguments.
   * @default 512
   */
  argsDepth?: number;
  /**
   * Values in such arguments.
   * @default 10000
   */
  argsValues?: number;
  /**
   * Bytes of a message.
   * @default 268435456
   */
  messageBytes?: number;
  /**
   * Characters of a reason, a note or a response.
   * @default 10000
   */
  words?: number;
}

/** What a person decided. */
export type Decision = Omit<DecisionFields, "kind" | "args"> & {
  /** The kind of offer that is taken. */
  kind: Exclude<OfferKind, "reject_always">;
  /** For an edit: the complete arguments, as JSON text. An object is written as text, with the rounding that this implies. */
  args?: string | object;
};

/** When something happened. */
export interface Moment {
  /**
   * Milliseconds since the Unix epoch.
   * @default the inbox's own clock
   */
  at?: number;
}

/** Some of the cards. */
export interface Window {
  /**
   * The place of the first card, in order of arrival.
   * @default 0
   */
  offset?: number;
  /**
   * How many cards.
   * @default all
   */
  limit?: number;
}

/** What became of something that arrived. */
export interface Receipt {
  /** The scoped ids of the cards that may look different now. */
  readonly changed: string[];
  /** For each message in it, in order: it belongs to the approval exchange and is not for the chat. */
  readonly hidden: boolean[];
  /** What could not be read; everything else went on. */
  readonly problems: Problem[];
}

/** What became of several decisions. */
export interface DecideAllResult {
  /** The ids that were decided, as they were given. */
  decided: string[];
  /** The ids that were not, and why. */
  refused: { requestId: string; code: string }[];
}

/** A message to send. */
export interface Outbound {
  /** Also the idempotency key: a retry carries the same one. */
  id: string;
  /** The adapter that wrote it. */
  adapter: string;
  /** The requests that it answers. */
  requestIds: string[];
  /** The protocol's payload, as JSON text: send exactly this. */
  body: string;
  /** What is needed to send it. */
  transport: Record<string, unknown>;
}

/** What is known of a send that did not arrive. */
export interface SendFailure {
  /** The HTTP status, where there was an answer. */
  status?: number;
  /** What the backend or the transport said. */
  message?: string;
}

/** What a reader must know about arguments. */
export interface Inspection {
  /** They can be read without doubt; otherwise the call cannot be approved. */
  inspectable: boolean;
  /** What is noteworthy about them. */
  hazards: { pointer: string; code: string; message: string }[];
  /** The SHA-256 of the text, in hexadecimal. */
  digest: string;
}

/** What was built from what. */
export interface Versions {
  package: string;
  core: string;
  commit: string;
}
