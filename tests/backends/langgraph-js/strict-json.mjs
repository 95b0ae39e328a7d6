// Reads JSON that came from outside, and refuses what two readers could read differently.

const TOKEN = /[\s]*(?:([[\]{},:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))/y;

/** What `readObject` throws. */
export class Ambiguous extends Error {}

/**
 * The JSON object that `text` holds.
 *
 * Throws `Ambiguous` for anything else, for a member that stands twice, and for a number that JavaScript would change: a
 * person has agreed to other digits.
 */
export function readObject(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Ambiguous(`the body is not JSON: ${error.message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Ambiguous('the body is not a JSON object');
  if (!JSON.stringify(value).isWellFormed()) throw new Ambiguous('the body holds half a character');
  check(text);
  return value;
}

/** Walks over the tokens of a text that is known to be JSON. */
function check(text) {
  const open = [];
  let previous;
  for (TOKEN.lastIndex = 0; ; ) {
    const found = TOKEN.exec(text);
    if (found === null) return;
    const [, mark, string, number] = found;
    if (mark === '{') open.push(new Set());
    else if (mark === '[') open.push(undefined);
    else if (mark === '}' || mark === ']') open.pop();
    else if (mark === ':') {
      const names = open.at(-1);
      const name = JSON.parse(previous);
      if (names.has(name)) throw new Ambiguous('a member stands twice');
      // `JSON.parse` makes an ordinary member of it, and most of what copies objects does not.
      if (name === '__proto__') throw new Ambiguous('a member has a name that is not for members');
      names.add(name);
    } else if (number !== undefined && !isKept(number)) {
      throw new Ambiguous(`\`${number}\` is a number that this server would change`);
    }
    previous = string;
  }
}

/** Whether a number is the same after JavaScript has read it. */
function isKept(lexeme) {
  const number = Number(lexeme);
  return Number.isFinite(number) && digits(lexeme) === digits(String(number));
}

/** The value of a number, in one spelling. */
function digits(lexeme) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(lexeme);
  const significant = (whole + fraction).replace(/^0+/, '');
  const trimmed = significant.replace(/0+$/, '');
  if (trimmed === '') return '0';
  return `${sign}${trimmed}e${Number(exponent) - fraction.length + significant.length - trimmed.length}`;
}
