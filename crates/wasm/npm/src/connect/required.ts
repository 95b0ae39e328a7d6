import { ConnectorError } from "./failure.js";
import type { ConnectorOptions, Retry } from "./types.js";

type Given = Record<string, unknown>;

/** The options that a connector has beside those of all; a compiler sees that none is missing. */
type Own<Options> = Record<Exclude<keyof Options, keyof ConnectorOptions | "url">, 1>;

/** The ids that a connector takes, and whether it needs them. */
type Ids<Options> = Options extends { ids?: infer All } ? Record<keyof NonNullable<All>, boolean> : Record<never, boolean>;

/** The options that every connector has. */
const COMMON: Record<keyof ConnectorOptions | "url", 1> = {
  url: 1,
  headers: 1,
  signal: 1,
  retry: 1,
  timeoutMs: 1,
  idempotencyHeader: 1,
  onReceive: 1,
  fetch: 1,
  now: 1,
  random: 1,
  setTimeout: 1,
  clearTimeout: 1,
  network: 1,
};

/** Connectors may share their options, and one that needs no polling polls nothing. */
const SHARED = { ...COMMON, pollMs: 1 };

/** The members of `retry`. */
const RETRY: Record<keyof Retry, 1> = { baseMs: 1, maxMs: 1, attempts: 1 };

/** Options that are functions, of one connector or another. */
const FUNCTIONS = ["fetch", "now", "random", "setTimeout", "clearTimeout", "onReceive", "WebSocket"];

/**
 * Fails where something is missing that a connector cannot do without, is what it cannot be, or is none of its options. Only a
 * compiler would say so, and not every page has one: what was not given would become the word `undefined` in an address, what is no
 * number no wait at all, and a misspelt option would do nothing.
 *
 * `addresses` names the options that are one.
 *
 * @throws {ConnectorError} with code `options-invalid`.
 */
export function required<Options extends object>(
  name: string,
  options: Options,
  own: Own<Options>,
  ids = {} as Ids<Options>,
  addresses: readonly string[] = ["url"],
): void {
  const given = (options ?? {}) as Given;
  const named = (given["ids"] ?? {}) as Given;
  const needed = Object.keys(ids).filter((id) => (ids as Given)[id]);
  const isMissing = (value: unknown) => value === undefined || value === null || value === "";
  const missing = [
    ...(given["url"] === undefined || given["url"] === null ? ["url"] : []),
    ...needed.filter((id) => isMissing(named[id])).map((id) => `ids.${id}`),
  ];
  if (missing.length > 0) throw new ConnectorError("options-invalid", `\`${name}\` needs the option \`${missing.join("`, `")}\``);
  known(name, given, { ...SHARED, ...own });
  known(name, named, ids, "ids.");
  const climbing = needed.find((id) => [".", ".."].includes(String(named[id])));
  if (climbing) throw invalid(`ids.${climbing}`, `\`ids.${climbing}\` would lead to another address`);
  for (const option of addresses) address(option, given[option]);
  // Of a socket the address may say it.
  for (const option of addresses) if (option !== "url" || name !== "websocket") nameless(option, given[option]);
  settings(given);
  known(name, given["retry"] ?? {}, RETRY, "retry.");
}

/** Fails where there is a member of another name. */
function known(name: string, given: object, members: object, within = ""): void {
  const unknown = Object.keys(given).find((member) => (given as Given)[member] !== undefined && !Object.hasOwn(members, member));
  if (unknown !== undefined) throw invalid(within + unknown, `\`${name}\` has no option \`${within}${unknown}\``);
}

/** An address, or a function that is asked for it later. */
function address(option: string, given: unknown): void {
  if (given === undefined || typeof given === "function") return;
  const text = String(given);
  if (/^[\w.-]+:\d+(\/|$)/.test(text)) throw invalid(option, `\`${text}\` has no \`http://\` before it`);
  const page = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    new URL(text, page);
  } catch {
    throw invalid(option, `\`${text}\` is no whole address, and there is no page that it could belong to`);
  }
}

/** No request goes to an address with a password in it, and the platform would say it with the password. */
function nameless(option: string, given: unknown): void {
  if (/^\s*(https?:[/\\]*|[/\\]{2})[^/\\?#]*@/i.test(String(given))) throw invalid(option, `\`${option}\` has a name or a password in it, which no request takes: say it by \`headers\``);
}

/** The options that every connector has. */
function settings(given: Given): void {
  const { headers, retry = {}, signal, network, timeoutMs, pollMs, idempotencyHeader = false } = given;
  for (const option of FUNCTIONS) if (typeof (given[option] ?? settings) !== "function") throw invalid(option, `\`${option}\` is a function`);
  // Nothing would be sent of it, and the token in it missing.
  if (headers instanceof Promise) throw invalid("headers", "`headers` is a promise: give a function that returns it");
  if (!hears(signal)) throw invalid("signal", "`signal` is an `AbortSignal`");
  if (!hears(network)) throw invalid("network", "`network` is an `EventTarget`");
  if (typeof retry !== "object" || retry === null) throw invalid("retry", "`retry` is an object, such as `{ attempts: 3 }`");
  const { baseMs, maxMs } = retry as Given;
  // Without a wait the backend would be asked all the time.
  for (const [option, wait] of Object.entries({ pollMs, timeoutMs, "retry.baseMs": baseMs, "retry.maxMs": maxMs })) {
    if (wait !== undefined && !((wait as number) > 0)) throw invalid(option, `\`${option}\` is a number of milliseconds, more than 0`);
  }
  if (idempotencyHeader !== false && (typeof idempotencyHeader !== "string" || idempotencyHeader === "")) {
    throw invalid("idempotencyHeader", "`idempotencyHeader` is the name of a header, or `false`");
  }
}

/** Whether it can be listened to, or is not there. */
function hears(target: unknown): boolean {
  return target === undefined || target === null || typeof (target as Partial<EventTarget>).addEventListener === "function";
}

/** What is wrong with the option to which these dots lead. */
export function invalid(option: string, sentence: string): ConnectorError {
  return new ConnectorError("options-invalid", sentence, { path: `/${option.replace(".", "/")}` });
}
