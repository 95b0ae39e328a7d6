// What keeps an approval from happening by accident: every press here is a real one of the browser.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chromiumTest } from './harness/browser.mjs';
import { openCards, CALL, kinds, SLOW } from './harness/cards.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';

const site = demo();
const open = (t, cards, options) => openCards(t, site, cards, options);

const calls = (count) => Array.from({ length: count }, (_, at) => ({ ...CALL, key: at + 1, id: `g/r${at + 1}`, request: `r${at + 1}` }));

test('r26_double_click_on_a_fresh_card_decides_nothing', async (t) => {
  const { gallery, page, button, centre, intents, armed } = await open(t, [CALL], SLOW);
  const [x, y] = await centre('approve');
  await gallery.show([]);
  await page.mouse.move(x, y);
  await page.mouse.click(x, y, { clickCount: 1 });
  await gallery.show([{ ...CALL, key: 2 }]);
  await page.mouse.click(x, y, { clickCount: 2 });
  await pause(50);
  assert.deepEqual(await intents(), []);
  await armed();
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_card_arms_after_half_a_second_in_view_and_not_before', async (t) => {
  const { page, intents } = await open(t, []);
  // Measured inside the page, so that a slow machine measures the same.
  const waited = await page.evaluate(async (card) => {
    window.countersignDemo.show([card]);
    const approve = () => document.querySelector('section[data-state=shown] countersign-inbox')?.shadowRoot.querySelector('[part=approve-button]');
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    while (!approve()) await frame();
    const start = performance.now();
    while (approve().ariaDisabled === 'true') await frame();
    return performance.now() - start;
  }, CALL);
  assert.ok(waited >= 490 && waited < 5000, `${waited} ms`);
  assert.deepEqual(await intents(), []);
});

test('r26_who_clicks_without_a_pause_approves_nothing_more', async (t) => {
  const { page, button, centre, intents, inert, armed } = await open(t, [CALL], SLOW);
  const [x, y] = await centre('approve');
  const start = Date.now();
  // Longer than a card waits that is left alone.
  while (Date.now() - start < 4500) {
    await page.mouse.click(x, y);
    await pause(150);
  }
  await inert();
  assert.deepEqual(await intents(), []);
  await armed();
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_card_that_is_not_in_view_does_not_arm', async (t) => {
  const { page, gallery, inert, armed } = await open(t, calls(8));
  await pause(1200);
  await inert(7);
  await gallery.exhibit('shown').locator('[part=approve-button]').nth(7).scrollIntoViewIfNeeded();
  await armed(7);
  await page.mouse.wheel(0, -5000);
  await eventually(() => inert(7));
});

test('r26_a_layout_shift_re_arms', async (t) => {
  const { page, button, armed, inert, centre, intents } = await open(t, [CALL], SLOW);
  await armed();
  const [x, y] = await centre('approve');
  await page.evaluate(() => {
    const banner = Object.assign(document.createElement('div'), { id: 'banner', textContent: 'News' });
    banner.style.height = '48px';
    document.querySelector('main').prepend(banner);
  });
  await eventually(() => inert());
  await page.mouse.click(x, y + 48);
  assert.deepEqual(await intents(), []);
  await armed();
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_card_that_arrives_above_re_arms', async (t) => {
  const [above, below] = calls(2);
  const { gallery, page, armed, inert, centre, intents } = await open(t, [below], SLOW);
  await armed();
  const [x, y] = await centre('approve');
  await gallery.show([above, below]);
  await page.mouse.click(x, y);
  await eventually(() => inert(1));
  await page.mouse.click(...(await centre('approve', 1)));
  assert.deepEqual(await intents(), []);
  await armed(1);
  await page.mouse.click(...(await centre('approve', 1)));
  assert.deepEqual((await intents()).map(({ request }) => request), ['g/r2']);
});

test('r26_a_card_of_which_less_than_half_is_in_view_does_not_arm', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`field_${at}`, at])));
  const { page, card, armed, inert, button } = await open(t, [{ ...CALL, argsText }]);
  await page.evaluate(() => { document.body.style.paddingBottom = '3000px'; });
  const { y, height } = await card().boundingBox();
  const hide = (share) => page.evaluate((top) => scrollTo(0, top), y + height * share);
  await hide(0.6);
  await pause(1200);
  await inert();
  assert.ok((await button('approve').boundingBox()).y > 0, 'the button is in view');
  await hide(0.4);
  await armed();
});

test('r26_a_press_on_a_card_of_which_too_little_is_in_view_brings_it_there_and_no_more', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`field_${at}`, at])));
  const { page, card, armed, inert, button, centre, intents } = await open(t, [{ ...CALL, argsText }]);
  await page.evaluate(() => { document.body.style.paddingBottom = '3000px'; });
  const hide = async () => {
    await armed();
    const { y, height } = await card().boundingBox();
    await page.evaluate((by) => scrollBy(0, by), y + height * 0.6);
    await eventually(() => inert());
  };
  const shown = async () => assert.ok((await card().boundingBox()).y >= 0, 'the card is in view');
  await hide();
  await page.mouse.click(...(await centre('approve')));
  await eventually(shown);
  await hide();
  await button('approve').evaluate((it) => it.focus({ preventScroll: true }));
  await page.keyboard.press('Enter');
  await eventually(shown);
  assert.deepEqual(await intents(), []);
  await armed();
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_press_on_a_card_that_has_just_come_into_view_scrolls_nothing', async (t) => {
  const { gallery, page, centre, intents, armed } = await open(t, [CALL], SLOW);
  await page.evaluate(() => { document.body.style.paddingBottom = '3000px'; });
  await armed();
  const [x, y] = await centre('approve');
  const top = await page.evaluate(() => scrollY);
  await gallery.show([]);
  await gallery.show([{ ...CALL, key: 2 }]);
  await page.mouse.click(x, y);
  await pause(300);
  assert.deepEqual([await page.evaluate(() => scrollY), await intents()], [top, []]);
});

test('r26_a_rejection_is_never_delayed', async (t) => {
  const { gallery, button, intents } = await open(t, []);
  await gallery.show([{ ...CALL, offers: [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'none' }] }]);
  await button('reject').click();
  assert.deepEqual(kinds(await intents()), ['reject']);
});

test('r26_a_card_taller_than_the_view_arms_where_its_buttons_are', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 80 }, (_, at) => [`field_${at}`, at])));
  const { button, armed, inert } = await open(t, [{ ...CALL, argsText }], { viewport: { width: 700, height: 420 } });
  await pause(900);
  await inert();
  await button('approve').scrollIntoViewIfNeeded();
  await armed();
});

test('r26_of_a_card_taller_than_the_view_half_a_view_must_be_seen', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`field_${at}`, at])));
  const { page, button, card, armed, inert, centre, intents } = await open(t, [{ ...CALL, argsText }], { viewport: { width: 700, height: 420 } });
  await page.evaluate(() => (document.body.style.paddingBottom = '2000px'));
  const { y, height } = await card().boundingBox();
  assert.ok(height > 420, 'taller than the view');
  await page.evaluate((end) => scrollBy(0, end - 90), y + height);
  await pause(900);
  await inert();
  await page.mouse.click(...(await centre('approve')));
  assert.deepEqual(await intents(), []);
  // The press has brought into view what stands above the button.
  await armed();
  await page.mouse.click(...(await centre('approve')));
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_card_taller_than_what_scrolls_around_it_arms_where_its_buttons_are', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`field_${at}`, at])));
  const { gallery, page, button, card, armed, inert } = await open(t, []);
  await page.evaluate(() => {
    const chat = document.createElement('div');
    chat.style.cssText = 'position: fixed; inset: 200px auto auto 100px; width: 500px; height: 300px; overflow: auto; background: white; z-index: 5';
    const [shown] = document.body.children;
    chat.append(shown);
    document.body.append(chat);
  });
  await gallery.show([{ ...CALL, argsText }]);
  const { height } = await card().boundingBox();
  assert.ok(height > 600, `${height} pixels high`);
  await pause(800);
  await inert();
  await button('approve').scrollIntoViewIfNeeded();
  await armed();
});

test('r26_a_card_of_which_most_is_covered_does_not_arm', async (t) => {
  const argsText = JSON.stringify(Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`field_${at}`, at])));
  const { page, button, card, armed, inert, centre, intents } = await open(t, [{ ...CALL, argsText }]);
  await armed();
  const { x, y, width } = await card().boundingBox();
  const bar = await button('approve').boundingBox();
  await page.evaluate(([left, top, width, height]) => {
    const cover = document.createElement('div');
    cover.id = 'cover';
    cover.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; width: ${width}px; height: ${height}px; background: white`;
    document.body.append(cover);
  }, [x, y, width, bar.y - y - 10]);
  await eventually(() => inert());
  await page.mouse.click(...(await centre('approve')));
  assert.deepEqual(kinds(await intents()), ['obstructed']);
  await page.evaluate(() => document.querySelector('#cover').remove());
  await armed();
});

test('r27_a_press_that_is_held_while_the_arguments_change_does_not_count', async (t) => {
  const { gallery, page, button, armed, centre, intents } = await open(t);
  for (const [hold, release] of [
    [async () => (await page.mouse.move(...(await centre('approve'))), page.mouse.down()), async () => (await page.mouse.move(...(await centre('approve'))), page.mouse.up())],
    [async () => (await button('approve').focus(), page.keyboard.down(' ')), () => page.keyboard.up(' ')],
  ]) {
    await gallery.show([CALL]);
    await armed();
    await hold();
    await gallery.show([{ ...CALL, argsText: '{"path":"/etc/passwd"}' }]);
    await pause(700);
    await armed();
    await release();
    await pause(100);
    assert.deepEqual(await intents(), []);
  }
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r27_enter_that_went_down_elsewhere_presses_no_button_that_gets_the_focus', async (t) => {
  const { page, button, armed, intents } = await open(t);
  await armed();
  await button('approve').evaluate((approve) => {
    const line = document.body.appendChild(document.createElement('input'));
    line.id = 'line';
    line.addEventListener('keydown', ({ key }) => key === 'Enter' && approve.focus());
  });
  await armed();
  await page.focus('#line');
  await page.keyboard.press('Enter');
  await pause(100);
  assert.deepEqual(await intents(), []);
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_a_hidden_page_disarms', async (t) => {
  const { page, armed, inert } = await open(t);
  await armed();
  await page.evaluate(() => Object.defineProperty(document, 'hidden', { configurable: true, get: () => true }));
  await eventually(() => inert());
  await page.evaluate(() => delete document.hidden);
  await armed();
});

test('r26_zoom_and_reduced_motion_change_nothing', async (t) => {
  const { page, button, armed, intents } = await open(t, [CALL], { reducedMotion: 'reduce' });
  await page.evaluate(() => { document.documentElement.style.zoom = '2'; });
  await button('approve').scrollIntoViewIfNeeded();
  await armed();
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r26_the_host_chooses_the_delay_within_bounds', async (t) => {
  const { armed, inert } = await open(t, [CALL], { query: 'arm=60000' });
  await pause(1500);
  await inert();
  await armed();
});

test('r03_an_update_between_the_look_and_the_click_disarms_and_says_changed', async (t) => {
  const { gallery, page, card, armed, inert, centre, intents } = await open(t, [CALL], SLOW);
  await armed();
  const [x, y] = await centre('approve');
  for (const change of [{ argsText: '{"path":"/tmp/y"}' }, { tool: 'delete_files' }, { argsSchema: '{"type":"object"}' }]) {
    await gallery.show([{ ...CALL, ...change, changed: true }]);
    await page.mouse.click(x, y);
    await inert();
    await card().getByText('This call changed').waitFor();
    await armed();
  }
  assert.deepEqual(await intents(), []);
});

test('r27_pointer_down_and_up_must_hit_the_same_armed_button', async (t) => {
  const { gallery, page, armed, centre, intents } = await open(t, [], SLOW);
  await gallery.show([CALL]);
  const [x, y] = await centre('approve');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await armed();
  await page.mouse.up();
  assert.deepEqual(await intents(), [], 'the press began before it was armed');
  await page.mouse.down();
  await page.mouse.move(x, y + 200);
  await page.mouse.up();
  assert.deepEqual(await intents(), [], 'the pointer went up elsewhere');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.up();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r27_space_pressed_before_arming_does_not_count', async (t) => {
  const { gallery, page, button, armed, intents } = await open(t, [], SLOW);
  await gallery.show([CALL]);
  await button('approve').focus();
  await page.keyboard.down(' ');
  await armed();
  await page.keyboard.up(' ');
  assert.deepEqual(await intents(), []);
  await page.keyboard.press(' ');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r29_no_key_acts_outside_of_the_card_and_no_bare_key_within', async (t) => {
  const { page, card, armed, intents } = await open(t);
  await armed();
  await page.evaluate(() => document.activeElement?.blur());
  for (const key of ['y', 'a', '1', 'Enter', ' ', 'Control+Enter', 'Meta+Enter']) await page.keyboard.press(key);
  await card().focus();
  for (const key of ['y', 'a', '1', 'Enter', ' ']) await page.keyboard.press(key);
  assert.deepEqual(await intents(), []);
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r29_a_shortcut_is_as_inert_as_its_button', async (t) => {
  const { gallery, page, card, intents } = await open(t, [], SLOW);
  await gallery.show([CALL]);
  await card().focus();
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await intents(), []);
});

test('r29_a_shortcut_that_was_held_since_before_it_was_armed_decides_nothing', async (t) => {
  const { gallery, page, card, armed, intents } = await open(t, [], SLOW);
  await gallery.show([CALL]);
  await card().focus();
  await page.keyboard.down('Control');
  for (let at = 0; at < 12; at += 1) {
    await page.keyboard.down('Enter');
    await pause(80);
  }
  await armed();
  for (let at = 0; at < 3; at += 1) await page.keyboard.down('Enter');
  assert.deepEqual(await intents(), []);
  await page.keyboard.up('Enter');
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r30_keys_and_pointers_of_a_script_are_no_shortcut_and_no_press', async (t) => {
  const { card, button, armed, intents } = await open(t);
  await armed();
  await card().evaluate((element) => {
    for (const type of ['keydown', 'keyup']) element.dispatchEvent(new KeyboardEvent(type, { key: 'Enter', ctrlKey: true, bubbles: true, composed: true }));
  });
  await button('approve').evaluate((element) => {
    for (const type of ['pointerdown', 'pointerup']) element.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true }));
    for (const type of ['keydown', 'keyup']) element.dispatchEvent(new KeyboardEvent(type, { key: ' ', bubbles: true, composed: true }));
  });
  assert.deepEqual(await intents(), []);
});

test('r30_a_click_of_a_script_is_ignored_and_told', async (t) => {
  const { button, armed, intents } = await open(t);
  await armed();
  await button('approve').evaluate((element) => {
    element.click();
    element.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true }));
  });
  const told = await intents();
  assert.deepEqual(kinds(told), ['untrusted-event', 'untrusted-event']);
  assert.match(told[0].message, /Approve delete_file.*script/);
});

/** Lays something over the approve button of the first card. */
const cover = (page, style) =>
  page.evaluate((css) => {
    const { x, y, width, height } = document
      .querySelector('section[data-state=shown] countersign-inbox')
      .shadowRoot.querySelector('[part=approve-button]')
      .getBoundingClientRect();
    const overlay = Object.assign(document.createElement('div'), { id: 'overlay' });
    overlay.style.cssText = `position: fixed; left: ${x}px; top: ${y}px; width: ${width}px; height: ${height}px; ${css}`;
    document.body.append(overlay);
  }, style);

test('r30_a_transparent_overlay_blocks', async (t) => {
  const { page, button, armed, inert, centre, intents } = await open(t);
  await armed();
  await cover(page, 'background: transparent; z-index: 99');
  await eventually(() => inert());
  const [x, y] = await centre('approve');
  await page.mouse.click(x, y);
  assert.deepEqual(await intents(), []);
  await button('approve').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['obstructed']);
  await page.locator('#overlay').evaluate((overlay) => overlay.remove());
  await armed();
});

test('r30_an_overlay_that_comes_in_the_same_moment_as_the_press_blocks', async (t) => {
  const { page, button, armed, intents } = await open(t);
  await armed();
  await button('approve').focus();
  await page.evaluate(() => addEventListener('keydown', () => document.body.append(Object.assign(document.createElement('div'), { id: 'late' })), { once: true, capture: true }));
  await page.addStyleTag({ content: '#late { position: fixed; inset: 0; z-index: 99 }' });
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['obstructed']);
});

test('r30_what is faint is inert also in browsers that do not judge what can be seen', async (t) => {
  const { page, gallery, button, armed, inert, centre, intents } = await open(t, [CALL], {
    first: () => delete IntersectionObserverEntry.prototype.isVisible,
  });
  await armed();
  const host = gallery.exhibit('shown').locator('countersign-inbox');
  await host.evaluate((element) => (element.style.opacity = '0.7'));
  await page.evaluate(() => (document.body.style.opacity = '0.6'));
  await eventually(() => inert());
  await page.mouse.click(...(await centre('approve')));
  assert.deepEqual((await intents()).map(({ code }) => code), ['obstructed']);
  await page.evaluate(() => (document.body.style.opacity = ''));
  await armed();
  await button('approve').click();
  assert.deepEqual(kinds(await intents()), ['obstructed', 'approve']);
});

// Other browsers do not judge what can be seen.
chromiumTest('r30_what_is_painted_over_the_button_blocks_although_presses_go_through_it', async (t) => {
  const { page, button, armed, inert, intents } = await open(t);
  await armed();
  await cover(page, 'background: white; pointer-events: none; z-index: 99');
  await eventually(() => inert());
  await button('approve').click({ force: true });
  assert.deepEqual(kinds(await intents()), ['obstructed']);
});

test('r08_a_card_that_is_taken_away_while_it_is_pressed_decides_nothing', async (t) => {
  const { gallery, page, armed, centre, button, intents } = await open(t);
  await armed();
  const [x, y] = await centre('approve');
  await page.mouse.move(x, y);
  await page.mouse.down();
  await gallery.show([]);
  await page.mouse.up();
  await gallery.show([CALL]);
  await button('approve').focus();
  await page.keyboard.down(' ');
  await gallery.show([]);
  await page.keyboard.up(' ');
  assert.deepEqual(await intents(), []);
});

test('r31_two_clicks_in_one_task_are_one_decision', async (t) => {
  const { button, armed, intents } = await open(t);
  await armed();
  await button('approve').dblclick();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r31_approve_then_reject_before_the_answer_is_one_decision', async (t) => {
  const offers = [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'none' }];
  const { button, armed, intents } = await open(t, [{ ...CALL, offers }]);
  await armed();
  await button('approve').click();
  await button('reject').click();
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r32_buttons_are_disabled_for_their_own_request_only', async (t) => {
  const { gallery, card, armed, button, intents } = await open(t, calls(2));
  await armed(1);
  await button('approve', 0).click();
  const [first, second] = calls(2);
  await gallery.show([{ ...first, status: 'sending', offers: [], decision: { kind: 'approve' } }, second]);
  assert.equal(await card(0).locator('[part=approve-button]').count(), 0);
  await armed(1);
  await button('approve', 1).click();
  assert.deepEqual((await intents()).map(({ request }) => request), ['g/r1', 'g/r2']);
});

test('r28_arriving_requests_take_neither_focus_nor_keys', async (t) => {
  const { gallery, page, intents } = await open(t, [CALL]);
  await page.evaluate(() => {
    const field = Object.assign(document.createElement('textarea'), { id: 'composer' });
    document.body.prepend(field);
    field.focus();
  });
  const words = 'y a 1 n the quick brown fox jumps over the lazy dog '.repeat(4).slice(0, 200);
  let shown = 1;
  for (const [at, letter] of [...words].entries()) {
    await page.keyboard.type(letter);
    if (at % 10 === 0) await gallery.show(calls((shown += 1)));
    await pause(30);
  }
  assert.equal(shown, 21);
  const composer = page.locator('#composer');
  assert.equal(await composer.inputValue(), words);
  assert.equal(await page.evaluate(() => document.activeElement.id), 'composer');
  await composer.evaluate((field) => field.setSelectionRange(20, 30, 'backward'));
  await gallery.show(calls(22));
  const selection = await composer.evaluate((field) => [field.selectionStart, field.selectionEnd, field.selectionDirection]);
  assert.deepEqual(selection, [20, 30, 'backward']);
  assert.deepEqual(await intents(), []);
});

test('r26_what a rule approved and was not delivered is not sent again before it was looked at', async (t) => {
  const failed = { ...CALL, status: 'drafted', offers: [], automatic: true, decision: { kind: 'approve' }, outbound: { id: 'o1', state: 'failed' } };
  const { gallery, page, button, centre, intents } = await open(t, [failed], SLOW);
  const [x, y] = await centre('retry');
  await gallery.show([]);
  await page.mouse.move(x, y);
  await gallery.show([{ ...failed, key: 2 }]);
  await page.mouse.click(x, y);
  assert.equal(await button('retry').getAttribute('aria-disabled'), 'true');
  assert.deepEqual(await intents(), []);
  await eventually(async () => assert.equal(await button('retry').getAttribute('aria-disabled'), null));
  await button('retry').click();
  assert.deepEqual(kinds(await intents()), ['retry']);
  // A rejection is never kept waiting.
  await gallery.show([{ ...failed, key: 3, automatic: false, decision: { kind: 'reject' } }]);
  assert.equal(await button('retry').getAttribute('aria-disabled'), null);
});
