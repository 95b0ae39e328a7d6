// The pages in www/docs tell the truth as far as a machine can see: their code parses, their imports and links exist.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const folder = join(root, "www/docs");
const pages = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));

/** The blocks of a language on all pages. */
function blocks(language) {
  const pattern = new RegExp("^```" + language + "\\n([^]*?)^```", "gm");
  return pages.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([, code], at) => ({ code, where: `${name}, block ${at + 1}` })));
}

/** What an entry of the package exports by name, from its source. */
function exported(file) {
  const source = readFileSync(join(root, "crates/wasm/npm/src", file), "utf8");
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names]) => names.split(","));
  const own = [...source.matchAll(/^export (?:async )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  return new Set([...lists.map((name) => name.trim()), ...own]);
}

test("every page of a system has code in it", () => {
  const withCode = new Set(blocks("js").map(({ where }) => where.split(",")[0]));
  for (const name of ["kagent", "adk", "langgraph", "haystack", "adalflow", "connect"]) assert.ok(withCode.has(`${name}.md`), name);
});

test("the JavaScript on every page parses as a module", () => {
  const scratch = mkdtempSync(join(tmpdir(), "countersign-docs-"));
  try {
    for (const { code, where } of blocks("(?:js|javascript)")) {
      const file = join(scratch, "block.mjs");
      writeFileSync(file, code);
      const { status, stderr } = spawnSync(process.execPath, ["--check", file], { encoding: "utf8" });
      assert.equal(status, 0, `${where}: ${stderr}`);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
});

test("the JSON on every page parses", () => {
  const found = blocks("json");
  assert.ok(found.length > 0);
  for (const { code, where } of found) assert.doesNotThrow(() => JSON.parse(code), where);
});

test("what the pages import is there", () => {
  const entries = { countersign: "index.ts", "countersign/headless": "headless.ts", "countersign/connect": "connect/index.ts" };
  for (const { code, where } of blocks("js")) {
    for (const [, names, entry] of code.matchAll(/import \{([^}]*)\} from "([^"]+)"/g)) {
      assert.ok(entry in entries, `${where}: ${entry}`);
      for (const name of names.split(",")) assert.ok(exported(entries[entry]).has(name.trim()), `${where}: ${name.trim()} of ${entry}`);
    }
  }
});

test("the links between pages lead somewhere", () => {
  for (const { name, text } of pages) {
    for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) assert.ok(existsSync(join(folder, target)), `${name}: ${target}`);
  }
});
