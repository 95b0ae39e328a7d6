// Writes down the elements and the public declarations, from the comments in the sources.
//
// node describe.mjs <the analyzer's main file> <sources> <package folder> <the page on looks> <the style sheet of the properties>
//
// Makes `custom-elements.json`, which editors read, and `api.txt`, in which a change of the public API is seen. Parts and custom
// properties are those that the page on looks lists.

import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, sources, folder, looks, tokens] = process.argv.slice(2);
const { create, ts } = await import(pathToFileURL(library));

/** The entry that exports the classes of the elements. */
const MAIN = 'dist/index.js';
/** What they have in common. */
const BASE = 'WordedElement';

const names = (await readdir(sources)).filter((name) => /(^|-)element\.ts$|^tags\.ts$/.test(name)).sort();
const modules = [];
for (const name of names) {
  const text = await readFile(join(sources, name), 'utf8');
  // Tags are defined by importing `define`.
  const path = `dist/${name.replace(/\.ts$/, '.js').replace(/^tags\./, 'define.')}`;
  modules.push(ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true));
}
const manifest = published(create({ modules }));

/** The classes where the package has them: in its main entry, and without their base, which it does not show. */
function published({ modules, ...manifest }) {
  const isClass = ({ path }) => path.endsWith('element.js');
  const main = { kind: 'javascript-module', path: MAIN };
  for (const list of ['declarations', 'exports']) main[list] = modules.filter(isClass).flatMap((module) => module[list]).filter(({ name }) => name !== BASE);
  for (const declaration of main.declarations) {
    if (declaration.superclass) declaration.superclass = { name: 'HTMLElement' };
    for (const inherited of [...(declaration.members ?? []), ...(declaration.attributes ?? [])]) delete inherited.inheritedFrom;
  }
  const text = JSON.stringify({ ...manifest, modules: [main, ...modules.filter((module) => !isClass(module))] });
  return JSON.parse(text.replace(/"\/?dist\/(?:[a-z]+-)?element\.js"/g, JSON.stringify(MAIN)));
}
const page = await readFile(looks, 'utf8');
const values = await readFile(tokens, 'utf8');

/** The rows of the tables below a heading of the page, as cells. */
const rows = (heading) =>
  page.split(`\n## ${heading}\n`)[1].split('\n## ')[0].split('\n').filter((line) => /^\| .*`/.test(line)).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
const plain = (cell) => cell.replace(/`|\[([^\]]*)\]\([^)]*\)/g, '$1');
const named = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

const cssProperties = rows('Custom properties').flatMap(([property, paints]) =>
  named(property).map((name) => ({ name, description: plain(paints), default: values.match(new RegExp(`${name}: ([^;]+);`))[1] })),
);
/** Which elements have the parts of a row: a row that says nothing else is about cards, which stand in an inbox too. */
const OWNERS = [
  [/^(every element|grants)/, ['countersign-inbox', 'countersign-card', 'countersign-policy']],
  [/^(the inbox|its batches|its history)/, ['countersign-inbox']],
  [/countersign-policy/, ['countersign-policy']],
  [/^/, ['countersign-inbox', 'countersign-card']],
];
const parts = rows('Parts').map(([of, names]) => ({ of: plain(of), names: named(names), owners: OWNERS.find(([said]) => said.test(of))[1] }));

/** The parts of an element, each once. */
function partsOf(tagName) {
  const found = new Map();
  for (const { of, names, owners } of parts) {
    if (owners.includes(tagName)) for (const name of names) found.set(name, [...(found.get(name) ?? []), of]);
  }
  return [...found].map(([name, places]) => ({ name, description: places.join('; ') }));
}
// What starts with # or is marked as internal is nobody's business.
for (const { declarations } of manifest.modules) {
  for (const declaration of declarations) {
    if (declaration.tagName) Object.assign(declaration, { cssParts: partsOf(declaration.tagName), cssProperties });
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
