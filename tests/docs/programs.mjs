// The scripts of the pages, held against the declarations of the packed package and of the frameworks.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { program, root } from "./blocks.mjs";

const require = createRequire(join(root, "tests/index.js"));

/** A name for files and folders that belong to a block. */
export const nameOf = ({ id }) => id.replace(/[^a-z0-9]+/gi, "-");

/** The scripts in a block, each as `{ extension, code }`. */
export function scripts(block) {
  const { language } = block;
  if (["js", "jsx", "ts", "tsx"].includes(language)) return [{ extension: language, code: program(block) }];
  if (language === "vue") return [vue(block)];
  if (language === "html") {
    return [...program(block).matchAll(/<script type="module">([^]*?)<\/script>/g)].map(([, code]) => ({
      extension: "js",
      // A page without a bundler names files; a bundler and a compiler know them by their names.
      code: code.replaceAll(/"\.\/node_modules\/(countersign)\/dist\/(\w+)\.js"/g, '"$1/$2"'),
    }));
  }
  return [];
}

/** What stands in `<script setup>`, after the whole file was compiled. */
function vue(block) {
  const { parse, compileScript } = require("vue/compiler-sfc");
  const { descriptor, errors } = parse(program(block), { filename: `${nameOf(block)}.vue` });
  if (errors.length > 0) throw new Error(`${block.file}:${block.line}: ${errors[0].message}`);
  compileScript(descriptor, { id: nameOf(block), inlineTemplate: true });
  return { extension: descriptor.scriptSetup?.lang ?? "js", code: descriptor.scriptSetup?.content ?? "" };
}

const COMMON = {
  module: "ES2022",
  moduleResolution: "Bundler",
  target: "ES2022",
  lib: ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
  jsx: "react-jsx",
  types: [],
  strict: true,
  noEmit: true,
  allowJs: true,
  checkJs: true,
  skipLibCheck: true,
};
/** What a page in JavaScript need not say: that an element is there, and of what type a parameter is. */
const LENIENT = { noImplicitAny: false, strictNullChecks: false, useUnknownInCatchVariables: false };

/**
 * Type-checks the scripts of all blocks in a folder where the package is installed; what the compiler says, with the block
 * and the line of the page in place of the file.
 */
export function typeProblems(blocks, folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const types = join(root, "tests/node_modules");
  const paths = {
    react: [join(types, "@types/react/index.d.ts")],
    "react/jsx-runtime": [join(types, "@types/react/jsx-runtime.d.ts")],
    "react-dom/client": [join(types, "@types/react-dom/client.d.ts")],
    vue: [join(types, "vue/dist/vue.d.mts")],
    "node:*": [join(types, "@types/node/*.d.ts")],
  };
  const files = { strict: [], lenient: [] };
  const names = new Map();
  for (const block of blocks) {
    scripts(block).forEach(({ extension, code }, place) => {
      const file = `${nameOf(block)}-${place + 1}.${extension}`;
      writeFileSync(join(folder, file), `${code}\nexport {};\n`);
      files[extension.startsWith("ts") ? "strict" : "lenient"].push(file);
      names.set(file, block);
    });
  }
  // What a bundler knows and a compiler does not.
  writeFileSync(join(folder, "bundler.d.ts"), 'declare module "*?url" {\n  const url: string;\n  export default url;\n}\n');
  const problems = [];
  for (const [kind, list] of Object.entries(files)) {
    if (list.length === 0) continue;
    const node = list.some((file) => scripts(names.get(file)).some(({ code }) => /from "node:|process\./.test(code)));
    const compilerOptions = { ...COMMON, ...(kind === "lenient" ? LENIENT : {}), paths, ...(node ? { typeRoots: [join(types, "@types")], types: ["node"] } : {}) };
    writeFileSync(join(folder, `${kind}.json`), JSON.stringify({ compilerOptions, files: [...list, "bundler.d.ts"] }));
    const compiler = join(types, "typescript/bin/tsc");
    const { stdout } = spawnSync(process.execPath, [compiler, "-p", join(folder, `${kind}.json`), "--pretty", "false"], { encoding: "utf8", cwd: folder });
    problems.push(...stdout.split("\n").filter((line) => line.trim() !== ""));
  }
  const programs = [...names.keys()].length;
  return { programs, problems: problems.map((line) => line.replace(/^([^(]+)\((\d+),\d+\)/, (_, file, at) => place(names.get(file), Number(at)) ?? `${file}:${at}`)) };
}

/** The line of a page that a line of a block's program stands on. */
function place(block, line) {
  if (!block || block.language === "vue" || block.language === "html") return block && `${block.file}:${block.line}`;
  const ahead = program(block).split("\n").length - block.code.split("\n").length;
  return line > ahead ? `${block.file}:${block.line + line - ahead}` : `${block.file}:${block.line} (given)`;
}
