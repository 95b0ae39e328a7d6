// A component whose properties the test sets, mounted when the wasm is there already.
import { createApp, h, shallowRef, version } from "vue";
import { Inbox, init } from "countersign";
import { CountersignInbox } from "countersign/vue";
import { task } from "./task.js";

await init();

const properties = shallowRef({});
Object.assign(globalThis, { version, Inbox, task, sent: [] });
globalThis.give = (given) => {
  properties.value = given;
};
globalThis.begin = ({ className, ...given }) => {
  properties.value = className === undefined ? given : { ...given, class: className };
  createApp({ render: () => h(CountersignInbox, properties.value) }).mount("#root");
};
globalThis.ready = true;
