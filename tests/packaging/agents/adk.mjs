// An agent on the wire of ADK's API server: sessions, and runs that stream their events.
import { randomUUID } from "node:crypto";

import { callFor, closing, pieces, raw } from "./script.mjs";

const CONFIRMATION = "adk_request_confirmation";

/** The handler for `serveAgent`. */
export function adkAgent() {
  const sessions = new Map();

  /** The events of one run, and what they leave in the session. */
  function* run(session, message) {
    const invocationId = `e-${randomUUID()}`;
    const event = (role, parts, { author = "ops", actions = {}, ...more } = {}) => {
      const made = { content: { parts, role }, invocationId, author, actions: { stateDelta: {}, artifactDelta: {}, ...actions }, id: randomUUID(), timestamp: Date.now() / 1000, ...more };
      if (!more.partial) session.events.push(made);
      return made;
    };
    function* say(words, ...calls) {
      for (const text of pieces(words)) yield event("model", [{ text }], { partial: true });
      yield event("model", [{ text: words }, ...calls]);
    }
    /** Asks about a call. */
    function* ask({ id, name }, args) {
      const toolConfirmation = { hint: "", confirmed: false };
      const asked = { id: `adk-${randomUUID()}`, name: CONFIRMATION, args: { originalFunctionCall: { id, name, args }, toolConfirmation } };
      yield event("model", [{ functionCall: asked }], { longRunningToolIds: [asked.id] });
      const stub = { error: "This tool call requires confirmation, please approve or reject." };
      const actions = { skipSummarization: true, requestedToolConfirmations: { [id]: toolConfirmation } };
      yield event("user", [{ functionResponse: { id, name, response: stub } }], { actions });
    }
    event("user", message.parts, { author: "user" });
    const [{ functionResponse: decision, text }] = message.parts;
    if (decision) {
      const { call } = session;
      const { confirmed, payload } = decision.response;
      if (session.again) {
        session.again = false;
        yield* ask(call, raw(call.argsText));
        return;
      }
      const response = confirmed ? { status: "ok" } : { error: "This tool call is rejected." };
      yield event("user", [{ functionResponse: { id: call.id, name: call.name, response } }]);
      yield* say(closing(call, confirmed, payload?.rejection_reason));
      return;
    }
    const call = callFor(text);
    if (!call) {
      yield* say("I can delete the old report, or transfer the invoice.");
      return;
    }
    session.call = { id: `adk-${randomUUID()}`, ...call };
    const { id, name } = session.call;
    const functionCall = { id, name, args: raw(call.argsText) };
    session.again = text.includes("again");
    yield* say("I will do that now.", ...(text.includes("nested") ? [] : [{ functionCall }]));
    yield* ask(functionCall, functionCall.args);
  }

  return ({ method, path, body }) => {
    const [, id] = /^\/apps\/ops\/users\/user\/sessions\/([^/]+)$/.exec(path) ?? [];
    if (id && method === "POST") sessions.set(id, { id, appName: "ops", userId: "user", state: {}, events: [] });
    if (id) {
      const { call: _, again: __, ...session } = sessions.get(id) ?? {};
      return session.id ? { json: session } : { status: 404, json: { detail: "Session not found" } };
    }
    if (path !== "/run_sse") return { status: 404, json: { detail: "Not Found" } };
    const { sessionId, newMessage } = JSON.parse(body);
    return { events: [...run(sessions.get(sessionId), newMessage)].map((data) => ({ data })) };
  };
}
