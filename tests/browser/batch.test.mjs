// Several calls at once: what is approved together is a list that stands still and was looked at.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, profile } from './harness/browser.mjs';
import { eventually } from './harness/eventually.mjs';
import { openGallery } from './harness/gallery.mjs';
import { press, steady } from './harness/press.mjs';
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

const call = (key, rest = {}) => ({ key, id: `g/r${key}`, request: `r${key}`, tool: 'send_email', argsText: `{"to":"p${key}@example.com"}`, ...rest });
const HIGH = { level: 'high', reasons: [{ source: 'arguments', code: 'recursive-delete', message: 'deletes a folder with everything in it' }] };

async function open(t, cards, { query = '', ...options } = {}) {
  const gallery = await openGallery(t, await profile(t, browser, options), server.origin, `state=pending${query}`);
  await gallery.show(cards);
  const shown = gallery.exhibit('shown');
  const dialog = shown.locator('[part=dialog]');
  const review = async () => {
    await shown.locator('[part=approve-all-button]').click();
    await dialog.waitFor();
  };
  const confirm = dialog.locator('[part=confirm-button]');
  const approved = async () => (await gallery.intents()).filter(({ kind }) => kind === 'decide-all').map(({ requests }) => requests.map(({ request }) => request));
  return { gallery, page: gallery.page, shown, dialog, review, confirm, approved };
}

test('r33_a_request_that_arrives_between_open_and_confirm_stays_pending', async (t) => {
  const { gallery, dialog, review, confirm, approved } = await open(t, [call(1), call(2)]);
  await review();
  await gallery.show([call(1), call(2), call(3)]);
  await dialog.getByText('Arrived since, and still open: 1').waitFor();
  assert.equal(await dialog.locator('[part=review-row]').count(), 2);
  await press(confirm);
  assert.deepEqual(await approved(), [['g/r1', 'g/r2']]);
  const [{ requests }] = await gallery.intents();
  assert.ok(requests.every(({ seen }) => /^[0-9a-f]{64}$/.test(seen)));
});

test('r33_what_must_be_looked_at_alone_is_left_out_and_says_why', async (t) => {
  const { dialog, shown, review, confirm, approved } = await open(t, [
    call(1),
    call(2, { tool: 'run', risk: HIGH }),
    call(3, { changed: true }),
    call(4, { argsText: '{"a":1,"a":2}' }),
    call(5, { offers: [{ kind: 'reject', reason: 'none' }] }),
    call(6),
  ]);
  assert.equal(await shown.locator('[part=approve-all-button]').innerText(), 'Approve 2 of 6…');
  await review();
  await dialog.getByText('Not included: 4').waitFor();
  const reasons = await dialog.locator('[part=left-out]').allInnerTexts();
  const heights = await dialog.locator('[part=left-out] [part=tool-name]').evaluateAll((all) => all.map((name) => name.getBoundingClientRect().height));
  assert.ok(heights.every((height) => height < 30), `a name stands on one line: ${heights}`);
  assert.deepEqual(
    reasons.map((text) => text.split('\n').at(-1)),
    ['high risk: decide it alone', 'changed: look at it again', 'cannot be read without doubt', 'cannot be approved'],
  );
  await press(confirm);
  assert.deepEqual(await approved(), [['g/r1', 'g/r6']]);
});

test('r33_a_call_with_a_draft_is_left_out_whether_it_could_be_sent_or_not', async (t) => {
  const offers = ['approve', 'edit', 'reject'].map((kind) => ({ kind, reason: 'none' }));
  const { page, dialog, shown, review, confirm, approved } = await open(t, [1, 2, 3, 4].map((key) => call(key, { offers, argsText: `{"n":${key}}` })));
  const draft = async (at, words) => {
    const card = shown.locator('[part=card]').nth(at);
    await card.locator('[part=edit-button]').click();
    await dialog.getByLabel('n', { exact: true }).fill(words);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    return card;
  };
  const bar = shown.locator('[part=approve-all-button]');
  await draft(0, '1,5');
  await eventually(async () => assert.equal(await bar.innerText(), 'Approve 3 of 4…'));
  const second = await draft(1, '7');
  await eventually(async () => assert.equal(await bar.innerText(), 'Approve 2 of 4…'));
  await review();
  assert.deepEqual(
    (await dialog.locator('[part=left-out]').allInnerTexts()).map((text) => text.split('\n').at(-1)),
    ['has a draft that cannot be sent: correct or discard it', 'has a draft: send or discard it'],
  );
  await page.keyboard.press('Escape');
  await second.locator('[part=discard-button]').click();
  await eventually(async () => assert.equal(await bar.innerText(), 'Approve 3 of 4…'));
  await review();
  await press(confirm);
  assert.deepEqual(await approved(), [['g/r2', 'g/r3', 'g/r4']]);
});

test('r44_what_is_chosen_is_rejected_with_one_reason_and_the_rest_waits', async (t) => {
  const offers = [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'sent' }];
  const plain = [{ kind: 'approve', reason: 'none' }];
  const { gallery, page, dialog, review } = await open(t, [call(1, { offers }), call(2, { offers }), call(3, { offers: plain }), call(4, { offers })]);
  await review();
  await dialog.getByRole('checkbox').nth(3).uncheck();
  const reject = dialog.locator('[part=reject-chosen-button]');
  await eventually(async () => assert.equal(await reject.innerText(), 'Reject 2 of 4…'));
  await reject.click();
  const reason = dialog.getByRole('textbox', { name: /^Reason/ });
  await reason.fill('Not these.');
  await page.keyboard.press('Escape');
  await reason.waitFor({ state: 'detached' });
  await eventually(async () => assert.equal(await reject.evaluate((button) => button.matches(':focus')), true));
  assert.deepEqual(await gallery.intents(), []);
  await reject.click();
  await reason.fill('Not these.');
  await dialog.locator('[part=send-rejection-button]').click();
  const [intent] = await gallery.intents();
  assert.deepEqual(intent.requests.map(({ request }) => request), ['g/r1', 'g/r2']);
  assert.deepEqual(intent.decision, { kind: 'reject', reason: 'Not these.' });
  assert.ok(intent.requests.every(({ seen }) => /^[0-9a-f]{64}$/.test(seen)));
  await dialog.waitFor({ state: 'detached' });
});

test('r44_nothing_chosen_rejects_nothing', async (t) => {
  const offers = [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'none' }];
  const { gallery, dialog, review } = await open(t, [call(1, { offers }), call(2, { offers })]);
  await review();
  const reject = dialog.locator('[part=reject-chosen-button]');
  for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck();
  assert.equal(await reject.getAttribute('aria-disabled'), 'true');
  await reject.click({ force: true });
  assert.deepEqual(await gallery.intents(), []);
  await dialog.getByRole('checkbox').first().check();
  await reject.click();
  const [{ requests }] = await gallery.intents();
  assert.deepEqual(requests.map(({ request }) => request), ['g/r1']);
});

test('r33_a_call_that_changes_while_the_list_is_open_is_not_approved', async (t) => {
  const { gallery, dialog, review, confirm, approved } = await open(t, [call(1), call(2), call(3)]);
  await review();
  await gallery.show([call(1), call(2, { argsText: '{"to":"all@example.com"}' }), call(3)]);
  await dialog.getByText('2 of 3 chosen').waitFor();
  assert.equal(await confirm.innerText(), 'Approve 2 of 3');
  await press(confirm);
  assert.deepEqual(await approved(), [['g/r1', 'g/r3']]);
});

test('r33_each_call_is_listed_with_its_arguments_and_digest_and_some_can_be_chosen', async (t) => {
  const { dialog, review, confirm, approved } = await open(t, [call(1), call(2, { tool: 'pay' }), call(3, { tool: 'pay' })]);
  await review();
  const rows = await dialog.locator('[part=review-row]').allInnerTexts();
  assert.match(rows[0], /send_email[^]*[0-9a-f]{4} [0-9a-f]{4} … [0-9a-f]{4}[^]*p1@example\.com/);
  await dialog.getByRole('button', { name: 'pay × 2' }).click();
  await dialog.getByText('1 of 3 chosen').waitFor();
  await dialog.getByRole('button', { name: 'pay × 2' }).click();
  await dialog.getByRole('checkbox').nth(1).uncheck();
  await dialog.getByText('2 of 3 chosen').waitFor();
  await press(confirm);
  assert.deepEqual(await approved(), [['g/r1', 'g/r3']]);
});

test('r33_all_arguments_are_shown_and_those_of_many_calls_that_one_line_says_on_demand', async (t) => {
  const argsText = '{"to_account":"DE89","amount":1250.00,"memo":"thanks","urgent":false}';
  const { gallery, dialog, review } = await open(t, [call(1, { argsText }), call(2, { argsText })]);
  await review();
  const rows = dialog.locator('[part=review-row]');
  for (const text of await rows.allInnerTexts()) assert.match(text, /to_account[^]*DE89[^]*amount[^]*1250\.00[^]*memo[^]*thanks[^]*urgent[^]*false/);
  await rows.first().getByRole('checkbox', { name: 'send_email to_account "DE89"' }).waitFor();
  await rows.first().getByRole('button', { name: 'Raw' }).click();
  await rows.first().getByText(argsText).waitFor();
  await dialog.locator('[part=cancel-button]').click();
  await gallery.show(Array.from({ length: 11 }, (_, at) => call(at + 1, { argsText })));
  await review();
  const third = rows.nth(2);
  assert.match(await third.innerText(), /to_account[^]*1250/);
  const details = third.getByRole('button', { name: 'Details send_email' });
  await details.click();
  await third.getByText('3 more').waitFor();
  await dialog.locator('[part=cancel-button]').click();
  await gallery.show(Array.from({ length: 11 }, (_, at) => call(at + 1, { argsText: '{"to_account":"DE89"}' })));
  await review();
  assert.match(await third.innerText(), /to_account "DE89"/);
  assert.equal(await third.locator('[part~=arguments]').count(), 0);
  await details.click();
  await third.locator('[part~=arguments]').getByText('DE89').waitFor();
  assert.equal(await details.getAttribute('aria-expanded'), 'true');
});

test('r33_nothing_chosen_cannot_be_confirmed', async (t) => {
  const { gallery, dialog, review, confirm } = await open(t, [call(1), call(2)]);
  await review();
  for (const box of await dialog.getByRole('checkbox').all()) await box.uncheck();
  assert.equal(await confirm.getAttribute('aria-disabled'), 'true');
  await confirm.click({ force: true });
  assert.deepEqual(await gallery.intents(), []);
});

test('r47_escape_closes_the_list_without_a_decision_and_the_focus_goes_back', async (t) => {
  const { gallery, page, dialog, review, shown } = await open(t, [call(1), call(2)]);
  await review();
  const focused = () => page.evaluate(() => {
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    return active?.getAttribute('part');
  });
  assert.equal(await focused(), 'cancel-button');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await focused(), 'approve-all-button');
  assert.deepEqual(await gallery.intents(), []);
  assert.equal(await shown.locator('[part=card]').count(), 2);
});

test('r26_the_list_is_confirmed_only_after_it_was_seen', async (t) => {
  // A slow machine must be in time.
  const { gallery, page, review, confirm } = await open(t, [call(1), call(2)], { query: '&arm=3000' });
  await review();
  const box = await confirm.boundingBox();
  await page.mouse.dblclick(box.x + 20, box.y + 10);
  assert.deepEqual(await gallery.intents(), []);
});

const REJECTABLE = { offers: [{ kind: 'approve', reason: 'none' }, { kind: 'reject', reason: 'sent' }] };

test('one reason rejects everything that waits, and all of it is listed', async (t) => {
  const { gallery, shown, dialog } = await open(t, [call(1, REJECTABLE), call(2, REJECTABLE), call(3, { ...REJECTABLE, risk: HIGH })]);
  await shown.locator('[part=reject-all-button]').click();
  assert.equal(await dialog.locator('[part=dialog-title]').innerText(), 'Reject 3 of 3');
  assert.equal(await dialog.locator('[part=review-row]').count(), 3);
  assert.equal(await dialog.locator('[part=confirm-button]').count(), 0);
  await shown.getByRole('textbox', { name: /^Reason/ }).fill('Not today.');
  await shown.locator('[part=send-rejection-button]').click();
  const [intent] = await gallery.intents();
  assert.deepEqual([intent.requests.length, intent.decision], [3, { kind: 'reject', reason: 'Not today.' }]);
});

test('what arrives while a reason is typed leaves the form as it is and is not rejected', async (t) => {
  const { gallery, page, shown, dialog } = await open(t, [call(1, REJECTABLE), call(2, REJECTABLE), call(3, { offers: [{ kind: 'approve', reason: 'none' }] })]);
  await shown.locator('[part=reject-all-button]').click();
  assert.match(await dialog.locator('[part=left-out]').innerText(), /cannot be rejected/);
  await page.keyboard.type('Not to');
  await gallery.show([call(1, REJECTABLE), call(2, REJECTABLE), call(3), call(4, REJECTABLE)]);
  await dialog.getByText('Arrived since, and still open: 1').waitFor();
  await page.keyboard.type('day');
  await shown.locator('[part=send-rejection-button]').click();
  const intents = await gallery.intents();
  assert.deepEqual(intents.map(({ requests, decision }) => [requests.map(({ request }) => request), decision.reason]), [[['g/r1', 'g/r2'], 'Not today']]);
});

test('a call that is taken off the list is not rejected', async (t) => {
  const { gallery, shown, dialog } = await open(t, [call(1, REJECTABLE), call(2, REJECTABLE), call(3, REJECTABLE)]);
  await shown.locator('[part=reject-all-button]').click();
  await dialog.getByRole('checkbox').nth(1).uncheck();
  await dialog.getByText('Reject 2 of 3').waitFor();
  await shown.locator('[part=send-rejection-button]').click();
  const [{ requests }] = await gallery.intents();
  assert.deepEqual(requests.map(({ request }) => request), ['g/r1', 'g/r3']);
});

test('a reason for everything outlives the list that Escape closes, and is gone with the batch', async (t) => {
  const { gallery, page, shown, dialog } = await open(t, []);
  const field = shown.locator('[part=reason-field]');
  const found = async (...keys) => {
    await gallery.show(keys.map((key) => call(key, REJECTABLE)));
    await shown.locator('[part=reject-all-button]').click();
    return field.inputValue();
  };
  assert.equal(await found(1, 2), '');
  await page.keyboard.type('Not today');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('part')), 'reject-all-button');
  assert.equal(await found(1, 2, 3), 'Not today');
  await page.keyboard.press('Escape');
  assert.equal(await found(4, 5), '');
  assert.deepEqual(await gallery.intents(), []);
});

test('decisions that leave together are summed up first and can be changed', async (t) => {
  const held = (key, kind, decidedAt) => call(key, {
    status: 'drafted', offers: [], decision: { kind }, decidedAt, sendsAt: 5000, batch: { id: 'b', size: 2, decided: 2 },
  });
  const { gallery, shown } = await open(t, []);
  await gallery.show([held(1, 'approve', 1), held(2, 'reject', 2)], { now: 2000 });
  const bar = shown.locator('[part=batch-bar]');
  assert.match(await bar.innerText(), /To run: 1 · refused: 1[^]*goes out in 3 s/);
  await bar.locator('[part=change-button]').click();
  assert.deepEqual(await gallery.intents(), [{ kind: 'undo', request: 'g/r2' }]);
});

test('r33_what_was_never_drawn_is_not_approved', async (t) => {
  const { dialog, review, confirm, approved } = await open(t, Array.from({ length: 57 }, (_, at) => call(at + 1)));
  await review();
  assert.equal(await confirm.innerText(), 'Approve 40 of 57');
  await dialog.getByText('Not shown yet, and so not approved: 17').waitFor();
  await dialog.getByRole('checkbox').first().uncheck();
  await dialog.getByText('56 of 57 chosen').waitFor();
  await press(confirm);
  const [requests] = await eventually(async () => {
    const sent = await approved();
    assert.equal(sent.length, 1);
    return sent;
  });
  assert.deepEqual(requests, Array.from({ length: 39 }, (_, at) => `g/r${at + 2}`));
});

test('r52_a_list_of_a_thousand_is_drawn_in_parts_and_approved_once_each_was_drawn', async (t) => {
  const { dialog, review, confirm, approved } = await open(t, Array.from({ length: 1000 }, (_, at) => call(at + 1)));
  await review();
  assert.ok((await dialog.locator('[part=review-row]').count()) < 60);
  await dialog.getByText('1–40 of 1,000').first().waitFor();
  for (let until = 80; until <= 1000; until += 40) {
    // The way on stands at both ends of the list.
    await dialog.getByRole('button', { name: 'Next' }).nth(until % 80 ? 1 : 0).click();
    await dialog.getByText(`${until - 39}–${until === 1000 ? '1,000' : until} of 1,000`).first().waitFor();
    if (until === 80) await dialog.getByRole('checkbox').first().uncheck();
  }
  await dialog.getByText('Not shown yet').waitFor({ state: 'detached' });
  await press(confirm);
  const requests = await eventually(async () => {
    const [first] = await approved();
    assert.ok(first);
    return first;
  });
  assert.equal(requests.length, 999);
  assert.ok(!requests.includes('g/r41'));
});

/** Where the focus is: the call of the card, and whether it is in view; else the name of what has it. */
const focused = (page) => page.evaluate(() => {
  let active = document.activeElement;
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
  if (!active?.matches('[part=card]')) return active?.getAttribute('aria-label') ?? active?.tagName;
  const { top } = active.getBoundingClientRect();
  return `${active.dataset.request} ${top >= 0 && top < innerHeight ? 'in view' : 'out of view'}`;
});

test('r47_the focus of a call that has left goes to the next one that waits, in view, where nothing acts at once', async (t) => {
  const all = Array.from({ length: 20 }, (_, at) => call(at + 1));
  const gone = (...keys) => all.map((view) => (keys.includes(view.key) ? { ...view, status: 'completed', offers: [], decision: { kind: 'approve' } } : view));
  const { gallery, page, shown } = await open(t, all);
  const approve = (key) => shown.locator(`[data-request=r${key}] [part=approve-button]`);
  /** Approves the call by keyboard; then the agent goes on with it, and with `others`. */
  const decide = async (key, ...others) => {
    await approve(key).scrollIntoViewIfNeeded();
    await steady(approve(key));
    await approve(key).focus();
    await page.keyboard.press('Enter');
    await gallery.show(gone(key, ...others));
  };
  await decide(13);
  await eventually(async () => assert.equal(await focused(page), 'r14 in view'));
  await page.keyboard.press('Control+Enter');
  const decided = async () => (await gallery.intents()).map(({ request }) => request);
  assert.deepEqual(await decided(), ['g/r13'], 'what was meant for the call that has left');
  await steady(approve(14));
  await page.keyboard.press('Control+Enter');
  assert.deepEqual(await decided(), ['g/r13', 'g/r14']);
  // After the last one comes the one before it.
  await decide(20, 13, 14, 19);
  await eventually(async () => assert.equal(await focused(page), 'r18 in view'));
});

test('r47_where a question closes because its call was decided elsewhere, the focus goes to the next call', async (t) => {
  const risky = call(2, { risk: HIGH });
  const { gallery, page, shown } = await open(t, [call(1), risky, call(3)]);
  await press(shown.locator('[data-request=r2] [part=approve-button]'));
  await shown.getByRole('alertdialog').waitFor();
  await gallery.show([call(1), { ...risky, status: 'completed', offers: [], decision: { kind: 'approve' } }, call(3)]);
  await eventually(async () => assert.equal(await focused(page), 'r3 in view'));
});

test('r26_unmoved: the cards stay where they are when the buttons for all leave the bar', async (t) => {
  const { gallery, shown } = await open(t, [call(1), call(2), call(3)], { viewport: { width: 1024, height: 900 } });
  const decided = (key) => call(key, { status: 'drafted', offers: [], decision: { kind: 'approve' } });
  const places = () => shown.locator('[part=batch-bar]').evaluate((bar) => bar.getBoundingClientRect().height);
  const before = await places();
  await gallery.show([decided(1), decided(2), call(3)]);
  await shown.locator('[part=approve-all-button]').waitFor({ state: 'detached' });
  assert.equal(await places(), before);
});
