// `forward` in a process of its own, which ends when nothing is left to do.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { resolve, root } from "./package.mjs";

const run = promisify(execFile);
const { steps } = JSON.parse(readFileSync(join(root, "tests/traces/adalflow/seed-ws--timeout-is-silent.json"), "utf8"));
const asked = JSON.stringify(steps.find(({ receive }) => receive).receive);
const address = (entry) => JSON.stringify(pathToFileURL(resolve(entry)).href);

/** What a program printed that forwards an inbox with one card; fails when the process does not end by itself. */
async function printed(options, code, before = "") {
  const program = `${before}
import { init, Inbox } from ${address("countersign/headless")};
import { forward } from ${address("countersign/connect")};
await init();
const inbox = new Inbox({ adapter: "adalflow", adalflow: { timeout_s: 600 }, ...${JSON.stringify(options)} });
inbox.receive(${JSON.stringify(asked)});
forward(inbox, { send: async ({ id, body }) => { console.log(JSON.parse(body).outcome); inbox.delivered(id); } });
${code}`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program], { timeout: 20_000 });
  return stdout.trim().split("\n");
}

test("a card that waits until a deadline keeps no process alive", async () => {
  assert.deepEqual(await printed({}, "console.log(inbox.nextWake() > Date.now() + 500_000);"), ["true"]);
});

test("a process lasts until what is held has gone out, and no longer", async () => {
  const code = `inbox.decide(inbox.requests()[0].id, { kind: "reject" });\nconsole.log(inbox.requests()[0].status);`;
  const [status, outcome] = await printed({ holdRejections: 400 }, code);
  assert.deepEqual([status, outcome], ["drafted", "cancel"]);
});

test("r38_a_page_that_is_drawn_ahead_sends_once_somebody_opens_it", async () => {
  const before = "globalThis.document = Object.assign(new EventTarget(), { prerendering: true });";
  const code = `inbox.decide(inbox.requests()[0].id, { kind: "reject" });
await new Promise((resolve) => setTimeout(resolve, 300));
console.log("opened");
document.prerendering = false;
document.dispatchEvent(new Event("prerenderingchange"));`;
  assert.deepEqual(await printed({}, code, before), ["opened", "cancel"]);
});
