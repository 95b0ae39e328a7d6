// What a kagent agent says while a call waits for a person.
export const task = JSON.stringify({
  kind: "task",
  id: "t1",
  contextId: "c1",
  history: [],
  status: {
    state: "input-required",
    message: {
      kind: "message",
      role: "agent",
      messageId: "m1",
      taskId: "t1",
      parts: [
        {
          kind: "data",
          metadata: { kagent_type: "function_call", kagent_is_long_running: true },
          data: {
            id: "r1",
            name: "adk_request_confirmation",
            args: { originalFunctionCall: { id: "k1", name: "delete_file", args: { path: "/tmp/x" } } },
          },
        },
      ],
    },
  },
});
