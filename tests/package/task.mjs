// What a kagent agent says while calls wait.

/** A task that waits for one approval for each of `calls`: `[request id, tool, arguments text]`. */
export function task(calls, id = "t1") {
  const part = ([request, tool, args]) =>
    `{"kind":"data","metadata":{"kagent_type":"function_call","kagent_is_long_running":true},"data":{"id":"${request}",` +
    `"name":"adk_request_confirmation","args":{"originalFunctionCall":{"id":"call-${request}","name":"${tool}","args":${args}},` +
    `"toolConfirmation":{"hint":"sure?","confirmed":false}}}}`;
  return (
    `{"kind":"task","id":"${id}","contextId":"c1","history":[],"status":{"state":"input-required","message":{"kind":"message",` +
    `"role":"agent","messageId":"m-${id}","taskId":"${id}","parts":[${calls.map(part).join(",")}]}}}`
  );
}
