// Calls that wait, as kagent's wire tells them.

/** A task of A2A 0.3 in which so many calls wait, as JSON text. */
export function waiting(count, argsOf = (at) => ({ path: `/srv/data/report-${at}.csv`, recursive: false, note: `call ${at}`, tags: ["a", "b"] })) {
  const parts = Array.from({ length: count }, (_, at) => ({
    kind: "data",
    metadata: { kagent_type: "function_call", kagent_is_long_running: true },
    data: {
      id: `r${at}`,
      name: "adk_request_confirmation",
      args: { originalFunctionCall: { id: `c${at}`, name: `tool_${at % 7}`, args: argsOf(at) }, toolConfirmation: { hint: "sure?", confirmed: false } },
    },
  }));
  const message = { kind: "message", role: "agent", messageId: "m1", taskId: "t1", contextId: "x1", parts };
  return JSON.stringify({ kind: "task", id: "t1", contextId: "x1", history: [message], status: { state: "input-required", message } });
}
