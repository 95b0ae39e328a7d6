// Watches what of the wasm runs until a first card is decided; `cargo xtask npm` splits the wasm by it.
//
//   node tests/package/profile.mjs <countersign | headless> <file to write>
//
// In the package that is watched, every function of the wasm sets an exported global when it runs, and another when it goes on after a fork.
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

import { member, read } from "./lossless.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const built = join(root, "target/npm/countersign/dist");
const [half, file] = process.argv.slice(2);

const UNKNOWN = '{"nobody":"knows this"}';
const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Profile</title><body></body>`;

/** The recorded conversations, or those that were written too, up to their first card: `{ adapter, options, messages }`. */
function conversations(recursive = false) {
  const folder = join(root, "tests/traces");
  const adapters = readdirSync(folder).filter((name) => name !== "policy");
  return adapters.sort().flatMap((adapter) => {
    const files = readdirSync(join(folder, adapter), { recursive }).filter((name) => name.endsWith(".json"));
    return files.sort().map((name) => conversation(adapter, read(readFileSync(join(folder, adapter, name), "utf8"))));
  });
}

function conversation(adapter, trace) {
  const messages = [];
  for (const step of trace.value.get("steps").value) {
    const way = ["receive", "restore"].find((key) => step.value.has(key));
    const cards = step.value.get("cards")?.value ?? [];
    if (way) messages.push([way, member(step.value.get(way), "$text")?.value ?? step.value.get(way).text]);
    else if (step.value.has("decide") || cards.some((card) => member(card, "status")?.value === "pending")) break;
  }
  return { adapter, options: JSON.parse(member(trace, "options")?.text ?? "{}"), messages };
}

/** Every recorded message: which adapter it is for has to be seen before any adapter is there. */
const everything = () =>
  conversations(true).flatMap(({ messages }) => messages.map(([, text]) => text)).filter((text, at, all) => all.indexOf(text) === at);

/** What ran, as indices of functions and numbers of forks. */
const marks = (wasm) =>
  Object.keys(wasm).filter((name) => /^ran\d+$/.test(name) && wasm[name].value === 1).map((name) => Number(name.slice(3)));

async function headless() {
  const { init, Inbox, inspectArgs, versions } = await import(join(built, "headless.node.js"));
  await init();
  const { default: load, adapterOf, parts } = await import(join(built, "wasm/headless.js"));
  // The parts are all in the one file that is watched.
  parts.has = () => true;
  for (const text of everything()) adapterOf(new TextEncoder().encode(text));
  const inbox = new Inbox();
  inbox.receive(UNKNOWN);
  inspectArgs("{}");
  inbox.grants();
  versions();
  const always = marks(await load());
  for (const { adapter, options, messages } of conversations()) {
    const inbox = new Inbox({ adapter, ...options });
    for (const [way, text] of messages) inbox[way](text);
    const card = inbox.requests().find(({ status, offers }) => status === "pending" && offers.some(({ kind }) => kind === "approve"));
    if (card) inbox.decide(card.id, { kind: "approve" });
    for (const { id } of inbox.takeOutbound()) inbox.delivered(id);
    inbox.audit();
  }
  return { always, painted: always, decided: marks(await load()) };
}

async function element() {
  const staged = join(root, "target/npm/watched");
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  writeFileSync(join(staged, "index.html"), PAGE);
  symlinkSync(built, join(staged, "dist"), "junction");
  const { serveFolder } = await import("../browser/harness/server.mjs");
  const server = await serveFolder(staged);
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, headless: true, args: ["--no-sandbox"] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.setDefaultTimeout(20_000);
    await page.goto(server.origin);
    await page.evaluate(async () => {
      const { default: load } = await import("./dist/wasm/countersign.js");
      const { runtime } = await import("./dist/full.js");
      // The parts are all in the one file that is watched.
      runtime.parts.has = () => true;
      await import("./dist/define.js");
      globalThis.frames = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      globalThis.open = (adapter, options = {}) => {
        const element = document.createElement("countersign-inbox");
        if (adapter) element.setAttribute("adapter", adapter);
        element.options = options;
        element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
        document.body.append(element);
        return element;
      };
      const element = open();
      await element.receive('{"nobody":"knows this"}');
      await frames();
      element.inbox.grants();
      element.remove();
      globalThis.ran = async () => {
        const wasm = await load();
        return Object.keys(wasm).filter((name) => /^ran\d+$/.test(name) && wasm[name].value === 1).map((name) => Number(name.slice(3)));
      };
    });
    const recognise = async (texts) => {
      const { adapterOf } = await import("./dist/wasm/countersign.js");
      for (const text of texts) adapterOf(new TextEncoder().encode(text));
    };
    await page.evaluate(recognise, everything());
    const always = await page.evaluate(() => ran());
    const play = async (decides) => {
      for (const { adapter, options, messages } of conversations()) await page.evaluate(show, [adapter, options, messages, decides]);
      return page.evaluate(() => ran());
    };
    const painted = await play(false).then(() => wait(page)).then(() => page.evaluate(() => ran()));
    await act(page);
    return { always, painted, decided: await play(true) };
  } finally {
    await browser.close();
    await server.close();
  }
}

/** In the page: a conversation until its cards are there, then perhaps a decision, as a host's own button would make it. */
async function show([adapter, options, messages, decides]) {
  const element = open(adapter, options);
  for (const [way, text] of messages) await element[way](text);
  await frames();
  const card = element.inbox.requests().find(({ status }) => status === "pending");
  if (decides && card?.offers.some(({ kind }) => kind === "approve")) {
    element.inbox.decide(card.id, { kind: "approve" });
    await frames();
  }
  element.remove();
}

/** How many times slower the page runs for once: what is late there, or comes in another order, is looked at too. */
const SLOWER = 8;

/**
 * A card until it can be decided, and a second longer: what the clock changes belongs to what is looked at. It comes with the
 * element, or into one that was drawn before, as while its adapter is loaded.
 */
async function wait(page) {
  const session = await page.context().newCDPSession(page);
  const [adapter, ...conversation] = ordinary();
  for (const rate of [1, SLOWER]) {
    await session.send("Emulation.setCPUThrottlingRate", { rate });
    for (const known of [adapter, undefined]) {
      await page.evaluate(present, [known, ...conversation, known === undefined]);
      await page.locator('[part~="approve-button"]:not([aria-disabled])').first().waitFor();
      await page.waitForTimeout(1200);
      await page.evaluate(() => {
        // A page may be left before any part is there, and a browser loads nothing for it then.
        Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
        document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
        delete document.visibilityState;
        element.remove();
      });
    }
  }
  await session.send("Emulation.setCPUThrottlingRate", { rate: 1 });
}

const ordinary = () => {
  const { adapter, options, messages } = conversations().find(({ messages }) => messages.length > 0);
  return [adapter, options, messages];
};

/** In the page: an element that has received a conversation, at once or after it was drawn without one. */
async function present([adapter, options, messages, isDrawn = false]) {
  globalThis.element = open(adapter, options);
  if (isDrawn) await frames();
  for (const [way, text] of messages) await element[way](text);
}

/** A person approves a first card, and rejects and undoes on another. */
async function act(page) {
  for (const decide of [
    // A card that just appeared cannot be decided yet; the click waits for it.
    async (button) => button("approve").click(),
    async (button) => {
      for (const name of ["reject", "send-rejection", "undo"]) await button(name).click();
    },
  ]) {
    await page.evaluate(present, ordinary());
    await decide((name) => page.locator(`[part~="${name}-button"]`).first());
    await page.waitForTimeout(100);
    await page.evaluate(() => element.remove());
  }
}

const { always, painted, decided } = half === "headless" ? await headless() : await element();
const sorted = (list) => [...list].sort((a, b) => a - b);
writeFileSync(file, `${JSON.stringify({ always: sorted(always), painted: sorted(painted), decided: sorted(decided) })}\n`);
