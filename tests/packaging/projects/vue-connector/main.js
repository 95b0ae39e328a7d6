// A component with a connector; the test says for which thread, and when it is kept, taken away or drawn by a server first.
import { createApp, createSSRApp, defineComponent, h, KeepAlive, shallowRef, Suspense, version } from "vue";
import { renderToString } from "vue/server-renderer";
import Calls from "./Calls.vue";

const given = shallowRef({});
/** What stands in the place of the component while it is kept. */
const Other = { render: () => h("p", "Another view") };
/** What has to be loaded before any of it stands in the page. */
const Late = defineComponent({ props: ["until"], setup: async ({ until }) => (await until, () => h("p", "Loaded")) });

const app = () => {
  const { thread, folded = false, shut = false, view = 0, gone, away, until } = given.value;
  if (gone) return h("p", "Gone");
  const calls = h(KeepAlive, null, [away ? h(Other) : h(Calls, { thread, folded, shut, view })]);
  return until ? h(Suspense, null, { default: () => h("div", [calls, h(Late, { until })]), fallback: () => h("p", "Loading") }) : calls;
};
globalThis.give = (next) => (given.value = next);
globalThis.begin = (first) => {
  given.value = first;
  createApp({ render: app }).mount("#root");
};
/** What a server draws, and then the browser takes over. */
globalThis.takeOver = async (first) => {
  given.value = first;
  const root = document.getElementById("root");
  root.innerHTML = await renderToString(createSSRApp({ render: app }));
  const html = root.innerHTML;
  createSSRApp({ render: app }).mount(root);
  return html;
};
Object.assign(globalThis, { version, keeps: true, ready: true });
