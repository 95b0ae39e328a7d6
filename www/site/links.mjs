// Links that lead nowhere within a built site: to a file that there is not, or to a place that its page does not have.
//
//   node www/site/links.mjs <folder>      names them, and fails where there is one
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ENTITIES = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&lt;": "<", "&gt;": ">" };
const plain = (text) => text.replace(/&(?:amp|quot|#39|#x27|lt|gt);/g, (entity) => ENTITIES[entity]);
const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
/** Lines of source code have numbers, and scripts make ranges of them. */
const isSource = (file) => /\/rust\/src\//.test(file);

/** What is wrong, a line each: `page: link`. */
export function deadLinks(folder) {
  const pages = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith(".html")).map((name) => join(folder, name));
  const known = new Map();
  const read = (file) => {
    if (!known.has(file)) {
      const text = readFileSync(file, "utf8").replace(/<script\b[^>]*>[^]*?<\/script>|<!--[^]*?-->/g, "");
      const ids = new Set([...text.matchAll(/\s(?:id|name)=(?:"([^"]+)"|([^\s">]+))/g)].map(([, quoted, bare]) => plain(quoted ?? bare)));
      const [, address] = /<meta http-equiv="refresh" content="\d+;\s*url=([^"]+)"/i.exec(text) ?? [];
      known.set(file, { text, ids, address });
    }
    return known.get(file);
  };
  /** The file behind an address as a page writes it. */
  const target = (page, path) => {
    const file = path === "" ? page : normalize(join(dirname(page), decoded(path)));
    return existsSync(file) && statSync(file).isDirectory() ? join(file, "index.html") : file;
  };
  /** Whether a page has a place; one that leads on takes the place along. */
  const has = (file, place, further = 3) => {
    const { ids, address } = read(file);
    if (ids.has(place) || ids.has(decoded(place))) return true;
    const next = address && target(file, plain(address).split(/[?#]/)[0]);
    return Boolean(next) && further > 0 && existsSync(next) && has(next, place, further - 1);
  };
  const dead = [];
  for (const page of pages.filter((file) => !isSource(file))) {
    for (const [, quoted] of read(page).text.matchAll(/\s(?:href|src)="([^"]*)"/g)) {
      const link = plain(quoted);
      if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(link)) continue;
      const [, path, place] = /^([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/s.exec(link);
      const file = target(page, path);
      const leads = existsSync(file) && (!place || !file.endsWith(".html") || isSource(file) || has(file, place));
      if (!leads) dead.push(`${relative(folder, page)}: ${link}`);
    }
  }
  return dead;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dead = deadLinks(process.argv[2]);
  for (const line of dead) console.error(line);
  if (dead.length > 0) throw new Error(`${dead.length} links lead nowhere`);
}
