import { CountersignInbox, useConnector, useConnectorState } from "countersign/react";
import { connect, drawn, threadOf } from "./threads.js";

const OPTIONS = { adapter: "haystack", holdRejections: 600_000 };

export function Calls({ thread, folded = false }) {
  const connector = useConnector(() => thread && connect(thread), [thread]);
  const { state, error } = useConnectorState(connector);
  drawn.push({ thread, connected: threadOf(connector), state });
  return (
    <section>
      <h1>Calls</h1>
      <output>{error ? `${state} ${error.code}` : state}</output>
      {connector ? <CountersignInbox connector={connector} options={OPTIONS} hidden={folded} /> : <p>No thread</p>}
    </section>
  );
}
