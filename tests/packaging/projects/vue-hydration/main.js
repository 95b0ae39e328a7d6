// Takes over what the server drew; the test says with which properties, and which come later.
import { createSSRApp, shallowRef, version } from "vue";
import { Inbox, init } from "countersign";
import { card, panel } from "./app.js";
import { task } from "./task.js";

await init();

globalThis.begin = (first) => {
  const shown = document.querySelector("countersign-card") ? card : panel;
  const properties = shallowRef(first);
  globalThis.give = (given) => (properties.value = given);
  createSSRApp({ render: () => shown(properties.value) }).mount("#root");
};
Object.assign(globalThis, { version, Inbox, task, ready: true });
