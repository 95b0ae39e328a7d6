// What pages do with the place in which a card stands, and with presses that end elsewhere: a card that can be seen arms.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
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

const fields = (count) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, at])));
const call = (argsText = '{"path":"/tmp/x"}') => ({ tool: 'delete_file', argsText });
const kinds = (intents) => intents.map(({ kind, code, decision }) => code ?? decision?.kind ?? kind);

/** What is asked of the approval in a page or in a frame of it. */
function approval(place) {
  const button = place.locator('section[data-state=shown] [part=approve-button]');
  const disabled = () => button.getAttribute('aria-disabled');
  const inert = async () => assert.equal(await disabled(), 'true', 'inert');
  const isArmed = async () => assert.equal(await disabled(), null, 'armed');
  const armed = () => eventually(async () => (await isArmed(), await pause(100), await isArmed()));
  // For what must not come: longer than it takes to arm.
  const staysInert = async () => (await pause(1200), await inert());
  return { button, armed, inert, staysInert };
}

async function open(t, { viewport = { width: 1280, height: 900 }, query = '' } = {}) {
  const gallery = await openGallery(t, await profile(t, browser, { viewport }), server.origin, `state=pending&${query}`);
  return { gallery, page: gallery.page, ...approval(gallery.page) };
}

/** Puts everything on the page into the first element that `host` selects in this markup. */
const furnish = (page, markup, host) =>
  page.evaluate(([html, selector]) => {
    const [shown] = document.body.children;
    document.body.insertAdjacentHTML('beforeend', html);
    document.querySelector(selector).append(shown);
  }, [markup, host]);

test('r26_a card taller than the view arms in a frame of the same page that is as high as its content', async (t) => {
  const { page } = await open(t, { viewport: { width: 700, height: 420 } });
  await page.evaluate(() => {
    const frame = Object.assign(document.createElement('iframe'), { src: location.href });
    frame.style.cssText = 'display: block; border: 0; width: 100%; height: 400px';
    document.documentElement.style.height = document.body.style.height = 'auto';
    document.body.replaceChildren(frame);
  });
  const inner = await eventually(() => {
    const found = page.frames().find((one) => one !== page.mainFrame() && one.url().startsWith(server.origin));
    assert.ok(found);
    return found;
  });
  await inner.waitForFunction(() => document.querySelector('section[data-state] countersign-inbox')?.shadowRoot?.querySelector('[part~=card]'));
  await inner.evaluate((card) => window.countersignDemo.show([card]), call(fields(40)));
  const { button, armed, inert, staysInert } = approval(inner);
  await button.waitFor();
  await page.evaluate(() => {
    const [frame] = document.getElementsByTagName('iframe');
    frame.style.height = `${frame.contentDocument.documentElement.scrollHeight}px`;
    document.body.style.paddingBottom = '2000px';
  });
  const card = await inner.locator('section[data-state=shown] [part=card]').boundingBox();
  assert.ok(card.height > 3 * 420, `${card.height} pixels high`);
  const end = card.y + card.height;
  await page.evaluate((top) => scrollTo(0, top), end - 410);
  await armed();
  // What the page moves is not where it was.
  await page.evaluate(() => scrollBy(0, 12));
  await eventually(inert);
  await armed();
  // A third of a view of it, with the button, is not half of one.
  await page.evaluate((top) => scrollTo(0, top), end - 130);
  await eventually(inert);
  await staysInert();
  await page.evaluate((top) => scrollTo(0, top), end - 300);
  await armed();
  const { x, y } = await button.boundingBox();
  await page.mouse.click(x + 20, y + 10);
  assert.deepEqual(kinds(await inner.evaluate(() => window.countersignDemo.intents)), ['approve']);
});

test('r26_a card that is slotted into a component arms in what scrolls within that', async (t) => {
  const { gallery, page, button, armed, staysInert } = await open(t);
  await furnish(page, '<div id="chat" style="position: fixed; inset: 200px auto auto 100px; width: 500px; background: white; z-index: 5"></div>', '#chat');
  await page.evaluate(() => {
    document.querySelector('#chat').attachShadow({ mode: 'open' }).innerHTML = '<div style="height: 300px; overflow: auto"><slot></slot></div>';
  });
  await gallery.show([call(fields(20))]);
  const { height } = await page.locator('section[data-state=shown] [part=card]').boundingBox();
  assert.ok(height > 600 && height < 900, `${height} pixels high`);
  await staysInert();
  await button.scrollIntoViewIfNeeded();
  await armed();
});

test('r26_a card in what is absolute arms although a box that is not around it cuts off what it holds', async (t) => {
  const { gallery, page, armed, inert, staysInert } = await open(t);
  await furnish(page, '<div id="bar" style="height: 40px; overflow: hidden"><div id="menu" style="position: absolute; top: 60px; left: 20px; width: 600px; background: white"></div></div>', '#menu');
  await gallery.show([call()]);
  await armed();
  const bar = page.locator('#bar');
  for (const style of ['position: relative', 'transform: translateX(1px)']) {
    await bar.evaluate((element, css) => (element.style.cssText = `height: 40px; overflow: hidden; ${css}`), style);
    await eventually(inert);
    await staysInert();
    await bar.evaluate((element) => (element.style.cssText = 'height: 40px; overflow: hidden'));
    await armed();
  }
  await bar.evaluate((element) => (element.style.cssText = 'height: 40px; overflow: hidden; transform: translateX(1px)'));
  await eventually(inert);
  await page.locator('#menu').evaluate((menu) => Object.assign(menu, { popover: 'manual' }).showPopover());
  await armed();
});

test('r26_a card arms under a layer that shows nothing, also after its buttons came in beside that', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 1280, height: 720 } });
  // As Quasar keeps it for notices: there from the start, and ten pixels short of the end of the window.
  await context.addInitScript(() =>
    addEventListener('DOMContentLoaded', () => {
      const layer = Object.assign(document.createElement('div'), { id: 'layer' });
      layer.style.cssText = 'position: fixed; inset: 0 0 10px; z-index: 99; pointer-events: none';
      document.documentElement.append(layer);
    }),
  );
  const gallery = await openGallery(t, context, server.origin, 'state=pending');
  const { page } = gallery;
  await gallery.show([call()]);
  const { button, armed } = approval(page);
  const seen = await button.evaluate(async (element) => {
    document.body.style.padding = '2000px 0';
    scrollTo(0, scrollY + element.getBoundingClientRect().top - innerHeight + 6);
    const { promise, resolve } = Promise.withResolvers();
    const told = ([...entries]) => resolve(entries.at(-1).isVisible);
    new IntersectionObserver(told, { threshold: [0, 0.1], trackVisibility: true, delay: 100 }).observe(element.parentElement);
    return promise;
  });
  assert.equal(seen, true, 'for the browser, what has come in is in sight');
  await button.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await armed();
});

test('r26_a card that is wider than what scrolls around it arms only where half of it is in view', async (t) => {
  const { gallery, page, button, armed, inert, staysInert } = await open(t);
  await furnish(
    page,
    '<div id="chat" style="position: fixed; inset: 100px auto auto 100px; width: 330px; height: 300px; overflow: auto; background: white; z-index: 5"><div id="wide" style="width: 1000px"></div></div>',
    '#wide',
  );
  await gallery.show([call(fields(9))]);
  const card = page.locator('section[data-state=shown] [part=card]');
  const { width, height } = await card.boundingBox();
  assert.ok(width > 700 && height > 300, `${width} by ${height} pixels`);
  /** So much of its width, from the left, and its end with the buttons. */
  const show = async (share) => {
    await page.locator('#chat').evaluate((element, wide) => (element.style.width = `${wide}px`), width * share);
    await button.evaluate((element) => element.scrollIntoView({ block: 'end' }));
    await card.evaluate((element) => {
      const chat = document.querySelector('#chat');
      chat.scrollLeft += element.getBoundingClientRect().left - chat.getBoundingClientRect().left;
    });
  };
  await show(0.4);
  await staysInert();
  await show(0.8);
  await armed();
  await show(0.4);
  await eventually(inert);
});

test('r26_what two fingers enlarge until its arguments are out of sight does not arm', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 400, height: 700 }, hasTouch: true, isMobile: true });
  const gallery = await openGallery(t, context, server.origin, 'state=pending');
  const { page } = gallery;
  const { button, armed, inert, staysInert } = approval(page);
  const session = await context.newCDPSession(page);
  const pinch = (x, y, scaleFactor) => session.send('Input.synthesizePinchGesture', { x, y, scaleFactor, relativeSpeed: 2000 });
  const scale = () => page.evaluate(() => visualViewport.scale);
  // The places of touches are told without the scale.
  const place = () =>
    button.evaluate((element) => {
      const { x, y } = element.getBoundingClientRect();
      return [x + 20 - visualViewport.offsetLeft, y + 15 - visualViewport.offsetTop];
    });
  await gallery.show([call(fields(6))]);
  await armed();
  await pinch(...(await place()), 1.3);
  assert.ok((await scale()) > 1.2, `${await scale()}`);
  await armed();
  await pinch(...(await place()), 4);
  assert.ok((await scale()) > 4, `${await scale()}`);
  // What was in view before is known.
  await armed();
  await gallery.show([{ ...call(fields(6)), key: 2 }]);
  const [x, y] = await place();
  const [width, height] = await page.evaluate(() => [visualViewport.width, visualViewport.height]);
  assert.ok(x > 0 && x < width && y > 0 && y < height, 'the button is on the screen');
  await staysInert();
  await button.evaluate((element) => element.addEventListener('pointerdown', () => (document.title = 'pressed')));
  await page.touchscreen.tap(x, y);
  await eventually(async () => assert.equal(await page.title(), 'pressed'));
  await pause(500);
  assert.deepEqual(await gallery.intents(), []);
  await page.getByText('Look over more of the call first, or zoom out').waitFor();
  // Whoever moves along the call comes back to a button that acts.
  for (const [part, inline] of [['digest', 'end'], ['digest', 'center'], ['approve-button', 'end'], ['approve-button', 'center']]) {
    await page.locator(`section[data-state=shown] [part=${part}]`).evaluate((element, at) => element.scrollIntoView({ block: 'nearest', inline: at }), inline);
    await pause(300);
  }
  await armed();
  await gallery.show([{ ...call(fields(6)), key: 3 }]);
  await staysInert();
  await pinch(30, 60, 0.1);
  await armed();
  await page.touchscreen.tap(...(await place()));
  await eventually(async () => assert.deepEqual(kinds(await gallery.intents()), ['approve']));
});

/** Keeps it from everything in the page that a pointer goes down. */
const stop = () => {
  for (const type of ['pointerdown', 'mousedown']) addEventListener(type, (event) => event.stopImmediatePropagation(), true);
};

test('r27_a press that the page keeps from the card counts as one all the same', async (t) => {
  const { gallery, page, button, armed } = await open(t, { query: 'arm=1200' });
  await page.evaluate(stop);
  await gallery.show([call()]);
  const { x, y } = await button.boundingBox();
  await page.mouse.move(x + 20, y + 10);
  await page.mouse.down();
  await armed();
  await page.mouse.up();
  await pause(100);
  assert.deepEqual(await gallery.intents(), [], 'the press began before it was armed');
  await page.mouse.down();
  await page.mouse.up();
  assert.deepEqual(kinds(await gallery.intents()), ['approve']);
});

test('r27_a click of a pointer that nobody heard go down decides nothing, and no assistive technology made it', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 1280, height: 900 } });
  await context.addInitScript(stop);
  const gallery = await openGallery(t, context, server.origin, 'state=pending&arm=1200');
  const { page } = gallery;
  const { button, armed } = approval(page);
  await gallery.show([call()]);
  const { x, y } = await button.boundingBox();
  await page.mouse.move(x + 20, y + 10);
  await page.mouse.down();
  await armed();
  await page.mouse.up();
  await page.mouse.down();
  await page.mouse.up();
  await pause(100);
  assert.deepEqual(await gallery.intents(), []);
  await button.focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await gallery.intents()), ['approve']);
});

test('r27_in browsers whose clicks do not say what made them, one after a pointer went up is of that', async (t) => {
  const context = await profile(t, browser, { viewport: { width: 1280, height: 900 } });
  await context.addInitScript(stop);
  await context.addInitScript(() => addEventListener('click', (event) => Object.defineProperty(event, 'pointerType', { value: undefined }), true));
  const gallery = await openGallery(t, context, server.origin, 'state=pending&arm=1200');
  const { page } = gallery;
  const { button, armed } = approval(page);
  await gallery.show([call()]);
  const { x, y } = await button.boundingBox();
  await page.mouse.move(x + 20, y + 10);
  await page.mouse.down();
  await armed();
  await page.mouse.up();
  await pause(100);
  assert.deepEqual(await gallery.intents(), []);
  await button.focus();
  await page.keyboard.press(' ');
  assert.deepEqual(kinds(await gallery.intents()), ['approve']);
});

test('r27_an Enter that went down elsewhere approves nothing after a press that was let go elsewhere', async (t) => {
  const { gallery, page, button, armed } = await open(t);
  await gallery.show([call()]);
  await button.evaluate((approve) => {
    const line = document.body.appendChild(document.createElement('input'));
    line.id = 'line';
    line.addEventListener('keydown', ({ key }) => key === 'Enter' && approve.focus());
  });
  await armed();
  const { x, y } = await button.boundingBox();
  for (const wait of [0, 1200]) {
    await page.mouse.move(x + 20, y + 10);
    await page.mouse.down();
    await page.mouse.move(x + 20, y + 200);
    await page.mouse.up();
    await pause(wait);
    await page.focus('#line');
    await armed();
    await page.keyboard.press('Enter');
    await pause(100);
    assert.deepEqual(await gallery.intents(), []);
  }
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await gallery.intents()), ['approve']);
});

test('r27_a press that was let go elsewhere takes no click from assistive technology', async (t) => {
  const { gallery, page, button, armed } = await open(t, { query: 'arm=1200' });
  await gallery.show([call()]);
  const { x, y } = await button.boundingBox();
  await page.mouse.move(x + 20, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + 20, y + 200);
  await page.mouse.up();
  // A click of the browser's own that no press of the button goes before, as assistive technology makes it.
  await button.evaluate((approve) => {
    const label = Object.assign(document.createElement('label'), { htmlFor: 'approve', textContent: 'Press' });
    label.style.cssText = 'position: fixed; inset: 0 auto auto 0; z-index: 99';
    approve.id = 'approve';
    approve.getRootNode().append(label);
  });
  await armed();
  await pause(1000);
  await page.mouse.click(5, 5);
  assert.deepEqual(kinds(await gallery.intents()), ['approve']);
});

test('r27_a press that is held from before it was armed decides nothing, whatever else goes up', async (t) => {
  const { gallery, page, button, armed } = await open(t, { query: 'arm=1200' });
  await gallery.show([call()]);
  const { x, y } = await button.boundingBox();
  await page.mouse.move(x + 20, y + 10);
  await page.mouse.down();
  await button.evaluate((approve) => {
    approve.blur();
    for (const type of ['pointerup', 'pointercancel']) window.dispatchEvent(new PointerEvent(type, { pointerId: 1 }));
  });
  await armed();
  await pause(1000);
  await page.mouse.up();
  await pause(100);
  assert.deepEqual(await gallery.intents(), []);
});
