import { CountersignError } from "./error.js";

/**
 * Something from a backend: its exact text, its UTF-8 bytes, a server-sent event as `{ event, data }` with its data as text, or a
 * parsed value, in which big integers may already be rounded.
 */
export type Message = string | Uint8Array | ArrayBuffer | object;

/** A message on its way into wasm. */
export interface Encoded {
  bytes: Uint8Array;
  /** It was made from a parsed value. */
  rounded: boolean;
}

const encoder = new TextEncoder();
const NOT_UTF8 = new Uint8Array([0xff]);

export function encode(message: Message): Encoded {
  if (typeof message === "string") return { bytes: encodeText(message), rounded: false };
  if (typeof message !== "object" || (message as object | null) === null) {
    throw new CountersignError("message-invalid", `\`${String(message as unknown)}\` is no message`);
  }
  // By their names: those of another window are of other classes.
  const kind = kindOf(message);
  if (/^(Uint8Array|(Shared)?ArrayBuffer)$/.test(kind)) {
    const { byteLength } = message as ArrayBuffer;
    // What was transferred to somebody else has none.
    if (byteLength === 0) return { bytes: new Uint8Array(), rounded: false };
    return { bytes: kind === "Uint8Array" ? (message as Uint8Array) : new Uint8Array(message as ArrayBuffer), rounded: false };
  }
  // As JSON a promise, an answer or an event is an object in which nothing would be found.
  if (/Promise|Response|Blob|Event$|Stream|.Array$|DataView/.test(kind)) {
    const help = "hand over the text: `await response.text()`, or `event.data`";
    throw new CountersignError("message-invalid", `a value of type \`${kind}\` is no message`, { help });
  }
  const framed = frame(message);
  return framed === undefined ? { bytes: utf8(stringify(message)), rounded: true } : { bytes: encodeText(framed), rounded: false };
}

/** The text of a server-sent event, as those who parse such streams give it: its name, and its data as text. */
function frame(message: object): string | undefined {
  const { event, data } = message as { event?: unknown; data?: unknown };
  if (typeof event !== "string" || typeof data !== "string" || /[\r\n]/.test(event) || !/^\s*[[{]/.test(data)) return undefined;
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `event: ${event}\n${lines.join("")}\n`;
}

/** What JavaScript calls the class of an object. */
function kindOf(value: object): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}

/** The bytes of a text. Half a surrogate pair has none: what were shown then would not be what was sent. */
function encodeText(text: string): Uint8Array {
  return isWhole(text) ? utf8(text) : NOT_UTF8;
}

/** Whether no half of a surrogate pair stands alone. */
function isWhole(text: string): boolean {
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  return isWellFormed ? isWellFormed.call(text) : !/\p{Surrogate}/u.test(text);
}

/** JSON text with halves of surrogate pairs as escapes, which are found: on its way into wasm a bare one would become another character. */
export function whole(text: string): string {
  return isWhole(text) ? text : text.replace(/\p{Surrogate}/gu, (half) => `\\u${half.charCodeAt(0).toString(16)}`);
}

/** The bytes of a text; `encode` alone takes five times as long for what is nearly all ASCII. */
function utf8(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  const { read, written } = encoder.encodeInto(text, bytes);
  if (read === text.length) return bytes;
  const rest = encoder.encode(text.slice(read));
  const all = new Uint8Array(written + rest.length);
  all.set(bytes.subarray(0, written));
  all.set(rest, written);
  return all;
}

/** JSON text of a parsed value. */
export function stringify(value: unknown): string {
  return write(value, "message-invalid", `a value of type \`${typeof value}\` is no message`);
}

/**
 * What was given as JSON text, or the JSON text of what was given by the host.
 * @throws {CountersignError} with this code, also where JSON would make something else of it without a word.
 */
export function jsonOf(given: unknown, code: string): string {
  if (typeof given === "string") return whole(given);
  return write(given, code, `a value of type \`${typeof given}\` cannot be written as JSON`, function (this: unknown, key: string, value: unknown) {
    const isEmptied = () => !/^(Object|Array)$/.test(kindOf(value as object)) && Object.keys(value as object).length === 0;
    const isLost = typeof value === "number" ? !Number.isFinite(value) : typeof value === "object" && value !== null && isEmptied();
    if (!isLost) return value;
    const name = typeof value === "number" ? String(value) : kindOf(value as object);
    throw new CountersignError(code, `${key === "" ? "this" : `\`${key}\``} is \`${name}\`, which JSON does not have`, this === given ? { path: `/${key}` } : {});
  });
}

/**
 * Refuses members that JSON leaves out: what a rule was meant to be restricted to would go unrestricted.
 * @throws {CountersignError} with code `options-invalid` and the place as `path`.
 */
export function mustBeWritten(given: unknown, path: string): void {
  if (given === undefined || typeof given === "function" || typeof given === "symbol") {
    throw new CountersignError("options-invalid", `a value of type \`${typeof given}\` would be left out at \`${path}\``, { path });
  }
  if (typeof given !== "object" || given === null || "toJSON" in given) return;
  for (const [key, value] of Object.entries(given)) mustBeWritten(value, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
}

function write(value: unknown, code: string, nothing: string, replacer?: (this: unknown, key: string, value: unknown) => unknown): string {
  try {
    const text: unknown = JSON.stringify(value, replacer);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw cause instanceof CountersignError ? cause : new CountersignError(code, "the value cannot be written as JSON", { cause });
  }
  throw new CountersignError(code, nothing);
}

/** The message inside `{ sent: message }`, which the host itself sent. */
export function ownMessage(message: Message): Message | undefined {
  if (typeof message !== "object" || message === null || Object.keys(message).length !== 1) return undefined;
  const { sent } = message as { sent?: unknown };
  return typeof sent === "string" || (typeof sent === "object" && sent !== null) ? sent : undefined;
}
