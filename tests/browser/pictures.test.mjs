// The gallery as a person sees it, beside kept pictures: at three widths, in light and dark, and from right to left.
//
// Fonts differ from machine to machine, so these pages bring theirs. How the edges of letters are smoothed differs from
// browser to browser, so squares of pixels are compared by their mean colours. `COUNTERSIGN_BLESS=1 node
// tests/browser/run.mjs pictures` writes the pictures anew, at half their size; one that no longer fits is written to
// `target/pictures`. Look at it before it is kept.

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { launch, profile } from './harness/browser.mjs';
import { openGallery } from './harness/gallery.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

const KEPT = fileURLToPath(new URL('looks/', import.meta.url));
const FOUND = fileURLToPath(new URL('../../target/pictures/', import.meta.url));
const FONTS = path.join(path.dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');

/** Squares of the halved picture, in pixels; how far their mean may be off, of 255; how many of a card's may be further. */
const SQUARE = 8;
const OFF = 20;
const SHARE = 0.005;

const FACES = [
  ['Pictured', 'DejaVuSans.ttf', 'normal'],
  ['Pictured', 'DejaVuSans-Bold.ttf', 'bold'],
  ['Pictured Mono', 'DejaVuSansMono.ttf', 'normal'],
  ['Pictured Mono', 'DejaVuSansMono-Bold.ttf', 'bold'],
];
const STYLE = `${FACES.map(([family, file, weight]) => `@font-face { font-family: "${family}"; font-weight: ${weight}; src: url("/fonts/${file}"); }`).join('\n')}
* { --countersign-font: "Pictured" !important; --countersign-mono: "Pictured Mono" !important; scrollbar-width: none !important; }
/* A thousand cards make no better picture than one. */
section[data-state=many] { display: none; }`;

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

/** The gallery in the fonts of these tests, with every button as it is when it may be pressed. */
async function open(t, width, query) {
  const context = await profile(t, browser, { viewport: { width, height: 900 }, reducedMotion: 'reduce' });
  await context.route('**/fonts/*.ttf', (route) => route.fulfill({ path: path.join(FONTS, path.basename(route.request().url())) }));
  const gallery = await openGallery(t, context, server.origin, `now=1700000000000&${query}`);
  const { page } = gallery;
  await page.addStyleTag({ content: STYLE });
  await page.evaluate(async (faces) => {
    await Promise.all(faces.map(([family, , weight]) => document.fonts.load(`${weight} 14px "${family}"`)));
    for (const { shadowRoot } of document.querySelectorAll('countersign-inbox, countersign-card')) {
      const enable = () => {
        for (const button of shadowRoot.querySelectorAll('button[aria-disabled]')) button.removeAttribute('aria-disabled');
      };
      enable();
      // A picture of the whole page makes the window larger, so that buttons wait anew.
      new MutationObserver(enable).observe(shadowRoot, { subtree: true, attributeFilter: ['aria-disabled'] });
    }
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, FACES);
  return gallery;
}

/** The whole page at half its size, as WebP, with the boxes of its exhibits in pixels of that picture. */
async function draw(page) {
  await page.mouse.move(0, 0);
  const picture = await page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide', timeout: 60_000 });
  return page.evaluate(async (source) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob());
    const canvas = new OffscreenCanvas(image.width >> 1, image.height >> 1);
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.75 })).arrayBuffer());
    const exhibits = [...document.querySelectorAll('section[data-state]:not([data-state=many])')].map((exhibit) => {
      const { left, top, width, height } = exhibit.getBoundingClientRect();
      return [exhibit.dataset.state, ...[left + scrollX, top + scrollY, width, height].map((pixels) => Math.round(pixels / 2))];
    });
    return { picture: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')), exhibits };
  }, picture.toString('base64'));
}

/** The exhibits that look different in two pictures, with the share of their squares that do. */
function differing(page, pictures, exhibits) {
  return page.evaluate(
    async ([[one, other], boxes, [square, off, share]]) => {
      const pixels = async (source) => {
        const image = await createImageBitmap(await (await fetch(`data:image/webp;base64,${source}`)).blob());
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height);
      };
      const [left, right] = [await pixels(one), await pixels(other)];
      if (left.width !== right.width || Math.abs(left.height - right.height) > 4) {
        return [`the page is ${right.width} by ${right.height} pixels, and was ${left.width} by ${left.height}`];
      }
      const mean = ({ data, width }, x, y, channel) => {
        let sum = 0;
        for (let row = y; row < y + square; row += 1) {
          for (let column = x; column < x + square; column += 1) sum += data[(row * width + column) * 4 + channel] ?? 0;
        }
        return sum / square ** 2;
      };
      const differs = (x, y) => [0, 1, 2].some((channel) => Math.abs(mean(left, x, y, channel) - mean(right, x, y, channel)) > off);
      return boxes.flatMap(([state, x, y, width, height]) => {
        let [all, different] = [0, 0];
        for (let down = y; down + square <= y + height; down += square) {
          for (let across = x; across + square <= x + width; across += square) {
            all += 1;
            if (differs(across, down)) different += 1;
          }
        }
        return different > Math.max(2, all * share) ? [`${state}: ${different} of ${all} squares`] : [];
      });
    },
    [pictures, exhibits, [SQUARE, OFF, SHARE]],
  );
}

const LOOKS = { light: 'theme=light', dark: 'theme=dark', rtl: 'theme=light&dir=rtl&locale=ar' };

for (const width of [320, 768, 1440]) {
  for (const [look, query] of Object.entries(LOOKS)) {
    test(`the gallery looks as in its picture, ${width} pixels, ${look}`, async (t) => {
      const { page } = await open(t, width, query);
      const { picture, exhibits } = await draw(page);
      assert.ok(exhibits.length > 60, `${exhibits.length} exhibits`);
      const name = `${width}-${look}.webp`;
      if (process.env.COUNTERSIGN_BLESS) {
        writeFileSync(path.join(KEPT, name), picture, 'base64');
        return;
      }
      const kept = readFileSync(path.join(KEPT, name), 'base64');
      const found = await differing(page, [kept, picture], exhibits);
      if (found.length > 0) {
        mkdirSync(FOUND, { recursive: true });
        writeFileSync(path.join(FOUND, name), picture, 'base64');
      }
      assert.deepEqual(found, [], `${path.join(FOUND, name)} is no longer as the kept picture`);
    });
  }
}
