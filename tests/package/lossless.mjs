// JSON without loss, for what traces expect: a number stays the characters that stand in the file.

/** A number as it was written. */
export class Lexeme {
  constructor(text) {
    this.text = text;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\.)*"/y;
const WORDS = { true: true, false: false, null: null };

/**
 * A JSON text as a tree: `{ kind, value, text }`, where `text` is the exact text of that value. Objects hold a `Map`, in
 * which the first of several members of one name counts.
 */
export function read(source) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const found = pattern.exec(source)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };
  const fail = () => {
    throw new SyntaxError(`no JSON at ${at}: ${source.slice(at, at + 20)}`);
  };
  const expect = (character) => {
    take(SPACE);
    if (source[at] !== character) fail();
    at += 1;
  };
  const next = () => {
    take(SPACE);
    return source[at];
  };
  const list = (end, item) => {
    at += 1;
    if (next() !== end) {
      do item();
      while (next() === "," && ++at);
    }
    expect(end);
  };
  const value = () => {
    const character = next();
    const start = at;
    const done = (kind, content) => ({ kind, value: content, text: source.slice(start, at) });
    if (character === "{") {
      const members = new Map();
      list("}", () => {
        next();
        const key = JSON.parse(take(STRING) ?? fail());
        expect(":");
        const member = value();
        if (!members.has(key)) members.set(key, member);
      });
      return done("object", members);
    }
    if (character === "[") {
      const items = [];
      list("]", () => items.push(value()));
      return done("array", items);
    }
    if (character === '"') return done("string", JSON.parse(take(STRING) ?? fail()));
    for (const word of Object.keys(WORDS)) {
      if (source.startsWith(word, at)) {
        at += word.length;
        return done(word === "null" ? "null" : "bool", WORDS[word]);
      }
    }
    return done("number", new Lexeme(take(NUMBER) ?? fail()));
  };
  const root = value();
  if (next() !== undefined) fail();
  return root;
}

/** The member of an object, if there is one. */
export const member = (tree, key) => (tree?.kind === "object" ? tree.value.get(key) : undefined);
