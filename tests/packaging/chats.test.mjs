// The chats of www/examples, built as a reader builds them and driven in Chromium: a card stands in the conversation where the
// call stands, a decision goes out exactly, the agent goes on, and a page that is loaded again shows the truth.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { press } from "../browser/harness/press.mjs";
import { adkAgent } from "./agents/adk.mjs";
import { kagentAgent } from "./agents/kagent.mjs";
import { langgraphAgent } from "./agents/langgraph.mjs";
import { serveAgent } from "./agents/server.mjs";
import { install, pack, place } from "./install.mjs";

const run = promisify(execFile);
const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
/** What a decision looks like, whatever the wire. */
const DECISION = /decision_type|"resume"|adk_request_confirmation/;
const REFERENCE = "2512292042121000001";

let browser;
let tarball;
before(async () => {
  tarball = pack();
  install(tarball);
  browser = await launch();
});
after(() => browser?.close());

/** A copy of an example, checked and built as its own `npm run build` does, unless that was done; the folder of the page. */
async function build(name) {
  const folder = join(place, name);
  const marker = join(folder, "built");
  const digest = digestOf(join(root, "www/examples", name), tarball, join(root, "tests/packaging/package-lock.json"));
  if (existsSync(marker) && readFileSync(marker, "utf8") === digest) return join(folder, "dist");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, "www/examples", name), folder, { recursive: true });
  const tool = (path, ...words) => run(process.execPath, [path, ...words], { cwd: folder, env: { ...process.env, NODE_ENV: "production" } });
  const told = ({ stdout }) => assert.fail(stdout);
  await tool(join(root, "tests/node_modules/typescript/bin/tsc"), "--noEmit").catch(told);
  await tool(join(place, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn").catch(told);
  writeFileSync(marker, digest);
  return join(folder, "dist");
}

/** The digest of files, and of all files in folders. */
function digestOf(...paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    const names = statSync(path).isDirectory() ? readdirSync(path, { recursive: true }).sort() : [""];
    const files = names.map((name) => join(path, name)).filter((file) => statSync(file).isFile());
    for (const file of files) hash.update(file).update("\0").update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** Declares what must hold of one chat. `serve(folder)` starts a fresh agent behind the page; `asks` says how else it can ask. */
function declare(name, { serve, approval, rejection, asks = [] }) {
  let folder;
  const open = async (t, words, expectedErrors = []) => {
    folder ??= build(name);
    const server = await serve(await folder);
    const context = await profile(t, browser);
    // After the pages, which would miss an answer that breaks off, and before what may fail the test: nothing is closed then.
    t.after(() => server.close());
    const page = await openPage(t, context, server.origin, { expectedErrors });
    await say(page, words);
    return { page, server };
  };

  test(`${name}: a card stands where the call stands, and the approval goes out exactly`, async (t) => {
    const { page, server } = await open(t, "transfer");
    const card = inline(page);
    await card.getByText("transfer_funds", { exact: true }).first().waitFor();
    assert.match(await card.locator("[part~=card]").innerText(), new RegExp(REFERENCE), "every digit is shown");
    await approve(card);
    await page.getByText("Done: transfer_funds ran as you saw it.").waitFor();
    await settled(card, "completed");
    assert.deepEqual(decisions(server), [approval]);
    assert.equal(await order(page), "user, words, card, words", "the answer comes after the card");
  });

  test(`${name}: a rejection and its reason go out, and the agent hears them`, async (t) => {
    const { page, server } = await open(t, "delete");
    const card = inline(page);
    await card.getByRole("button", { name: "Reject delete_file" }).click();
    await card.getByRole("textbox", { name: /^Reason/ }).fill("still needed");
    await card.getByRole("button", { name: /^Send rejection/ }).click();
    await page.getByText("I left it alone, because: still needed.").waitFor();
    await settled(card, "rejected");
    assert.deepEqual(decisions(server), [rejection]);
  });

  test(`${name}: what did not arrive is sent again by a person, as it was`, async (t) => {
    const { page, server } = await open(t, "transfer", [/status of 503/, /HTTP 503/]);
    const card = inline(page);
    server.fail(DECISION);
    await approve(card);
    await card.getByText(/the agent is asleep/).first().waitFor();
    await card.getByRole("button", { name: /^Retry/ }).click();
    await page.getByText("Done: transfer_funds ran as you saw it.").waitFor();
    const sent = server.asked.filter(({ body }) => DECISION.test(body));
    assert.equal(sent.length, 2);
    assert.deepEqual(sent[1], sent[0], "the same message under the same key");
    assert.ok(sent[0].key);
  });

  test(`${name}: a page that is loaded again shows what waits, and later what was decided`, async (t) => {
    const { page, server } = await open(t, "delete");
    await settled(inline(page), "pending");
    await page.reload();
    const card = inline(page);
    await settled(card, "pending");
    await page.getByText("I will do that now.").waitFor();
    await approve(card);
    await page.getByText("Done: delete_file ran as you saw it.").waitFor();
    await page.reload();
    await settled(inline(page), "completed");
    await page.getByText("Done: delete_file ran as you saw it.").waitFor();
    assert.equal(decisions(server).length, 1, "it was sent once");
    assert.equal(await order(page), "user, words, card, words");
  });

  if (asks.includes("nested")) {
    test(`${name}: r40 a request whose call is not in the conversation is shown as well`, async (t) => {
      const { page, server } = await open(t, "delete nested");
      await settled(inline(page), "pending");
      assert.equal(await inline(page).count(), 1);
      await approve(inline(page));
      await page.getByText("Done: delete_file ran as you saw it.").waitFor();
      assert.equal(decisions(server).length, 1);
    });
  }

  if (asks.includes("again")) {
    test(`${name}: a call that is asked about again has a card for each time`, async (t) => {
      const { page, server } = await open(t, "delete again");
      await approve(inline(page));
      await settled(inline(page).nth(1), "pending");
      assert.equal(await inline(page).count(), 2);
      await approve(inline(page).nth(1));
      await page.getByText("Done: delete_file ran as you saw it.").waitFor();
      await page.reload();
      await settled(inline(page).nth(1), "completed");
      assert.equal(await inline(page).count(), 2);
      assert.equal(decisions(server).length, 2);
    });
  }

  test(`${name}: r50 nothing is served without a token of the host's own`, async () => {
    await build(name);
    const { TOKEN: _, ...env } = process.env;
    const dev = run(process.execPath, [join(place, "node_modules/vite/bin/vite.js"), "--port", "0"], { cwd: join(place, name), env, timeout: 60_000 });
    await assert.rejects(dev, ({ code, stderr }) => code === 1 && /say which token the agent wants/.test(stderr));
  });

  test(`${name}: what a reader installs is what is tried here`, () => {
    const read = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));
    const { dependencies, devDependencies } = read(`www/examples/${name}/package.json`);
    const tried = { ...read("tests/package.json").devDependencies, ...read("tests/packaging/package.json").devDependencies };
    const { countersign, ...named } = { ...dependencies, ...devDependencies };
    assert.equal(countersign, "*");
    for (const [library, version] of Object.entries(named)) assert.equal(version, tried[library], library);
  });
}

/** The decisions that were sent, with dots in place of what is random in them. */
const decisions = ({ asked }) => asked.map(({ body }) => body).filter((body) => DECISION.test(body)).map(plain);

/** The card in the conversation. */
const inline = (page) => page.locator(".message countersign-card");

async function say(page, words) {
  const input = page.getByRole("textbox", { name: "Message" });
  await input.fill(words);
  await input.press("Enter");
}

async function approve(card) {
  await press(card.locator('[part~="approve-button"]'));
}

async function settled(card, status) {
  await card.locator(`[part~=card][data-status=${status}]`).waitFor();
}

/** What stands in the conversation, in its order: `user`, `words` of the agent, `card`. */
function order(page) {
  return page.evaluate(() => {
    const kind = (node) => {
      if (node.matches("countersign-card")) return "card";
      return node.closest(".user") ? "user" : "words";
    };
    const found = [...document.querySelectorAll(".message countersign-card, .message p")].filter((node) => node.textContent || node.shadowRoot);
    return found.map(kind).join(", ");
  });
}

/** A message with dots in place of what is random in it. */
const plain = (body) => body.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32}/g, "…").replace(/"timestamp":\d+/, '"timestamp":…');

const kagentMessage = (data, words) =>
  `{"jsonrpc":"2.0","id":"…","method":"message/stream","params":{"message":{"kind":"message","messageId":"…","role":"user","parts":[{"kind":"data","data":${data},"metadata":{}},{"kind":"text","text":"${words}"}],"metadata":{"timestamp":…},"contextId":"…","taskId":"…"}}}`;

declare("chat-assistant-ui", {
  serve: (folder) => serveAgent(folder, [["/agent", kagentAgent()]]),
  asks: ["nested"],
  approval: kagentMessage('{"decision_type":"approve"}', "Approved"),
  rejection: kagentMessage('{"decision_type":"reject","rejection_reason":"still needed"}', "Rejected"),
});

const langgraphRun = (decision) =>
  `{"command":{"resume":{"…":{"decisions":[${decision}]}}},"stream_mode":["updates","messages-tuple","values"],"stream_resumable":true,"assistant_id":"hitl-python","multitask_strategy":"reject","on_disconnect":"continue"}`;

declare("chat-langgraph", {
  serve: (folder) => serveAgent(folder, [["/agent", langgraphAgent()]]),
  approval: langgraphRun('{"type":"approve"}'),
  rejection: langgraphRun('{"type":"reject","message":"still needed"}'),
});

const adkRun = (response) =>
  `{"appName":"ops","userId":"user","sessionId":"…","streaming":true,"newMessage":{"role":"user","parts":[{"functionResponse":{"id":"adk-…","name":"adk_request_confirmation","response":${response}}}]}}`;

declare("chat-ai-sdk", {
  serve: serveChat,
  asks: ["nested", "again"],
  approval: adkRun('{"confirmed":true}'),
  rejection: adkRun('{"confirmed":false,"payload":{"rejection_reason":"still needed"}}'),
});

test("chat-ai-sdk: r50 the route lends the agent's token to its own page alone", async (t) => {
  const agent = await serveAgent(await build("chat-ai-sdk"), [["", adkAgent()]]);
  t.after(() => agent.close());
  const before = process.env;
  process.env = { ...before, AGENT: agent.origin, APP: "ops", TOKEN: randomUUID() };
  t.after(() => (process.env = before));
  const { createServer } = await import(join(place, "node_modules/vite/dist/node/index.js"));
  const server = await createServer({ root: join(place, "chat-ai-sdk"), logLevel: "error", server: { host: "127.0.0.1", port: 0 } });
  t.after(() => server.close());
  await server.listen();
  const { origin } = new URL(server.resolvedUrls.local[0]);
  const post = async (headers) => {
    const answer = await fetch(`${origin}/api/chat`, { method: "POST", headers, body: JSON.stringify({ id: "c1", text: "delete" }) });
    return [answer.status, await answer.text()];
  };
  const json = { "content-type": "application/json" };
  assert.equal((await post(json))[0], 403);
  assert.equal((await post({ ...json, origin: "https://elsewhere.test" }))[0], 403);
  // What a page of another origin can post without being asked whether it may.
  assert.equal((await post({ "content-type": "text/plain", origin: "https://elsewhere.test" }))[0], 403);
  assert.equal((await post({ "content-type": "text/plain", origin }))[0], 415);
  assert.deepEqual(agent.asked, [], "nothing of this reaches the agent");
  const [status, text] = await post({ ...json, origin });
  assert.deepEqual([status, text.includes("delete_file"), agent.asked.length], [200, true, 2], text);
});

test("chat-langgraph: a decision goes out whole or not at all, and is told once", async (t) => {
  const outfile = join(place, "overhear.mjs");
  const { build } = await import(join(place, "node_modules/esbuild/lib/main.js"));
  await build({ entryPoints: [join(root, "www/examples/chat-langgraph/src/overhear.ts")], outfile, bundle: true, format: "esm", logLevel: "error" });
  const { overhear } = await import(outfile);
  const { fetch } = globalThis;
  t.after(() => (globalThis.fetch = fetch));
  const sent = [];
  globalThis.fetch = async (_, { body }) => {
    sent.push(body);
    return new Response("{}");
  };
  const said = [];
  const inbox = {
    delivered: (id) => said.push(["delivered", id]),
    failed: (id, { message }) => said.push(["failed", id, message]),
  };
  const outbound = { id: "out-1", body: '{"resume":{"i":{"decisions":[]}}}' };
  const leaving = new Map([[outbound.id, outbound]]);
  const send = (body) => overhear(inbox, leaving)("http://agent.test/threads/t/runs/stream", { method: "POST", body });

  await assert.rejects(send('{"command": {"resume": "out-1"}}'), /nothing was sent/);
  assert.deepEqual([sent, said.map(([what, id]) => [what, id]), leaving.size], [[], [["failed", "out-1"]], 0]);

  leaving.set(outbound.id, outbound);
  t.mock.method(console, "warn", () => {});
  inbox.delivered = () => {
    throw new Error("it was settled in the meantime");
  };
  assert.equal((await send('{"command":{"resume":"out-1"}}')).status, 200);
  assert.deepEqual(sent, [`{"command":${outbound.body}}`]);
  assert.deepEqual([said.length, leaving.size], [1, 0], "what has arrived is not told as failed");
});

/** The page with its own route, and the agent behind that; `asked` holds what the agent was sent. */
async function serveChat(folder) {
  const { build } = await import(join(place, "node_modules/esbuild/lib/main.js"));
  const outfile = join(dirname(folder), "chat.mjs");
  const entryPoints = [join(dirname(folder), "server/chat.ts")];
  await build({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error", external: ["ai"] });
  const { createChat } = await import(`${outfile}`);
  const agent = await serveAgent(folder, [["", adkAgent()]]);
  let chat;
  const route = ({ method, query, body, headers }) => {
    const kept = Object.fromEntries(["content-type", "idempotency-key", "origin"].flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
    return chat[method](new Request(`${agent.origin}/api/chat?${query}`, { method, headers: kept, ...(method === "POST" ? { body } : {}) }));
  };
  const page = await serveAgent(folder, [["/api/chat", route]]);
  chat = createChat({ url: agent.origin, appName: "ops", userId: "user" }, page.origin);
  return { ...page, asked: agent.asked, fail: agent.fail, close: () => Promise.all([page.close(), agent.close()]) };
}
