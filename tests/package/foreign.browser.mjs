// Others who change a card while it is drawn in pieces, as a browser draws what takes it long.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
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
