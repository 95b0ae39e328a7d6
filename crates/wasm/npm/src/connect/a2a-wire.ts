/** What the A2A connector has to understand of the wire: where the tasks are, and whether the agent works on them. */
import type { Outbound } from "../options.js";
import { throwError } from "./answer.js";
import { ConnectorError } from "./failure.js";
import type { Payload } from "./intake.js";
import { items, member, quote, word } from "./json.js";
import { uuid } from "./surroundings.js";

export type Version = "0.3" | "1.0";

/** kagent's extension that brings its requests along. */
export const HITL = "https://kagent.dev/extensions/hitl/v1";

export const METHODS = {
  "0.3": { get: "tasks/get", follow: "tasks/resubscribe", stream: "message/stream", send: "message/send" },
  "1.0": { get: "GetTask", follow: "SubscribeToTask", stream: "SendStreamingMessage", send: "SendMessage" },
} as const;

/** There is no such task; the sentence is the backend's, if it has one. */
export class NoTask extends ConnectorError {}

/** A JSON-RPC call whose parameters are JSON text. */
export function call(method: string, parameters: string, id = uuid()): string {
  return `{"jsonrpc":"2.0","id":${quote(id)},"method":${quote(method)},"params":${parameters}}`;
}

/** Words of the person; without the id of a task, for with it they would end a pause. */
export function messageOf(version: Version, id: string, contextId: string, text: string): string {
  const context = `"contextId":${quote(contextId)}`;
  if (version === "1.0") return `{"messageId":"${id}","role":"ROLE_USER","parts":[{"text":${quote(text)}}],${context}}`;
  return `{"kind":"message","messageId":"${id}","role":"user","parts":[{"kind":"text","text":${quote(text)}}],${context}}`;
}

/**
 * What there is, as a list of one or nothing.
 * @throws {ConnectorError} when it is an error.
 */
export function present(payload: Payload | undefined): Payload[] {
  if (payload === undefined) return [];
  if (typeof payload === "string") {
    if (member(payload, "error", "code") === "-32001") {
      throw new NoTask("backend-error", word(payload, "error", "message") ?? "there is no such task", { status: 200 });
    }
    throwError(payload);
  }
  return [payload];
}

/** The texts of the tasks, updates or messages in an answer. */
export function tasks(payload: Payload): string[] {
  if (typeof payload !== "string") return [];
  const result = member(payload, "result") ?? payload;
  const lists = [result, member(result, "tasks"), member(result, "data")];
  const list = lists.find((text) => text?.trimStart().startsWith("["));
  if (list !== undefined) return items(list);
  for (const name of ["task", "statusUpdate", "message"]) {
    const one = member(result, name);
    if (one?.startsWith("{")) return [one];
  }
  return [result];
}

/** The state of a task in the words of 0.3. */
export function stateOf(task: string): string | undefined {
  const state = word(task, "status", "state");
  return state?.replace("TASK_STATE_", "").toLowerCase().replace("_", "-");
}

/** Whether the agent works on a task in this state. */
export const isWorking = (state: string): boolean => state === "working" || state === "submitted";

/** Whether an event says that the agent does not work on its task any more, or is a message, which is a whole answer. */
export function isSettled(event: string): boolean {
  const state = stateOf(event);
  return state === undefined ? member(event, "messageId") !== undefined : !isWorking(state);
}

/** Whether a task never leaves this state. */
export const isEnd = (state: string | undefined): boolean => state !== undefined && /^(completed|failed|cancell?ed|rejected)$/.test(state);

/** Whether the agent goes on in this state only when it is told something: not where somebody signs in elsewhere, or nobody knows. */
export const isAtRest = (state: string): boolean => state === "input-required" || isEnd(state);

/** How the adapter wants a message to be sent. */
export function transport({ transport }: Outbound): { version?: Version; taskId?: string; extensions?: string[] } {
  const { version, taskId, extensions } = transport;
  return {
    ...(version === "0.3" || version === "1.0" ? { version } : {}),
    ...(typeof taskId === "string" ? { taskId } : {}),
    ...(Array.isArray(extensions) ? { extensions: extensions.map(String) } : {}),
  };
}
