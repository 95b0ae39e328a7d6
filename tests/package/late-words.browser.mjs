// Words that come late: what is only heard waits for the language in which it is said.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("late-words", "<main></main>");

/** An element in German with a call that waits, whose words come when `answer` is called; `said` is what was announced. */
async function german(t) {
  const page = await open(t, { expectedErrors: [/de\.json/, /404/] });
  let asked;
  const coming = new Promise((resolve) => (asked = resolve));
  await page.route("**/locales/de.json", (route) => asked(route));
  await page.evaluate((message) => {
    const element = Object.assign(document.createElement("countersign-inbox"), { adapter: "a2a", locale: "de" });
    document.querySelector("main").append(element);
    Object.assign(globalThis, { element, said: [] });
    const look = () => {
      const words = element.shadowRoot.querySelector("[part=live]")?.textContent;
      if (words !== undefined && words !== (said.at(-1) ?? "")) said.push(words);
    };
    new MutationObserver(look).observe(element.shadowRoot, { childList: true, subtree: true, characterData: true });
    return element.receive(message);
  }, task([["r1", "delete_file", "{}"]]));
  await page.locator("[part~=card]").waitFor();
  return { page, route: await coming, said: () => page.evaluate(() => said) };
}

test("r46_an_arrival_is_announced_in_the_language_of_the_element_however_late_its_words_come", async (t) => {
  const { page, route, said } = await german(t);
  await page.waitForTimeout(1200);
  assert.deepEqual(await said(), []);
  await page.getByRole("button", { name: /^Approve/ }).waitFor();
  await route.continue();
  await eventually(async () => assert.deepEqual(await said(), ["1 Aufruf wartet: delete_file"]));
  // What was said in one language is not read out later as if it were in another.
  await page.evaluate(() => (element.locale = "en"));
  await eventually(async () => assert.deepEqual((await said()).slice(1), [""]));
});

test("r46_an_arrival_is_announced_in_English_where_the_words_of_the_language_cannot_be_had_or_do_not_come", async (t) => {
  const failed = await german(t);
  await failed.route.fulfill({ status: 404 });
  await eventually(async () => assert.deepEqual(await failed.said(), ["1 call waits: delete_file"]));
  const silent = await german(t);
  await eventually(async () => assert.deepEqual(await silent.said(), ["1 call waits: delete_file"]));
  await silent.route.abort();
});
