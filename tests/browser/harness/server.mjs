// A server for a folder of files, as any plain web server would deliver them.

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.woff2': 'font/woff2',
};

/** Where `trunk build --release` puts the demo page; the variable DEMO_FOLDER names another build of it. */
export const DEMO_FOLDER = process.env.DEMO_FOLDER ?? fileURLToPath(new URL('../../../target/www', import.meta.url));

/**
 * Serves `folder` on 127.0.0.1, on a free port. `headers` go with every answer, such as a content security policy.
 * Resolves to `{ origin, close() }`.
 */
export async function serveFolder(folder, { headers = {} } = {}) {
  const root = path.resolve(folder);
  await stat(path.join(root, 'index.html')).catch(() => {
    throw new Error(`${root} has no index.html: build the page first (the demo: \`trunk build --release\`)`);
  });
  const server = createServer((request, response) => {
    answer(root, headers, request, response).catch(() => response.destroy());
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${server.address().port}`, close };
}

async function answer(root, headers, request, response) {
  const file = await find(root, request.url);
  if (file === undefined || !['GET', 'HEAD'].includes(request.method)) {
    response.writeHead(file === undefined ? 404 : 405, headers).end();
    return;
  }
  const type = TYPES[path.extname(file.path)] ?? 'application/octet-stream';
  response.writeHead(200, {
    'content-type': type,
    'content-length': file.size,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  if (request.method === 'HEAD') response.end();
  else createReadStream(file.path).pipe(response);
}

/** The file that an address names; nothing outside of the folder is ever found. */
async function find(root, address) {
  let name;
  try {
    name = decodeURIComponent(new URL(address, 'http://127.0.0.1').pathname);
  } catch {
    return undefined;
  }
  const wanted = path.join(root, name.endsWith('/') ? `${name}index.html` : name);
  if (!wanted.startsWith(root + path.sep)) return undefined;
  const found = await stat(wanted).catch(() => undefined);
  return found?.isFile() ? { path: wanted, size: found.size } : undefined;
}
