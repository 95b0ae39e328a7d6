// `countersign/react` under each major version of React, and `countersign/vue`: properties count when they are given, and later
// ones as the guide says.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { install, pack, place, stage } from "./install.mjs";

const run = promisify(execFile);
const { devDependencies: installed } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const FRAMEWORKS = [
  { name: "React", project: "react-options", version: "18.3.1", packages: ["react", "react-dom"] },
  { name: "React", project: "react-options", version: installed.react, packages: [] },
  { name: "Vue", project: "vue-options", version: installed.vue, packages: [] },
];

let browser;
before(async () => {
  install(pack());
  browser = await launch();
});
after(() => browser?.close());

/** The folder of a built page; what is not installed for all projects is installed for this one. */
async function build({ project, version, packages }) {
  const folder = stage(project);
  const wanted = packages.map((name) => `${name}@${version}`);
  if (wanted.length > 0) await run("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...wanted], { cwd: folder });
  const env = { ...process.env, NODE_ENV: "production" };
  await run(process.execPath, [join(place, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], { cwd: folder, env });
  return join(folder, "dist");
}

for (const framework of FRAMEWORKS) {
  const { name, version } = framework;
  test(`${name} ${version}`, async (t) => {
    const server = await serveFolder(await build(framework));
    t.after(() => server.close());

    const open = async (u, properties, options, component = "CountersignInbox") => {
      const page = await openPage(u, await profile(u, browser), server.origin, options);
      await page.waitForFunction(() => globalThis.ready);
      assert.equal(await page.evaluate(() => globalThis.version), version);
      await page.evaluate(`begin(${properties}, "${component}")`);
      await page.locator("countersign-inbox, countersign-card, countersign-policy").waitFor({ state: "attached" });
      return page;
    };
    const restore = (page) => page.evaluate(() => document.querySelector("countersign-inbox").restore(globalThis.task));
    const lasting = (page) => page.locator("[part~=always-button]");

    await t.test("options that are given at once count, also where the wasm is there already", async (u) => {
      const page = await open(u, '{ className: "calls", adapter: "a2a", options: { grants: [], locale: "de" }, onSend: async ({ body }) => sent.push(body) }');
      assert.equal(await page.locator("countersign-inbox").getAttribute("class"), "calls");
      await restore(page);
      await lasting(page).waitFor();
      await page.locator("[part~=approve-button]").filter({ hasText: "Genehmigen" }).waitFor();
      await press(page.locator("[part~=approve-button]"));
      await page.waitForFunction(() => sent.length === 1);
    });

    await t.test("other options count until something has arrived", async (u) => {
      const page = await open(u, "{}");
      await page.evaluate(() => give({ options: { grants: [] } }));
      await restore(page);
      await lasting(page).waitFor();
      // An inbox keeps the rules under which its cards were judged; its words may change.
      await page.evaluate(() => give({ options: { locale: "de" } }));
      await page.locator("[part~=approve-button]").filter({ hasText: "Genehmigen" }).waitFor();
      assert.equal(await lasting(page).count(), 1);
    });

    await t.test("an inbox that somebody has asked for is not made anew", async (u) => {
      const page = await open(u, "{}");
      const same = await page.evaluate(async () => {
        const element = document.querySelector("countersign-inbox");
        const { inbox } = element;
        give({ options: { grants: [] } });
        await new Promise((done) => setTimeout(done, 100));
        return element.inbox === inbox;
      });
      assert.equal(same, true);
    });

    await t.test("an inbox is shown when it is given, and given up when it is taken away", async (u) => {
      const page = await open(u, "{}");
      await page.evaluate(() => {
        globalThis.shared = new Inbox({ adapter: "a2a" });
        globalThis.shared.restore(globalThis.task);
        give({ inbox: globalThis.shared, onSend: async ({ body }) => sent.push(["first", body]) });
      });
      await page.locator("[part~=approve-button]").waitFor();
      await page.evaluate(() => give({ inbox: globalThis.shared, onSend: async ({ body }) => sent.push(["newest", body]) }));
      await press(page.locator("[part~=approve-button]"));
      await page.waitForFunction(() => sent.length > 0);
      assert.deepEqual(await page.evaluate(() => sent.map(([who]) => who)), ["newest"]);
      await page.evaluate(() => give({}));
      await eventually(async () => assert.equal(await page.locator("[part~=card]").count(), 0));
      assert.equal(await page.evaluate(() => document.querySelector("countersign-inbox").inbox === globalThis.shared), false);
    });

    await t.test("a language, words and a connector count when they are given and when they change", async (u) => {
      const page = await open(u, '{ locale: "de" }');
      await page.evaluate(() => {
        const connect = async (inbox) => {
          sent.push(["connected"]);
          inbox.restore(globalThis.task);
        };
        globalThis.connector = { connect, send: async ({ body }) => sent.push(["sent", body]) };
        give({ locale: "de", connector });
      });
      const approve = page.locator("[part~=approve-button]");
      await approve.filter({ hasText: "Genehmigen" }).waitFor();
      await page.evaluate(() => give({ locale: "de", connector, messages: { approve: "Ja" } }));
      await approve.filter({ hasText: "Ja" }).waitFor();
      await page.evaluate(() => give({ connector }));
      await approve.filter({ hasText: "Approve" }).waitFor();
      await press(approve);
      await page.waitForFunction(() => sent.some(([what]) => what === "sent"));
      assert.equal(await page.evaluate(() => sent.filter(([what]) => what === "connected").length), 1);
    });

    await t.test("a wish for more time reaches its handler", async (u) => {
      const page = await open(u, "{ onExtend: async (requestId) => requestId.length }");
      await page.evaluate(() => {
        const respondWith = (until) => until.then((moment) => sent.push(moment));
        document.querySelector("countersign-inbox").dispatchEvent(new CustomEvent("countersign-extend", { detail: { requestId: "t1/r1", respondWith } }));
      });
      await page.waitForFunction(() => sent.length === 1);
      assert.deepEqual(await page.evaluate(() => sent), [5]);
    });

    await t.test("a wish for more time on a card reaches the card's handler", async (u) => {
      const page = await open(u, '{ requestId: "t1/r1", onExtend: async (requestId) => requestId.length }', {}, "CountersignCard");
      await page.evaluate(() => {
        const respondWith = (until) => until.then((moment) => sent.push(moment));
        document.querySelector("countersign-card").dispatchEvent(new CustomEvent("countersign-extend", { detail: { requestId: "t1/r1", respondWith } }));
      });
      await page.waitForFunction(() => sent.length === 1);
      assert.deepEqual(await page.evaluate(() => sent), [5]);
    });

    await t.test("a card names the element whose inbox it shares, and is given new words once", async (u) => {
      const page = await open(u, '{ requestId: "t1/r1", inboxId: "calls" }', {}, "CountersignCard");
      const card = page.locator("countersign-card");
      assert.equal(await card.getAttribute("inbox-id"), "calls");
      await page.evaluate(() => {
        const set = ({ approve }) => sent.push(approve);
        Object.defineProperty(document.querySelector("countersign-card"), "messages", { set });
        give({ requestId: "t1/r1", messages: { approve: "Ja" } });
      });
      await eventually(async () => assert.equal(await card.getAttribute("inbox-id"), null));
      assert.deepEqual(await page.evaluate(() => sent), ["Ja"]);
    });

    await t.test("what becomes due while the component is hidden is sent, then or when it is shown again", async (u) => {
      const page = await open(u, '{ adapter: "a2a", options: { holdRejections: 300 }, onSend: async ({ body }) => sent.push(body) }');
      await restore(page);
      await page.evaluate(() => {
        globalThis.inbox = document.querySelector("countersign-inbox").inbox;
        inbox.decide("r1", { kind: "reject" });
        hide();
      });
      await page.waitForFunction(() => !document.querySelector("countersign-inbox")?.checkVisibility());
      await page.waitForTimeout(1000);
      await page.evaluate(() => show());
      await page.locator("[part~=inbox]").waitFor();
      await eventually(async () => assert.equal(await page.evaluate(() => inbox.requests()[0].status), "sent"));
      assert.equal(await page.evaluate(() => sent.length), 1);
    });

    await t.test("a panel of tools takes what it is given, also later, and tells of what a person turns", async (u) => {
      const given = '{ tools: [{ name: "ls" }, { name: "rm" }], locale: "de", onPolicyChange: ({ configuration }) => sent.push(configuration), onError: ({ path }) => sent.push(path) }';
      const page = await open(u, `{ ...${given}, className: "tools", configuration: '{"ls":true,"rm":false}' }`, {}, "CountersignPolicy");
      assert.equal(await page.locator("countersign-policy").getAttribute("class"), "tools");
      const turn = (tool) => page.getByRole("switch", { name: `Genehmigung verlangen: ${tool}`, exact: true });
      await press(turn("rm"));
      await eventually(async () => assert.deepEqual(await page.evaluate(() => sent), ['{"ls":true,"rm":true}']));
      await page.evaluate(`give({ ...${given}, configuration: sent[0], readOnly: true })`);
      await page.locator("countersign-policy [aria-disabled=true]").nth(1).waitFor();
      await page.evaluate(`give({ ...${given}, configuration: '{"ls":false,"rm":false}', format: "interrupt_on" })`);
      await page.locator("countersign-policy:not([readonly])").waitFor();
      await press(turn("ls"));
      await eventually(async () => assert.deepEqual((await page.evaluate(() => sent)).slice(1), ['{"ls":true,"rm":false}']));
      await page.evaluate(`give({ ...${given}, configuration: "{", format: "haystack" })`);
      await eventually(async () => assert.equal((await page.evaluate(() => sent)).at(-1), "/configuration"));
      assert.equal(await page.evaluate(() => sent.length), 3);
    });

    await t.test("an option that cannot be is told, and nothing is shown", async (u) => {
      const page = await open(u, '{ options: {}, onError: ({ code }) => sent.push(code) }', { expectedErrors: [/\/policy\/rules/] });
      await page.evaluate(() => give({ options: { policy: { rules: 7 } }, onError: ({ code }) => sent.push(code) }));
      await page.waitForFunction(() => sent.includes("options-invalid"));
      await eventually(async () => assert.equal(await page.locator("[part~=inbox]").count(), 0));
      await page.evaluate(() => give({ options: {} }));
      await page.locator("[part~=inbox]").waitFor({ state: "attached" });
    });
  });
}
