// An agent on LangGraph's wire: threads, their state, and runs that stream, with LangChain's middleware that asks before it acts.
import { randomUUID } from "node:crypto";

import { callFor, closing, pieces, raw } from "./script.mjs";

/** The handler for `serveAgent`. */
export function langgraphAgent() {
  const threads = new Map();
  const hex = () => randomUUID().replaceAll("-", "");
  const thread = (id) => {
    if (!threads.has(id)) threads.set(id, { id, messages: [], interrupt: undefined, call: undefined, history: [], runs: new Map() });
    return threads.get(id);
  };
  const spoken = (content, calls = []) => ({ type: "ai", id: `lc_run--${randomUUID()}`, content, tool_calls: calls, invalid_tool_calls: [] });
  const NODE = "HumanInTheLoopMiddleware.after_model";

  function state({ id, messages, interrupt }) {
    const interrupts = interrupt ? [interrupt] : [];
    const tasks = interrupt ? [{ id: "task-1", name: NODE, path: ["__pregel_pull", NODE], error: null, interrupts, checkpoint: null, state: null, result: null }] : [];
    const checkpoint = { checkpoint_id: `1f${messages.length}`, thread_id: id, checkpoint_ns: "" };
    return { values: { messages }, next: interrupt ? [NODE] : [], tasks, metadata: {}, created_at: new Date().toISOString(), checkpoint, parent_checkpoint: null, interrupts };
  }

  /** The events of one run, and what they leave in the thread. */
  function* play(here, { input, command }) {
    const values = (more = {}) => ({ name: "values", data: { messages: [...here.messages], ...more } });
    const update = (node, message) => ({ name: "updates", data: { [node]: { messages: [message] } } });
    function* say(words, calls) {
      const message = spoken(words, calls);
      for (const piece of pieces(words)) {
        const chunk = { ...message, type: "AIMessageChunk", content: piece, tool_calls: [] };
        yield { name: "messages", data: [chunk, { langgraph_node: "model" }] };
      }
      here.messages.push(message);
      yield update("model", message);
      yield values();
    }
    yield { name: "metadata", data: { run_id: randomUUID(), attempt: 1 } };
    if (command) {
      const [decision] = Object.values(command.resume)[0].decisions;
      const { call } = here;
      const approved = decision.type === "approve";
      const content = approved ? "ok" : (decision.message ?? "User rejected the tool call.");
      here.interrupt = undefined;
      const outcome = { type: "tool", id: randomUUID(), name: call.name, tool_call_id: call.id, content, status: approved ? "success" : "error" };
      // A checkpoint between the middleware and the tools tells an approval from words in place of a result.
      const between = { id: "task-2", name: "tools", error: null, interrupts: [], result: { messages: [outcome] } };
      if (approved) here.between = structuredClone({ ...state(here), next: ["tools"], tasks: [between] });
      here.messages.push(outcome);
      yield update(approved ? "tools" : NODE, outcome);
      yield values();
      yield* say(closing(call, approved, decision.message));
      return;
    }
    const [{ content }] = input.messages;
    here.messages.push({ type: "human", id: randomUUID(), content });
    yield values();
    const call = callFor(content);
    if (!call) {
      yield* say("I can delete the old report, or transfer the invoice.");
      return;
    }
    here.call = { id: `call_${hex().slice(0, 8)}`, ...call };
    const args = raw(call.argsText);
    yield* say("I will do that now.", [{ name: call.name, args, id: here.call.id, type: "tool_call" }]);
    const value = {
      action_requests: [{ name: call.name, args, description: "Tool execution requires approval" }],
      review_configs: [{ action_name: call.name, allowed_decisions: ["approve", "edit", "reject"] }],
    };
    here.interrupt = { id: hex(), value };
    yield { name: "updates", data: { __interrupt__: [here.interrupt] } };
    yield values({ __interrupt__: [here.interrupt] });
  }

  return ({ method, path, body }) => {
    if (method === "POST" && path === "/threads") {
      const { thread_id = randomUUID() } = JSON.parse(body || "{}");
      return { json: { thread_id: thread(thread_id).id, status: "idle", metadata: {}, values: null } };
    }
    const [, id, rest] = /^\/threads\/([^/]+)(\/.*)$/.exec(path) ?? [];
    if (id && rest === "/state") return { json: state(thread(id)) };
    if (id && rest === "/history") return { json: thread(id).history.toReversed() };
    if (id && rest === "/runs/stream") {
      const here = thread(id);
      const asked = JSON.parse(body);
      const open = here.interrupt?.id;
      if (asked.command && !(open in asked.command.resume)) return { status: 409, json: { error: true, message: "this does not wait any more" } };
      const events = structuredClone([...play(here, asked)]);
      // A pause that is over has a result: the middleware gives back the call, and the outcome of one that was refused.
      const refused = ({ type, status }) => type === "tool" && status === "error";
      const messages = here.messages.filter((message) => message.tool_calls?.length > 0 || refused(message));
      for (const task of here.history.at(-1)?.tasks ?? []) task.result = { messages };
      if (here.between) here.history.push(here.between);
      here.between = undefined;
      here.history.push(structuredClone(state(here)));
      const run = randomUUID();
      here.runs.set(run, events);
      return { events, headers: { "content-location": `/threads/${id}/runs/${run}` } };
    }
    // A page that was loaded again while a run was streamed joins it, from its first event.
    const [, joined] = /^\/runs\/([^/]+)\/stream$/.exec(rest) ?? [];
    const events = id && method === "GET" && thread(id).runs.get(joined);
    if (events) return { events };
    return { status: 404, json: { detail: "Not Found" } };
  };
}
