// What the keyboard reaches and does in the forms of a card.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CARD, editors, offers } from './harness/editor.mjs';
import { eventually } from './harness/eventually.mjs';

const Editor = editors();

test('r48_edit: the keyboard reaches what differs where it scrolls, and nothing where it does not', async (t) => {
  const editor = await Editor.open(t);
  await editor.page.setViewportSize({ width: 1000, height: 1200 });
  await editor.edit();
  await editor.field('memo').fill('ab2');
  const changes = editor.dialog.locator('[part=edit-changes]');
  await changes.waitFor();
  assert.equal(await changes.getAttribute('tabindex'), null);
  await editor.page.setViewportSize({ width: 1000, height: 500 });
  await editor.field('memo').fill('one\ntwo\nthree\nfour\nfive\nsix');
  await eventually(async () => assert.equal(await changes.getAttribute('tabindex'), '0'));
  assert.equal(await changes.getAttribute('role'), 'group');
  assert.equal(await changes.getAttribute('aria-label'), 'Difference');
  const described = await editor.send.evaluate((element) => {
    const ids = element.getAttribute('aria-describedby').split(' ');
    return ids.map((id) => element.getRootNode().getElementById(id)?.textContent).join(' ');
  });
  assert.match(described, /1 value differs/);
  await editor.page.setViewportSize({ width: 1000, height: 1200 });
  await editor.field('memo').fill('ab3');
  await eventually(async () => assert.equal(await changes.getAttribute('tabindex'), null));
});

test('r27_a held Enter that opens a form types nothing into it, and does what it does in a form that was open', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"path":"/srv/a"}', offers: [...CARD.offers, ...offers('respond')] });
  const { card, page } = editor;
  for (const [button, field, words] of [
    ['edit-button', '[part=edit-field]', '/srv/a'],
    ['respond-button', '[part=reason-field]', ''],
    ['reject-button', '[part=reason-field]', ''],
  ]) {
    await card.locator(`[part=${button}]`).focus();
    // All but the first are repetitions of a key that is held.
    for (let times = 0; times < 5; times++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    const opened = card.locator(field).last();
    assert.equal(await opened.evaluate((element) => element.matches(':focus')), true, button);
    assert.equal(await opened.inputValue(), words, button);
    await opened.press('Control+End');
    for (let times = 0; times < 3; times++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    assert.equal(await opened.inputValue(), `${words}\n\n\n`, button);
    await opened.fill(words);
    await page.keyboard.press('Escape');
    await opened.waitFor({ state: 'detached' });
  }
});

test('r47_keyboard: what unfolds keeps the focus on its button, and the last of many questions and choices have it', async (t) => {
  const choices = Array.from({ length: 60 }, (_, at) => `choice ${at}`);
  const questions = Array.from({ length: 30 }, (_, at) => ({ question: `Question ${at}?`, choices: at === 1 ? choices : [], multiple: false }));
  const { card, page } = await Editor.open(t, { tool: 'ask_user', questions, offers: offers('answer') });
  const focused = (locator) => eventually(async () => assert.equal(await locator.evaluate((element) => element.matches(':focus')), true));
  const toggle = card.locator('[part=toggle]');
  for (const open of ['true', 'false']) {
    await toggle.focus();
    await page.keyboard.press('Enter');
    await card.locator(`[part=toggle][aria-expanded=${open}]`).waitFor();
    await focused(toggle);
  }
  const more = card.locator('[part=more]');
  await more.filter({ hasText: 'of 60' }).focus();
  await page.keyboard.press('Enter');
  await focused(card.getByRole('radio', { name: 'choice 50', exact: true }));
  await more.filter({ hasText: 'of 30' }).focus();
  await page.keyboard.press('Enter');
  await focused(card.getByRole('textbox', { name: 'Question 20?' }));
});
