// The element of the built package in several tabs, behind other windows, and without a network.
import assert from "node:assert/strict";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";

import { openPage, profile } from "../browser/harness/browser.mjs";
import { press, steady } from "../browser/harness/press.mjs";
import { folder, root } from "./package.mjs";
import { serve } from "./page.mjs";

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Chat</title>
<script type="importmap">{"imports":{"countersign":"./package/dist/index.js","countersign/define":"./package/dist/define.js"}}</script>
<button id="allow">Notify me</button>
<countersign-inbox adapter="adalflow" title-badge></countersign-inbox>`;

/** The first message of a recording: a request that waits. */
const { steps } = JSON.parse(readFileSync(join(root, "tests/traces/adalflow/seed-ws--timeout-is-silent.json"), "utf8"));
const request = steps[0].receive;

const served = serve("several", PAGE);

// The package once more, as a page has it that loads it from two places.
before(() => symlinkSync(folder, join(root, "target/several/again"), "junction"));

/** A tab whose element has received the request. */
async function tab(t, context, options = {}, before = () => {}, place = "") {
  const page = await openPage(t, context, served.origin + place);
  await page.evaluate(before);
  await page.evaluate(
    async ([message, given]) => {
      const element = document.querySelector("countersign-inbox");
      Object.assign(globalThis, { element, sent: [], errors: [], fates: [] });
      element.options = given;
      element.addEventListener("countersign-send", ({ detail }) => {
        sent.push(detail.body);
        detail.respondWith(fates.shift() === "offline" ? Promise.reject(new TypeError("Failed to fetch")) : Promise.resolve());
      });
      element.addEventListener("countersign-error", ({ detail }) => errors.push(detail.code));
      await import("countersign/define");
      await element.receive(message);
    },
    [request, options],
  );
  return page;
}

const approve = (page) => page.getByRole("button", { name: /^Approve/ }).first();
const status = (page) => page.evaluate(() => element.inbox.requests()[0].status);
const becomes = (page, wanted) => page.waitForFunction((word) => element.inbox.requests()[0].status === word, wanted);

/** Runs in a tab before all else: its clock goes on by what is added to `slept`. */
function sleeper() {
  const now = Date.now;
  globalThis.slept = 0;
  Date.now = () => now() + slept;
}
const sleep = (page, seconds) => page.evaluate((more) => void (slept += more), seconds * 1000);

test("r42_what_is_decided_in_one_tab_closes_in_the_other_within_a_second", async (t) => {
  const context = await profile(t, served.browser);
  const [one, two] = [await tab(t, context), await tab(t, context)];
  // Measured inside the pages, so that a slow machine measures the same.
  for (const page of [one, two]) {
    await page.evaluate(() => element.inbox.subscribe(() => element.inbox.requests()[0].status === "pending" || (globalThis.closed ??= Date.now())));
  }
  await one.bringToFront();
  await press(approve(one));
  await becomes(one, "sent");
  await becomes(two, "approved");
  const [here, there] = await Promise.all([one, two].map((page) => page.evaluate(() => closed)));
  assert.ok(there - here <= 1000, `${there - here} ms`);
  const refused = await two.evaluate(() => {
    try {
      element.inbox.decide(element.inbox.requests()[0].id, { kind: "approve" });
    } catch (error) {
      return { code: error.code, message: error.message };
    }
  });
  assert.equal(refused.code, "already-decided");
  assert.match(refused.message, /already decided/);
  assert.deepEqual(await two.evaluate(() => sent), []);
});

test("r42_the_same_id_in_another_conversation_stays_open_where_messages_do_not_name_theirs", async (t) => {
  const context = await profile(t, served.browser);
  const [one, same, other] = [await tab(t, context), await tab(t, context), await tab(t, context, {}, undefined, "/?chat=2")];
  await one.evaluate(async (message) => {
    const beside = document.createElement("countersign-inbox");
    beside.setAttribute("adapter", "adalflow");
    document.body.append(beside);
    await beside.receive(message);
    globalThis.beside = beside;
  }, request);
  await one.bringToFront();
  await press(approve(one));
  await becomes(same, "approved");
  assert.equal(await status(other), "pending", "a tab of another address");
  assert.equal(await one.evaluate(() => beside.inbox.requests()[0].status), "pending", "another element of the same page");
});

for (const [what, message] of [
  ["on_arguments_that_are_spelt_otherwise", JSON.stringify(request, null, 1)],
  ["on_another_tool", JSON.stringify(request).replaceAll(`"${request.tool}"`, '"another"')],
]) {
  test(`r42_what_is_decided_in_another_tab_${what}_is_asked_of_the_backend`, async (t) => {
    const context = await profile(t, served.browser);
    const one = await tab(t, context);
    const two = await openPage(t, context, served.origin);
    await two.evaluate(async (text) => {
      const element = document.querySelector("countersign-inbox");
      Object.assign(globalThis, { element, refreshed: 0 });
      await import("countersign/define");
      const connector = { state: "live", connect: async () => {}, send: async () => {}, refresh: async () => void (refreshed += 1), subscribe: () => () => {}, close: () => {} };
      element.connector = connector;
      await element.receive(text);
    }, message);
    const shown = await Promise.all([one, two].map((page) => page.evaluate(() => element.inbox.requests().map(({ tool, argsDigest }) => `${tool} ${argsDigest}`).join())));
    assert.notEqual(...shown);
    await one.bringToFront();
    await press(approve(one));
    await two.waitForFunction(() => refreshed === 1);
    assert.equal(await status(two), "pending", "what another tab says of another call decides nothing here");
  });
}

test("r42_as_long_as_one_of_the_elements_on_an_inbox_is_shown_the_other_tabs_hear_once", async (t) => {
  for (const left of [["first", "second"], ["first"], ["second"]]) {
    const context = await profile(t, served.browser);
    const [one, two] = [await tab(t, context), await tab(t, context)];
    await two.evaluate(() => {
      globalThis.heard = [];
      globalThis.channel = new BroadcastChannel("countersign");
      channel.onmessage = ({ data }) => heard.push(data.map(({ kind }) => kind));
    });
    await one.evaluate((names) => {
      const { inbox } = element;
      const second = Object.assign(document.createElement("countersign-inbox"), { inbox });
      second.addEventListener("countersign-send", ({ detail }) => detail.respondWith(Promise.resolve()));
      document.body.append(second);
      for (const [name, shown] of Object.entries({ first: element, second })) if (!names.includes(name)) shown.remove();
      inbox.decide(inbox.requests()[0].id, { kind: "approve" });
    }, left);
    await becomes(two, "approved");
    await two.waitForTimeout(200);
    assert.deepEqual(await two.evaluate(() => [heard, errors]), [[["approve"]], []], left.join(" and "));
    await context.close();
  }
});

test("r42_the_other_tabs_hear_of_a_decision_that_arrives_when_its_element_was_taken_away_because_nothing_waits", async (t) => {
  for (const when of ["decided", "delivered"]) {
    const context = await profile(t, served.browser);
    const [one, two] = [await tab(t, context), await tab(t, context)];
    await one.evaluate((moment) => {
      const { inbox } = element;
      element.addEventListener("countersign-change", ({ detail }) => {
        const [{ status }] = inbox.requests();
        if (detail.waiting === 0 && (moment === "decided" || status === "sent")) element.remove();
      });
      inbox.decide(inbox.requests()[0].id, { kind: "approve" });
      globalThis.left = () => [inbox.requests()[0].status, element.isConnected];
    }, when);
    await becomes(two, "approved");
    assert.deepEqual(await one.evaluate(() => left()), ["sent", false]);
    assert.deepEqual(await one.evaluate(() => errors), []);
  }
});

test("r36_a_grant_that_is_taken_back_in_the_moment_in_which_its_element_goes_counts_in_no_other_tab", async (t) => {
  const context = await profile(t, served.browser);
  const kept = [{ id: "g", scope: "tool", tool: "cat", createdAt: 1, expiresAt: 9e15 }];
  const [one, two] = [await tab(t, context), await tab(t, context, { grants: kept })];
  for (const name of ["inbox", "policy"]) {
    await one.evaluate(([kept, name]) => {
      const Inbox = element.inbox.constructor;
      element.remove();
      const inbox = new Inbox({ adapter: "adalflow", grants: kept });
      const shown = document.createElement(`countersign-${name}`);
      // The page hears it first.
      inbox.subscribe(() => shown.remove());
      shown.inbox = inbox;
      document.body.append(shown);
      inbox.revoke(kept[0].id);
    }, [kept, name]);
    await two.waitForFunction(() => element.inbox.grants()[0].revokedAt !== undefined);
    await two.evaluate((grants) => {
      const Inbox = element.inbox.constructor;
      element.inbox = new Inbox({ adapter: "adalflow", grants: JSON.stringify(grants).replace('"g"', '"g2"') });
    }, kept);
    kept[0].id = "g2";
  }
  assert.deepEqual(await one.evaluate(() => errors), []);
});

test("r36_a_grant_that_is_taken_back_in_one_tab_counts_in_no_other", async (t) => {
  const context = await profile(t, served.browser);
  const before = { id: "h", scope: "tool", tool: "rm", createdAt: 1, expiresAt: 9e15, revokedAt: 2 };
  const kept = [{ id: "g", scope: "tool", tool: "cat", createdAt: 1, expiresAt: 9e15 }, before];
  const tabs = [await tab(t, context, { grants: kept }), await tab(t, context, { grants: kept }), await tab(t, context)];
  const [one, two, bare] = tabs;
  for (const page of tabs) {
    await page.evaluate(() => {
      globalThis.heard = 0;
      globalThis.kept = [];
      element.addEventListener("countersign-grants", ({ detail }) => kept.push(detail.grants.map(({ revokedAt }) => revokedAt !== undefined)));
      globalThis.channel = new BroadcastChannel("countersign");
      channel.onmessage = () => { heard += 1; };
    });
  }
  await one.evaluate(() => element.inbox.revoke("g"));
  await two.waitForFunction(() => element.inbox.grants()[0].revokedAt !== undefined);
  await two.waitForTimeout(300);
  assert.deepEqual(await two.evaluate(() => [heard, errors]), [1, []], "what was heard is not told again");
  // The host of the other tab keeps it too; what was taken back before is no act of anybody here.
  assert.deepEqual(await two.evaluate(() => [kept, element.inbox.audit().match(/"revoked"/g).length]), [[[true, true]], 1]);
  assert.deepEqual(await bare.evaluate(() => [heard, errors, element.inbox.grants()]), [1, [], []]);
});

test("r42_without_a_channel_it_closes_when_the_tab_comes_to_the_front", async (t) => {
  const context = await profile(t, served.browser);
  const without = () => delete globalThis.BroadcastChannel;
  const [one, two] = [await tab(t, context, {}, without), await tab(t, context, {}, without)];
  await one.bringToFront();
  await press(approve(one));
  await becomes(one, "sent");
  await two.bringToFront();
  await two.evaluate(() => dispatchEvent(new Event("focus")));
  await becomes(two, "approved");
  assert.match(await two.evaluate(() => localStorage.getItem("countersign")), /^\[\{"requestId":"[^"]+","tool":"delete_file","digest":"[0-9a-f]{64}","kind":"approve","place":"\/","page":"[0-9.e-]+"\}\]$/);
});

test("r43_what_failed_offline_waits_for_a_person_and_is_not_sent_after_its_end", async (t) => {
  const page = await tab(t, await profile(t, served.browser), { adalflow: { timeout_s: 3600 } }, sleeper);
  await page.evaluate(() => fates.push("offline"));
  await press(approve(page));
  await becomes(page, "drafted");
  await page.getByRole("button", { name: /^Retry/ }).waitFor();
  assert.equal(await page.evaluate(() => sent.length), 1);
  await sleep(page, 3700);
  await becomes(page, "expired");
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.waitForTimeout(300);
  assert.equal(await page.evaluate(() => sent.length), 1, "nothing more was sent");
  assert.equal(await page.getByRole("button", { name: /^Retry/ }).count(), 0);
});

test("r51_the_title_counts_and_is_restored", async (t) => {
  const page = await tab(t, await profile(t, served.browser));
  assert.equal(await page.title(), "(1) Chat");
  await page.evaluate(() => { document.title = "Other words"; });
  await press(approve(page));
  await becomes(page, "sent");
  assert.equal(await page.title(), "Other words");
});

test("r51_two_copies_of_the_package_in_one_page_have_one_count_before_its_title", async (t) => {
  const page = await tab(t, await profile(t, served.browser));
  const titles = await page.evaluate(async (message) => {
    const { CountersignInboxElement } = await import("/again/dist/index.js");
    customElements.define("another-inbox", class extends CountersignInboxElement {});
    const other = Object.assign(document.createElement("another-inbox"), { titleBadge: true, options: { adapter: "adalflow" } });
    document.body.append(other);
    await other.receive(message);
    const both = document.title;
    document.title = "Other words";
    other.remove();
    element.remove();
    return [other instanceof element.constructor, both, document.title];
  }, request);
  assert.deepEqual(titles, [false, "(2) Chat", "Other words"]);
});

test("r51_notifications_need_a_persons_act_a_hidden_page_and_say_no_arguments", async (t) => {
  const page = await tab(t, await profile(t, served.browser), {}, () => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static requestPermission = async () => "granted";
      constructor(...words) {
        shown.push(words);
      }
      close() {}
    };
  });
  // What a test evaluates counts as a person's act, so the page is told otherwise for once.
  const code = await page.evaluate(async () => {
    Object.defineProperty(navigator, "userActivation", { configurable: true, get: () => ({ isActive: false }) });
    const refused = await element.enableNotifications().catch((error) => error.code);
    delete navigator.userActivation;
    return refused;
  });
  assert.equal(code, "untrusted-event");
  await page.evaluate(() => document.querySelector("#allow").addEventListener("click", () => element.enableNotifications()));
  await page.locator("#allow").click();
  const again = (id) => page.evaluate(([message, other]) => element.receive({ ...message, id: other }), [request, id]);
  await again("other-1");
  assert.deepEqual(await page.evaluate(() => shown), [], "the page is seen");
  await page.evaluate(() => Object.defineProperty(document, "hidden", { get: () => true }));
  await again("other-2");
  const shown = await page.evaluate(() => shown);
  assert.equal(shown.length, 1);
  const words = JSON.stringify(shown);
  assert.match(words, /calls? waits?/);
  for (const value of request.args) assert.ok(!words.includes(value), value);
});

test("r51_a_call_that_begins_to_wait_in_the_moment_in_which_another_ends_is_notified_of_and_one_that_waited_is_not", async (t) => {
  const page = await tab(t, await profile(t, served.browser), {}, () => {
    globalThis.shown = [];
    globalThis.Notification = class {
      static requestPermission = async () => "granted";
      constructor(words) {
        shown.push(words);
      }
      close() {}
    };
  });
  const shown = await page.evaluate(async (message) => {
    const counts = [];
    await element.enableNotifications();
    Object.defineProperty(document, "hidden", { get: () => true });
    const { inbox } = element;
    const count = () => counts.push(shown.length);
    // Nothing new: what waited when notifications were allowed, told anew.
    inbox.receive(message);
    inbox.restore(message);
    count();
    inbox.restore({ ...message, id: "other" });
    count();
    // Another conversation, in which as many calls wait.
    const other = new inbox.constructor({ adapter: "adalflow" });
    other.receive({ ...message, id: "third" });
    element.inbox = other;
    count();
    return counts;
  }, request);
  assert.deepEqual(shown, [0, 1, 2]);
});

const armed = (page) => page.locator("[part~=approve-button]:not([aria-disabled])").waitFor();

test("r41_a_click_after_the_deadline_is_refused_although_the_tab_slept_and_no_timer_fired", async (t) => {
  const page = await tab(t, await profile(t, served.browser), { adalflow: { timeout_s: 3600 } }, sleeper);
  await armed(page);
  // The tab wakes with the press: no timer comes before it.
  await page.evaluate(() => addEventListener("pointerdown", () => (slept = 2 * 3_600_000), { capture: true, once: true }));
  await approve(page).click();
  await becomes(page, "expired");
  assert.deepEqual(await page.evaluate(() => [sent, errors]), [[], ["expired"]]);
  assert.equal(await approve(page).count(), 0);
});

test("r30_a_press_of_a_script_is_ignored_and_told_by_the_element", async (t) => {
  const page = await tab(t, await profile(t, served.browser));
  await armed(page);
  await approve(page).evaluate((button) => button.click());
  assert.deepEqual(await page.evaluate(() => [sent, errors]), [[], ["untrusted-event"]]);
  assert.equal(await status(page), "pending");
});

test("r29_shortcuts_are_others_or_none_where_the_host_says_so", async (t) => {
  const context = await profile(t, served.browser);
  for (const [shortcuts, idle, acts] of [[{ approve: "Alt+Shift+A" }, "Control+Enter", "Alt+Shift+A"], [{ approve: null }, "Control+Enter"]]) {
    const page = await tab(t, context, { shortcuts });
    await page.bringToFront();
    await armed(page);
    await page.locator("[part~=card]").first().focus();
    await page.keyboard.press(idle);
    assert.deepEqual(await page.evaluate(() => sent), [], idle);
    if (acts) {
      await page.keyboard.press(acts);
      await becomes(page, "sent");
    }
    await page.close();
  }
});

test("the record of decisions is saved as a file", async (t) => {
  const page = await tab(t, await profile(t, served.browser));
  await press(approve(page));
  await becomes(page, "sent");
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download history" }).click();
  const lines = readFileSync(await (await saving).path(), "utf8").trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ event }) => event), ["decided", "sending", "delivered"]);
});

test("r41_a_person_asks_for_more_time_where_the_host_allows_it", async (t) => {
  const page = await tab(t, await profile(t, served.browser), { adalflow: { timeout_s: 3600 }, extend: true }, sleeper);
  await page.evaluate(() => element.addEventListener("countersign-extend", ({ detail }) => detail.respondWith(Promise.resolve(Date.now() + 3_600_000))));
  await sleep(page, 3000);
  await page.getByRole("button", { name: /^Ask for more time/ }).click();
  await sleep(page, 1000);
  await page.evaluate(() => element.inbox.tick());
  assert.equal(await status(page), "pending");
  await sleep(page, 3000);
  await becomes(page, "expired");
});

test("r41_where_the_host_gives_no_more_time_the_card_says_why", async (t) => {
  const page = await tab(t, await profile(t, served.browser), { adalflow: { timeout_s: 3600 }, extend: true }, sleeper);
  await page.evaluate(() => element.addEventListener("countersign-extend", ({ detail }) => detail.respondWith(Promise.reject(new Error("only an hour is allowed")))));
  await sleep(page, 3000);
  await page.getByRole("button", { name: /^Ask for more time/ }).click();
  await page.getByRole("alert").getByText("The agent does not wait longer: only an hour is allowed").waitFor();
  assert.deepEqual(await page.evaluate(() => errors), ["failed"]);
});

test("r36_a_grant_is_taken_back_in_all_tabs_also_beside_a_policy_alone", async (t) => {
  const context = await profile(t, served.browser);
  const kept = ["cat", "ls"].map((tool) => ({ id: `g-${tool}`, scope: "tool", tool, createdAt: 1, expiresAt: 9e15 }));
  const chat = await tab(t, context, { grants: kept });
  const settings = await openPage(t, context, served.origin);
  await settings.evaluate(async (grants) => {
    const { init, Inbox } = await import("countersign");
    await init();
    await import("countersign/define");
    const inbox = new Inbox({ adapter: "adalflow", grants });
    const panel = Object.assign(document.createElement("countersign-policy"), { inbox });
    Object.assign(globalThis, { inbox, kept: [] });
    panel.addEventListener("countersign-grants", ({ detail }) => globalThis.kept.push(detail.grants.map(({ revokedAt }) => revokedAt !== undefined)));
    document.querySelector("countersign-inbox").replaceWith(panel);
  }, kept);
  await settings.getByRole("button", { name: "Take back cat" }).press("Enter");
  await chat.waitForFunction(() => element.inbox.grants()[0].revokedAt !== undefined);
  await chat.evaluate(() => element.inbox.revoke("g-ls"));
  await settings.getByText("0 permissions in force").waitFor();
  assert.deepEqual(await settings.evaluate(() => [kept, inbox.audit().match(/"revoked"/g).length]), [[[true, false], [true, true]], 2]);
});

test("r42_a_press_that_another_tab_overtakes_sends_nothing_and_both_ear_and_eye_are_told", async (t) => {
  const context = await profile(t, served.browser);
  const [one, two] = [await tab(t, context), await tab(t, context)];
  await two.bringToFront();
  await steady(approve(two));
  const live = two.locator("[part=live]");
  await live.getByText(/^1 call waits/).waitFor();
  const { x, y, width, height } = await approve(two).boundingBox();
  await two.mouse.move(x + width / 2, y + height / 2);
  await two.mouse.down();
  await one.evaluate(() => element.inbox.decide(element.inbox.requests()[0].id, { kind: "approve" }));
  await becomes(two, "approved");
  await two.mouse.up();
  await live.getByText(/: Approved\. Decided elsewhere$/).waitFor();
  await two.locator("[part~=card]").getByText("Decided elsewhere", { exact: true }).waitFor();
  assert.deepEqual(await two.evaluate(() => [sent, errors]), [[], []]);
});
