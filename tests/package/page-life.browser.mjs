// What happens to a page while a call waits in it: drawn ahead, kept, moved, folded away.
import assert from "node:assert/strict";
import { test } from "node:test";

import { chromiumTest } from "../browser/harness/browser.mjs";
import { eventually } from "../browser/harness/eventually.mjs";
import { press, steady } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("page-life", "<button id=other>Other</button><main></main><aside></aside>");
const PAY = task([["r1", "pay", "{}"]]);

/** A page with an element in `<main>` in which one call waits, which is `element`, on `inbox`; what it sends is in `sent`. */
async function asked(t, { options = {}, message = PAY, before = () => {} } = {}) {
  const page = await open(t);
  await page.evaluate(before);
  await page.evaluate(([options, message]) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", a2a: { edits: "always" }, ...options });
    const element = Object.assign(document.createElement("countersign-inbox"), { inbox });
    Object.assign(globalThis, { inbox, element, sent: [], said: [] });
    element.addEventListener("countersign-send", ({ detail }) => {
      sent.push(detail.body);
      detail.respondWith(Promise.resolve());
    });
    const hear = () => {
      const words = element.shadowRoot.querySelector("[part~=live]")?.textContent;
      if (words && words !== said.at(-1)) said.push(words);
    };
    new MutationObserver(hear).observe(element.shadowRoot, { childList: true, subtree: true });
    document.querySelector("main").append(element);
    inbox.receive(message);
  }, [options, message]);
  return page;
}

const edit = async (page) => {
  await page.locator("[part~=edit-button]").first().click();
  await page.locator("dialog").waitFor();
};

test("r38_a_page_that_is_drawn_ahead_sends_and_announces_nothing_until_somebody_opens_it", async (t) => {
  const policy = { rules: [{ name: "small", effect: "allow", tool: "pay" }] };
  const before = () => Object.defineProperty(document, "prerendering", { value: true, configurable: true });
  const page = await asked(t, { options: { policy }, message: task([["r1", "pay", "{}"]]), before });
  await page.evaluate((more) => {
    const card = Object.assign(document.createElement("countersign-card"), { requestId: "r2" });
    document.querySelector("aside").append(card);
    inbox.receive(more);
  }, task([["r2", "wipe", "{}"]], "t2"));
  await page.waitForTimeout(1500);
  const now = () => page.evaluate(() => [sent.length, said, document.querySelector("countersign-card").shadowRoot.childElementCount]);
  assert.deepEqual(await now(), [0, [], 0]);
  await page.evaluate(() => {
    delete document.prerendering;
    document.dispatchEvent(new Event("prerenderingchange"));
  });
  await eventually(async () => assert.deepEqual(await now(), [1, ["1 call waits: wipe"], 1]));
  await press(page.locator("main [part~=approve-button]"));
  await eventually(async () => assert.equal((await now())[0], 2));
});

test("r44_what_was_said_outlives_an_element_that_is_taken_away_and_a_card_beside_it_has_it_too", async (t) => {
  const page = await asked(t);
  await page.locator("[part~=reject-button]").click();
  await page.locator("[part~=reason-field]").fill("not this one");
  await page.evaluate(async () => {
    element.remove();
    await new Promise((resolve) => setTimeout(resolve, 50));
    document.querySelector("main").append(element, Object.assign(document.createElement("countersign-card"), { requestId: "r1" }));
  });
  for (const shown of ["countersign-inbox", "countersign-card"]) {
    const place = page.locator(shown);
    await place.locator("[part~=reject-button]").click();
    assert.equal(await place.locator("[part~=reason-field]").inputValue(), "not this one");
    await page.keyboard.press("Escape");
  }
});

// Not every browser has `moveBefore`.
chromiumTest("r47_what_moveBefore_moves_keeps_its_dialog_its_words_and_the_focus_and_waits_anew", async (t) => {
  const page = await asked(t, { message: task([["r1", "pay", '{"to":"a"}']]) });
  await page.evaluate((text) => {
    const card = Object.assign(document.createElement("countersign-card"), { requestId: "r1" });
    const other = document.createElement("section").attachShadow({ mode: "open" });
    other.append(Object.assign(document.createElement("countersign-inbox"), { inbox: new countersign.Inbox({ adapter: "a2a" }) }));
    other.firstChild.inbox.receive(text);
    document.body.append(card, other.host);
    Object.assign(globalThis, { card, other });
  }, task([["r1", "wipe", "{}"]], "t9"));
  await page.locator("main countersign-inbox [part~=edit-button]").click();
  await page.getByRole("dialog").getByLabel("to", { exact: true }).fill("ab");
  const state = () =>
    page.evaluate(() => {
      const { activeElement } = element.shadowRoot;
      return [activeElement?.value, activeElement?.matches("dialog:modal *")];
    });
  const before = await state();
  assert.equal(before[1], true);
  await page.evaluate(() => document.querySelector("aside").moveBefore(element, null));
  assert.deepEqual(await state(), before);
  await page.keyboard.type("y");
  assert.equal((await state())[0].length, before[0].length + 1);
  await page.keyboard.press("Escape");
  const button = page.locator("aside [part~=approve-button]");
  await steady(button);
  const { x, y } = await page.evaluate(() => {
    element.before(document.createElement("p"));
    document.querySelector("#other").before(document.createElement("hr"), document.querySelector("main"));
    document.querySelector("main").moveBefore(element, null);
    return element.shadowRoot.querySelector("[part~=approve-button]").getBoundingClientRect();
  });
  await page.mouse.click(x + 9, y + 9);
  assert.equal(await page.evaluate(() => sent.length), 0);
  await press(page.locator("main countersign-inbox [part~=approve-button]"));
  assert.equal(await page.evaluate(() => sent.length), 1);
  const tool = () => page.evaluate(() => card.shadowRoot.querySelector("[part~=tool-name]").textContent);
  assert.equal(await tool(), "pay");
  await page.evaluate(() => other.moveBefore(card, null));
  assert.equal(await tool(), "wipe");
});

for (const [place, fold] of [
  ["closed details", () => (document.querySelector("details").open = false)],
  ["what is hidden until it is found", () => (document.querySelector("main").hidden = "until-found")],
]) {
  // Other browsers may take out of the page what Chromium only skips.
  chromiumTest(`r46_r47_an_element_in_${place.replaceAll(" ", "_")}_keeps_nobody_from_the_page_and_leaves_announcing_to_another`, async (t) => {
    const page = await asked(t);
    await page.evaluate(() => {
      const details = Object.assign(document.createElement("details"), { open: true });
      document.querySelector("main").before(details);
      details.append(document.querySelector("main"));
    });
    await edit(page);
    await page.evaluate(fold);
    await page.locator("#other").click();
    assert.equal(await page.locator("dialog").count(), 0);
    await page.evaluate((more) => {
      const second = Object.assign(document.createElement("countersign-inbox"), { inbox });
      document.querySelector("aside").append(second);
      inbox.receive(more);
    }, task([["r2", "wipe", "{}"]], "t2"));
    await page.locator("aside [part~=live]", { hasText: "wipe" }).waitFor({ state: "attached" });
  });
}

for (const [name, put] of Object.entries({
  "a dialog of the page": () => {
    const dialog = document.body.appendChild(document.createElement("dialog"));
    dialog.append(element);
    dialog.showModal();
  },
  "a popover": () => {
    const main = document.querySelector("main");
    main.popover = "manual";
    main.showPopover();
  },
  "a centred grid": () => Object.assign(document.querySelector("main").style, { display: "grid", placeItems: "center" }),
  "a row": () => Object.assign(document.querySelector("main").style, { display: "flex" }),
  "two columns": () => Object.assign(document.querySelector("main").style, { columns: "2" }),
})) {
  test(`r48_in ${name} an element has room and can be approved`, async (t) => {
    const page = await asked(t);
    await page.evaluate(put);
    const width = () => page.evaluate(() => element.getBoundingClientRect().width);
    await eventually(async () => assert.ok((await width()) >= 600, `${await width()}`));
    await page.setViewportSize({ width: 320, height: 700 });
    await eventually(async () => assert.ok((await width()) <= 320, `${await width()}`));
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= 320));
    await press(page.locator("[part~=approve-button]"));
    assert.equal(await page.evaluate(() => sent.length), 1);
  });
}

test("r48_where a page writes from top to bottom an element is as it is elsewhere", async (t) => {
  const page = await asked(t);
  await page.evaluate(() => (document.documentElement.style.writingMode = "vertical-rl"));
  await eventually(async () => assert.ok(await page.evaluate(() => element.getBoundingClientRect().width >= 600)));
  await press(page.locator("[part~=approve-button]"));
  assert.equal(await page.evaluate(() => sent.length), 1);
});

test("an element in a page that writes itself anew is heard", async (t) => {
  const page = await asked(t);
  await page.locator("[part~=card]").waitFor();
  await page.evaluate(() => {
    const { inbox } = element;
    document.open();
    document.write("<!doctype html><html lang=en><title>New</title><main></main>");
    document.close();
    const again = Object.assign(document.createElement("countersign-inbox"), { inbox });
    again.addEventListener("countersign-send", ({ detail }) => {
      sent.push(detail.body);
      detail.respondWith(Promise.resolve());
    });
    document.querySelector("main").append(again);
  });
  await press(page.locator("[part~=approve-button]"));
  await eventually(async () => assert.equal(await page.evaluate(() => sent.length), 1));
});

test("r51_a_title_that_the_page_has_kept_and_puts_back_is_counted_anew", async (t) => {
  const page = await asked(t);
  const titles = await page.evaluate(() => {
    document.title = "Chat";
    element.titleBadge = true;
    const kept = document.title;
    element.remove();
    const seen = [kept, document.title];
    document.title = kept;
    document.body.append(element);
    seen.push(document.title);
    element.remove();
    return [...seen, document.title];
  });
  assert.deepEqual(titles, ["(1) Chat", "Chat", "(1) Chat", "Chat"]);
});

test("the words of a language are fetched once for all elements, and again where they could not be had", async (t) => {
  const page = await open(t, { expectedErrors: [/503/] });
  let asked = 0;
  await page.route("**/locales/de.json", (route) => ((asked += 1) === 1 ? route.fulfill({ status: 503 }) : route.continue()));
  const add = (count) =>
    page.evaluate((count) => {
      for (let at = 0; at < count; at += 1) {
        document.querySelector("main").append(Object.assign(document.createElement("countersign-inbox"), { locale: "de" }));
      }
    }, count);
  await add(1);
  await page.waitForFunction(() => told.some(([type]) => type === "countersign-error"));
  await add(20);
  await page.getByText("Nichts wartet").nth(19).waitFor();
  assert.equal(asked, 2);
});

test("what is held stays so in a window that is seen, though the tab behind it is hidden", async (t) => {
  const page = await asked(t, { options: { holdRejections: 600_000 } });
  await page.evaluate(() => {
    const frame = Object.assign(document.createElement("iframe"), { width: 800, height: 500 });
    document.body.append(frame);
    frame.contentDocument.body.append(element);
    globalThis.hide = (place) => {
      Object.defineProperty(place, "visibilityState", { value: "hidden", configurable: true });
      place.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
      delete place.visibilityState;
    };
  });
  const frame = page.frameLocator("iframe");
  await frame.locator("[part~=reject-button]").click();
  await frame.locator("[part~=send-rejection-button]").click();
  await frame.locator("[part~=undo-button]").waitFor();
  const hide = (place) => page.evaluate((place) => (hide(place === "tab" ? document : element.ownerDocument), sent.length), place);
  assert.deepEqual([await hide("tab"), await hide("window")], [0, 1]);
});
