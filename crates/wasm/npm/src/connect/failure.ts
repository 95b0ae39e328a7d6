import { CountersignError } from "../error.js";

/** How much of a backend's words is kept, in characters. */
const WORDS = 1000;

/**
 * Why a backend could not be read, or did not take a message.
 *
 * Codes: `unreachable` (no answer, or the connection was lost), `backend-error` (it answered and refused), `moved-on`
 * (the conversation went on, so nothing was sent), `not-connected`, `closed`, `options-invalid` (it cannot be used so).
 */
export class ConnectorError extends CountersignError {
  /** The HTTP status, where there was an answer. */
  readonly status?: number;
  /** Whether trying again later may succeed. */
  readonly temporary: boolean;
  /** @internal How long the backend wants to be left alone, in milliseconds. */
  readonly pause: number;

  constructor(
    code: string,
    message: string,
    rest: { status?: number; temporary?: boolean; path?: string; cause?: unknown; pause?: number | undefined } = {},
  ) {
    super(code, message, rest);
    this.pause = rest.pause ?? 0;
    if (rest.status !== undefined) this.status = rest.status;
    this.temporary = rest.temporary ?? code === "unreachable";
  }
}

/** There was no answer, or it broke off. */
export function lost(cause: unknown, sentence = "the backend cannot be reached"): ConnectorError {
  const said = cause instanceof Error && cause.message !== "" ? `: ${cause.message}` : "";
  return new ConnectorError("unreachable", `${sentence}${said}`, { cause });
}

/** The connector was closed. */
export function closed(): ConnectorError {
  return new ConnectorError("closed", "the connector is closed");
}

/** The conversation went on elsewhere. */
export function movedOn(sentence: string): ConnectorError {
  return new ConnectorError("moved-on", `${sentence}: nothing was sent`);
}

/** What is said of an address that a server does not know at all. */
export const NOWHERE = "the backend has nothing at this address";

/** How servers and gateways say so: FastAPI, Go and many more; Express and Nest; Fastify; Kong; Laravel; Symfony; Spring; Flask; APISIX; the ingress of Kubernetes. */
const UNROUTED =
  /^((404[: ]*)?((page|route) )?not found\.?|not found: \/.*|cannot [A-Z]+ \/.*|route [A-Z]+:.* not found|no route (matched|found)\b.*|the route .* could not be found\.?|no static resource\b.*|the requested url was not found\b.*|default backend - 404)?$/is;

/** An answer that is not a good one. */
export function refused(status: number, statusText: string, body: string, pause?: number): ConnectorError {
  const said = sentenceIn(body);
  // A server without such an address has no words of its own for that; a backend that knows no such conversation has.
  const isNowhere = status === 404 && UNROUTED.test(said ?? "");
  const fallback = `the backend answered with status ${status} ${statusText}`.trimEnd();
  const temporary = status >= 500 || [408, 425, 429].includes(status);
  return new ConnectorError("backend-error", isNowhere ? NOWHERE : (said ?? fallback), { status, temporary, pause });
}

/** Whether a backend answered, and will answer the same when it is asked again. */
export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof ConnectorError && thrown.code === "backend-error" && !thrown.temporary;
}

/** Whether nobody knows what became of a message: there was no answer, or one of a gateway's, whose backend may have it. */
export function isInDoubt({ code, status = 0 }: ConnectorError): boolean {
  return code === "unreachable" || status === 408 || status >= 500;
}

/** Everything that can be thrown on the way, as an error of a connector. */
export function failure(thrown: unknown): ConnectorError {
  return thrown instanceof ConnectorError ? thrown : lost(thrown, "the connection failed");
}

/** What a backend says in the body of a refusal, if it is for people. */
function sentenceIn(body: string): string | undefined {
  let said: unknown = body.trim();
  try {
    const { detail, message, error, error_msg, title } = Object(JSON.parse(body)) as Record<string, unknown>;
    said = detail ?? message ?? (error as { message?: unknown } | undefined)?.message ?? error ?? error_msg ?? title ?? said;
  } catch {
    // Not JSON: the text itself, unless it is a page.
    if (body.trimStart().startsWith("<")) return undefined;
  }
  const text = typeof said === "string" ? said : JSON.stringify(said);
  return text === undefined || text === "" ? undefined : text.slice(0, WORDS);
}
