// What the keyboard reaches in the dialog that edits arguments.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { editors } from './harness/editor.mjs';
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
