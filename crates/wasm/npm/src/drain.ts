import type { Connector } from "./connect/types.js";
import { unsent } from "./error.js";
import type { Inbox } from "./full.js";

/** @internal Lets what is held in an inbox that is shown no more leave by its connector once its time is there. */
export function drain(inbox: Inbox, connector: Connector): void {
  inbox.tick();
  for (const outbound of inbox.takeOutbound()) {
    const fail = (error: unknown) => inbox.failed(outbound.id, unsent(error));
    new Promise((resolve) => resolve(connector.send(outbound))).catch(fail).catch(() => {});
  }
  const wake = inbox.nextWake();
  if (inbox.raw.held > 0 && wake !== undefined) setTimeout(drain, Math.max(0, wake - inbox.at()), inbox, connector);
}
