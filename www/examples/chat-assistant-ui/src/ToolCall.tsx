import type { ToolCallMessagePartProps } from "@assistant-ui/react";
import { CountersignCard, useRequests } from "countersign/react";

import { inbox } from "./agent";

/** A tool call where it stands in the conversation: a card for each time that a person is asked about it, else one line. */
export function ToolCall({ toolCallId, toolName }: ToolCallMessagePartProps) {
  const cards = useRequests(inbox).filter(({ call, request }) => call !== undefined && call === toolCallId && request !== undefined);
  if (cards.length > 0) return cards.map((card) => <CountersignCard key={card.id} className="card" inbox={inbox} requestId={card.id} />);
  return (
    <p className="tool">
      Used <code>{toolName}</code>
    </p>
  );
}
