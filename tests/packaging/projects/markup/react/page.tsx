import { useEffect, useRef } from "react";
import type { CountersignInboxElement, CountersignPolicyElement, Inbox } from "countersign";
import { langgraph, rest, type Connector, type ConnectorState, type TextConnector } from "countersign/connect";
import { CountersignCard, CountersignInbox, useConnector, useConnectorState, useRequests } from "countersign/react";

const connector = langgraph({ url: "/api", ids: { threadId: "b7c1", assistantId: "agent" } });

export function Page({ inbox, history }: { inbox: Inbox | null; history: string }) {
  const calls = useRef<CountersignInboxElement>(null);
  const policy = useRef<CountersignPolicyElement>(null);
  useEffect(() => {
    calls.current?.restore(history);
    // @ts-expect-error The element has a type.
    calls.current?.nonsense;
  }, [history]);
  const [card] = useRequests(inbox);
  return (
    <>
      <CountersignInbox ref={calls} connector={connector} locale="de" title-badge="" onError={({ help }) => help?.trim()} />
      <CountersignInbox options={{ extend: true }} onExtend={async (requestId) => requestId.length} />
      {inbox && card && <CountersignCard inbox={inbox} requestId={card.id} locale="de" />}
      <countersign-inbox titleBadge>
        <countersign-card requestId="r1" inboxId="calls" />
      </countersign-inbox>
      <countersign-policy ref={policy} readOnly format="haystack" oncountersign-policy-change={({ detail }) => detail.configuration.trim()} />
      {/* @ts-expect-error There is no such option. */}
      <CountersignInbox options={{ adaptor: "a2a" }} />
      {/* @ts-expect-error There is no such member. */}
      <countersign-inbox oncountersign-send={({ detail }) => detail.nothing} />
    </>
  );
}

export function Calls({ threadId }: { threadId: string | null }) {
  const connector: TextConnector | null = useConnector(() => threadId && langgraph({ url: "/api", ids: { threadId, assistantId: "agent" } }), [threadId]);
  const silent: Connector | null = useConnector(() => (threadId === null ? undefined : rest({ url: "/api" })), [threadId]);
  const { state, error } = useConnectorState(connector);
  const stands: ConnectorState = state;
  // @ts-expect-error What it depends on is not named.
  useConnector(() => rest({ url: "/api" }));
  // @ts-expect-error This is no connector.
  useConnector(() => ({ url: "/api" }), []);
  // @ts-expect-error It may not be there yet.
  void connector.sendText("Go on.");
  // @ts-expect-error It sends no words.
  silent?.sendText("Go on.");
  return connector && <CountersignInbox connector={connector} title={error?.temporary ? `${stands} ${error.status}` : undefined} />;
}
