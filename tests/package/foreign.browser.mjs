// Others who change a card while it is drawn in pieces, as a browser draws what takes it long, or who take it for their own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("foreign", '<countersign-inbox adapter="a2a"></countersign-inbox>');

test("what others do between two halves of a drawing is taken back", async (t) => {
  const page = await open(t);
  await page.evaluate(async ([first]) => {
    const element = document.querySelector("countersign-inbox");
    await element.receive(first);
    // From one of the looks at the clock on a drawing has taken too long for one go.
    const { now } = Date;
    globalThis.looks = Infinity;
    Date.now = () => now() + ((looks -= 1) < 0 ? 1000 : 0);
    const texts = (node) => (node.nodeType === Node.TEXT_NODE ? [node] : [...node.childNodes].flatMap(texts));
    globalThis.mark = () => {
      for (const text of texts(element.shadowRoot).filter(({ data, parentElement }) => data.trim() !== "" && !parentElement.closest("font"))) {
        const font = document.createElement("font");
        text.before(font);
        font.append(text);
        text.data = `[${text.data}]`;
      }
    };
  }, [task([["r1", "delete_file", '{"path":"/tmp/a"}']])]);
  await page.locator("[part~=card]").waitFor();
  for (let most = 0; most < 12; most += 1) {
    const path = `/srv/${most}`;
    await page.evaluate(([message, count]) => {
      globalThis.looks = count;
      void document.querySelector("countersign-inbox").receive(message);
      // At once behind the drawing.
      return Promise.resolve().then(mark);
    }, [task([["r1", "delete_file", JSON.stringify({ path })]]), most]);
    await eventually(async () => {
      const text = await page.locator("[part~=card]").innerText();
      assert.ok(text.includes(path) && !text.includes("["), `${most}: ${text}`);
    });
  }
});

test("r30_a_page_that_is_made_with_Yew_too_takes_no_button_of_the_element_for_one_of_its_own_and_keeps_none_from_it", async (t) => {
  const page = await open(t);
  await page.evaluate(async ([message]) => {
    const element = document.querySelector("countersign-inbox");
    await element.receive(message);
    // What Yew does of a page around it, whose numbers begin at the same ones.
    const numbers = [...Array(64).keys()];
    const above = (node) => node.parentElement ?? node.getRootNode().host;
    document.body.__yew_subtree_id = 1;
    document.body.__yew_listener_id = 1;
    globalThis.heard = [];
    const hear = (event) => {
      let node = event.composedPath()[0];
      const target = node.localName;
      while (node && node.__yew_subtree_id === undefined) node = above(node);
      if (!node) return;
      event.__yew_subtree_id = node.__yew_subtree_id;
      event.__yew_subtree_cache_key = event.composedPath().length;
      if (node.__yew_subtree_id !== 1) return;
      for (; node; node = above(node)) if (numbers.includes(node.__yew_listener_id)) heard.push(`${node.localName} of ${target}`);
    };
    document.body.addEventListener("click", hear, true);
  }, [task([["r1", "delete_file", "{}"]])]);
  await press(page.locator("[part~=approve-button]"));
  await eventually(async () => assert.equal(await page.evaluate(() => told.filter(([type]) => type === "countersign-send").length), 1));
  assert.deepEqual(await page.evaluate(() => heard), ["body of button"]);
});

test("what is typed into a field stays there in a chat that takes what is typed anywhere, and commands go on", async (t) => {
  const page = await open(t);
  await page.evaluate(async ([message]) => {
    const composer = document.body.appendChild(document.createElement("textarea"));
    Object.assign(globalThis, { composer, keys: [] });
    const isField = ({ target }) => target.matches("input, textarea, select");
    addEventListener("keydown", (event) => {
      if (isField(event)) return;
      keys.push(event.key);
      if (event.key.length === 1 && !event.ctrlKey) composer.focus();
    });
    addEventListener("paste", (event) => isField(event) || composer.focus());
    await document.querySelector("countersign-inbox").receive(message);
  }, [task([["r1", "delete_file", "{}"]])]);
  await page.locator("[part~=reject-button]").click();
  const field = page.locator("countersign-inbox textarea");
  await field.focus();
  await page.keyboard.type("not mine");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+c");
  await page.keyboard.press("End");
  await page.keyboard.press("Control+v");
  const seen = () => page.evaluate(() => [composer.value, keys.filter((key) => key !== "Control")]);
  assert.deepEqual(await seen(), ["", ["a", "c", "v"]]);
  assert.match(await field.inputValue(), /not mine/);
  const own = await page.evaluate(() => {
    const field = Object.assign(document.createElement("input"), { slot: "empty" });
    document.querySelector("countersign-inbox").append(field);
    let isHeard = false;
    document.addEventListener("keydown", () => (isHeard = true), { once: true });
    field.dispatchEvent(new KeyboardEvent("keydown", { key: "a", bubbles: true, composed: true }));
    return isHeard;
  });
  assert.ok(own);
});
