import type { Connector } from "./connect/types.js";
import { unsent } from "./error.js";
import { event, type SendDetail } from "./events.js";
import type { Inbox } from "./full.js";
import type { Outbound } from "./options.js";

/** How long a timer can wait, in milliseconds; one that is told more does not wait at all. */
const LONGEST = 2 ** 31 - 1;

/** @internal Sends a message through a connector, which tells the inbox what became of it. */
export function deliver(inbox: Inbox, connector: Connector, outbound: Outbound): Promise<void> {
  // One that throws has not sent, and must not keep the next message from being sent.
  const sent = new Promise<void>((resolve) => resolve(connector.send(outbound)));
  return sent.catch((error: unknown) => inbox.failed(outbound.id, unsent(error)));
}

/** @internal Hands a message to who listens around these elements, the first of which sends it, each once, until somebody has answered. */
export function offer(elements: Iterable<HTMLElement>, detail: SendDetail, isAnswered: () => boolean): void {
  const heard = new Set<EventTarget>();
  const [first] = elements;
  for (const element of elements) if (!isAnswered()) tellAround(element, detail, heard);
  const place = first?.ownerDocument;
  // Who listens further up does not hear an element that was taken away.
  if (first?.isConnected === false && place && !heard.has(place) && !isAnswered()) place.dispatchEvent(event("countersign-send", detail));
}

/** Lets an event rise from an element as far as nobody has heard it. */
function tellAround(element: HTMLElement, detail: SendDetail, heard: Set<EventTarget>): void {
  let last: Node | undefined;
  const path: Node[] = [];
  for (let node: Node | null = element; node && !heard.has(node); node = above(node)) path.push(node);
  for (const node of path) heard.add((last = node));
  if (!last) return;
  // The last of its listeners.
  const stop = (sent: Event) => sent.stopPropagation();
  const isTop = above(last) === null;
  if (!isTop) last.addEventListener("countersign-send", stop);
  element.dispatchEvent(event("countersign-send", detail));
  last.removeEventListener("countersign-send", stop);
}

/** @internal Where an event goes from a node. */
export const above = (node: Node): Node | null => (node as Element).assignedSlot ?? node.parentNode ?? (node as Partial<ShadowRoot>).host ?? null;

/** @internal Lets what is held in an inbox that is shown no more leave by its connector once its time is there. */
export function sendHeld(inbox: Inbox, connector: Connector): void {
  inbox.tick();
  for (const outbound of inbox.takeOutbound()) deliver(inbox, connector, outbound).catch(() => {});
  const wake = inbox.nextWake();
  if (inbox.raw.held > 0 && wake !== undefined) setTimeout(sendHeld, Math.min(LONGEST, Math.max(0, wake - inbox.at())), inbox, connector);
}
