import { isDocument } from "./json.js";

/** One event of a stream, or the one body of an answer that is no stream. */
export interface StreamEvent {
  /** The event's name; `message` where it has none, nothing for a body that is no stream. */
  name: string;
  /** Its data: the text, or the bytes where they are no UTF-8. */
  data: string | Uint8Array;
}

/** More than any inbox takes, in bytes: an event that never ends must not fill the memory. */
const LONGEST = 1 << 28;
const LF = 10;
const CR = 13;

/** Without the byte order mark at its head, which is no part of a text. */
export const unmarked = (bytes: Uint8Array): Uint8Array => (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes);

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The text of UTF-8 bytes, or the bytes themselves: replacing what is wrong with them would hide it. */
export function decoded(bytes: Uint8Array): string | Uint8Array {
  try {
    return decoder.decode(bytes);
  } catch {
    return bytes;
  }
}

/**
 * Cuts a stream of server-sent events into its events.
 *
 * It works on bytes, so a character may be cut anywhere. Lines end with LF, CR or both.
 */
export class EventReader {
  /** The pieces of a line that has not ended. */
  #rest: Uint8Array[] = [];
  #begun = false;
  #afterCr = false;
  #name = "";
  #data: Uint8Array[] = [];
  #size = 0;

  /**
   * Takes the next piece and returns the events that are complete.
   * @throws {RangeError} when an event is longer than any inbox takes.
   */
  push(piece: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    let from = 0;
    // Looked for once one is passed, not once a line: most streams have only one of the two.
    let lf = piece.indexOf(LF);
    let cr = piece.indexOf(CR);
    for (;;) {
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf;
      if (end < 0) break;
      const isSecondHalf = this.#afterCr && end === from && end === lf && this.#rest.length === 0;
      this.#afterCr = end === cr;
      if (!isSecondHalf) this.#line(this.#take(piece.subarray(from, end)), events);
      from = end + 1;
      if (end === lf) lf = piece.indexOf(LF, from);
      else cr = piece.indexOf(CR, from);
    }
    if (from < piece.length) {
      this.#afterCr = false;
      this.#rest.push(piece.subarray(from));
      this.#size += piece.length - from;
    }
    if (this.#size > LONGEST) throw new RangeError("an event of the stream is too long");
    return events;
  }

  /** The event that the end of the stream left without its empty line, unless something of it may be missing. */
  finish(): StreamEvent[] {
    const events: StreamEvent[] = [];
    if (this.#rest.length > 0) this.#line(this.#take(new Uint8Array(0)), events);
    this.#line(new Uint8Array(0), events);
    return events.filter(({ data }) => isDocument(data));
  }

  /** The line that ends here. */
  #take(end: Uint8Array): Uint8Array {
    return this.#rest.length === 0 ? end : concat([...this.#rest.splice(0), end]);
  }

  #line(given: Uint8Array, events: StreamEvent[]): void {
    const line = this.#begun ? given : unmarked(given);
    this.#begun = true;
    if (line.length === 0) {
      if (this.#data.length > 0) events.push({ name: this.#name || "message", data: decoded(concat(this.#data, LF)) });
      this.#name = "";
      this.#data = [];
      this.#size = 0;
      return;
    }
    const colon = line.indexOf(58);
    const field = String.fromCharCode(...line.subarray(0, Math.min(colon < 0 ? line.length : colon, 6)));
    if (field !== "data" && field !== "event") return;
    const value = colon < 0 ? new Uint8Array(0) : line.subarray(line[colon + 1] === 32 ? colon + 2 : colon + 1);
    if (field === "event") {
      this.#name = String(decoded(value));
      return;
    }
    this.#data.push(value);
    this.#size += value.length;
  }
}

function concat(pieces: Uint8Array[], between?: number): Uint8Array<ArrayBuffer> {
  const gap = between === undefined ? 0 : 1;
  const length = pieces.reduce((sum, piece) => sum + piece.length + gap, -gap);
  const all = new Uint8Array(length);
  let at = 0;
  for (const [place, piece] of pieces.entries()) {
    if (between !== undefined && place > 0) all[at++] = between;
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
