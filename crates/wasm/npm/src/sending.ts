import type { Connector } from "./connect/types.js";
import { unsent } from "./error.js";
import type { Inbox } from "./full.js";
import type { Outbound } from "./options.js";

/** @internal Sends a message through a connector, which tells the inbox what became of it. */
export function deliver(inbox: Inbox, connector: Connector, outbound: Outbound): Promise<void> {
  // One that throws has not sent, and must not keep the next message from being sent.
  const sent = new Promise<void>((resolve) => resolve(connector.send(outbound)));
  return sent.catch((error: unknown) => inbox.failed(outbound.id, unsent(error)));
}

/** @internal Lets what is held in an inbox that is shown no more leave by its connector once its time is there. */
export function sendHeld(inbox: Inbox, connector: Connector): void {
  inbox.tick();
  for (const outbound of inbox.takeOutbound()) deliver(inbox, connector, outbound).catch(() => {});
  const wake = inbox.nextWake();
  if (inbox.raw.held > 0 && wake !== undefined) setTimeout(sendHeld, Math.max(0, wake - inbox.at()), inbox, connector);
}
