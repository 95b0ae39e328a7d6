// axe on every state of the card: both colour schemes, both directions, every language, both densities.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { openGallery } from './harness/gallery.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** On one page stand many inboxes; in a host's page there is one. */
const ONLY_OF_A_GALLERY = ['landmark-unique'];

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

/** What axe finds in the whole page, a line each. */
async function findings(page, ignored = []) {
  // Once approvals are armed, so that their colours are looked at too.
  await page.waitForTimeout(800);
  await page.evaluate(AXE);
  return page.evaluate(async (rules) => {
    const disabled = Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));
    const { violations } = await window.axe.run(document, { rules: disabled, resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.flat().join(' ')}: ${failureSummary}`));
  }, ignored);
}

async function check(t, query, ignored) {
  const gallery = await openGallery(t, await still(t), server.origin, query);
  assert.deepEqual(await findings(gallery.page, ignored), [], query);
}

for (const theme of ['light', 'dark']) {
  for (const direction of ['ltr', 'rtl']) {
    test(`r47_axe finds nothing in any state, ${theme}, ${direction}`, (t) =>
      check(t, `theme=${theme}&dir=${direction}`, ONLY_OF_A_GALLERY));
  }
}

for (const locale of ['de', 'zh-Hans', 'ar']) {
  test(`r47_axe finds nothing in any state in ${locale}, compact`, (t) =>
    check(t, `locale=${locale}&density=compact`, ONLY_OF_A_GALLERY));
}

test('r47_axe finds nothing in a page with one inbox, and nothing that is left out elsewhere', async (t) => {
  for (const state of ['batch-mixed', 'history', 'questions', 'offer-everything']) await check(t, `state=${state}`);
});

test('r47_axe finds nothing in the forms that open in a card, nor in an opened history', async (t) => {
  const gallery = await openGallery(t, await still(t), server.origin, 'state=reject-required,offer-respond,offer-edit,history');
  await gallery.exhibit('reject-required').locator('[part=reject-button]').click();
  for (const toggle of await gallery.exhibit('history').locator('[part~=toggle]').all()) await toggle.click();
  assert.deepEqual(await findings(gallery.page, ONLY_OF_A_GALLERY), []);
  // Dialogs stand in front of everything else, so one after the other.
  for (const [state, part] of [['offer-respond', 'respond-button'], ['offer-edit', 'edit-button']]) {
    await gallery.exhibit(state).locator(`[part=${part}]`).click();
    await gallery.exhibit(state).getByRole('dialog').waitFor();
    assert.deepEqual(await findings(gallery.page, ONLY_OF_A_GALLERY), [], state);
    await gallery.page.keyboard.press('Escape');
    await gallery.exhibit(state).getByRole('dialog').waitFor({ state: 'detached' });
  }
});
