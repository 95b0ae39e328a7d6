// One conversation with a kagent agent: the inbox that keeps the rules, the connector that carries messages, and what was
// said.
import { init, Inbox } from "countersign";
import { a2a, forward } from "countersign/connect";

import { Transcript } from "./transcript";

// The conversation stands in the address: a reload finds it again.
location.hash ||= crypto.randomUUID();
const contextId = location.hash.slice(1);

await init({ adapters: ["a2a"] });

/** Every request of the conversation. All cards on the page share it, so each call is decided once. */
export const inbox = new Inbox({
  adapter: "a2a",
  // A person can take a rejection back for a while, and look at a batch once more before it leaves.
  holdRejections: 4000,
  holdBatches: 3000,
});

/** What was said, for the chat. */
export const transcript = new Transcript();

/** History after a reload, live events, and whatever a person decides. */
export const connector = a2a({
  url: "/agent/",
  history: `/agent/api/sessions/${contextId}/tasks`,
  ids: { contextId },
  onReceive: (message) => {
    if (typeof message === "string") transcript.read(message);
  },
});

// What a person decides becomes due in the inbox; the connector sends it once and says what became of it.
forward(inbox, connector);

/** Reads the conversation as it stands. */
export const connected = connector.connect(inbox);
