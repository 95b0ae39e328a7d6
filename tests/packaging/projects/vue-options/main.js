// A component whose properties the test sets, mounted when the wasm is there already.
import { createApp, h, KeepAlive, shallowRef, version } from "vue";
import { Inbox, init } from "countersign";
import { CountersignCard, CountersignInbox, CountersignPolicy } from "countersign/vue";
import { task } from "./task.js";

await init();

const properties = shallowRef({});
const isAway = shallowRef(false);
/** What stands in the place of the component while it is kept. */
const Other = { render: () => h("p", "Another view") };
Object.assign(globalThis, { version, Inbox, task, sent: [] });
globalThis.give = (given) => {
  properties.value = given;
};
globalThis.hide = () => (isAway.value = true);
globalThis.show = () => (isAway.value = false);
globalThis.begin = ({ className, ...given }, name = "CountersignInbox") => {
  const shown = { CountersignCard, CountersignInbox, CountersignPolicy }[name];
  properties.value = className === undefined ? given : { ...given, class: className };
  createApp({ render: () => h(KeepAlive, null, [isAway.value ? h(Other) : h(shown, properties.value)]) }).mount("#root");
};
globalThis.ready = true;
