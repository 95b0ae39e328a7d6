/**
 * Parts of JSON texts, as texts: what is found keeps every digit and every space.
 *
 * The texts are not checked. What is looked for is found in valid JSON; in anything else something or nothing is found,
 * and the inbox, which gets the whole text, says what is wrong with it.
 */

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /[^ \t\n\r,:\]}]+/y;

/** JSON text of a string. */
export const quote = (text: string): string => JSON.stringify(text);

/** The text of the member `name` of the object `text`; of several the first. */
export function member(text: string, ...names: string[]): string | undefined {
  let found: string | undefined = text;
  for (const name of names) found = found === undefined ? undefined : child(found, name);
  return found;
}

/** The member `name` of the object `text`, if it is a string. */
export function word(text: string, ...names: string[]): string | undefined {
  const found = member(text, ...names);
  return found?.startsWith('"') ? unquote(found) : undefined;
}

/** The texts of the elements of the array `text`; none if it is no array. */
export function items(text: string): string[] {
  const found: string[] = [];
  let at = space(text, 0);
  if (text[at] !== "[") return found;
  at = space(text, at + 1);
  while (at < text.length && text[at] !== "]") {
    const end = skip(text, at);
    if (end === undefined) return found;
    found.push(text.slice(at, end));
    at = space(text, end);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return found;
}

/** Whether the text is one value from the first to the last character, so that it can stand inside another text. */
export function isWhole(text: string): boolean {
  const end = skip(text, space(text, 0));
  return end !== undefined && space(text, end) === text.length;
}

/** Whether it is the text of one object or list, from the first to the last character. */
export const isDocument = (data: string | Uint8Array): boolean => typeof data === "string" && /^\s*[[{]/.test(data) && isWhole(data);

/** Whether it can be a backend's whole answer: an object or a list, also in frames of events, or `null`, as which some write an empty list. */
export const isAnswer = (text: string): boolean => isDocument(text) || /^\s*(null\s*$|(data|event|id|retry)?:)/.test(text);

/** Whether a text is whole, and an object that has one of these members. */
export const has = (...names: string[]) => (text: string): boolean => isWhole(text) && names.some((name) => member(text, name) !== undefined);

function child(text: string, name: string): string | undefined {
  let at = space(text, 0);
  if (text[at] !== "{") return undefined;
  at = space(text, at + 1);
  while (text[at] === '"') {
    const end = skip(text, at);
    if (end === undefined) return undefined;
    const key = unquote(text.slice(at, end));
    at = space(text, end);
    if (text[at] !== ":") return undefined;
    at = space(text, at + 1);
    const after = skip(text, at);
    if (after === undefined) return undefined;
    if (key === name) return text.slice(at, after);
    at = space(text, after);
    if (text[at] === ",") at = space(text, at + 1);
  }
  return undefined;
}

function unquote(text: string): string | undefined {
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function space(text: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(text);
  return SPACE.lastIndex;
}

/** Where the value ends that begins at `at`. */
function skip(text: string, at: number): number | undefined {
  const first = text[at];
  if (first === '"') return closing(text, at);
  if (first !== "{" && first !== "[") {
    SCALAR.lastIndex = at;
    return SCALAR.test(text) ? SCALAR.lastIndex : undefined;
  }
  let depth = 0;
  // By hand: an expression makes an object of each mark, and a long history has hundreds of thousands of them.
  for (let place = at; place < text.length; place += 1) {
    const mark = text[place];
    if (mark === '"') {
      const end = closing(text, place);
      if (end === undefined) return undefined;
      place = end - 1;
    } else if (mark === "{" || mark === "[") {
      depth += 1;
    } else if (mark === "}" || mark === "]") {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  return undefined;
}

/** Behind the quotation mark that ends the string at `at`. */
function closing(text: string, at: number): number | undefined {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return undefined;
}
