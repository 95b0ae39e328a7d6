import { CountersignInbox, useConnector, useConnectorState } from "countersign/react";
import { connect, drawn, threadOf } from "./threads.js";

const OPTIONS = { adapter: "haystack", holdRejections: 600_000 };

export function Calls({ thread, folded = false, shut = false, view = 0 }) {
  const connector = useConnector(() => thread && connect(thread), [thread]);
  const { state, error } = useConnectorState(connector);
  drawn.push({ thread, connected: threadOf(connector), state });
  return (
    <section>
      <h1>Calls</h1>
      <output>{error ? `${state} ${error.code}` : state}</output>
      {connector ? !shut && <CountersignInbox key={view} connector={connector} options={OPTIONS} hidden={folded} /> : <p>No thread</p>}
    </section>
  );
}
