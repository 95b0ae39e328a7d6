// The declarations of the connectors, as a strict consumer sees them, and what the entry brings along.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { install, load, resolve, root } from "./package.mjs";

const PROGRAM = `
import { Inbox } from "countersign/headless";
import { a2a, adk, forward, langgraph, rest, websocket, ConnectorError, type Connector, type ConnectorInbox, type ConnectorState, type TextConnector } from "countersign/connect";

const abort = new AbortController();
const common = { headers: async () => ({ authorization: "Bearer x" }), signal: abort.signal, retry: { baseMs: 1, maxMs: 2, attempts: 3 } };
const all: Connector[] = [
  a2a({ ...common, url: "/agent", ids: { contextId: "c" }, version: "1.0", history: new URL("https://example.org"), pollMs: 5000 }),
  adk({ ...common, url: "/", ids: { appName: "a", userId: "u", sessionId: "s" }, fetch: (url, init) => fetch(url, { ...init, credentials: "include" }) }),
  langgraph({ ...common, url: "/", ids: { threadId: "t", assistantId: "a" }, run: { config: {} } }),
  websocket({ ...common, url: async () => "wss://example.org/ws?ticket=1", WebSocket, onReceive: (text, { hidden }) => console.log(text, hidden) }),
  rest({ ...common, url: "/", ids: { clientId: "c" }, random: Math.random, now: () => 5, setTimeout: (callback, ms) => setTimeout(callback, ms), clearTimeout: (timer) => clearTimeout(timer) }),
  // What a host does not know is undefined.
  langgraph({ url: "/", ids: { threadId: "t", assistantId: "a" }, headers: undefined, retry: undefined, fetch: undefined, pollMs: undefined, onReceive: undefined, historyLimit: undefined }),
  rest({ url: "/", ids: { clientId: undefined }, history: undefined, signal: undefined }),
];
const inbox = new Inbox({ adapter: undefined, policy: undefined, holdRejections: undefined, locale: undefined });
const narrow: ConnectorInbox = inbox;
for (const connector of all) {
  await connector.connect(narrow);
  const stop: () => void = forward(inbox, connector);
  const state: ConnectorState = connector.state;
  const status: number | undefined = connector.error?.status;
  for (const outbound of inbox.takeOutbound()) await connector.send(outbound);
  await connector.sendText?.("go on");
  await connector.refresh().catch((error) => error instanceof ConnectorError && error.code);
  connector.subscribe(() => console.log(state, status))();
  stop();
  connector.close();
}

// Of connectors that always send words nobody has to ask whether they do.
const talking: TextConnector[] = [
  a2a({ url: "/agent", ids: { contextId: "c" } }),
  adk({ url: "/", ids: { appName: "a", userId: "u", sessionId: "s" } }),
  langgraph({ url: "/", ids: { threadId: "t", assistantId: "a" } }),
];
for (const connector of talking) await connector.sendText("go on");
// @ts-expect-error The channel of Haystack and AdalFlow has no form for them.
await websocket({ url: "/ws" }).sendText("go on");

// @ts-expect-error The conversation must be named.
a2a({ url: "/" });
// @ts-expect-error What it stands is told, not set.
all[0].state = "live";
`;

for (const [module, moduleResolution] of [["NodeNext", "NodeNext"], ["ES2022", "Bundler"]]) {
  test(`a strict program with connectors compiles with module resolution ${moduleResolution}`, () => {
    const folder = join(install(), `connect-${moduleResolution}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    const options = { module, moduleResolution, target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [], strict: true, noEmit: true, exactOptionalPropertyTypes: true, preserveSymlinks: true };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
    const { stdout } = spawnSync(process.execPath, [join(root, "tests/node_modules/typescript/bin/tsc"), "-p", folder]);
    assert.equal(stdout.toString(), "");
  });
}

test("the entry exports its five connectors and loads neither wasm nor the element", async () => {
  const names = Object.keys(await load("countersign/connect")).sort();
  assert.deepEqual(names, ["ConnectorError", "a2a", "adk", "forward", "langgraph", "rest", "websocket"]);
  const open = [resolve("countersign/connect")];
  const found = new Set();
  while (open.length > 0) {
    const file = open.pop();
    if (found.has(file)) continue;
    found.add(file);
    const script = readFileSync(file, "utf8");
    assert.doesNotMatch(script, /\.wasm|customElements|HTMLElement/, file);
    for (const [, name] of script.matchAll(/\b(?:from|import)\s*["']([^"']+)["']/g)) open.push(join(dirname(file), name));
  }
  // What it shares with the other entries is the class of errors.
  assert.equal(found.size, 2);
});
