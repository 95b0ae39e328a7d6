// A stub for each backend that the pages speak with: what the real ones said and were told, at the addresses of the pages.
import { readFileSync } from "node:fs";
import { join } from "node:path";

import * as recorded from "../package/connect-recordings.mjs";
import { member, read } from "../package/lossless.mjs";
import { root } from "./blocks.mjs";

/** The steps of a recorded conversation. */
const steps = (trace) => read(readFileSync(join(root, `tests/traces/${trace}.json`), "utf8")).value.get("steps").value;
/** What arrived in some of them, as text. */
const received = (some) => some.flatMap((step) => step.value.get("receive")?.text ?? []);

function conversation(trace) {
  const all = steps(trace);
  const decided = all.findIndex((step) => step.value.has("decide"));
  return { before: received(all.slice(0, decided)), after: received(all.slice(decided)) };
}

const kagentSaid = conversation("a2a/kagent-0.10--approved");
const pause = member(read(kagentSaid.before.at(-1)), "result");
/** A kagent task that waits for one approval. */
export const task = `{"kind":"task","id":"${member(pause, "taskId").value}","contextId":"c1","history":[],"status":${member(pause, "status").text}}`;

const originalFunctionCall = { id: "c", name: "delete_file", args: { path: "/srv/a" } };
const asked = { id: "r", name: "adk_request_confirmation", args: { originalFunctionCall, toolConfirmation: { confirmed: false } } };
const adkA2aStatus = { messageId: "m", role: "ROLE_AGENT", parts: [{ data: asked, metadata: { adk_type: "function_call" } }] };
/** The same of google-adk behind `to_a2a`, in A2A 1.0. */
const adkA2aTask = JSON.stringify({ id: "t", contextId: "c1", status: { state: "TASK_STATE_INPUT_REQUIRED", message: adkA2aStatus } });

const adalflowSaid = conversation("adalflow/ws--proceed-once");
const approvesTask = ([message]) => message.taskId === member(pause, "taskId").value && message.parts[0].data.decision_type === "approve";
const ASKED = '{"r1":{"type":"approval_request","id":"r1","tool_name":"delete_file","tool_params":{"path":"/srv/a"}}}';
const IDLE = '{"values":{},"next":[],"tasks":[],"interrupts":[]}';

/**
 * Each is `{ routes, upgrade?, approves }`. `routes(told)` answers requests, `upgrade(told)` sockets; both push into `told` what a
 * page decided. `approves(told)` says whether that is the approval.
 */
export const backends = {
  kagent: {
    routes: (told) => {
      const agent = (exchange) => {
        const { id, method, params } = JSON.parse(exchange.body);
        const reply = (result) => exchange.json(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`);
        if (method === "tasks/get") return reply(task);
        told.push(params.message);
        if (method === "message/stream") return exchange.stream(kagentSaid.after).end();
        return reply(member(read(kagentSaid.after.at(-1)), "result").text);
      };
      const history = (exchange) => exchange.json(`{"error":false,"data":[${task}]}`);
      return { "POST /api/a2a/team/agent": agent, "GET /api/sessions/c1/tasks": history };
    },
    approves: approvesTask,
  },
  /** A server of one's own that lists, tells and takes the bare bodies of the protocol. */
  own: {
    routes: (told) => ({
      "GET /api/tasks": (exchange) => exchange.json(task),
      "GET /api/events": (exchange) => exchange.stream(),
      "POST /agent": (exchange) => {
        told.push(JSON.parse(exchange.body));
        exchange.json("{}");
      },
    }),
    approves: approvesTask,
  },
  adk: {
    routes: (told) => ({
      "GET /adk/apps/support/users/user/sessions/s-1": (exchange) => exchange.json(recorded.adk.session),
      "POST /adk/run_sse": (exchange) => {
        told.push(JSON.parse(exchange.body));
        exchange.stream(recorded.adk.events).end();
      },
    }),
    approves: ([{ appName, sessionId, newMessage }]) =>
      appName === "support" && sessionId === "s-1" && newMessage.parts[0].functionResponse.response.confirmed === true,
  },
  adkA2a: {
    routes: (told) => ({
      "POST /support": (exchange) => {
        const { id, method, params } = JSON.parse(exchange.body);
        const reply = (result) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
        if (exchange.headers["a2a-version"] !== "1.0") return exchange.json("{}", 400);
        if (method === "ListTasks") return exchange.json(reply(`{"tasks":[${adkA2aTask}]}`));
        if (method === "GetTask") return exchange.json(reply(adkA2aTask));
        told.push(params.message);
        const { taskId, contextId } = params.message;
        const ended = { statusUpdate: { taskId, contextId, status: { state: "TASK_STATE_COMPLETED" } } };
        return exchange.stream([reply(JSON.stringify(ended))]).end();
      },
    }),
    approves: ([{ role, parts }]) => role === "ROLE_USER" && parts[0].data.response.confirmed === true,
  },
  langgraph: {
    routes: (told, { prefix, thread }) => ({
      [`POST ${prefix}/threads/${thread}/history`]: (exchange) => exchange.json(`[${recorded.langgraph.state}]`),
      [`GET ${prefix}/threads/${thread}/state`]: (exchange) => exchange.json(told.length > 0 ? IDLE : recorded.langgraph.state),
      [`GET ${prefix}/threads/${thread}/runs`]: (exchange) => exchange.json("[]"),
      [`POST ${prefix}/threads/${thread}/runs/stream`]: (exchange) => {
        told.push(JSON.parse(exchange.body));
        exchange.stream(recorded.langgraph.events).end();
      },
    }),
    approves: ([{ assistant_id: assistant, multitask_strategy: strategy, command }]) =>
      assistant === "agent" && strategy === "reject" && JSON.stringify(command) === JSON.stringify(JSON.parse(recorded.langgraph.command)),
  },
  haystack: {
    routes: () => ({ "GET /history/client-1": (exchange) => exchange.json(`[${recorded.socket.before}]`) }),
    upgrade: (told) => (peer) => {
      for (const text of recorded.socket.before) peer.send(text);
      peer.onmessage = ({ data }) => told.push(JSON.parse(data));
    },
    approves: ([answer]) => JSON.stringify(answer) === recorded.socket.answer,
  },
  adalflow: {
    routes: () => ({ "GET /history/client-1": (exchange) => exchange.json(`[${adalflowSaid.before}]`) }),
    upgrade: (told) => (peer) => {
      for (const text of adalflowSaid.before) peer.send(text);
      peer.onmessage = ({ data }) => {
        told.push(JSON.parse(data));
        for (const text of adalflowSaid.after) peer.send(text);
      };
    },
    approves: ([{ type, outcome }]) => type === "approval_response" && outcome === "proceed_once",
  },
  /** The contract that any server can speak. */
  rest: {
    routes: (told) => ({
      "GET /api/approvals/pending": (exchange) => exchange.json(told.length > 0 ? "{}" : ASKED),
      "GET /api/history": (exchange) => exchange.json("[]"),
      "POST /api/approvals/r1": (exchange) => {
        told.push(JSON.parse(exchange.body));
        exchange.json('{"status":"accepted","id":"r1","action":"confirm"}');
      },
    }),
    approves: ([answer]) => JSON.stringify(answer) === '{"action":"confirm"}',
  },
  shipped: {
    routes: (told) => ({
      "GET /api/v1/approvals/pending": (exchange) => exchange.json(told.length > 0 ? "[]" : recorded.adalflow.pending),
      [`POST ${JSON.parse(recorded.adalflow.answer).path}`]: (exchange) => {
        told.push(JSON.parse(exchange.body));
        exchange.json(recorded.adalflow.reply);
      },
    }),
    approves: ([{ outcome }]) => outcome === "proceed_once",
  },
};
