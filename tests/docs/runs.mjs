// What each block of the pages does when it runs, by `file#heading/number`.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { serve } from "../package/connect-harness.mjs";
import { place } from "../packaging/install.mjs";
import { complaints } from "../packaging/markup.mjs";
import { backends, task } from "./backends.mjs";
import { freePort } from "../support/port.mjs";
import { program } from "./blocks.mjs";
import { conversing, drawn, inAngular, JSX, mounted, VUE } from "./frameworks.mjs";
import { copiedBeside, passedOn, swapped, unfetched } from "./hosts.mjs";
import { nameOf } from "./programs.mjs";
import { approve, approved, bundle, inNode, marked, scripted, stageBlock, visit } from "./pages.mjs";

/** The call is asked about while the stream is broken off: only what is read after that, when it is open again, has it. */
const broken = () => {
  let streams = 0;
  const events = (exchange) => {
    streams += 1;
    exchange.stream().response.write("retry: 20\n\n");
    if (streams === 1) exchange.cut();
  };
  return { expectedErrors: [/\/api\/events/], routes: { "GET /api/events": events, "GET /api/tasks": (exchange) => exchange.json(streams > 1 ? task : "[]") } };
};
/** The history cannot be read at first: `fail` answers. Afterwards it has the call, or only the stream tells of it. */
const forgetful = (fail, { events = [], history = "[]" }) => {
  let reads = 0;
  const tasks = (exchange) => ((reads += 1) === 1 ? fail(exchange) : exchange.json(history));
  const routes = { "GET /api/events": (exchange) => exchange.stream(events), "GET /api/tasks": tasks };
  return { expectedErrors: [/\/api\/(events|tasks)/], routes };
};

/** The page shows the backend's card; a person approves it; the backend is told. */
const wired = (backend, { after = "", body, ...how } = {}) => async (t, block, { browser }) => {
  const html = block.language === "html" ? marked(program(block)) : scripted(program(block) + after, body);
  const { page, told, server } = await visit(t, browser, { html, backend, ...how });
  await approve(page);
  await approved(told, backend);
  return { page, server };
};

/** A page with the element, wired to a server of one's own by hand: also when something breaks off or fails. */
const byHand = async (...all) => {
  const unreachable = forgetful((exchange) => exchange.cut(), { events: [task] });
  const refused = forgetful((exchange) => exchange.json('{"error":"asleep"}', 503), { history: task });
  for (const how of [{}, broken(), unreachable, refused]) await wired("own", how)(...all);
};

/** The inbox has the backend's card; the approval of it goes out, and is not reported as failed. */
const headless = (backend, how = {}) => async (t, block, { browser }) => {
  const { page, told } = await visit(t, browser, { html: scripted(`${program(block)}\nglobalThis.inbox = inbox;`, ""), backend, ...how });
  await page.waitForFunction(() => globalThis.inbox?.requests().some(({ status }) => status === "pending"));
  const request = await page.evaluate(() => {
    const card = globalThis.inbox.requests().find(({ status }) => status === "pending");
    globalThis.inbox.decide(card.request, { kind: "approve", seen: card.argsDigest });
    return card.id;
  });
  await approved(told, backend);
  await eventually(async () => {
    const card = await page.evaluate((id) => globalThis.inbox.requests().find((one) => one.id === id), request);
    assert.ok(!["pending", "sending"].includes(card.status) && card.outbound?.state !== "failed", JSON.stringify(card));
  });
};

/** The script prints what the comments beside its `console.log` say. */
const printing = async (t, block) => {
  const expected = [...program(block).matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, comment]) => comment);
  assert.ok(expected.length > 0, "nothing is said of what it prints");
  assert.deepEqual(await inNode(block), expected);
};

const GIVEN = `const history = ${JSON.stringify(task)};\nconst send = async (body) => (await fetch("/agent", { method: "POST", body })).text();\n`;
const ELEMENT = `\nconst shown = document.querySelector("countersign-inbox");
shown.addEventListener("countersign-send", ({ detail }) => detail.respondWith(fetch("/agent", { method: "POST", body: detail.body })));
await shown.restore(${JSON.stringify(task)});`;

/** A component that takes `history` and `send`. */
const react = (name) =>
  anew((code) => {
    const files = drawn(code, name, "{ history, send }", GIVEN);
    return { ...files, "main.js": `${files["main.js"]}globalThis.again = () => draw({ history: history + " " });` };
  });

/** What a framework is told of the tags: its own checker finds what is wrong in a page, and nothing else. */
const typed = (framework) => async (t, block) => assert.deepEqual(await complaints(framework, program(block)), []);

/** An inbox whose messages go to the stub by themselves. */
const FORWARD = `\ninbox.subscribe(async () => {
  for (const { id, body } of inbox.takeOutbound()) await fetch("/agent", { method: "POST", body }).then(() => inbox.delivered(id));
});`;

/** A page that was built with Vite: a person approves what it shows, and its stub is told. */
const bundled = (files, { backend = "own", ...how } = {}) => async (t, block, { browser }) => {
  const folder = await bundle(block, files(program(block)));
  const { page, told } = await visit(t, browser, { folder, backend, ...how });
  await approve(page);
  await approved(told, backend);
  return page;
};

/** The same; what a person has decided and is not sent yet stays when the history comes again. */
const anew = (files) => async (t, block, { browser }) => {
  const page = await bundled(files)(t, block, { browser });
  const other = await visit(t, browser, { folder: join(place, "docs-runs", nameOf(block), "dist"), backend: "own" });
  await other.page.locator('[part~="reject-button"]').first().click();
  await other.page.locator('[part~="send-rejection-button"]').first().click();
  await other.page.locator('[part~="undo-button"]').first().waitFor();
  await other.page.evaluate(() => globalThis.again());
  await eventually(() => assert.equal(other.told.length, 1, "the rejection goes out after the time in which it can be undone"));
  assert.equal(other.told[0].parts[0].data.decision_type, "reject");
  return page;
};

/** The agent's id of the call that waits in the task. */
const CALL = JSON.parse(task).status.message.parts[0].data.args.originalFunctionCall.id;

/** The thread of the examples, in the address of the page; LangGraph's server takes no other ids. */
const UUID = "0e2f6a3c-6f6e-4f0e-9a51-3f5b1c2d4e5f";
const threadAt = (prefix) => ({ options: { prefix, thread: UUID }, query: `/#${UUID}` });
const THREAD = threadAt("/api");

/** A component with a connector to the thread that it is given. */
const connected = bundled((code) => drawn(code, "Calls", `{ threadId: "${UUID}" }`), { backend: "langgraph", ...THREAD });

/** An element with a card, whose words, looks or tools the block changes. */
const dressed = (look, { body, after = "" } = {}) => async (t, block, { browser }) => {
  const code = block.language === "html" ? 'import "countersign/define";' : program(block);
  const markup = block.language === "html" ? program(block) : body;
  const define = code.includes("countersign/define") ? "" : 'import "countersign/define";\n';
  const { page } = await visit(t, browser, { html: scripted(define + code + ELEMENT + after, markup), backend: "own" });
  await page.locator("[part~=card]").first().waitFor();
  await look(page, block);
};
const approveButton = (page) => page.locator("[part~=approve-button]").first();

/** A card in the colours of a design system: each variable that the block names is there. */
const designed = (surface, accent) => (t, block, tools) =>
  dressed(async (page) => {
    const variables = [...new Set([...block.code.matchAll(/var\((--[\w-]+)\)/g)].map(([, name]) => name))];
    const value = (name) => ({ [surface]: "rgb(1, 2, 3)", [accent]: "rgb(4, 5, 6)" })[name] ?? (/radius/i.test(name) ? "5px" : /font/.test(name) ? "serif" : "rgb(7, 8, 9)");
    await page.addStyleTag({ content: `:root { ${variables.map((name) => `${name}: ${value(name)};`).join(" ")} }\n${block.code}` });
    const look = (part, name) => page.locator(`[part~=${part}]`).first().evaluate((element, property) => getComputedStyle(element)[property], name);
    await page.waitForFunction(() => !document.querySelector("countersign-inbox").shadowRoot.querySelector("[part~=approve-button]").ariaDisabled);
    assert.deepEqual([await look("card", "backgroundColor"), await look("approve-button", "backgroundColor"), await look("card", "borderTopLeftRadius")], ["rgb(1, 2, 3)", "rgb(4, 5, 6)", "5px"]);
  })(t, { ...block, language: "js", code: "" }, tools);

/** The header of the security page: with it the element shows its card, and the decision goes out. */
export async function underHeader(t, block, { browser }) {
  const [name, value] = block.code.replaceAll("\n", " ").split(/:(.*)/);
  const script = `import "./node_modules/countersign/dist/define.js";${ELEMENT}`;
  const { page, told } = await visit(t, browser, {
    html: '<!doctype html><html lang="en"><meta charset="utf-8"><title>A block</title><countersign-inbox></countersign-inbox><script type="module" src="/block.js"></script>',
    backend: "own",
    headers: { [name]: value.trim() },
    routes: { "GET /block.js": ({ response }) => response.writeHead(200, { "content-type": "text/javascript" }).end(script) },
  });
  await approve(page);
  await approved(told, "own");
}

/** What a page is told that cannot load something, by the event or by the promise: the first code and its words. */
export async function told(t, browser, how) {
  const script = `document.addEventListener("countersign-error", ({ detail }) => (globalThis.error ??= detail));
import("./node_modules/countersign/dist/define.js").then(() => document.querySelector("countersign-inbox").restore(${JSON.stringify(task)})).catch(({ code, message }) => {
  if (code) globalThis.error ??= { code, message };
});`;
  const { page } = await visit(t, browser, {
    html: '<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><countersign-inbox adapter="a2a"></countersign-inbox><script type="module" src="/block.js"></script>',
    expectedErrors: [/./],
    ...how,
    routes: { "GET /block.js": ({ response }) => response.writeHead(200, { "content-type": "text/javascript" }).end(script), ...how.routes },
  });
  return eventually(async () => {
    const error = await page.evaluate(() => globalThis.error);
    assert.ok(error, "nothing was told");
    return error;
  });
}

/** In Node: the value in the block is what the option takes. */
const option = (wrap) => async (t, block) => {
  const code = `import { init, Inbox } from "countersign/headless";\nawait init();\nconst inbox = new Inbox(${JSON.stringify(wrap(JSON.parse(block.code)))});\nconsole.log(inbox.grants().length);`;
  return inNode({ ...block, code, given: "", before: undefined });
};

/** The server of the page on headless use, in front of a stub of the agent. */
async function checkingServer(t, block) {
  const told = [];
  let history = `{"error":false,"data":[${task}]}`;
  const routes = backends.kagent.routes(told);
  let refuses = false;
  const page = ({ response }) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
  const refusing = (exchange) => {
    if (refuses === "with a page") told.push(JSON.parse(exchange.body).params.message);
    if (refuses === "with a page") return page(exchange);
    if (refuses) return exchange.json('{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"message":"the agent is asleep"}}');
    return routes["POST /api/a2a/team/agent"](exchange);
  };
  const agent = await serve(t, { ...routes, "POST /api/a2a/team/agent": refusing, "GET /api/sessions/c1/tasks": (exchange) => exchange.json(history) });
  const folder = stageBlock(block, { "block.js": program(block) });
  const port = await freePort();
  const env = { ...process.env, ORIGIN: "http://page.test", TOKEN: "secret", AGENT: agent.url, HOST: `127.0.0.1:${port}`, PORT: String(port) };
  for (const name of ["ORIGIN", "TOKEN", "AGENT", "HOST", "PORT"]) {
    const { status, stderr } = spawnSync(process.execPath, ["block.js"], { cwd: folder, env: { ...env, [name]: "" }, encoding: "utf8", timeout: 20_000 });
    assert.equal(status, 1, `it begins without ${name}`);
    assert.match(stderr, new RegExp(`${name} is missing`));
  }
  const child = spawn(process.execPath, ["block.js"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => child.kill());
  await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const headers = { origin: "http://page.test", "x-token": "secret", "content-type": "application/json" };
  const post = async (decisions, more = {}) => {
    const response = await fetch(`http://127.0.0.1:${port}/decisions`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(decisions) });
    return { status: response.status, ...(await response.json()) };
  };
  return { told, post, agent, port, restore: (text) => (history = text), refuse: (now) => (refuses = now) };
}

/** The code of the answer to a page whose name resolves to the server. */
async function foreignHost(port) {
  const headers = { host: "elsewhere.test", origin: "http://page.test", "x-token": "secret", "content-type": "application/json" };
  const sent = request({ host: "127.0.0.1", port, path: "/decisions", method: "POST", headers }).end("[]");
  const [response] = await once(sent, "response");
  let text = "";
  for await (const piece of response) text += piece;
  return JSON.parse(text).code;
}

async function checks(t, block) {
  const { told, post, port, agent, restore, refuse } = await checkingServer(t, block);
  const { id, argsDigest: seen, tool } = JSON.parse((await inNode({ ...block, id: `${block.id}-card`, before: undefined, given: "", code: `import { init, Inbox } from "countersign/headless";\nawait init();\nconst inbox = new Inbox();\ninbox.restore(${JSON.stringify(task)});\nconsole.log(JSON.stringify(inbox.requests()[0]));` }))[0]);
  const approve = { request: id, decision: { kind: "approve" }, seen, tool };
  const code = async (decisions, more) => (await post(decisions, more)).code;
  assert.equal(await code([approve], { origin: "http://elsewhere.test" }), "foreign-origin");
  assert.equal(await code([approve], { "x-token": "guess" }), "no-token");
  assert.equal(await code([approve], { "content-type": "text/plain" }), "not-json");
  assert.equal(await code([{ ...approve, request: "another/id" }]), "unknown-request");
  assert.equal(await code([{ ...approve, seen: "0".repeat(64) }]), "args-changed");
  assert.equal(await code([{ ...approve, seen: undefined }]), "args-changed");
  assert.equal(await code([{ ...approve, tool: "read_file" }]), "args-changed");
  assert.equal(await code([{ ...approve, tool: undefined }]), "args-changed");
  assert.equal(await code([{ ...approve, decision: { kind: "edit", args: "{}" } }]), "not-offered");
  assert.equal(await code([{ ...approve, decision: { kind: "wave" } }]), "decision-invalid");
  assert.equal(await code([]), "incomplete-answer");
  for (const wrong of [null, {}, "x", [null], [{ request: id, seen }]]) assert.equal(await code(wrong), "decision-invalid", JSON.stringify(wrong));
  assert.equal(await code([], { "content-type": "application/json; charset=utf-8" }), "incomplete-answer");
  assert.equal(await code("x".repeat(2e6)), "too-long");
  assert.equal(await code([approve, approve]), "already-decided");
  assert.equal(await foreignHost(port), "foreign-host");
  assert.deepEqual(told, [], "nothing of this reaches the agent");
  refuse(true);
  assert.equal((await post([approve])).status, 502, "what the agent refuses has not arrived");
  refuse("with a page");
  const { status, code: unclear } = await post([approve]);
  const lost = told.splice(0);
  assert.deepEqual([status, unclear, lost.length], [502, "no-answer", 1], "of what a gateway answers nobody knows whether it arrived");
  refuse(false);
  assert.equal((await post([approve])).status, 200);
  assert.ok(backends.kagent.approves(told), JSON.stringify(told));
  assert.deepEqual(told, lost, "what may have arrived is sent again as it was");
  // The agent has taken it: what it stores says so, and the same decision is refused.
  restore(`{"error":false,"data":[${task.replace('"input-required"', '"completed"')}]}`);
  assert.match(await code([approve]), /already-decided|expired|superseded|not-offered/);
  assert.equal(told.length, 1);
  for (const gone of [() => restore("<h1>Bad Gateway</h1>"), () => agent.close()]) {
    await gone();
    const { status, code } = await post([approve]);
    assert.deepEqual([status, code], [502, "no-answer"], "an agent that is not there is no mistake of the page");
  }
}

/** The page that sends decisions, with that server behind it. */
async function sendsDecisions(t, block, { browser, blocks }) {
  const { told, port } = await checkingServer(t, blocks.find(({ id }) => id === "www/docs/headless.md#a-server-that-checks-what-a-browser-decided/1"));
  const pass = async (exchange) => {
    const headers = { origin: "http://page.test", "x-token": exchange.headers["x-token"], "content-type": exchange.headers["content-type"] };
    const response = await fetch(`http://127.0.0.1:${port}/decisions`, { method: "POST", headers, body: exchange.body });
    exchange.json(await response.text(), response.status);
  };
  const after = `\nawait element.restore(${JSON.stringify(task)});`;
  const { page } = await visit(t, browser, { html: scripted(program(block) + after), routes: { "POST /decisions": pass } });
  await approve(page);
  await approved(told, "kagent");
  await page.locator("[part~=card][data-status=sent], [part~=card][data-status=approved]").waitFor();
}

export const runs = {
  "README.md#in-a-web-page/2": wired("langgraph", THREAD),
  "README.md#without-the-pixels/1": async (t, block) => {
    const given = `const posted = [];\nglobalThis.given = { message: ${JSON.stringify(task)}, requestId: ${JSON.stringify(JSON.parse(task).status.message.parts[0].data.id)}, post: async (body) => posted.push(body) };\nprocess.on("exit", () => console.log(posted.join("")));`;
    const printed = await inNode(block, given);
    assert.match(printed.join(" "), /^delete_file \{.*\} pending \[ 'approve', /);
    assert.equal(JSON.parse(printed.at(-1)).parts[0].data.decision_type, "reject");
  },
  "crates/wasm/npm/README.md#with-an-agent/1": wired("langgraph", THREAD),
  "crates/wasm/npm/README.md#the-element/1": async (t, block, { browser }) => {
    const { page } = await visit(t, browser, { html: program(block) });
    const logged = page.waitForEvent("console", (message) => message.type() === "log");
    await approve(page);
    assert.equal(JSON.parse((await logged).text()).parts[0].data.decision_type, "approve");
  },
  "crates/wasm/npm/README.md#headless/1": printing,
  "crates/wasm/npm/README.md#in-react-and-vue-in-a-chat/1": connected,

  "www/docs/getting-started.md#a-page-without-a-bundler/1": byHand,
  "www/docs/getting-started.md#connect-your-system/1": wired("langgraph", THREAD),
  "www/docs/getting-started.md#bundlers-that-need-help/1": copiedBeside(ELEMENT),
  "www/docs/getting-started.md#bundlers-that-need-help/2": async (t, block, tools) => {
    const assets = Object.fromEntries(["bg", "a2a", "deciding", "rest"].map((name) => [`GET /assets/countersign_${name}.wasm`, asset(name)]));
    const { server } = await wired("own", { after: ELEMENT, routes: assets })(t, block, tools);
    await eventually(() => {
      const files = server.requests.map(({ url }) => url).filter((url) => url.endsWith(".wasm"));
      assert.ok(files.length >= 4 && files.every((url) => url.startsWith("/assets/")), files.join());
    });
  },
  "www/docs/getting-started.md#react/1": connected,
  "www/docs/getting-started.md#react/2": conversing(THREAD),
  "www/docs/getting-started.md#a-backend-of-your-own-in-react/1": react("Calls"),
  "www/docs/getting-started.md#a-backend-of-your-own-in-react/2": async (...all) => {
    const page = await react("Shared")(...all);
    await page.getByText("0 waiting").waitFor();
  },
  "www/docs/getting-started.md#vue/1": bundled((code) => mounted(code, `{ threadId: "${UUID}" }`), { backend: "langgraph", ...THREAD }),
  "www/docs/getting-started.md#a-backend-of-your-own-in-vue/1": anew((code) => ({
    "vite.config.js": VUE,
    "Block.vue": code,
    "main.js": `import { createApp, h, shallowRef } from "vue";\nimport Block from "./Block.vue";\n${GIVEN}const stored = shallowRef(history);\nglobalThis.again = () => (stored.value += " ");\ncreateApp(() => h(Block, { history: stored.value, send })).mount("#root");`,
  })),
  "www/docs/getting-started.md#connect-your-system/2": async (t, block) => {
    const agent = await serve(t, { "GET /threads": ({ headers, response }) => response.end(headers.host) });
    const folder = stageBlock(block, { "vite.config.js": program(block).replace("http://127.0.0.1:2024", agent.url) });
    const { createServer } = await import(join(place, "node_modules/vite/dist/node/index.js"));
    const vite = await createServer({ root: folder, logLevel: "silent", server: { host: "127.0.0.1", port: await freePort() } });
    t.after(() => vite.close());
    await vite.listen();
    const [address] = vite.resolvedUrls.local;
    assert.equal(await (await fetch(`${address}api/threads`)).text(), new URL(agent.url).host, "the backend is asked under its own name");
  },
  "www/docs/getting-started.md#pages-that-are-swapped/1": swapped({ backend: "langgraph", ...THREAD }),
  "www/docs/getting-started.md#on-a-server-nextjs-nuxt/1": passedOn,
  "www/docs/getting-started.md#on-a-server-nextjs-nuxt/2": unfetched,
  "www/docs/getting-started.md#angular/1": inAngular(THREAD),
  "www/docs/getting-started.md#types-in-markup/1": typed("preact"),
  "www/docs/getting-started.md#types-in-markup/2": typed("solid"),
  "www/docs/getting-started.md#types-in-markup/3": typed("svelte"),
  "www/docs/getting-started.md#types-in-markup/4": typed("vue"),
  "www/docs/getting-started.md#without-an-interface/1": async (t, block) => {
    assert.deepEqual(await inNode(block, "", "console.log(inbox.requests().length);"), ["0"]);
  },

  "www/docs/getting-started.md#a-library-an-extension-a-page-in-one-file/1": bundled((code) => ({ "main.js": `document.body.append(document.createElement("countersign-inbox"));\n${code}${ELEMENT}` })),
  "www/docs/getting-started.md#a-library-an-extension-a-page-in-one-file/2": async (t, block, { browser }) => {
    const text = "/* the text of dist/inline.js */";
    const code = program(block);
    assert.ok(code.includes(text));
    const inline = readFileSync(join(place, "node_modules/countersign/dist/inline.js"), "utf8");
    const restore = `<script type="module">await document.querySelector("countersign-inbox").restore(${JSON.stringify(task)});</script>`;
    const { page, told, server } = await visit(t, browser, { html: marked(code.replace(text, () => inline) + restore), backend: "own" });
    await approve(page);
    await approved(told, "own");
    assert.deepEqual(server.requests.map(({ url }) => url).filter((url) => url.includes("countersign")), [], "it asks for nothing");
  },

  "www/docs/chats.md#the-shortest-chat/1": async (...all) => {
    const page = await bundled((code) => drawn(code, "Chat", `{ calls: [{ id: ${JSON.stringify(CALL)}, name: "delete_file" }, { id: "other", name: "read_file" }] }`), { backend: "kagent" })(...all);
    assert.equal(await page.locator("section").first().locator("countersign-card").count(), 1, "the card stands where its call stands");
    await page.getByText("0 waiting").waitFor();
  },
  "www/docs/chats.md#the-pattern/1": bundled((code) => ({
    "vite.config.js": JSX,
    "block.jsx": `${code}\nexport { ToolCall };`,
    "main.js": `import { createElement } from "react";\nimport { createRoot } from "react-dom/client";\nimport { init, Inbox } from "countersign";\nimport { ToolCall } from "./block.jsx";\nawait init();\nconst inbox = new Inbox({ adapter: "a2a" });\ninbox.restore(${JSON.stringify(task)});${FORWARD}\nconst [{ call, tool }] = inbox.requests();\ncreateRoot(document.getElementById("root")).render(createElement(ToolCall, { id: call, name: tool, inbox }));`,
  })),
  "www/docs/chats.md#the-pattern/2": wired("own", { after: FORWARD, body: "" }),

  "www/docs/kagent.md#wiring/1": wired("kagent", { query: "/#c1" }),
  "www/docs/kagent.md#wiring/2": headless("kagent"),
  "www/docs/adk.md#wiring/1": wired("adk"),
  "www/docs/adk.md#wiring/2": async (t, block, { browser }) => {
    const made = [];
    const make = ({ body, headers, response }) => made.push([body, headers["content-type"]]) && response.end();
    await visit(t, browser, { html: scripted(program(block), ""), routes: { "POST /adk/apps/support/users/user/sessions/s-1": make } });
    await eventually(() => assert.deepEqual(made, [["{}", "application/json"]]));
  },
  "www/docs/adk.md#wiring/3": headless("adk"),
  "www/docs/adk.md#over-a2a/1": wired("adkA2a", { query: "/#c1" }),
  "www/docs/langgraph.md#wiring/1": wired("langgraph", threadAt("/langgraph")),
  "www/docs/langgraph.md#wiring/2": headless("langgraph", threadAt("/langgraph")),
  "www/docs/haystack.md#wiring/1": wired("haystack"),
  "www/docs/haystack.md#wiring/2": async (...all) => {
    // A person may decide before the connection is open.
    for (const opensAfter of [0, 500]) await headless("haystack", { opensAfter })(...all);
  },
  "www/docs/adalflow.md#wiring/1": wired("adalflow"),
  "www/docs/adalflow.md#wiring/2": headless("shipped"),
  "www/docs/own.md#the-messages/1": async (t, block) => {
    const code = `import { init, Inbox } from "countersign/headless";\nawait init();\nconst inbox = new Inbox({ adapter: "haystack" });\ninbox.restore(${JSON.stringify(block.code)});\nfor (const { tool, call, argsSchema, offers } of inbox.requests()) console.log(tool, call, typeof argsSchema, offers.map(({ kind }) => kind).join());`;
    assert.deepEqual(await inNode({ ...block, code }), ["delete_file call-1 string approve,reject"]);
  },
  "www/docs/own.md#the-page/1": wired("rest"),
  "www/docs/connect.md#connectors/1": async (t, block, { browser }) => {
    const authorised = [];
    const routes = backends.kagent.routes([]);
    const look = (exchange) => {
      authorised.push(exchange.headers.authorization);
      return routes["GET /api/sessions/c1/tasks"](exchange);
    };
    await headless("kagent", { routes: { "GET /api/sessions/c1/tasks": look } })(t, block, { browser });
    assert.deepEqual([...new Set(authorised)], ["Bearer secret"]);
  },
  "www/docs/connect.md#a-token-that-runs-out/1": async (...all) => {
    const { "GET /adk/apps/support/users/user/sessions/s-1": session } = backends.adk.routes([]);
    const read = (exchange) => (exchange.headers.authorization === "Bearer new" ? session(exchange) : exchange.json('{"detail":"the token has expired"}', 401));
    await wired("adk", { routes: { "GET /adk/apps/support/users/user/sessions/s-1": read }, expectedErrors: [/sessions\/s-1/] })(...all);
  },

  "www/docs/headless.md#cards-of-your-own/1": async (t, block, { browser, transpile }) => {
    const told = [];
    const { "POST /api/a2a/team/agent": agent } = backends.kagent.routes(told);
    let refusals = 0;
    const route = (exchange) => (JSON.parse(exchange.body).method !== "tasks/get" && (refusals += 1) === 1 ? exchange.json('"the agent is asleep"', 500) : agent(exchange));
    const { page } = await visit(t, browser, { html: scripted(transpile(program(block)), ""), backend: "kagent", routes: { "POST /api/a2a/team/agent": route }, expectedErrors: [/team\/agent/] });
    await page.getByText('"path"').waitFor();
    await page.getByRole("button", { name: "approve delete_file" }).click();
    await page.getByText("the agent is asleep").waitFor();
    assert.deepEqual(told, []);
    await page.getByRole("button", { name: "Send again" }).click();
    await approved(told, "kagent");
    await page.getByText("completed").waitFor();
    assert.equal(await page.getByRole("button").count(), 0);
  },
  "www/docs/headless.md#a-server-that-checks-what-a-browser-decided/1": checks,
  "www/docs/headless.md#a-server-that-checks-what-a-browser-decided/2": sendsDecisions,
  "www/docs/headless.md#tests/1": printing,
  "www/docs/headless.md#a-page-in-playwright/1": async (t, block, { browser }) => {
    const { page, told } = await visit(t, browser, { html: scripted(`import "countersign/define";${ELEMENT}`), backend: "own" });
    const expect = (locator) => ({ toBeEnabled: () => eventually(async () => assert.ok(await locator.isEnabled())) });
    const Script = (async () => {}).constructor;
    await new Script("page", "expect", block.code)(page, expect);
    await approved(told, "own");
  },
  "www/docs/headless.md#a-component-in-vitest-or-jest/1": async (t, block, { browser }) => {
    const shown = 'new Promise((shown) => setInterval(() => document.body.textContent.includes(text) && shown(), 20))';
    const folder = await bundle(block, {
      "vite.config.js": JSX,
      "block.jsx": program(block),
      "main.js": `import { createRoot } from "react-dom/client";
const root = createRoot(document.getElementById("root"));
globalThis.given = {
  test: (name, run) => run().then(() => (globalThis.passed = name)),
  render: (component) => root.render(component),
  screen: { findByText: (text) => ${shown} },
};
await import("./block.jsx");`,
    });
    const { page } = await visit(t, browser, { folder });
    await page.waitForFunction(() => globalThis.passed === "a call that waits is listed");
  },
  "www/docs/headless.md#keeping-the-record/1": async (t, block, { browser }) => {
    const kept = [];
    let refusals = 0;
    const keep = (exchange) => {
      if ((refusals += 1) === 1) return exchange.json("{}", 503);
      kept.push(...exchange.body.trim().split("\n").map((line) => JSON.parse(line)));
      exchange.json("{}");
    };
    const code = `const uuid = crypto.randomUUID.bind(crypto);\nlet asked = 0;\ncrypto.randomUUID = () => (asked++ ? uuid() : "one");\n${program(block)}${ELEMENT}`;
    const { page, told } = await visit(t, browser, { html: scripted(code), backend: "own", routes: { "POST /records/one": keep }, expectedErrors: [/records/] });
    await approve(page);
    await approved(told, "own");
    await eventually(() => assert.deepEqual(kept.map(({ seq, event }) => [seq, event]), [[0, "decided"], [1, "sending"], [2, "delivered"]]));
  },

  "www/docs/errors.md#errors-and-troubleshooting/1": async (t, block, { browser }) => {
    const { page } = await visit(t, browser, { html: scripted(program(block)) });
    const warned = page.waitForEvent("console", (message) => message.type() === "warning");
    await page.evaluate(() => document.querySelector("countersign-inbox").receive("{"));
    assert.match((await warned).text(), /^json-invalid /);
  },

  "www/docs/messages.md#words-and-languages/1": async (t, block, tools) => {
    const check = dressed(async (page) => assert.equal((await approveButton(page).innerText()).trim(), JSON.parse(block.code).approve), { after: `\nshown.messages = ${block.code};` });
    await check(t, { ...block, language: "js", code: "" }, tools);
  },
  "www/docs/messages.md#the-element/1": dressed(async (page) => {
    await eventually(async () => assert.equal((await approveButton(page).innerText()).trim(), "Genehmigen"));
  }),
  "www/docs/messages.md#the-element/2": dressed(async (page) => assert.equal((await approveButton(page).innerText()).trim(), "Freigeben")),

  "www/docs/policies.md#policies-rules-grants-configurations/2": dressed(
    async (page) => {
      await page.getByRole("button", { name: "Always allow delete_file" }).click();
      await press(page.getByRole("dialog").locator("[part=grant-button]"));
      await eventually(async () => assert.match(await page.evaluate(() => localStorage.getItem("my-grants")), /"tool":\s*"delete_file"/));
    },
  ),
  "www/docs/policies.md#rules/1": option((rule) => ({ policy: { rules: [rule] } })),
  "www/docs/policies.md#grants/1": async (t, block) => {
    assert.deepEqual(await option((grant) => ({ grants: [grant] }))(t, block), ["1"]);
  },
  "www/docs/policies.md#countersign-policy/1": async (t, block, { browser }) => {
    const { page } = await visit(t, browser, { html: scripted('import { init } from "countersign";\nimport "countersign/define";\nawait init();', program(block)) });
    assert.equal(await page.evaluate(async () => (await customElements.whenDefined("countersign-policy"), document.querySelector("countersign-policy").shadowRoot !== null)), true);
  },
  "www/docs/policies.md#countersign-policy/2": async (t, block, { browser }) => {
    const { page } = await visit(t, browser, { html: scripted(program(block), "<countersign-policy></countersign-policy>") });
    // The tools of an agent stand below its name, behind those that the configuration alone names.
    await page.locator('[part=heading]:has-text("researcher") ~ [part=tool]').getByRole("switch").click();
    const saved = await eventually(async () => {
      const text = await page.evaluate(() => globalThis.saved);
      assert.equal(typeof text, "string");
      return text;
    });
    // The agent whose tool it is has an entry of its own now, with all that it was asked without one; every other byte stays.
    assert.deepEqual(JSON.parse(saved).agents, { researcher: { ls: false, write_file: false } });
    assert.ok(saved.startsWith('{"write_file" : true, "ls":false'), saved);
  },

  "www/docs/theming.md#looks/1": async (t, block, tools) => {
    const check = dressed(async (page) => {
      const before = await page.evaluate(() => getComputedStyle(document.querySelector("countersign-inbox")).getPropertyValue("--countersign-radius"));
      assert.notEqual(before.trim(), "6px");
      await page.addStyleTag({ content: block.code });
      for (const [, name, value] of block.code.matchAll(/(--countersign-[\w-]+): ([^;]+);/g)) {
        assert.equal(await page.evaluate((one) => getComputedStyle(document.querySelector("countersign-inbox")).getPropertyValue(one).trim(), name), value);
      }
      assert.equal(await page.locator("[part~=card]").first().evaluate((card) => getComputedStyle(card).borderTopLeftRadius), "6px");
      const digest = page.locator("[part~=digest]").first();
      assert.equal(await digest.count(), 1);
      assert.equal(await digest.isVisible(), false);
    });
    await check(t, { ...block, language: "js", code: "" }, tools);
  },
  "www/docs/theming.md#the-look-of-a-design-system/1": designed("--card", "--primary"),
  "www/docs/theming.md#the-look-of-a-design-system/2": designed("--mui-palette-background-paper", "--mui-palette-primary-main"),
  "www/docs/theming.md#slots/1": async (t, block, { browser }) => {
    const { page } = await visit(t, browser, { html: scripted('import "countersign/define";', program(block)), backend: "own" });
    const words = page.locator("[slot=empty]");
    await words.waitFor();
    assert.equal(await page.getByText("Nothing waits for you.").isVisible(), false);
    await page.evaluate((text) => document.querySelector("countersign-inbox").restore(text), task);
    await page.locator("[part~=card]").first().waitFor();
    assert.equal(await words.isVisible(), false);
  },
  "www/docs/theming.md#dark-mode/1": async (t, block, tools) => {
    const check = dressed(async (page) => {
      const surface = (theme) =>
        page.evaluate((name) => {
          document.documentElement.className = name;
          return getComputedStyle(document.querySelector("countersign-inbox").shadowRoot.querySelector("[part~=card]")).backgroundColor;
        }, theme);
      const [light, dark] = [await surface("light"), await surface("dark")];
      assert.equal(light, dark, "a class alone says nothing of the scheme");
      await page.addStyleTag({ content: block.code });
      assert.notEqual(await surface("light"), await surface("dark"));
    });
    await check(t, { ...block, language: "js", code: "" }, tools);
  },
};

/** A file of the wasm, where another server has it. */
function asset(name) {
  return ({ response }) => {
    response.writeHead(200, { "content-type": "application/wasm" }).end(readFileSync(join(place, `node_modules/countersign/dist/wasm/countersign_${name}.wasm`)));
  };
}
