import { report, unsent } from "../error.js";
import type { Outbound } from "../options.js";
import type { RequestView } from "../types.js";
import { ConnectorError, failure } from "./failure.js";
import type { Connector, ConnectorInbox } from "./types.js";

/** How often the inbox is told that time has passed, at least, in milliseconds. */
const SECOND = 1000;

/**
 * Sends what becomes due in an inbox through a connector, until the function that it returns is called; also what is held for a
 * while, whether or not anything on the page shows it; in a page that a browser draws ahead, once a person has opened that. In Node
 * it keeps the process only while something is held.
 */
export function forward(
  inbox: Pick<ConnectorInbox, "failed"> & {
    requests(): readonly Pick<RequestView, "sendsAt">[];
    takeOutbound(): Outbound[];
    subscribe(listener: () => void): () => void;
    tick(): void;
    nextWake(): number | undefined;
  },
  connector: Pick<Connector, "send">,
): () => void {
  if (typeof inbox?.takeOutbound !== "function" || typeof connector?.send !== "function") {
    throw new ConnectorError("options-invalid", "`forward` takes an inbox, and then its connector");
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const failed = (id: string, error: unknown) => {
    try {
      inbox.failed(id, unsent(failure(error)));
    } catch {
      // Whoever sent it has said so already, or the inbox was rebuilt.
    }
  };
  const send = () => {
    if (isDrawnAhead()) return;
    for (const outbound of inbox.takeOutbound()) {
      // What throws has not sent, and must not keep the next message from being sent.
      new Promise((resolve) => resolve(connector.send(outbound))).catch((error: unknown) => failed(outbound.id, error));
    }
    clearTimeout(timer);
    const wake = inbox.nextWake();
    if (wake === undefined || isOver) return;
    // The inbox may have a clock of its own: by this one the moment can seem over long ago.
    const left = wake - Date.now();
    timer = setTimeout(tick, left > 0 ? Math.min(SECOND, left) : SECOND);
    if (canRelease(timer) && !inbox.requests().some(({ sendsAt }) => sendsAt !== undefined)) timer.unref();
  };
  const tick = () => {
    try {
      inbox.tick();
    } catch (error) {
      report(error);
    }
    send();
  };
  const unsubscribe = inbox.subscribe(send);
  if (isDrawnAhead()) document.addEventListener("prerenderingchange", () => isOver || tick(), { once: true });
  send();
  return () => {
    isOver = true;
    clearTimeout(timer);
    unsubscribe();
  };
}

/** Whether a browser draws the page ahead, which nobody may ever open. */
function isDrawnAhead(): boolean {
  return (globalThis.document as { prerendering?: boolean } | undefined)?.prerendering === true;
}

/** Whether a timer keeps a process alive unless it is told not to, as in Node; in a page it is a number. */
function canRelease(timer: unknown): timer is { unref(): void } {
  return typeof (timer as { unref?: unknown }).unref === "function";
}
