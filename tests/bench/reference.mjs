// The recovery that a front end would write by hand: parse the history, walk its tasks, build one card for each call.
// It trusts what it reads, loses number lexemes and repeated keys, and knows the two dialects of the generator only.

const HITL = "https://kagent.dev/extensions/hitl/v1";

/** One card for each tool call in the text of a history. */
export function recover(text) {
  const value = JSON.parse(text);
  const tasks = value.data ?? value.result.tasks.slice().reverse();
  const cards = [];
  for (const task of tasks) recoverTask(task, cards);
  return cards;
}

function recoverTask(task, cards) {
  const byCall = new Map();
  const byRequest = new Map();
  const seen = new Set();
  const called = ({ id, name, args }) => {
    let card = byCall.get(id);
    if (!card) {
      card = { request: undefined, call: id, tool: name, args: JSON.stringify(args), status: "requested", decision: undefined, reason: undefined, result: undefined };
      byCall.set(id, card);
      cards.push(card);
    }
    return card;
  };
  const asked = (request, call) => {
    const card = called(call);
    card.request = request;
    byRequest.set(request, card);
  };
  const decided = (card, approved, reason) => {
    if (!card || card.decision) return;
    card.decision = approved ? "approve" : "reject";
    card.reason = reason;
    card.status = approved ? "approved" : "rejected";
  };
  const settled = ({ id, response }) => {
    const card = byCall.get(id);
    if (!card || card.result !== undefined || response.status === "confirmation_requested") return;
    card.result = JSON.stringify(response);
    const rejected = typeof response.result === "string" && response.result.startsWith("Tool call was rejected by user");
    card.status = rejected ? "rejected" : response.error ? "failed" : "completed";
  };
  const read = (parts, role) => {
    for (const { data, metadata } of parts ?? []) {
      if (!data) continue;
      const type = metadata?.adk_type ?? metadata?.kagent_type ?? metadata?.type;
      if (type === "function_call" && data.name === "adk_request_confirmation") asked(data.id, data.args.originalFunctionCall);
      else if (type === "function_call") called(data);
      else if (type === "function_response") settled(data);
      else if (role === "user" && data.decision_type) {
        for (const card of byRequest.values()) {
          const approved = data.decision_type === "approve" || data.decisions?.[card.call] === "approve";
          decided(card, approved, data.rejection_reasons?.[card.call] ?? data.rejection_reason);
        }
      }
    }
  };
  for (const artifact of task.artifacts ?? []) read(artifact.parts, "agent");
  const { message, state } = task.status;
  for (const entry of message ? [...task.history, message] : task.history) {
    if (seen.has(entry.messageId)) continue;
    seen.add(entry.messageId);
    read(entry.parts, entry.role);
    const hitl = entry.extensions?.includes(HITL) ? entry.metadata?.[HITL] : undefined;
    if (hitl?.type === "tool_approval_request") {
      for (const { id, call_id, name, args } of hitl.tools) asked(id, { id: call_id, name, args: args ?? {} });
    } else if (hitl?.type === "tool_approval_response") {
      for (const { id, approved, rejection_reason } of hitl.approvals) {
        const card = byRequest.get(id);
        if (card?.result === undefined) decided(card, approved, rejection_reason);
        else if (card) [card.decision, card.reason] = [approved ? "approve" : "reject", rejection_reason];
      }
    }
  }
  if (state === "input-required" || state === "TASK_STATE_INPUT_REQUIRED") {
    for (const card of byRequest.values()) if (!card.decision) card.status = "pending";
  }
}
