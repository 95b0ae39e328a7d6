// The checks that come before any route, as `auth` of the server: host, origin, token, content type.
//
// The server comes to `auth` after it has answered preflights (with `http.cors`) and before all else but `/info` and `/ui`,
// which are switched off. Why each check is there says `fence.py`; and a body of type `text/plain`, which every page may send
// without a preflight, this server would read as JSON.

import { createHash, timingSafeEqual } from 'node:crypto';

import { Auth, HTTPException } from '@langchain/langgraph-sdk/auth';

import { options } from './options.mjs';

/** The header in which the guard says that a request is its own; without `x-`, which the server would keep. */
export const INNER = 'countersign-inner';

export const fence = new Auth().authenticate((request) => {
  const { headers, method } = request;
  if (isSame(headers.get(INNER), options.inner)) return 'page';
  const origin = headers.get('origin');
  const names = [`127.0.0.1:${options.port}`, `localhost:${options.port}`];
  if (!names.includes(headers.get('host'))) refuse(403, 'this server does not go by that name');
  if (origin !== null && !options.origins.includes(origin)) refuse(403, 'this origin may not use this server');
  const bearer = /^bearer (.*)$/i.exec(headers.get('authorization') ?? '')?.[1];
  if (!isSame(headers.get('x-countersign-token') ?? bearer, options.token)) refuse(401, 'the token is missing or wrong');
  const type = (headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();
  if (method !== 'GET' && method !== 'HEAD' && type !== 'application/json') refuse(415, 'the body must be application/json');
  return 'page';
});

function refuse(status, message) {
  throw new HTTPException(status, { message: JSON.stringify({ error: true, message }) });
}

function isSame(offered, known) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(offered ?? ''), digest(known));
}
