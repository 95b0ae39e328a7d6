// People who see and print otherwise, and pages with text styles of their own: what is read of a call is the same for all.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
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

async function open(t, query, options) {
  return openGallery(t, await profile(t, browser, options), server.origin, query);
}

/** A long list, a tab, a hidden character, letters that look like others, and a text that can be spelt as an escape. */
const CALL = {
  tool: 'run_command',
  argsText: JSON.stringify({ command: 'rm\t-rf\u200b /srv/a', host: 'p\u0430ypal.com', note: 'e \\u{202E}', amount: 1250 }),
};

/** The light that a computed colour sends out, from 0 to 1; `null`: it lets through what is behind it. */
const light = (colour) => {
  const [red, green, blue, alpha = 1] = colour.match(/[\d.]+/g).map(Number);
  if (alpha < 1) return null;
  const [r, g, b] = [red, green, blue].map((value) => (value <= 10.3 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);

/** Every text style that a page's own elements hand on, and that would show other letters, or none. */
const HOSTILE = {
  'text-transform': 'uppercase',
  'text-indent': '90px',
  'text-shadow': '0 0 0 red, 20px 0 red',
  'text-emphasis': '"\u0301" red',
  'text-align': 'right',
  'letter-spacing': '-0.6em',
  'word-spacing': '-1em',
  'word-break': 'break-all',
  'white-space': 'nowrap',
  'line-height': '0',
  'tab-size': '0',
  hyphens: 'auto',
  'font-size': '0',
  'font-style': 'italic',
  'font-stretch': 'condensed',
  'font-variant': 'small-caps',
  'font-feature-settings': '"zero", "smcp"',
  'font-variation-settings': '"wght" 900',
  'font-size-adjust': '2',
  color: 'transparent',
  'caret-color': 'transparent',
  'user-select': 'none',
  'writing-mode': 'vertical-rl',
  'forced-color-adjust': 'none',
  '-webkit-text-fill-color': 'transparent',
  '-webkit-text-security': 'disc',
  '-webkit-text-stroke': '12px white',
};

test('r19_no text style that a page hands on changes what is read of a call', async (t) => {
  const { page, exhibit, show } = await bound(await open(t, 'state=pending&theme=light'));
  await show([{ ...CALL, offers: [{ kind: 'reject', reason: 'sent' }] }]);
  const args = exhibit('shown').locator('[part=arguments]');
  // Where it stands is the page's affair.
  await page.addStyleTag({ content: ':is(countersign-inbox, countersign-card) { position: fixed; inset: 0 auto auto 0; inline-size: 700px }' });
  const look = async () => {
    const styles = await args.evaluate((element) => {
      const { caretColor, userSelect, forcedColorAdjust } = getComputedStyle(element);
      return `${caretColor} ${userSelect} ${forcedColorAdjust}`;
    });
    return `${styles} ${(await args.screenshot()).toString('base64')}`;
  };
  const before = await look();
  const style = Object.entries(HOSTILE).map(([name, value]) => `${name}: ${value} !important;`);
  // Each by itself first, so that none hides what another does.
  const found = [];
  for (const one of [...style, style.join(' ')]) {
    const sheet = await page.addStyleTag({ content: `section[data-state=shown] { ${one} }` });
    if ((await look()) !== before) found.push(one);
    await sheet.evaluate((element) => element.remove());
  }
  assert.deepEqual(found, []);
});

/** The gallery with its methods bound, so that they can be taken out of it. */
async function bound(gallery) {
  return { page: gallery.page, exhibit: gallery.exhibit.bind(gallery), show: gallery.show.bind(gallery) };
}

for (const colorScheme of ['light', 'dark']) {
  test(`r18_in forced colours the frame stands out by which a hidden character is told from a text that spells one, ${colorScheme}`, async (t) => {
    const { exhibit, show } = await bound(await open(t, 'state=pending', { forcedColors: 'active', colorScheme }));
    await show([CALL]);
    for (const name of ['.cs-chip', '.cs-odd']) {
      const [frame, ground] = await exhibit('shown').locator(`[part=arguments] ${name}`).first().evaluate((element) => {
        const card = element.closest('[part=card]');
        return [getComputedStyle(element).borderBottomColor, getComputedStyle(card).backgroundColor];
      });
      assert.ok(contrast(frame, ground) >= 3, `${name}: ${frame} on ${ground}`);
    }
  });

  test(`r48_who wants more contrast has frames and labels as strong as text, ${colorScheme}`, async (t) => {
    const { page } = await open(t, 'state=pending,batch,failed-send,policy', { contrast: 'more', colorScheme });
    const faint = await page.evaluate(() =>
      [...document.querySelectorAll('countersign-inbox, countersign-card, countersign-policy')].flatMap(({ shadowRoot }) =>
        [...shadowRoot.querySelectorAll('.cs-card, .cs-row, .cs-button:not(.cs-primary), .cs-note, .cs-label, .cs-digest')].map((element) => {
          const { borderTopColor, borderTopStyle, color } = getComputedStyle(element);
          const { backgroundColor } = getComputedStyle(element.closest('.cs-card, .cs-batch, .cs-policy, .cs-dialog') ?? element);
          return [element.className, borderTopStyle === 'none' ? color : borderTopColor, backgroundColor];
        }),
      ),
    );
    const told = faint.filter(([, , ground]) => light(ground) !== null);
    assert.ok(told.length > 20);
    assert.deepEqual(told.filter(([, colour, ground]) => contrast(colour, ground) < 4.5), []);
    // As strong as the others, what is open would look like what is decided.
    const undecided = page.locator('section[data-state=batch] .cs-dot[data-tone=open]').first();
    assert.equal(await undecided.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgba(0, 0, 0, 0)');
  });
}
