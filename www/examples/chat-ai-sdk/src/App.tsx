import { useChat } from "@ai-sdk/react";
import type { UIMessage } from "ai";
import { CountersignCard, CountersignInbox, useRequests } from "countersign/react";
import { useEffect, useState, type FormEvent } from "react";

import { id, inbox, messages as before, sendThrough, transport } from "./agent";

export function App() {
  const { messages, sendMessage, status, error } = useChat({
    id,
    messages: before,
    transport,
    onData: (part) => {
      if (part.type === "data-adk") inbox.receive(part.data as string);
    },
  });
  // Without words of its own, a message goes on with the last one of the agent: its answer appears below the card.
  useEffect(() => sendThrough((options) => sendMessage(undefined, options)), [sendMessage]);

  const cards = useRequests(inbox);
  const isWaiting = cards.some(({ status }) => status === "pending" || status === "drafted");
  const isBusy = status === "submitted" || status === "streaming";
  useEffect(() => {
    window.scrollTo({ top: document.body.scrollHeight });
  }, [messages.length, isWaiting]);

  const shown = new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "dynamic-tool" ? part.toolCallId : []))));
  // A request without a call in the transcript is shown at the end: none is ever hidden.
  const others = cards.filter(({ call, request }) => request !== undefined && !(call && shown.has(call)));
  return (
    <>
      <main>
        {messages.length === 0 && (
          <div className="greeting">
            <h1>Hello there!</h1>
            <p>Ask me to delete last year’s report, or to transfer the invoice. I will ask back.</p>
          </div>
        )}
        {messages.map((message) => (
          <Message key={message.id} message={message} />
        ))}
        {others.map(({ id }) => (
          <div className="message assistant" key={id}>
            <CountersignCard inbox={inbox} requestId={id} />
          </div>
        ))}
        {/* It hears what other tabs decide. What it would send, `forward` has sent. */}
        <CountersignInbox inbox={inbox} hidden />
        {status === "submitted" && (
          <p className="thinking" role="status">
            Thinking…
          </p>
        )}
      </main>
      <Composer isDisabled={isBusy || isWaiting} say={(text) => void sendMessage({ text })}>
        {error?.message ?? (isWaiting ? "The agent waits for your decision." : "")}
      </Composer>
    </>
  );
}

function Message({ message: { role, parts } }: { message: UIMessage }) {
  return (
    <div className={`message ${role}`}>
      {parts.map((part, place) => {
        if (part.type === "text") return part.text && <p key={place}>{part.text}</p>;
        if (part.type === "dynamic-tool") return <ToolCall key={part.toolCallId} id={part.toolCallId} name={part.toolName} />;
        return null;
      })}
    </div>
  );
}

/** A tool call where it stands in the conversation: a card for each time that a person is asked about it, else one line. */
function ToolCall({ id, name }: { id: string; name: string }) {
  const cards = useRequests(inbox).filter(({ call, request }) => call !== undefined && call === id && request !== undefined);
  if (cards.length > 0) return cards.map((card) => <CountersignCard key={card.id} inbox={inbox} requestId={card.id} />);
  return (
    <p className="tool">
      <code>{name}</code>
    </p>
  );
}

function Composer({ isDisabled, say, children }: { isDisabled: boolean; say: (text: string) => void; children: string }) {
  const [text, setText] = useState("");
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (isDisabled || text.trim() === "") return;
    say(text);
    setText("");
  };
  return (
    <form onSubmit={send}>
      <p className="notice" role="status">
        {children}
      </p>
      <div className="composer">
        <input
          aria-label="Message"
          placeholder="Send a message…"
          autoComplete="off"
          autoFocus
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <button aria-label="Send" disabled={isDisabled || text.trim() === ""}>
          ↑
        </button>
      </div>
    </form>
  );
}
