// Whether what happened is what a trace expects.
import { member } from "./lossless.mjs";

/** Compares by JSON value: the order of members does not count, number lexemes do. Returns where the two differ. */
export function differs(expected, actual, names, at) {
  if (member(expected, "$absent")) return actual ? `${at}: should be absent, is ${actual.text}` : undefined;
  if (!actual) return `${at}: missing, should be ${expected.text}`;
  if (member(expected, "$any")) return undefined;
  const name = member(expected, "$id");
  if (name) return differsFromName(name.value, actual, names, at);
  const difference = `${at}: should be ${expected.text}, is ${actual.text}`;
  if (expected.kind !== actual.kind) return difference;
  if (expected.kind === "object") {
    for (const [key, value] of expected.value) {
      const found = differs(value, actual.value.get(key), names, `${at}/${key}`);
      if (found) return found;
    }
    const extra = [...actual.value.keys()].find((key) => !expected.value.has(key));
    return extra === undefined ? undefined : `${at}/${extra}: should be absent, is ${actual.value.get(extra).text}`;
  }
  if (expected.kind === "array") {
    if (expected.value.length !== actual.value.length) return difference;
    for (const [place, value] of expected.value.entries()) {
      const found = differs(value, actual.value[place], names, `${at}/${place}`);
      if (found) return found;
    }
    return undefined;
  }
  const same = expected.kind === "string" ? expected.value === actual.value : expected.text === actual.text;
  return same ? undefined : difference;
}

function differsFromName(name, actual, names, at) {
  if (actual.kind !== "string" || actual.value === "") return `${at}: should be a text, is ${actual.text}`;
  if (!names.has(name)) names.set(name, actual.value);
  const known = names.get(name);
  return known === actual.value ? undefined : `${at}: \`${name}\` was \`${known}\` before, is \`${actual.value}\``;
}

/** What a trace can compare of a card. */
const FIELDS = ["request", "call", "tool", "args", "server", "agent", "status", "offers", "title", "description", "hint", "decision", "reason", "automatic", "questions", "result", "error"];

/** Compares the fields that a trace's card has; `offers` as a set. */
export function cardDiffers(expected, actual, names, at) {
  for (const [key, value] of expected.value) {
    const place = `${at}/${key}`;
    if (!FIELDS.includes(key)) return `${place}: a card has no such field`;
    const found = key === "offers" && value.kind === "array"
      ? offersDiffer(value, member(actual, key), place)
      : differs(value, member(actual, key), names, place);
    if (found) return found;
  }
  return undefined;
}

function offersDiffer(expected, actual, at) {
  const set = (tree) => [...new Set(tree.value.map((kind) => kind.value))].sort().join(" ");
  return set(expected) === set(actual) ? undefined : `${at}: should be ${expected.text}, is ${actual.text}`;
}
