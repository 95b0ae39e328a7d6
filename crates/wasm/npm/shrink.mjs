// Takes comments and long names out of the JavaScript of a folder; source maps lead back to what it was made of.
//
// node shrink.mjs <esbuild's main file> <folder>

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [library, folder] = process.argv.slice(2);
const { build } = (await import(pathToFileURL(library))).default;

const files = await readdir(folder, { recursive: true });
await build({
  entryPoints: files.filter((file) => file.endsWith('.js')).map((file) => join(folder, file)),
  outdir: folder,
  outbase: folder,
  allowOverwrite: true,
  minify: true,
  sourcemap: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'warning',
});
