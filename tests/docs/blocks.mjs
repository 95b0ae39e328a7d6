// The code in the documentation: every fenced block of every page, with what it continues and what stands hidden before it.
//
// A block is a program of its own, unless the words after its language say otherwise:
//   ```js continues     it goes on where the block of the same language before it on this page ended
//   ```python excerpt   it stands, exactly so, in a file of www/examples
// What a reader knows and a program does not (`element` is the element) stands hidden above the block:
//   <!-- given
//   const element = document.querySelector("countersign-inbox");
//   -->
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");

/** What a word after the opening of a block may be, and what is done with such blocks. */
export const KINDS = {
  js: "type-checked and run",
  jsx: "type-checked and run",
  ts: "type-checked and run",
  tsx: "type-checked and run",
  vue: "type-checked and run",
  html: "type-checked and run",
  css: "applied to a card",
  json: "read, and handed to what it is for",
  rust: "run as a documentation test",
  toml: "resolved by cargo, and held against what the Rust beside it uses",
  python: "compiled, and its imports looked up",
  sh: "held against the commands and files there are",
  text: "a picture or a file of another program: read by people only",
};

const WORDS = ["continues", "excerpt"];

const slug = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

/** The blocks of one page. */
export function blocksOf(file, text) {
  const lines = text.split("\n");
  const blocks = [];
  let heading = "";
  let given = "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at];
    const fence = /^\s*(`{3,}|~{3,})(.*)$/.exec(line);
    if (!fence) {
      const title = /^#+ (.+)$/.exec(line);
      if (title) heading = slug(title[1]);
      if (/^<!-- given$/.test(line)) {
        const end = lines.indexOf("-->", at);
        if (end < 0) throw new Error(`${file}:${at + 1}: the comment does not end`);
        given = lines.slice(at + 1, end).join("\n");
        at = end;
      } else if (line.trim() !== "" && given !== "") {
        throw new Error(`${file}:${at + 1}: nothing may stand between what is given and its block`);
      }
      continue;
    }
    const [, mark, info] = fence;
    const from = at + 1;
    const end = lines.findIndex((other, place) => place >= from && other.trim() === mark);
    if (end < 0) throw new Error(`${file}:${from}: the block does not end`);
    const [language = "", ...words] = info.trim().split(/\s+/);
    const place = `${file}#${heading}`;
    const number = blocks.filter(({ id }) => id.startsWith(`${place}/`)).length + 1;
    const code = lines.slice(from, end).join("\n");
    blocks.push({ id: `${place}/${number}`, file, line: from, language, words, given, code, before: before(blocks, language, words) });
    given = "";
    at = end;
  }
  return blocks;
}

/** The block that a block continues. */
function before(blocks, language, words) {
  if (!words.includes("continues")) return undefined;
  return blocks.findLast((block) => block.language === language) ?? null;
}

/** What is wrong with how a block is marked; nothing is left out silently. */
export function complaint({ language, words, before: continued }) {
  if (language === "") return "names no language: say `text` where it is none";
  if (!(language in KINDS)) return `\`${language}\` is no language that can be checked: ${Object.keys(KINDS).join(", ")}`;
  const unknown = words.find((word) => !WORDS.includes(word));
  if (unknown !== undefined) return `\`${unknown}\` is no word for a block: ${WORDS.join(", ")}`;
  if (continued === null) return "continues a block that is not there";
  return undefined;
}

/** A block as a program: what it continues, what is given, and what it says. */
export function program(block) {
  const parts = [block.before ? program(block.before) : "", block.given, block.code];
  return parts.filter((part) => part !== "").join("\n");
}

/** Every block of every page that Git knows, or would add. */
export function allBlocks() {
  const list = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.md"], { cwd: root, encoding: "utf8" });
  const files = [...new Set(list.split("\0"))].filter((file) => file !== "").sort();
  return files.flatMap((file) => blocksOf(file, readFileSync(join(root, file), "utf8")));
}
