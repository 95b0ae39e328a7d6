import { AuiIf, ComposerPrimitive, MessagePrimitive, ThreadPrimitive } from "@assistant-ui/react";
import { CountersignCard } from "countersign/react";

import { inbox } from "./agent";
import { ToolCall } from "./ToolCall";

export function Thread({ isWaiting, problem, others }: { isWaiting: boolean; problem: string; others: string[] }) {
  return (
    <ThreadPrimitive.Root className="thread">
      <ThreadPrimitive.Viewport className="viewport">
        <AuiIf condition={({ thread }) => thread.isEmpty}>
          <div className="welcome">
            <h1>How can I help?</h1>
            <p>I delete files, send e-mail and move money, each after you have countersigned the exact call.</p>
            <div className="suggestions">
              <ThreadPrimitive.Suggestion className="suggestion" prompt="delete" send>
                Delete last year’s report
              </ThreadPrimitive.Suggestion>
              <ThreadPrimitive.Suggestion className="suggestion" prompt="transfer" send>
                Pay the invoice from Dublin
              </ThreadPrimitive.Suggestion>
            </div>
          </div>
        </AuiIf>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        {others.map((id) => (
          <div className="message assistant" key={id}>
            <CountersignCard className="card" inbox={inbox} requestId={id} />
          </div>
        ))}
        <div className="foot">
          <p className="notice" role="status">
            {problem || (isWaiting ? "The agent waits for your decision." : "")}
          </p>
          <ComposerPrimitive.Root className="composer">
            <ComposerPrimitive.Input className="input" placeholder="Send a message…" aria-label="Message" rows={1} autoFocus />
            <ComposerPrimitive.Send className="send" aria-label="Send">
              ↑
            </ComposerPrimitive.Send>
          </ComposerPrimitive.Root>
        </div>
      </ThreadPrimitive.Viewport>
    </ThreadPrimitive.Root>
  );
}

function UserMessage() {
  return (
    <MessagePrimitive.Root className="message user">
      <MessagePrimitive.Parts />
    </MessagePrimitive.Root>
  );
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root className="message assistant">
      <MessagePrimitive.Parts components={{ tools: { Override: ToolCall } }} />
    </MessagePrimitive.Root>
  );
}
