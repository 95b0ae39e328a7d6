// What was said, as a list of messages for assistant-ui. The arguments of calls are not taken from here: cards show them from
// the exact text that arrived.
import type { ThreadMessageLike } from "@assistant-ui/react";

type Role = "user" | "assistant";

interface Text {
  type: "text";
  text: string;
}

interface Call {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
}

interface Said {
  id: string;
  role: Role;
  content: (Text | Call)[];
}

/** What A2A 0.3 says, as far as a chat shows it. */
interface Wire {
  kind?: string;
  history?: Wire[];
  status?: { state?: string; message?: Wire };
  messageId?: string;
  role?: string;
  parts?: Part[];
  metadata?: Record<string, unknown>;
}

interface Part {
  kind: string;
  text?: string;
  data?: { id?: string; name?: string; decision_type?: string };
  metadata?: { kagent_type?: string };
}

/** The messages of a conversation, in order; each arrives any number of times and counts once. */
export class Transcript {
  #said = new Map<string, Said>();
  /** The pieces of a text that is not whole yet. */
  #draft = "";
  #messages: readonly ThreadMessageLike[] = [];
  #calls = new Set<string>();
  #listeners = new Set<() => void>();

  get messages(): readonly ThreadMessageLike[] {
    return this.#messages;
  }

  /** The ids of the calls in the messages. */
  get calls(): ReadonlySet<string> {
    return this.#calls;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes in a live event, a task, or the list of tasks that is the history. */
  read(text: string): void {
    const message = JSON.parse(text) as { result?: Wire; data?: Wire[]; error?: unknown };
    for (const wire of message.data ?? [message.result ?? (message as Wire)]) this.#take(wire);
    this.#messages = this.#thread();
    for (const listener of this.#listeners) listener();
  }

  #take(wire: Wire): void {
    for (const message of wire.history ?? []) this.#note(message);
    if (wire.kind === "message") this.#note(wire);
    if (wire.status?.message) this.#note(wire.status.message, wire.metadata);
    if (wire.status?.state !== "working") this.#draft = "";
  }

  #note({ messageId, role, parts = [], metadata }: Wire, around = metadata): void {
    // A decision is no part of the chat: its card shows it.
    if (!messageId || parts.some(({ data }) => data?.decision_type !== undefined)) return;
    const content = parts.flatMap((part) => this.#part(part));
    if (around?.["kagent_adk_partial"] === true) {
      this.#draft += content.map((part) => (part.type === "text" ? part.text : "")).join("");
      return;
    }
    this.#draft = "";
    if (content.length === 0) return;
    for (const part of content) if (part.type === "tool-call") this.#calls.add(part.toolCallId);
    this.#said.set(messageId, { id: messageId, role: role === "user" ? "user" : "assistant", content });
  }

  #part({ text, data, metadata }: Part): (Text | Call)[] {
    if (text !== undefined) return [{ type: "text", text }];
    const isCall = metadata?.kagent_type === "function_call" && !data?.name?.startsWith("adk_request_");
    return isCall && data?.id ? [{ type: "tool-call", toolCallId: data.id, toolName: data.name ?? "" }] : [];
  }

  /** One message a turn: what the agent says before and after a call stands together, with the call in its place. */
  #thread(): ThreadMessageLike[] {
    const turns: Said[] = [];
    for (const said of this.#said.values()) {
      const last = turns.at(-1);
      if (last?.role === "assistant" && said.role === "assistant") last.content.push(...said.content);
      else turns.push({ ...said, content: [...said.content] });
    }
    if (this.#draft) {
      const last = turns.at(-1);
      const text: Text = { type: "text", text: this.#draft };
      if (last?.role === "assistant") last.content.push(text);
      else turns.push({ id: "draft", role: "assistant", content: [text] });
    }
    return turns;
  }
}
