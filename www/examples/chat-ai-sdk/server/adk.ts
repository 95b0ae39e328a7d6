// Google ADK's own REST interface, as far as a chat needs it. What it says is handed on as the text that it is: numbers that are
// parsed and written anew may lose digits.

/** Where the agent is. */
export interface Agent {
  /** Where `adk api_server` listens. */
  url: string;
  appName: string;
  userId: string;
  headers?: Record<string, string>;
}

/** An event of a session, as far as a chat shows it. */
export interface AdkEvent {
  id: string;
  author?: string;
  partial?: boolean;
  content?: { role?: string; parts?: AdkPart[] | null } | null;
  actions?: { requestedToolConfirmations?: Record<string, unknown> };
  error?: string;
}

export interface AdkPart {
  text?: string;
  functionCall?: { id: string; name: string; args?: unknown };
  functionResponse?: { id: string; name: string; response?: unknown };
}

/** The call by which ADK asks, and the name of the answer to it. */
export const CONFIRMATION = "adk_request_confirmation";

const place = ({ url, appName, userId }: Agent, id: string) =>
  `${url}/apps/${encodeURIComponent(appName)}/users/${encodeURIComponent(userId)}/sessions/${encodeURIComponent(id)}`;

/** The session as text; `undefined` where there is none. */
export async function session(agent: Agent, id: string): Promise<string | undefined> {
  const answer = await fetch(place(agent, id), { headers: { ...agent.headers } });
  if (answer.status === 404) return undefined;
  if (!answer.ok) throw new Error(`the agent answered ${answer.status}`);
  return answer.text();
}

/** Makes the session. */
export async function begin(agent: Agent, id: string): Promise<void> {
  const headers = { ...agent.headers, "content-type": "application/json" };
  const answer = await fetch(place(agent, id), { method: "POST", headers, body: "{}" });
  if (!answer.ok) throw new Error(`the agent answered ${answer.status}`);
}

/** Runs the agent with a message, which goes out exactly as it is given; resolves once the agent has taken it. */
export function run(agent: Agent, id: string, message: string, key: string | null): Promise<Response> {
  const ids = { appName: agent.appName, userId: agent.userId, sessionId: id, streaming: true };
  const headers = { ...agent.headers, "content-type": "application/json", ...(key === null ? {} : { "idempotency-key": key }) };
  const body = `${JSON.stringify(ids).slice(0, -1)},"newMessage":${message}}`;
  return fetch(`${agent.url}/run_sse`, { method: "POST", headers, body });
}

/** The texts of the events of a run. */
export async function* events(run: Response): AsyncGenerator<string> {
  let text = "";
  const decoder = new TextDecoder();
  if (!run.body) return;
  for await (const bytes of run.body) {
    text += decoder.decode(bytes, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? "";
    for (const block of blocks) if (block.startsWith("data: ")) yield block.slice("data: ".length);
  }
}
