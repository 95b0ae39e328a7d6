// WebKit in the shape in which the other helpers know a browser: what they use of Playwright's pages, over WebDriver.

import assert from 'node:assert/strict';

import { eventually, pause } from './eventually.mjs';
import { find } from './webkit-find.mjs';
import { Driver } from './webdriver.mjs';

const KEYS = {
  Alt: '\ue00a', ArrowDown: '\ue015', ArrowLeft: '\ue012', ArrowRight: '\ue014', ArrowUp: '\ue013', Backspace: '\ue003',
  Control: '\ue009', Delete: '\ue017', End: '\ue010', Enter: '\ue007', Escape: '\ue00c', Home: '\ue011', Meta: '\ue03d',
  PageDown: '\ue00f', PageUp: '\ue00e', Shift: '\ue008', Tab: '\ue004', Space: ' ',
};
const PATIENCE = 10_000;

/** A browser with a fresh profile and one window. Close it after the tests of the file. */
export async function openWebKit(options = {}) {
  const driver = await Driver.start();
  try {
    const browser = new Browser(driver, await driver.session(), options);
    browser.page = await browser.newPage();
    return browser;
  } catch (error) {
    driver.stop();
    throw error;
  }
}

/** A browser; its windows share storage. */
class Browser {
  /** The first window. */
  page;
  #driver;

  constructor(driver, session, options) {
    this.#driver = driver;
    this.session = session;
    this.options = options;
  }

  /** Gives the window the size with which its page has the wanted one. */
  async #resize(window, { width, height } = this.options.viewport ?? { width: 1280, height: 900 }) {
    let frame = { width: 0, height: 0 };
    await eventually(async () => {
      await this.session.send(window, ['POST', '/window/rect', { x: 0, y: 0, width: width + frame.width, height: height + frame.height }]);
      await pause(100);
      const [w, h] = await this.session.send(window, ['POST', '/execute/sync', { script: 'return [innerWidth, innerHeight]', args: [] }]);
      frame = { width: frame.width + width - w, height: frame.height + height - h };
      assert.deepEqual([w, h], [width, height]);
    });
  }

  /** Opens another window; the first time, takes the one that is there. */
  async newPage() {
    const handle = this.page
      ? (await this.session.send(undefined, ['POST', '/window/new', { type: 'window' }])).handle
      : await this.session.send(undefined, ['GET', '/window']);
    await this.#resize(handle);
    return new Page(this, handle);
  }

  async close() {
    await this.session.end().catch(() => {});
    this.#driver.stop();
  }
}

/** Everything in a page that can be looked for. */
class Scope {
  constructor(page, chain) {
    this.page = page;
    this.chain = chain;
  }

  #then(...step) {
    return new Locator(this.page, [...this.chain, step]);
  }

  locator(selector) {
    return this.#then('css', selector);
  }

  getByRole(role, { name, exact = false } = {}) {
    return this.#then('role', role, text(name), exact);
  }

  getByText(words, { exact = false } = {}) {
    return this.#then('text', text(words), exact);
  }

  getByLabel(words, { exact = false } = {}) {
    return this.#then('label', text(words), exact);
  }

  first() {
    return this.nth(0);
  }

  last() {
    return this.nth(-1);
  }

  nth(place) {
    return this.#then('nth', place);
  }
}

/** A pattern survives JSON as its source. */
function text(words) {
  return words instanceof RegExp ? { source: words.source, flags: words.flags } : words;
}

/** One window. */
class Page extends Scope {
  #browser;
  #window;

  constructor(browser, window) {
    super(undefined, []);
    this.page = this;
    this.#browser = browser;
    this.#window = window;
    this.keyboard = new Keyboard(this);
    this.mouse = new Mouse(this);
  }

  send(...commands) {
    return this.#browser.session.send(this.#window, ...commands);
  }

  async goto(address) {
    await this.send(['POST', '/url', { url: address }]);
  }

  async reload() {
    await this.send(['POST', '/refresh']);
  }

  async close() {
    await this.send(['DELETE', '/window']);
  }

  /** Runs a function with JSON in the page; what it promises is waited for. */
  evaluate(work, argument) {
    return this.run(String(work), argument);
  }

  /** Runs the function that this text is. */
  async run(source, ...values) {
    // A page may forbid to make code of text, but not what the driver brings along. What the page calls its own is not hidden.
    const script = `const [$values, $done] = arguments;
      const $told = (value) => JSON.stringify(value, (_, one) => (one === undefined ? { undefined: true } : one));
      (async () => (${source})(...$values))().then((value) => $done({ value: $told(value) }), (error) => $done({ error: error + '\\n' + error?.stack }))`;
    const { value, error } = await this.send(['POST', '/execute/async', { script, args: [values] }]);
    if (error !== undefined) throw new Error(error);
    return value === undefined ? undefined : JSON.parse(value, (_, one) => (one?.undefined === true ? undefined : one));
  }

  waitForFunction(check, argument) {
    return eventually(async () => assert.ok(await this.evaluate(check, argument), String(check)));
  }

  async pointer(...actions) {
    await this.send(['POST', '/actions', { actions: [{ type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions }] }]);
  }
}

class Mouse {
  #page;

  constructor(page) {
    this.#page = page;
  }

  #to(x, y) {
    return { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 20 };
  }

  move(x, y) {
    return this.#page.pointer(this.#to(x, y));
  }

  down() {
    return this.#page.pointer({ type: 'pointerDown', button: 0 });
  }

  up() {
    return this.#page.pointer({ type: 'pointerUp', button: 0 });
  }

  click(x, y, { clickCount = 1, delay = 20 } = {}) {
    const once = [{ type: 'pointerDown', button: 0 }, { type: 'pause', duration: delay }, { type: 'pointerUp', button: 0 }];
    return this.#page.pointer(this.#to(x, y), ...Array.from({ length: clickCount }, () => once).flat());
  }
}

class Keyboard {
  #page;

  constructor(page) {
    this.#page = page;
  }

  #send(...actions) {
    return this.#page.send(['POST', '/actions', { actions: [{ type: 'key', id: 'keys', actions }] }]);
  }

  /** One key, or several at once: `Control+Enter`. */
  press(combination) {
    const keys = combination.split(/(?<=.)\+/).map((key) => KEYS[key] ?? key);
    const up = [...keys].reverse().map((value) => ({ type: 'keyUp', value }));
    return this.#send(...keys.map((value) => ({ type: 'keyDown', value })), { type: 'pause', duration: 20 }, ...up);
  }

  type(words) {
    return this.#send(...[...words].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]));
  }

  /** As from a clipboard. */
  insertText(words) {
    return this.#page.evaluate((text) => document.execCommand('insertText', false, text), words);
  }
}

/** Elements, looked for anew whenever something is done with them. */
class Locator extends Scope {
  /** Runs a function with all elements. */
  #all(work, argument) {
    return this.page.run(`(chain, argument) => (${work})((${find})(chain), argument)`, this.chain, argument);
  }

  /** Runs a function with the one element, once it is there. */
  #one(work, argument, { timeout = PATIENCE } = {}) {
    const source = `(chain, argument) => {
      const found = (${find})(chain);
      if (found.length !== 1) throw new Error(found.length + ' elements are ' + JSON.stringify(chain));
      return (${work})(found[0], argument);
    }`;
    return eventually(() => this.page.run(source, this.chain, argument), timeout);
  }

  count() {
    return this.#all((all) => all.length);
  }

  async all() {
    return Array.from({ length: await this.count() }, (_, at) => this.nth(at));
  }

  evaluate(work, argument) {
    return this.#one(work, argument);
  }

  evaluateAll(work, argument) {
    return this.#all(work, argument);
  }

  getAttribute(name, options) {
    return this.#one((element, attribute) => element.getAttribute(attribute), name, options);
  }

  textContent(options) {
    return this.#one((element) => element.textContent, undefined, options);
  }

  innerText(options) {
    return this.#one((element) => element.innerText, undefined, options);
  }

  allTextContents() {
    return this.#all((all) => all.map((element) => element.textContent));
  }

  isVisible() {
    return this.#all((all) => all.length > 0 && all[0].checkVisibility({ visibilityProperty: true }) && all[0].getClientRects().length > 0);
  }

  isChecked() {
    return this.#one((element) => element.checked ?? element.getAttribute('aria-checked') === 'true');
  }

  boundingBox(options) {
    return this.#one((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      return { x, y, width, height };
    }, undefined, options);
  }

  async waitFor({ state = 'visible', timeout = PATIENCE } = {}) {
    await eventually(async () => {
      const seen = await this.#all((all) => all.map((element) => element.checkVisibility({ visibilityProperty: true }) && element.getClientRects().length > 0));
      const told = JSON.stringify(this.chain);
      if (state === 'attached') assert.ok(seen.length > 0, `${told} is there`);
      else if (state === 'visible') assert.ok(seen.length > 0 && seen.every(Boolean), `${told} is shown`);
      else if (state === 'detached') assert.equal(seen.length, 0, `${told} is gone`);
      else assert.ok(!seen.some(Boolean), `${told} is hidden`);
    }, timeout);
  }

  focus() {
    return this.#one((element) => element.focus());
  }

  /** Where a press on it lands, once it stands still and nothing covers it. */
  async #target({ timeout = PATIENCE, force = false } = {}) {
    return eventually(async () => {
      const { point, problem } = await this.#one(locate, force, { timeout: 0 });
      assert.equal(problem, undefined, JSON.stringify(this.chain));
      return point;
    }, timeout);
  }

  async click({ clickCount = 1, ...options } = {}) {
    await this.page.mouse.click(...(await this.#target(options)), { clickCount });
  }

  dblclick(options = {}) {
    return this.click({ ...options, clickCount: 2 });
  }

  async check(options) {
    if (!(await this.isChecked())) await this.click(options);
    await eventually(async () => assert.ok(await this.isChecked()));
  }

  async press(key) {
    await this.focus();
    await this.page.keyboard.press(key);
  }

  /** Puts these words in the place of what a field holds, as if they were pasted. */
  async fill(words) {
    await this.waitFor();
    await this.#one((field, words) => {
      field.focus();
      field.select();
      if (words === '') document.execCommand('delete');
      else document.execCommand('insertText', false, words);
    }, words);
  }
}

/** Brings an element into view, and tells the middle of it, or why it cannot be pressed. */
async function locate(element, force) {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const place = () => JSON.stringify(element.getBoundingClientRect());
  const inView = () => {
    const { top, bottom, left, right } = element.getBoundingClientRect();
    return top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth;
  };
  if (!inView()) element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  const before = place();
  await frame();
  await frame();
  if (place() !== before) return { problem: 'it moves' };
  const { x, y, width, height } = element.getBoundingClientRect();
  if (width === 0 || height === 0) return { problem: 'it is not shown' };
  const point = [x + width / 2, y + height / 2];
  if (force) return { point };
  if (element.matches(':disabled')) return { problem: 'it is disabled' };
  if (element.closest('[aria-disabled=true]')) return { problem: 'it does not act yet' };
  let hit = document.elementFromPoint(...point);
  for (let inner; (inner = hit?.shadowRoot?.elementFromPoint(...point)) && inner !== hit; ) hit = inner;
  const within = (one) => {
    for (let node = hit; node; node = node.assignedSlot ?? node.parentNode ?? node.host) if (node === one) return true;
    return false;
  };
  const meant = [element, ...(element.labels ?? []), ...(element.closest('label') ? [element.closest('label')] : [])];
  if (meant.some(within)) return { point };
  // It may lie under what stays in view while the rest scrolls.
  element.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' });
  return { problem: `it is covered by ${hit?.outerHTML.slice(0, 200)}` };
}
