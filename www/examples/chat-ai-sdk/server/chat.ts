// The route behind `useChat`: words and decisions go to the agent, what it says comes back as a UI message stream. Every event
// goes along as a data part, for the inbox.
import { createUIMessageStream, createUIMessageStreamResponse } from "ai";

import { begin, CONFIRMATION, events, run, session, type AdkEvent, type Agent } from "./adk";
import { messages, Translation } from "./translate";

/** The handlers of `GET` and `POST /api/chat` for the pages of `origin`. */
export function createChat(agent: Agent, origin: string) {
  return {
    /** What was said so far, and the history for the inbox. */
    async GET(request: Request): Promise<Response> {
      const id = new URL(request.url).searchParams.get("id") ?? "";
      const history = await session(agent, id);
      if (history === undefined) return Response.json({ messages: [] });
      const { events } = JSON.parse(history) as { events: AdkEvent[] };
      return Response.json({ messages: await messages(events), history });
    },

    /** Words, or a decision as the text that the inbox wrote. */
    async POST(request: Request): Promise<Response> {
      // Any page can let a browser post here; with the agent's token nothing goes on that this one has not sent.
      if (request.headers.get("origin") !== origin) return Response.json({ message: "this is no page of this server" }, { status: 403 });
      const [type] = (request.headers.get("content-type") ?? "").split(";");
      if (type !== "application/json") return Response.json({ message: "this is no JSON" }, { status: 415 });
      const { id, text = "", decision } = (await request.json()) as { id: string; text?: string; decision?: string };
      const known = await session(agent, id);
      const problem = decision === undefined ? undefined : refusal(decision, known);
      if (problem) return Response.json({ message: problem }, { status: 409 });
      if (known === undefined) await begin(agent, id);
      const message = decision ?? JSON.stringify({ role: "user", parts: [{ text }] });
      const answer = await run(agent, id, message, request.headers.get("idempotency-key"));
      if (!answer.ok) return new Response(await answer.text(), { status: answer.status });
      const stream = createUIMessageStream({
        async execute({ writer }) {
          const translation = new Translation();
          for await (const text of events(answer)) {
            writer.write({ type: "data-adk", data: text, transient: true });
            const event = JSON.parse(text) as AdkEvent;
            if (event.error && !event.content) throw new Error(event.error);
            for (const chunk of translation.chunks(event)) writer.write(chunk);
          }
          for (const chunk of translation.end()) writer.write(chunk);
        },
        onError: (error) => (error instanceof Error ? error.message : String(error)),
      });
      return createUIMessageStreamResponse({ stream });
    },
  };
}

/** Why a decision must not reach the agent: it answers nothing, something else, or what was answered before. ADK checks none of it. */
function refusal(decision: string, session = '{"events":[]}'): string | undefined {
  const answers = responses({ id: "", content: JSON.parse(decision) });
  if (answers.length === 0) return "this is no decision";
  const { events } = JSON.parse(session) as { events: AdkEvent[] };
  const calls = events.flatMap(({ content }) => content?.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
  const asked = new Set(calls.filter(({ name }) => name === CONFIRMATION).map(({ id }) => id));
  const answered = new Set(events.flatMap(responses));
  if (answers.some((id) => id === undefined || !asked.has(id))) return "the agent has not asked for this";
  return answers.some((id) => id !== undefined && answered.has(id)) ? "this was answered before" : undefined;
}

/** The ids that a person's message answers; `undefined` for whatever else is in it. */
function responses({ content }: AdkEvent): (string | undefined)[] {
  if (content?.role !== "user") return [];
  return (content.parts ?? []).map(({ functionResponse }) => (functionResponse?.name === CONFIRMATION ? functionResponse.id : undefined));
}
