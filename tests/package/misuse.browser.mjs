// What goes wrong on a page that is wired for the first time: the element says so, and nothing is decided by it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { openPage, profile } from "../browser/harness/browser.mjs";
import { press } from "../browser/harness/press.mjs";
import { serve } from "./page.mjs";
import { task as taskOf } from "./task.mjs";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>First steps</title>
<script type="importmap">{"imports":{"countersign":"./package/dist/index.js","countersign/define":"./package/dist/define.js","countersign/connect":"./package/dist/connect/index.js"}}</script>`;
const task = (id) => taskOf([[`r-${id}`, "delete_file", JSON.stringify({ path: `/tmp/${id}` })]], id);

const served = serve("misuse", PAGE);

/** A page with an inbox for each of these tasks. */
async function open(t, tasks) {
  const page = await openPage(t, await profile(t, served.browser), served.origin);
  await page.evaluate(async (all) => {
    globalThis.sent = [];
    globalThis.errors = [];
    document.addEventListener("countersign-error", ({ detail }) => errors.push(detail));
    await import("countersign/define");
    globalThis.elements = all.map(() => document.body.appendChild(document.createElement("countersign-inbox")));
    for (const [at, element] of elements.entries()) await element.restore(all[at]);
  }, tasks);
  return page;
}
const approve = (page, at = 0) => press(page.locator("countersign-inbox").nth(at).locator('[part~="approve-button"]'));

test("a page that does not say what becomes of a message is told so in the console", async (t) => {
  const page = await open(t, [task("t1")]);
  const warned = page.waitForEvent("console", { predicate: (message) => message.type() === "warning", timeout: 30_000 });
  await page.evaluate(() => elements[0].addEventListener("countersign-send", ({ detail }) => sent.push(detail.body)));
  await approve(page);
  assert.match((await warned).text(), /respondWith/);
  assert.equal(await page.evaluate(() => elements[0].inbox.requests()[0].status), "sending");
  assert.equal(await page.evaluate(() => sent.length), 1);
});

test("two inboxes on a page are two conversations: each sends its own call, to its own listener", async (t) => {
  const page = await open(t, [task("t1"), task("t2")]);
  await page.evaluate(() => {
    for (const element of elements) {
      element.addEventListener("countersign-send", ({ detail }) => {
        sent.push([elements.indexOf(element), JSON.parse(detail.body).taskId]);
        detail.respondWith(Promise.resolve());
      });
    }
  });
  await approve(page, 1);
  await page.waitForFunction(() => elements[1].inbox.requests()[0].status === "sent");
  assert.deepEqual(await page.evaluate(() => sent), [[1, "t2"]]);
  assert.equal(await page.evaluate(() => elements[0].inbox.requests()[0].status), "pending");
});

test("an element that is taken away while a message is on its way still learns what became of it, and sends nothing twice", async (t) => {
  for (const fate of ["ok", "lost"]) {
    const page = await open(t, [task("t1")]);
    await page.evaluate(() => {
      elements[0].addEventListener("countersign-send", ({ detail }) => {
        sent.push(detail.id);
        detail.respondWith(new Promise((resolve, reject) => Object.assign(globalThis, { resolve, reject })));
      });
    });
    await approve(page);
    await page.waitForFunction(() => sent.length === 1);
    const state = await page.evaluate(async (outcome) => {
      const [element] = elements;
      element.remove();
      if (outcome === "ok") resolve();
      else reject(new Error("the network is gone"));
      await new Promise((done) => setTimeout(done, 50));
      document.body.append(element);
      await new Promise((done) => setTimeout(done, 50));
      return element.inbox.requests()[0].outbound.state;
    }, fate);
    assert.equal(state, fate === "ok" ? "delivered" : "failed");
    assert.equal(await page.evaluate(() => sent.length), 1);
  }
});

test("what is handed over without waiting for it is refused, by the promise of the element", async (t) => {
  const page = await open(t, [task("t1")]);
  const told = await page.evaluate(() => elements[0].receive(fetch("/index.html").then((response) => response.text())).then(String, ({ code, help }) => `${code}: ${help}`));
  assert.match(told, /^message-invalid: .*await response\.text\(\)/);
});

test("an element says once that its connector cannot reach the backend, and again after it had been there", async (t) => {
  const page = await open(t, []);
  await page.evaluate(async () => {
    const { langgraph } = await import("countersign/connect");
    globalThis.attempts = 0;
    const fetch = async (url) => {
      attempts += 1;
      const known = String(url).endsWith("/state") ? '{"values":{},"next":[],"tasks":[],"interrupts":[],"checkpoint":{"thread_id":"t1"}}' : "[]";
      if (globalThis.isThere) return new Response(known, { headers: { "content-type": "application/json" } });
      throw new TypeError("Failed to fetch");
    };
    globalThis.connector = langgraph({ url: "/api", ids: { threadId: "t1", assistantId: "a" }, retry: { baseMs: 1, maxMs: 2 }, pollMs: 5, fetch });
    const element = document.body.appendChild(document.createElement("countersign-inbox"));
    element.connector = connector;
  });
  await page.waitForFunction(() => attempts > 5);
  const told = () => page.evaluate(() => errors.map(({ code, message }) => `${code}: ${message}`));
  assert.deepEqual(await told(), ["unreachable: the backend cannot be reached: Failed to fetch"]);
  await page.evaluate(() => (globalThis.isThere = true));
  await page.waitForFunction(() => connector.state === "live");
  // One that breaks at once is no news.
  await page.waitForTimeout(3200);
  await page.evaluate(() => (globalThis.isThere = false));
  await page.waitForFunction(() => errors.length === 2);
  await page.evaluate(() => {
    document.querySelector("countersign-inbox").remove();
    connector.close();
  });
  assert.equal((await told()).length, 2);
});

test("what a connector brings and nobody can read is told by the element, once, and what can be read is shown", async (t) => {
  const page = await open(t, []);
  await page.evaluate(async (known) => {
    const { rest } = await import("countersign/connect");
    globalThis.polls = 0;
    const fetch = async () => {
      polls += 1;
      return new Response(globalThis.isReadable ? known : '{"anything":1}', { headers: { "content-type": "application/json" } });
    };
    globalThis.connector = rest({ url: "/api", pollMs: 5, fetch });
    const element = document.body.appendChild(document.createElement("countersign-inbox"));
    element.options = { adapter: "a2a" };
    element.connector = connector;
  }, task("t1"));
  await page.waitForFunction(() => polls > 5);
  assert.deepEqual(await page.evaluate(() => errors.map(({ code }) => code)), ["message-unrecognised"]);
  await page.evaluate(() => (globalThis.isReadable = true));
  await page.locator('countersign-inbox [part~="approve-button"]').waitFor();
  await page.evaluate(() => {
    document.querySelector("countersign-inbox").remove();
    connector.close();
  });
  assert.equal(await page.evaluate(() => errors.length), 1);
});

test("an element without its wasm says in its place, in the console and by its event what is missing, and where to look", async (t) => {
  const context = await profile(t, served.browser);
  await context.route("**/countersign_bg.wasm", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }));
  const logged = [];
  context.on("console", (message) => message.type() === "error" && logged.push(message.text()));
  const page = await openPage(t, context, served.origin, { expectedErrors: [/the first file of the wasm could not be loaded/] });
  const told = await page.evaluate(async () => {
    const heard = new Promise((resolve) => document.addEventListener("countersign-error", ({ detail }) => resolve(detail)));
    document.body.append(document.createElement("countersign-inbox"));
    await import("countersign/define");
    return heard;
  });
  assert.equal(told.code, "part-missing");
  assert.match(told.message, /^the first file of the wasm could not be loaded: .*magic word/);
  assert.match(told.help, /serve every \.wasm file.*optimizeDeps/);
  assert.ok(logged.some((text) => text.includes("the first file of the wasm could not be loaded")));
  const line = page.locator("countersign-inbox").getByRole("alert");
  assert.match(await line.innerText(), /^Part of this page could not be loaded\. Nothing can be decided here.*\nthe first file.*magic word/);
  await page.evaluate(() => document.querySelector("countersign-inbox").setAttribute("locale", "de"));
  await line.getByText("kann hier nichts entschieden werden").waitFor();
});

test("an element with an option that is what it cannot be says so in its place, and appears once that is mended", async (t) => {
  const context = await profile(t, served.browser);
  const page = await openPage(t, context, served.origin, { expectedErrors: [/no adapter `langraph`|holdRejections/] });
  await page.evaluate(async () => {
    globalThis.codes = [];
    document.addEventListener("countersign-error", ({ detail }) => codes.push(detail.code));
    await import("countersign/define");
    globalThis.element = document.createElement("countersign-inbox");
    element.setAttribute("adapter", "langraph");
    document.body.append(element);
  });
  const line = page.locator("countersign-inbox").getByRole("alert");
  await line.getByText(/^there is no adapter `langraph`/).waitFor();
  // The later mistake is told too, in place of the first.
  await page.evaluate(() => (element.options = { adapter: "a2a", holdRejections: "long" }));
  await line.getByText(/holdRejections/).waitFor();
  assert.equal(await line.count(), 1);
  await page.evaluate(() => (element.options = { adapter: "a2a" }));
  await page.getByText("Nothing waits for you.").waitFor();
  assert.equal(await line.count(), 0);
  assert.deepEqual(await page.evaluate(() => codes), ["unknown-adapter", "options-invalid"]);
});

test("an element whose wasm can be had only later appears then by itself, with what it was told", async (t) => {
  const context = await profile(t, served.browser);
  let isAway = true;
  await context.route("**/countersign_bg.wasm", (route) => (isAway ? route.fulfill({ status: 503 }) : route.continue()));
  const page = await openPage(t, context, served.origin, { expectedErrors: [/503|the first file of the wasm could not be loaded/] });
  await page.evaluate(async (waiting) => {
    Object.assign(globalThis, { errors: [], waiting });
    document.addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));
    const { a2a } = await import("./package/dist/connect/index.js");
    for (const [name, words] of [["inbox", {}], ["card", { "request-id": "r-t1" }], ["policy", {}]]) {
      const element = document.createElement(`countersign-${name}`);
      for (const [key, value] of Object.entries(words)) element.setAttribute(key, value);
      document.body.append(element);
    }
    document.querySelector("countersign-inbox").connector = a2a({ url: "/agent", history: "/sessions", ids: { contextId: "c1" } });
    await import("countersign/define");
  }, task("t1"));
  await page.route("**/agent", (route) => route.fulfill({ json: { jsonrpc: "2.0", id: "1", result: JSON.parse(task("t1")) } }));
  await page.route("**/sessions", (route) => route.fulfill({ json: { error: false, data: [JSON.parse(task("t1"))] } }));
  await page.getByRole("alert").nth(2).waitFor();
  isAway = false;
  for (const name of ["inbox", "card"]) await page.locator(`countersign-${name} [part~="approve-button"]`).waitFor();
  await page.locator("countersign-policy [part~=policy]").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.deepEqual(await page.evaluate(() => errors), ["part-missing", "part-missing", "part-missing"]);
});

test("an element that leaves and comes back while its wasm cannot be had waits for it once", async (t) => {
  const context = await profile(t, served.browser);
  await context.route("**/countersign_bg.wasm", (route) => route.fulfill({ status: 503 }));
  const page = await openPage(t, context, served.origin, { expectedErrors: [/503|the first file of the wasm could not be loaded/] });
  const asked = [];
  page.on("request", (request) => /countersign_bg\.wasm/.test(request.url()) && asked.push(request.url()));
  await page.evaluate(async () => {
    await import("countersign/define");
    const element = document.body.appendChild(document.createElement("countersign-inbox"));
    for (let time = 0; time < 10; time += 1) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      element.remove();
      document.body.append(element);
    }
  });
  await page.getByRole("alert").waitFor();
  asked.length = 0;
  await page.waitForTimeout(3500);
  assert.ok(asked.length > 0 && asked.length <= 3, `asked ${asked.length} times`);
});

test("an element that is moved into a frame has its looks there, can be pressed, and listens nowhere else", async (t) => {
  const page = await open(t, [task("t1")]);
  await page.evaluate(() => {
    globalThis.heard = 0;
    const count = (change) => (listen) =>
      function (type, ...rest) {
        if (type === "countersign-change") heard += change;
        return listen.call(this, type, ...rest);
      };
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    const frame = Object.assign(document.createElement("iframe"), { width: 900, height: 700 });
    document.body.append(frame);
    for (const held of [document, frame.contentDocument]) {
      held.addEventListener = count(1)(addEventListener);
      held.removeEventListener = count(-1)(removeEventListener);
    }
    const [element] = elements;
    element.id = "calls";
    element.addEventListener("countersign-send", ({ detail }) => {
      sent.push(detail.id);
      detail.respondWith(Promise.resolve());
    });
    const card = document.createElement("countersign-card");
    card.setAttribute("inbox-id", "calls");
    card.requestId = "r-t1";
    document.body.append(card);
    globalThis.move = (into) => into.body.append(element, card);
    move(frame.contentDocument);
  });
  const frame = page.frameLocator("iframe");
  await frame.locator('countersign-card [part~="approve-button"]').waitFor();
  const looks = (locator) => locator.evaluate((button) => getComputedStyle(button).backgroundColor);
  assert.notEqual(await looks(frame.locator('countersign-card [part~="approve-button"]')), "rgb(239, 239, 239)");
  await press(frame.locator('countersign-inbox [part~="approve-button"]'));
  await page.waitForFunction(() => elements[0].inbox.requests()[0].status === "sent");
  await page.evaluate(() => move(document));
  await page.locator('countersign-card [part~="card"]').waitFor();
  const left = await page.evaluate(() => {
    for (const element of document.querySelectorAll("countersign-inbox, countersign-card")) element.remove();
    return [heard, sent.length, errors.length, elements[0].shadowRoot.adoptedStyleSheets.length];
  });
  assert.deepEqual(left, [0, 1, 0, 1]);
});

test("what a browser has and forbids keeps no card from being shown, and no event from being fired", async (t) => {
  const page = await open(t, []);
  const seen = await page.evaluate(async ([first, second]) => {
    globalThis.BroadcastChannel = class {
      constructor() {
        throw new DOMException("The operation is insecure.", "SecurityError");
      }
    };
    globalThis.Notification = class {
      static requestPermission = async () => "granted";
      constructor() {
        throw new TypeError("Illegal constructor");
      }
    };
    Object.defineProperty(document, "hidden", { get: () => true });
    const element = document.body.appendChild(document.createElement("countersign-inbox"));
    await element.enableNotifications();
    await element.restore(first);
    let changes = 0;
    element.addEventListener("countersign-change", () => (changes += 1));
    element.inbox.receive(second);
    return [element.shadowRoot.querySelectorAll('[part~="approve-button"]').length > 0, changes];
  }, [task("t1"), task("t2")]);
  assert.deepEqual(seen, [true, 1]);
});

test("the title counts what waits in all inboxes, each once, and is restored", async (t) => {
  const page = await open(t, [task("t1"), task("t2")]);
  const titles = await page.evaluate(async (more) => {
    const shown = [];
    const look = () => shown.push(document.title);
    const again = document.createElement("countersign-inbox");
    again.inbox = elements[0].inbox;
    for (const element of [...elements, again]) element.setAttribute("title-badge", "");
    document.body.append(...elements, again);
    look();
    elements[1].inbox.receive(more);
    look();
    for (const element of elements) {
      element.inbox.decideAll(element.inbox.requests().map(({ id }) => id), { kind: "approve" });
      look();
    }
    return shown;
  }, task("t3"));
  assert.deepEqual(titles, ["(2) First steps", "(3) First steps", "(2) First steps", "First steps"]);
});

test("an answer that is not ok is a failure whatever window or library made it, and so is whatever was thrown", async (t) => {
  const page = await open(t, [task("t1")]);
  const fates = await page.evaluate(async (text) => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const answers = [
      async () => new frame.contentWindow.Response("no", { status: 500 }),
      async () => ({ ok: false, status: 503 }),
      () => Promise.reject(Object.create(null)),
      () => Promise.reject(new DOMException("gone", "AbortError")),
    ];
    const found = [];
    for (const answer of answers) {
      const element = document.body.appendChild(document.createElement("countersign-inbox"));
      await element.restore(text);
      element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(answer()));
      element.inbox.decide("r-t1", { kind: "approve" });
      await new Promise((resolve) => setTimeout(resolve, 50));
      found.push(element.inbox.requests()[0].outbound);
      element.remove();
    }
    return found;
  }, task("t1"));
  assert.deepEqual(fates.map(({ state }) => state), ["failed", "failed", "failed", "failed"]);
  assert.equal(fates[0].error, "no");
  assert.match(fates[1].error, /503/);
  assert.equal(fates[3].error, "gone");
});

test("a connector that throws keeps no decision on its way, and what is none is refused", async (t) => {
  const page = await open(t, [task("t1")]);
  const seen = await page.evaluate(async () => {
    const [element] = elements;
    const codes = [];
    for (const wrong of ["langgraph", {}, Promise.resolve({})]) {
      try {
        element.connector = wrong;
      } catch ({ code, help }) {
        codes.push(`${code}: ${help}`);
      }
    }
    const connector = {
      state: "live",
      connect: async () => {},
      send() {
        throw new Error("no socket");
      },
    };
    element.connector = connector;
    element.inbox.decide("r-t1", { kind: "approve" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [thrown] = element.inbox.requests().map(({ outbound }) => outbound);
    // One that says that it has sent nothing: then the decision cannot have arrived, also where its task goes on without it.
    connector.send = () => Promise.reject(Object.assign(new Error("no connection yet"), { code: "not-connected" }));
    element.inbox.retry("r-t1");
    await new Promise((resolve) => setTimeout(resolve, 50));
    const [{ status, outbound }] = element.inbox.requests();
    return [codes, thrown, [status, outbound.state, outbound.error]];
  });
  assert.deepEqual(seen[2], ["drafted", "failed", "no connection yet"]);
  assert.deepEqual(seen[0].map((told) => /^options-invalid: .*countersign\/connect/.test(told)), [true, true, true]);
  assert.deepEqual([seen[1].state, seen[1].error], ["failed", "no socket"]);
});

test("words, tools and languages that are none are told in a sentence, and what a framework takes away is gone", async (t) => {
  const page = await open(t, [task("t1")]);
  await page.evaluate(() => {
    const cyclic = {};
    cyclic.approve = cyclic;
    for (const messages of [cyclic, () => {}, { approve: 5n }, Promise.resolve({})]) elements[0].messages = messages;
    elements[0].messages = undefined;
    const panel = document.body.appendChild(document.createElement("countersign-policy"));
    const card = document.body.appendChild(document.createElement("countersign-card"));
    panel.tools = [{ name: "ls" }];
    for (const nothing of [undefined, null]) {
      elements[0].locale = card.locale = panel.locale = nothing;
      panel.tools = nothing;
      panel.format = nothing;
      panel.inbox = nothing;
      card.requestId = nothing;
      card.inbox = nothing;
      elements[0].connector = nothing;
    }
    globalThis.left = [elements[0], panel, card].map((element) => element.getAttributeNames()).flat();
  });
  await page.locator('countersign-inbox [part~="approve-button"]').waitFor();
  assert.deepEqual(await page.evaluate(() => [left, errors.map(({ code }) => code)]), [[], Array(4).fill("messages-invalid")]);
});

test("options that are none are refused where they are set, and what keeps an element from appearing is in the console too", async (t) => {
  const page = await openPage(t, await profile(t, served.browser), served.origin, { expectedErrors: [/armDelay/] });
  const logged = [];
  page.on("console", (message) => message.type() === "error" && logged.push(message.text()));
  const seen = await page.evaluate(async () => {
    await import("countersign/define");
    const element = document.createElement("countersign-inbox");
    const codes = [];
    for (const wrong of ["a2a", 5, [], () => {}]) {
      try {
        element.options = wrong;
      } catch ({ code }) {
        codes.push(code);
      }
    }
    for (const nothing of [undefined, null]) element.options = nothing;
    const told = new Promise((resolve) => element.addEventListener("countersign-error", ({ detail }) => resolve(detail)));
    element.options = { armDelay: "fast" };
    document.body.append(element);
    return [codes, await told];
  });
  assert.deepEqual(seen[0], Array(4).fill("options-invalid"));
  assert.equal(seen[1].path, "/armDelay");
  assert.match(seen[1].message, /at \/armDelay$/);
  assert.ok(logged.some((text) => text.includes("/armDelay")), logged.join());
});

test("a property that stands in the markup is told, for it says nothing there", async (t) => {
  const page = await open(t, []);
  const warned = page.waitForEvent("console", (message) => message.type() === "warning");
  await page.evaluate(() => {
    document.body.innerHTML = '<countersign-inbox adapter="a2a" connector="[object Object]"></countersign-inbox>';
  });
  assert.match((await warned).text(), /`connector` is a property/);
});

test("a function in place of a promise has sent nothing, and the card says so", async (t) => {
  const page = await open(t, [task("t1")]);
  await page.evaluate(() => {
    elements[0].addEventListener("countersign-send", ({ detail }) => detail.respondWith(() => fetch("/never")));
  });
  await approve(page);
  await page.waitForFunction(() => elements[0].inbox.requests()[0].outbound?.state === "failed");
  assert.match(await page.evaluate(() => elements[0].inbox.requests()[0].outbound.error), /function that nobody called/);
});
