// axe on every state of the card: both colour schemes, both directions, every language, both densities.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { openGallery } from './harness/gallery.mjs';
import { press } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** On one page stand many inboxes; in a host's page there is one. */
const ONLY_OF_A_GALLERY = ['landmark-unique'];
/** What another colour scheme or direction can change; all else axe finds in the structure, which stays the same. */
const OF_THE_LOOK = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];
const LOOKS = ['light', 'dark'].flatMap((theme) => ['ltr', 'rtl'].map((direction) => ({ theme, direction, rules: theme === 'light' && direction === 'ltr' ? undefined : OF_THE_LOOK })));

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

/** A profile where colours change at once: axe would measure one that is still on its way. */
const still = (t) => profile(t, browser, { reducedMotion: 'reduce' });

/** What axe finds in the whole page, or within one element of it, a line each: by all its rules, or only by these. */
async function findings(page, { ignored = [], rules, within = page.locator(':root') } = {}) {
  // Once approvals are armed, so that their colours are looked at too.
  await page.waitForTimeout(800);
  await page.evaluate(AXE);
  return within.evaluate(async (element, [ignored, runOnly]) => {
    const disabled = Object.fromEntries(ignored.map((rule) => [rule, { enabled: false }]));
    const options = { ...(runOnly ? { runOnly } : {}), rules: disabled, resultTypes: ['violations'] };
    const { violations } = await window.axe.run(element === document.documentElement ? document : element, options);
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(' ')}: ${failureSummary}`));
  }, [ignored, rules]);
}

async function check(t, query, options) {
  const gallery = await openGallery(t, await still(t), server.origin, query);
  assert.deepEqual(await findings(gallery.page, options), [], query);
}

for (const { theme, direction, rules } of LOOKS) {
  test(`r47_axe finds nothing in any state, ${theme}, ${direction}`, (t) =>
    check(t, `theme=${theme}&dir=${direction}`, { ignored: ONLY_OF_A_GALLERY, rules }));
}

for (const locale of ['de', 'zh-Hans', 'ar']) {
  test(`r47_axe finds nothing in any state in ${locale}, compact`, (t) =>
    check(t, `locale=${locale}&density=compact`, { ignored: ONLY_OF_A_GALLERY }));
}

test('r47_axe finds nothing in a page with one inbox, and nothing that is left out elsewhere', async (t) => {
  for (const state of ['batch-mixed', 'history', 'questions', 'offer-everything', 'high-risk', 'granted', 'policy']) await check(t, `state=${state}`);
});

/** What opens from which exhibit by which button. */
const OPENED = [
  ['offer-respond', 'respond-button', 'dialog'],
  ['offer-edit', 'edit-button', 'dialog'],
  ['offer-everything', 'end-button', 'dialog'],
  ['high-risk', 'approve-button', 'dialog'],
  ['queue', 'approve-all-button', 'review'],
  ['queue', 'reject-all-button', 'review'],
];

for (const { theme, direction, rules } of LOOKS) {
  test(`r47_axe finds nothing in what opens from a card, nor in an opened history, ${theme}, ${direction}`, async (t) => {
    const states = ['reject-required', 'history', 'granted', ...OPENED.map(([state]) => state)];
    const gallery = await openGallery(t, await still(t), server.origin, `theme=${theme}&dir=${direction}&arm=0&state=${states}`);
    await gallery.exhibit('reject-required').locator('[part=reject-button]').click();
    for (const state of ['history', 'granted']) {
      for (const toggle of await gallery.exhibit(state).locator('[part~=toggle]').all()) await toggle.click();
    }
    assert.deepEqual(await findings(gallery.page, { ignored: ONLY_OF_A_GALLERY, rules }), []);
    // One after the other: a dialog stands in front of everything else.
    for (const [state, part, opened] of OPENED) {
      const exhibit = gallery.exhibit(state);
      await press(exhibit.locator(`[part=${part}]`));
      await exhibit.locator(`[part=${opened}]`).waitFor();
      assert.deepEqual(await findings(gallery.page, { ignored: ONLY_OF_A_GALLERY, rules, within: exhibit }), [], `${state} ${part}`);
      await gallery.page.keyboard.press('Escape');
      await exhibit.locator(`[part=${opened}]`).waitFor({ state: 'detached' });
    }
  });
}

for (const theme of ['light', 'dark']) {
  test(`r47_axe finds nothing in what an edit takes away and adds, ${theme}`, async (t) => {
    const gallery = await openGallery(t, await still(t), server.origin, `theme=${theme}&arm=0&state=offer-edit`);
    const exhibit = gallery.exhibit('offer-edit');
    await exhibit.locator('[part=edit-button]').click();
    for (const key of ['End', 'Backspace', 'Backspace', 'Backspace']) await gallery.page.keyboard.press(key);
    await gallery.page.keyboard.type('-and-more');
    await exhibit.locator('[part=edit-changes] .cs-differs').first().waitFor();
    assert.deepEqual(await findings(gallery.page, { ignored: ONLY_OF_A_GALLERY }), []);
  });

  test(`r47_axe finds nothing in parts that a page opens by themselves, ${theme}`, async (t) => {
    const gallery = await openGallery(t, await still(t), server.origin, `theme=${theme}&state=pending,part-edit,part-words`);
    for (const [state, name, opened] of [['part-edit', 'Edit it here', 'edit'], ['part-words', 'Say this instead', 'reason'], ['part-words', 'No, because', 'reason']]) {
      const exhibit = gallery.exhibit(state);
      await exhibit.getByRole('button', { name }).click();
      await exhibit.locator(`[part=${opened}]`).waitFor();
      assert.deepEqual(await findings(gallery.page, { ignored: ONLY_OF_A_GALLERY }), [], name);
      await gallery.page.keyboard.press('Escape');
      await exhibit.locator(`[part=${opened}]`).waitFor({ state: 'detached' });
    }
  });
}
