import type { Outbound } from "../options.js";
import { failure } from "./failure.js";
import type { Connector, ConnectorInbox } from "./types.js";

/** Sends what becomes due in an inbox through a connector, until the function that it returns is called. */
export function forward(
  inbox: ConnectorInbox & { takeOutbound(): Outbound[]; subscribe(listener: () => void): () => void },
  connector: Connector,
): () => void {
  const send = () => {
    for (const outbound of inbox.takeOutbound()) {
      connector.send(outbound).catch((error: unknown) => inbox.failed(outbound.id, { message: failure(error).message }));
    }
  };
  const stop = inbox.subscribe(send);
  send();
  return stop;
}
