// Secrets in the dialog “Always allow…”, in real Chromium.
import assert from "node:assert/strict";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("grant-secrets", "<countersign-card></countersign-card><countersign-policy></countersign-policy>");

const ARGS = '{"password":"hunter2","door":4711,"to":"bob"}';
const SCHEMA = { properties: { door: { writeOnly: true } } };

test("r24_grants: secrets are masked wherever the dialog shows them, revealed one by one, and kept as they are", async (t) => {
  const page = await open(t);
  await page.evaluate(({ message, schema }) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", grants: [], schemas: { pay: schema } });
    inbox.receive(message);
    Object.assign(globalThis, { inbox });
    Object.assign(document.querySelector("countersign-card"), { inbox, requestId: "r1" });
    document.querySelector("countersign-policy").inbox = inbox;
  }, { message: task([["r1", "pay", ARGS]]), schema: SCHEMA });
  const card = page.locator("countersign-card");
  await card.getByRole("button", { name: "Always allow pay", exact: true }).click();
  const dialog = card.locator("dialog[open]");
  const hides = async (place, ...secrets) => {
    const text = await place.innerText();
    for (const secret of secrets) assert.ok(!text.includes(secret), `${secret} in ${text}`);
    assert.match(text, /••••/);
  };
  const [facts, pins, kept] = ["grant-facts", "grant-pins", "grant-text"].map((part) => dialog.locator(`[part=${part}]`));

  const unfold = () => dialog.getByRole("button", { name: /^Exactly what is kept/ }).click();

  // With exactly these arguments: in words, field by field and raw.
  await hides(facts, "hunter2", "4711");
  assert.match(await facts.innerText(), /bob/);
  await unfold();
  await hides(kept, "hunter2", "4711");
  await kept.getByRole("button", { name: "Raw" }).click();
  await hides(kept, "hunter2", "4711");
  await kept.locator("[part=reveal-button]").click();
  assert.match(await kept.locator("[part=raw]").innerText(), /"password":"hunter2","door":4711/);
  await hides(facts, "hunter2", "4711");
  await facts.locator("[part=mask]").first().click();
  assert.match(await facts.innerText(), /hunter2/);
  await hides(facts, "4711");

  // As long as chosen arguments stay; what was revealed was another text.
  await dialog.getByRole("radio").nth(1).check();
  await hides(pins, "hunter2", "4711");
  for (const at of [0, 1]) await pins.getByRole("checkbox").nth(at).check();
  await hides(facts, "hunter2", "4711");
  await unfold();
  await hides(kept, "hunter2", "4711");
  await pins.locator("[part=mask]").first().click();
  assert.match(await pins.innerText(), /password: "?hunter2/);
  await hides(pins, "4711");
  assert.equal(await pins.getByRole("checkbox").first().isChecked(), true, "a mask is no part of the choice");

  await press(dialog.locator("[part=grant-button]"));
  await dialog.waitFor({ state: "detached" });
  const [grant] = JSON.parse(await page.evaluate(() => inbox.grantsText()));
  assert.deepEqual(grant.args, [{ pointer: "/password", equals: "hunter2" }, { pointer: "/door", equals: 4711 }]);
  await hides(page.locator("countersign-policy [part=grant-facts]"), "hunter2");
});

test("r36_grants: on a small screen nothing is confirmed before what is granted, and what is approved along, was in view", async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 568 } });
  await page.evaluate((message) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", grants: [] });
    inbox.receive(message);
    Object.assign(globalThis, { inbox });
    Object.assign(document.querySelector("countersign-card"), { inbox, requestId: "r1" });
  }, task([1, 2, 3].map((at) => [`r${at}`, "pay", ARGS])));
  const card = page.locator("countersign-card");
  await card.getByRole("button", { name: "Always allow pay", exact: true }).click();
  const dialog = card.locator("dialog[open]");
  const confirm = dialog.locator("[part=grant-button]");
  const kept = () => page.evaluate(() => inbox.grants().length);
  for (const part of ["grant-facts", "siblings"]) {
    const literal = dialog.locator(`[part=${part}]`);
    const isInView = () =>
      literal.evaluate((element) => {
        const [place, body] = [element, element.closest(".cs-dialog-body")].map((found) => found.getBoundingClientRect());
        return place.top < body.bottom && place.bottom > body.top;
      });
    assert.equal(await isInView(), false, part);
    // Longer than any button waits that may act.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 1500)));
    assert.equal(await confirm.getAttribute("aria-disabled"), "true", part);
    // Pressed all the same, it shows what is missing.
    await confirm.click({ force: true });
    assert.equal(await isInView(), true, part);
    assert.equal(await kept(), 0);
  }
  await press(confirm);
  await dialog.waitFor({ state: "detached" });
  assert.equal(await kept(), 1);
});
