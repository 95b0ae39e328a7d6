import { AssistantRuntimeProvider, useExternalStoreRuntime, type AppendMessage, type ThreadMessageLike } from "@assistant-ui/react";
import { CountersignInbox, useRequests } from "countersign/react";
import { useEffect, useState, useSyncExternalStore } from "react";

import { connected, connector, inbox, transcript } from "./agent";
import { Thread } from "./Thread";

const asIs = (message: ThreadMessageLike) => message;

export function App() {
  const messages = useSyncExternalStore(transcript.subscribe, () => transcript.messages);
  const cards = useRequests(inbox);
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    connected.catch((error: Error) => setProblem(error.message));
    return connector.subscribe(() => setProblem(connector.error?.message ?? ""));
  }, []);

  const onNew = async (message: AppendMessage) => {
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    setRunning(true);
    try {
      await connector.sendText(text);
      setProblem("");
    } catch (error) {
      setProblem((error as Error).message);
    } finally {
      setRunning(false);
    }
  };

  // While a call waits, words would end the pause instead of answering it.
  const isWaiting = cards.some(({ status }) => status === "pending" || status === "drafted");
  const isBusy = isRunning || cards.some(({ status }) => status === "sending" || status === "sent");
  const runtime = useExternalStoreRuntime<ThreadMessageLike>({
    messages,
    convertMessage: asIs,
    isRunning: isBusy,
    isSendDisabled: isWaiting,
    onNew,
  });
  // A request without a call in the transcript, such as one of a sub-agent, is shown at the end: none is ever hidden.
  const others = cards.filter(({ call, request }) => request !== undefined && !(call && transcript.calls.has(call)));
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread isWaiting={isWaiting} problem={problem} others={others.map(({ id }) => id)} />
      {/* It hears what other tabs decide. What it would send, `forward` has sent. */}
      <CountersignInbox inbox={inbox} hidden />
    </AssistantRuntimeProvider>
  );
}
