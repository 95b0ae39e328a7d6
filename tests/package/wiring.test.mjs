// What the components of the frameworks do with what a host hands over.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { modules } from "./package.mjs";

const { wire } = await import(pathToFileURL(join(modules, "wiring.js")).href);

/** What an element hears of a message for which the host has this handler. */
async function answered(onSend) {
  const element = new EventTarget();
  wire(element, () => ({ onSend }));
  let answer;
  const detail = { id: "m1", body: "{}", respondWith: (promise) => (answer = promise) };
  element.dispatchEvent(Object.assign(new Event("countersign-send"), { detail }));
  return answer && answer.then((value) => ["delivered", value], (error) => ["failed", error.message]);
}

test("r43_a_handler_that_returns_no_promise_has_not_said_that_the_message_arrived", async () => {
  const unknown = ["failed", "`onSend` returned no promise, and nobody knows whether the message arrived: return that of `fetch`"];
  for (const returned of [undefined, null, true, "sent", {}]) assert.deepEqual(await answered(() => returned), unknown, String(returned));
  assert.deepEqual(await answered(async () => undefined), ["delivered", undefined]);
  assert.deepEqual(await answered(() => ({ then: (resolve) => resolve(7) })), ["delivered", 7]);
  assert.deepEqual(await answered(() => Promise.reject(new Error("offline"))), ["failed", "offline"]);
  assert.deepEqual(
    await answered(() => {
      throw new Error("no backend");
    }),
    ["failed", "no backend"],
  );
  assert.equal(await answered(undefined), undefined);
});
