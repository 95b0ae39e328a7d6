// ADK's events as the chunks of an AI SDK message.
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from "ai";

import type { AdkEvent, AdkPart } from "./adk";

/** Translates the events of one run, in their order. */
export class Translation {
  /** The text that is being spoken. */
  #open: string | undefined;
  /** The calls of this run. What becomes of a call that a person was asked about stands on its card. */
  #calls = new Set<string>();

  *chunks(event: AdkEvent): Generator<UIMessageChunk> {
    const parts = event.content?.parts ?? [];
    for (const [at, part] of parts.entries()) yield* this.#part(part, event, `${event.id}/${at}`);
  }

  *end(): Generator<UIMessageChunk> {
    if (this.#open !== undefined) yield { type: "text-end", id: this.#open };
    this.#open = undefined;
  }

  *#part({ text, functionCall: call, functionResponse: outcome }: AdkPart, event: AdkEvent, id: string): Generator<UIMessageChunk> {
    if (text) {
      // A text comes in pieces first, and then once more as a whole.
      const isRepeated = event.partial !== true && this.#open !== undefined;
      if (this.#open === undefined) yield { type: "text-start", id: (this.#open = id) };
      if (!isRepeated) yield { type: "text-delta", id: this.#open, delta: text };
      if (event.partial !== true) yield* this.end();
    }
    if (call && !call.name.startsWith("adk_request_")) {
      this.#calls.add(call.id);
      yield { type: "tool-input-available", toolCallId: call.id, toolName: call.name, input: call.args, dynamic: true };
    }
    const isAsked = outcome && event.actions?.requestedToolConfirmations?.[outcome.id] !== undefined;
    if (outcome && !isAsked && this.#calls.has(outcome.id)) {
      yield { type: "tool-output-available", toolCallId: outcome.id, output: outcome.response, dynamic: true };
    }
  }
}

/** What was said in a session, as messages: one for each turn of the agent. */
export async function messages(events: AdkEvent[]): Promise<UIMessage[]> {
  const found: UIMessage[] = [];
  let turn: AdkEvent[] = [];
  const settle = async () => {
    const answer = await message(turn);
    if (answer) found.push(answer);
    turn = [];
  };
  for (const event of events) {
    const words = event.author === "user" ? (event.content?.parts ?? []).flatMap(({ text }) => (text ? [text] : [])) : [];
    if (words.length === 0) {
      turn.push(event);
      continue;
    }
    await settle();
    found.push({ id: event.id, role: "user", parts: words.map((text) => ({ type: "text", text })) });
  }
  await settle();
  return found;
}

/** One message of the agent, made of its events. */
async function message(turn: AdkEvent[]): Promise<UIMessage | undefined> {
  const [first] = turn;
  if (!first) return undefined;
  const translation = new Translation();
  const chunks: UIMessageChunk[] = [{ type: "start", messageId: first.id }];
  for (const event of turn) chunks.push(...translation.chunks(event));
  if (chunks.length === 1) return undefined;
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of [...chunks, ...translation.end()]) controller.enqueue(chunk);
      controller.close();
    },
  });
  let read: UIMessage | undefined;
  for await (const state of readUIMessageStream({ stream })) read = state;
  return read;
}
