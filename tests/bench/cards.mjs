// Measures cards, inside a page: from data to paint, and from a click to paint. Beside it the same in plain React.
import { init } from "./package/dist/index.js";
import "./package/dist/define.js";

import { mount } from "./react-list.js";
import { waiting } from "./waiting.mjs";

const place = document.querySelector("main");

/** One call with about so many bytes of arguments. */
const large = (bytes) => waiting(1, () => ({ rows: Array.from({ length: Math.round(bytes / 130) }, (_, at) => ({ id: at, name: `row ${at}`, text: "lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod" })) }));

/** One call whose arguments are nested so deep; `JSON.stringify` would overflow the stack. */
const deep = (levels) => waiting(1, () => "DEEP").replaceAll('"DEEP"', `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`);

const DATA = { cards: waiting, args: large, deep };

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

/** Medians of `runs` runs from data to paint, of each of `names`. */
globalThis.measureMount = async (kind, size, runs, names) => {
  const text = DATA[kind](size);
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const name of names) {
      const contender = contenders[name]();
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
  return Object.fromEntries(names.map((name) => [name, median(times[name])]));
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
