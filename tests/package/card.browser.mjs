// `<countersign-card>` and the connector of `<countersign-inbox>` in real Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { root } from "./package.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage(
  "card-element",
  `<countersign-inbox adapter="a2a"></countersign-inbox>
<main><countersign-card request-id="r1"></countersign-card><countersign-card request-id="t1/r2"></countersign-card></main>`,
);

const TWO = task([["r1", "delete_file", '{"path":"/a"}'], ["r2", "pay", "{}"]]);
/** A request of AdalFlow, which expires. */
const WAITS = JSON.parse(readFileSync(join(root, "tests/traces/adalflow/seed-ws--timeout-is-silent.json"), "utf8")).steps[0].receive;
const told = (page, type) => page.evaluate((wanted) => told.filter(([event]) => event === wanted).map(([, target, detail]) => [target, detail.requestIds ?? detail.code]), type);
const receive = (page, text) => page.evaluate((message) => document.querySelector("countersign-inbox").receive(message), text);
const approve = (page, tool) => page.locator(`main countersign-card`).getByRole("button", { name: `Approve ${tool}`, exact: true });

test("cards in the conversation share the inbox of the page, and exactly one element sends", async (t) => {
  const page = await open(t);
  await receive(page, TWO);
  await press(approve(page, "delete_file"));
  await press(approve(page, "pay"));
  await page.waitForFunction(() => told.some(([type]) => type === "countersign-send"));
  assert.deepEqual(await told(page, "countersign-send"), [["countersign-inbox", ["r1", "r2"]]]);
  assert.deepEqual(await told(page, "countersign-error"), []);
});

test("a card shows its own request alone, follows another id, and is empty without one", async (t) => {
  const page = await open(t);
  await receive(page, TWO);
  const card = page.locator("main countersign-card").first();
  assert.equal(await card.locator("[part~=tool-name]").textContent(), "delete_file");
  await card.evaluate((element) => (element.requestId = "r2"));
  await card.getByText("pay", { exact: true }).waitFor();
  await card.evaluate((element) => element.setAttribute("request-id", "none"));
  await card.locator("[part~=card]").waitFor({ state: "detached" });
});

test("a card that moves, leaves and comes back leaves nothing behind", async (t) => {
  const page = await open(t);
  await receive(page, TWO);
  const found = await page.evaluate(async () => {
    const card = document.querySelector("countersign-card");
    const place = document.body.appendChild(document.createElement("section"));
    for (let at = 0; at < 20; at += 1) {
      place.append(card);
      card.remove();
      document.querySelector("main").append(card);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
    card.remove();
    const without = card.shadowRoot.children.length;
    document.querySelector("main").append(card);
    return [without, card.shadowRoot.children.length];
  });
  assert.deepEqual(found, [0, 1]);
  await approve(page, "delete_file").waitFor();
});

test("what is shown and taken away a hundred times is listened to and kept no longer", async (t) => {
  const page = await open(t);
  await receive(page, TWO);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const kept = async (times) => {
    await page.evaluate(async (times) => {
      for (let at = 0; at < times; at += 1) {
        const card = document.createElement("countersign-card");
        card.setAttribute("request-id", "r1");
        document.body.append(card);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        card.remove();
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }, times);
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    return ["Nodes", "JSEventListeners"].map((wanted) => metrics.find(({ name }) => name === wanted).value);
  };
  const before = await kept(5);
  const after = await kept(100);
  assert.ok(after.every((count, at) => count < before[at] + 50), `${before} -> ${after}`);
});

test("what a person began on a card is not there on another one that is shown in its place", async (t) => {
  const page = await open(t);
  await receive(page, TWO);
  const cards = page.locator("countersign-card");
  await cards.first().getByRole("button", { name: /^Reject/ }).click();
  await cards.locator("textarea").fill("not this");
  await page.evaluate(() => {
    const [first, second] = document.querySelectorAll("countersign-card");
    second.remove();
    const other = document.createElement("countersign-card");
    other.setAttribute("request-id", "r2");
    first.replaceWith(other);
  });
  await cards.getByText("pay", { exact: true }).waitFor();
  assert.deepEqual([await cards.count(), await cards.locator("textarea").count()], [1, 0]);
});

test("a card is given an inbox, or names the element that has it", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    document.body.innerHTML = "";
    const inbox = new countersign.Inbox({ adapter: "a2a" });
    inbox.receive(message);
    const given = document.createElement("countersign-card");
    Object.assign(given, { inbox, requestId: "t1/r1" });
    const named = document.createElement("countersign-card");
    named.setAttribute("inbox-id", "late");
    named.setAttribute("request-id", "r2");
    document.body.append(given, named);
    // The inbox comes later than the card that names it.
    const late = document.createElement("countersign-inbox");
    late.id = "late";
    late.inbox = inbox;
    setTimeout(() => document.body.append(late), 100);
  }, TWO);
  await page.locator("countersign-card").first().getByText("delete_file", { exact: true }).waitFor();
  await page.locator("countersign-card").nth(1).getByText("pay", { exact: true }).waitFor();
});

test("a card beside an inbox takes nothing from the options that the inbox is still given", async (t) => {
  const page = await open(t);
  const found = await page.evaluate((message) => {
    const element = document.querySelector("countersign-inbox");
    element.options = { adapter: "a2a", grants: [] };
    element.receive(message);
    return document.querySelector("countersign-card").inbox === element.inbox;
  }, TWO);
  assert.equal(found, true);
  await page.locator("main countersign-card").first().locator("[part~=always-button]").waitFor();
});

test("a connector is connected once, and sends in place of the event", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    const calls = (globalThis.calls = []);
    document.querySelector("countersign-inbox").connector = {
      connect: async (inbox) => {
        calls.push("connect");
        inbox.restore(message);
      },
      send: async ({ requestIds }) => void calls.push(requestIds.join()),
    };
  }, task([["r1", "delete_file", "{}"]]));
  await press(approve(page, "delete_file"));
  await page.waitForFunction(() => calls.length === 2);
  assert.deepEqual(await page.evaluate(() => calls), ["connect", "r1"]);
  assert.deepEqual(await told(page, "countersign-send"), []);
});

test("r33_a_draft_on_a_card_is_left_out_by_approve_all_in_the_panel_and_each_hears_of_the_other", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", a2a: { edits: "always" } });
    for (const element of document.querySelectorAll("countersign-inbox, countersign-card")) element.inbox = inbox;
    inbox.receive(message);
  }, task([["r1", "look_up", '{"n":1}'], ["r2", "pay", '{"n":1,"api_key":"x"}'], ["r3", "look_up", '{"n":3}']]));
  const card = page.locator("main countersign-card").nth(1);
  const panel = page.locator("countersign-inbox");
  const all = panel.locator("[part~=approve-all-button]");
  await panel.locator("[part~=card]").nth(1).waitFor();
  await card.locator("[part~=edit-button]").click();
  await card.getByRole("dialog").getByLabel("n", { exact: true }).fill("2");
  await page.keyboard.press("Escape");
  await all.filter({ hasText: "Approve 2 of 3" }).waitFor();
  // It has a secret: only the memory of the page knows it.
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await all.press("Enter");
  await panel.locator("[part~=left-out]", { hasText: "has a draft" }).waitFor();
  await page.keyboard.press("Escape");
  await press(panel.locator("[part~=discard-button]"));
  await card.locator("[part~=discard-button]").waitFor({ state: "detached" });
  await all.filter({ hasText: "Approve all" }).waitFor();
});

/** The dialog for the arguments of `pay` in this language, and the texts of its problems: in the summary, and at the fields. */
async function editing(t, lang) {
  const page = await open(t);
  const message = task([["r1", "pay", '{"amount":1,"to":"x","tags":["a"]}']]);
  await page.evaluate(([message, lang]) => {
    const amount = { type: "integer", maximum: 100 };
    const schema = { properties: { amount, to: { type: "string", pattern: "^(?!y)" }, tags: { minItems: 1 } }, required: ["to"] };
    const inbox = new countersign.Inbox({ adapter: "a2a", a2a: { edits: "always" }, schemas: { pay: schema } });
    for (const element of document.querySelectorAll("countersign-inbox, countersign-card")) Object.assign(element, { inbox, lang });
    inbox.receive(message);
  }, [message, lang]);
  const card = page.locator("main countersign-card").first();
  await card.locator(`[part~=card][lang=${lang}], [lang=${lang}] [part~=card]`).waitFor();
  await card.locator("[part~=edit-button]").click();
  const dialog = card.getByRole("dialog");
  const texts = async (selector) => (await dialog.locator(selector).allTextContents()).map((text) => text.replace(/[\u2066-\u2069]/g, ""));
  return { page, dialog, summary: () => texts("[part=edit-summary] li"), fields: () => texts("[part=edit-problem]"), unchecked: () => texts("[part=edit-unchecked]") };
}

test("r25_what_is_wrong_with_edited_arguments_is_said_in_the_language_of_the_element", async (t) => {
  const { dialog, page, summary, fields } = await editing(t, "de");
  const amount = dialog.getByLabel("amount", { exact: true });
  await amount.fill("200.5");
  const expected = ["amount muss eine ganze Zahl sein", "amount darf höchstens 100 sein"];
  await dialog.getByText("2 Probleme", { exact: true }).first().waitFor();
  assert.deepEqual([await summary(), await fields()], [expected, expected]);
  const described = await amount.evaluate((field) => {
    const ids = field.getAttribute("aria-describedby").split(" ");
    return ids.map((id) => field.getRootNode().getElementById(id)?.textContent).join(" ");
  });
  for (const sentence of expected) assert.ok(described.includes(sentence), described);
  await dialog.getByRole("button", { name: "JSON", exact: true }).click();
  await dialog.locator("[part=edit-json]").fill('{"amount":2,"to":null,"tags":[]}');
  const wrong = ["to muss ein Text sein", "tags muss mindestens 1 Eintrag haben"];
  await dialog.getByText("2 Probleme", { exact: true }).first().waitFor();
  await dialog.getByText(wrong[0], { exact: true }).first().waitFor();
  assert.deepEqual((await summary()).sort(), wrong.sort());
  await dialog.locator("[part=edit-json]").fill('{"amount":2');
  const unread = "Zeile 1, Spalte 12: Unerwartetes Ende des Textes.";
  await dialog.getByText(unread).first().waitFor();
  assert.deepEqual([await summary(), await fields()], [[`Argumente · ${unread}`], [unread]]);
  // The line that is marked does not cover what is typed in it.
  const above = await dialog.locator("[part=edit-json]").evaluate((field) => {
    const mirror = field.previousElementSibling;
    mirror.style.pointerEvents = "auto";
    const { x, y } = mirror.querySelector("[data-bad]").getBoundingClientRect();
    const top = field.getRootNode().elementFromPoint(x + 5, y + 5);
    mirror.style.pointerEvents = "";
    return top === field;
  });
  assert.equal(above, true);
  // The words of the page go over them.
  await page.evaluate(() => (document.querySelector("main countersign-card").messages = { json_unexpected_end: "Da fehlt etwas" }));
  await dialog.getByText("Zeile 1, Spalte 12: Da fehlt etwas.").first().waitFor();
  assert.deepEqual(await told(page, "countersign-error"), []);
});

test("r25_what_of_a_schema_cannot_be_checked_is_said_and_keeps_nothing_from_being_sent", async (t) => {
  const { dialog, summary, unchecked } = await editing(t, "de");
  await dialog.getByLabel("to", { exact: true }).fill("y");
  await dialog.locator("[part=edit-changes]").waitFor();
  assert.deepEqual([await summary(), await unchecked()], [[], ["Hier nicht prüfbar, das System des Agenten entscheidet darüber: to (pattern)"]]);
  await dialog.locator("[part=send-edit-button]:not([aria-disabled=true])").waitFor();
});

test("r18_r25_values_in_a_sentence_that_is_read_from_right_to_left_keep_their_direction", async (t) => {
  const { dialog, summary } = await editing(t, "ar");
  await dialog.getByLabel("amount", { exact: true }).fill("200");
  await dialog.locator("[part=edit-problem]").waitFor();
  assert.deepEqual(await summary(), ["amount يجب ألا يزيد على 100"]);
  const fault = dialog.locator("[part=edit-problem]");
  const looks = await fault.evaluate((fault) => {
    const style = (element) => [getComputedStyle(element).direction, getComputedStyle(element).unicodeBidi];
    return [getComputedStyle(fault).direction, ...[...fault.querySelectorAll("code")].map(style)];
  });
  assert.deepEqual(looks, ["rtl", ["ltr", "isolate"], ["ltr", "isolate"]]);
});

test("a grant given on a card is told by the card, once", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    const element = document.querySelector("countersign-inbox");
    element.inbox.setGrants([]);
    element.receive(message);
  }, TWO);
  const card = page.locator("main countersign-card").first();
  await card.getByRole("button", { name: "Always allow delete_file", exact: true }).click();
  await press(card.locator("[part=grant-button]"));
  await page.waitForFunction(() => told.some(([type]) => type === "countersign-grants"));
  const grants = await page.evaluate(() => told.filter(([type]) => type === "countersign-grants").map(([, target, { grants }]) => [target, grants.length]));
  assert.deepEqual(grants, [["countersign-card", 1]]);
});

test("r41_a_wish_for_more_time_is_told_by_the_card_once_also_beside_a_hidden_inbox_and_its_answer_counts", async (t) => {
  const page = await open(t);
  await page.evaluate(async (message) => {
    globalThis.clock = 1_000_000;
    const owner = document.createElement("countersign-inbox");
    owner.hidden = true;
    owner.options = { adapter: "adalflow", extend: true, now: () => clock };
    document.querySelector("countersign-inbox").replaceWith(owner);
    await owner.receive(message);
    const [{ id, expiresAt }] = owner.inbox.requests();
    Object.assign(globalThis, { owner, expiresAt });
    document.addEventListener("countersign-extend", ({ detail }) => detail.respondWith(Promise.resolve(expiresAt + 60_000)));
    document.querySelector("main").replaceChildren(Object.assign(document.createElement("countersign-card"), { requestId: id }));
    // A second before the end.
    clock = expiresAt - 1000;
  }, WAITS);
  await page.locator("main countersign-card").getByRole("button", { name: /^Ask for more time/ }).click();
  const seen = () => page.evaluate(() => [owner.inbox.requests()[0].expiresAt - expiresAt, told.filter(([type]) => type !== "countersign-change").map(([type, target]) => [type, target])]);
  await page.waitForFunction(() => owner.inbox.requests()[0].expiresAt > expiresAt);
  assert.deepEqual(await seen(), [60_000, [["countersign-extend", "countersign-card"]]]);
  await page.evaluate(() => {
    clock = expiresAt + 1000;
    owner.inbox.tick();
  });
  assert.equal(await page.evaluate(() => owner.inbox.requests()[0].status), "pending");
});

test("r33_after_a_list_was_confirmed_it_is_said_how_many_were_decided_and_of_how_many", async (t) => {
  const page = await open(t);
  // The last one names a key twice, so nobody can say what would run.
  await receive(page, task([["r1", "delete_file", '{"path":"/a"}'], ["r2", "pay", "{}"], ["r3", "run", '{"a":1,"a":2}']]));
  const inbox = page.locator("countersign-inbox");
  const live = inbox.locator("[part=live]");
  await live.getByText(/^3 calls wait: /).waitFor({ state: "attached" });
  await inbox.locator("[part=approve-all-button]").click();
  await press(inbox.getByRole("dialog").locator("[part=confirm-button]"));
  await live.getByText("2 of 3 decided", { exact: true }).waitFor({ state: "attached" });
});

test("r01_a_card_whose_id_several_calls_have_shows_none_of_them_and_says_so_until_it_stands_for_one", async (t) => {
  const page = await open(t, { expectedErrors: [/stands for 2 calls/] });
  const logged = [];
  page.on("console", (message) => message.type() === "error" && logged.push(message.text()));
  await receive(page, TWO);
  const card = page.locator("main countersign-card").first();
  await card.locator("[part~=card]").waitFor();
  await receive(page, task([["r1", "pay", "{}"]], "t2"));
  const outage = card.locator("[part~=outage]");
  await outage.filter({ hasText: "`r1` stands for 2 calls, `t1/r1`, `t2/r1`" }).waitFor();
  await card.locator("[part~=card]").waitFor({ state: "detached" });
  // What changes meanwhile is no reason to say it again; the other card is shown.
  await receive(page, task([["r9", "pay", "{}"]], "t3"));
  await page.locator("main countersign-card").nth(1).locator("[part~=card]").waitFor();
  assert.deepEqual(await told(page, "countersign-error"), [["countersign-card", "ambiguous-request"]]);
  assert.equal(logged.filter((text) => /stands for 2 calls/.test(text)).length, 1, logged.join());
  await card.evaluate((element) => (element.requestId = "t2/r1"));
  await card.locator("[part~=tool-name]", { hasText: "pay" }).waitFor();
  assert.equal(await outage.count(), 0);
  await card.evaluate((element) => (element.requestId = "r1"));
  await outage.waitFor();
  // History without the other task: the id stands for one call again.
  await page.evaluate((history) => document.querySelector("countersign-inbox").restore(history), TWO);
  await card.locator("[part~=tool-name]", { hasText: "delete_file" }).waitFor();
  assert.equal(await outage.count(), 0);
});

test("a card with an id that nobody knows says in the console which there are, once", async (t) => {
  const page = await open(t);
  const warned = [];
  page.on("console", (message) => message.type() === "warning" && warned.push(message.text()));
  await receive(page, TWO);
  await page.locator("main countersign-card").first().evaluate((element) => (element.requestId = "r7"));
  await page.waitForTimeout(5500);
  assert.deepEqual(warned, ["countersign-card: there is no call `r7`; there are `t1/r1`, `t1/r2`"]);
});

test("r43_what_is_decided_on_a_card_that_nobody_sends_for_is_told_in_the_console_and_leaves_once_with_the_next_inbox_element", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    const later = globalThis.setTimeout;
    globalThis.setTimeout = (act, wait, ...rest) => later(act, wait === 10_000 ? 200 : wait, ...rest);
    const inbox = (globalThis.inbox = new countersign.Inbox({ adapter: "a2a" }));
    inbox.receive(message);
    document.querySelector("main").replaceChildren();
    document.querySelector("countersign-inbox").remove();
    document.querySelector("main").append(Object.assign(document.createElement("countersign-card"), { inbox, requestId: "r1" }));
  }, task([["r1", "delete_file", "{}"]]));
  const warning = page.waitForEvent("console", (message) => message.type() === "warning");
  await press(approve(page, "delete_file"));
  assert.match((await warning).text(), /^countersign-card: what was decided of `r1` was not sent.*<countersign-inbox>.*`forward`$/);
  assert.deepEqual(await told(page, "countersign-send"), []);
  await page.evaluate(() => document.body.append(Object.assign(document.createElement("countersign-inbox"), { inbox })));
  await page.waitForFunction(() => told.some(([type]) => type === "countersign-send"));
  assert.equal((await told(page, "countersign-send")).length, 1);
  assert.equal(await page.evaluate(() => inbox.takeOutbound().length), 0);
});

test("r41_what_is_held_for_longer_than_the_agent_waits_says_that_it_expires_and_is_never_sent", async (t) => {
  const page = await open(t);
  await page.evaluate(async (message) => {
    globalThis.clock = 1_000_000;
    const owner = document.createElement("countersign-inbox");
    owner.options = { adapter: "adalflow", now: () => clock };
    document.querySelector("main").replaceChildren();
    document.querySelector("countersign-inbox").replaceWith(owner);
    await owner.receive(message);
    const [{ expiresAt }] = owner.inbox.requests();
    Object.assign(globalThis, { owner, expiresAt });
    clock = expiresAt - 4500;
    owner.inbox.tick();
  }, WAITS);
  const card = page.locator("countersign-inbox [part~=card]");
  const badge = card.locator("[part~=badge]");
  const reject = async () => {
    await card.locator("[part~=reject-button]").click();
    await card.locator("[part~=send-rejection-button]").click();
  };
  await reject();
  await badge.getByText("Rejected · goes out in 4 s").waitFor();
  await card.locator("[part~=undo-button]").click();
  await page.evaluate(() => {
    clock = expiresAt - 2000;
    owner.inbox.tick();
  });
  await reject();
  await badge.getByText("Rejected · expires in 2 s, before it is sent").waitFor();
  assert.equal(await card.getByText("goes out").count(), 0);
  await page.evaluate(() => {
    clock = expiresAt + 60_000;
    owner.inbox.tick();
  });
  await badge.getByText("Expired").waitFor();
  assert.deepEqual(await told(page, "countersign-send"), []);
});
