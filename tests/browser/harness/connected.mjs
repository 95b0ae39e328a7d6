// The element and the ready connector of the npm package with a real backend behind them.

import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startBackend } from './backend.mjs';
import { launch, openPage, profile } from './browser.mjs';
import { Chat } from './chat.mjs';
import { RealWorld } from './real.mjs';
import { serveFolder } from './server.mjs';

const BUILT = fileURLToPath(new URL('../../../target/npm/countersign', import.meta.url));
const PAGE = fileURLToPath(new URL('connected.html', import.meta.url));

/** Serves the page, and has a browser and the backend of this name, for as long as the tests of a file. */
export function connected(name) {
  const found = { name, backend: undefined, browser: undefined, origin: undefined };
  let folder;
  let server;
  before(async () => {
    if (!existsSync(BUILT)) throw new Error('target/npm/countersign is missing: run `cargo xtask npm`');
    folder = await mkdtemp(path.join(tmpdir(), 'countersign-'));
    await symlink(BUILT, path.join(folder, 'countersign'), 'junction');
    await copyFile(PAGE, path.join(folder, 'index.html'));
    server = await serveFolder(folder);
    found.origin = server.origin;
    found.backend = await startBackend(name, server.origin);
    found.browser = await launch();
  });
  after(async () => {
    await found.browser?.close();
    await found.backend?.stop();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });
  return found;
}

/** A world of `scenarios.mjs`: this graph, with these further options of the connector. */
export class ConnectedWorld extends RealWorld {
  #stage;
  #graph;
  #more;
  #expectedErrors;

  constructor(stage, graph, { more = {}, behind, expectedErrors = [] } = {}) {
    super(stage, { behind });
    this.#stage = stage;
    this.#graph = graph;
    this.#more = more;
    // The browser itself reports every refusal: 404 is a thread that has not begun.
    this.#expectedErrors = [/status of (400|404|409|422|503)/, ...expectedErrors];
  }

  async open(t) {
    return this.#page(t, await profile(t, this.#stage.browser));
  }

  async tab(t, chat) {
    return this.#page(t, chat.page.context(), await chat.context());
  }

  async #page(t, context, begun = '') {
    const { url, token } = this.behind;
    const query = new URLSearchParams({ url, token, graph: this.#graph, more: JSON.stringify(this.#more) });
    const address = `${this.#stage.origin}/?${query}#${begun}`;
    return Chat.on(await openPage(t, context, address, { expectedErrors: this.#expectedErrors }));
  }

  /** Whether the model was told these words. */
  async modelGot(chat, text) {
    return (await this.told(chat)).some(([, outcome]) => outcome === text);
  }

  /** Another client gives this answer to the interrupt of a card; resolves to the status. */
  async answerElsewhere(chat, card, answer) {
    const [interrupt] = card.request.match(/[0-9a-f]{32}/);
    const run = { assistant_id: this.#graph, command: { resume: { [interrupt]: answer } } };
    return this.behind.request(`/threads/${await chat.context()}/runs/wait`, { method: 'POST', body: JSON.stringify(run) });
  }
}
