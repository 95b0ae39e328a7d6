// Every attribute of the elements has a property that reflects it, in real Chromium.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { folder } from "./package.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("element-properties", "<countersign-inbox></countersign-inbox><countersign-policy></countersign-policy>");
const { modules } = JSON.parse(readFileSync(join(folder, "custom-elements.json"), "utf8"));
const elements = modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);

/** HTML has a property of its own for these. */
const OF_HTML = { lang: "lang", "data-theme": "dataset.theme", "data-density": "dataset.density" };
/** Spelled as HTML spells it. */
const SPELLED = { readonly: "readOnly" };
const propertyOf = (attribute) => SPELLED[attribute] ?? attribute.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

for (const { tagName, attributes, members } of elements) {
  test(`<${tagName}> has a property for each of its attributes`, async (t) => {
    const own = attributes.map(({ name }) => name).filter((name) => !OF_HTML[name]);
    const named = own.map((name) => [name, propertyOf(name)]);
    for (const [, property] of named) assert.ok(members.some(({ name }) => name === property), `the manifest names no \`${property}\``);
    const page = await open(t);
    const found = await page.evaluate(
      ([tag, pairs]) => {
        const element = document.createElement(tag);
        return pairs.map(([attribute, property]) => {
          const isFlag = typeof element[property] === "boolean";
          const [value, text] = isFlag ? [true, ""] : ["a2a", "a2a"];
          element[property] = value;
          const set = element.getAttribute(attribute);
          element[property] = isFlag ? false : undefined;
          const gone = element.hasAttribute(attribute);
          element.setAttribute(attribute, text);
          return [attribute, set === text, gone, element[property] === value];
        });
      },
      [tagName, named],
    );
    assert.deepEqual(found, own.map((name) => [name, true, false, true]));
  });
}

test("what was set as a property before the tag was defined counts", async (t) => {
  const page = await open(t);
  const found = await page.evaluate(async () => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    frame.srcdoc = '<countersign-inbox></countersign-inbox><countersign-card></countersign-card><countersign-policy></countersign-policy>';
    await new Promise((done) => frame.addEventListener("load", done));
    const [inbox, card, policy] = frame.contentDocument.body.children;
    Object.assign(inbox, { adapter: "a2a", titleBadge: true });
    Object.assign(card, { inboxId: "queue" });
    Object.assign(policy, { readOnly: true });
    // The same document is taken into the page whose registry knows the tags.
    for (const element of [inbox, card, policy]) document.body.append(document.adoptNode(element));
    return [inbox.getAttribute("adapter"), inbox.hasAttribute("title-badge"), card.getAttribute("inbox-id"), policy.hasAttribute("readonly")];
  });
  assert.deepEqual(found, ["a2a", true, "queue", true]);
});

test("a panel that is told to be read-only by its property turns for nobody", async (t) => {
  const page = await open(t);
  await page.evaluate(() => Object.assign(document.querySelector("countersign-policy"), { tools: [{ name: "a" }], configuration: '{"a": true}', readOnly: true }));
  const one = page.getByRole("switch");
  await one.press("Space");
  assert.equal(await one.getAttribute("aria-disabled"), "true");
  assert.equal(await page.evaluate(() => document.querySelector("countersign-policy").configuration), '{"a": true}');
  await page.evaluate(() => Object.assign(document.querySelector("countersign-policy"), { readOnly: false }));
  await one.press("Space");
  await page.waitForFunction(() => document.querySelector("countersign-policy").configuration === '{"a": false}');
});

test("an adapter counts as long as the element's own inbox is untouched, and an empty one is none", async (t) => {
  const page = await open(t, { expectedErrors: [/no adapter `fax`/] });
  const shown = page.locator("countersign-inbox").first();
  await shown.locator("[part=inbox]").waitFor({ state: "attached" });
  await page.evaluate(() => (document.querySelector("countersign-inbox").adapter = "fax"));
  await shown.locator("[part=inbox]").waitFor({ state: "detached" });
  assert.deepEqual(await page.evaluate(() => told.map(([type, , { code }]) => [type, code])), [["countersign-error", "unknown-adapter"]]);
  await page.evaluate(() => (document.querySelector("countersign-inbox").adapter = ""));
  await shown.locator("[part=inbox]").waitFor({ state: "attached" });
  await page.evaluate((text) => document.querySelector("countersign-inbox").receive(text), task([["r1", "pay", "{}"]]));
  await page.evaluate(() => (document.querySelector("countersign-inbox").adapter = "langgraph"));
  assert.equal(await shown.locator("[part=card]").count(), 1);
});

test("the number before the title comes and goes with its property", async (t) => {
  const page = await open(t);
  await page.evaluate((text) => document.querySelector("countersign-inbox").receive(text), task([["r1", "pay", "{}"]]));
  const title = (on) => page.evaluate((value) => ((document.querySelector("countersign-inbox").titleBadge = value), document.title), on);
  assert.deepEqual([await title(true), await title(false)], ["(1) Elements", "Elements"]);
});
