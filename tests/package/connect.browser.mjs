// The connectors in real Chromium, in a page and in a worker: its own fetch, its own streams, its own WebSocket.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { serve } from "./connect-harness.mjs";
import { socket as recorded } from "./connect-recordings.mjs";
import { member, read } from "./lossless.mjs";
import { folder, root } from "./package.mjs";

const steps = read(readFileSync(join(root, "tests/traces/a2a/kagent-0.10--approved.json"), "utf8")).value.get("steps").value;
const decided = steps.findIndex((step) => step.value.has("decide"));
const answers = steps.slice(decided).flatMap((step) => step.value.get("receive")?.text ?? []);
const last = member(steps.slice(0, decided).findLast((step) => step.value.has("receive")).value.get("receive"), "result");
const task = `{"kind":"task","id":"${member(last, "taskId").value}","contextId":"c1","history":[],"status":${member(last, "status").text}}`;

const SCRIPT = `
import { init, Inbox } from "/package/dist/headless.js";
import { a2a, forward, websocket } from "/package/dist/connect/index.js";
export async function run() {
  const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5)); };
  await init();
  const inbox = new Inbox();
  const connector = a2a({ url: "/agent", history: "/sessions", ids: { contextId: "c1" } });
  await connector.connect(inbox);
  forward(inbox, connector);
  const before = inbox.requests().find(({ status }) => status === "pending");
  inbox.decide(before.request, { kind: "approve" });
  await until(() => inbox.requests().find(({ id }) => id === before.id).status === "completed");
  connector.close();

  const heard = [];
  const card = { status: "sending", outbound: { id: "o1", state: "sending" } };
  const take = (message) => (heard.push(message), { changed: [], hidden: [], problems: [] });
  const fake = { receive: take, restore: take, requests: () => [card], delivered: (id) => heard.push(id), failed: (id, why) => heard.push(why) };
  const socket = websocket({ url: location.origin + "/ws" });
  await socket.connect(fake);
  await until(() => heard.length === 2);
  await socket.send({ id: "o1", adapter: "x", requestIds: [], body: '{"n":1.00}', transport: {} });
  await until(() => heard.length === 4);
  socket.close();
  return { tool: before.tool, state: connector.state, heard };
}
if (typeof document === "undefined") run().then(postMessage, (error) => postMessage(String(error.stack)));
`;

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

for (const place of ["page", "worker"]) {
  test(`a ${place} restores, decides, and hears the answer`, async (t) => {
    const types = { js: "text/javascript", wasm: "application/wasm" };
    const server = await serve(
      t,
      {
        "GET /": ({ response }) => response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>x</title>"),
        "GET /favicon.ico": ({ response }) => response.end(),
        "GET /run.js": ({ response }) => response.writeHead(200, { "content-type": types.js }).end(SCRIPT),
        "GET /sessions": (exchange) => exchange.json(`{"error":false,"data":[${task}]}`),
        "POST /agent": (exchange) => {
          if (JSON.parse(exchange.body).method === "tasks/get") return exchange.json(`{"jsonrpc":"2.0","id":"1","result":${task}}`);
          exchange.stream(answers).end();
        },
        other: ({ url, response }) => {
          const file = url.replace("/package/", "");
          response.writeHead(200, { "content-type": types[file.split(".").at(-1)] ?? "text/plain" }).end(readFileSync(join(folder, file)));
        },
      },
      (peer) => {
        for (const text of recorded.before) peer.send(text);
        peer.onmessage = ({ data }) => peer.send(data);
      },
    );
    const page = await openPage(t, await profile(t, browser), server.url);
    const found = await page.evaluate(async (where) => {
      if (where === "page") return (await import("/run.js")).run();
      const worker = new Worker("/run.js", { type: "module" });
      return new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
      });
    }, place);
    assert.equal(found.tool, "delete_file");
    assert.equal(found.state, "closed");
    assert.deepEqual([...found.heard].sort(), [...recorded.before, "o1", '{"n":1.00}'].sort());
  });
}
