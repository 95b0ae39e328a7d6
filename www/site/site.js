// What a page of the site has where scripts run: a search, and buttons that copy code. Without them every page reads as it is.
(() => {
  const base = new URL(".", document.currentScript.src);
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  /** All words stand in a chapter; those in its title count most. */
  function search(chapters, words) {
    const found = [];
    for (const chapter of chapters) {
      const [title, page, text] = [chapter.chapter, chapter.page, chapter.text].map((part) => part.toLowerCase());
      if (!words.every((word) => title.includes(word) || page.includes(word) || text.includes(word))) continue;
      const rank = words.reduce((sum, word) => sum + (title.includes(word) ? 4 : 0) + (page.includes(word) ? 2 : 0) + (text.includes(word) ? 1 : 0), 0);
      found.push({ ...chapter, rank });
    }
    return found.sort((one, other) => other.rank - one.rank);
  }

  /** The text around the first word that stands in it. */
  function around(text, words) {
    const at = Math.max(0, Math.min(...words.map((word) => text.toLowerCase().indexOf(word)).filter((place) => place >= 0)) - 40);
    const from = Number.isFinite(at) ? at : 0;
    return (from > 0 ? "…" : "") + text.slice(from, from + 120) + (text.length > from + 120 ? "…" : "");
  }

  let loaded;
  /** The chapters come with the first search. A script, and no request: so it works from a disk, too. */
  const load = () =>
    (loaded ??= new Promise((resolve, reject) => {
      document.head.append(make("script", { src: new URL("chapters.js", base), onload: () => resolve(globalThis.chapters), onerror: reject }));
    }));

  const field = make("input", { type: "search", placeholder: "Search", autocomplete: "off", spellcheck: false });
  field.setAttribute("aria-label", "Search the documentation");
  field.setAttribute("aria-keyshortcuts", "Control+K Meta+K");
  const count = make("p", { className: "count" });
  count.setAttribute("role", "status");
  const list = make("ol", {});
  const pages = document.querySelector(".pages");
  pages.querySelector("p").after(make("search", {}, field, count, list));

  async function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length > 0 ? search(await load(), words) : [];
    if (field.value.toLowerCase().split(/\s+/).filter(Boolean).join() !== words.join()) return; // typed on meanwhile
    pages.classList.toggle("searching", words.length > 0);
    count.textContent = words.length === 0 ? "" : found.length === 1 ? "1 place" : `${found.length} places`;
    list.replaceChildren(
      ...found.slice(0, 12).map(({ address, page, chapter, text }) => {
        const link = make("a", { href: new URL(address, base) }, make("strong", { textContent: chapter || page }), chapter ? ` ${page}` : "");
        return make("li", {}, link, make("small", { textContent: around(text, words) }));
      }),
    );
  }
  field.addEventListener("focus", () => load().catch(() => {}), { once: true });
  field.addEventListener("input", () => show().catch(() => (count.textContent = "The search could not be loaded.")));
  field.addEventListener("keydown", ({ key, isComposing }) => {
    if (isComposing) return;
    if (key === "Enter") list.querySelector("a")?.click();
    if (key === "Escape") field.value = "";
    if (key === "Escape") show();
  });
  addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    field.focus();
  });
  // A place on this page: the list makes room for it.
  list.addEventListener("click", () => {
    field.value = "";
    show();
  });

  if (!navigator.clipboard) return;
  for (const code of document.querySelectorAll("main pre")) {
    const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      button.textContent = await navigator.clipboard.writeText(`${code.textContent.trimEnd()}\n`).then(() => "Copied", () => "Not copied");
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    const frame = make("div", { className: "code" });
    code.replaceWith(frame);
    frame.append(code, button);
  }
})();
