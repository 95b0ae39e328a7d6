// `useConnector` and `useConnectorState` of `countersign/react`, under each major version of React, and of `countersign/vue`: a
// component has the connector of its thread, one at a time, and no other.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";

import { launch, openPage, profile } from "../browser/harness/browser.mjs";
import { atEnd } from "../browser/harness/ending.mjs";
import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { serveFolder } from "../browser/harness/server.mjs";
import { install, pack, place, stage } from "./install.mjs";

const run = promisify(execFile);
const { devDependencies: installed } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));
const FRAMEWORKS = [
  { name: "React", project: "react-connector", component: "calls.jsx", version: "18.3.1", packages: ["react", "react-dom"] },
  { name: "React", project: "react-connector", component: "calls.jsx", version: installed.react, packages: [] },
  { name: "Vue", project: "vue-connector", component: "Calls.vue", version: installed.vue, packages: [] },
];

let browser;
before(async () => {
  install(pack());
  browser = await launch();
});
after(() => browser?.close());

/** Builds the page with a development build of the framework, which runs effects twice and complains; its folder. */
async function build({ project, version, packages }) {
  const folder = stage(project);
  const wanted = packages.map((name) => `${name}@${version}`);
  if (wanted.length > 0) await run("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...wanted], { cwd: folder });
  const env = { ...process.env, NODE_ENV: "development" };
  await run(process.execPath, [join(place, "node_modules/vite/bin/vite.js"), "build", "--mode", "development", "--logLevel", "warn"], { cwd: folder, env });
  return join(folder, "dist");
}

/** Rejects the call that is shown; the rejection is held. */
async function reject(page) {
  await page.locator("[part~=reject-button]").click();
  await page.locator("[part~=send-rejection-button]").click();
  await page.locator("[part~=undo-button]").waitFor();
}

const log = (page) => page.evaluate(() => globalThis.log);
const open = (page) => page.evaluate(() => globalThis.open());
const card = (page, thread) => page.locator("[part~=card]").filter({ hasText: `/srv/${thread}` });
const says = (page, words) => page.locator("output").filter({ hasText: new RegExp(`^${words}$`) }).waitFor();

for (const framework of FRAMEWORKS) {
  const { name, version } = framework;
  test(`${name} ${version}`, async (t) => {
    const server = await serveFolder(await build(framework));
    t.after(() => server.close());

    /** The page, whose component must never have had the connector of another thread, or one that was closed. */
    const visit = async (u, first, { act = "begin", told = [] } = {}) => {
      const page = await openPage(u, await profile(u, browser), server.origin);
      const complaints = [];
      page.on("console", (message) => message.type() === "warning" && complaints.push(message.text()));
      await page.waitForFunction(() => globalThis.ready);
      assert.equal(await page.evaluate(() => globalThis.version), version);
      atEnd(u, async () => {
        assert.deepEqual(complaints, []);
        const { drawn, errors } = await page.evaluate(() => ({ drawn: globalThis.drawn, errors: globalThis.errors }));
        assert.deepEqual(errors, told, "what the elements told");
        assert.ok(drawn.length > 0);
        assert.deepEqual(drawn.filter(({ thread, connected }) => connected !== null && connected !== thread), [], "connectors of another thread");
      });
      const html = await page.evaluate(([act, first]) => globalThis[act](first), [act, first]);
      return { page, html };
    };

    await t.test("what is made is connected, and what a person decides leaves by it", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await press(card(page, "a").locator("[part~=approve-button]"));
      await eventually(async () => assert.equal((await log(page)).at(-1), "a told confirm"));
      await says(page, "live");
      assert.deepEqual(await open(page), ["a"]);
    });

    await t.test("another thread has another connector, made once the one of before is closed", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await card(page, "a").waitFor();
      const before = (await log(page)).length;
      await page.evaluate(() => give({ thread: "b" }));
      await card(page, "b").waitFor();
      assert.equal(await page.locator("[part~=card]").count(), 1);
      assert.deepEqual((await log(page)).slice(before), ["a closed", "b made"]);
      await page.evaluate(() => give({ thread: "a" }));
      await card(page, "a").waitFor();
      assert.deepEqual(await open(page), ["a"]);
    });

    await t.test("the same thread keeps its connector, however often the component is drawn", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await card(page, "a").waitFor();
      const before = await log(page);
      await page.evaluate(() => give({ thread: "a", again: true }));
      await says(page, "live");
      await page.evaluate(() => give({ thread: "b" }));
      await card(page, "b").waitFor();
      assert.deepEqual(await log(page), [...before, "a closed", "b made"]);
    });

    await t.test("without a thread there is no connector, before and afterwards", async (u) => {
      const { page } = await visit(u, {});
      await page.getByText("No thread").waitFor();
      await says(page, "idle");
      await page.evaluate(() => give({ thread: "a" }));
      await card(page, "a").waitFor();
      await page.evaluate(() => give({ thread: "" }));
      await page.getByText("No thread").waitFor();
      await says(page, "idle");
      await eventually(async () => assert.deepEqual(await open(page), []));
    });

    await t.test("r43_a_rejection_that_is_held_leaves_in_its_own_thread_when_the_page_turns_to_another", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await reject(page);
      await page.evaluate(() => give({ thread: "b" }));
      await card(page, "b").waitFor();
      await eventually(async () => assert.deepEqual((await log(page)).filter((line) => line.includes("told")), ["a told reject"]));
    });

    await t.test("r43_a_rejection_that_is_held_leaves_when_the_component_goes", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await reject(page);
      await page.evaluate(() => give({ thread: "a", gone: true }));
      await page.getByText("Gone").waitFor();
      await eventually(async () => assert.deepEqual([(await log(page)).includes("a told reject"), await open(page)], [true, []]));
    });

    await t.test("the component is drawn as its connector connects, waits and fails", async (u) => {
      const { page } = await visit(u, {}, { told: ["unreachable", "backend-error"] });
      await says(page, "idle");
      await page.evaluate(() => {
        agent.answers = "away";
        give({ thread: "a" });
      });
      await says(page, "waiting unreachable");
      await page.evaluate(() => (agent.answers = "well"));
      await says(page, "live");
      const seen = await page.evaluate(() => drawn.map(({ state }) => state));
      assert.ok(seen.indexOf("waiting") > 0 && seen.lastIndexOf("live") > seen.indexOf("waiting"), seen.join());
      await page.evaluate(() => {
        agent.answers = "no";
        give({ thread: "b" });
      });
      await says(page, "failed backend-error");
      await page.evaluate(() => give({}));
      await says(page, "idle");
    });

    await t.test("a server makes nothing, and the browser takes over what it drew", async (u) => {
      const { page, html } = await visit(u, { thread: "a" }, { act: "takeOver" });
      assert.match(html, /<output>idle<\/output>.*<p>No thread<\/p>/);
      await page.waitForFunction(() => drawn.some(({ connected }) => connected));
      await card(page, "a").waitFor();
      assert.deepEqual(await open(page), ["a"]);
    });

    await t.test("calls that fold away in the page keep their connector", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await card(page, "a").waitFor();
      const before = await log(page);
      await page.evaluate(() => give({ thread: "a", folded: true }));
      await card(page, "a").waitFor({ state: "hidden" });
      await page.evaluate(() => give({ thread: "a" }));
      await card(page, "a").waitFor();
      assert.deepEqual(await log(page), before);
    });

    await t.test("r02_calls_that_are_taken_away_and_mounted_again_keep_their_connector_and_what_was_typed_and_are_decided_once", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await card(page, "a").waitFor();
      const first = (await log(page)).length;
      await card(page, "a").locator("[part~=reject-button]").click();
      await card(page, "a").locator("textarea").fill("not before Friday");
      await page.evaluate(() => give({ thread: "a", shut: true }));
      await card(page, "a").waitFor({ state: "detached" });
      await page.evaluate(() => give({ thread: "a" }));
      await card(page, "a").locator("[part~=reject-button]").click();
      assert.equal(await card(page, "a").locator("textarea").inputValue(), "not before Friday");
      await page.evaluate(() => {
        globalThis.before = document.querySelector("countersign-inbox");
        give({ thread: "a", view: 1 });
      });
      await page.waitForFunction(() => !before.isConnected);
      await reject(page);
      await page.evaluate(() => give({ thread: "a", view: 1, shut: true }));
      // Nobody can undo it any more.
      await eventually(async () => assert.deepEqual((await log(page)).slice(first), ["a told reject"]));
      await page.evaluate(() => give({ thread: "a" }));
      await card(page, "a").waitFor();
      assert.deepEqual([(await log(page)).slice(first), await open(page)], [["a told reject"], ["a"]]);
    });

    await t.test("a page that is kept and shown again has one connector that is open", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      if (!(await page.evaluate(() => keeps))) return;
      await reject(page);
      await page.evaluate(() => give({ thread: "a", away: true }));
      await page.locator("countersign-inbox:visible").waitFor({ state: "detached" });
      // Nobody can undo it any more.
      await eventually(async () => assert.equal((await log(page)).includes("a told reject"), true));
      await page.evaluate(() => give({ thread: "b", away: true }));
      await page.evaluate(() => give({ thread: "b" }));
      await card(page, "b").waitFor();
      assert.deepEqual(await open(page), ["b"]);
      await page.evaluate(() => give({ thread: "b", gone: true }));
      await page.getByText("Gone").waitFor();
      await eventually(async () => assert.deepEqual(await open(page), []));
    });

    if (name === "React") await t.test("a page that React hides while something is loaded keeps its connector", async (u) => {
      const { page } = await visit(u, { thread: "a" });
      await card(page, "a").waitFor();
      const before = await log(page);
      await page.evaluate(() => suspend());
      await page.getByText("Loading").waitFor();
      assert.deepEqual(await log(page), before);
      await page.evaluate(() => load());
      await card(page, "a").waitFor();
      // From React 19 on `StrictMode` runs the effects once more when it shows the page again.
      await eventually(async () => assert.deepEqual(await open(page), ["a"]));
      // In a transition the thread of before stays until all of the next can be shown.
      await page.evaluate(() => suspendInTurn({ thread: "b" }));
      await page.waitForFunction(() => drawn.at(-1).thread === "b");
      await card(page, "a").waitFor();
      assert.equal((await log(page)).includes("b made"), false, "what may never be shown makes nothing");
      await page.evaluate(() => load());
      await card(page, "b").waitFor();
      assert.deepEqual(await open(page), ["b"]);
    });

    if (name === "Vue") await t.test("nothing is made before all of a `<Suspense>` is there", async (u) => {
      const { page } = await visit(u, { gone: true, thread: "a" });
      await page.evaluate(() => {
        const { promise, resolve } = Promise.withResolvers();
        globalThis.load = resolve;
        give({ thread: "a", until: promise });
      });
      await page.getByText("Loading").waitFor();
      assert.deepEqual(await log(page), []);
      await page.evaluate(() => load());
      await card(page, "a").waitFor();
      assert.deepEqual(await log(page), ["a made"]);
    });
  });
}

for (const { name, version, project, component } of FRAMEWORKS.filter(({ packages }) => packages.length === 0)) {
  test(`${name} ${version}: a component that is changed while a developer works has one connector that is open`, async (t) => {
    const folder = stage(project);
    const { createServer } = await import(join(place, "node_modules/vite/dist/node/index.js"));
    const server = await createServer({
      root: folder,
      configFile: join(folder, "vite.config.js"),
      cacheDir: join(folder, "cache"),
      logLevel: "error",
      server: { host: "127.0.0.1", port: 0, fs: { allow: [realpathSync(place)] } },
    });
    await server.listen();
    t.after(() => server.close());
    const context = await profile(t, browser);
    // The server bundles what is imported before it answers the first time.
    context.setDefaultTimeout(120_000);
    const page = await openPage(t, context, server.resolvedUrls.local[0]);
    await page.waitForFunction(() => globalThis.ready);
    await page.evaluate(() => begin({ thread: "a" }));
    await card(page, "a").waitFor();
    const file = join(folder, component);
    writeFileSync(file, readFileSync(file, "utf8").replace("connect(thread)", 'connect("b")').replace("connect(props.thread)", 'connect("b")').replace("Calls</h1>", "Changed</h1>"));
    await page.getByText("Changed").waitFor();
    await card(page, "b").waitFor();
    assert.deepEqual(await open(page), ["b"]);
  });
}
