// Measures cards from outside of the page: clicks are real ones.

/** What DESIGN promises, in milliseconds. */
const BUDGET = { "cards/1000/mount": 60, "cards/1000/click": 16, "args/1MB/paint": 100, "args/10MB/paint": 200, "args/100000-levels/paint": 200 };
const COUNTS = [1, 100, 1000];
const MEGABYTE = 1 << 20;
const BOTH = ["ours", "react"];
/** React would take minutes, or overflow its stack. */
const OURS = ["ours"];

/** `{ name, ours, react?, budget? }` for each measurement; both take turns. */
export async function measureCards(browser, origin, runs) {
  const found = [];
  const note = (name, { ours, react }) => found.push({ name, ours, react, budget: BUDGET[name] });
  for (const count of COUNTS) {
    note(`cards/${count}/mount`, await inPage(browser, origin, (page) => mounts(page, "cards", count, runs ?? 9, BOTH)));
    note(`cards/${count}/click`, await inPage(browser, origin, (page) => clicks(page, count, runs ?? 7)));
    note(`cards/${count}/approve-all`, await inPage(browser, origin, (page) => all(page, count, runs ?? 3)));
  }
  note("args/1MB/paint", await inPage(browser, origin, (page) => mounts(page, "args", MEGABYTE, runs ?? 5, BOTH)));
  note("args/10MB/paint", await inPage(browser, origin, (page) => mounts(page, "args", 10 * MEGABYTE, runs ?? 5, OURS)));
  note("args/100000-levels/paint", await inPage(browser, origin, (page) => mounts(page, "deep", 100_000, runs ?? 5, OURS)));
  return found;
}

async function inPage(browser, origin, measure) {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  page.setDefaultTimeout(120_000);
  await page.goto(`${origin}/cards.html`);
  await page.waitForFunction("globalThis.ready");
  const result = await measure(page);
  await page.close();
  return result;
}

const mounts = (page, kind, size, runs, names) =>
  page.evaluate(([what, count, times, who]) => globalThis.measureMount(what, count, times, who), [kind, size, runs, names]);

/** The approve buttons of one contender. */
const buttons = {
  ours: (page) => page.locator("countersign-inbox [part=approve-button]"),
  react: (page) => page.getByRole("button", { name: "Approve", exact: true }),
};

async function clicks(page, count, runs) {
  const result = {};
  for (const name of ["ours", "react"]) {
    const times = [];
    while (times.length < runs) {
      await page.evaluate(([which, many]) => globalThis.putUp(which, many), [name, count]);
      // Several clicks on one list where it has several cards; the first card each time.
      for (let at = 0; at < Math.min(count, 3) && times.length < runs; at += 1) {
        const button = buttons[name](page).nth(name === "react" ? at : 0);
        // A button acts once half of its card is in view.
        await button.evaluate((it) => (it.closest("[part~=card]") ?? it).scrollIntoView({ block: "nearest" }));
        await button.click();
        times.push(await page.waitForFunction((done) => globalThis.times[done], at).then((value) => value.jsonValue()));
      }
    }
    result[name] = median(times);
  }
  return result;
}

async function all(page, count, runs) {
  const result = {};
  for (const name of ["ours", "react"]) {
    const times = [];
    for (let run = 0; run < runs; run += 1) {
      await page.evaluate(([which, many]) => globalThis.putUp(which, many), [name, count]);
      // One call has no list to look at first: all of it is approved by its own button.
      const isReviewed = name === "ours" && count > 1;
      if (name === "ours" && !isReviewed) {
        await buttons.ours(page).click();
      } else if (isReviewed) {
        await page.locator("countersign-inbox [part=approve-all-button]").click();
        await page.locator("countersign-inbox [part=confirm-button]").click();
      } else {
        await page.getByRole("button", { name: "Approve all" }).click();
      }
      const last = isReviewed ? 1 : 0;
      times.push(await page.waitForFunction((done) => globalThis.times[done], last).then((value) => value.jsonValue()));
    }
    result[name] = median(times);
  }
  return result;
}

const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
