// The element of the npm package on a page of its own, with a connector and a real agent behind it.

import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startBackend } from './backend.mjs';
import { launch, openPage, profile } from './browser.mjs';
import { Chat } from './chat.mjs';
import { RealWorld } from './real.mjs';
import { serveFolder } from './server.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The page: what `Chat` looks for, and the element. `options` in its address are those of the connector. */
const PAGE = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <title>Countersign</title>
  <link rel="icon" href="data:,">
  <script type="importmap">
    { "imports": { "countersign/define": "./countersign/dist/define.js", "countersign/connect": "./countersign/dist/connect/index.js" } }
  </script>
  <form id="composer"><textarea name="message" aria-label="Message"></textarea></form>
  <p class="notice"></p>
  <p role="status"></p>
  <countersign-inbox></countersign-inbox>
  <script type="module">
    import "countersign/define";
    import * as connect from "countersign/connect";

    location.hash ||= crypto.randomUUID();
    const conversation = location.hash.slice(1);
    const query = new URLSearchParams(location.search);
    const { kind, ...options } = JSON.parse(query.get("options").replaceAll("{conversation}", conversation));
    const headers = { "x-countersign-token": query.get("token") };
    const connector = connect[kind]({ ...options, headers });
    const element = document.querySelector("countersign-inbox");
    const notice = document.querySelector(".notice");
    const status = document.querySelector("[role=status]");
    connector.subscribe(() => (status.textContent = connector.error?.message ?? connector.state));
    element.addEventListener("countersign-error", ({ detail }) => (notice.textContent = detail.message));
    element.connector = connector;

    window.countersignDemo = {
      decide(request, text) {
        try {
          element.inbox.decide(request, JSON.parse(text));
        } catch (error) {
          notice.textContent = error.message;
        }
      },
    };
    document.querySelector("textarea").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      connector.sendText(event.target.value).catch((error) => (notice.textContent = error.message));
      event.target.value = "";
    });
    document.documentElement.dataset.context = conversation;
  </script>
</html>
`;

function stage(name) {
  const built = path.join(root, 'target/npm/countersign');
  if (!existsSync(built)) throw new Error('target/npm/countersign is missing: run `cargo xtask npm`');
  const folder = path.join(root, 'target/element', name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  symlinkSync(built, path.join(folder, 'countersign'), 'junction');
  writeFileSync(path.join(folder, 'index.html'), PAGE);
  return folder;
}

/**
 * Serves the page, starts a backend and has a browser, for as long as the tests of a file: `{ name, backend, browser, origin }`, there
 * once they run.
 */
export function elementPage(name) {
  const found = { name, backend: undefined, browser: undefined, origin: undefined };
  let server;
  before(async () => {
    server = await serveFolder(stage(name));
    found.origin = server.origin;
    found.backend = await startBackend(name, server.origin);
    found.browser = await launch();
  });
  after(async () => {
    await found.browser?.close();
    await found.backend?.stop();
    await server?.close();
  });
  return found;
}

/** A world of `scenarios.mjs`: the element and a real backend. */
export class ElementWorld extends RealWorld {
  #stage;
  #connect;
  #expectedErrors;

  /** `connect` gives the options of the connector, with its name as `kind`; `{conversation}` in them is the conversation. */
  constructor(stage, connect, { expectedErrors, behind } = {}) {
    super(stage, { behind });
    this.#stage = stage;
    this.#connect = connect;
    this.#expectedErrors = expectedErrors;
  }

  async tab(t, chat) {
    return this.page(t, chat.page.context(), await chat.context());
  }

  /** A page of this profile, on this conversation or on a new one. */
  async page(t, context, conversation = '') {
    const { url, token } = this.behind;
    const query = new URLSearchParams({ token, options: JSON.stringify(this.#connect(url)) });
    const address = `${this.#stage.origin}/?${query}#${conversation}`;
    const page = await openPage(t, context, address, { expectedErrors: this.#expectedErrors });
    await page.locator('[role=status]').filter({ hasText: 'live' }).waitFor();
    return Chat.on(page);
  }
}
