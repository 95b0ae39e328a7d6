import type { Message } from "@langchain/langgraph-sdk";
import { useStream } from "@langchain/langgraph-sdk/react";
import { CountersignCard, CountersignInbox, useRequests } from "countersign/react";
import { useEffect, useState, type FormEvent } from "react";

import { client, inbox, resumeThrough } from "./agent";

/** Which graph: `hitl-python` is LangChain's HumanInTheLoopMiddleware. */
const ASSISTANT = "hitl-python";

/** What every run is asked for: the words piece by piece, and the interrupts. */
const RUN = { streamMode: ["updates" as const], multitaskStrategy: "reject" as const, onDisconnect: "continue" as const };

export function App() {
  // The thread stands in the address: a reload finds it again.
  const [threadId, setThreadId] = useState(location.hash.slice(1) || null);
  const stream = useStream<{ messages: Message[] }>({
    client,
    assistantId: ASSISTANT,
    threadId,
    onThreadId: (id) => {
      location.hash = id;
      setThreadId(id);
    },
    reconnectOnMount: true,
  });

  // A decision resumes the run; its id stands for it until it leaves.
  useEffect(() => resumeThrough((id) => stream.submit(undefined, { ...RUN, command: { resume: id } })));

  const cards = useRequests(inbox);
  const isWaiting = cards.some(({ status }) => status === "pending" || status === "drafted");
  const say = (text: string) => stream.submit({ messages: [{ type: "human", content: text }] }, RUN);

  const { messages } = stream;
  // What is new comes into view; what was said before can be scrolled to.
  useEffect(() => {
    window.scrollTo({ top: document.body.scrollHeight });
  }, [messages.length, isWaiting]);
  const shown = new Set(messages.flatMap((message) => (message.type === "ai" ? (message.tool_calls ?? []).map(({ id }) => id) : [])));
  // A request without a call in the transcript, such as one of a sub-agent, is shown at the end: none is ever hidden.
  const others = cards.filter(({ call, request }) => request !== undefined && !(call && shown.has(call)));
  return (
    <main>
      <header>
        <h1>Operations</h1>
        <a href="./" onClick={() => setTimeout(() => location.reload())}>
          New thread
        </a>
      </header>
      <div className="messages">
        {messages.map((message, place) => (
          <Bubble key={message.id ?? place} message={message} />
        ))}
        {others.map(({ id }) => (
          <div className="message assistant" key={id}>
            <CountersignCard inbox={inbox} requestId={id} />
          </div>
        ))}
        {/* It hears what other tabs decide. What it would send, `forward` has sent. */}
        <CountersignInbox inbox={inbox} hidden />
      </div>
      <Composer isDisabled={stream.isLoading || isWaiting} say={say}>
        {stream.error ? String((stream.error as Error).message ?? stream.error) : isWaiting ? "The run is interrupted until you decide." : ""}
      </Composer>
    </main>
  );
}

function Bubble({ message }: { message: Message }) {
  if (message.type === "human") {
    return (
      <div className="message user">
        <p>{text(message)}</p>
      </div>
    );
  }
  // What tools returned stands on their cards.
  if (message.type !== "ai") return null;
  return (
    <div className="message assistant">
      {text(message) && <p>{text(message)}</p>}
      {message.tool_calls?.map(({ id, name }, place) => <ToolCall key={id ?? place} id={id} name={name} />)}
    </div>
  );
}

/** A tool call where it stands in the conversation: a card for each time that a person is asked about it, else one line. */
function ToolCall({ id, name }: { id: string | undefined; name: string }) {
  // Some models give calls no id, and some requests name no call: these do not belong together.
  const cards = useRequests(inbox).filter(({ call, request }) => call !== undefined && call === id && request !== undefined);
  if (cards.length > 0) return cards.map((card) => <CountersignCard key={card.id} className="card" inbox={inbox} requestId={card.id} />);
  return (
    <p className="tool">
      <code>{name}</code>
    </p>
  );
}

function Composer({ isDisabled, say, children }: { isDisabled: boolean; say: (text: string) => void; children: string }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("message") as HTMLInputElement;
    if (isDisabled || input.value.trim() === "") return;
    say(input.value);
    input.value = "";
  };
  return (
    <form onSubmit={send}>
      <p className="notice" role="status">
        {children}
      </p>
      <div className="composer">
        <input name="message" aria-label="Message" placeholder="Try: delete, or transfer" autoComplete="off" autoFocus />
        <button disabled={isDisabled}>Send</button>
      </div>
    </form>
  );
}

function text({ content }: Message): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
