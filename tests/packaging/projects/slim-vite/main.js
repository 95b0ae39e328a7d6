// The example of the guide.
import { define, init } from "countersign/slim";
import source from "countersign/countersign.wasm?url";
import a2a from "countersign/wasm/countersign_a2a.wasm?url";
import deciding from "countersign/wasm/countersign_deciding.wasm?url";
import editing from "countersign/wasm/countersign_editing.wasm?url";
import policy from "countersign/wasm/countersign_policy.wasm?url";
import rest from "countersign/wasm/countersign_rest.wasm?url";
import schema from "countersign/wasm/countersign_schema.wasm?url";
import { task } from "./task.js";

define();
await init({ source, adapters: ["a2a"], parts: { a2a, deciding, editing, policy, rest, schema } });

const element = document.querySelector("countersign-inbox");
globalThis.sent = [];
element.addEventListener("countersign-send", ({ detail }) => {
  sent.push(detail.body);
  detail.respondWith(Promise.resolve());
});
await element.restore(task);
