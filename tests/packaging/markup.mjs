// Pages whose markup is type-checked, each by the checker of its framework.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { place, stage } from "./install.mjs";

const CHECKERS = {
  react: ["typescript/bin/tsc", "-p", ".", "--pretty", "false"],
  preact: ["typescript/bin/tsc", "-p", ".", "--pretty", "false"],
  solid: ["typescript/bin/tsc", "-p", ".", "--pretty", "false"],
  vue: ["vue-tsc/bin/vue-tsc.js", "-p", ".", "--pretty", "false"],
  svelte: ["svelte-check/bin/svelte-check", "--workspace", ".", "--tsconfig", "./tsconfig.json", "--output", "machine"],
};

/** What the checker complains of, a line each; `declarations` is what a page says to its framework of the tags. */
export async function complaints(framework, declarations) {
  const folder = stage(join("markup", framework));
  if (declarations !== undefined) writeFileSync(join(folder, "countersign.d.ts"), declarations);
  const [program, ...words] = CHECKERS[framework];
  const run = promisify(execFile)(process.execPath, [join(place, "node_modules", program), ...words], { cwd: folder });
  const { stdout } = await run.catch((error) => error);
  const found = stdout.split("\n").filter((line) => /error/i.test(line) && !/COMPLETED/.test(line));
  if (framework !== "svelte") return found;
  // This checker has no comment for an error that is expected in markup.
  const file = "Page.svelte";
  const lines = readFileSync(join(folder, file), "utf8").split("\n");
  const expected = lines.flatMap((line, at) => (line.includes("Expected error:") ? [`"${file}" ${at + 2}:`] : []));
  const unseen = expected.filter((mark) => !found.some((line) => line.includes(mark)));
  return [...found.filter((line) => !expected.some((mark) => line.includes(mark))), ...unseen.map((mark) => `${mark} no error`)];
}
