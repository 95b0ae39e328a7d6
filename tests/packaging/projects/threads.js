// Threads of an agent in the page, each of which asks about one call, and connectors to them that write down what happens to them.
import { rest } from "countersign/connect";

/** What happened, in its order: `a made`, `a closed`, and what the agent was told, as `a told confirm`. */
const log = [];
/** The thread of each connector that is open. */
const open = new Map();
/** How the agent answers: `well`, `away` not at all, `no` with a refusal. */
const agent = { answers: "well" };
/** The threads whose call was answered. */
const answered = new Set();

async function answer(thread, url, { body }) {
  if (agent.answers === "away") throw new TypeError("the agent is away");
  if (agent.answers === "no") return new Response('"nobody may"', { status: 403 });
  const { pathname } = new URL(url);
  if (!pathname.includes("/pending")) {
    const { action } = JSON.parse(body);
    log.push(`${thread} told ${action}`);
    answered.add(thread);
    return Response.json({ status: "accepted", id: thread, action });
  }
  return Response.json(answered.has(thread) ? {} : { [thread]: { type: "approval_request", id: thread, tool_name: "delete_file", tool_params: { path: `/srv/${thread}` } } });
}

/** A connector to a thread. */
export function connect(thread) {
  const connector = rest({ url: `https://agent.test/${thread}`, pollMs: 600_000, retry: { baseMs: 20, maxMs: 20 }, fetch: (url, init) => answer(thread, url, init) });
  const close = connector.close.bind(connector);
  connector.close = () => {
    log.push(`${thread} closed`);
    open.delete(connector);
    close();
  };
  log.push(`${thread} made`);
  open.set(connector, thread);
  return connector;
}

/** The thread that a connector was made for, while it is open. */
export const threadOf = (connector) => (connector ? (open.get(connector) ?? "closed") : null);

/** What each drawing of the component had: its thread, that of its connector, and where that stood. */
export const drawn = [];

/** What the elements told of that was refused. */
const errors = [];
addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));

Object.assign(globalThis, { log, agent, drawn, errors, open: () => [...open.values()] });
