// The packed package in real projects, and in every example of the documentation.
//
//   node tests/packaging/run.mjs [words of test names]
//
// Ends with the line `N passed, N failed`; the exit code is 1 unless everything passed.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { Files } from "../support/files.mjs";
import { installForAll } from "./install.mjs";

const folder = dirname(fileURLToPath(import.meta.url));
const [pattern] = process.argv.slice(2);
const files = ["../docs/blocks", "../docs/site", "chats", "packaging", "properties", "hydration", "connector", "published", "../docs/reference"].map((name) => join(folder, `${name}.test.mjs`));
const all = new Files();
installForAll();
await all.run(files, { places: 2, timeout: 10 * 60_000, ...(pattern ? { testNamePatterns: [pattern] } : {}) });
await all.finish();
