// Measures recovery from history, inside a page. Contenders take turns, so that what slows the machine slows them all.
import { Inbox, init } from "./package/dist/headless.js";

import { history } from "./generate.mjs";
import { recover } from "./reference.mjs";
import { RECORDINGS, repeat } from "./repeat.mjs";

const FIRST_PAGE = 60;

await init();

/** How long one call takes, in milliseconds; what it returns is kept until the clock has stopped. */
function time(call) {
  globalThis.gc?.();
  const start = performance.now();
  const kept = call();
  const end = performance.now();
  if (kept === undefined) throw new Error("a contender returned nothing");
  return end - start;
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];

/** The medians of `runs` runs of each contender, in milliseconds. */
globalThis.measure = (dialect, calls, runs, recorded) => {
  const text = recorded ? repeat(RECORDINGS[dialect], recorded, calls) : history(calls, dialect);
  const bytes = new TextEncoder().encode(text);
  const restored = () => {
    const inbox = new Inbox();
    inbox.restore(bytes);
    return inbox;
  };
  const release = (inbox, cards, expected) => {
    if (cards.length !== expected) throw new Error(`${cards.length} cards instead of ${expected}`);
    inbox.raw.free();
    return cards;
  };
  const cards = restored().requests().length;
  const contenders = {
    firstPage() {
      const inbox = restored();
      return release(inbox, inbox.requests({ limit: FIRST_PAGE }), Math.min(FIRST_PAGE, cards));
    },
    allRequests() {
      const inbox = restored();
      return release(inbox, inbox.requests(), cards);
    },
    parse: () => JSON.parse(text),
    decodeAndParse: () => JSON.parse(new TextDecoder().decode(bytes)),
    ...(recorded ? {} : { byHand: () => recover(text) }),
  };
  if (!recorded) check(restored(), recover(text));
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [name, contender] of Object.entries(contenders)) times[name].push(time(contender));
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
  return { bytes: bytes.length, cards, ...medians };
};

globalThis.ready = true;

/** Both must have recovered the same, or their times cannot be compared. */
function check(inbox, byHand) {
  const brief = ({ request, call, tool, status, decision, reason }) => [request, call, tool, status, decision?.kind ?? decision, reason].join(" ");
  const cards = inbox.requests();
  const place = cards.findIndex((card, at) => !byHand[at] || brief(card) !== brief(byHand[at]));
  if (place >= 0 || cards.length !== byHand.length) {
    throw new Error(`card ${place} is ${brief(cards[place] ?? {})}, by hand ${brief(byHand[place] ?? {})}`);
  }
  inbox.raw.free();
}
