// What this backend was started with.

import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    origin: { type: 'string', multiple: true, default: [] },
    token: { type: 'string' },
    'timeout-s': { type: 'string', default: '3600' },
    state: { type: 'string' },
    test: { type: 'boolean', default: false },
  },
});

export const options = {
  /** 0 until the server listens, where a free one was asked for. */
  port: Number(values.port),
  origins: values.origin,
  token: values.token ?? randomBytes(24).toString('base64url'),
  /** How long a pause lasts, in milliseconds. */
  timeoutMs: Number(values['timeout-s']) * 1000,
  /** The folder in which conversations outlive the process. */
  state: values.state === undefined ? undefined : path.resolve(values.state),
  test: values.test,
  /** Names the guard's own requests to the server behind it. */
  inner: randomUUID(),
};

if (values.token === undefined) console.log(`token ${options.token}`);
