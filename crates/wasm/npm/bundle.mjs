// Makes one module each of `slim.js`, which has no address of a file in it, and of `inline.js`, which has the files in it.
//
// node bundle.mjs <esbuild's main file> <package folder>

import { readFile, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { deflateRawSync } from 'node:zlib';

const [library, folder] = process.argv.slice(2);
const { build } = (await import(pathToFileURL(library))).default;
const dist = join(folder, 'dist');

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

const common = { bundle: true, outdir: dist, allowOverwrite: true, minify: true, format: 'esm', target: 'es2022', charset: 'utf8', logLevel: 'warning' };
const glue = withoutAddresses(/wasm[\\/]countersign\.js$/, wasm);
await build({ ...common, entryPoints: [join(dist, 'slim.js')], sourcemap: true, plugins: [glue] });
const plugins = [glue, withoutAddresses(/wording\.js$/, catalogues)];
await build({ ...common, entryPoints: [join(dist, 'inline.js')], define: { FILES: JSON.stringify(files) }, plugins });
await rm(join(dist, 'inline.js.map'), { force: true });
