// Code with its comments, texts, numbers and words marked, for the languages of the pages.

const WORDS = {
  js: "async await break case catch class const continue default delete do else export extends false finally for from function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while yield type interface enum as satisfies declare readonly",
  rust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while",
  sh: "cd export if then fi for do done",
  json: "true false null",
};
const LINE = { js: "//", rust: "//", sh: "#" };
const LIKE = { jsx: "js", ts: "js", tsx: "js", vue: "html" };

const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
const mark = (kind, text) => `<span class="${kind}">${escape(text)}</span>`;

/** What a piece of code may begin with: each a name and a pattern. */
function pieces(language) {
  const comment = LINE[language] === "#" ? "(?:^|(?<=\\s))#.*" : LINE[language] ? "//.*|/\\*[^]*?\\*/" : language === "css" ? "/\\*[^]*?\\*/" : "(?!)";
  // In Rust a single quote also begins a lifetime.
  const text = language === "rust" ? `r#"[^]*?"#|"(?:[^"\\\\]|\\\\[^])*"` : `"(?:[^"\\\\]|\\\\[^])*"|'(?:[^'\\\\\\n]|\\\\.)*'|\`(?:[^\`\\\\]|\\\\[^])*\``;
  const words = WORDS[language] ? `\\b(?:${WORDS[language].split(" ").join("|")})\\b` : "(?!)";
  const name = language === "css" ? "--[\\w-]+|[\\w-]+(?=\\s*:)" : language === "json" ? `"(?:[^"\\\\]|\\\\[^])*"(?=\\s*:)` : language === "sh" ? "--[\\w-]+" : "(?!)";
  return new RegExp(`(?<comment>${comment})|(?<name>${name})|(?<text>${text})|(?<word>${words})|(?<number>\\b\\d[\\d_.]*\\b)`, "gm");
}

/** Code as HTML. */
export function highlight(code, given = "") {
  const language = LIKE[given] ?? given;
  if (language === "html") return markup(code);
  if (!(language in WORDS) && language !== "css") return escape(code);
  let html = "";
  let at = 0;
  for (const found of code.matchAll(pieces(language))) {
    const [kind] = Object.entries(found.groups).find(([, text]) => text !== undefined);
    html += escape(code.slice(at, found.index)) + mark(kind, found[0]);
    at = found.index + found[0].length;
  }
  return html + escape(code.slice(at));
}

/** Markup, with the scripts and styles in it in their own languages. */
function markup(code) {
  let html = "";
  let at = 0;
  for (const found of code.matchAll(/<!--[^]*?-->|<\/?([\w-]+)(?:"[^"]*"|'[^']*'|[^>"'])*>/g)) {
    if (found.index < at) continue;
    html += escape(code.slice(at, found.index));
    at = found.index + found[0].length;
    html += found[1] === undefined ? mark("comment", found[0]) : tag(found[0]);
    const [, name] = found;
    if (!["script", "style"].includes(name) || found[0].startsWith("</")) continue;
    const end = code.indexOf(`</${name}>`, at);
    if (end < 0) continue;
    html += highlight(code.slice(at, end), name === "style" ? "css" : "js");
    at = end;
  }
  return html + escape(code.slice(at));
}

const tag = (text) => text.split(/("[^"]*"|'[^']*')/).map((part, place) => (place % 2 === 1 ? mark("text", part) : part.split(/(<\/?[\w-]+)/).map((piece, at) => (at % 2 === 1 ? mark("word", piece) : escape(piece))).join(""))).join("");
