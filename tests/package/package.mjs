// The built package, resolved as a consumer's Node resolves it: by name, through `exports`.
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
export const folder = join(root, "target/npm/countersign");
/** The single modules of which the package's scripts are made. */
export const modules = join(root, "target/npm/modules");
const consumer = join(root, "target/npm/consumer");

if (!existsSync(join(folder, "package.json"))) {
  throw new Error("target/npm/countersign is missing: run `cargo xtask npm`");
}

/** A folder in which `countersign` is installed. */
export function install() {
  const link = join(consumer, "node_modules/countersign");
  // Other files run beside this one.
  if (existsSync(link) && realpathSync(link) === realpathSync(folder)) return consumer;
  mkdirSync(join(consumer, "node_modules"), { recursive: true });
  rmSync(link, { recursive: true, force: true });
  symlinkSync(folder, link, "junction");
  return consumer;
}

/** The file behind an entry such as `countersign/headless`, with the conditions `node` and `import`. */
export function resolve(entry) {
  return createRequire(join(install(), "index.js")).resolve(entry);
}

/** An entry, imported. */
export const load = (entry) => import(pathToFileURL(resolve(entry)).href);
