// What the search of the site looks through: each chapter of each page with its words.

const ENTITIES = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" };
const plain = (html) =>
  html
    .replace(/<nav[^]*?<\/nav>|<summary[^]*?<\/summary>/g, "")
    .replace(/<(?:td|th|tr|li|p|pre|br)\b[^>]*>/g, " ")
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity])
    .replace(/\s+/g, " ")
    .trim();

/** The chapters of a page, each as `{ address, page, chapter, text }`. */
export function chaptersOf(address, html) {
  const main = /<main[^>]*>([^]*)<\/main>/.exec(html)?.[1] ?? "";
  const [, ...pieces] = main.split(/(?=<h[1-3]\b)/);
  const titles = pieces.map((piece) => /^<h(\d)(?: id="([^"]*)")?>([^]*?)<\/h\d>([^]*)/.exec(piece));
  const page = plain(titles[0]?.[3] ?? "");
  return titles.map(([, depth, id, title, rest]) => ({ address: depth === "1" || !id ? address : `${address}#${id}`, page, chapter: depth === "1" ? "" : plain(title), text: plain(rest) }));
}
