// The documentation site as people see it, the pictures of the README, and the figures.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { figures, measured } from "../../www/site/figures.mjs";
import { highlight } from "../../www/site/highlight.mjs";
import { deadLinks } from "../../www/site/links.mjs";
import { LIMIT, PACKED, picture, PICTURES } from "../../www/site/pictures.mjs";
import { root } from "./blocks.mjs";

const axe = readFileSync(createRequire(join(root, "tests/index.js")).resolve("axe-core/axe.min.js"), "utf8");

let browser;
let folder;
let server;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "countersign-site-"));
  execFileSync(process.execPath, [join(root, "www/site/build.mjs"), folder], { stdio: ["ignore", "ignore", "inherit"] });
  browser = await launch();
  server = await serveFolder(folder);
});
after(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const LOOKS = [320, 1280].flatMap((width) => ["light", "dark"].map((colorScheme) => ({ width, colorScheme })));
for (const { width, colorScheme } of LOOKS) {
  test(`every page of the guide is readable at ${width} pixels in ${colorScheme}`, async (t) => {
    const context = await profile(t, browser, { viewport: { width, height: 800 }, colorScheme });
    const page = await openPage(t, context, `${server.origin}/index.html`);
    for (const name of readdirSync(folder).filter((file) => file.endsWith(".html"))) {
      await page.goto(`${server.origin}/${name}`);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(over <= 0, `${name} is ${over} pixels wider than the window`);
      assert.equal(await page.locator("nav a[aria-current]").count(), 1, `${name} knows where it stands`);
      // What a narrow window hides is as readable.
      await page.evaluate(() => document.querySelectorAll("details").forEach((list) => { list.open = true; }));
      const opened = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(opened <= 0, `${name} with its lists is ${opened} pixels wider than the window`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"] }));
      assert.deepEqual(violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0].html}`), []);
    }
  });
}

test("the list of pages leaves a narrow window to the text until it is asked for, and no script is needed", async (t) => {
  const context = await profile(t, browser, { viewport: { width: 320, height: 640 }, javaScriptEnabled: false });
  const page = await openPage(t, context, `${server.origin}/getting-started.html`);
  const list = page.locator(".pages ul");
  assert.ok((await page.locator("h1").boundingBox()).y < 120, "the text begins near the top");
  assert.equal(await list.isVisible(), false);
  await page.locator(".pages summary").press("Enter");
  assert.equal(await list.isVisible(), true);
  await page.getByRole("link", { name: "Security model", exact: true }).click();
  await page.waitForURL("**/security.html");
  await page.getByRole("link", { name: "Countersign", exact: true }).click();
  await page.waitForURL("**/index.html");
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.equal(await list.isVisible(), true);
  assert.equal(await page.locator(".pages summary").isVisible(), false);
});

test("a page of many chapters lists them all, and the list stays in view where there is room", async (t) => {
  const context = await profile(t, browser, { viewport: { width: 1280, height: 800 } });
  const page = await openPage(t, context, `${server.origin}/index.html`);
  const list = page.getByRole("navigation", { name: "On this page" });
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".html"))) {
    await page.goto(`${server.origin}/${name}`);
    const chapters = await page.locator("h2").allInnerTexts();
    assert.deepEqual(await list.getByRole("link").allInnerTexts(), chapters.length < 4 ? [] : chapters, name);
  }
  await page.goto(`${server.origin}/getting-started.html`);
  await list.getByRole("link", { name: "Browsers" }).click();
  await page.waitForURL("**/getting-started.html#browsers");
  const inView = (of) => of.evaluate((element) => ((box) => box.top >= 0 && box.bottom <= innerHeight && box.right <= innerWidth)(element.getBoundingClientRect()));
  assert.deepEqual([await inView(page.locator("#browsers")), await inView(list.locator("ul"))], [true, true]);
  await page.setViewportSize({ width: 320, height: 640 });
  assert.equal(await list.locator("ul").isVisible(), false);
  await list.locator("summary").press("Enter");
  assert.equal(await list.locator("ul").isVisible(), true);
});

test("a search finds chapters by their words, with keys alone, from any page, also where the site lies on a disk", async (t) => {
  for (const address of [`${server.origin}/repository/ARCHITECTURE.html`, `file://${folder}/repository/ARCHITECTURE.html`]) {
    const context = await profile(t, browser, { viewport: { width: 320, height: 640 } });
    const page = await openPage(t, context, address);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("renews  TOKEN");
    await page.getByText("0 places").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("token runs OUT");
    const found = page.getByRole("search").getByRole("link");
    await found.first().waitFor();
    assert.match(await found.first().innerText(), /^A token that runs out\s+Connectors$/);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa"], preload: false }));
    assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`), []);
    await page.keyboard.press("Enter");
    await page.waitForURL("**/connect.html#a-token-that-runs-out");
  }
});

test("code is copied as it stands, whole and without the button's own word", async (t) => {
  const context = await profile(t, browser, { permissions: ["clipboard-read", "clipboard-write"] });
  const page = await openPage(t, context, `${server.origin}/getting-started.html`);
  const block = page.locator(".code", { hasText: "changeOrigin" });
  await block.hover();
  await block.getByRole("button", { name: "Copy" }).click();
  await block.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.ok(copied.startsWith("export default {\n  server: {"), copied);
  assert.ok(readFileSync(join(root, "www/docs/getting-started.md"), "utf8").includes(copied));
});

test("on paper there is the text alone, dark on light, and no line of code is cut off", async (t) => {
  const context = await profile(t, browser, { viewport: { width: 700, height: 900 }, colorScheme: "dark" });
  const page = await openPage(t, context, `${server.origin}/getting-started.html`);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  for (const hidden of [".pages", ".chapters"]) assert.equal(await page.locator(hidden).isVisible(), false, hidden);
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
  assert.equal(await page.evaluate(() => [...document.querySelectorAll("pre")].filter((code) => code.scrollWidth > code.clientWidth).length), 0);
});

test("the first page says what Countersign is in the words of the README, shows a card and leads to the demo", async (t) => {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [first] = readme.split("\n\n").filter((text) => !text.startsWith("#"));
  const page = await openPage(t, await profile(t, browser, { viewport: { width: 320, height: 640 } }), `${server.origin}/index.html`);
  const said = await page.locator("main > p:not(:has(strong))").allInnerTexts();
  assert.equal(said.slice(0, 2).join(" ").replace("Countersign has", "It has"), first.replaceAll("\n", " ").replaceAll("`", ""));
  const demo = page.getByRole("link", { name: "Try the demo" });
  assert.equal(await demo.getAttribute("href"), "demo/index.html");
  const { y, height } = await demo.boundingBox();
  assert.ok(y + height <= 640, "without scrolling");
  assert.match(readme, /^## Try it$/m, "outside of the site the link leads to how to start it");
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.waitForFunction((name) => ((card) => card.complete && card.naturalWidth > 0 && card.currentSrc.endsWith(name))(document.querySelector("picture img")), basename(PICTURES[colorScheme]));
  }
});

test("what stands hidden for the tests is not in the site", () => {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".html"))) {
    assert.doesNotMatch(readFileSync(join(folder, name), "utf8"), /&lt;!--|<!-- given/, name);
  }
});

test("links that lead nowhere are found: files, places, and places behind a page that leads on", () => {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-links-"));
  const pages = {
    "index.html": '<a id="top" href="#top"></a><a href="sub/?q=1#deep"></a><a href="on.html#deep"></a><a href="https://example.org/x"></a><script>"<a href=\'none\'>"</script><img src="a%20b.png">',
    "sub/index.html": '<p id="deep"></p><a href="../index.html#none"></a><a href="gone.html"></a>',
    "on.html": '<meta http-equiv="refresh" content="0; url=sub/index.html"><a href="on.html#nowhere"></a>',
    "a b.png": "",
  };
  mkdirSync(join(scratch, "sub"));
  for (const [name, text] of Object.entries(pages)) writeFileSync(join(scratch, name), text);
  assert.deepEqual(deadLinks(scratch).sort(), ["on.html: on.html#nowhere", "sub/index.html: ../index.html#none", "sub/index.html: gone.html"]);
  rmSync(scratch, { recursive: true });
  assert.deepEqual(deadLinks(folder).filter((line) => !/: (?:\.\.\/)*(?:api|rust|demo)\//.test(line)), [], "the guide");
});

test("a link to a page of the site names the page, not its file", () => {
  for (const name of readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".html"))) {
    const links = readFileSync(join(folder, name), "utf8").matchAll(/<a [^>]*>(.*?)<\/a>/gs);
    assert.deepEqual([...links].map(([, words]) => words.replace(/<[^>]*>/g, "")).filter((words) => /\.md$/.test(words)), [], name);
  }
  assert.match(readFileSync(join(folder, "repository/crates/protocols/docs/index.html"), "utf8"), /<a href="a2a.html">The A2A family<\/a>/);
});

test("highlighted code is the same text", () => {
  const samples = { js: "const a = `x${1}`; // <b>\n/* 2 */ 'it'", html: '<p class="a">x < y</p><script type="module">let b = "</p>";</script><!-- c -->', rust: "fn a<'b>() -> &'b str { r#\"x\"# } // y", json: '{"a": [1.00, "b\\"", null]}', css: "a { --b: 1px; } /* c */", sh: "cargo xtask demo --backend kagent # real" };
  const decode = (html) => html.replace(/<\/?span[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
  for (const [language, code] of Object.entries(samples)) {
    const html = highlight(code, language);
    assert.equal(decode(html), code);
    assert.match(html, /<span class="/);
  }
});

test("the pictures are small, are there, and can be made again", async () => {
  assert.deepEqual(readFileSync(PACKED), readFileSync(PICTURES.light), "the picture of the package is the one of the repository");
  assert.ok(readFileSync(join(root, "crates/wasm/npm/README.md"), "utf8").includes(`pictures/${basename(PACKED)}`));
  for (const [scheme, file] of Object.entries(PICTURES)) {
    assert.ok(readFileSync(join(root, "README.md"), "utf8").includes(`www/pictures/${basename(file)}`), file);
    for (const bytes of [readFileSync(file), await picture(browser, scheme)]) {
      assert.equal(bytes.subarray(8, 12).toString(), "WEBP");
      assert.ok(bytes.length > 5000 && bytes.length < LIMIT, `${file}: ${bytes.length}`);
    }
  }
});

test("figures stand under one another, digit under digit", async (t) => {
  const page = await openPage(t, await profile(t, browser), `${server.origin}/figures.html`);
  const rows = await page.locator("tr").evaluateAll((all) =>
    all.map(({ children }) =>
      [...children].map((cell) => {
        const { textAlign, fontVariantNumeric, direction } = getComputedStyle(cell);
        return `${textAlign} ${fontVariantNumeric} ${direction}`;
      }),
    ),
  );
  assert.ok(rows.length > 20);
  for (const [name, ...numbers] of rows) {
    assert.equal(name, "start normal ltr");
    assert.deepEqual([...new Set(numbers)], ["end tabular-nums ltr"]);
  }
});

test("figures are those of the last run, else those that were kept", () => {
  const kept = measured(undefined);
  for (const name of ["element", "element-first-card", "headless"]) assert.ok(kept.sizes.some((size) => size.name === name && size.brotli > 0), name);
  assert.ok(kept.times.every(({ name, ours_ms: ours }) => /^[a-z]+\/[\w/-]+$/i.test(name) && ours > 0));
  // Some stand beside nothing.
  assert.ok(kept.times.every(({ reference_ms: reference = null, ratio }) => (reference === null ? ratio === null : ratio > 0)));
  const page = figures(undefined);
  assert.match(page, /## Time[^]*(\| `recover\/|Not measured yet)/);
  assert.doesNotMatch(page, /\| 0\.0\d ms|NaN|null|undefined/);
  const scratch = mkdtempSync(join(tmpdir(), "countersign-figures-"));
  writeFileSync(join(scratch, "size.json"), '{"artefacts":[{"name":"headless","raw":3,"gzip":2,"brotli":1}]}');
  const { sizes, times, when } = measured(scratch);
  rmSync(scratch, { recursive: true });
  assert.deepEqual([sizes[0].brotli, when.sizes], [1, "Measured for this build."]);
  assert.deepEqual(times, kept.times);
});
