// Writes down the elements and the public declarations, from the comments in the sources.
//
// node describe.mjs <the analyzer's main file> <sources> <package folder>
//
// Makes `custom-elements.json`, which editors read, and `api.txt`, in which a change of the public API is seen.

import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, sources, folder] = process.argv.slice(2);
const { create, ts } = await import(pathToFileURL(library));

const names = (await readdir(sources)).filter((name) => /(^|-)element\.ts$|^tags\.ts$/.test(name)).sort();
const modules = [];
for (const name of names) {
  const text = await readFile(join(sources, name), 'utf8');
  // Tags are defined by importing `define`.
  const path = `dist/${name.replace(/\.ts$/, '.js').replace(/^tags\./, 'define.')}`;
  modules.push(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
}
const manifest = create({ modules });
// What starts with # or is marked as internal is nobody's business.
for (const { declarations } of manifest.modules) {
  for (const declaration of declarations) {
    declaration.members = declaration.members?.filter(({ name, privacy }) => !name.startsWith('#') && privacy !== 'private' && !/Callback$/.test(name));
  }
}
await writeFile(join(folder, 'custom-elements.json'), `${JSON.stringify(manifest, null, 2)}\n`);

const dist = join(folder, 'dist');
const declared = (await readdir(dist, { recursive: true })).filter((name) => /^(connect.(index|types)|[a-z-]+)\.d\.ts$/.test(name)).sort();
let api = '';
for (const name of declared) {
  const text = await readFile(join(dist, name), 'utf8');
  api += `// ${name.replaceAll('\\', '/')}\n${text.replace(/\/\*\*[^]*?\*\/\n?|\/\/# source.*\n/g, '').replace(/^\s*\n/gm, '')}\n`;
}
await writeFile(join(folder, 'api.txt'), api);
