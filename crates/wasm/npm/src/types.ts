// Made from the Rust types by the test `types` of countersign-wasm; not to be edited.

import type { Decision } from "./options.js";

/**
 * One card: a tool call, and the request that gates it if there is one.
 *
 * A plain value: equal views draw the same card.
 */
export type RequestView = { 
/**
 * The card's number in order of arrival. No number is used twice: a restore gives each card a new one.
 */
key: number, 
/**
 * The request's id with its scope, `<scope>/<id>`; for a call that nothing gates `<scope>/call:<call id>`.
 */
id: string, 
/**
 * What a decision is addressed to; absent: nothing gates this call.
 */
request?: RequestId, 
/**
 * The agent's id of the tool call.
 */
call?: CallId, 
/**
 * The tool's name, verbatim; empty, and left out in JSON, where the request is about no tool. Untrusted.
 */
tool?: string, 
/**
 * The arguments, exactly as received. Untrusted.
 */
argsText: string, 
/**
 * The SHA-256 of the exact text of the arguments, in hexadecimal.
 */
argsDigest: string, 
/**
 * The JSON Schema that arguments must meet, as JSON text, where the backend or the host gives one. Untrusted.
 */
argsSchema?: string, 
/**
 * The arguments can be read without doubt; otherwise the call cannot be approved.
 */
inspectable: boolean, 
/**
 * The tool, the arguments or their schema changed while the request was waiting, or came again as others after the decision.
 */
changed: boolean, 
/**
 * The MCP server or toolset that owns the tool. Untrusted.
 */
server?: string, 
/**
 * The agents that led to this call, outermost first. Untrusted.
 */
agent: Array<string>, 
/**
 * Where it stands.
 */
status: Status, 
/**
 * The decisions that may be taken now; empty when none may.
 */
offers: Array<Offer>, 
/**
 * What an edit does on this wire, where one may be sent now.
 */
edits?: EditRule, 
/**
 * A title. Untrusted.
 */
title?: string, 
/**
 * A description. Untrusted.
 */
description?: string, 
/**
 * Why it is asked. Untrusted.
 */
hint?: string, 
/**
 * The decision, once there is one.
 */
decision?: DecisionFields & Decision, 
/**
 * The rejection reason, as known now.
 */
reason?: string, 
/**
 * Decided by a rule, not a person.
 */
automatic: boolean, 
/**
 * The rule of the host's policy that decided here; of what waits, the one that denies it where the backend takes no
 * refusal.
 */
rule?: string, 
/**
 * For a request that asks questions. Untrusted.
 */
questions?: Array<Question>, 
/**
 * What the tool returned, as JSON text. Untrusted.
 */
resultText?: string, 
/**
 * What went wrong. Untrusted.
 */
error?: string, 
/**
 * What is answered together with it, while that matters.
 */
batch?: BatchView, 
/**
 * When the agent stops waiting.
 */
expiresAt?: Millis, 
/**
 * When a held decision goes out; it never does where the agent stops waiting before or at that moment.
 */
sendsAt?: Millis, 
/**
 * When the request was first seen here.
 */
askedAt?: Millis, 
/**
 * When it was decided, where that was seen here.
 */
decidedAt?: Millis, 
/**
 * Who decided, once someone did.
 */
decidedBy?: DecidedBy, 
/**
 * How much care it needs, and why; what is settled needs none.
 */
risk: RiskView, 
/**
 * What is noteworthy about the arguments.
 */
hazards: Array<HazardView>, 
/**
 * The message that carries the decision, once there is one; of a pending card: that of the decision before, `failed`
 * because the backend did not take it.
 */
outbound?: OutboundView, };

/**
 * Where a request stands.
 */
export type Status = "requested" | "streaming" | "pending" | "drafted" | "sending" | "sent" | "approved" | "running" | "completed" | "failed" | "rejected" | "responded" | "cancelled" | "expired" | "superseded" | "conflict" | "blocked" | "unknown";

/**
 * A decision that may be taken now.
 *
 * Filled by the adapter; an interface shows only these.
 */
export type Offer = { 
/**
 * What kind of decision it is.
 */
kind: OfferKind, 
/**
 * The backend's own id of this offer, where it has several of one kind.
 */
id?: string, 
/**
 * The backend's own wording. Untrusted.
 */
label?: string, 
/**
 * How far a lasting decision reaches.
 */
scope?: GrantScope, 
/**
 * What a lasting decision would permit, in the backend's own words. Untrusted.
 */
grants?: string, 
/**
 * Whether a reason or note reaches the backend.
 */
reason: Words, };

/**
 * A kind of decision.
 */
export type OfferKind = "approve" | "approve_always" | "edit" | "reject" | "reject_always" | "respond" | "ignore" | "answer" | "cancel";

/**
 * What an edit does on this wire, and which edits it can express.
 */
export type EditRule = { 
/**
 * The backend lays the edit over the original, so a removed member would silently stay.
 */
merges: boolean, 
/**
 * An edit that changes nothing is an approval.
 */
unchangedApproves: boolean, 
/**
 * An edit to an empty object may be sent.
 */
emptyAllowed: boolean, };

/**
 * Whether words that go with a decision reach anyone.
 */
export type Words = "none" | "local" | "sent" | "required";

/**
 * How far a lasting permission reaches.
 */
export type GrantScope = "call" | "same-args" | "tool" | "server" | "session";

/**
 * A decision as it crosses a boundary: one flat JSON object.
 *
 * # Shape
 * `{"kind": "approve" | "approve_always" | "edit" | "reject" | "reject_always" | "respond" | "ignore" | "answer" | "cancel", …}`
 * plus the members of that kind. `args` is JSON text.
 */
export type DecisionFields = { 
/**
 * The decision's kind, in snake case.
 */
kind: string, 
/**
 * How far it reaches.
 */
scope?: GrantScope, 
/**
 * The complete edited arguments, as JSON text.
 */
args?: string, 
/**
 * Words that go with an edit.
 */
note?: string, 
/**
 * Why it was rejected.
 */
reason?: string, 
/**
 * What the agent gets instead of a result.
 */
text?: string, 
/**
 * One list of answers a question.
 */
answers?: Array<Array<string>>, 
/**
 * The digest of the arguments that were on screen.
 */
seen?: string, 
/**
 * The tool that was on screen.
 */
tool?: string, 
/**
 * The id of the offer that is taken.
 */
offer?: string, };

/**
 * One question to a person.
 */
export type Question = { 
/**
 * The question. Untrusted.
 */
question: string, 
/**
 * What may be chosen; empty: free text. Untrusted.
 */
choices: Array<string>, 
/**
 * Whether several choices may be taken.
 */
multiple: boolean, };

/**
 * The requests that are answered together.
 */
export type BatchView = { 
/**
 * The batch.
 */
id: BatchId, 
/**
 * How many requests it holds.
 */
size: number, 
/**
 * How many of them are decided.
 */
decided: number, 
/**
 * Where one of them is rejected, the backend runs none.
 */
rejectsAll?: boolean, };

/**
 * Something noteworthy about arguments.
 */
export type HazardView = { 
/**
 * Where, as a JSON Pointer.
 */
pointer: string, 
/**
 * A stable code in kebab case.
 */
code: string, 
/**
 * One sentence.
 */
message: string, };

/**
 * How much could go wrong, and why.
 */
export type RiskView = { 
/**
 * The highest level that any reason gives.
 */
level: RiskLevel, 
/**
 * Every reason, each code once: the server's first, then what stands in the arguments, then the host's, last what
 * an edit took out.
 */
reasons: Array<RiskReason>, };

/**
 * One reason for care.
 */
export type RiskReason = { 
/**
 * Who gives it.
 */
source: RiskSource, 
/**
 * A stable code in kebab case.
 */
code: string, 
/**
 * A few words.
 */
message: string, };

/**
 * How much care a call needs; the later one needs more.
 */
export type RiskLevel = "low" | "elevated" | "high";

/**
 * Who gives a reason.
 */
export type RiskSource = "server" | "arguments" | "host" | "sent";

/**
 * Who decided a request.
 */
export type DecidedBy = "here" | "rule" | "elsewhere";

/**
 * The message that carries a decision.
 */
export type OutboundView = { 
/**
 * The message.
 */
id: OutboundId, 
/**
 * What became of it.
 */
state: OutboundState, 
/**
 * It is `queued` and must not leave yet: what the backend is at could make another answer of it. It leaves by itself, and can
 * be taken back until then.
 */
held?: boolean, 
/**
 * Why it did not arrive.
 */
error?: string, };

/**
 * What became of an outbound message.
 */
export type OutboundState = "queued" | "sending" | "delivered" | "failed";

/**
 * What was wrong with something that arrived.
 */
export type Problem = { 
/**
 * The stable code.
 */
code: ProblemCode, 
/**
 * One sentence for developers.
 */
message: string, 
/**
 * Where in the message, as a JSON Pointer or a byte position.
 */
path?: string, };

/**
 * What was wrong with something that arrived; everything else went on.
 */
export type ProblemCode = "json-invalid" | "encoding-invalid" | "message-too-large" | "message-unrecognised" | "part-invalid" | "state-unknown" | "args-changed-late" | "answer-unwritable" | "backend-error";

/**
 * Why the inbox refused an act. Nothing of it was done: only what the clock or an ended rule caused has happened.
 */
export type RefusalCode = "unknown-request" | "already-decided" | "not-offered" | "expired" | "superseded" | "args-invalid" | "args-ambiguous" | "args-changed" | "incomplete-answer" | "reason-required" | "blocked" | "ambiguous-request" | "words-too-long" | "decision-invalid" | "unknown-outbound" | "untrusted-event" | "obstructed";

/**
 * Something that the host should know now.
 */
export type Advice = { 
/**
 * A stable code in kebab case.
 */
code: string, 
/**
 * One sentence for the host's developers or people.
 */
message: string, };

/**
 * What an answer must carry. Often not the id of the tool call.
 */
export type RequestId = string;

/**
 * The id that the agent gave to a tool call.
 */
export type CallId = string;

/**
 * What the protocol wants answered together.
 */
export type BatchId = string;

/**
 * A message to send; also its idempotency key.
 */
export type OutboundId = string;

/**
 * A moment, or a span, in milliseconds; a moment counts from the Unix epoch.
 */
export type Millis = number;
