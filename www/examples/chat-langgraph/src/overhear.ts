// The SDK parses and writes JSON anew, and a number beyond 2^53 does not survive that. What a person sees and what runs must be
// the same, so the inbox reads the bytes as they came, and its decisions leave as it wrote them.
import type { Inbox, Outbound } from "countersign";

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A `fetch` for the SDK's client: the inbox hears every answer, and decisions go out as the text that the inbox wrote. */
export function overhear(inbox: Inbox, leaving: Map<string, Outbound>): Fetch {
  return async (input, init) => {
    const address = input instanceof Request ? input.url : String(input);
    const outbound = decision(init?.body, leaving);
    if (!outbound) return listen(await fetch(input, init), address);
    const { id } = outbound;
    try {
      const headers = new Headers(init?.headers);
      headers.set("idempotency-key", id);
      const response = await fetch(input, { ...init, headers, body: written(String(init?.body), outbound) });
      const { ok, status } = response;
      const message = ok ? "" : await response.clone().text();
      tell(() => (ok ? inbox.delivered(id) : inbox.failed(id, { status, message })));
      return listen(response, address);
    } catch (error) {
      tell(() => inbox.failed(id, { message: (error as Error).message }));
      throw error;
    } finally {
      leaving.delete(id);
    }
  };

  /** The answer, and a copy of it for the inbox. */
  async function listen(response: Response, address: string): Promise<Response> {
    if (!response.ok || !response.body) return response;
    if (response.headers.get("content-type")?.startsWith("text/event-stream")) {
      const [theirs, ours] = response.body.tee();
      void events(ours, (event, data) => inbox.receive(`{"event":${JSON.stringify(event)},"data":${data}}`)).catch(() => {});
      return new Response(theirs, response);
    }
    if (!/\/threads\/[^/]+\/(state|history)$/.test(new URL(address).pathname)) return response;
    const states = await response.text();
    tell(() => inbox.receive(states));
    return new Response(states, response);
  }
}

/** Says something to the inbox. What it does not take, such as the fate of what it has forgotten, is no error of the SDK's. */
function tell(say: () => void): void {
  try {
    say();
  } catch (error) {
    console.warn(error);
  }
}

/** The decision whose id stands for it in this body. */
function decision(body: unknown, leaving: Map<string, Outbound>): Outbound | undefined {
  return typeof body === "string" ? [...leaving.values()].find(({ id }) => body.includes(id)) : undefined;
}

/** The body with the decision in it; throws where its place is not found, because the id alone would resume the run as well. */
function written(body: string, { id, body: command }: Outbound): string {
  // What the SDK writes for `command: { resume: id }`.
  const placeholder = `"command":${JSON.stringify({ resume: id })}`;
  if (!body.includes(placeholder)) throw new Error("this version of the SDK writes commands in another way: nothing was sent");
  return body.replace(placeholder, () => `"command":${command}`);
}

/** Reads server-sent events. */
async function events(stream: ReadableStream<Uint8Array>, take: (event: string, data: string) => void): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let text = "";
  for (;;) {
    const { done, value = "" } = await reader.read();
    text = (text + value).replaceAll("\r\n", "\n");
    const blocks = text.split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = (name: string) =>
        block.split("\n").flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, "")] : []));
      const data = fields("data").join("\n");
      if (data !== "") take(fields("event")[0] ?? "message", data);
    }
    if (done) return;
  }
}
