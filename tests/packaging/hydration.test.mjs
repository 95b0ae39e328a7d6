// `countersign/react` under each major version of React, and `countersign/vue`: a server draws empty tags, and the browser takes
// them over without a complaint.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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
  { name: "React", project: "react-hydration", server: "server.jsx", version: "18.3.1", packages: ["react", "react-dom"] },
  { name: "React", project: "react-hydration", server: "server.jsx", version: installed.react, packages: [] },
  { name: "Vue", project: "vue-hydration", server: "server.js", version: installed.vue, packages: [] },
];

let browser;
before(async () => {
  install(pack());
  browser = await launch();
});
after(() => browser?.close());

/** Builds the page with a development build of the framework, which complains, and draws it on a server; its folder. */
async function build({ project, server, version, packages }) {
  const folder = stage(project);
  const wanted = packages.map((name) => `${name}@${version}`);
  if (wanted.length > 0) await run("npm", ["install", "--no-audit", "--no-fund", "--no-save", ...wanted], { cwd: folder });
  const env = { ...process.env, NODE_ENV: "development" };
  const vite = (...words) =>
    run(process.execPath, [join(place, "node_modules/vite/bin/vite.js"), "build", "--mode", "development", "--logLevel", "warn", ...words], { cwd: folder, env });
  await vite();
  await vite("--ssr", server, "--outDir", "server");
  const { stdout } = await run(process.execPath, ["server/server.js"], { cwd: folder, env });
  const drawn = JSON.parse(stdout);
  const page = readFileSync(join(folder, "dist/index.html"), "utf8");
  for (const [name, html] of Object.entries(drawn)) writeFileSync(join(folder, `dist/${name}.html`), page.replace("<!-- drawn -->", html));
  return { dist: join(folder, "dist"), drawn };
}

for (const framework of FRAMEWORKS) {
  const { name, version } = framework;
  test(`${name} ${version} takes over what a server drew`, async (t) => {
    const { dist, drawn } = await build(framework);
    const server = await serveFolder(dist);
    t.after(() => server.close());

    const open = async (u, what) => {
      const page = await openPage(u, await profile(u, browser), `${server.origin}/${what}.html`);
      const complaints = [];
      page.on("console", (message) => message.type() === "warning" && complaints.push(message.text()));
      await page.waitForFunction(() => globalThis.ready);
      assert.equal(await page.evaluate(() => globalThis.version), version);
      await page.evaluate(() => {
        globalThis.first = document.querySelector("#root > *");
        globalThis.inbox = new Inbox({ adapter: "a2a" });
        inbox.restore(task);
      });
      u.after(() => assert.deepEqual(complaints, []));
      return page;
    };
    /** It shows the call, a press on it decides, and it is the element that the server drew. */
    const works = async (page) => {
      await press(page.locator("[part~=approve-button]"));
      await eventually(async () => assert.notEqual(await page.evaluate(() => inbox.requests()[0].status), "pending"));
      assert.equal(await page.evaluate(() => document.querySelector("#root > *") === first), true);
    };

    await t.test("the server draws empty tags", () => {
      assert.match(drawn.card, /^<countersign-card (?=[^>]*class="inline")(?=[^>]*request-id="r1")[^>]*><\/countersign-card>$/);
      assert.match(drawn.panel, /^<countersign-inbox (?=[^>]*class="panel")(?=[^>]*adapter="a2a")[^>]*><\/countersign-inbox>$/);
      assert.doesNotMatch(JSON.stringify(drawn), /object Object|undefined|inbox=/);
    });

    for (const what of ["card", "panel"]) {
      await t.test(`a ${what} with an inbox from the first moment in the browser`, async (u) => {
        const page = await open(u, what);
        await page.evaluate(() => begin({ inbox }));
        await works(page);
      });

      await t.test(`a ${what} with an inbox that comes later, and is taken away`, async (u) => {
        const page = await open(u, what);
        await page.evaluate(() => begin({}));
        await page.waitForFunction(() => globalThis.give);
        assert.equal(await page.locator("[part~=card]").count(), 0);
        await page.evaluate(() => give({ inbox }));
        await works(page);
        await page.evaluate(() => give({}));
        await eventually(async () => assert.equal(await page.locator("[part~=card]").count(), 0));
      });
    }

    await t.test("a card shows another call when it is told so", async (u) => {
      const page = await open(u, "card");
      await page.evaluate(() => begin({ inbox, requestId: "r1" }));
      await page.locator("[part~=card]").waitFor();
      await page.evaluate(() => give({ inbox, requestId: "none" }));
      await page.locator("[part~=card]").waitFor({ state: "detached" });
      await page.evaluate(() => give({ inbox, requestId: "r1" }));
      await works(page);
    });
  });
}
