// How the cards look: on narrow pages, zoomed, in other colours, from right to left, and the same as before.
//
// Beside the pictures (`pictures.test.mjs`), `looks/` keeps what says exactly what changed: for each part in each of its
// states the colours, frames, room and type that were computed, in both schemes and densities; and which parts stand
// beside which others.
// `COUNTERSIGN_BLESS=1 node tests/browser/run.mjs looks` writes these files.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { openAttacks, openGallery } from './harness/gallery.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

const KEPT = new URL('looks/', import.meta.url);
/** A clock that stands, so that countdowns say the same each time. */
const STILL = 'now=1700000000000';

let browser;
let server;

before(async () => {
  server = await serveFolder(DEMO_FOLDER);
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

async function open(t, query, options) {
  return openGallery(t, await profile(t, browser, options), server.origin, `${STILL}&${query}`);
}

const NARROW = { viewport: { width: 320, height: 640 } };
/** What 400 % zoom makes of a window of 1280 by 1024 pixels. */
const ZOOMED = { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 };
const DIRECTIONS = ['ltr', 'rtl'];

/** Everything that can be pressed or typed into, with its box. */
const targets = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('countersign-inbox, countersign-part')].flatMap(({ shadowRoot }) =>
      [...shadowRoot.querySelectorAll('button, textarea, label, select, summary, [tabindex="0"]')].map((element) => {
        const { width, height, left, right } = element.getBoundingClientRect();
        return { name: `${element.part} ${element.textContent.slice(0, 40)}`, width, height, left, right };
      }),
    ),
  );

for (const direction of DIRECTIONS) {
  test(`r48_everything that is pressed is 24 by 24 pixels at 320 pixels, ${direction}`, async (t) => {
    for (const density of ['comfortable', 'compact']) {
      const { page } = await open(t, `dir=${direction}&density=${density}`, NARROW);
      const found = await targets(page);
      assert.ok(found.length > 200);
      const small = found.filter(({ width, height }) => width < 24 || height < 24);
      assert.deepEqual(small, [], density);
      const outside = found.filter(({ left, right }) => left < 0 || right > 320);
      assert.deepEqual(outside, [], density);
    }
  });

  test(`r48_nothing scrolls sideways at 320 pixels nor at 400 % zoom, ${direction}`, async (t) => {
    for (const options of [NARROW, ZOOMED]) {
      for (const locale of ['en', 'de', 'ar']) {
        const { page } = await open(t, `dir=${direction}&locale=${locale}`, options);
        const overflow = await page.evaluate(() => {
          const wide = [];
          for (const { shadowRoot } of document.querySelectorAll('countersign-inbox, countersign-part')) {
            for (const element of shadowRoot.querySelectorAll('*:not(.cs-unseen, .cs-unseen *)')) {
              const { left, right, width } = element.getBoundingClientRect();
              const cut = element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible';
              if (width > 0 && (left < -0.5 || right > 320.5 || cut)) wide.push(`${element.part || element.className}: ${left}–${right}`);
            }
          }
          return [document.documentElement.scrollWidth, wide];
        });
        assert.deepEqual(overflow, [320, []], locale);
      }
    }
  });
}

test('r48_from right to left every row begins at the right, and arguments still read from left to right', async (t) => {
  const both = await Promise.all(DIRECTIONS.map((direction) => open(t, `state=nested-agent,offer-everything,batch&dir=${direction}&width=768`)));
  const [ltr, rtl] = await Promise.all(
    both.map(({ page }) =>
      page.evaluate(() =>
        [...document.querySelectorAll('countersign-inbox')].flatMap(({ shadowRoot }) =>
          ['tool-name', 'badge', 'approve-button', 'reject-button', 'digest', 'reject-all-button'].flatMap((part) => {
            const element = shadowRoot.querySelector(`[part~="${part}"]`);
            if (!element) return [];
            const { left, right } = element.getBoundingClientRect();
            const frame = element.closest('[part~="card"], [part~="batch-bar"]').getBoundingClientRect();
            return [[part, Math.round(left - frame.left), Math.round(frame.right - right)]];
          }),
        ),
      ),
    ),
  );
  assert.equal(ltr.length, rtl.length);
  for (const [at, [part, left, right]] of ltr.entries()) {
    const [, mirroredLeft, mirroredRight] = rtl[at];
    assert.ok(Math.abs(left - mirroredRight) <= 2 && Math.abs(right - mirroredLeft) <= 2, `${part} is not mirrored`);
  }
  const order = await both[1].exhibit('nested-agent').evaluate((exhibit) => {
    const { shadowRoot } = exhibit.querySelector('countersign-inbox');
    const left = (part) => shadowRoot.querySelector(`[part~="${part}"]`).getBoundingClientRect().left;
    return left('key') < left('value');
  });
  assert.ok(order, 'a key stands before its value');
});

test('r48_the focus is never hidden under a sticky bar', async (t) => {
  for (const options of [{ viewport: { width: 800, height: 400 } }, ZOOMED]) {
    const { page } = await open(t, 'state=batch-mixed,many', options);
    const hidden = [];
    for (let press = 0; press < 60; press += 1) {
      await page.keyboard.press(press < 45 ? 'Tab' : 'Shift+Tab');
      const found = await page.evaluate(() => {
        let focused = document.activeElement;
        while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
        const root = focused?.getRootNode();
        if (!(root instanceof ShadowRoot)) return undefined;
        const { left, right, top, bottom } = focused.getBoundingClientRect();
        const [shownTop, shownBottom] = [Math.max(top, 0), Math.min(bottom, innerHeight)];
        const hit = root.elementFromPoint((left + right) / 2, (shownTop + shownBottom) / 2);
        const free = hit && (focused.contains(hit) || hit.contains(focused));
        return free && shownBottom > shownTop ? undefined : `${focused.part} ${focused.getAttribute('aria-label')}`;
      });
      if (found) hidden.push(found);
    }
    assert.deepEqual(hidden, []);
  }
});

test('r48_in forced colours every button, state and focus has a frame, and approval stands out', async (t) => {
  const { page, exhibit } = await open(t, 'state=pending,held,batch,failed-send', { forcedColors: 'active' });
  const frameless = await page.evaluate(() =>
    [...document.querySelectorAll('countersign-inbox')].flatMap(({ shadowRoot }) =>
      [...shadowRoot.querySelectorAll('.cs-button, [part~=badge], [part~=note], [part~=card]')]
        .filter((element) => getComputedStyle(element).borderTopWidth === '0px')
        .map((element) => element.part.value),
    ),
  );
  assert.deepEqual(frameless, []);
  const colour = (locator) => locator.evaluate((element) => getComputedStyle(element).backgroundColor);
  const card = page.locator('section[data-state=pending] [part=card]');
  // As long as it cannot be pressed, it does not stand out.
  await card.locator('[part=approve-button]:not([aria-disabled])').waitFor();
  assert.notEqual(await colour(card.locator('[part=approve-button]')), await colour(card.locator('[part=reject-button]')));
  await card.locator('[part=reject-button]').focus();
  await page.keyboard.press('Shift+Tab');
  const outline = await card.locator('[part=approve-button]').evaluate((element) => getComputedStyle(element).outlineStyle);
  assert.equal(outline, 'solid');
  assert.ok(exhibit);
});

test('r48_with reduced motion nothing moves', async (t) => {
  const { page } = await open(t, 'state=pending,history,batch', { reducedMotion: 'reduce' });
  const moving = await page.evaluate(() =>
    [...document.querySelectorAll('countersign-inbox')].flatMap(({ shadowRoot }) =>
      [...shadowRoot.querySelectorAll('*')].filter((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element);
        const before = getComputedStyle(element, '::before').transitionDuration;
        return transitionDuration !== '0s' || before !== '0s' || animationName !== 'none';
      }).map((element) => element.className),
    ),
  );
  assert.deepEqual(moving, []);
});

test('r48_no state is said by colour alone', async (t) => {
  const { page } = await open(t, '');
  const wordless = await page.evaluate(() =>
    [...document.querySelectorAll('countersign-inbox')].flatMap(({ shadowRoot }) =>
      [...shadowRoot.querySelectorAll('[data-tone]')]
        .filter((element) => element.textContent.trim() === '' && !element.closest('[aria-hidden=true]'))
        .map((element) => element.outerHTML),
    ),
  );
  assert.deepEqual(wordless, []);
});

/** Compares with the kept file, or writes it. */
function kept(name, value) {
  const file = new URL(`${name}.json`, KEPT);
  const text = `${JSON.stringify(value, null, 1)}\n`;
  if (process.env.COUNTERSIGN_BLESS) {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(file, text);
    return;
  }
  assert.deepEqual(value, JSON.parse(readFileSync(file, 'utf8')), `${file.pathname} is no longer what is drawn`);
}

/** What was computed for each part in each of its states, once. */
const painted = (page) =>
  page.evaluate(() => {
    const PROPERTIES = [
      'color', 'backgroundColor', 'borderTopColor', 'borderTopWidth', 'borderTopStyle', 'borderTopLeftRadius', 'opacity',
      'paddingTop', 'paddingLeft', 'minHeight', 'fontSize', 'fontWeight', 'textDecorationLine', 'boxShadow',
    ];
    const found = {};
    const note = (elements) => {
      for (const element of elements) {
        const states = ['data-tone', 'data-status', 'data-held', 'aria-pressed', 'aria-disabled', 'aria-expanded']
          .filter((name) => element.hasAttribute(name))
          .map((name) => `[${name}=${element.getAttribute(name)}]`);
        const style = getComputedStyle(element);
        found[`${element.part}${states.join('')}`] ??= PROPERTIES.map((name) => style[name]).join(' | ');
      }
    };
    for (const { shadowRoot } of document.querySelectorAll('countersign-inbox')) {
      // Which approvals are armed by now is chance: both states are looked at, and in the same order each time.
      const inert = shadowRoot.querySelectorAll('[part~="approve-button"], [part~="always-button"], [part~="approve-all-button"]');
      for (const button of inert) button.setAttribute('aria-disabled', 'true');
      note(shadowRoot.querySelectorAll('[part]'));
      for (const button of inert) button.removeAttribute('aria-disabled');
      note(inert);
    }
    return Object.fromEntries(Object.entries(found).sort(([one], [other]) => (one < other ? -1 : 1)));
  });

for (const theme of ['light', 'dark']) {
  for (const density of ['comfortable', 'compact']) {
    test(`every part is painted as it was, ${theme}, ${density}`, async (t) => {
      const { page } = await open(t, `theme=${theme}&density=${density}&width=768`, { reducedMotion: 'reduce' });
      await page.mouse.move(0, 0);
      kept(`painted-${theme}-${density}`, await painted(page));
    });
  }
}

/** For each state the parts in the order of reading, those on one line together. */
const arranged = (page) =>
  page.evaluate(() => {
    const WATCHED = ['batch-bar', 'approve-all-button', 'reject-all-button', 'tool-name', 'origin', 'badge', 'note', 'arguments', 'claim', 'approve-button', 'reject-button', 'undo-button', 'retry-button', 'digest', 'answer-button', 'question', 'heading', 'empty', 'more', 'why'];
    const arranged = {};
    for (const exhibit of document.querySelectorAll('section[data-state]')) {
      const boxes = [];
      const root = exhibit.querySelector('countersign-inbox').shadowRoot;
      for (const element of root.querySelectorAll(WATCHED.map((part) => `[part~="${part}"]`).join())) {
        const { top, bottom, left } = element.getBoundingClientRect();
        boxes.push({ part: element.part.value, middle: (top + bottom) / 2, top, bottom, left });
      }
      const lines = [];
      for (const box of boxes.sort((one, other) => one.middle - other.middle).slice(0, 40)) {
        const line = lines.at(-1);
        const tall = box.bottom - box.top > 60;
        if (line && !tall && !line.tall && box.middle < line.bottom) line.boxes.push(box);
        else lines.push({ bottom: box.bottom, tall, boxes: [box] });
      }
      const names = (boxes) => boxes.sort((one, other) => one.left - other.left).map(({ part }) => part).join(' ');
      arranged[exhibit.dataset.state] = lines.map((line) => names(line.boxes));
    }
    return arranged;
  });

for (const width of [768, 1440]) {
  for (const direction of DIRECTIONS) {
    test(`the parts stand beside one another as they did, ${width} pixels, ${direction}`, async (t) => {
      const states = 'state=pending,nested-agent,claims,changed,uninspectable,held,failed-send,queue,batch,batch-mixed,question,history';
      const { page } = await open(t, `${states}&dir=${direction}`, { viewport: { width, height: 900 } });
      kept(`arranged-${width}-${direction}`, await arranged(page));
    });
  }
}

test('the page of attacks keeps to its width in every direction and density', async (t) => {
  for (const query of ['dir=rtl', 'density=compact', 'theme=dark']) {
    const { page } = await openAttacks(t, await profile(t, browser, NARROW), server.origin, query);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, query);
  }
});
