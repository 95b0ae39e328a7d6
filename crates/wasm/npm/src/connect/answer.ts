import { ConnectorError, lost, refused } from "./failure.js";
import type { StreamEvent } from "./events.js";
import { isDocument, member, word } from "./json.js";
import type { Link } from "./link.js";

/** What is said of a stream whose content type got lost. */
const UNTYPED = "a stream of events arrived without the content type `text/event-stream`, which a proxy may have dropped: the message may have arrived";

/**
 * Hands every event of an answer to `each`, until it ends.
 *
 * Resolves with `true` as soon as `each` says that nothing more is to be waited for; what comes then is still handed over. `ended`
 * is called when nothing comes any more.
 * @throws what `each` throws, and {@link ConnectorError} when the answer breaks off.
 */
export function readAll(events: AsyncIterable<StreamEvent>, each: (event: StreamEvent) => boolean, ended?: () => void): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const all = async () => {
      for await (const event of events) if (each(event)) resolve(true);
      resolve(false);
    };
    // Once it is settled, a connection that breaks takes nothing away.
    all().catch(reject).finally(ended);
  });
}

/**
 * Hands every event of a run to `each`. A backend that runs an agent says something, and says it as a stream. `each` is told
 * whether it has said anything yet that is no scrap of something else: then it has the message.
 *
 * @throws {ConnectorError} when it has not: nobody knows then whether it took the message. Also for an answer that is no stream:
 * it came from elsewhere.
 */
export async function streamed(events: AsyncIterable<StreamEvent>, each: (event: StreamEvent, isTaken: boolean) => void): Promise<void> {
  let isEmpty = true;
  let isTaken = false;
  await readAll(events, (event) => {
    isEmpty = false;
    if (event.name === "") throw noStream(typeof event.data === "string" ? event.data : "");
    each(event, (isTaken ||= isDocument(event.data)));
    return false;
  });
  if (!isTaken) throw unsaid(isEmpty);
}

/** An answer ended without a word of the agent's: nobody knows whether it has the message. */
export function unsaid(isEmpty: boolean): ConnectorError {
  return lost(undefined, isEmpty ? "the answer ended before it began" : "the answer does not say that the message was taken: it may have arrived all the same");
}

/** Why an answer is no stream. */
function noStream(said: string): ConnectorError {
  if (/^\s*(event|data):/.test(said)) return lost(undefined, UNTYPED);
  return refused(200, "and no stream of events", said);
}

/** Reads the state, then whenever it should be read again. */
export async function poll(link: Link, pollMs: number | undefined): Promise<never> {
  for (;;) {
    await link.read();
    link.ready();
    while (!(await link.pace.idle(pollMs)));
  }
}

/**
 * Fails where an answer with status 200 says that there was an error.
 *
 * @throws {ConnectorError} for a JSON-RPC error, and for `{"error": true, "message"}`.
 */
export function throwError(text: string): void {
  if (!text.includes('"error"')) return;
  const error = member(text, "error");
  if (error === undefined || error === "false" || error === "null") return;
  // Frameworks leave it empty where there was none; in an answer of JSON-RPC it is there only where there was one.
  if (/^(""|\{\s*\}|\[\s*\])$/.test(error) && member(text, "jsonrpc") === undefined) return;
  const message = word(error, "message") ?? word(text, "error") ?? word(text, "message") ?? "the backend reported an error";
  // An internal error may pass; everything else is the backend's considered word.
  throw new ConnectorError("backend-error", message, { status: 200, temporary: member(error, "code") === "-32603" });
}
