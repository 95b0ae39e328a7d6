// The wasm in parts, in real Chromium: what is downloaded when, in a page and in a worker.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { press, steady } from "../browser/harness/press.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { member, read } from "./lossless.mjs";
import { folder, modules, root } from "./package.mjs";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Parts</title><body></body>`;
const WORKER = `
import { init, Inbox } from "./dist/headless.js";
onmessage = async ({ data }) => {
  await init({ adapters: [] });
  const inbox = new Inbox();
  inbox.restore(data);
  const card = inbox.requests().find(({ status }) => status === "pending");
  inbox.decide(card.id, { kind: "reject", reason: "no" });
  const files = performance.getEntriesByType("resource").map(({ name }) => name.split("/").at(-1));
  postMessage([files.filter((name) => name.endsWith(".wasm")).sort(), inbox.takeOutbound().length]);
};
`;
// What a careful page allows: no inline styles, wasm but no eval, nothing from elsewhere.
const POLICY = "default-src 'none'; connect-src 'self'; worker-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'";

const trace = read(readFileSync(join(root, "tests/traces/a2a/kagent-0.10--reload-while-pending.json"), "utf8"));
const waiting = trace.value.get("steps").value.findLast((step) => step.value.has("restore")).value.get("restore").text;
const tool = member(member(trace.value.get("steps").value.find((step) => step.value.has("cards")), "cards").value[0], "tool").value;

let browser;
before(async () => (browser = await launch()));
after(() => browser?.close());

/**
 * A page that is served a copy of the package without some of its files; `page.files` are the wasm files it asked for.
 * `apart`: with the single modules that the package's scripts are made of, so that one can be got at.
 */
async function open(t, { without = [], expectedErrors = [], apart = false, headers = {} } = {}) {
  const staged = join(root, "target/element-parts");
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  cpSync(join(folder, "dist"), join(staged, "dist"), { recursive: true });
  if (apart) cpSync(modules, join(staged, "dist"), { recursive: true });
  for (const file of without) rmSync(join(staged, "dist/wasm", file));
  for (const [name, text] of [["index.html", PAGE], ["favicon.ico", ""], ["worker.js", WORKER]]) writeFileSync(join(staged, name), text);
  const server = await serveFolder(staged, { headers: { "content-security-policy": POLICY, ...headers } });
  const context = await profile(t, browser);
  t.after(() => server.close());
  const page = await openPage(t, context, server.origin, { expectedErrors });
  page.files = [];
  page.on("request", (request) => /\.wasm$/.test(request.url()) && page.files.push(request.url().replace(/.*\//, "")));
  return page;
}

/** Puts an element into the page and lets it receive the waiting task. */
const show = (page, { adapter, message = waiting, options = {}, properties = {} } = {}) =>
  page.evaluate(
    async ([adapter, message, options, properties]) => {
      await import("./dist/define.js");
      const element = document.createElement("countersign-inbox");
      if (adapter) element.setAttribute("adapter", adapter);
      Object.assign(globalThis, { element, sent: [], errors: [], rejected: [] });
      Object.assign(element, { options }, properties);
      element.addEventListener("countersign-send", ({ detail }) => {
        sent.push(detail.body);
        detail.respondWith(Promise.resolve());
      });
      element.addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));
      document.body.append(element);
      await element.restore(message).catch((error) => rejected.push(error.code));
    },
    [adapter, message, options, properties],
  );

/** Waits until these parts have arrived. */
const arrive = (page, ...names) =>
  page.waitForFunction(
    (names) =>
      names.every((part) => performance.getEntriesByType("resource").some(({ name, responseStatus }) => name.endsWith(`_${part}.wasm`) && responseStatus === 200)),
    names,
  );

const button = (page, name) => page.getByRole("button", { name: new RegExp(`^${name}`) }).first();
const card = (page) => page.getByText(tool, { exact: true }).first().waitFor();
const status = (page, wanted) => page.waitForFunction((wanted) => element.inbox.requests()[0]?.status === wanted, wanted);

for (const adapter of ["a2a", undefined]) {
  test(`until the first card only its adapter is downloaded, then the rest (adapter: ${adapter ?? "auto"})`, async (t) => {
    const page = await open(t);
    // What comes later is held back, unless the page stands still for it.
    let release;
    const held = new Promise((resolve) => (release = resolve));
    const standstills = [];
    await page.route(/_(deciding|rest)\.wasm$/, async (route) => {
      if (route.request().resourceType() === "xhr") standstills.push(route.request().url());
      else await held;
      await route.continue();
    });
    await show(page, { adapter });
    await card(page);
    const early = page.files.filter((file) => !/_(deciding|rest)\.wasm$/.test(file));
    assert.deepEqual([early.sort(), standstills], [["countersign_a2a.wasm", "countersign_bg.wasm"], []]);
    release();
    await arrive(page, "deciding", "rest");
    assert.deepEqual(page.files.sort(), ["a2a", "bg", "deciding", "rest"].map((part) => `countersign_${part}.wasm`));
  });
}

test("whatever its options and its words are, a page never stands still before its first card", async (t) => {
  const given = {
    annotations: { options: { annotations: { [tool]: { destructiveHint: true } } } },
    extend: { options: { extend: true } },
    grants: { options: { grants: [] } },
    policy: { options: { policy: { rules: [{ name: "none", tool: "other", effect: "allow" }] } } },
    rejectionPresets: { options: { rejectionPresets: ["no"] } },
    risk: { options: { risk: [{ tool, args: [{ pointer: "/n", above: 5 }], level: "high", reason: "its owner says so" }] } },
    schemas: { options: { schemas: { [tool]: { type: "object", properties: { n: { type: "string", writeOnly: true } } } } } },
    sendDigests: { options: { sendDigests: true } },
    shortcuts: { options: { shortcuts: { approve: "Alt+A" } } },
    locale: { properties: { locale: "de" } },
    messages: { properties: { messages: { approve: "YES" } } },
    plain: {
      options: {
        ...{ a2a: { edits: "declared" }, adk: {}, adalflow: { timeout_s: 30 }, armDelay: 10, haystack: { reject_template: "No." } },
        ...{ holdBatches: 0, holdRejections: 0, limits: { argsBytes: 100_000 }, locale: "en", now: 1 },
      },
    },
  };
  const waits = {};
  for (const [name, what] of Object.entries(given)) {
    const page = await open(t);
    waits[name] = [];
    page.on("request", (request) => request.resourceType() === "xhr" && waits[name].push(request.url()));
    await show(page, { adapter: "a2a", ...what });
    await card(page);
    assert.deepEqual(await page.evaluate(() => errors), [], name);
    await page.close();
  }
  assert.deepEqual(waits, Object.fromEntries(Object.keys(given).map((name) => [name, []])));
});

test("what edits take is downloaded where a call can be edited", async (t) => {
  const page = await open(t);
  await show(page, { adapter: "a2a", options: { a2a: { edits: "always" } } });
  await card(page);
  await arrive(page, "editing");
  assert.ok(!page.files.includes("countersign_schema.wasm"));
});

test("what holds arguments against a schema is downloaded where a call has one", async (t) => {
  const page = await open(t);
  await show(page, { adapter: "a2a", options: { schemas: { [tool]: { type: "object" } } } });
  await card(page);
  await arrive(page, "schema");
  assert.ok(!page.files.includes("countersign_policy.wasm"));
});

test("what answers without a person is downloaded along with the first file where the page has a policy or grants", async (t) => {
  const page = await open(t);
  const ways = [];
  page.on("request", (request) => request.url().endsWith("_policy.wasm") && ways.push(request.resourceType()));
  await show(page, { adapter: "a2a", options: { grants: [] } });
  await card(page);
  // The page did not stand still for it.
  assert.deepEqual([await page.evaluate(() => errors), ways], [[], ["fetch"]]);
  assert.ok(!page.files.includes("countersign_schema.wasm"));
});

test("a page that may not stand still has everything before it begins", async (t) => {
  const page = await open(t, { headers: { "permissions-policy": "sync-xhr=()" } });
  const ways = [];
  page.on("request", (request) => /\.wasm$/.test(request.url()) && ways.push(request.resourceType()));
  await show(page, { adapter: "a2a", options: { grants: [], risk: [{ tool, level: "high", reason: "its owner says so" }], rejectionPresets: ["no"], shortcuts: false } });
  await card(page);
  const read = await page.evaluate(async () => {
    await element.receive("no message");
    return element.inbox.requests()[0].risk.level;
  });
  assert.equal(read, "high");
  await button(page, "Reject").click();
  await button(page, "Send rejection").click();
  await button(page, "Undo").click();
  await status(page, "pending");
  assert.deepEqual(await page.evaluate(() => rejected), []);
  assert.ok(ways.length > 4 && ways.every((way) => way === "fetch"), ways.join());
});

for (const [what, given] of [["what policies need besides", { options: { grants: [] } }], ["what other words than English take", { properties: { locale: "de" } }]]) {
  test(`${what} is asked for again as well, before the wasm begins`, async (t) => {
    const page = await open(t, { expectedErrors: [/503/, /rest/] });
    let isAway = true;
    await page.route(/_rest\.wasm$/, (route) => (isAway ? route.fulfill({ status: 503 }) : route.continue()));
    const shown = show(page, { adapter: "a2a", ...given });
    await page.getByRole("alert").getByText("the part `rest` could not be loaded").waitFor();
    isAway = false;
    await shown;
    await card(page);
    await press(page.locator("[part~=approve-button]").first());
    await status(page, "sent");
  });
}

test("a page in which nothing is loaded ahead works the same", async (t) => {
  const page = await open(t, { apart: true });
  await page.evaluate(async () => {
    const { parts } = await import("./dist/wasm/countersign.js");
    parts.prefetch = async () => {};
  });
  await show(page);
  await card(page);
  await button(page, "Reject").click();
  await button(page, "Send rejection").click();
  await button(page, "Undo").click();
  await status(page, "pending");
  await press(button(page, "Approve"));
  await status(page, "sent");
  const { sent, errors, audit } = await page.evaluate(() => ({ sent, errors, audit: element.inbox.audit().trim().split("\n").length }));
  assert.deepEqual([sent.length, errors], [1, []]);
  assert.ok(audit > 3);
});

test("a worker loads an adapter in the middle of its work", async (t) => {
  const page = await open(t);
  const answer = await page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker("./worker.js", { type: "module" });
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(message);
      }),
    waiting,
  );
  assert.deepEqual(answer, [["headless_a2a.wasm", "headless_bg.wasm"], 1]);
});

test("what could not be had while the server was away is loaded once it is back, before anybody needs it", async (t) => {
  const page = await open(t, { expectedErrors: [/503/] });
  let isAway = true;
  await page.route(/_(deciding|rest)\.wasm$/, (route) => (isAway ? route.fulfill({ status: 503 }) : route.continue()));
  await show(page);
  await card(page);
  await page.waitForFunction(() => ["deciding", "rest"].every((name) => performance.getEntriesByType("resource").some((entry) => entry.name.endsWith(`_${name}.wasm`))));
  assert.deepEqual(await page.evaluate(() => errors), []);
  isAway = false;
  await arrive(page, "deciding", "rest");
  await press(button(page, "Approve"));
  await status(page, "sent");
  assert.deepEqual(await page.evaluate(() => [sent.length, errors]), [1, []]);
});

test("an adapter that is missing is told in place, by the promise and by the event, and what else arrives is read", async (t) => {
  const page = await open(t, { without: ["countersign_a2a.wasm"], expectedErrors: [/404/] });
  await show(page);
  const found = await page.evaluate(() => [errors, rejected, element.inbox.requests().length]);
  assert.deepEqual(found, [["part-missing"], ["part-missing"], 0]);
  assert.match(await page.getByRole("alert").innerText(), /Nothing can be decided here.*\nthe part `a2a` could not be loaded/);
  // Nobody knows that nothing waits.
  assert.equal(await page.getByText("Nothing waits for you.").evaluate((line) => line.closest("[inert]") !== null), true);
  const problems = await page.evaluate(async () => (await element.receive('{"nobody":"knows this"}')).problems.length);
  assert.equal(problems, 1);
});

test("what arrived while an adapter could not be had is read in its order once it can, and the element is as it should be", async (t) => {
  const page = await open(t, { expectedErrors: [/503/] });
  let isAway = true;
  await page.route(/_a2a\.wasm$/, (route) => (isAway ? route.fulfill({ status: 503 }) : route.continue()));
  await show(page, { adapter: "a2a" });
  await page.getByRole("alert").waitFor();
  // Of what was received first, nothing is left after a history.
  const other = waiting.replaceAll(tool, "another_tool");
  await page.evaluate(async (messages) => {
    for (const [way, message] of messages) await element[way](message).catch((error) => rejected.push(error.code));
  }, [["receive", waiting], ["restore", other]]);
  assert.deepEqual(await page.evaluate(() => [errors, rejected]), [["part-missing"], Array(3).fill("part-missing")]);
  // An element that is put elsewhere still knows that it does not know.
  await page.evaluate(() => document.body.append(element));
  await page.waitForFunction(() => errors.length === 2);
  await page.getByRole("alert").waitFor();
  isAway = false;
  await page.getByText("another_tool", { exact: true }).first().waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.equal(await page.evaluate(() => element.inbox.requests().length), 1);
  await press(button(page, "Approve"));
  await status(page, "sent");
  assert.deepEqual(await page.evaluate(() => sent.length), 1);
});

test("what policies take and cannot be had is said by the element that needs it; the others go on, and it appears later", async (t) => {
  const page = await open(t, { expectedErrors: [/503/, /policy/] });
  let isAway = true;
  await page.route(/_policy\.wasm$/, (route) => (isAway ? route.fulfill({ status: 503 }) : route.continue()));
  await show(page, { adapter: "a2a" });
  await card(page);
  await page.evaluate(() => {
    const policy = Object.assign(document.createElement("countersign-policy"), { tools: [{ name: "one" }], configuration: '{"one":true}', format: "tool_approvals" });
    policy.addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));
    const ruled = Object.assign(document.createElement("countersign-inbox"), { options: { policy: { rules: [] } } });
    document.body.append(policy, ruled);
    Object.assign(globalThis, { policy, ruled });
  });
  for (const tag of ["countersign-policy", "countersign-inbox >> nth=1"]) {
    await page.locator(tag).getByRole("alert").getByText("the part `policy` could not be loaded").waitFor();
  }
  await press(button(page, "Approve"));
  await status(page, "sent");
  assert.deepEqual(await page.evaluate(() => [errors, sent.length]), [["part-missing"], 1]);
  isAway = false;
  await page.getByRole("switch").waitFor();
  await page.waitForFunction(() => ruled.inbox?.requests().length === 0);
  assert.equal(await page.getByRole("alert").count(), 0);
});

test("a browser that gives shadow roots no style sheet draws no card, and the element says so", async (t) => {
  const page = await open(t, { expectedErrors: [/too old/] });
  await page.evaluate(() => {
    for (const name of ["adoptedStyleSheets"]) for (const it of [Document, ShadowRoot]) delete it.prototype[name];
  });
  await show(page, { adapter: "a2a" });
  assert.match(await page.getByRole("alert").innerText(), /^this browser is too old/);
  assert.deepEqual(await page.evaluate(() => [errors, element.inbox.requests().length]), [["browser-unsupported"], 1]);
  assert.equal(await page.getByRole("button").count(), 0);
});

test("so does a document that is imitated for tests, and nothing is thrown", async (t) => {
  const page = await open(t, { expectedErrors: [/too old/] });
  await page.evaluate(() => {
    for (const it of [Document, ShadowRoot]) delete it.prototype.adoptedStyleSheets;
    delete Element.prototype.part;
  });
  await show(page, { adapter: "a2a" });
  assert.match(await page.getByRole("alert").innerText(), /^this browser is too old/);
});

test("validateArgs cannot be had without its part, which is told, and the element goes on", async (t) => {
  const page = await open(t, { without: ["countersign_schema.wasm"], expectedErrors: [/404/] });
  await show(page, { adapter: "a2a" });
  await card(page);
  const code = await page.evaluate(async () => {
    const { validateArgs } = await import("./dist/index.js");
    try {
      return validateArgs({}, "{}").valid;
    } catch (error) {
      return error.code;
    }
  });
  assert.equal(code, "part-missing");
  await press(button(page, "Approve"));
  await status(page, "sent");
  assert.deepEqual(await page.evaluate(() => [sent.length, errors]), [1, []]);
});

test("what a decision needs and cannot be had ends the element with an error: nothing is sent", async (t) => {
  const page = await open(t, { without: ["countersign_deciding.wasm"], expectedErrors: [/404/, /deciding/] });
  await show(page);
  await card(page);
  await steady(button(page, "Approve"));
  // It may end with the press already, and then nothing is there to be released.
  const { x, y } = await button(page, "Approve").boundingBox();
  await page.mouse.move(x + 9, y + 9);
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForFunction(() => errors.includes("part-missing"));
  const found = await page.evaluate(() => {
    try {
      return [sent, element.inbox.takeOutbound()];
    } catch (error) {
      return [sent, error.code];
    }
  });
  assert.deepEqual(found, [[], "part-missing"]);
  // It says so in its place, and what stands there cannot be pressed or reached any more.
  assert.match(await page.getByRole("alert").innerText(), /Nothing can be decided here/);
  await button(page, "Approve").focus();
  assert.equal(await page.evaluate(() => element.shadowRoot.activeElement), null);
  await page.evaluate(() => element.remove());
  await page.evaluate(() => document.body.append(element));
  await page.getByRole("alert").waitFor();
});
