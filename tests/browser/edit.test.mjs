// Everything that people write on a card: edited arguments, replies, reasons, and the end of a run.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { CARD, editors, offers, ORDER } from './harness/editor.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { press, steady } from './harness/press.mjs';

const Editor = editors();

test('r07_r12_edit: one field is edited, and every other byte goes out as it came', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  assert.equal(await editor.field('id').inputValue(), '2512292042121000001');
  await editor.field('n').fill('18446744073709551616');
  await editor.dialog.getByText('1 value differs').waitFor();
  await editor.approve();
  const [intent] = await editor.gallery.intents();
  assert.equal(intent.decision.kind, 'edit');
  assert.equal(intent.decision.args, ORDER.replace('1.00', '18446744073709551616'));
  assert.equal(intent.decision.note, undefined);
  assert.ok(intent.seen.length > 0);
});

test('r25_diff: what differs is shown before it is sent, and nothing goes out unchanged', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.field('memo').fill('new\nlines');
  const changes = editor.dialog.locator('[part=edit-changes]');
  assert.match(await changes.innerText(), /memo/);
  assert.ok((await changes.locator('ins').count()) > 0);
  await editor.field('memo').fill('ab');
  await changes.waitFor({ state: 'detached' });
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.send.click({ force: true });
  assert.deepEqual(await editor.sent(), []);
});

test('r25_invalid: what is no JSON or no number is not sent, and the error is tied to its field', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  const field = editor.field('n');
  await field.fill('1,5');
  assert.equal(await field.getAttribute('aria-invalid'), 'true');
  const described = await field.evaluate((element) => {
    const ids = element.getAttribute('aria-describedby').split(' ');
    return ids.map((id) => element.getRootNode().getElementById(id)?.textContent).join(' ');
  });
  assert.match(described, /not a number/);
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.send.click({ force: true });
  await field.press('Control+Enter');
  await editor.field('id').focus();
  await editor.dialog.locator('[part=edit-summary]').getByRole('button', { name: 'n' }).click();
  await eventually(async () => assert.equal(await field.evaluate((element) => element.matches(':focus')), true));
  await editor.button('JSON').click();
  await editor.json.fill('{"id":1,\n "n":}');
  await editor.dialog.getByText('Line 2, column 6: expected a value.').first().waitFor();
  assert.equal(await editor.dialog.locator('.cs-edit-line[data-bad]').count(), 1);
  await editor.send.click({ force: true });
  await editor.json.press('Control+Enter');
  assert.deepEqual(await editor.sent(), []);
});

test('the form and the JSON text are one draft, and switching loses nothing', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  await editor.field('n').fill('2');
  await editor.button('JSON').click();
  assert.equal(await editor.json.inputValue(), ORDER.replace('1.00', '2'));
  await editor.json.fill('{"n":3,');
  await editor.button('Form').click();
  await editor.dialog.getByText('cannot be read at the moment').waitFor();
  assert.equal(await editor.field('n').inputValue(), '2');
  assert.equal(await editor.field('n').isDisabled(), true);
  await editor.button('Back to the JSON text Arguments').click();
  assert.equal(await editor.json.inputValue(), '{"n":3,');
  await editor.json.fill('{"n":3}');
  await editor.button('Form').click();
  assert.equal(await editor.field('n').inputValue(), '3');
  await editor.button('Reset all').click();
  assert.equal(await editor.field('memo').inputValue(), 'ab');
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
});

test('JSON that cannot be read is led to: in the text, from the summary, and from the form above which it is said', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"o":{"a":1},"n":1}' });
  await editor.edit();
  await editor.button('JSON').click();
  await editor.json.fill('{"o":\n{"a":tru}}');
  await editor.button('Show the place Arguments').click();
  const selection = () => editor.json.evaluate((field) => [field.matches(':focus'), field.selectionStart, field.selectionEnd]);
  await eventually(async () => assert.deepEqual(await selection(), [true, 11, 12]));
  await editor.button('Form').focus();
  await editor.dialog.locator('[part=edit-summary]').getByRole('button').click();
  await eventually(async () => assert.equal((await selection())[0], true));
  await editor.button('Reset all').click();
  await editor.button('Form').click();
  await editor.button('Edit as JSON o').click();
  await editor.json.fill('{"a":');
  await editor.button('Form o').click();
  const back = editor.button('Back to the JSON text o');
  assert.equal(await back.innerText(), 'Back to the JSON text');
  const [note, row] = [await editor.dialog.locator('.cs-edit-list > .cs-note').boundingBox(), await editor.field('n').boundingBox()];
  assert.ok(note.width > row.width, 'the note goes through the columns of the form');
});

test('one value is edited as JSON, and a draft of it is sent byte by byte', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  await editor.button('Edit as JSON tags').click();
  await editor.json.fill('[ 1.0, {"x":[]} ]');
  await editor.button('Form tags').click();
  assert.equal(await editor.field('[0]').inputValue(), '1.0');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, ORDER.replace('["x","y","z"]', '[ 1.0, {"x":[]} ]'));
});

test('items are added, moved and removed with the keyboard alone, and the focus stays with them', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  const enter = async (name) => {
    await editor.button(name).focus();
    await editor.page.keyboard.press('Enter');
  };
  await enter('Add item tags');
  await eventually(async () => assert.equal(await editor.field('[3]').evaluate((it) => it.matches(':focus')), true));
  await editor.page.keyboard.type('w');
  await enter('Up tags[3]');
  await eventually(async () => assert.equal(await editor.focused(), 'Up tags[2]'));
  await editor.page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await editor.focused(), 'Up tags[1]'));
  await editor.page.keyboard.press('Enter');
  await eventually(async () => assert.equal(await editor.focused(), 'Down tags[0]'));
  await enter('Remove tags[2]');
  await eventually(async () => assert.equal(await editor.field('[2]').evaluate((it) => it.matches(':focus')), true));
  await editor.approve();
  assert.equal((await editor.sent())[0].args, ORDER.replace('["x","y","z"]', '["w","x","z"]'));
});

const SCHEMA = {
  type: 'object', required: ['to', 'level'], additionalProperties: false,
  properties: {
    to: { type: 'array', items: { type: 'string', format: 'email' }, minItems: 1 },
    level: { enum: ['low', 'high'], default: 'low', description: '<img src=x onerror=alert(1)>' },
    copies: { type: 'integer', exclusiveMinimum: 0, maximum: 3 },
    silent: { type: 'boolean' }, pause: { type: ['integer', 'null'] },
    target: { oneOf: [{ title: 'A file', type: 'object', required: ['path'], properties: { path: { type: 'string' } } }, { title: 'A line', type: 'string' }] },
  },
};

test('a schema makes the form: choices, limits, optional members, several kinds', async (t) => {
  const args = '{"to":["a@example.com"],"level":"low","copies":2,"pause":null,"target":{"path":"/a"}}';
  const editor = await Editor.open(t, { ...CARD, argsText: args, argsSchema: JSON.stringify(SCHEMA) });
  await editor.edit();
  assert.equal(await editor.dialog.locator('img').count(), 0);
  await editor.dialog.getByText('“<img src=x onerror=alert(1)>”').waitFor();
  assert.match((await editor.dialog.innerText()).replace(/[\u2066-\u2069]/g, ''), /more than 0 · at most 3/);
  await editor.field('level').selectOption('high');
  await editor.field('copies').fill('7');
  await editor.dialog.getByText('1 problem', { exact: true }).first().waitFor();
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.field('copies').fill('3');
  await editor.button('Add silent').click();
  await editor.field('silent').check();
  await editor.button('Give a value pause').click();
  await editor.field('pause').fill('5');
  await editor.field('Kind of target').selectOption('A line');
  await editor.field('target').fill('here');
  await editor.approve();
  const [{ args: sent }] = await editor.sent();
  assert.equal(sent, '{"to":["a@example.com"],"level":"high","copies":3,"pause":5,"target":"here","silent":true}');
});

test('r19_choices: what stands there is seen although it is no choice, and choices are told apart', async (t) => {
  const long = `the last ${'of many words '.repeat(20)}`.trim();
  const schema = { properties: { currency: { enum: ['EUR', 'USD'] }, level: { enum: ['1', 1, '', null, 'null', long] }, api_key: { enum: ['a', 'b'] } } };
  const card = { ...CARD, argsText: '{"currency":"GBP","level":1,"api_key":"hunter2"}', argsSchema: JSON.stringify(schema) };
  const editor = await Editor.open(t, card, { profile: { viewport: { width: 320, height: 640 } } });
  await editor.edit();
  const chosen = (name) => editor.field(name).evaluate((field) => field.selectedOptions[0].text);
  assert.deepEqual([await chosen('currency'), await chosen('level'), await chosen('api_key')], ['GBP', '1', '—']);
  const choices = await editor.field('level').evaluate((field) => [...field.options].map(({ text }) => text));
  assert.deepEqual(choices, ['"1"', '1', '""', 'null', '"null"', long]);
  const [field, dialog] = [await editor.field('level').boundingBox(), await editor.dialog.boundingBox()];
  assert.ok(field.x + field.width <= dialog.x + dialog.width, 'a long choice stays within the dialog');
  await editor.field('currency').selectOption('USD');
  await editor.field('api_key').selectOption('b');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, '{"currency":"USD","level":1,"api_key":"b"}');
});

test('another kind is chosen with the keyboard, and what both kinds have stays', async (t) => {
  const a = { title: 'A', required: ['kind', 'x'], properties: { kind: { const: 'a' }, x: { type: 'string' }, note: { type: 'string' } } };
  const b = { title: 'B', required: ['kind', 'y'], properties: { kind: { const: 'b' }, y: { type: 'integer' }, note: { type: 'string' } } };
  const kinds = [{ type: 'object', ...a }, { type: 'object', ...b }, { title: 'C', type: 'string' }];
  const args = '{"t":{"kind":"a","x":"hello","note":"old"},"z":null}';
  const editor = await Editor.open(t, { ...CARD, argsText: args, argsSchema: JSON.stringify({ properties: { t: { oneOf: kinds } } }) });
  await editor.edit();
  await editor.field('note').fill('new');
  await editor.field('Kind of t').focus();
  const turn = async (key, kind) => {
    await editor.page.keyboard.press(key);
    await eventually(async () => assert.deepEqual([await editor.focused(), await editor.field('Kind of t').inputValue()], ['Kind of t', kind]));
  };
  await turn('ArrowDown', '1');
  assert.equal(await editor.field('note').inputValue(), 'new');
  await turn('ArrowDown', '2');
  await turn('ArrowUp', '1');
  await turn('ArrowUp', '0');
  assert.equal(await editor.field('x').inputValue(), 'hello');
  await editor.field('Kind of z').focus();
  await editor.page.keyboard.press('ArrowDown');
  await eventually(async () => assert.equal(await editor.field('z').evaluate((it) => it.matches(':focus')), true));
  assert.equal(await editor.field('z').inputValue(), '');
});

test('one item of a thousand is added, moved and found without drawing the others', async (t) => {
  const list = Array.from({ length: 1000 }, (_, at) => at);
  const schema = { properties: { list: { items: { type: 'integer' } } } };
  list[900] = 'no number';
  const editor = await Editor.open(t, { ...CARD, argsText: JSON.stringify({ list }), argsSchema: JSON.stringify(schema) });
  await editor.edit();
  const drawn = async (count) => assert.ok((await editor.dialog.locator('[part=edit-row]').count()) <= count);
  await editor.dialog.locator('[part=edit-summary]').getByRole('button').click();
  await eventually(async () => assert.equal(await editor.field('[900]').evaluate((it) => it.matches(':focus')), true));
  await editor.page.keyboard.press('Control+A');
  await editor.page.keyboard.type('900');
  await editor.button('Add item list').click();
  await eventually(async () => assert.equal(await editor.field('[1000]').evaluate((it) => it.matches(':focus')), true));
  await editor.button('Up list[1000]').click();
  await eventually(async () => assert.equal(await editor.focused(), 'Up list[999]'));
  await editor.dialog.getByRole('button', { name: 'Show 50 more of 1,001' }).waitFor();
  await drawn(54);
});

test('r25_schema: a member that must be there is asked for, and the summary leads to it', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"to":["a@example.com"]}', argsSchema: JSON.stringify(SCHEMA) });
  await editor.edit();
  await editor.dialog.locator('[part=edit-summary]').getByRole('button').click();
  await eventually(async () => assert.equal(await editor.focused(), 'Add level'));
  await editor.page.keyboard.press('Enter');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, '{"to":["a@example.com"],"level":"low"}');
});

test('r47_modal: what lies behind is inert, Escape decides nothing and keeps the draft, the focus returns', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  await editor.field('n').fill('2');
  const reachable = await editor.card.locator('[part=approve-button]').evaluate((button) => {
    button.focus();
    return button.matches(':focus');
  });
  assert.equal(reachable, false);
  await editor.page.keyboard.press('Escape');
  await editor.dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await editor.focused(), 'Edit pay'));
  const note = editor.card.locator('[data-note=draft]');
  assert.match(await note.innerText(), /draft of other arguments/);
  await note.getByRole('button', { name: 'Continue editing' }).click();
  assert.equal(await editor.field('n').inputValue(), '2');
  await editor.button('Cancel').click();
  await note.getByRole('button', { name: 'Discard draft' }).click();
  await note.waitFor({ state: 'detached' });
  await editor.edit();
  assert.equal(await editor.field('n').inputValue(), '1.00');
  assert.deepEqual(await editor.sent(), []);
});

test('a member is named and added with Enter, and a name that is there leads to its field', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"n":1,"o":{}}' });
  await editor.edit();
  const name = async (words) => {
    await editor.button('Add field Arguments').click();
    await editor.page.keyboard.type(words);
    await editor.page.keyboard.press('Enter');
  };
  await name('a/b');
  await eventually(async () => assert.equal(await editor.field('a/b').evaluate((it) => it.matches(':focus')), true));
  await editor.page.keyboard.type('x');
  await name('n');
  await eventually(async () => assert.equal(await editor.field('n').evaluate((it) => it.matches(':focus')), true));
  assert.equal(await editor.field('n').inputValue(), '1');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, '{"n":1,"o":{},"a/b":"x"}');
});

test('r47_news: what news take away closes for good, and the focus stays in the card, else in the panel', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  await editor.show({ ...CARD, offers: offers('approve') });
  await editor.dialog.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await editor.focused(), 'pay: Waits for you'));
  await editor.show(CARD);
  assert.equal(await editor.dialog.count(), 0, 'it does not open again by itself');
  await editor.edit();
  const other = { ...CARD, key: 2, id: 'g/r2', tool: 'other' };
  await editor.gallery.show([{ ...CARD, status: 'expired', offers: [] }, other]);
  // Not on the other card: the next key may have been meant for the one that has left.
  await eventually(async () => assert.equal(await editor.focused(), 'Tool calls'));
  assert.deepEqual(await editor.sent(), []);
});

test('drafts outlive a reload, but not a change of the arguments, and never hold a secret', async (t) => {
  const editor = await Editor.open(t, CARD, { drafts: true });
  const again = async (card) => {
    await editor.page.reload();
    await editor.page.locator('section[data-state] [part=card]').first().waitFor();
    await editor.show(card, { drafts: true });
    await editor.edit();
  };
  const first = { ...CARD, argsDigest: 'a'.repeat(64) };
  await editor.show(first, { drafts: true });
  await editor.edit();
  await editor.field('n').fill('2');
  await again(first);
  assert.equal(await editor.field('n').inputValue(), '2');
  await editor.field('n').fill('2,5');
  await again(first);
  assert.equal(await editor.json.inputValue(), ORDER.replace('1.00', '2,5'));
  await again({ ...CARD, argsDigest: 'b'.repeat(64) });
  assert.equal(await editor.field('n').inputValue(), '1.00');
  const secret = { ...CARD, argsText: '{"n":1,"api_key":"sk-1"}', argsDigest: 'c'.repeat(64) };
  await again(secret);
  await editor.field('n').fill('2');
  assert.ok(!(await editor.page.evaluate(() => JSON.stringify({ ...sessionStorage }))).includes('sk-1'));
});

test('r29_keys: Ctrl+E edits where the focus is in the card alone, Ctrl+Enter sends what is valid', async (t) => {
  const editor = await Editor.open(t);
  await editor.page.evaluate(() => document.activeElement?.blur());
  await editor.page.keyboard.press('Control+e');
  await editor.page.keyboard.press('e');
  assert.equal(await editor.dialog.count(), 0);
  await editor.card.focus();
  await editor.page.keyboard.press('e');
  assert.equal(await editor.dialog.count(), 0);
  await editor.page.keyboard.press('Control+e');
  await editor.dialog.waitFor();
  await editor.field('n').fill('2');
  await steady(editor.send);
  await editor.field('n').press('Control+Enter');
  await eventually(async () => assert.equal((await editor.sent()).length, 1));
});

test('r26_r30_edit: a dialog that has just opened sends nothing, nor does a script', async (t) => {
  const editor = await Editor.open(t, CARD, {}, 'arm=1500');
  await pause(1600);
  await editor.edit();
  await editor.field('n').fill('2');
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.send.click({ force: true });
  assert.deepEqual(await editor.sent(), []);
  await eventually(async () => assert.equal(await editor.send.getAttribute('aria-disabled'), null));
  await editor.send.evaluate((button) => button.click());
  assert.deepEqual(await editor.sent(), []);
  await editor.send.dblclick();
  assert.equal((await editor.sent()).length, 1);
});

test('a refusal of the inbox is said in the dialog, keeps the draft, and is gone with the next edit', async (t) => {
  const editor = await Editor.open(t);
  await editor.edit();
  await editor.button('Remove z').click();
  await editor.approve();
  await editor.show(CARD, { refused: '`z` cannot be removed' });
  await editor.dialog.getByRole('alert').getByText('`z` cannot be removed').waitFor();
  await editor.button('Add z').click();
  assert.equal(await editor.dialog.getByRole('alert').count(), 0);
  await editor.field('n').fill('2');
  await editor.approve();
  assert.deepEqual((await editor.sent()).map(({ args }) => args.includes('"z":null')), [false, true]);
});

test('r47_high_risk_edit: it is asked twice, with the edited arguments, and the way out leads back to the edit', async (t) => {
  const reason = { source: 'host', code: 'host-rule', message: 'a large amount' };
  const editor = await Editor.open(t, { ...CARD, risk: { level: 'high', reasons: [reason] } });
  await editor.edit();
  await editor.field('n').fill('2.50');
  await editor.approve();
  const question = editor.card.getByRole('alertdialog');
  await question.getByText('2.50').waitFor();
  assert.equal(await editor.focused(), 'cancel-button');
  await editor.page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await editor.focused(), 'Approve with changes pay'));
  assert.deepEqual(await editor.sent(), []);
  await editor.approve();
  await press(question.locator('[part=confirm-button]'));
  await eventually(async () => assert.equal((await editor.sent())[0]?.args, ORDER.replace('1.00', '2.50')));
});

test('r47_edited_risk: what the edit brings is shown while it is typed, and it is asked twice with that', async (t) => {
  const editor = await Editor.open(t, { tool: 'run', argsText: '{"cmd":"ls /srv"}', offers: offers('approve', 'edit') });
  await editor.edit();
  const note = editor.dialog.locator('[data-note=risk]');
  await editor.field('cmd').fill('ls -l /srv');
  assert.equal(await note.count(), 0);
  await editor.field('cmd').fill('rm -rf /srv');
  await note.getByText('It deletes a folder with everything in it').waitFor();
  assert.equal(await note.locator('[part=risk-level]').innerText(), 'High risk');
  await editor.approve();
  const question = editor.card.getByRole('alertdialog');
  await question.getByText('It deletes a folder with everything in it').waitFor();
  assert.deepEqual(await editor.sent(), []);
  await press(question.locator('[part=confirm-button]'));
  await eventually(async () => assert.equal((await editor.sent())[0]?.args, '{"cmd":"rm -rf /srv"}'));
});

test('r47_edited_risk: what an edit takes out is still told, and asked about', async (t) => {
  const reason = { source: 'arguments', code: 'recursive-delete', message: 'deletes a folder with everything in it' };
  const risk = { level: 'high', reasons: [reason] };
  const editor = await Editor.open(t, { tool: 'run', argsText: '{"cmd":"rm -rf /srv"}', risk, offers: offers('approve', 'edit') });
  await editor.edit();
  const reasons = () => editor.dialog.locator('[part=risk-reason]').allInnerTexts();
  assert.deepEqual(await reasons(), ['It deletes a folder with everything in it']);
  await editor.field('cmd').fill('ls /srv');
  await eventually(async () => assert.deepEqual(await reasons(), ['As the agent sent it: It deletes a folder with everything in it']));
  assert.equal(await editor.dialog.locator('[part=risk-level]').innerText(), 'High risk');
  await editor.approve();
  const question = editor.card.getByRole('alertdialog');
  await question.getByText('As the agent sent it').waitFor();
  assert.deepEqual(await editor.sent(), []);
});

const MERGES = { merges: true, unchangedApproves: true, emptyAllowed: true };

test('r25_merge: where the backend keeps what is left out, nothing can be taken out, and the dialog says why', async (t) => {
  const editor = await Editor.open(t, { ...CARD, argsText: '{"a":1,"b":{"c":2},"z":null}', edits: MERGES });
  await editor.edit();
  const remove = editor.button('Remove z');
  assert.equal(await remove.getAttribute('aria-disabled'), 'true');
  const why = await remove.evaluate((button) => button.getRootNode().getElementById(button.getAttribute('aria-describedby')).textContent);
  assert.match(why, /^No field can be taken out/);
  await editor.dialog.getByText('No field can be taken out').waitFor();
  await remove.click({ force: true });
  assert.equal(await remove.count(), 1);
  await editor.button('Remove b.c').click();
  await editor.button('Add c').waitFor();
  await eventually(async () => assert.equal(await editor.send.getAttribute('aria-disabled'), null));
  await editor.button('JSON').click();
  await editor.json.fill('{"a":5}');
  const summary = editor.dialog.locator('[part=edit-summary]');
  await summary.getByText('2 problems').waitFor();
  assert.match(await summary.innerText(), /b cannot be left out: the agent’s side would keep it\.[^]*z cannot/);
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  await editor.json.press('Control+Enter');
  assert.deepEqual(await editor.sent(), []);
  await editor.json.fill('{"a":5,"b":{},"z":null,"y":1}');
  await editor.approve();
  assert.equal((await editor.sent())[0].args, '{"a":5,"b":{},"z":null,"y":1}');
});

test('a form has the fields that the value decides, and a value the form that it passes', async (t) => {
  const schema = {
    type: 'object',
    properties: {
      pay: { enum: ['card', 'bank'] },
      size: { oneOf: [{ title: 'Small', type: 'integer', maximum: 9 }, { title: 'Large', type: 'integer', minimum: 10 }] },
    },
    if: { properties: { pay: { const: 'card' } } },
    then: { properties: { number: { type: 'integer' } }, required: ['number'] },
    else: { properties: { iban: { type: 'string' } }, required: ['iban'] },
  };
  const editor = await Editor.open(t, { ...CARD, argsText: '{"pay":"card","number":1,"size":5}', argsSchema: JSON.stringify(schema) });
  await editor.edit();
  const kind = () => editor.field('Kind of size').evaluate((select) => select.selectedOptions[0].textContent);
  assert.equal(await kind(), 'Small');
  await editor.field('size').fill('50');
  await eventually(async () => assert.equal(await kind(), 'Large'));
  assert.equal(await editor.button('Add iban').count(), 0);
  await editor.field('pay').selectOption('bank');
  await editor.button('Add iban').click();
  await editor.field('iban').fill('DE89');
  await editor.button('Remove number').click();
  await editor.approve();
  assert.equal((await editor.sent())[0].args, '{"pay":"bank","size":50,"iban":"DE89"}');
});

test('hazards and refusals are said in the language of the card', async (t) => {
  const editor = await Editor.open(t, CARD, {}, 'arm=0&locale=de');
  await editor.edit();
  await editor.button('JSON').click();
  await editor.json.fill('{"a":1,"a":2}');
  await editor.dialog.locator('[part=edit-summary]').getByText('Dieser Schlüssel kommt mehrfach vor').waitFor();
  await editor.show(CARD, { refused: 'request `r1` has expired', refusedCode: 'expired' });
  assert.match(await editor.dialog.getByRole('alert').innerText(), /Der Agent wartet nicht mehr/);
});

test('a note goes with the edit where there is room for one', async (t) => {
  const card = { ...CARD, offers: [{ kind: 'approve', reason: 'none' }, { kind: 'edit', reason: 'required' }] };
  const editor = await Editor.open(t, card, { words: 20 });
  await editor.edit();
  await editor.field('n').fill('2');
  assert.equal(await editor.send.getAttribute('aria-disabled'), 'true');
  const note = editor.dialog.getByRole('textbox', { name: 'Note' });
  await note.fill('x'.repeat(21));
  await editor.dialog.getByText('1 character too long').waitFor();
  await note.fill('Only half');
  await editor.approve();
  assert.equal((await editor.sent())[0].note, 'Only half');
});

test('a card without an offer to edit has no button for it', async (t) => {
  const editor = await Editor.open(t, { ...CARD, offers: offers('approve', 'reject') });
  assert.equal(await editor.card.locator('[part=edit-button]').count(), 0);
  await editor.card.focus();
  await editor.page.keyboard.press('Control+e');
  assert.equal(await editor.dialog.count(), 0);
});

test('r44_r47_reply: a reply is asked in a dialog and goes out as it was typed', async (t) => {
  const editor = await Editor.open(t, { ...CARD, offers: offers('respond', 'reject') }, { words: 30 });
  const reply = editor.card.locator('[part=respond-button]');
  await reply.click();
  const field = editor.dialog.getByRole('textbox', { name: 'Reply' });
  assert.equal(await field.evaluate((element) => element.matches(':focus')), true);
  await editor.page.keyboard.press('Escape');
  await eventually(async () => assert.equal(await editor.focused(), 'Reply instead of running pay'));
  await reply.click();
  await field.fill('x'.repeat(31));
  await editor.dialog.getByText('1 character too long').waitFor();
  const send = editor.dialog.getByRole('button', { name: 'Send reply pay' });
  await send.click({ force: true });
  assert.deepEqual(await editor.sent(), []);
  const words = 'Not "b"\nbut \u202e c \u{1F642}';
  await field.fill(words);
  await send.click();
  assert.deepEqual(await editor.sent(), [{ kind: 'respond', text: words }]);
});

test('r44_words: a reply and a reason that were left by mistake are there again, for their own call alone', async (t) => {
  const card = { ...CARD, offers: [...offers('respond'), { kind: 'reject', reason: 'sent' }] };
  const editor = await Editor.open(t, card, { alone: true });
  const typed = async (button, words) => {
    await editor.card.locator(`[part=${button}]`).click();
    const field = editor.card.locator('[part=reason-field]');
    const found = await field.inputValue();
    if (words) await field.fill(words);
    await field.press('Escape');
    await field.waitFor({ state: 'detached' });
    return found;
  };
  await typed('respond-button', 'a long reply');
  await typed('reject-button', 'a reason');
  assert.equal(await typed('respond-button'), 'a long reply');
  assert.equal(await typed('reject-button'), 'a reason');
  await editor.show({ ...card, key: 2, id: 'g/r2' }, { alone: true });
  assert.equal(await typed('respond-button'), '');
  assert.equal(await typed('reject-button'), '');
  assert.deepEqual(await editor.sent(), []);
});

test('r44_reason: reasons that the host offers are taken up and changed, and go out as they stand', async (t) => {
  const editor = await Editor.open(t, CARD, { presets: ['Not this week', 'Wrong account'] });
  await editor.card.locator('[part=reject-button]').click();
  const field = editor.card.getByRole('textbox', { name: 'Reason' });
  await editor.card.getByRole('button', { name: 'Wrong account' }).click();
  assert.equal(await field.inputValue(), 'Wrong account');
  await field.press('End');
  await editor.page.keyboard.insertText('\n\u202e2');
  await editor.card.getByRole('button', { name: /^Send rejection/ }).click();
  assert.deepEqual(await editor.sent(), [{ kind: 'reject', reason: 'Wrong account\n\u202e2' }]);
});

test('r47_end: a run is ended after a warning whose first focus is on the way out', async (t) => {
  const editor = await Editor.open(t, { ...CARD, offers: offers('approve', 'cancel') });
  const warning = editor.card.getByRole('alertdialog');
  const end = editor.card.locator('[part=end-button]');
  await end.click();
  await warning.getByText('the whole run of the agent').waitFor();
  assert.equal(await editor.focused(), 'cancel-button');
  await editor.page.keyboard.press('Escape');
  await warning.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await editor.focused(), 'End the run pay'));
  assert.deepEqual(await editor.sent(), []);
  await end.click();
  await warning.getByRole('button', { name: 'End the run pay' }).click();
  assert.deepEqual(await editor.sent(), [{ kind: 'cancel' }]);
});

test('the dialog fits 320 pixels, and needs no horizontal scrolling', async (t) => {
  const wide = '{"a_rather_long_name_of_a_field":{"another_long_name":["x","https://example.com/a/very/long/path/without/any/space/in/it/at/all"]}}';
  const editor = await Editor.open(t, { ...CARD, argsText: wide }, { profile: { viewport: { width: 320, height: 640 } } });
  await editor.edit();
  for (const view of ['Form', 'JSON']) {
    await editor.button(view).click();
    const over = await editor.dialog.evaluate((dialog) =>
      [dialog, ...dialog.querySelectorAll('*')].filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible' && getComputedStyle(element).overflowX !== 'clip').map((element) => element.className));
    assert.deepEqual(over, []);
    const box = await editor.dialog.boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 320);
    const small = await editor.dialog.locator('button, input, select').evaluateAll((all) =>
      all.filter((one) => one.offsetParent && !one.closest('label') && !one.classList.contains('cs-link')).map((one) => one.getBoundingClientRect()).filter(({ width, height }) => width < 24 || height < 24).length);
    assert.equal(small, 0);
  }
});
