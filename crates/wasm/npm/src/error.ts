/**
 * Why something could not be done; nothing of it was.
 *
 * @example
 * try { inbox.decide("r1", { kind: "approve" }); }
 * catch (error) { if (error instanceof CountersignError && error.code === "already-decided") … }
 */
export class CountersignError extends Error {
  override readonly name = "CountersignError";
  /**
   * Stable, in kebab case: one of the refusal codes, or `not-initialised`, `inbox-freed`, `part-missing`, `unknown-adapter`, `options-invalid`,
   * `message-invalid`, `messages-invalid`, `schema-invalid`, `browser-unsupported`.
   */
  readonly code: string;
  /** What can be done about it, where there is something. */
  readonly help?: string;
  /** Where, as a JSON Pointer, where that is known. */
  readonly path?: string;

  constructor(code: string, message: string, rest: { help?: string; path?: string; cause?: unknown } = {}) {
    super(message, "cause" in rest ? { cause: rest.cause } : undefined);
    this.code = code;
    if (rest.help !== undefined) this.help = rest.help;
    if (rest.path !== undefined) this.path = rest.path;
  }
}

/** What an error says, whatever was thrown. */
export function sentence(error: unknown): string {
  try {
    const message = memberOf(error, "message");
    return typeof message === "string" && message !== "" ? message : String(error);
  } catch {
    return "something was thrown that says nothing";
  }
}

/** @internal A member of whatever was thrown; nothing where even to look at it throws. */
export function memberOf(thrown: unknown, name: string): unknown {
  try {
    return (Object(thrown) as Record<string, unknown>)[name];
  } catch {
    return undefined;
  }
}

/** What a connector says that has sent nothing. */
const UNSENT = ["not-connected", "options-invalid"];
/** @internal As a server says that it took nothing: what is known not to have left cannot have arrived. */
export const NOT_TAKEN = 412;

/** @internal What an inbox is told of a message that a connector did not send. */
export function unsent(error: unknown): { status?: number; message: string } {
  return { ...(UNSENT.includes(memberOf(error, "code") as string) ? { status: NOT_TAKEN } : {}), message: sentence(error) };
}

/** Calls into wasm, whose errors are JSON text. */
export function attempt<T>(call: () => T): T {
  try {
    return call();
  } catch (thrown) {
    if (typeof thrown !== "string") throw thrown;
    const { code, message, ...rest } = JSON.parse(thrown) as { code: string; message: string; help?: string; path?: string };
    // Consoles show no more of an error than its sentence.
    throw new CountersignError(code, rest.path ? `${message} at ${rest.path}` : message, rest);
  }
}

/** @internal Tells of an error without stopping anything. */
export function report(error: unknown): void {
  if (typeof reportError === "function") reportError(error);
  else console.error(error);
}
