// The plain page in Rust (`?plain`) in front of a backend that a test plays, and that does what none should.

import { openPage, profile } from './browser.mjs';

/** Nothing is sent there: every request to it is played. */
const ADDRESS = 'http://127.0.0.1:9';
const CORS = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };

/** What a browser says of requests that were refused or broke. */
const EXPECTED = [/status of \d+/, /ERR_|WebSocket/];

/** A page before a backend of this kind, played by `play(context)`; `before` is a script that runs before those of the page. */
export async function openBad(t, stage, query, play, { before } = {}) {
  const context = await profile(t, stage.browser);
  if (before) await context.addInitScript(before);
  await play(context);
  const members = new URLSearchParams({ ...(query.full ? {} : { plain: '' }), url: ADDRESS, token: 'x', ...query });
  members.delete('full');
  return openPage(t, context, `${stage.origin}/?${members}`, { expectedErrors: EXPECTED });
}

/** Plays the requests of a page: `answer({ method, path, body, headers })` says what comes back, or nothing for no answer at all. */
export function plays(context, answer) {
  return context.route((url) => url.origin === ADDRESS, async (route) => {
    const request = route.request();
    if (request.method() === 'OPTIONS') return route.fulfill({ status: 204, headers: { ...CORS, 'access-control-allow-methods': '*' } });
    const { pathname, search } = new URL(request.url());
    const found = await answer({
      method: request.method(),
      path: `${pathname}${search}`,
      body: request.postData() ?? '',
      headers: request.headers(),
    });
    if (found === undefined) return undefined;
    const { status = 200, type = 'application/json', body } = found;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return route.fulfill({ status, headers: { ...CORS, 'content-type': type }, body: text });
  });
}

/** Plays its web sockets: `opened(socket)` has `send`, `onMessage` and `close` of Playwright. */
export const sockets = (context, opened) => context.routeWebSocket(/\/ws\//, opened);

/** A page of a proxy where nobody is signed in. */
export const SIGN_IN = { type: 'text/html; charset=utf-8', body: '<!doctype html><h1>Sign in</h1>' };

/** The events of a stream. */
export const stream = (...events) => ({ type: 'text/event-stream', body: events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('') });
