import type { GrantScope, Problem, RiskLevel } from "./types.js";

/** The bytes of a file, or what `WebAssembly.compile` made of them, by no name that only a browser's types have. */
type Code = ArrayBuffer | ArrayBufferView | object;

/** Where the wasm comes from. */
export type WasmSource = string | URL | Request | Response | Code | Promise<Response | Code>;

/** Where a part comes from: its address, its bytes, or the compiled module. */
export type PartSource = string | URL | Code;

/** What is loaded, and from where; everything is optional. */
export interface InitOptions {
  /** The first file, where it is not beside the script. */
  source?: WasmSource | undefined;
  /**
   * The adapters that are loaded; any other is loaded when it is needed, while the page stands still.
   * @default all of them; in Node none
   */
  adapters?: string[] | undefined;
  /**
   * Loads along what the options `policy` and `grants` take, so that no inbox has to wait for it.
   * @default false: loaded with the first inbox that has one of them, while the page stands still
   */
  policy?: boolean | undefined;
  /** Parts that are not beside the script, by name: `{ a2a: "/assets/headless_a2a.wasm" }`. */
  parts?: Record<string, PartSource> | undefined;
}

/** How an inbox behaves; everything is optional. */
export interface InboxOptions {
  /**
   * The adapter that reads and writes: `auto` finds it from what arrives.
   * @default "auto"
   */
  adapter?: "auto" | "a2a" | "adk" | "adalflow" | "haystack" | "langgraph" | (string & {}) | undefined;
  /** What may arrive at most and still be approved. */
  limits?: Limits | undefined;
  /**
   * What answers without a person; as an object, or as exact JSON text where no number may be rounded. Nothing that
   * arrives from a backend is ever read as a policy.
   * @default every call is asked about
   */
  policy?: Policy | string | undefined;
  /**
   * What people granted before: what `grantsText()` gave, or a list. Giving it, also as an empty list, lets
   * people grant; keeping what they grant is up to the host.
   * @default nobody can grant anything
   */
  grants?: readonly Grant[] | string | undefined;
  /**
   * The JSON Schema of each tool's arguments, by the tool's name, for requests that bring none. Edited arguments are
   * checked against it, and the form for edits is made from it.
   */
  schemas?: Record<string, object | boolean> | undefined;
  /** The language of the element, as a BCP 47 tag, where no attribute names one. The headless inbox has no words of its own. */
  locale?: string | undefined;
  /**
   * The present moment in milliseconds since the Unix epoch. A number is a clock that stands until `tick` or an `at`
   * moves it.
   * @default Date.now
   */
  now?: number | (() => number) | undefined;
  /**
   * How long a rejection is held so that it can be undone, in milliseconds.
   * @default 0; 4000 in the element
   */
  holdRejections?: number | undefined;
  /**
   * How long the decisions of a batch that is answered together are held once the last is taken, so that they can be
   * looked at as a whole and changed, in milliseconds.
   * @default 0; 3000 in the element
   */
  holdBatches?: number | undefined;
  /**
   * The digest of the arguments that were decided on goes along with each decision, for a backend that holds it against what it
   * would run; where the wire has a place for it.
   * @default false
   */
  sendDigests?: boolean | undefined;
  /**
   * How long an approval is inert after its card came into view, changed, moved or was covered, in milliseconds; at
   * least 300, at most 3000. Only in the element.
   * @default 500
   */
  armDelay?: number | undefined;
  /**
   * The keys that act while the focus is within a card, such as `Mod+Enter`, where `Mod` is Ctrl or Cmd; `null` for
   * none, `false` for none at all. Never a bare key. Only in the element.
   * @default { approve: "Mod+Enter", edit: "Mod+E" }
   */
  shortcuts?: false | { approve?: string | null | undefined; edit?: string | null | undefined } | undefined;
  /** Whether a person may ask for more time before a call expires: see `countersign-extend`. Only in the element. */
  extend?: boolean | undefined;
  /** Reasons for care that only the host knows. They can raise the level of a call, never lower it. */
  risk?: RiskRule[] | undefined;
  /**
   * What servers say of their tools, by the tool's name, as in MCP's `tools/list`. Claims: `destructiveHint` raises the
   * level of a call, nothing lowers it.
   */
  annotations?: Record<string, { destructiveHint?: boolean | undefined; readOnlyHint?: boolean | undefined } & Record<string, unknown>> | undefined;
  /** Reasons for a rejection that the element offers, in the words of your team. A person may change them. */
  rejectionPresets?: string[] | undefined;
  /** What the A2A adapter may assume. */
  a2a?: {
    /**
     * Whether an edit is offered only where the request declares that it takes effect, or always.
     * @default "declared"
     */
    edits?: "declared" | "always" | undefined;
  } | undefined;
  /** What the adapter of ADK's own events may assume. */
  adk?: {
    /**
     * Whether an edit is offered only where the request declares that it takes effect, or always.
     * @default "declared"
     */
    edits?: "declared" | "always" | undefined;
  } | undefined;
  /** What the AdalFlow adapter may assume. */
  adalflow?: {
    /**
     * How long the server of the first design waits before it cancels without a word, in seconds; `null`: for ever.
     * @default 30
     */
    timeout_s?: number | null | undefined;
    /** Where requests are answered that are known from the event stream only. Without it they are blocked. */
    answer?: "shipped-rest" | undefined;
  } | undefined;
  /** The templates that a Haystack backend was given instead of the library's own. */
  haystack?: {
    /** What the model is told of a refusal: `{tool_name}`. */
    reject_template?: string | undefined;
    /** What it is told of an edit: `{tool_name}` and `{final_tool_params}`. */
    modify_template?: string | undefined;
    /** The words that go with either: `{feedback}`. */
    user_feedback_template?: string | undefined;
  } | undefined;
}

/** What answers without a person. Denials beat questions, questions beat permissions; the default is to ask. */
export interface Policy {
  /** The format of `config`. */
  system?: "haystack" | "adalflow" | "interrupt_on" | "tool_approvals" | "require_approval" | "always-ask" | "never-ask" | "ask-once" | undefined;
  /** The configuration, as that system writes it; only `always-ask`, `never-ask` and `ask-once` need none. */
  config?: unknown;
  /** The host's own rules. */
  rules?: PolicyRule[] | undefined;
  /**
   * Whether grants count that end neither at a time nor with their session.
   * @default false
   */
  forever?: boolean | undefined;
}

/** A tool of an agent, for `<countersign-policy>`. Everything in it is shown as text that nobody vouches for. */
export interface PolicyTool {
  name: string;
  description?: string | undefined;
  /** Its tool server. */
  server?: string | undefined;
  /** The sub-agent that has it, or the path of agents to it, outermost first. */
  agent?: string | string[] | undefined;
  /** The JSON Schema of its arguments. */
  schema?: object | boolean | undefined;
}

/** One rule; what is left out fits every call. */
export interface PolicyRule {
  /** Its name, for the audit log and for people. */
  name: string;
  effect: "allow" | "ask" | "deny";
  tool?: string | undefined;
  server?: string | undefined;
  /** The path of agents, outermost first; `*` at its end: any below. */
  agent?: string[] | undefined;
  args?: ArgsConstraint[] | undefined;
  /** `high`: never run unasked, whatever allows it; asked about twice, and never together with others. */
  risk?: "high" | undefined;
  /** What the agent is told when the call is denied, and people of why it is of high risk; without it they are told the name. */
  reason?: string | undefined;
}

/** What one place of the arguments must be. */
export type ArgsConstraint = { pointer: string } & (
  | { equals: unknown }
  | { oneOf: unknown[] }
  | { prefix: string }
  | { contains: string }
  | { above: number }
  | { absent: true }
);

/** A remembered permission; whatever differs from it asks again. */
export interface Grant {
  id: string;
  scope: GrantScope;
  tool?: string | undefined;
  server?: string | undefined;
  /** The agents that lead to the call, outermost first. */
  agent?: string[] | undefined;
  /** The SHA-256 of the schema that the tool declared. */
  schemaDigest?: string | undefined;
  /** The one task, thread or session. */
  session?: string | undefined;
  call?: string | undefined;
  args?: ArgsConstraint[] | undefined;
  createdAt: number;
  expiresAt?: number | undefined;
  revokedAt?: number | undefined;
}

/** What a person wishes to allow. */
export interface GrantWish {
  scope: Exclude<GrantScope, "call">;
  /** For the scope `tool`: where values of the arguments must stay as they are, as JSON Pointers. */
  pins?: string[] | undefined;
  /**
   * How long: milliseconds, as long as the session, or without an end where the policy says `forever`.
   * @default "session"
   */
  span?: number | "session" | "forever" | undefined;
}

/** A request, with what was on screen of it. */
export interface SeenRequest {
  requestId: string;
  /** The digest of its arguments. */
  seen?: string | undefined;
  /** Its tool, empty where it names none. */
  tool?: string | undefined;
}

/** A grant before it is confirmed: show all of it. */
export interface GrantDraft {
  /** The grant, literally: what would be kept. */
  readonly text: string;
  /** The same, read; numbers in it may be rounded. */
  readonly grant: Grant;
  /** The digest of the arguments of the call that it is given on. */
  readonly seen: string;
  /** The tool of that call. */
  readonly tool: string;
  /** The other calls that wait and would be approved with it. */
  readonly siblings: readonly Required<SeenRequest>[];
}

/** A reason for care that only the host knows. */
export interface RiskRule {
  /** The tool; any where it is absent. */
  tool?: string | undefined;
  /** The server that owns the tool; any where it is absent. */
  server?: string | undefined;
  /** What the arguments must be. All of it. */
  args?: ArgsConstraint[] | undefined;
  /** The level of calls that fit. */
  level: RiskLevel;
  /** Why, for people. */
  reason: string;
}

/** What may arrive at most. */
export interface Limits {
  /**
   * Bytes of the arguments of a call that can be approved.
   * @default 1048576
   */
  argsBytes?: number | undefined;
  /**
   * Objects and arrays around one another in such arguments.
   * @default 512
   */
  argsDepth?: number | undefined;
  /**
   * Values in such arguments.
   * @default 10000
   */
  argsValues?: number | undefined;
  /**
   * Bytes of a message.
   * @default 268435456
   */
  messageBytes?: number | undefined;
  /**
   * Characters of a reason, a note or a response.
   * @default 10000
   */
  words?: number | undefined;
}

/** What a person decided: a kind of offer that is taken, and what goes with it. */
export type Decision = {
  /** The digest of the arguments that were on screen: `argsDigest` of the card. Never `null`, which is no digest. */
  seen?: string | undefined;
  /** The tool that was on screen: `tool` of the card, or an empty text where it has none. Never `null`. */
  tool?: string | undefined;
  /** The id of the offer that is taken, where there are several of one kind. */
  offer?: string | undefined;
} & (
  | {
      kind: "edit";
      /** The complete arguments, as JSON text. An object is written as text, with the rounding that this implies. */
      args: string | object;
      /** Words to the arguments. */
      note?: string | undefined;
    }
  | ({
      /** What runs as it was asked about, or does not run: an approval with arguments beside it is refused. */
      args?: undefined;
    } &
      (
        | { kind: "approve" | "approve_always"; scope?: GrantScope | undefined }
        | { kind: "reject" | "reject_always"; scope?: GrantScope | undefined; reason?: string | undefined }
        | { kind: "respond"; text: string }
        | {
            kind: "answer";
            /** A list of answers for each question. */
            answers: readonly (readonly string[])[];
          }
        | { kind: "ignore" | "cancel" }
      ))
);

/** When something happened. */
export interface Moment {
  /**
   * Milliseconds since the Unix epoch.
   * @default the inbox's own clock
   */
  at?: number | undefined;
}

/** Some of the cards. */
export interface CardWindow {
  /**
   * The place of the first card, in the order in which they are shown.
   * @default 0
   */
  offset?: number | undefined;
  /**
   * How many cards.
   * @default all
   */
  limit?: number | undefined;
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
  /** What is needed to send it; which members there are is up to the adapter. */
  transport: OutboundTransport;
}

/** What is needed to send a message, beside its body. */
export interface OutboundTransport {
  /** Whose wire it is: `a2a`, `adk`, `langgraph`, `haystack` or `adalflow`. */
  protocol?: string | undefined;
  /** The version of A2A that the backend speaks. */
  version?: string | undefined;
  /** The A2A extensions that the message uses. */
  extensions?: string[] | undefined;
  /** The A2A method that sends it. */
  method?: string | undefined;
  /** The task and the context of A2A that it belongs to. */
  taskId?: string | undefined;
  contextId?: string | undefined;
  /** Where a Haystack message belongs. */
  channel?: string | undefined;
  /** Whether an AdalFlow answer is a `message` or an `http` request. */
  kind?: string | undefined;
  /** What a run of LangGraph, or one of ADK, takes along with the answer: the digests of `sendDigests`. */
  metadata?: object | undefined;
  customMetadata?: object | undefined;
  [member: string]: unknown;
}

/** What is known of a send that did not arrive. */
export interface SendFailure {
  /** The HTTP status, where there was an answer. */
  status?: number | undefined;
  /** What the backend or the transport said. */
  message?: string | undefined;
  /**
   * It was reported as delivered before, and the connection on which it left broke before the backend said anything of it: nobody
   * knows whether it arrived. Where something was said of it since, nothing changes.
   */
  late?: boolean | undefined;
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

/** A JSON Schema as an object; `true` permits everything, `false` nothing. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

/** How arguments are held against a schema. */
export interface ValidationOptions {
  /** The edition of JSON Schema, where the schema's `$schema` does not name one. @default "2020-12" */
  dialect?: "2020-12" | "draft-07" | undefined;
  /** Whether `format` is checked, for dates and times, `uri`, `email`, `uuid`, `ipv4`, `ipv6` and `hostname`. @default false */
  formats?: boolean | undefined;
}

/** What a schema says of arguments. */
export interface Validation {
  /** Nothing is known to be wrong. */
  valid: boolean;
  /** What is wrong: where, as a JSON Pointer, by which keyword, and in a sentence that may quote what it is about. Untrusted. */
  problems: { pointer: string; keyword: string; message: string }[];
  /**
   * What was not checked, and so neither passed nor failed: a pattern that needs more than linear time, a reference out of the
   * schema, or a schema that asks for too much.
   */
  unchecked: { pointer: string; keyword: string }[];
}

/** Where a record of decisions was changed. */
export interface AuditFault {
  /** The first line that does not fit, counted from 0. */
  seq: number;
  /** What does not fit, in a sentence. */
  reason: string;
}

/** What was built from what. */
export interface Versions {
  package: string;
  core: string;
  commit: string;
}
