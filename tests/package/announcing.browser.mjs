// What the elements on one inbox say to those who do not see them: once, and when it can be heard.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("announcing", "<button id=other>Other</button><main></main>");

/** A page with two elements on one inbox in which one call waits; `said()` is all that each has announced. */
async function two(t) {
  const page = await open(t);
  await page.evaluate(async (message) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", a2a: { edits: "always" } });
    globalThis.said = { first: [], second: [] };
    globalThis.elements = {};
    for (const name of ["first", "second"]) {
      const element = Object.assign(document.createElement("countersign-inbox"), { inbox });
      elements[name] = element;
      document.querySelector("main").append(element);
      const hear = () => {
        const words = element.shadowRoot.querySelector("[part~=live]")?.textContent;
        if (words && words !== said[name].at(-1)) said[name].push(words);
      };
      new MutationObserver(hear).observe(element.shadowRoot, { childList: true, subtree: true });
    }
    globalThis.inbox = inbox;
    inbox.receive(message);
  }, task([["r1", "pay", "{}"]], "t1"));
  const now = () => page.evaluate(() => JSON.parse(JSON.stringify(said)));
  /** Waits until exactly this was said, and for what else may come. */
  const says = async (first, second) => {
    await eventually(async () => assert.deepEqual(await now(), { first, second }));
    await page.waitForTimeout(600);
    assert.deepEqual(await now(), { first, second });
  };
  const arrives = (id, tool) => page.evaluate((message) => void inbox.receive(message), task([[id, tool, "{}"]], `t-${id}`));
  return { page, says, arrives };
}

test("r46_of_several_elements_on_one_inbox_the_first_that_is_seen_announces_and_the_next_goes_on_when_it_leaves", async (t) => {
  const { page, says, arrives } = await two(t);
  await says(["1 call waits: pay"], []);
  await page.evaluate(() => (elements.first.hidden = true));
  await arrives("r2", "wipe");
  await says(["1 call waits: pay"], ["1 more call waits, 2 in all: wipe"]);
  await page.evaluate(() => elements.first.remove());
  await arrives("r3", "send");
  await says(["1 call waits: pay"], ["1 more call waits, 2 in all: wipe", "1 more call waits, 3 in all: send"]);
});

test("r46_what_arrives_behind_a_dialog_is_announced_once_that_is_closed", async (t) => {
  const { page, says, arrives } = await two(t);
  const all = ["1 call waits: pay"];
  await says(all, []);
  await page.locator("[part~=edit-button]").first().click();
  await page.locator("dialog").waitFor();
  await arrives("r2", "wipe");
  await says(all, []);
  assert.equal(await page.evaluate(() => elements.first.shadowRoot.querySelector("[part~=live]").textContent), "", "what was said before is no news");
  await page.keyboard.press("Escape");
  all.push("1 more call waits, 2 in all: wipe");
  await says(all, []);
  await page.evaluate(() => (document.querySelector("main").inert = true));
  await arrives("r3", "send");
  await says(all, []);
  await page.evaluate(() => (document.querySelector("main").inert = false));
  all.push("1 more call waits, 3 in all: send");
  await says(all, []);
});

test("a dialog does not go on to keep people from the page where that hides its element, and its draft is kept", async (t) => {
  const { page } = await two(t);
  await page.locator("[part~=edit-button]").first().click();
  await page.locator("dialog").waitFor();
  await page.evaluate(() => (document.querySelector("main").style.display = "none"));
  await page.locator("#other").click();
  assert.equal(await page.locator("dialog").count(), 0);
  assert.deepEqual(await page.evaluate(() => [told.length, inbox.requests()[0].status]), [0, "pending"]);
});
