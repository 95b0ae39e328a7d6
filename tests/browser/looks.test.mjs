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
import { eventually } from './harness/eventually.mjs';
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

/** Where the ink of an element begins, from the side on which lines begin. */
const begins = (element) =>
  element.evaluate((node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right } = range.getBoundingClientRect();
    return document.documentElement.dir === 'rtl' ? -right : left;
  });

test('r48_on narrow pages what belongs to a name begins below it', async (t) => {
  for (const direction of DIRECTIONS) {
    const { page } = await open(t, `dir=${direction}&state=history`, NARROW);
    const row = page.locator('[part~=history] [part~=card]').first();
    const [name, brief] = [await begins(row.locator('[part~=tool-name]')), await begins(row.locator('[part~=brief]'))];
    assert.ok(Math.abs(name - brief) <= 1, `${direction}: ${name} and ${brief}`);

    const gallery = await open(t, `dir=${direction}`, NARROW);
    await gallery.show([1, 2].map((at) => ({ tool: 'delete_file', argsText: `{"path":"/tmp/${at}"}`, agent: ['root', 'ops'] })));
    await gallery.page.locator('section[data-state=shown] [part~=approve-all-button]').click();
    const entry = gallery.page.locator('dialog[open] [part~=review-row]').first();
    const places = await Promise.all(['.cs-tool', '.cs-digest', '[part~=origin]'].map((what) => begins(entry.locator(what).first())));
    assert.ok(Math.max(...places) - Math.min(...places) <= 1, `${direction}: ${places}`);
  }
});

/** What a page has above all else, as the guide has it. */
const HEADER = 'html { --countersign-sticky: 64px } countersign-inbox { --countersign-sticky: 64px } body::before { content: ""; position: fixed; z-index: 9; inset: 0 0 auto; height: 64px; background: gray }';
/** Text as large as some need it. */
const LARGE = 'countersign-inbox { --countersign-size: 28px }';

test('r48_the focus is never hidden under a sticky bar', async (t) => {
  for (const [options, locale, style] of [
    [{ viewport: { width: 800, height: 400 } }, 'en', ''],
    [ZOOMED, 'en', ''],
    [{ viewport: { width: 500, height: 500 } }, 'de', ''],
    [{ viewport: { width: 740, height: 450 } }, 'de', LARGE],
    [{ viewport: { width: 800, height: 500 } }, 'en', HEADER],
  ]) {
    const { page } = await open(t, `state=batch-mixed,many&locale=${locale}`, options);
    if (style) await page.addStyleTag({ content: style });
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
        // The header of the page is nothing that a point hits here.
        const isUnderHeader = shownBottom <= parseFloat(getComputedStyle(focused).getPropertyValue('--countersign-sticky'));
        const free = hit && !isUnderHeader && (focused.contains(hit) || hit.contains(focused));
        return free && shownBottom > shownTop ? undefined : `${focused.part} ${focused.getAttribute('aria-label')}`;
      });
      if (found) hidden.push(found);
    }
    assert.deepEqual(hidden, [], `${locale} ${JSON.stringify(options.viewport)} ${style}`);
  }
});

/** Each text of the cards that was there at the last look, too: its class, its size then, and its size now. */
const sizes = (page) =>
  page.evaluate(() => {
    const known = window.known;
    const texts = [...document.querySelectorAll('section:not([data-state=many]) :is(countersign-inbox, countersign-part, countersign-policy)')]
      .flatMap(({ shadowRoot }) => [...shadowRoot.querySelectorAll('.cs *')])
      .filter(({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === Node.TEXT_NODE && data.trim() !== ''));
    const measured = texts.map((element) => [element, element.className, parseFloat(getComputedStyle(element).fontSize)]);
    window.known = new Map(measured.map(([element, ...found]) => [element, found]));
    // What is drawn only now was not measured before.
    const both = measured.filter(([element, name]) => known?.get(element)?.[0] === name);
    return both.map(([element, name, size]) => [name, known.get(element)[1], size]);
  });

test('r48_all text follows the size that a page sets', async (t) => {
  for (const [density, usual] of [['comfortable', 14], ['compact', 13]]) {
    const { page } = await open(t, `density=${density}`, NARROW);
    await eventually(async () => assert.ok((await sizes(page)).length > 500));
    await page.addStyleTag({ content: `:is(countersign-inbox, countersign-part, countersign-policy) { --countersign-size: ${2 * usual}px }` });
    const texts = await sizes(page);
    assert.ok(texts.length > 500);
    assert.deepEqual(texts.filter(([, before, after]) => Math.abs(after - 2 * before) > 0.01), [], density);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, density);
  }
});

test('r48_what an edit changes, and what is wrong with it, can be seen at 400 % zoom', async (t) => {
  for (const [width, height, locale] of [[320, 256, 'de'], [320, 256, 'en'], [320, 256, 'ar'], [360, 300, 'de'], [480, 280, 'de']]) {
    const gallery = await open(t, `state=offer-edit&locale=${locale}`, { viewport: { width, height }, deviceScaleFactor: 4 });
    const { page } = gallery;
    /** The most of an element, as a share of its height or in pixels, that scrolling brings into view. */
    const seen = (part) =>
      gallery.exhibit('offer-edit').locator('[part=dialog]').evaluate((dialog, name) => {
        const root = dialog.getRootNode();
        const foot = dialog.querySelector('[part=dialog-foot]');
        const element = dialog.querySelector(`[part~=${name}]`);
        let most = 0;
        for (let scroll = 0; scroll < Math.max(dialog.scrollHeight, foot.scrollHeight); scroll += 10) {
          dialog.scrollTop = foot.scrollTop = scroll;
          const { left, top, bottom, width } = element.getBoundingClientRect();
          const rows = Array.from({ length: Math.ceil(bottom - top) }, (_, row) => top + row);
          const free = rows.filter((y) => element.contains(y >= 0 && y < innerHeight ? root.elementFromPoint(left + width / 2, y) : null));
          most = Math.max(most, free.length);
        }
        return most;
      }, part);
    await gallery.exhibit('offer-edit').locator('[part=edit-button]').click();
    await page.keyboard.press('End');
    await page.keyboard.type('-and-more');
    await gallery.exhibit('offer-edit').locator('[part=edit-changes]').waitFor();
    const changes = await seen('edit-changes');
    assert.ok(changes >= 40, `${changes} pixels of the changes at ${width} by ${height}, ${locale}`);
  }
});

test('r48_what does not act yet shows its focus as clearly as what does', async (t) => {
  const { page } = await open(t, 'state=pending&arm=3000');
  const button = page.locator('section[data-state=pending] [part=approve-button][aria-disabled=true]');
  await button.focus();
  assert.equal(await button.evaluate((element) => getComputedStyle(element).opacity), '1');
});

test('r48_what stands in an empty field can be read', async (t) => {
  for (const colorScheme of ['light', 'dark']) {
    const { page } = await open(t, 'state=policy', { colorScheme });
    const contrasts = await page.evaluate(() => {
      const channels = (colour) => colour.match(/[\d.]+/g).slice(0, 3).map((value) => value / 255);
      const light = (colour) => {
        const [red, green, blue] = channels(colour).map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
      };
      return [...document.querySelectorAll('countersign-inbox, countersign-policy')].flatMap(({ shadowRoot }) =>
        [...shadowRoot.querySelectorAll('[placeholder]')].map((field) => {
          const placeholder = getComputedStyle(field, '::placeholder');
          const [one, other] = [light(placeholder.color), light(getComputedStyle(field).backgroundColor)];
          return Number(placeholder.opacity) * (Math.max(one, other) / Math.min(one, other));
        }),
      );
    });
    assert.ok(contrasts.length > 0 && contrasts.every((contrast) => contrast >= 4.5), `${contrasts}`);
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
