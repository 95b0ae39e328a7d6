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
  if (message instanceof Uint8Array) return { bytes: message, rounded: false };
  if (message instanceof ArrayBuffer) return { bytes: new Uint8Array(message), rounded: false };
  if (typeof message !== "object" || (message as object | null) === null) {
    throw new CountersignError("message-invalid", `\`${String(message as unknown)}\` is no message`);
  }
  const kind = Object.prototype.toString.call(message).slice(8, -1);
  // As JSON a promise, an answer or an event is an object in which nothing would be found.
  if (/Promise|Response|Blob|Event$|Stream/.test(kind)) {
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

/** The bytes of a text. Half a surrogate pair has none: what were shown then would not be what was sent. */
function encodeText(text: string): Uint8Array {
  const { isWellFormed } = text as { isWellFormed?: () => boolean };
  const well = isWellFormed ? isWellFormed.call(text) : !/\p{Surrogate}/u.test(text);
  return well ? utf8(text) : NOT_UTF8;
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
  try {
    const text: unknown = JSON.stringify(value);
    if (typeof text === "string") return text;
  } catch (cause) {
    throw new CountersignError("message-invalid", "the value cannot be written as JSON", { cause });
  }
  throw new CountersignError("message-invalid", `a value of type \`${typeof value}\` is no message`);
}

/** The message inside `{ sent: message }`, which the host itself sent. */
export function ownMessage(message: Message): Message | undefined {
  if (typeof message !== "object" || message === null || Object.keys(message).length !== 1) return undefined;
  const { sent } = message as { sent?: unknown };
  return typeof sent === "string" || (typeof sent === "object" && sent !== null) ? sent : undefined;
}
