// The inbox that keeps the rules, and the transport of `useChat`, on which decisions go out as well.
import { DefaultChatTransport, type UIMessage } from "ai";
import { init, Inbox } from "countersign";
import { forward } from "countersign/connect";

// The conversation stands in the address: a reload finds it again.
location.hash ||= crypto.randomUUID();

/** The conversation. */
export const id = location.hash.slice(1);

await init({ adapters: ["adk"] });

/** Every request of the conversation. All cards on the page share it, so each call is decided once. */
export const inbox = new Inbox({
  adapter: "adk",
  // A person can take a rejection back for a while, and look at a batch once more before it leaves.
  holdRejections: 4000,
  holdBatches: 3000,
});

const stored = (await (await fetch(`/api/chat?id=${id}`)).json()) as { messages: UIMessage[]; history?: string };
if (stored.history !== undefined) inbox.restore(stored.history);

/** What was said before. */
export const { messages } = stored;

/** What a request to the route carries beside the conversation. */
interface Payload {
  decision?: string;
}

const KEY = "idempotency-key";

/** Sends only what is new: words, or a decision. The agent knows the rest. */
export const transport = new DefaultChatTransport<UIMessage>({
  api: "/api/chat",
  prepareSendMessagesRequest: ({ id, messages, body, headers }) => {
    const { decision } = (body ?? {}) as Payload;
    const words = messages.at(-1)?.parts.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { body: decision === undefined ? { id, text: words } : { id, decision }, ...(headers ? { headers } : {}) };
  },
  // Whether a decision has arrived is known as soon as the answer to it begins.
  fetch: async (address, init) => {
    const outbound = new Headers(init?.headers).get(KEY);
    const response = await fetch(address, init).catch((error: Error) => {
      if (outbound) tell(() => inbox.failed(outbound, { message: error.message }));
      throw error;
    });
    if (!outbound) return response;
    const { ok, status } = response;
    const message = ok ? "" : await response.clone().text();
    tell(() => (ok ? inbox.delivered(outbound) : inbox.failed(outbound, { status, message })));
    return response;
  },
});

/** Says something to the inbox. What it does not take, such as the fate of what it has settled, is no error of the chat's. */
function tell(say: () => void): void {
  try {
    say();
  } catch (error) {
    console.warn(error);
  }
}

/** Goes on with the conversation. */
type Send = (options: { body: Payload; headers: Record<string, string> }) => Promise<void>;

let send: Send;
let begin: () => void;
const begun = new Promise<void>((resolve) => (begin = resolve));

/** The chat is drawn: decisions go out through it. */
export function sendThrough(chat: Send): void {
  send = chat;
  begin();
}

// What becomes due goes to whoever listens first, so this stands before any element. One after the other.
let last = begun;
forward(inbox, {
  send: ({ id, body }) => (last = last.then(() => send({ body: { decision: body }, headers: { [KEY]: id } })).catch(() => {})),
});
