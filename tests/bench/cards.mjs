// Measures cards, inside a page: from data to paint, and from a click to paint. Beside it the same in plain React.
import { init } from "./package/dist/index.js";
import "./package/dist/define.js";

import { mount } from "./react-list.js";

const place = document.querySelector("main");

/** A task of A2A 0.3 in which so many calls wait, as JSON text. */
function waiting(count, argsOf = (at) => ({ path: `/srv/data/report-${at}.csv`, recursive: false, note: `call ${at}`, tags: ["a", "b"] })) {
  const parts = Array.from({ length: count }, (_, at) => ({
    kind: "data",
    metadata: { kagent_type: "function_call", kagent_is_long_running: true },
    data: {
      id: `r${at}`,
      name: "adk_request_confirmation",
      args: { originalFunctionCall: { id: `c${at}`, name: `tool_${at % 7}`, args: argsOf(at) }, toolConfirmation: { hint: "sure?", confirmed: false } },
    },
  }));
  const message = { kind: "message", role: "agent", messageId: "m1", taskId: "t1", contextId: "x1", parts };
  return JSON.stringify({ kind: "task", id: "t1", contextId: "x1", history: [message], status: { state: "input-required", message } });
}

/** One call with about so many bytes of arguments. */
const large = (bytes) => waiting(1, () => ({ rows: Array.from({ length: Math.round(bytes / 130) }, (_, at) => ({ id: at, name: `row ${at}`, text: "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod" })) }));

const contenders = {
  ours() {
    const element = document.createElement("countersign-inbox");
    place.append(element);
    return { restore: (text) => element.restore(text), unmount: () => element.remove() };
  },
  react() {
    const div = document.createElement("div");
    place.append(div);
    const list = mount(div);
    return { restore: (text) => list.restore(text), unmount: () => (list.unmount(), div.remove()) };
  },
};

/** Resolves once what is drawn now has been painted. */
const painted = () =>
  new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve(performance.now());
      port2.postMessage(undefined);
    });
  });
const idle = () => new Promise((resolve) => setTimeout(resolve, 60));
const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/** Medians of `runs` runs from data to paint. */
globalThis.measureMount = async (kind, size, runs) => {
  const text = kind === "args" ? large(size) : waiting(size);
  const times = { ours: [], react: [] };
  for (let run = 0; run < runs; run += 1) {
    for (const [name, make] of Object.entries(contenders)) {
      const contender = make();
      await idle();
      globalThis.gc?.();
      const start = performance.now();
      contender.restore(text);
      times[name].push((await painted()) - start);
      await idle();
      contender.unmount();
      await idle();
    }
  }
  return { ours: median(times.ours), react: median(times.react), cards: size };
};

let contender;
/** Puts up one contender with so many cards, for real clicks. */
globalThis.putUp = async (name, count) => {
  contender?.unmount();
  await idle();
  contender = contenders[name]();
  await idle();
  contender.restore(waiting(count));
  await idle();
  globalThis.times = [];
};
// The clock starts when the click arrives and stops after the next paint.
addEventListener(
  "click",
  async () => {
    const start = performance.now();
    globalThis.times.push((await painted()) - start);
  },
  { capture: true },
);

await init();
globalThis.ready = true;
