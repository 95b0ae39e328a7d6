// The demo page and a browser, for the tests of one file.

import { after, before } from 'node:test';

import { startBackend } from './backend.mjs';
import { launch } from './browser.mjs';
import { DEMO_FOLDER, serveFolder } from './server.mjs';

/**
 * Serves the built demo page, and has a browser, for as long as the tests of a file: `{ browser, origin }`, there once they run.
 * With the name of a backend that runs too: `{ name, backend }`.
 */
export function demo(name) {
  const found = { name, backend: undefined, browser: undefined, origin: undefined };
  let server;
  before(async () => {
    server = await serveFolder(DEMO_FOLDER);
    found.origin = server.origin;
    if (name !== undefined) found.backend = await startBackend(name, server.origin);
    found.browser = await launch();
  });
  after(async () => {
    await found.browser?.close();
    await found.backend?.stop();
    await server?.close();
  });
  return found;
}
