// A page that says itself where each file is.
import { define, init } from "./node_modules/countersign/dist/slim.js";
import { task } from "./task.js";

define();
globalThis.element = document.querySelector("countersign-inbox");
globalThis.sent = [];
element.addEventListener("countersign-send", ({ detail }) => {
  sent.push(detail.body);
  detail.respondWith(Promise.resolve());
});
element.restore(task);

const place = (name) => new URL(`/node_modules/countersign/dist/wasm/countersign_${name}.wasm`, location.href);
const names = ["a2a", "deciding", "rest", "editing", "schema", "policy"];
const files = { source: place("bg"), adapters: ["a2a"], parts: Object.fromEntries(names.map((name) => [name, place(name)])) };
globalThis.begin = (options = files) => init(options);
