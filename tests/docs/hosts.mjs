// What the blocks about hosts with ways of their own do: bundlers that copy nothing, pages that are swapped, Next.js before the backend.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { eventually, pause } from "../browser/harness/eventually.mjs";
import { serve } from "../package/connect-harness.mjs";
import { place } from "../packaging/install.mjs";
import { buildNext, startNext } from "../packaging/next.mjs";
import { program } from "./blocks.mjs";
import { approve, approved, scripted, stageBlock, visit } from "./pages.mjs";

/** Angular's own bundler, esbuild, writes the script; what `angular.json` has copied lies beside it. `element` shows a call. */
export const copiedBeside = (element) => async (t, block, { browser }) => {
  const { build, serve: development } = JSON.parse(block.code);
  assert.deepEqual(development.options.prebundle.exclude, ["countersign"]);
  const code = `import "countersign/define";\n${element}\nshown.locale = "de";`;
  const folder = stageBlock(block, { "main.js": code, "index.html": scripted('import "./bundle.js";', "<countersign-inbox></countersign-inbox>") });
  const esbuild = await import(join(place, "node_modules/esbuild/lib/main.js"));
  await esbuild.build({ absWorkingDir: folder, entryPoints: ["main.js"], outfile: join(folder, "bundle.js"), bundle: true, format: "esm" });
  for (const { glob, input, output } of build.options.assets) {
    const names = readdirSync(join(place, input)).filter((name) => name.endsWith(glob.slice(1)));
    for (const name of names) cpSync(join(place, input, name), join(folder, output, name));
  }
  const { page, told } = await visit(t, browser, { folder, backend: "own" });
  await page.getByText("Genehmigen").first().waitFor();
  await approve(page);
  await approved(told, "own");
};

/** A page with the tag goes and a copy of it comes back, as Turbo does it; what is gone asks nothing any more. */
export const swapped = (how) => async (t, block, { browser }) => {
  const tag = `<agent-calls thread="${how.options.thread}"></agent-calls>`;
  const { page, told, server } = await visit(t, browser, { html: scripted(program(block), tag), ...how });
  await page.locator("[part~=card]").waitFor();
  const gone = await page.evaluate(async () => {
    globalThis.first = document.querySelector("agent-calls");
    globalThis.copy = document.body.cloneNode(true);
    document.body.replaceWith(document.createElement("body"));
    return globalThis.first.connector.state;
  });
  assert.equal(gone, "closed");
  const asked = () => server.requests.filter(({ url }) => url.startsWith(how.options.prefix)).length;
  await eventually(async () => {
    const before = asked(); // what had left by then may still arrive
    await pause(500);
    assert.equal(asked(), before);
  });
  await page.evaluate(() => document.body.replaceWith(globalThis.copy));
  await page.locator("[part~=card]").waitFor();
  await page.waitForFunction(() => document.querySelector("agent-calls").connector.state === "live"); // a card may be there before
  await page.evaluate(() => {
    const tag = document.querySelector("agent-calls");
    tag.parentElement.moveBefore(tag, null);
  });
  assert.deepEqual(await page.evaluate(() => [document.querySelectorAll("countersign-inbox").length, document.querySelector("agent-calls").connector.state]), [1, "live"]);
  await approve(page);
  await approved(told, how.backend);
};

/** What streams arrives piece by piece through Next.js, also for a client that takes it compressed. */
export async function passedOn(t, block) {
  let more;
  const stream = (exchange) => {
    exchange.stream(["first"]);
    more = () => exchange.stream(["second"]).end();
  };
  const backend = await serve(t, { "POST /runs/stream": stream });
  const configuration = block.code.replace("http://127.0.0.1:2024", backend.url);
  assert.notEqual(configuration, block.code);
  const page = "export default function Page({ children }) {\n  return children ? <html lang=\"en\"><body>{children}</body></html> : <h1>Calls</h1>;\n}\n";
  const folder = stageBlock(block, { "next.config.mjs": configuration });
  mkdirSync(join(folder, "app"));
  for (const name of ["layout", "page"]) writeFileSync(join(folder, `app/${name}.jsx`), page);
  assert.doesNotMatch(await buildNext(folder), /invalid next\.config|unrecognized/i);
  const { default: options } = await import(join(folder, "next.config.mjs"));
  assert.equal(options.experimental.proxyTimeout, 600_000);
  const origin = await startNext(t, folder);
  const answer = await fetch(`${origin}/api/runs/stream`, { method: "POST", headers: { "accept-encoding": "gzip" }, body: "{}", signal: AbortSignal.timeout(10_000) });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await reader.read()).value, /first/);
  await eventually(() => assert.ok(more));
  more();
  assert.match((await reader.read()).value, /second/);
}

/** Nuxt is told to fetch nothing of the package ahead, and all else as before. */
export async function unfetched(t, block) {
  const folder = stageBlock(block, { "nuxt.config.js": program(block) });
  const { hooks } = (await import(join(folder, "nuxt.config.js"))).default;
  const files = [...readdirSync(join(place, "node_modules/countersign/dist/wasm")), ...readdirSync(join(place, "node_modules/countersign/dist/locales"))];
  const built = files.filter((name) => /^countersign.*wasm$|json$/.test(name)).map((name) => name.replace(".", ".Cmt3-1o1."));
  assert.ok(built.length > 10);
  const manifest = Object.fromEntries([...built, "page.js", "page.css", "other.wasm"].map((file) => [file, { file, prefetch: true }]));
  hooks["build:manifest"](manifest);
  const ahead = Object.values(manifest).filter(({ prefetch }) => prefetch);
  assert.deepEqual(ahead.map(({ file }) => file), ["page.js", "page.css", "other.wasm"]);
}
