// A person with a finger on a small screen.

import assert from 'node:assert/strict';

import { eventually } from './eventually.mjs';
import { profile } from './browser.mjs';
import { steady } from './press.mjs';

/** A narrow phone: 320 by 640 CSS pixels, touch, no pointer that hovers. */
export function phone(t, browser, options = {}) {
  return profile(t, browser, { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2, ...options });
}

/** Taps something as soon as it may be tapped. */
export async function tap(locator) {
  await locator.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await eventually(async () => assert.equal(await locator.getAttribute('aria-disabled', { timeout: 1000 }), null, 'it acts'));
  await locator.tap();
}

/** Taps a button that runs something: what was done before may just have moved it. */
export async function tapSteady(button) {
  await button.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await steady(button);
  await button.tap();
}

/** The page is no wider than the screen, and nothing sticks out of it. */
export async function fits(page, what = 'the page') {
  const { wide, out } = await page.evaluate(measure);
  assert.ok(wide <= 0, `${what} scrolls sideways by ${wide} px`);
  assert.deepEqual(out, [], `${what}: sticks out`);
}

/** Everything that can be tapped is large enough: 24 px, and 44 px high for what decides. What is typed has 16 px: iOS zooms into less. */
export async function large(page, what = 'the page') {
  const small = await page.evaluate(targets);
  assert.deepEqual(small, [], `${what}: too small to tap`);
}

/** An open dialog lies within the screen, and what does not fit scrolls within it. */
export async function framed(dialog) {
  const place = await dialog.evaluate((element) => {
    const box = element.getBoundingClientRect();
    const foot = element.querySelector('[part=dialog-foot]').getBoundingClientRect();
    const body = element.querySelector('[part=dialog-body]');
    const { height } = body.getBoundingClientRect();
    return { left: box.left, top: box.top, right: innerWidth - box.right, bottom: innerHeight - box.bottom, foot: innerHeight - foot.bottom, height, sideways: body.scrollWidth - body.clientWidth };
  });
  for (const side of ['left', 'top', 'right', 'bottom', 'foot']) assert.ok(place[side] >= 0, `${side}: ${JSON.stringify(place)}`);
  assert.ok(place.height >= 60 && place.sideways <= 0, JSON.stringify(place));
}

/** An element is in view as a whole, and nothing covers its centre. */
export async function inSight(locator, what) {
  await eventually(async () => {
    const place = await locator.evaluate((element) => {
      const box = element.getBoundingClientRect();
      let hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
      while (hit?.shadowRoot?.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)) {
        const inner = hit.shadowRoot.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (inner === hit) break;
        hit = inner;
      }
      return { top: box.top, bottom: innerHeight - box.bottom, hit: element === hit || element.contains(hit) };
    });
    assert.ok(place.top >= 0 && place.bottom >= 0 && place.hit, `${what}: ${JSON.stringify(place)}`);
  });
}

function measure() {
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const out = [];
  const walk = (root) => {
    for (const element of root.querySelectorAll('button, input, textarea, select, a, [part=card], [part=dialog]')) {
      if (!element.checkVisibility({ visibilityProperty: true })) continue;
      const box = element.getBoundingClientRect();
      // What scrolls sideways within its own list is meant to.
      if (box.width > 1 && !element.closest('.suggestions') && (box.left < -0.5 || box.right > innerWidth + 0.5)) {
        out.push(`${element.getAttribute('part') ?? element.tagName} ${element.textContent.slice(0, 30)}: ${box.left}…${box.right}`);
      }
    }
    for (const host of root.querySelectorAll('*')) if (host.shadowRoot) walk(host.shadowRoot);
  };
  walk(document);
  return { wide, out };
}

function targets() {
  const small = [];
  const primary = ['approve-button', 'reject-button', 'respond-button', 'edit-button', 'ignore-button', 'always-button', 'undo-button', 'retry-button', 'send-rejection-button', 'send-edit-button', 'answer-button', 'confirm-button', 'cancel-button', 'grant-button', 'revoke-button', 'approve-all-button', 'reject-all-button', 'end-button', 'require-switch'];
  const walk = (root) => {
    for (const element of root.querySelectorAll('button, input, textarea, select, summary, a[href], [role=switch]')) {
      if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      if (element.closest('dialog') === null && root.querySelector?.('dialog[open]')) continue;
      const around = element.tagName === 'INPUT' && element.labels?.length > 0 ? [element, ...element.labels] : [element];
      const boxes = around.map((one) => one.getBoundingClientRect());
      const width = Math.max(...boxes.map((box) => box.width));
      const height = Math.max(...boxes.map((box) => box.height));
      if (width === 0) continue;
      const part = element.getAttribute('part') ?? '';
      const letters = Number.parseFloat(getComputedStyle(element).fontSize);
      if (element.matches('textarea, select, input:not([type=checkbox], [type=radio])') && letters < 16) small.push(`${part || element.tagName} with letters of ${letters}`);
      const least = primary.includes(part) ? 44 : 24;
      if (height < least - 0.5 || width < 24 - 0.5) small.push(`${part || element.tagName} "${element.textContent.slice(0, 30)}" ${width.toFixed(1)} × ${height.toFixed(1)}`);
    }
    for (const host of root.querySelectorAll('*')) if (host.shadowRoot) walk(host.shadowRoot);
  };
  walk(document);
  return small;
}
