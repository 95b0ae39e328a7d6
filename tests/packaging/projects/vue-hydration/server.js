import { createSSRApp } from "vue";
import { renderToString } from "vue/server-renderer";
import { card, panel } from "./app.js";

const drawn = async (shown) => renderToString(createSSRApp({ render: () => shown({}) }));
console.log(JSON.stringify({ card: await drawn(card), panel: await drawn(panel) }));
