// The inbox that keeps the rules, and the client of the SDK, which the inbox listens to.
import { Client } from "@langchain/langgraph-sdk";
import { init, Inbox, type Outbound } from "countersign";
import { forward } from "countersign/connect";

import { overhear } from "./overhear";

await init({ adapters: ["langgraph"] });

/** Every request of the conversation. All cards on the page share it, so each call is decided once. */
export const inbox = new Inbox({
  adapter: "langgraph",
  // A person can take a rejection back for a while, and look at a batch once more before it leaves.
  holdRejections: 4000,
  holdBatches: 3000,
});

/** Decisions that are on their way, by their ids. */
const leaving = new Map<string, Outbound>();

/** What goes through this client, the inbox hears. */
export const client = new Client({
  apiUrl: new URL("/agent", location.href).href,
  callerOptions: {
    fetch: overhear(inbox, leaving),
    // A decision is sent once. What failed is sent again by a person, and then under the same key.
    maxRetries: 0,
  },
});

// Everything that was asked and decided before: the state of now alone does not tell who was asked what.
const thread = location.hash.slice(1);
if (thread) {
  const headers = { "content-type": "application/json" };
  const history = await fetch(`/agent/threads/${encodeURIComponent(thread)}/history`, { method: "POST", headers, body: '{"limit":100}' });
  if (history.ok) inbox.restore(await history.text());
}

/** Resumes the run; the decision takes the place of its id on the way out. */
type Resume = (outboundId: string) => Promise<void>;

let resume: Resume;
let begin: () => void;
const begun = new Promise<void>((resolve) => (begin = resolve));

/** The chat is drawn: decisions go out through it. */
export function resumeThrough(chat: Resume): void {
  resume = chat;
  begin();
}

// What becomes due goes to whoever listens first, so this stands before any element.
forward(inbox, {
  send: async (outbound) => {
    await begun;
    leaving.set(outbound.id, outbound);
    await resume(outbound.id);
  },
});
