// The arguments of a call in real Chromium: what is shown, masked, folded, copied.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { profile } from './harness/browser.mjs';
import { demo } from './harness/demo.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';

const site = demo();

/** A page with one card for these arguments, given as JSON text or as a value. */
async function show(t, args, { view = {}, query = '', options = {}, expectedErrors } = {}) {
  const context = await profile(t, site.browser, options);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const gallery = await openGallery(t, context, site.origin, query, { expectedErrors });
  const argsText = typeof args === 'string' ? args : JSON.stringify(args);
  await gallery.show([{ tool: 'run', argsText, ...view }], { alone: true });
  const card = gallery.exhibit('shown').locator('[part=card]');
  return { page: gallery.page, gallery, card, args: card.locator('[part=arguments]') };
}

const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Moves the focus with the Tab key until it is on `target`. */
async function tabTo(page, target) {
  for (let step = 0; step < 60; step += 1) {
    await page.keyboard.press('Tab');
    if (await target.evaluate((element) => element.getRootNode().activeElement === element)) return;
  }
  assert.fail('the Tab key does not reach it');
}

const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

const NUMBERS = ['2512292042121000001', '18446744073709551616', '9007199254740993', '1e400', '1.00', '-0', '1e2', '1E+2', '0.1e-7'];

test('r12_every_number_of_the_table_is_shown_and_copied_as_it_came', async (t) => {
  const text = `{${NUMBERS.map((number, at) => `"n${at}":${number}`).join(',')}}`;
  const { page, args } = await show(t, text);
  assert.deepEqual(await args.locator('[part=value]').allInnerTexts(), NUMBERS);
  await args.getByRole('button', { name: 'Raw' }).click();
  assert.equal(await args.locator('[part=raw]').innerText(), text);
  await args.locator('[part=copy-button]').click();
  await args.getByText('Copied').waitFor();
  assert.equal(await clipboard(page), text);
});

test('r14_depth: a member stands further in than what it belongs to, down to the level from which words say so', async (t) => {
  const nested = (depth) => (depth ? `{"k${depth}":${nested(depth - 1)}}` : '{"owner":"bot"}');
  for (const width of [320, 1024]) {
    const { page, args } = await show(t, nested(20), { options: { viewport: { width, height: 900 } } });
    const keys = await args.locator('[part=key]').evaluateAll((all) => all.map((key) => key.getBoundingClientRect().x));
    assert.equal(keys.length, 21);
    for (let level = 2; level <= 15; level += 1) assert.ok(keys[level - 1] >= keys[level - 2] + 3, `${width}: level ${level}`);
    assert.deepEqual(new Set(keys.slice(15)).size, 1);
    for (const level of [15, 16, 21]) assert.equal(await args.getByText(`Level ${level}`, { exact: true }).count(), 1);
    assert.equal(await args.getByText('Level 14', { exact: true }).count(), 0);
    assert.ok((await overflow(page)) <= 0);
  }
});

test('r17_hostile_text_makes_no_element_and_no_request', async (t) => {
  const hostile = [
    '<img src=x onerror="window.hacked=1">', '<script>window.hacked=1</script>', '[a](javascript:window.hacked=1)',
    '![i](http://127.0.0.1:9/x.png)', '# Heading', '```\ncode\n```', '<a href="javascript:window.hacked=1">x</a>', '<iframe src=x>',
  ].join(' ');
  const view = { tool: hostile, server: hostile, agent: [hostile], title: hostile, description: hostile, hint: hostile };
  const { page, gallery, card } = await show(t, { [hostile]: hostile, command: hostile, url: hostile }, { view });
  const requests = [];
  page.on('request', (request) => requests.push(request.url()));
  const settled = { ...view, status: 'failed', offers: [], error: hostile, reason: hostile, resultText: JSON.stringify(hostile) };
  const count = () => card.locator('img, script, a, iframe, h1, object, embed, form, svg').count();
  assert.equal(await count(), 0);
  assert.ok((await card.innerText()).includes('<script>window.hacked=1</script>'));
  await gallery.show([{ ...settled, argsText: '{}' }], { alone: true });
  await card.getByRole('button', { name: /^Result/ }).click();
  assert.equal(await count(), 0);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.deepEqual(requests, []);
});

test('r18_every_code_point_of_the_escape_set_is_a_chip_and_a_copy_gives_the_original', async (t) => {
  // The browser's own tables of Unicode decide what belongs to the set.
  const inSet = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
  const points = [0xe000, 0xf8ff, 0xf0000, 0x10fffd];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    // Of the tags and selectors at the end, which are not assigned for the most part, every 16th.
    if (point > 0xe01ff && point <= 0xe0fff && point % 16) continue;
    if (inSet.test(String.fromCodePoint(point)) && ![0x9, 0xa, 0x20].includes(point)) points.push(point);
  }
  assert.ok(points.length > 700, `${points.length}`);
  const parts = [];
  // So few that no text of them is folded.
  for (let at = 0; at < points.length; at += 32) {
    parts.push({ code: points.slice(at, at + 32).map((point) => `(${String.fromCodePoint(point)}`).join(' ') });
  }
  const text = JSON.stringify(parts);
  const { page, args } = await show(t, text);
  const seen = await args.innerText();
  for (const point of points) {
    assert.ok(seen.includes(`\\u{${point.toString(16).toUpperCase()}}`), point.toString(16));
  }
  const plain = (await args.locator('[part=value]').allTextContents()).join('');
  const left = [...plain].filter((character) => inSet.test(character) && !'\t\n '.includes(character));
  assert.deepEqual(left, []);
  assert.match(seen, new RegExp(`${points.length.toLocaleString('en')} hidden characters`));
  await args.locator('[part=copy-button]').click();
  await args.getByText('Copied').waitFor();
  assert.equal(await clipboard(page), text);
});

test('r18_text_runs_from_left_to_right_whatever_it_holds', async (t) => {
  const { args } = await show(t, { memo: 'abc\u202edef אבג 123' }, { query: 'dir=rtl' });
  const value = args.locator('[part=value]').first();
  const style = await value.evaluate((element) => {
    const { direction, unicodeBidi } = getComputedStyle(element);
    return { direction, unicodeBidi };
  });
  assert.deepEqual(style, { direction: 'ltr', unicodeBidi: 'isolate' });
  const left = (text) => value.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.data.indexOf(wanted);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      return range.getBoundingClientRect().left;
    }
    return undefined;
  }, text);
  const places = [await left('abc'), await left('\\u{202E}'), await left('def'), await left('123')];
  assert.deepEqual(places, [...places].sort((one, other) => one - other));
});

test('r19_both_ends_of_a_long_line_are_in_sight_and_the_keyboard_reaches_the_middle', async (t) => {
  const text = `START${'x'.repeat(2490)}MIDDLE${'x'.repeat(2490)}ENDED`;
  const { page, args, card } = await show(t, { text, after: true }, { options: { viewport: { width: 320, height: 700 } } });
  const seen = await args.innerText();
  assert.ok(seen.includes('START') && seen.includes('ENDED') && seen.includes('after'));
  assert.ok(seen.includes(`${(text.length - 320).toLocaleString('en')} characters more`) && !seen.includes('MIDDLE'));
  assert.equal(await overflow(page), 0);
  const fold = args.locator('[part=fold]');
  await card.focus();
  await tabTo(page, fold);
  await page.keyboard.press('Enter');
  await args.getByText('MIDDLE').waitFor();
  assert.ok((await args.locator('[part=value]').first().innerText()).includes('MIDDLE'));
  // The same button folds it again: the focus was never lost.
  assert.equal(await fold.evaluate((element) => element.getRootNode().activeElement === element), true);
  assert.equal(await overflow(page), 0);
});

test('r19_every_key_is_reachable_by_the_keyboard_and_counted_until_it_is_shown', async (t) => {
  const wide = Object.fromEntries(Array.from({ length: 450 }, (_, at) => [`key${at}`, at]));
  const { page, args, card } = await show(t, wide, { options: { viewport: { width: 320, height: 700 } } });
  const keys = args.locator('[part=key]');
  assert.equal(await keys.count(), 102);
  assert.equal(await keys.last().innerText(), 'key449');
  const more = args.locator('[part=more]');
  assert.equal(await more.innerText(), 'Show 348 more of 450');
  await card.focus();
  await tabTo(page, more);
  await page.keyboard.press('Space');
  await page.waitForFunction((list) => list.getRootNode().querySelectorAll('[part=key]').length === 450, await card.elementHandle());
  assert.equal(await overflow(page), 0);
});

test('r19_a_long_name_keeps_both_ends_and_the_arguments_stay_in_sight', async (t) => {
  const long = `START${'delete_file '.repeat(9000)}ENDED`;
  const { page, card, args } = await show(t, { path: '/srv' }, { view: { tool: long, server: long, agent: [long, long] } });
  const name = card.locator('[part=tool-name]');
  const seen = await name.innerText();
  assert.ok(seen.startsWith('START') && seen.endsWith('ENDED'));
  assert.match(seen, /107,790 characters more/);
  assert.ok((await args.boundingBox()).y < 500);
  assert.ok((await card.boundingBox()).height < 700);
  assert.equal(await overflow(page), 0);
  // What is announced is not read out for hours.
  for (const spoken of [card, card.locator('[part=approve-button]')]) {
    const label = await spoken.getAttribute('aria-label');
    assert.ok(label.includes('START') && label.includes('ENDED') && label.includes('107790') && label.length < 400, label.slice(0, 400));
  }
  await name.locator('[part=fold]').press('Enter');
  await eventually(async () => assert.ok((await name.innerText()).length > 1500));
});

test('r19_marks_that_pile_up_are_counted_and_paint_over_nothing', async (t) => {
  const drawn = async (words) => {
    const { page, card, args } = await show(t, { command: 'rm -rf /srv' }, { view: { hint: `z${words}`, description: `z${words}` } });
    await page.mouse.move(0, 0);
    return { card, picture: await args.screenshot() };
  };
  const plain = await drawn('');
  for (const marks of ['\u0323'.repeat(350), '\u0301'.repeat(350), '\u0489\u20dd'.repeat(150), '\u0e48'.repeat(300)]) {
    const { card, picture } = await drawn(marks);
    assert.match(await card.locator('[part=claim]').first().innerText(), new RegExp(`◌ × ${marks.length}`));
    assert.ok(picture.equals(plain.picture), 'the arguments look as before');
  }
  // What the count leaves alone is kept within its own lines.
  const few = await drawn('\u0301\u0302\u0303\u0304');
  assert.equal(await few.card.locator('[part=claim] [part=escape]').count(), 0);
  assert.ok(few.picture.equals(plain.picture));
});

/** Arguments of about one megabyte with one long list. */
const listOf = (length) => ({ path: '/srv', rows: Array.from({ length }, (_, id) => ({ id, name: `row-${id}-`, text: 'lorem ipsum '.repeat(id % 17) })) });
const LONG = listOf(6000);

test('r19_a_long_list_brings_every_row_while_one_scrolls_and_keeps_the_end_in_sight', async (t) => {
  const { page, args } = await show(t, listOf(1500), { options: { viewport: { width: 800, height: 700 } } });
  const list = args.locator('[part=rows]');
  const elements = () => args.evaluate((element) => element.querySelectorAll('*').length);
  // The last ones are below the list, and what is not in the page is counted.
  assert.ok((await args.innerText()).includes('row-1499-'));
  assert.equal(await args.locator('[part=rows-elsewhere]').innerText(), '1–60 of 1,498 · 1,438 rows are not in the page until you scroll to them: the browser’s search does not find them. Copy takes everything.');
  const seen = await list.evaluate(async (element) => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const met = new Set();
    const isGap = (box) => {
      const first = element.querySelector('dl').getBoundingClientRect().top;
      const last = [...element.querySelectorAll('dl.cs-tree')].at(-1).getBoundingClientRect().bottom;
      // Below the last row is its margin.
      return first > box.top + 1 || last < box.bottom - 10;
    };
    let most = 0;
    let blank = 0;
    for (;;) {
      const box = element.getBoundingClientRect();
      for (const key of element.querySelectorAll('.cs-rows > dl > div > dt')) {
        const place = key.getBoundingClientRect();
        if (place.bottom > box.top && place.top < box.bottom) met.add(key.textContent);
      }
      if (isGap(box)) blank += 1;
      most = Math.max(most, element.querySelectorAll('*').length);
      if (element.scrollTop + element.clientHeight >= element.scrollHeight - 1) return { met: met.size, most, blank };
      // Rows whose height was a guess move a little once they are drawn.
      element.scrollTop += element.clientHeight * 0.75;
      await frame();
      // Nothing of what is seen is a gap; a slow machine draws a little later.
      for (let late = 0; late < 20 && isGap(element.getBoundingClientRect()); late += 1) await frame();
    }
  });
  assert.deepEqual([seen.met, seen.blank], [1498, 0]);
  assert.ok(seen.most < 2500, `${seen.most} elements`);
  assert.ok((await elements()) < 3000);
  assert.match(await args.locator('[part=rows-elsewhere]').innerText(), /^1,\d{3}–1,498 of 1,498 · 1,4\d\d rows/);
  assert.equal(await overflow(page), 0);
});

test('r19_a_long_list_that_comes_back_into_the_page_shows_its_beginning', async (t) => {
  const numbers = (length) => Array.from({ length }, (_, at) => at);
  const { args } = await show(t, { rows: [numbers(600), ...numbers(600)] }, { options: { viewport: { width: 800, height: 900 } } });
  const outer = args.locator('[part=rows]').first();
  const inner = outer.locator('[part=rows]');
  await args.locator('[part=toggle]').first().click();
  await inner.waitFor();
  await inner.evaluate((element) => (element.scrollTop = 4000));
  await eventually(async () => assert.doesNotMatch(await inner.getAttribute('aria-label'), /^1–/));
  await outer.evaluate((element) => (element.scrollTop = element.scrollHeight / 2));
  await inner.waitFor({ state: 'detached' });
  await outer.evaluate((element) => (element.scrollTop = 0));
  await inner.waitFor();
  await eventually(async () => {
    assert.match(await inner.getAttribute('aria-label'), /^1–\d+ of 598$/);
    const first = await inner.evaluate((element) => element.querySelector('dl').getBoundingClientRect().top - element.getBoundingClientRect().top);
    assert.ok(Math.abs(first) < 20, `${first} pixels of nothing`);
  });
});

test('r19_scrolling_back_into_rows_of_unknown_height_does_not_jump', async (t) => {
  const { args } = await show(t, LONG, { options: { viewport: { width: 800, height: 700 } } });
  const list = args.locator('[part=rows]');
  const jumps = await list.evaluate(async (element) => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    element.scrollTop = element.scrollHeight / 2;
    await frame();
    const top = () => {
      const edge = element.getBoundingClientRect().top;
      const keys = [...element.querySelectorAll('.cs-rows > dl > div > dt')];
      const key = keys.find((one) => one.getBoundingClientRect().top >= edge);
      return [key, key.getBoundingClientRect().top - edge];
    };
    const jumps = [];
    for (let step = 0; step < 120; step += 1) {
      const [key, before] = top();
      element.scrollTop -= 37;
      await frame();
      if (!key.isConnected) continue;
      const moved = key.getBoundingClientRect().top - element.getBoundingClientRect().top - before;
      if (Math.abs(moved - 37) > 2) jumps.push([step, moved]);
    }
    return jumps;
  });
  assert.deepEqual(jumps, []);
});

test('r19_the_keyboard_alone_goes_through_a_long_list', async (t) => {
  const { page, args, card } = await show(t, LONG, { options: { viewport: { width: 800, height: 700 } } });
  const list = args.locator('[part=rows]');
  await card.focus();
  await tabTo(page, list);
  await page.keyboard.press('PageDown');
  await page.keyboard.press('PageDown');
  await page.waitForFunction((element) => element.scrollTop > 300, await list.elementHandle());
  await page.keyboard.press('End');
  await list.getByText('row-5997-').waitFor();
  // Rows whose focus is gone with them leave the keys to the list.
  await page.keyboard.press('Home');
  await list.getByText('"row-0-"').or(list.getByText('row-0-')).first().waitFor();
  await args.locator('[part=copy-button]').click();
  await args.getByText('Copied').waitFor();
  assert.equal(await clipboard(page), JSON.stringify(LONG));
});

test('r20_padding_is_collapsed_with_a_count_and_the_end_is_in_sight', async (t) => {
  const paddings = [['\u00a0', 300], ['\u2003', 300], ['\u3000', 300], [' ', 300], ['\n', 5000], ['\t', 64]];
  for (const [space, count] of paddings) {
    const { card, args } = await show(t, { command: `ls${space.repeat(count)}; rm -rf /` });
    const value = args.locator('[part=value]').first();
    assert.match(await value.innerText(), new RegExp(`× ${count}\\s*; rm -rf /`));
    assert.ok((await card.boundingBox()).height < 400);
  }
});

test('r21_look_alikes_and_real_hosts_are_told_and_nothing_is_a_link', async (t) => {
  const { card, args } = await show(t, { url: 'https://google.com@evil.example/', home: 'https://аррӏе.com/' }, {
    view: { tool: 'delete_filе' },
  });
  assert.equal(await card.locator('[part=tool-name]').innerText(), 'delete_filе');
  assert.equal(await card.locator('[part=tool-name] [part=odd]').innerText(), 'е');
  assert.match(await card.innerText(), /Letters that look like others: е \(Cyrillic U\+0435\)/);
  const facts = await args.locator('[part=aside]').allInnerTexts();
  assert.match(facts[0], /^host evil\.example · google\.com before the @ is a user name/);
  assert.match(facts[1], /^host xn--80ak6aa92e\.com · /);
  assert.equal(await card.locator('a').count(), 0);
  assert.equal(new URL('https://аррӏе.com/').host, 'xn--80ak6aa92e.com');
});

test('r22_what_the_agent_says_comes_after_the_arguments_and_holds_nothing_to_press', async (t) => {
  const { card } = await show(t, { a: 1 }, { view: { hint: 'Just approve.', description: '<button>Approve</button>' } });
  const order = await card.evaluate((element) => {
    const of = (part) => element.querySelector(`[part=${part}]`);
    return of('arguments').compareDocumentPosition(of('claim')) & Node.DOCUMENT_POSITION_FOLLOWING;
  });
  assert.ok(order);
  const claims = card.locator('[part=claim]');
  assert.equal(await claims.locator('button, a, input').count(), 0);
  for (const claim of await claims.allInnerTexts()) assert.match(claim, /^The agent says \(not verified\):/);
});

for (const renderer of ['tells', 'nothing', 'covers', 'fails']) {
  test(`r23_a_renderer_that_${renderer}_leaves_arguments_and_decisions_in_place`, async (t) => {
    const { page, card, args } = await show(t, { path: '/srv/data' }, {
      query: `renderer=${renderer}&arm=100`,
      expectedErrors: [/a renderer of the page failed|unreachable/],
      view: { offers: [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'none' }] },
    });
    const rendered = card.locator('[part=rendered]');
    if (['tells', 'covers'].includes(renderer)) await rendered.waitFor({ state: 'attached' });
    else await page.waitForTimeout(300);
    assert.equal(await rendered.count(), ['tells', 'covers'].includes(renderer) ? 1 : 0);
    await args.getByRole('button', { name: 'Raw' }).click();
    assert.equal(await args.locator('[part=raw]').innerText(), '{"path":"/srv/data"}');
    // Nothing lies over what decides.
    for (const part of ['raw', 'approve-button', 'reject-button']) {
      const onTop = await card.locator(`[part=${part}]`).evaluate((element) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        return element.getRootNode().elementFromPoint(x + width / 2, y + height / 2) === element;
      });
      assert.ok(onTop, part);
    }
    await card.locator('[part=reject-button]').click();
    await page.waitForFunction(() => window.countersignDemo.intents.length === 1);
  });
}

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U';
const SECRETS = {
  password: 'hunter2',
  token: 'tok-1',
  api_key: 'k',
  authorization: 'Basic bWU6cHc=',
  note: `use ${TOKEN} now`,
  pem: '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----\n',
  key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};

test('r24_secrets_are_masked_with_their_length_and_revealed_one_by_one', async (t) => {
  const { page, card, args } = await show(t, SECRETS);
  const secrets = ['hunter2', 'tok-1', 'bWU6cHc=', TOKEN, 'MIIEvQ', 'wJalr'];
  const shown = async () => {
    const text = await card.evaluate((element) => element.textContent);
    return secrets.filter((secret) => text.includes(secret));
  };
  assert.deepEqual(await shown(), []);
  const digest = await card.locator('[part=digest]').innerText();
  const masks = args.locator('[part=mask]');
  assert.equal(await masks.count(), 7);
  assert.match(await masks.first().innerText(), /7 characters/);
  await card.focus();
  await tabTo(page, masks.first());
  await page.keyboard.press('Enter');
  await args.getByText('hunter2').waitFor();
  assert.deepEqual(await shown(), ['hunter2']);
  await page.keyboard.press('Enter');
  await args.getByText('hunter2').waitFor({ state: 'detached' });
  // The exact text is masked as well, until all of it is revealed.
  await args.getByRole('button', { name: 'Raw' }).click();
  await args.locator('[part=raw]').waitFor();
  assert.deepEqual(await shown(), []);
  await args.locator('[part=reveal-button]').click();
  await args.getByText('hunter2').waitFor();
  assert.equal(await args.locator('[part=raw]').innerText(), JSON.stringify(SECRETS));
  assert.equal(await card.locator('[part=digest]').innerText(), digest);
});

test('r24_a_mask_keeps_the_focus_where_facts_come_with_what_it_shows', async (t) => {
  const { page, card, args } = await show(t, { token: 'https://example.com/x' });
  await card.focus();
  await tabTo(page, args.locator('[part=mask]'));
  await page.keyboard.press('Enter');
  await args.getByText('host example.com').waitFor();
  await page.keyboard.press('Enter');
  await args.getByText('host example.com').waitFor({ state: 'detached' });
});

test('r24_a_copy_has_masks_unless_it_is_asked_for_with_secrets', async (t) => {
  const text = `{"n":1.00,"big":2512292042121000001,"password":"hunter2","a":"x\\u202ey"}`;
  const { page, args } = await show(t, text);
  await args.locator('[part=copy-button]').click();
  await args.locator('[aria-live=polite]').getByText('Copied').waitFor();
  assert.equal(await clipboard(page), text.replace('hunter2', '[7 characters masked]'));
  await args.locator('[part=copy-secrets-button]').click();
  await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()) === wanted, text);
});

test('a_copy_works_without_the_interface_for_it', async (t) => {
  const { page, args } = await show(t, '{"path":"/a\u00a0b"}');
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true }));
  const copied = page.evaluate(() => new Promise((done) => {
    document.addEventListener('copy', () => done(String(document.activeElement.shadowRoot?.activeElement?.value)), { once: true });
  }));
  await args.locator('[part=copy-button]').click();
  assert.equal(await copied, '{"path":"/a\u00a0b"}');
  await args.locator('[aria-live=polite]').getByText('Copied').waitFor();
  const focused = await args.locator('[part=copy-button]').evaluate((element) => element.getRootNode().activeElement === element);
  assert.equal(focused, true);
});

test('r14_a_megabyte_of_arguments_appears_at_once_with_few_elements', async (t) => {
  const { gallery, card, page } = await show(t, {});
  const shapes = {
    'one long text': { text: `START${'lorem ipsum '.repeat(87_000)}ENDED` },
    'many rows': { rows: Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}`, text: 'x'.repeat(300) })) },
    'much to hide': { text: '\u202e'.repeat(340_000) },
    'deep': `${'['.repeat(5000)}${']'.repeat(5000)}`,
    'too large': { text: `START${'x'.repeat(10 << 20)}ENDED` },
  };
  for (const [name, args] of Object.entries(shapes)) {
    const argsText = typeof args === 'string' ? args : JSON.stringify(args);
    await gallery.show([{ key: 2, tool: name.replaceAll(' ', '_'), argsText, inspectable: name !== 'too large' }], { alone: true });
    await card.getByText(name.replaceAll(' ', '_'), { exact: true }).waitFor();
    const elements = await card.evaluate((element) => element.querySelectorAll('*').length);
    assert.ok(elements < 2000, `${name}: ${elements} elements`);
    assert.equal(await card.locator('[part=reject-button]').count(), 1);
    assert.equal(await card.locator('[part=download-button]').count(), name === 'deep' ? 0 : 1, name);
    assert.equal(await overflow(page), 0);
  }
  const text = await card.innerText();
  assert.ok(text.includes('START') && text.includes('ENDED') && text.includes('too much to show'));
  const [download] = await Promise.all([page.waitForEvent('download'), card.locator('[part=download-button]').click()]);
  assert.equal(download.suggestedFilename(), 'arguments.json');
  // Safari reads what it saves only after the press.
  assert.ok(await page.evaluate((address) => fetch(address).then(({ ok }) => ok), download.url()));
});

test('r25_what_was_edited_stands_field_by_field_on_the_card', async (t) => {
  const args = '{"amount":1250.00,"to":{"iban":"DE89"},"text":"one\\ntwo\\nthree"}';
  const edited = '{"amount":125.00,"to":{"iban":"DE89"},"text":"one\\n2\\nthree"}';
  const { card } = await show(t, args, { view: { status: 'sent', offers: [], decision: { kind: 'edit', args: edited } } });
  const changes = card.locator('[part=changes]');
  assert.deepEqual(await changes.locator('del').allInnerTexts(), ['amount: 1250.00', 'two']);
  assert.deepEqual(await changes.locator('ins').allInnerTexts(), ['amount: 125.00', '2']);
});

test('r25_what_was_edited_stands_in_the_history_too', async (t) => {
  const argsText = '{"amount":1250.00,"to":"DE89"}';
  const decision = { kind: 'edit', args: '{"amount":125.00,"to":"DE89"}' };
  const { gallery } = await show(t, {});
  await gallery.show([{ tool: 'pay', argsText, status: 'completed', offers: [], decision, decidedBy: 'here' }]);
  const row = gallery.exhibit('shown').locator('[part=history] [part=card]');
  await row.getByRole('button', { name: 'Details pay' }).click();
  const changes = row.locator('[part=changes]');
  assert.deepEqual(await changes.locator('del').allInnerTexts(), ['amount: 1250.00']);
  assert.deepEqual(await changes.locator('ins').allInnerTexts(), ['amount: 125.00']);
});

test('an_edit_of_a_file_is_told_by_its_lines', async (t) => {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at}`);
  const before_ = lines.join('\n');
  const after_ = before_.replace('line 20\n', 'line twenty\nand more\n');
  const { args } = await show(t, { path: 'a.txt', old_string: before_, new_string: after_ });
  const diff = args.locator('[part=diff]');
  assert.deepEqual(await diff.locator('del').allInnerTexts(), ['line 20']);
  assert.deepEqual(await diff.locator('ins').allInnerTexts(), ['line twenty', 'and more']);
  assert.deepEqual(await diff.getByRole('button').allInnerTexts(), ['17 lines unchanged', '16 lines unchanged']);
  await diff.getByRole('button').first().press('Enter');
  await diff.getByText('line 39').waitFor();
});
