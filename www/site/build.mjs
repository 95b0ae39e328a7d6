// Builds the documentation site: the pages of www/docs and whatever of the repository they lead to.
//
//   node www/site/build.mjs <output folder> [<folder with size.json and bench.json>]
//
// A link that leads nowhere fails the build.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, resolve } from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

import { figures } from "./figures.mjs";
import { highlight } from "./highlight.mjs";
import { chaptersOf } from "./search.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, "../..");
const docs = join(root, "www/docs");
const require = createRequire(join(root, "tests/index.js"));
const { Marked } = await import(pathToFileURL(require.resolve("marked")));

const [output, measured] = process.argv.slice(2);
const template = readFileSync(join(here, "page.html"), "utf8");

/** Files of the repository that are part of the site, each with the page it becomes. */
const places = new Map();
const open = [];
const dead = [];
/** What the repository says how to start, and the site has: the demo. */
const running = new Map([["README.md#try-it", "demo/index.html"]]);

const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
const slug = (text) => text.toLowerCase().replace(/<[^>]*>|&[a-z]+;/g, "").replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

/** Where a file of the repository stands in the site. */
function place(file) {
  if (!places.has(file)) {
    const path = relative(root, file).replaceAll("\\", "/");
    const own = path.startsWith("www/docs/") ? path.slice("www/docs/".length) : `repository/${path}`;
    const page = own.replace(/README\.md$/, "index.md").replace(/\.md$/, "");
    places.set(file, statSync(file).isDirectory() ? `${own}/index.html` : `${page}.html`);
    open.push(file);
  }
  return places.get(file);
}

/** The address of what a page links to, seen from that page. */
function address(link, file) {
  if (/^[a-z][a-z0-9+.-]*:/i.test(link) || link.startsWith("#")) return link;
  const [path, anchor] = link.split("#");
  let target = resolve(dirname(file), decodeURIComponent(path));
  if (!existsSync(target) || !target.startsWith(root)) {
    dead.push(`${relative(root, file)}: ${link}`);
    return link;
  }
  if (statSync(target).isDirectory() && existsSync(join(target, "README.md"))) target = join(target, "README.md");
  const started = running.get(`${relative(root, target)}#${anchor}`);
  if (started) return between(place(file), started);
  return between(place(file), place(target)) + (anchor === undefined ? "" : `#${anchor}`);
}

/** A picture with an alternative for dark pages; everything else stays text. */
function picture(source, file) {
  if (!/^<picture>[^]*<\/picture>\s*$/.test(source)) return escape(source);
  return source.replace(/(src|srcset)="([^"]+)"/g, (_, name, link) => `${name}="${escape(image(link, file))}"`);
}

/** The address of an image, which the site holds a copy of. */
function image(link, file) {
  const target = resolve(dirname(file), link);
  if (!existsSync(target) || !target.startsWith(root)) {
    dead.push(`${relative(root, file)}: ${link}`);
    return link;
  }
  const copy = `images/${basename(target)}`;
  mkdirSync(join(output, "images"), { recursive: true });
  cpSync(target, join(output, copy));
  return between(place(file), copy);
}

/** From how many chapters on a page has a list of them. */
const CHAPTERS = 4;

/** A page with a list of its chapters below its title. */
function listed(html) {
  const chapters = [...html.matchAll(/<h2 id="([^"]*)">(.*)<\/h2>/g)];
  if (chapters.length < CHAPTERS) return html;
  const items = chapters.map(([, id, words]) => `<li><a href="#${id}">${words.replace(/<\/?a\b[^>]*>/g, "")}</a></li>`);
  const list = `<nav class="chapters" aria-label="On this page"><div>\n<p>On this page</p>\n<details><summary>On this page</summary></details>\n<ul>${items.join("")}</ul>\n</div></nav>\n`;
  return html.replace(/<\/h1>\n/, (end) => end + list);
}

const between = (from, to) => relative(dirname(from), to).replaceAll("\\", "/") || basename(to);

/** Markdown as HTML, with the addresses of the site, an anchor on each heading and a list of the chapters. */
function body(text, file) {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const words = this.parser.parseInline(tokens);
        return `<h${depth} id="${slug(words)}">${words}</h${depth}>\n`;
      },
      link({ href, title, tokens }) {
        const words = this.parser.parseInline(tokens);
        return `<a href="${escape(address(href, file))}"${title ? ` title="${escape(title)}"` : ""}>${words}</a>`;
      },
      table(token) {
        const cells = (row, tag) => `<tr>${row.map(({ tokens, align }) => `<${tag}${align === "right" ? ' class="number"' : ""}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead>${cells(token.header, "th")}</thead><tbody>${token.rows.map((row) => cells(row, "td")).join("")}</tbody></table></div>\n`;
      },
      code: ({ text: code, lang = "" }) => {
        const [language] = lang.split(" ");
        // A wide block can be scrolled with the keyboard, too.
        return `<pre tabindex="0"><code class="language-${escape(language)}">${highlight(code, language)}</code></pre>\n`;
      },
      // Nothing in the pages is markup of its own, but for pictures and for notes that nobody sees.
      html: ({ text: source }) => (source.startsWith("<!--") ? "" : picture(source, file)),
    },
  });
  return listed(marked.parse(text));
}

/** The pages of the navigation, in the order of the table in README.md. */
const contents = [...readFileSync(join(docs, "README.md"), "utf8").matchAll(/^\| \[([^\]]+)\]\(([^)]+\.md)\)/gm)].map(([, title, path]) => ({ title, file: join(docs, path) }));

function write(page, title, content) {
  const link = (to, words) => `<a href="${between(page, to)}"${to === page ? ' aria-current="page"' : ""}>${escape(words)}</a>`;
  const items = [link("index.html", "Documentation"), link("demo/index.html", "Demo"), ...contents.map(({ title: words, file }) => link(place(file), words)), link("figures.html", "Size and speed"), link("api/index.html", "TypeScript API"), link("rust/index.html", "Rust API")];
  const html = template
    .replaceAll("{{title}}", () => escape(title === "Countersign" ? title : `${title} · Countersign`))
    .replaceAll("{{base}}", () => between(page, "style.css"))
    .replaceAll("{{script}}", () => between(page, "site.js"))
    .replaceAll("{{index}}", () => between(page, "index.html"))
    .replaceAll("{{navigation}}", () => items.map((item) => `<li>${item}</li>`).join(""))
    .replaceAll("{{content}}", () => content);
  mkdirSync(dirname(join(output, page)), { recursive: true });
  writeFileSync(join(output, page), html);
}

/** The title of a page that is written in Markdown. */
const titled = (file) => /^# (.+)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? relative(root, file).replaceAll("\\", "/");

/** What stands on a page of its own: Markdown as text, a folder as a list, everything else as it is. */
function build(file) {
  const page = place(file);
  const path = relative(root, file).replaceAll("\\", "/");
  if (statSync(file).isDirectory()) {
    const names = readdirSync(file).filter((name) => !name.startsWith(".") && name !== "node_modules" && name !== "target").sort();
    const items = names.map((name) => `<li>${name.endsWith(".md") ? `<a href="${between(page, place(join(file, name)))}">${escape(titled(join(file, name)))}</a>` : `<code>${escape(name)}</code>`}</li>`);
    return write(page, path, `<h1>${escape(path)}</h1><ul>${items.join("")}</ul>`);
  }
  const text = readFileSync(file, "utf8");
  if (extname(file) !== ".md") return write(page, path, `<h1>${escape(path)}</h1><pre tabindex="0"><code>${highlight(text, extname(file).slice(1).replace("mjs", "js").replace("rs", "rust"))}</code></pre>`);
  write(page, titled(file), body(text, file));
}

rmSync(output, { recursive: true, force: true });
mkdirSync(output, { recursive: true });
for (const name of ["style.css", "site.js"]) cpSync(join(here, name), join(output, name));
place(join(docs, "README.md"));
for (const { file } of contents) place(file);
while (open.length > 0) build(open.pop());
write("figures.html", "Size and speed", body(figures(measured), join(docs, "README.md")));

// Every anchor that a page names stands on the page it names.
const written = new Map([...places.values(), "figures.html"].map((page) => [page, readFileSync(join(output, page), "utf8")]));
for (const [page, html] of written) {
  for (const [, href] of html.matchAll(/href="([^":]*#[^"]+)"/g)) {
    const [path, anchor] = href.split("#");
    const target = path === "" ? page : join(dirname(page), path).replaceAll("\\", "/");
    if (!written.get(target)?.includes(`id="${decodeURIComponent(anchor)}"`) && anchor !== "content") dead.push(`${page}: ${href}`);
  }
}
// What is written in Markdown can be searched: the guide first.
const read = [...places].filter(([file]) => extname(file) === ".md").map(([, page]) => page);
const chapters = [...read.filter((page) => !page.startsWith("repository/")), "figures.html", ...read.filter((page) => page.startsWith("repository/"))].flatMap((page) => chaptersOf(page, written.get(page)));
writeFileSync(join(output, "chapters.js"), `globalThis.chapters = ${JSON.stringify(chapters)};\n`);

if (dead.length > 0) {
  console.error(`links that lead nowhere:\n${dead.join("\n")}`);
  process.exitCode = 1;
}
console.log(`${places.size} pages`);
