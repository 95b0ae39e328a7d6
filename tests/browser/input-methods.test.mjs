// Keys that an input method takes, as Chromium and Safari tell of them: they decide nothing, and send no words.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openCards, CALL, kinds, SLOW } from './harness/cards.mjs';
import { demo } from './harness/demo.mjs';
import { pause } from './harness/eventually.mjs';

const site = demo();
const open = (t, cards, options) => openCards(t, site, cards, options);

test('r27_a_held_enter_and_one_of_an_input_method_decide_nothing', async (t) => {
  const { gallery, page, button, armed, intents } = await open(t, [], SLOW);
  await gallery.show([CALL]);
  await button('approve').focus();
  await page.keyboard.down('Enter');
  for (let at = 0; at < 12; at += 1) {
    await page.keyboard.down('Enter');
    await pause(80);
  }
  await armed();
  for (let at = 0; at < 3; at += 1) await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  assert.deepEqual(await intents(), []);
  // A key that an input method takes, as the browser reports it.
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key: 'Process', code: 'Enter', windowsVirtualKeyCode: 229 });
  await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 });
  assert.deepEqual(await intents(), []);
  await page.keyboard.press('Enter');
  assert.deepEqual(kinds(await intents()), ['approve']);
});

test('r27_an_enter_that_ends_a_composition_sends_no_words', async (t) => {
  const { page, button, card, intents } = await open(t, [{ ...CALL, offers: [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'sent' }] }]);
  await button('reject').click();
  const field = card().locator('textarea');
  await field.evaluate((element) => element.addEventListener('keydown', (event) => (window.composing = [event.isTrusted, event.isComposing])));
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 });
  const enter = { modifiers: 2, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13 };
  await devtools.send('Input.dispatchKeyEvent', { type: 'keyDown', ...enter });
  await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...enter });
  assert.deepEqual(await page.evaluate(() => window.composing), [true, true]);
  assert.deepEqual(await intents(), []);
  await devtools.send('Input.insertText', { text: '日本' });
  await page.keyboard.press('Control+Enter');
  assert.deepEqual((await intents()).map(({ decision }) => decision), [{ kind: 'reject', reason: '日本' }]);
});

test('r27_a key that ends a composition sends and closes nothing in Safari, which tells of it afterwards', async (t) => {
  const edits = [{ kind: 'approve', reason: 'none' }, { kind: 'edit', reason: 'none' }, { kind: 'reject', reason: 'sent' }];
  const { page, button, card, armed, intents } = await open(t, [{ ...CALL, offers: edits }]);
  const devtools = await page.context().newCDPSession(page);
  /** As Safari sends it: the composition is over, and the code alone says that the key was part of it. */
  const end = async (key, modifiers = 0) => {
    await devtools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', modifiers, key, code: key, windowsVirtualKeyCode: 229 });
    await devtools.send('Input.dispatchKeyEvent', { type: 'keyUp', modifiers, key, code: key, windowsVirtualKeyCode: key === 'Enter' ? 13 : 27 });
  };
  await armed();
  await card().focus();
  await end('Enter', 2);
  assert.deepEqual(await intents(), []);
  await button('reject').click();
  const field = card().locator('textarea');
  await field.fill('日本');
  await end('Enter', 2);
  await end('Escape');
  assert.equal(await field.inputValue(), '日本');
  assert.deepEqual(await intents(), []);
  await page.keyboard.press('Escape');
  await button('edit').click();
  const dialog = page.locator('[part=dialog]');
  await dialog.getByRole('textbox').first().fill('日本');
  await end('Escape');
  await end('Enter', 2);
  assert.equal(await dialog.count(), 1);
  assert.deepEqual(await intents(), []);
});
