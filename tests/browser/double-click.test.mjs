// People who click everything twice: the second click was meant for what stood there before.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { profile } from './harness/browser.mjs';
import { openCards, CALL, kinds } from './harness/cards.mjs';
import { demo } from './harness/demo.mjs';
import { pause } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { steady } from './harness/press.mjs';

const site = demo();

/** The second click of two, or the first. */
async function click(page, { x, y }, clickCount) {
  await page.mouse.move(x, y);
  await page.mouse.down({ clickCount });
  await page.mouse.up({ clickCount });
}

const middle = async (locator) => {
  const { x, y, width, height } = await locator.boundingBox();
  return { x: x + width / 2, y: y + height / 2 };
};

test('r31_the_second_click_of_two_does_not_take_back_what_the_first_has_decided', async (t) => {
  const { gallery, page, button, intents } = await openCards(t, site, [CALL]);
  await steady(button('approve'));
  await click(page, await middle(button('approve')), 1);
  await gallery.show([{ ...CALL, status: 'drafted', offers: [], decision: { kind: 'approve' } }]);
  const undo = await middle(button('undo'));
  await click(page, undo, 2);
  assert.deepEqual(kinds(await intents()), ['approve']);
  await pause(50);
  await click(page, undo, 1);
  assert.equal((await intents()).at(-1).kind, 'undo');
});

test('r47_a_double_click_that_asks_before_a_run_is_ended_does_not_answer_that', async (t) => {
  const offers = ['approve', 'cancel'].map((kind) => ({ kind, reason: 'none' }));
  const { page, button, card, intents } = await openCards(t, site, [{ ...CALL, offers }]);
  await page.evaluate(() => (document.body.style.paddingBlock = '1500px'));
  const dialog = page.getByRole('alertdialog');
  const confirm = dialog.locator('[part=confirm-end-button]');
  await button('end').click();
  const place = await middle(confirm);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // The button that asks stands where the one that confirms is going to be.
  await card().evaluate((element, [x, y]) => {
    const at = element.querySelector('[part=end-button]').getBoundingClientRect();
    element.getRootNode().host.style.cssText = `position: relative; left: ${x - at.x - at.width / 2}px`;
    scrollBy(0, at.y + at.height / 2 - y);
  }, [place.x, place.y]);
  await pause(300);
  await click(page, place, 1);
  await dialog.waitFor();
  await click(page, place, 2);
  await pause(100);
  assert.deepEqual(await intents(), []);
  await click(page, place, 1);
  assert.deepEqual(kinds(await intents()), ['cancel']);
});

test('r36_a_double_click_takes_back_one_permission_and_not_the_next_one', async (t) => {
  const gallery = await openGallery(t, await profile(t, site.browser), site.origin, 'state=policy');
  const revoke = gallery.exhibit('policy').locator('[part=revoke-button]').first();
  await revoke.scrollIntoViewIfNeeded();
  const place = await middle(revoke);
  await click(gallery.page, place, 1);
  await click(gallery.page, place, 2);
  assert.deepEqual(kinds(await gallery.intents()), ['revoke']);
});
