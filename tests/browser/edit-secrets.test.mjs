// What is secret among the arguments that a person edits, and where the focus stays meanwhile.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CARD, editors } from './harness/editor.mjs';
import { eventually } from './harness/eventually.mjs';

const Editor = editors();

const PEM = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADAN\n-----END PRIVATE KEY-----\n';

test('r24_form: secrets are masked until they are revealed one by one, and masked again when the dialog opens anew', async (t) => {
  const args = { n: 1, api_key: 'sk-one', pem: PEM, memo: 'plain' };
  const editor = await Editor.open(t, { ...CARD, argsText: JSON.stringify(args) });
  await editor.edit();
  const shown = () => editor.dialog.evaluate((dialog) => {
    const fields = [...dialog.querySelectorAll('textarea, input:not([type=password])')].map((field) => field.value);
    return [dialog.innerText, ...fields].join(' ');
  });
  const holds = async (...words) => {
    const text = await shown();
    return words.map((word) => text.includes(word));
  };
  assert.deepEqual(await holds('sk-one', 'MIIEvQIBADAN', 'plain'), [false, false, true]);
  assert.equal(await editor.field('api_key').getAttribute('type'), 'password');
  assert.equal(await editor.button('Reveal memo').count(), 0);
  const reveal = editor.button('Reveal api_key');
  assert.equal(await reveal.getAttribute('aria-pressed'), 'false');
  await reveal.focus();
  await editor.page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await reveal.getAttribute('aria-pressed'), 'true'));
  assert.equal(await reveal.evaluate((button) => button.matches(':focus')), true);
  assert.deepEqual(await holds('sk-one', 'MIIEvQIBADAN'), [true, false]);
  await reveal.click();
  await eventually(async () => assert.deepEqual(await holds('sk-one'), [false]));
  await editor.field('api_key').fill('sk-two');
  assert.equal(await editor.field('api_key').getAttribute('type'), 'password', 'typing reveals nothing');
  await editor.button('Reveal pem').click();
  await editor.field('pem').fill(PEM.replace('MIIE', 'MIIF'));
  await editor.page.keyboard.press('Escape');
  await editor.dialog.waitFor({ state: 'detached' });
  await editor.edit();
  assert.deepEqual(await holds('sk-one', 'sk-two', 'QIBADAN'), [false, false, false]);
  await editor.approve();
  const sent = JSON.parse((await editor.sent())[0].args);
  assert.deepEqual(sent, { ...args, api_key: 'sk-two', pem: PEM.replace('MIIE', 'MIIF') });
});

test('r24_form: what a person types in sight stays in sight, and the field keeps the focus', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"note":""}' });
  await editor.edit();
  await editor.field('note').focus();
  await editor.page.keyboard.type('password: hunter2 and eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N');
  assert.equal(await editor.field('note').evaluate((field) => field.matches(':focus')), true);
  assert.match(await editor.field('note').inputValue(), /dozjgNryP4J3jVmNHl0w5N$/);
  await editor.button('Reveal note').click();
  await eventually(async () => assert.equal(await editor.field('note').getAttribute('type'), 'password'));
});

test('r24_form: what is typed behind a mask stays there, with the focus, also when the dialog opens anew', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"memo":"password: hunter2"}' });
  await editor.edit();
  const field = editor.field('memo');
  await field.focus();
  await editor.page.keyboard.press('Control+A');
  await editor.page.keyboard.type('harmless words');
  const stands = () => field.evaluate((it) => [it.type, it.value, it.matches(':focus')]);
  assert.deepEqual(await stands(), ['password', 'harmless words', true]);
  assert.ok(!(await editor.dialog.innerText()).includes('harmless'));
  await editor.page.keyboard.press('Escape');
  await editor.dialog.waitFor({ state: 'detached' });
  await editor.edit();
  assert.deepEqual((await stands()).slice(0, 2), ['password', 'harmless words']);
  await editor.button('Reveal memo').click();
  await eventually(async () => assert.equal(await field.evaluate((it) => it.localName), 'textarea'));
  await editor.button('Reset memo').click();
  await eventually(async () => assert.deepEqual(await stands(), ['password', 'password: hunter2', true]));
});

test('a field that becomes another one while somebody types keeps the focus and the caret', async (t) => {
  const mail = { title: 'Mail', type: 'string', pattern: '@', format: 'email' };
  const argsSchema = { type: 'object', properties: { to: { oneOf: [mail, { title: 'Name', type: 'string', pattern: '^[^@]*$' }] } } };
  const editor = await Editor.open(t, { ...CARD, argsText: '{"to":"anna.example"}', argsSchema: JSON.stringify(argsSchema) });
  await editor.edit();
  const field = editor.field('to');
  assert.equal(await field.evaluate((it) => it.localName), 'textarea');
  await field.focus();
  await field.evaluate((it) => it.setSelectionRange(4, 4));
  await editor.page.keyboard.type('@x');
  const stands = () => field.evaluate((it) => [it.localName, it.value, it.matches(':focus')]);
  await eventually(async () => assert.deepEqual(await stands(), ['input', 'anna@x.example', true]));
  await editor.page.keyboard.press('Backspace');
  await editor.page.keyboard.press('Backspace');
  await editor.page.keyboard.type('-');
  await eventually(async () => assert.deepEqual(await stands(), ['textarea', 'anna-.example', true]));
});

test('a key that is pressed right after a field became another one arrives, also where drawing takes long', async (t) => {
  const mail = { title: 'Mail', type: 'string', pattern: '@', format: 'email' };
  const argsSchema = { type: 'object', properties: { to: { oneOf: [mail, { title: 'Name', type: 'string', pattern: '^[^@]*$' }] } } };
  const editor = await Editor.open(t, { ...CARD, argsText: '{"to":"a"}', argsSchema: JSON.stringify(argsSchema) });
  await editor.edit();
  const field = editor.field('to');
  await field.focus();
  await field.evaluate((it) => it.setSelectionRange(1, 1));
  // Every drawing takes so long that the browser has a turn before anybody is told that it stands there.
  await editor.page.evaluate(() => {
    const [now, later] = [Date.now, window.setTimeout];
    let passed = 0;
    Date.now = () => now() + (passed += 20);
    window.setTimeout = (callback, wait, ...rest) => later(callback, wait || 1000, ...rest);
  });
  await editor.page.keyboard.type('@');
  await eventually(async () => assert.equal(await field.evaluate((it) => it.localName), 'input'));
  await editor.page.keyboard.type('b');
  await eventually(async () => assert.equal(await field.inputValue(), 'a@b'));
});

test('r24_lines: several lines that are put into a masked field stay so, behind the mask and with the focus', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"password":"hunter2"}' });
  await editor.edit();
  const field = editor.field('password');
  const put = async (words) => {
    await field.focus();
    await field.evaluate((it) => it.setSelectionRange(1, 6));
    await editor.page.keyboard.insertText(words);
  };
  // The end of a single line, as a terminal copies it, is none of the secret.
  await put('x y\n');
  assert.equal(await field.inputValue(), 'hx y2');
  await editor.button('Reset password').click();
  await put(PEM.replaceAll('\n', '\r\n'));
  const mask = editor.dialog.locator('code[part=edit-field]');
  await mask.filter({ hasText: `${PEM.length + 2} characters` }).waitFor();
  assert.equal(await mask.evaluate((it) => it.matches(':focus')), true);
  assert.ok(!(await editor.dialog.innerText()).includes('MIIE'));
  await editor.approve();
  assert.equal((await editor.sent())[0].args, JSON.stringify({ password: `h${PEM}2` }));
});
