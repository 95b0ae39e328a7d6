// Makes few modules of many: a page that imports an entry asks for five files at once, not for twenty one behind another.
// `slim.js`, which has no address of a file in it, and `inline.js`, which has the files in it, are one module each. The other
// entries share modules, so that each class and the wasm are there once whatever a page imports.
//
// node bundle.mjs <esbuild's main file> <package folder> <folder for the modules>
//
// The many modules stay in a folder of their own, for tests that must get at one.

import { cp, readFile, readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const [library, folder, modules] = process.argv.slice(2);
const { build } = (await import(pathToFileURL(library))).default;
const dist = join(folder, 'dist');

const ENTRIES = ['index', 'define', 'headless', 'headless.node', 'connect/index', 'react', 'vue'];

const names = async (place, pattern) => (await readdir(join(dist, place))).filter((name) => pattern.test(name)).map((name) => join(dist, place, name));
const wasm = await names('wasm', /^countersign_.*\.wasm$/);
const catalogues = await names('locales', /\.json$/);
const files = {};
for (const path of [...wasm, ...catalogues]) {
  files[basename(path)] = deflateRawSync(await readFile(path), { level: 9 }).toString('base64');
}

/** Takes the addresses of files out of a module; each must be one that is known. */
const withoutAddresses = (filter, known) => ({
  name: 'without-addresses',
  setup({ onLoad }) {
    onLoad({ filter }, async ({ path }) => {
      const found = new Set();
      const contents = (await readFile(path, 'utf8')).replace(/new URL\(["'`]([^"'`]*)["'`],\s*import\.meta\.url\)/g, (_, name) => {
        found.add(basename(name));
        return 'undefined';
      });
      const missed = known.map((file) => basename(file)).filter((name) => !found.has(name));
      if (missed.length > 0) throw new Error(`${path} does not name ${missed.join(', ')}`);
      return { contents };
    });
  },
});

/** The shared modules lie beside the entries, and the wasm below them. */
const belowEntries = {
  name: 'below-entries',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]wasm[\\/][a-z]+\.js$/ }, async ({ path }) => {
      const script = await readFile(path, 'utf8');
      return { contents: script.replace(/new URL\((["'`])(?!\.)/g, 'new URL($1./wasm/') };
    });
  },
};

const common = { bundle: true, outdir: dist, allowOverwrite: true, minify: true, format: 'esm', target: 'es2022', charset: 'utf8', logLevel: 'warning' };
const glue = withoutAddresses(/wasm[\\/]countersign\.js$/, wasm);
await build({ ...common, entryPoints: [join(dist, 'slim.js')], sourcemap: true, plugins: [glue] });
const plugins = [glue, withoutAddresses(/wording\.js$/, catalogues)];
await build({ ...common, entryPoints: [join(dist, 'inline.js')], define: { FILES: JSON.stringify(files) }, plugins });
await rm(join(dist, 'inline.js.map'), { force: true });

await rm(modules, { recursive: true, force: true });
const isScript = (name) => /\.js(\.map)?$/.test(name) && !/^(slim|inline)\.js/.test(name);
const scripts = (await readdir(dist, { recursive: true })).filter(isScript);
for (const name of scripts) await cp(join(dist, name), join(modules, name));

const { metafile } = await build({
  ...common,
  entryPoints: ENTRIES.map((name) => join(dist, `${name}.js`)),
  outbase: dist,
  splitting: true,
  external: ['node:*', 'react', 'vue'],
  sourcemap: true,
  metafile: true,
  plugins: [belowEntries],
});
const made = new Set(Object.keys(metafile.outputs).map((path) => resolve(path)));
for (const name of scripts) if (!made.has(resolve(dist, name))) await rm(join(dist, name));
