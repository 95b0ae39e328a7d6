// What news of a call do to what a person has begun on its card.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CARD, editors, offers } from './harness/editor.mjs';
import { press } from './harness/press.mjs';
import { eventually } from './harness/eventually.mjs';

const Editor = editors();

test('r25_schema: one that arrives while somebody types changes the form, and nothing under their hands', async (t) => {
  const card = { ...CARD, argsText: '{"to":"x","level":"a","n":1.00}' };
  const schema = { properties: { to: { type: 'string', format: 'email' }, level: { enum: ['a', 'b'] }, n: { maximum: 5 } } };
  const described = { ...card, argsSchema: JSON.stringify(schema) };
  const editor = await Editor.open(t, card);
  await editor.edit();
  const to = editor.field('to');
  await to.fill('me@a.exmple');
  for (let at = 0; at < 4; at += 1) await to.press('ArrowLeft');
  assert.equal(await to.evaluate(({ tagName }) => tagName), 'TEXTAREA');
  await editor.show(described);
  await eventually(async () => {
    const field = await to.evaluate((it) => [it.tagName, it.matches(':focus'), it.selectionStart]);
    assert.deepEqual(field, ['INPUT', true, 7]);
  });
  await editor.page.keyboard.type('a');
  assert.equal(await to.inputValue(), 'me@a.example');
  await editor.field('n').fill('6');
  await editor.dialog.getByText('n must be at most 5').first().waitFor();
  await editor.field('n').fill('1.00');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, card.argsText.replace('"x"', '"me@a.example"'));

  // Where words were typed and something is chosen now, keys choose nothing.
  const again = await Editor.open(t, card);
  await again.edit();
  await again.field('level').fill('a');
  await again.show(described);
  await again.dialog.locator('select').waitFor();
  await again.page.keyboard.type('b');
  assert.equal(await again.dialog.locator('select').inputValue(), '0');
  assert.equal(await again.dialog.evaluate((dialog) => dialog.contains(dialog.getRootNode().activeElement)), true);
  assert.deepEqual(await again.sent(), []);
});

test('r25_draft: one that goes with the call as it was is told of, until there is another one', async (t) => {
  const card = { ...CARD, argsText: '{"n":1}', argsDigest: 'a'.repeat(64) };
  const editor = await Editor.open(t, card);
  await editor.edit();
  await editor.field('n').fill('2');
  await editor.show({ ...card, argsText: '{"n":5}', argsDigest: 'b'.repeat(64), changed: true });
  await editor.dialog.waitFor({ state: 'detached' });
  const note = editor.card.locator('[data-note=changed]');
  assert.match(await note.innerText(), /^This call changed while it waited\. Look again\. Your draft was for the call as it was before, and is discarded\.$/);
  await editor.edit();
  assert.equal(await editor.field('n').inputValue(), '5');
  await editor.field('n').fill('6');
  await editor.button('Cancel').click();
  assert.match(await note.innerText(), /^This call changed while it waited\. Look again\.$/);
  assert.deepEqual(await editor.sent(), []);
});

test('r41_hurry: that little time is left is seen and heard in the dialogs in which people write, and moves no focus', async (t) => {
  const card = { ...CARD, askedAt: 0, expiresAt: 100_000, offers: [...offers('edit', 'respond')] };
  const editor = await Editor.open(t, card, { now: 1000, profile: { viewport: { width: 640, height: 360 } } }, 'arm=0&now=1000');
  for (const [button, field] of [['edit-button', '[part=edit-field]'], ['respond-button', '[part=reason-field]']]) {
    await editor.show(card, { now: 1000 });
    await editor.card.locator(`[part=${button}]`).click();
    const last = editor.dialog.locator(field).last();
    await last.focus();
    const note = editor.dialog.locator('[data-note=expires]');
    await note.waitFor({ state: 'detached' });
    // The region that speaks stands there before it has something to say.
    await editor.dialog.locator('[aria-live=polite]').evaluateAll((all) => all.forEach((it) => (it.dataset.known = '')));
    await editor.show(card, { now: 90_000 });
    await editor.dialog.locator('[data-known]').getByText('Little time is left').waitFor();
    assert.equal(await note.isVisible(), true);
    assert.equal(await last.evaluate((it) => it.matches(':focus')), true);
    // The note has taken room from the fields.
    const within = async () => {
      const [{ y, height }, room] = [await last.boundingBox(), await editor.dialog.locator('[part=dialog-body]').boundingBox()];
      assert.ok(y >= room.y - 1 && y + height <= room.y + room.height + 1, `${y} ${height} in ${room.y} ${room.height}`);
    };
    await eventually(within);
    await editor.page.keyboard.press('Escape');
    await editor.dialog.waitFor({ state: 'detached' });
  }
});

test('r03_words: a reply and a reason that were begun are dropped where their call becomes another one', async (t) => {
  const card = { ...CARD, offers: [...offers('respond'), { kind: 'reject', reason: 'sent' }] };
  const editor = await Editor.open(t, card);
  const open = async (button) => {
    await editor.card.locator(`[part=${button}]`).click();
    const field = editor.card.locator('[part=reason-field]');
    const found = await field.inputValue();
    await field.fill('words');
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    return found;
  };
  const opened = async () => [await open('respond-button'), await open('reject-button')];
  assert.deepEqual(await opened(), ['', '']);
  assert.deepEqual(await opened(), ['words', 'words']);
  await editor.show({ ...card, argsText: '{"to":"other"}', changed: true });
  assert.deepEqual(await opened(), ['', '']);
});

test('r41_hurry: so it is in the dialogs in which a call of high risk, more than one call or the end of a run is confirmed', async (t) => {
  const high = { level: 'high', reasons: [{ source: 'host', code: 'host-rule', message: 'production' }] };
  const lasting = { kind: 'approve_always', scope: 'tool', label: 'Tool', reason: 'none' };
  const card = { ...CARD, askedAt: 0, expiresAt: 100_000, offers: [...offers('approve', 'cancel'), lasting] };
  const editor = await Editor.open(t, card, { now: 1000 }, 'arm=0&now=1000');
  for (const [button, more] of [['approve-button', { risk: high }], ['always-button', {}], ['end-button', {}]]) {
    await editor.show({ ...card, ...more }, { now: 1000 });
    await press(editor.card.locator(`[part=${button}]`));
    const dialog = editor.card.locator('dialog');
    const cancel = dialog.locator('[part=cancel-button]');
    await cancel.waitFor();
    await dialog.locator('[aria-live=polite]').evaluateAll((all) => all.forEach((it) => (it.dataset.known = '')));
    await editor.show({ ...card, ...more }, { now: 90_000 });
    await dialog.locator('[data-known]').getByText('Little time is left').waitFor();
    assert.equal(await cancel.evaluate((it) => it.matches(':focus')), true);
    await editor.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
});
