// What a server draws and a browser takes over.
import { h } from "vue";
import { CountersignCard, CountersignInbox } from "countersign/vue";

export const card = (properties) => h(CountersignCard, { class: "inline", requestId: "r1", ...properties });
export const panel = (properties) => h(CountersignInbox, { class: "panel", adapter: "a2a", ...properties });
