// A page and the agent behind it, on one origin: the built files, and whatever the agent answers below `/agent` or `/api`.
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";

import { json as stringify } from "./script.mjs";

const TYPES = { ".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json", ".wasm": "application/wasm" };

/**
 * Serves `folder`, and `routes`: a list of `[prefix, handler]`, where a handler gets `{ method, path, query, body, headers }`
 * and answers with `{ status?, json?, events?, headers? }`, or with a `Response`. Resolves to `{ origin, asked, fail(pattern),
 * close() }`; `asked` holds what was posted, in order, and `fail` lets the next body that fits be refused.
 */
export async function serveAgent(folder, routes) {
  const asked = [];
  let failing;
  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      console.error(error);
      response.destroy();
    });
  });
  async function answer(request, response) {
    const { pathname, searchParams } = new URL(request.url, "http://localhost");
    const route = routes.find(([prefix]) => pathname.startsWith(prefix));
    if (!route) return file(folder, pathname, response);
    const [prefix, handler] = route;
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const call = { method: request.method, path: pathname.slice(prefix.length), query: searchParams, body, headers: request.headers };
    if (request.method === "POST") asked.push({ path: call.path, body, key: request.headers["idempotency-key"] });
    if (request.method === "POST" && failing?.test(body)) {
      failing = undefined;
      await write({ status: 503, json: { message: "the agent is asleep" } }, response);
      return;
    }
    await write(await handler(call), response);
  }
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { origin: `http://127.0.0.1:${server.address().port}`, asked, fail: (pattern) => (failing = pattern), close };
}

async function write(answer, response) {
  if (answer instanceof Response) {
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
    return;
  }
  const { status = 200, json, events, headers = {} } = answer;
  if (!events) {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(json === undefined ? "" : stringify(json));
    return;
  }
  response.writeHead(status, { "content-type": "text/event-stream", "cache-control": "no-store", ...headers });
  for (const { name, data } of events) {
    response.write(`${name === undefined ? "" : `event: ${name}\n`}data: ${stringify(data)}\n\n`);
    // Pieces, as a model speaks.
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  response.end();
}

function file(folder, pathname, response) {
  const path = normalize(join(folder, pathname === "/" ? "index.html" : pathname));
  if (!path.startsWith(folder + sep) || !existsSync(path) || !statSync(path).isFile()) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
  createReadStream(path).pipe(response);
}
