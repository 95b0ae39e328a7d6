// The real kagent backend as a child process.

import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../backends/kagent.py', import.meta.url));
const PATIENCE = 120_000;

/**
 * Starts `tests/backends/kagent.py` with the Python in the variable KAGENT_PYTHON, for pages of `origin`. Resolves when
 * it accepts connections; `stop()` ends it.
 */
export async function startKagent(origin, options = []) {
  const python = process.env.KAGENT_PYTHON;
  if (!python) {
    throw new Error('KAGENT_PYTHON is not set: it names the Python that has tests/backends/kagent.txt installed');
  }
  const token = randomUUID();
  const args = [SCRIPT, '--port', '0', '--origin', origin, '--token', token, '--test', ...options];
  const child = spawn(python, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  // A test run that ends early must not leave the backend behind.
  const kill = () => child.kill();
  process.once('exit', kill);
  const errors = [];
  child.stderr.setEncoding('utf8').on('data', (text) => errors.push(text));
  try {
    return new Backend(await ready(child, errors), token, child, kill);
  } catch (error) {
    kill();
    throw error;
  }
}

/** A running backend, with what tests ask of it. */
class Backend {
  #child;
  #kill;

  constructor(url, token, child, kill) {
    this.url = url;
    this.token = token;
    this.#child = child;
    this.#kill = kill;
  }

  /** What ran in a conversation, in order: `[{ tool, args }]`, `args` as JSON text. */
  async executed(context) {
    const entries = await this.#request(`/executed?context=${encodeURIComponent(context)}`);
    return entries.map(({ tool, args }) => ({ tool, args }));
  }

  /** What the models of a conversation were told: `[{ agent, tool, response }]`, `response` as JSON text. */
  async told(context) {
    const entries = await this.#request(`/model?context=${encodeURIComponent(context)}`);
    return entries.map(({ agent, tool, response }) => ({ agent, tool, response }));
  }

  /** Tasks of a conversation, oldest first. */
  async tasks(context) {
    return (await this.#request(`/api/sessions/${encodeURIComponent(context)}/tasks`)).data;
  }

  /** Makes the next sends of a conversation fail: `before` they are read, or `after` they ran: a lost reply. */
  async failNext({ context, count = 1, status = 503, when = 'before' }) {
    const query = new URLSearchParams({ context, count, status, when });
    await this.#request(`/test/fail-next?${query}`, { method: 'POST', body: '{}' });
  }

  /** Ends the process and waits until it is gone. */
  async stop() {
    process.removeListener('exit', this.#kill);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#kill();
    await gone;
  }

  async #request(path, options = {}) {
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
