// A page that takes an element away and mounts another one while the connector lives on: the inbox goes on, with all that was decided.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("mounted-again", "<main></main>");

/** A page with a connector of one conversation, in which these calls wait together; `mount` shows it in an element of its own. */
async function asked(t, requests, options = {}) {
  const page = await open(t);
  await page.evaluate(([message, given]) => {
    Object.assign(globalThis, { log: [], served: undefined });
    const connector = {
      state: "live",
      async connect(inbox) {
        if (globalThis.served && served !== inbox) throw Object.assign(new Error("another inbox"), { code: "options-invalid" });
        log.push("connects");
        if (!globalThis.served) inbox.receive(message);
        globalThis.served = inbox;
      },
      async send({ id, requestIds }) {
        log.push(`sends ${requestIds}`);
        served.delivered(id);
      },
      subscribe: () => () => {},
      refresh: async () => {},
      close() {},
    };
    const options = { adapter: "a2a", holdRejections: 600_000, holdBatches: 600_000, ...given };
    globalThis.connector = connector;
    globalThis.mount = (properties = { options, connector }) => {
      const element = Object.assign(document.createElement("countersign-inbox"), properties);
      document.querySelector("main").append(element);
      return element;
    };
  }, [task(requests.map((request) => [request, "delete_file", "{}"])), options]);
  return {
    page,
    log: () => page.evaluate(() => log),
    stands: () => page.evaluate(() => served.requests().map(({ status }) => status)),
    card: (at = 0, within = page) => within.locator("[part~=card]").nth(at),
    errors: () => page.evaluate(() => told.filter(([type]) => type === "countersign-error").map(([, , { message }]) => message)),
  };
}

/** Rejects the call of a card; the rejection is held. */
async function reject(card) {
  await card.locator("[part~=reject-button]").click();
  await card.locator("[part~=send-rejection-button]").click();
  await card.locator("[part~=undo-button]").waitFor();
}

test("r02_an_element_that_is_mounted_anew_shows_the_inbox_of_its_connector_at_once_and_a_decision_in_it_leaves_once", async (t) => {
  const { page, log, stands, card, errors } = await asked(t, ["r1"]);
  await page.evaluate(() => void (globalThis.element = mount()));
  await card().waitFor();
  const shown = await page.evaluate(() => {
    element.remove();
    globalThis.element = mount();
    return element.inbox === served && element.shadowRoot.querySelectorAll("[part~=card]").length;
  });
  assert.equal(shown, 1);
  const approve = card().locator("[part~=approve-button]");
  // Nobody has looked at this card yet.
  assert.equal(await approve.getAttribute("aria-disabled"), "true");
  await press(approve);
  await eventually(async () => assert.deepEqual(await stands(), ["sent"]));
  await page.evaluate(() => {
    element.remove();
    globalThis.element = mount();
  });
  await card().waitFor();
  assert.deepEqual([await log(), await errors()], [["connects", "connects", "sends r1", "connects"], []]);
});

test("r43_a_rejection_that_is_held_goes_out_once_with_its_element_and_the_next_one_shows_that", async (t) => {
  const { page, log, stands, card, errors } = await asked(t, ["r1"]);
  await page.evaluate(() => void (globalThis.element = mount()));
  await reject(card());
  await page.evaluate(() => {
    element.remove();
    mount();
  });
  await eventually(async () => assert.deepEqual(await stands(), ["sent"]));
  assert.deepEqual([await log(), await errors()], [["connects", "sends r1", "connects"], []]);
});

for (const isSame of [true, false]) {
  test(`r43_a_rejection_stays_held_and_can_be_undone_where_the_next_element_stands_before_the_last_one_goes_${isSame ? "in_one_moment" : "later"}`, async (t) => {
    const { page, log, stands, card, errors } = await asked(t, ["r1"]);
    await page.evaluate(() => void (globalThis.element = mount()));
    await reject(card());
    if (!isSame) await page.evaluate(() => void (globalThis.next = mount()));
    if (!isSame) await eventually(async () => assert.deepEqual(await log(), ["connects", "connects"]));
    await page.evaluate(() => {
      globalThis.next ??= mount();
      element.remove();
    });
    await card().locator("[part~=undo-button]").click();
    await eventually(async () => assert.deepEqual(await stands(), ["pending"]));
    assert.deepEqual([await log(), await errors()], [["connects", "connects"], []]);
  });
}

test("r43_a_batch_that_is_held_can_be_undone_in_the_next_element_and_leaves_once_though_nobody_looked_when_its_time_was_over", async (t) => {
  const { page, log, stands, card, errors } = await asked(t, ["r1", "r2"], { holdBatches: 4000 });
  await page.evaluate(() => void (globalThis.element = mount()));
  for (const at of [0, 1]) await press(card(at).locator("[part~=approve-button]"));
  await page.evaluate(() => {
    element.remove();
    globalThis.element = mount();
  });
  await card(1).locator("[part~=undo-button]").click();
  await eventually(async () => assert.deepEqual(await stands(), ["drafted", "pending"]));
  await press(card(1).locator("[part~=approve-button]"));
  await page.evaluate(() => element.remove());
  // Longer than a timer can be late.
  await page.waitForFunction(() => served.requests().every(({ sendsAt }) => sendsAt < Date.now() - 2500));
  assert.deepEqual(await stands(), ["drafted", "drafted"]);
  await page.evaluate(() => void mount());
  // It is held anew: there is time to stop it.
  await card(1).locator("[part~=undo-button]").waitFor();
  assert.deepEqual(await stands(), ["drafted", "drafted"]);
  await eventually(async () => assert.deepEqual(await stands(), ["sent", "sent"]));
  assert.deepEqual((await log()).filter((line) => line !== "connects"), ["sends r1,r2"]);
  assert.deepEqual(await errors(), []);
});

test("r02_two_elements_with_one_connector_show_one_inbox_whichever_comes_first_and_send_once", async (t) => {
  const { page, log, stands, card, errors } = await asked(t, ["r1"]);
  const shared = await page.evaluate(async () => {
    globalThis.elements = [mount(), mount(), mount({})];
    await new Promise((resolve) => setTimeout(resolve, 20));
    // One that has stood there without.
    const before = elements[2].inbox;
    elements[2].connector = connector;
    return [before !== served, ...elements.map(({ inbox }) => inbox === served)];
  });
  assert.deepEqual(shared, [true, true, true, true]);
  const second = page.locator("countersign-inbox").nth(1);
  await press(card(0, second).locator("[part~=approve-button]"));
  await eventually(async () => assert.deepEqual(await stands(), ["sent"]));
  for (const at of [0, 1, 2]) assert.equal(await page.locator("countersign-inbox").nth(at).locator("[part~=card]").count(), 1);
  assert.deepEqual((await log()).filter((line) => line !== "connects"), ["sends r1"]);
  assert.deepEqual(await errors(), []);
});

test("words that were begun are there again in the element that is mounted anew", async (t) => {
  const { page, card } = await asked(t, ["r1"]);
  await page.evaluate(() => void (globalThis.element = mount()));
  await card().locator("[part~=reject-button]").click();
  await card().locator("textarea").fill("not before Friday");
  await page.evaluate(() => {
    element.remove();
    mount();
  });
  await card().locator("[part~=reject-button]").click();
  assert.equal(await card().locator("textarea").inputValue(), "not before Friday");
});

test("nothing keeps an element that was taken away, though its connector lives on", async (t) => {
  const { page } = await asked(t, ["r1"]);
  await page.evaluate(async () => {
    globalThis.gone = [];
    for (let at = 0; at < 4; at += 1) {
      const element = mount();
      await new Promise((resolve) => setTimeout(resolve, 50));
      gone[at - 1]?.deref()?.remove();
      gone.push(new WeakRef(element));
    }
  });
  const session = await page.context().newCDPSession(page);
  await eventually(async () => {
    await session.send("HeapProfiler.collectGarbage");
    assert.deepEqual(await page.evaluate(() => gone.map((element) => element.deref() === undefined)), [true, true, true, false]);
  });
  assert.equal(await page.evaluate(() => served.shownBy.size), 1);
});
