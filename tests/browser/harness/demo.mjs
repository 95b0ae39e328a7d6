// The demo page and a browser, for the tests of one file.

import { after, before } from 'node:test';

import { launch } from './browser.mjs';
import { DEMO_FOLDER, serveFolder } from './server.mjs';

/** Serves the built demo page, and has a browser, for as long as the tests of a file: `{ browser, origin }`, there once they run. */
export function demo() {
  const found = { browser: undefined, origin: undefined };
  let server;
  before(async () => {
    server = await serveFolder(DEMO_FOLDER);
    found.origin = server.origin;
    found.browser = await launch();
  });
  after(async () => {
    await found.browser?.close();
    await server?.close();
  });
  return found;
}
