// The world around the card: translators, extensions, password managers, storage, and a browser that puts a page away and brings it back.

import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';

import { chromiumTest, launch, profile, slow } from './harness/browser.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { press, steady } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

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

const REASONED = [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'sent' }, { kind: 'edit', reason: 'none' }];
const CALL = { tool: 'delete_file', argsText: '{"path":"/tmp/x","mode":"for\u200Bce"}', offers: REASONED };

async function open(t, cards = [CALL], query = 'state=pending') {
  const gallery = await openGallery(t, await profile(t, browser), server.origin, query);
  if (cards.length > 0) await gallery.show(cards);
  const card = gallery.exhibit('shown').locator('[part=card]').first();
  /** What a person reads, without the buttons that come and go with it. */
  const read = () => card.locator('[part=header], [part=arguments]').evaluateAll((all) => all.map((one) => one.innerText).join('\n'));
  const kinds = async () => (await gallery.intents()).map(({ kind, code, decision }) => code ?? decision?.kind ?? kind);
  return { gallery, page: gallery.page, card, read, kinds, button: (name) => card.locator(`[part=${name}-button]`) };
}

/** In the page: `translate(root, act)` lets `act` have each text in open shadow roots; `wrapped` does what translators do to it. */
function translator() {
  const texts = (node, found = []) => {
    if (node.nodeType === Node.TEXT_NODE && node.data.trim() !== '') found.push(node);
    for (const child of [...(node.shadowRoot ? [node.shadowRoot] : []), ...node.childNodes]) texts(child, found);
    return found;
  };
  const isOurs = (text) => text.parentElement?.closest('.cs') && !text.parentElement.closest('font');
  window.translate = (act) => texts(document.body).filter(isOurs).forEach(act);
  window.wrapped = (text) => {
    const font = document.createElement('font');
    font.appendChild(document.createElement('font')).textContent = `[${text.data}]`;
    text.replaceWith(font);
  };
  window.kept = (text) => {
    const font = document.createElement('font');
    text.before(font);
    font.append(text);
    text.data = `[${text.data}]`;
  };
  window.split = (text) => void text.splitText(Math.floor(text.data.length / 2));
  window.gone = (text) => text.remove();
  window.said = (text) => (text.data = `[${text.data}]`);
}

test('nothing in a card, a panel or a policy is given to translators', async (t) => {
  const { page, button } = await open(t);
  await button('edit').click();
  const left = await page.evaluate(() => {
    const found = [];
    for (const host of document.querySelectorAll('countersign-inbox, countersign-card, countersign-policy')) {
      for (const element of host.shadowRoot.querySelectorAll('*')) {
        if (!element.closest('[translate=no]') && element.textContent.trim() !== '' && !element.querySelector('[translate=no]')) found.push(element.outerHTML.slice(0, 80));
      }
    }
    return found;
  });
  assert.deepEqual(left, []);
});

for (const way of ['wrapped', 'kept', 'split', 'gone', 'said']) {
  test(`what a translator does to texts all the same is taken back before anybody sees it: ${way}`, async (t) => {
    const { gallery, page, read, kinds, button, card } = await open(t);
    await page.evaluate(translator);
    const before = await read();
    const seen = await page.evaluate(async (name) => {
      const { shadowRoot } = document.querySelector('section[data-state=shown] :is(countersign-inbox, countersign-card)');
      const outline = (node) => (node.nodeType === Node.TEXT_NODE ? JSON.stringify(node.data) : `<${node.localName} ${[...node.childNodes].map(outline)}>`);
      const whole = outline(shadowRoot.querySelector('[part=card]'));
      window.translate(window[name]);
      const touched = outline(shadowRoot.querySelector('[part=card]')) !== whole;
      await Promise.resolve();
      return { touched, same: outline(shadowRoot.querySelector('[part=card]')) === whole };
    }, way);
    assert.deepEqual(seen, { touched: true, same: true });
    assert.equal(await read(), before);
    // What comes next is drawn where it belongs, in the place of what was there.
    await page.evaluate((name) => window.translate(window[name]), way);
    await gallery.show([{ ...CALL, argsText: '{"path":"/etc/passwd","mode":"soft","deep":{"er":{"est":1}}}', changed: true }]);
    await eventually(async () => {
      const after = await read();
      assert.ok(after.includes('/etc/passwd') && !after.includes('/tmp/x') && !after.includes('[') && !after.includes('force'), after);
    });
    await button('reject').click();
    await card.locator('textarea').fill('no');
    await page.evaluate((name) => window.translate(window[name]), way);
    assert.equal(await card.locator('textarea').inputValue(), 'no', 'what was typed stays');
    await page.keyboard.press('Escape');
    await press(button('approve'));
    assert.deepEqual(await kinds(), ['approve']);
  });
}

/** Draws while others change the page: what came of it is what was drawn last. */
async function drawInTheSameMoment({ page, read }) {
  await page.evaluate(translator);
  for (const way of ['wrapped', 'gone', 'kept']) {
    await page.evaluate(async ([name, card]) => {
      window.countersignDemo.show([card]);
      for (let at = 0; at < 8; at += 1) {
        window.translate(window[name]);
        await Promise.resolve();
      }
      window.countersignDemo.show([{ ...card, tool: `${card.tool}_${name}`, argsText: '{"path":"/srv"}' }]);
      window.translate(window[name]);
    }, [way, CALL]);
    await eventually(async () => {
      const text = await read();
      assert.ok(text.includes(`delete_file_${way}`) && text.includes('/srv') && !text.includes('/tmp'), text);
    });
  }
}

const TWO = [CALL, { ...CALL, key: 2, id: 'g/r2', request: 'r2' }];

test('what is drawn in the same moment as others change the page is right', async (t) => drawInTheSameMoment(await open(t, TWO)));

// Only Chromium can be made slower.
chromiumTest('what takes long to be drawn, in the same moment as others change the page, is right too', async (t) => {
  const opened = await open(t, TWO);
  await slow(opened.page, 6);
  await drawInTheSameMoment(opened);
});

test('a page that goes on changing what is shown can approve nothing, and rejects', async (t) => {
  const { gallery, page, read, kinds, button, card } = await open(t);
  await page.evaluate(translator);
  const before = await read();
  await page.evaluate(() => {
    const root = document.querySelector('section[data-state=shown] :is(countersign-inbox, countersign-card)').shadowRoot;
    window.busy = new MutationObserver(() => window.translate(window.wrapped));
    window.busy.observe(root, { childList: true, characterData: true, subtree: true });
    window.translate(window.wrapped);
  });
  // It lives, and so does the page.
  await pause(1500);
  await eventually(async () => {
    assert.notEqual(await read(), before, 'a card that is changed again and again is left for a while');
    assert.equal(await button('approve').getAttribute('aria-disabled'), 'true');
  });
  const { x, y, width, height } = await button('approve').boundingBox();
  await page.mouse.click(x + width / 2, y + height / 2);
  assert.ok(!(await kinds()).includes('approve'), String(await kinds()));
  await gallery.show([{ ...CALL, argsText: '{"path":"/etc/passwd"}', changed: true }]);
  await eventually(async () => assert.ok((await card.textContent()).includes('/etc/passwd')));
  assert.ok(!(await card.textContent()).includes('/tmp/x'));
  await button('reject').click();
  await card.locator('textarea').waitFor();
  await page.keyboard.press('Escape');
  await page.evaluate(() => window.busy.disconnect());
  await eventually(async () => assert.ok(!(await read()).includes('[')));
  await press(button('approve'));
  assert.deepEqual((await kinds()).filter((kind) => kind !== 'obstructed'), ['approve']);
});

test('what the page itself draws of a call is left to it', async (t) => {
  const { card, read, page } = await open(t, [CALL], 'state=pending&renderer=tells');
  const rendered = card.locator('[part=rendered]');
  await rendered.waitFor();
  const before = await read();
  await rendered.evaluate((it) => it.append('drawn by the page'));
  await page.evaluate(translator);
  await page.evaluate(() => window.translate(window.wrapped));
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
  assert.match(await rendered.textContent(), /drawn by the page/);
  assert.equal(await read(), before);
});

test('no field invites a browser or a password manager to fill it, and exact text is corrected by nobody', async (t) => {
  const argsText = '{"email":"a@example.com","password":"hunter2","amount":5,"note":"a\\nb","count":"3"}';
  const { page, card, button } = await open(t, [{ ...CALL, argsText }]);
  const fields = () => card.locator('input:not([type=checkbox], [type=radio]), textarea').evaluateAll((all) =>
    all.map((field) => ({
      secret: field.type === 'password',
      exact: field.part.contains('edit-field') || field.part.contains('edit-json'),
      complete: field.autocomplete,
      ignored: ['data-1p-ignore', 'data-lpignore', 'data-bwignore', 'data-form-type'].every((name) => field.hasAttribute(name)),
      kept: ['spellcheck', 'autocapitalize', 'autocorrect', 'writingsuggestions', 'data-gramm'].every((name) => ['false', 'off'].includes(field.getAttribute(name))),
    })));
  await button('reject').click();
  const words = await fields();
  await page.keyboard.press('Escape');
  await button('edit').click();
  await card.locator('[part=edit-field]').first().waitFor();
  const edited = await fields();
  assert.ok(words.length === 1 && edited.length >= 5, JSON.stringify([words, edited]));
  for (const field of [...words, ...edited]) {
    assert.ok(field.ignored, JSON.stringify(field));
    assert.equal(field.complete, field.secret ? 'new-password' : 'off', JSON.stringify(field));
    assert.equal(field.kept, field.exact && !field.secret, JSON.stringify(field));
  }
  assert.equal(edited.filter(({ secret }) => secret).length, 1);
});

test('a draft that finds no room any more leaves no older one that would be taken for it after a reload', async (t) => {
  const { gallery, page, card, button } = await open(t, []);
  const edit = async () => {
    await gallery.show([CALL], { drafts: true });
    await button('edit').click();
  };
  const field = card.getByRole('dialog').getByLabel('path', { exact: true });
  await edit();
  await field.fill('/tmp/second');
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    };
  });
  await field.fill('/tmp/third');
  await page.reload();
  await page.locator('section[data-state] [part=card]').first().waitFor();
  await edit();
  assert.equal(await field.inputValue(), '/tmp/x');
});

test('r26_a_page_that_was_put_away_and_comes_back_waits_again_however_short_that_was', async (t) => {
  const { page, kinds, button } = await open(t);
  await steady(button('approve'));
  const { x, y, width, height } = await button('approve').boundingBox();
  // As the browser tells it when it keeps a page and shows it again: no timer runs in between.
  const inert = await button('approve').evaluate((it) => {
    for (const state of [true, false]) {
      Object.defineProperty(document, 'hidden', { configurable: true, get: () => state });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    }
    delete document.hidden;
    return it.ariaDisabled;
  });
  assert.equal(inert, null, 'it was armed');
  await page.mouse.click(x + width / 2, y + height / 2);
  assert.deepEqual(await kinds(), []);
  await press(button('approve'));
  assert.deepEqual(await kinds(), ['approve']);
});

test('in a browser without light-dark() nothing shines through, and every letter stands out', async (t) => {
  const folder = `${DEMO_FOLDER}-plain`;
  rmSync(folder, { recursive: true, force: true });
  cpSync(DEMO_FOLDER, folder, { recursive: true });
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of readdirSync(folder).filter((name) => name.endsWith('.wasm'))) {
    const bytes = readFileSync(path.join(folder, name), 'latin1');
    writeFileSync(path.join(folder, name), bytes.replaceAll('light-dark(', 'never-dark('), 'latin1');
  }
  const plain = await serveFolder(folder);
  t.after(() => plain.close());
  for (const theme of ['light', 'dark']) {
    const gallery = await openGallery(t, await profile(t, browser), plain.origin, `state=pending&theme=${theme}`);
    await gallery.show([CALL]);
    const card = gallery.exhibit('shown').locator('[part=card]').first();
    await card.locator('[part=edit-button]').click();
    const colours = await card.evaluate((card) =>
      ['', '[part=approve-button]', '[part=reject-button]', 'dialog', 'dialog [part=send-edit-button]', 'dialog textarea'].map((name) => {
        const { backgroundColor, color } = getComputedStyle(name === '' ? card : card.querySelector(name));
        return [backgroundColor, color];
      }),
    );
    const light = (colour) => colour.match(/\d+/g).slice(0, 3).map(Number).reduce((sum, part) => sum + part) / 3;
    for (const [behind, letters] of colours) {
      assert.doesNotMatch(behind, /^rgba.*, 0\)$/);
      assert.ok(Math.abs(light(behind) - light(letters)) > 120, `${theme}: ${letters} on ${behind}`);
    }
  }
});
