// Measures recovery from history, inside a page. Contenders take turns, so that what slows the machine slows them all.
import { Inbox, init } from "./package/dist/headless.js";

import { history } from "./generate.mjs";
import { recover } from "./reference.mjs";
import { RECORDINGS, repeat } from "./repeat.mjs";

const FIRST_PAGE = 60;

await init();

/**
 * How long one call takes, in milliseconds. What it returns is kept until the clock has stopped, and only then let go: that
 * costs no contender anything.
 */
function time(call, done = () => {}) {
  globalThis.gc?.();
  const start = performance.now();
  const kept = call();
  const end = performance.now();
  if (kept === undefined) throw new Error("a contender returned nothing");
  done(kept);
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
  const cards = restored().requests().length;
  const expected = { firstPage: Math.min(FIRST_PAGE, cards), allRequests: cards };
  const release = (name) => ({ inbox, shown }) => {
    if (shown.length !== expected[name]) throw new Error(`${shown.length} cards instead of ${expected[name]}`);
    inbox.raw.free();
  };
  const contenders = {
    firstPage() {
      const inbox = restored();
      return { inbox, shown: inbox.requests({ limit: FIRST_PAGE }) };
    },
    allRequests() {
      const inbox = restored();
      return { inbox, shown: inbox.requests() };
    },
    parse: () => JSON.parse(text),
    decodeAndParse: () => JSON.parse(new TextDecoder().decode(bytes)),
    ...(recorded ? {} : { byHand: () => recover(text) }),
  };
  if (!recorded) check(restored(), recover(text));
  const times = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let run = 0; run < runs; run += 1) {
    for (const [name, contender] of Object.entries(contenders)) {
      times[name].push(time(contender, name in expected ? release(name) : undefined));
    }
  }
  const medians = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
  return { bytes: bytes.length, cards, ...medians };
};

/** What a policy with so many rules adds to each of so many calls that wait, in milliseconds: the median of `runs` runs. */
globalThis.measurePolicy = async (text, calls, rules, runs) => {
  await init({ policy: true });
  const bytes = new TextEncoder().encode(text);
  // None of them fits, so the arguments are looked at for each, and the calls still wait.
  const list = Array.from({ length: rules }, (_, at) => ({ name: `rule ${at}`, effect: "ask", args: [{ pointer: "/path", prefix: "/none/" }] }));
  const restore = (options) => {
    const inbox = new Inbox(options);
    const spent = time(() => inbox.restore(bytes));
    if (inbox.requests({ limit: 1 })[0]?.status !== "pending") throw new Error("no call waits");
    inbox.raw.free();
    return spent;
  };
  const [without, with_] = [[], []];
  for (let run = 0; run < runs; run += 1) {
    without.push(restore({}));
    with_.push(restore({ policy: { rules: list } }));
  }
  return (median(with_) - median(without)) / calls;
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
