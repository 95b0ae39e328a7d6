// A real backend as a child process.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { atEnd } from './ending.mjs';

const PATIENCE = 120_000;

/**
 * Starts the backend of this name for pages of `origin`. Resolves to a `Backend` when it accepts connections; `stop()` ends it.
 *
 * It is `tests/backends/<name>.py`, run by the Python in the variable `<NAME>_PYTHON`, or `tests/backends/<name>/main.mjs`.
 */
export async function startBackend(name, origin, options = []) {
  const [program, script] = existsSync(inBackends(name)) ? [process.execPath, `${name}/main.mjs`] : [pythonOf(name), `${name}.py`];
  const token = randomUUID();
  const args = [inBackends(script), '--origin', origin, '--token', token, '--test', ...options];
  const backend = new Backend(program, args, token);
  await backend.start();
  return backend;
}

const inBackends = (name) => fileURLToPath(new URL(`../../backends/${name}`, import.meta.url));

function pythonOf(name) {
  const variable = `${name.toUpperCase()}_PYTHON`;
  const python = process.env[variable];
  if (!python) {
    throw new Error(`${variable} is not set: it names the Python that has tests/backends/${name}.txt installed`);
  }
  return python;
}

/** The same with a folder in which conversations outlive the process. Both are gone after the test. */
export async function startLastingBackend(t, name, origin) {
  const folder = await mkdtemp(path.join(tmpdir(), 'countersign-'));
  let backend;
  atEnd(t, async () => {
    // While it runs it writes.
    await backend?.stop();
    await rm(folder, { recursive: true });
  });
  backend = await startBackend(name, origin, ['--state', folder]);
  return backend;
}

/** A running backend, with what tests ask of it. */
class Backend {
  #program;
  #args;
  #child;
  // A test run that ends early must not leave the backend behind.
  #kill = () => this.#child?.kill();

  constructor(program, args, token) {
    this.#program = program;
    this.#args = args;
    this.token = token;
  }

  /** Starts the process: the first time on a free port, later on the same one. */
  async start() {
    const port = this.url === undefined ? '0' : new URL(this.url).port;
    this.#child = spawn(this.#program, [...this.#args, '--port', port], { stdio: ['ignore', 'pipe', 'pipe'] });
    process.once('exit', this.#kill);
    const errors = [];
    this.#child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
    try {
      this.url = await ready(this.#child, errors);
    } catch (error) {
      this.#kill();
      throw error;
    }
  }

  /** What ran in a conversation, in order: `[{ tool, args }]`, `args` as JSON text. */
  async executed(context) {
    const entries = await this.request(`/executed?context=${encodeURIComponent(context)}`);
    return entries.map(({ tool, args }) => ({ tool, args }));
  }

  /** What the models of a conversation were told: `[{ agent, tool, response }]`, `response` as JSON text. */
  async told(context) {
    const entries = await this.request(`/model?context=${encodeURIComponent(context)}`);
    return entries.map(({ agent, tool, response }) => ({ agent, tool, response }));
  }

  /** Tasks of a conversation with kagent, oldest first. */
  async tasks(context) {
    return (await this.request(`/api/sessions/${encodeURIComponent(context)}/tasks`)).data;
  }

  /** Makes the next sends of a conversation fail: `before` they are read, or `after` they ran: a lost reply. */
  async failNext({ context, count = 1, status = 503, when = 'before' }) {
    const query = new URLSearchParams({ context, count, status, when });
    await this.request(`/test/fail-next?${query}`, { method: 'POST', body: '{}' });
  }

  /** Ends the process and waits until it is gone; `signal` as `SIGKILL` for a sudden end. */
  async stop(signal = 'SIGTERM') {
    process.removeListener('exit', this.#kill);
    const child = this.#child;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await gone;
  }

  /** Ends the process and starts it again, at the same address with the same options. */
  async restart(signal) {
    await this.stop(signal);
    await this.start();
  }

  /** What the backend answers at a path, read from its JSON. */
  async request(path, options = {}) {
    const headers = { 'x-countersign-token': this.token, 'content-type': 'application/json' };
    const response = await fetch(this.url + path, { headers, ...options });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }
}

function ready(child, errors) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error(`the backend ${why}\n${errors.join('')}`));
    const timer = setTimeout(() => fail('was not ready in time'), PATIENCE);
    child.once('error', (error) => fail(`could not be started: ${error.message}`));
    child.once('exit', (code) => fail(`ended with ${code}`));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('ready ')) return;
      clearTimeout(timer);
      resolve(line.slice('ready '.length).trim());
    });
  });
}
