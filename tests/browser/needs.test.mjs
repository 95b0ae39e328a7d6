// People who see and print otherwise, and pages with text styles of their own: what is read of a call is the same for all.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
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
const LONG = { tool: 'delete_files', argsText: JSON.stringify({ paths: Array.from({ length: 600 }, (_, at) => `/srv/${at}`) }) };

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

test('r19_on paper every row is there that is said to be, in dark letters', async (t) => {
  const { page, exhibit, show } = await bound(await open(t, 'state=pending&theme=dark', { viewport: { width: 700, height: 900 } }));
  await show([LONG]);
  await page.emulateMedia({ media: 'print' });
  const card = exhibit('shown').locator('[part=card]');
  const paper = await card.evaluate((element) => {
    const list = element.querySelector('[part=rows]');
    const { top, bottom } = list.getBoundingClientRect();
    const rows = [...list.querySelectorAll('.cs-row')].map((row) => row.getBoundingClientRect());
    return {
      cut: rows.filter((row) => row.top < top - 1 || row.bottom > bottom + 1).length,
      rows: rows.length,
      // What takes the place of other rows would be empty paper.
      empty: bottom - top - rows.reduce((sum, { height }) => sum + height, 0),
      said: element.querySelector('[part=rows-elsewhere]').textContent,
      ink: getComputedStyle(element.querySelector('[part=tool-name]')).color,
      ground: getComputedStyle(element).backgroundColor,
    };
  });
  assert.equal(paper.cut, 0);
  assert.ok(paper.empty < 10, `${paper.empty} pixels`);
  assert.ok(paper.said.includes(`${paper.rows} of 598`) && paper.said.includes(`${598 - paper.rows} rows`), `${paper.rows}: ${paper.said}`);
  assert.ok(contrast(paper.ink, 'rgb(255, 255, 255)') >= 7 && contrast(paper.ink, paper.ground) >= 7, `${paper.ink} on ${paper.ground}`);
});

test('r19_the chat prints to its end, with nothing over what is asked, whatever is open', async (t) => {
  const page = await openPage(t, await profile(t, browser, { viewport: { width: 1280, height: 900 } }), `${server.origin}/?delay=0&wire=langgraph-hitl`);
  const chat = await Chat.on(page);
  await chat.say(`${Array.from({ length: 5 }, (_, at) => `delete path=/srv/${at}`).join(' then ')} then transfer amount=10.25`);
  const cards = await chat.pending(6);
  await cards[5].element.locator('[part=edit-button]').click();
  const field = cards[5].element.getByRole('dialog').getByRole('textbox', { name: 'amount' });
  await field.fill('7');
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 900 });
  const over = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll('*') ?? [])]).concat(...document.querySelectorAll('*'));
    const away = boxes.filter((element) => ['fixed', 'sticky'].includes(getComputedStyle(element).position) && element.checkVisibility({ checkOpacity: true }));
    return away.map((element) => `${element.localName}.${element.className}`);
  });
  assert.deepEqual(over, []);
  const cut = await page.locator('.scroll').evaluate((element) => element.scrollHeight - element.clientHeight);
  assert.equal(cut, 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollHeight > innerHeight));
  // Once it was printed, it goes on where it was.
  await page.emulateMedia({ media: null });
  assert.equal(await field.inputValue(), '7');
  await page.keyboard.type('5');
  assert.equal(await field.inputValue(), '75');
});
