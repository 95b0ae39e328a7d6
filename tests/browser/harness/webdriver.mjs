// WebKit through its WebDriver (W3C, classic): the process, and its sessions.

import { execFileSync, spawn } from 'node:child_process';

import { freePort } from '../../support/port.mjs';
import { eventually } from './eventually.mjs';

function onPath(name) {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/**
 * A screen that nobody sees, for one browser: two windows on one screen take the focus from each other. Where there is no
 * Xvfb, the screen that is there.
 */
async function screen() {
  if (!onPath('Xvfb')) return { stop() {} };
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '2000x1400x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error('Xvfb ended at once')));
    server.stdio[3].once('data', (text) => resolve(String(text).trim()));
  });
  return { display: `:${number}`, stop: () => server.kill() };
}

/** A running driver, which has one session at a time. */
export class Driver {
  #address;
  #child;
  #screen;

  static async start() {
    const driver = new Driver();
    const program = process.env.WEBKIT_DRIVER ?? onPath('WebKitWebDriver');
    if (!program) throw new Error('no WebKit: install WebKitWebDriver, in Debian the package webkit2gtk-driver, or set WEBKIT_DRIVER to its path');
    driver.#screen = await screen();
    const port = await freePort();
    driver.#child = spawn(program, [`--port=${port}`, '--host=127.0.0.1'], {
      stdio: 'ignore',
      // The sandbox needs namespaces, which containers do not give; only pages of this machine are opened.
      env: {
        ...process.env,
        ...(driver.#screen.display && { DISPLAY: driver.#screen.display }),
        WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
        LIBGL_ALWAYS_SOFTWARE: '1',
        NO_AT_BRIDGE: '1',
      },
    });
    // Also where a test took too long, and ends this process by a signal.
    process.once('exit', () => driver.stop());
    process.once('SIGTERM', () => process.exit(143));
    driver.#address = `http://127.0.0.1:${port}`;
    await eventually(() => driver.send('GET', '/status'));
    return driver;
  }

  /** Sends one command; resolves to its value. */
  async send(method, where, body) {
    const answer = await fetch(this.#address + where, {
      method,
      headers: { 'content-type': 'application/json' },
      body: method === 'POST' ? JSON.stringify(body ?? {}) : undefined,
    });
    const { value } = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(`${where}: ${value.error}: ${value.message}`), { code: value.error });
    return value;
  }

  /** A browser with a fresh profile. */
  async session() {
    const wanted = { capabilities: { alwaysMatch: { timeouts: { script: 60_000 }, unhandledPromptBehavior: 'ignore' } } };
    const { sessionId, capabilities } = await this.send('POST', '/session', wanted);
    return new Session(this, `/session/${sessionId}`, capabilities);
  }

  stop() {
    this.#child.kill();
    this.#screen.stop();
  }
}

/** One browser; what is asked of it at once is done in turn. */
export class Session {
  #driver;
  #path;
  #turn = Promise.resolve();
  #window;

  constructor(driver, where, capabilities) {
    this.#driver = driver;
    this.#path = where;
    this.version = capabilities.browserVersion;
  }

  /** Sends commands to a window, or to the one that is open: `[method, path, body]`; resolves to the value of the last. */
  send(window, ...commands) {
    const work = this.#turn.then(async () => {
      if (window !== undefined && window !== this.#window) {
        await this.#driver.send('POST', `${this.#path}/window`, { handle: window });
        this.#window = window;
      }
      let value;
      for (const [method, where, body] of commands) value = await this.#driver.send(method, this.#path + where, body);
      return value;
    });
    this.#turn = work.catch(() => {});
    return work;
  }

  end() {
    return this.send(undefined, ['DELETE', '']);
  }
}
