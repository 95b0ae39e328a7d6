/**
 * Everything in one module: the elements, which it defines, the inbox, the connectors, all adapters and languages, and the wasm.
 * For places where no second file can be served: a page in one file, a notebook, an embedding in Python.
 *
 * Made by the build. Its inbox is not that of the entry `countersign`: take everything from one of them.
 *
 * @module
 */
import { runtime } from "./full.js";
import { define } from "./tags.js";
import { enclosed } from "./wording.js";

export * from "./index.js";
export * from "./connect/index.js";

/** Put in by the build: files of the package by their names, deflated, as base64. */
declare const FILES: Readonly<Record<string, string>>;

/** The first file, and a part. */
const FIRST = "countersign_bg.wasm";
const PART = /^countersign_([a-z0-9]+)\.wasm$/;
const CATALOGUE = /^([A-Za-z-]+)\.json$/;

/** What a file contains. */
function content(name: string): Response {
  const bytes = Uint8Array.from(atob(FILES[name] ?? ""), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
}

runtime.supply(async () => {
  const parts: Record<string, ArrayBuffer> = {};
  const inflate = async (name: string) => {
    const [, part] = PART.exec(name) ?? [];
    if (part !== undefined && name !== FIRST) parts[part] = await content(name).arrayBuffer();
  };
  const [source] = await Promise.all([content(FIRST).arrayBuffer(), ...Object.keys(FILES).map(inflate)]);
  return { source, parts };
});
for (const name of Object.keys(FILES)) {
  const [, language] = CATALOGUE.exec(name) ?? [];
  if (language !== undefined) enclosed.set(language, () => content(name).text());
}
define();
