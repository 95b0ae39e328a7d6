// An agent on kagent's wire (A2A 0.3): message/stream, tasks/get, and the list of a conversation's tasks.
import { randomUUID } from "node:crypto";

import { callFor, closing, pieces, raw } from "./script.mjs";

/** The handler for `serveAgent`. */
export function kagentAgent() {
  const tasks = new Map();

  const message = (task, role, parts) => ({ kind: "message", messageId: randomUUID(), role, parts, taskId: task.id, contextId: task.contextId });
  const text = (words) => ({ kind: "text", text: words });
  const data = (value, type, more = {}) => ({ kind: "data", data: value, metadata: { kagent_type: type, ...more } });

  /** The events of one send, and what they leave in the task. */
  function* run(task, sent) {
    const update = (state, said, { partial = false, final = false } = {}) => {
      task.status = { state, ...(said && !partial ? { message: said } : {}), timestamp: new Date().toISOString() };
      if (said && !partial) task.history.push(said);
      const metadata = { kagent_author: "ops_agent", ...(partial ? { kagent_adk_partial: true } : {}) };
      const status = { ...task.status, ...(said ? { message: said } : {}) };
      return { kind: "status-update", taskId: task.id, contextId: task.contextId, final, metadata, status };
    };
    function* say(words) {
      for (const piece of pieces(words)) yield update("working", message(task, "agent", [text(piece)]), { partial: true });
      yield update("working", message(task, "agent", [text(words)]));
    }
    const decision = sent.parts.find((part) => part.data?.decision_type)?.data;
    yield update("submitted", { ...sent, taskId: task.id });
    if (decision) {
      const { call } = task;
      const approved = decision.decision_type === "approve";
      const reason = decision.rejection_reason ? ` Reason: ${decision.rejection_reason}` : "";
      const response = approved ? { status: "ok" } : { result: `Tool call was rejected by user.${reason}` };
      yield update("working", message(task, "agent", [data({ id: call.id, name: call.name, response }, "function_response")]));
      yield* say(closing(call, approved, decision.rejection_reason));
      yield update("completed", undefined, { final: true });
      return;
    }
    const words = sent.parts.map((part) => part.text ?? "").join(" ");
    const call = callFor(words);
    if (!call) {
      yield* say("I can delete the old report, or transfer the invoice.");
      yield update("completed", undefined, { final: true });
      return;
    }
    task.call = { id: `adk-${randomUUID()}`, ...call };
    const { id, name } = task.call;
    const args = raw(call.argsText);
    yield update("working", message(task, "agent", [text("I will do that now."), ...(words.includes("nested") ? [] : [data({ id, name, args }, "function_call")])]));
    const asked = { originalFunctionCall: { id, name, args }, toolConfirmation: { hint: `Tool '${name}' requires approval before execution.`, confirmed: false } };
    const confirmation = { id: `adk-${randomUUID()}`, name: "adk_request_confirmation", args: asked };
    const question = message(task, "agent", [data(confirmation, "function_call", { kagent_is_long_running: true })]);
    yield update("working", question);
    yield update("input-required", question, { final: true });
  }

  return ({ method, path, body }) => {
    const session = /^\/api\/sessions\/([^/]+)\/tasks$/.exec(path);
    if (method === "GET" && session) {
      const found = [...tasks.values()].filter(({ contextId }) => contextId === session[1]);
      return { json: { error: false, data: found.map(({ call: _, ...task }) => task), message: "" } };
    }
    const { id, method: asked, params } = JSON.parse(body);
    const frame = (result) => ({ jsonrpc: "2.0", id, result });
    if (asked === "tasks/get") {
      const task = tasks.get(params.id);
      if (!task) return { json: { jsonrpc: "2.0", id, error: { code: -32001, message: "Task not found" } } };
      const { call: _, ...shown } = task;
      return { json: frame(shown) };
    }
    const { message: sent } = params;
    let task = tasks.get(sent.taskId);
    if (!task) {
      task = { kind: "task", id: randomUUID(), contextId: sent.contextId, history: [], status: {} };
      tasks.set(task.id, task);
    }
    return { events: [...run(task, sent)].map((result) => ({ data: frame(structuredClone(result)) })) };
  };
}
