// axe on what opens from a card, and on the panel of tools: both colour schemes, both directions.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const open = stage("axe", "<main><h1>Elements</h1><countersign-inbox></countersign-inbox><countersign-policy></countersign-policy></main>");

const CALLS = task([["r1", "delete_file", '{"path":"/tmp/x"}'], ["r2", "delete_file", '{"path":"/tmp/y"}'], ["r3", "pay", '{"amount":1}']]);

/** What axe finds, a line each. */
async function findings(page) {
  // Once approvals are armed, so that their colours are looked at too.
  await page.waitForTimeout(800);
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(" ")}: ${failureSummary}`));
  });
}

for (const scheme of ["light", "dark"]) {
  for (const direction of ["ltr", "rtl"]) {
    test(`r47_axe finds nothing in lists, dialogs and the panel of tools, ${scheme}, ${direction}`, async (t) => {
      const page = await open(t, { colorScheme: scheme, reducedMotion: "reduce" });
      await page.evaluate(
        ([text, dir, theme]) => {
          Object.assign(document.documentElement, { dir });
          const sheet = new CSSStyleSheet();
          sheet.replaceSync(`:root { color-scheme: ${theme}; } body { background: light-dark(#ffffff, #131315); color: light-dark(#1b1a17, #ececea); }`);
          document.adoptedStyleSheets = [sheet];
          const inbox = new countersign.Inbox({
            adapter: "a2a",
            a2a: { edits: "always" },
            grants: [{ id: "g1", scope: "tool", tool: "read", createdAt: Date.now() - 1000, expiresAt: Date.now() + 9_000_000 }],
            risk: [{ tool: "pay", level: "high", reason: "money" }],
          });
          inbox.restore(text);
          const [queue] = document.getElementsByTagName("countersign-inbox");
          const [panel] = document.getElementsByTagName("countersign-policy");
          const locale = dir === "rtl" ? "ar" : undefined;
          Object.assign(queue, { inbox, locale });
          const configuration = { require_approval: { ls: true }, blocked_tools: ["rm"] };
          const tools = [{ name: "ls", description: "Lists what is there.", server: "files" }, { name: "rm", agent: "root" }];
          Object.assign(panel, { inbox, tools, configuration, locale });
        },
        [CALLS, direction, scheme],
      );
      const queue = page.locator("countersign-inbox");
      const within = (part) => queue.locator(`[part~="${part}"]`);
      await within("approve-button").nth(2).waitFor();
      await page.locator("countersign-policy [part=tool]").nth(1).waitFor();
      assert.deepEqual(await findings(page), [], "cards and the panel of tools");
      const states = [
        ["approve-all-button", 0, "review"],
        ["reject-all-button", 0, "review"],
        ["always-button", 0, "dialog"],
        ["edit-button", 0, "dialog"],
        // The call that needs care is confirmed a second time.
        ["approve-button", 2, "dialog"],
      ];
      for (const [part, place, shown] of states) {
        await press(within(part).nth(place));
        await within(shown).first().waitFor();
        assert.deepEqual(await findings(page), [], `${part} ${place}`);
        await page.keyboard.press("Escape");
        await within(shown).first().waitFor({ state: "detached" });
      }
      await page.evaluate(() => Object.assign(document.querySelector("countersign-policy"), { configuration: "{", format: undefined }));
      await page.locator("countersign-policy [role=alert]").waitFor();
      assert.deepEqual(await findings(page), [], "a configuration that cannot be read");
    });
  }
}
