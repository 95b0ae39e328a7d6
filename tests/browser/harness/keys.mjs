// A person at a page with nothing but a keyboard.

import assert from 'node:assert/strict';

import { eventually, pause } from './eventually.mjs';
import { NOTICED } from './press.mjs';

/** Presses and types, and looks where the focus is: it never clicks and never moves the focus itself. */
export class Keys {
  constructor(page) {
    this.page = page;
  }

  /** What has the focus, through shadow roots; `name` is what a screen reader says. */
  async at() {
    return this.page.evaluate(look);
  }

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Types; what is long comes at once, as from a clipboard. */
  async type(text) {
    if (text.length > 100) await this.page.keyboard.insertText(text);
    else await this.page.keyboard.type(text);
  }

  /**
   * Tabs on until what has the focus fits; `back` goes the other way. Everything on the way must show that it has the
   * focus. `wanted` is a name, a pattern for it, or a function of what [`at`] tells.
   */
  async tab(wanted, { back = false, most = 120 } = {}) {
    const met = [];
    for (let step = 0; step < most; step += 1) {
      await this.press(back ? 'Shift+Tab' : 'Tab');
      const at = await this.at();
      if (!at.lost) assertShown(at);
      met.push(`${at.part ?? at.tag} ${at.name.slice(0, 40)}`);
      if (fits(at, wanted)) return at;
    }
    assert.fail(`${wanted} was not met among ${[...new Set(met)].join(' | ').slice(0, 1500)}`);
  }

  /** Waits until the focus is on something that fits and shows it. */
  async on(wanted) {
    return eventually(async () => {
      const at = await this.at();
      assert.ok(fits(at, wanted), `the focus is on ${at.part ?? at.tag} ${at.name}, not on ${wanted}`);
      assertShown(at);
      return at;
    });
  }

  /** The focus is somewhere, and shows it. */
  async kept() {
    await eventually(async () => assertShown(await this.at()));
  }

  /** Waits until the focused button acts and stands still, and presses it. */
  async armed(key = 'Enter') {
    await eventually(async () => {
      const { place } = await this.at();
      await pause(NOTICED);
      const at = await this.at();
      assert.equal(at.disabled, false, 'the button acts');
      assert.deepEqual(at.place, place, 'the button stands still');
    });
    await this.press(key);
  }
}

function fits(at, wanted) {
  if (typeof wanted === 'function') return wanted(at);
  return wanted instanceof RegExp ? wanted.test(at.name) : at.name === wanted;
}

/** Something has the focus, is in view, and has a ring of at least two pixels that is no fainter than it must be. */
function assertShown(at) {
  const what = `${at.part ?? at.tag} ${at.name}`;
  assert.equal(at.lost, false, 'the focus is lost');
  assert.ok(at.ring >= 2, `${what} shows no focus: its ring has ${at.ring} px`);
  assert.ok(at.contrast >= 3, `${what} shows its focus with a contrast of ${at.contrast}`);
  assert.ok(at.inView, `${what} has the focus and is not in view`);
}

function look() {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (!element || element === document.body || element === document.documentElement) return { lost: true, name: '', tag: 'body' };
  const root = element.getRootNode();
  const named = (ids) => ids.split(' ').map((id) => root.getElementById(id)?.textContent ?? '').join(' ');
  const label = element.getAttribute('aria-label')
    ?? (element.hasAttribute('aria-labelledby') ? named(element.getAttribute('aria-labelledby')) : null)
    ?? (element.labels?.length > 0 ? element.labels[0].textContent : null)
    ?? element.textContent;
  // The ring may be drawn around what holds the field.
  let ring = 0;
  let contrast = 1;
  const up = (node) => node.parentElement ?? node.getRootNode().host;
  const luminance = (colour) => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 1, height: 1 });
    const context = canvas.getContext('2d');
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let one = node; one; one = up(one)) {
      const colour = getComputedStyle(one).backgroundColor;
      if (colour !== 'transparent' && !/, 0\)$/.test(colour)) return colour;
    }
    return 'white';
  };
  for (let node = element, depth = 0; node && depth < 3 && ring === 0; node = up(node), depth += 1) {
    const style = getComputedStyle(node);
    if (style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) > 0) {
      ring = Number.parseFloat(style.outlineWidth);
      const [one, other] = [luminance(style.outlineColor), luminance(behind(up(node) ?? node))].sort((a, b) => b - a);
      contrast = (one + 0.05) / (other + 0.05);
    }
  }
  const box = element.getBoundingClientRect();
  const inView = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  return {
    lost: false,
    tag: element.tagName.toLowerCase(),
    part: element.getAttribute('part'),
    role: element.getAttribute('role'),
    name: label.replace(/\s+/g, ' ').trim(),
    request: element.closest('[data-request]')?.dataset.request ?? null,
    disabled: element.disabled === true || element.getAttribute('aria-disabled') === 'true',
    pressed: element.getAttribute('aria-pressed'),
    checked: element.checked ?? element.getAttribute('aria-checked') === 'true',
    value: element.value ?? null,
    ring,
    contrast,
    inView,
    place: [box.x, box.y, box.width, box.height],
  };
}
