// The demo page as a person uses it. What tests know about its markup stands here and nowhere else.

import assert from 'node:assert/strict';

import { eventually } from './eventually.mjs';
import { press } from './press.mjs';

/** One tab with the demo page. */
export class Chat {
  /** The Playwright page, for what has no method here. */
  page;

  /** For agents that make one call after the other: calls that are to wait at once are asked for `beside` each other. */
  apart = false;

  /** Waits until the page can be used. */
  static async on(page) {
    const chat = new Chat(page);
    await chat.#composer().waitFor();
    await eventually(async () => assert.ok(await chat.context(), 'the page names its conversation'));
    return chat;
  }

  constructor(page) {
    this.page = page;
    this.inbox = page.locator('countersign-inbox');
  }

  #composer() {
    return this.page.locator('form#composer textarea[name=message]');
  }

  /** Id of the conversation. */
  context() {
    return this.page.evaluate(() => document.documentElement.dataset.context);
  }

  /** Types words and sends them. */
  async say(words) {
    await this.#composer().fill(this.apart ? words.replaceAll(' then ', ' beside ') : words);
    await this.#composer().press('Enter');
  }

  /** Texts of the bubbles of `user` or `agent`. */
  bubbles(role) {
    return this.page.locator(`[data-role=${role}]`).allTextContents();
  }

  async reload() {
    await this.page.reload();
    await this.#composer().waitFor();
  }

  /** The pending cards, once there are exactly this many, in their order. */
  async pending(count) {
    const cards = this.inbox.locator('[part~=card][data-status=pending]');
    await eventually(async () => assert.equal(await cards.count(), count, 'number of pending cards'));
    const found = [];
    for (const element of await cards.all()) {
      const request = await element.getAttribute('data-request');
      const tool = await element.locator('[part~=tool-name]').first().textContent();
      found.push(new Card(this.inbox, request, tool.trim()));
    }
    return found;
  }

  /** The one pending card of this tool. */
  async card(tool) {
    const cards = await this.pending(1);
    assert.equal(cards[0].tool, tool);
    return cards[0];
  }

  /** Presses `Approve all`, and confirms the list. */
  async approveAll() {
    await this.inbox.getByRole('button', { name: /^Approve all/ }).click();
    await press(this.inbox.locator('[part~=dialog] [part~=confirm-button]'));
  }

  /** Rejects everything that is open, with one reason. */
  async rejectAll(reason) {
    await this.inbox.getByRole('button', { name: /^Reject all/ }).click();
    await sendRejection(this.inbox, reason);
  }

  /** Decides without buttons, for decisions that have none yet: an object such as `{ kind: 'edit', args: '{"n":1}' }`. */
  async decide(card, decision) {
    const decide = ([request, text]) => window.countersignDemo.decide(request, text);
    await this.page.evaluate(decide, [card.request, JSON.stringify(decision)]);
  }

  /** What the page says went wrong. */
  notice() {
    return this.page.locator('.notice').textContent();
  }

  /** Waits for this text in the inbox. */
  async shows(text) {
    await this.inbox.getByText(text).first().waitFor();
  }

  /** The last message that the wire panel shows as sent, read from its JSON. */
  async lastSent() {
    const entry = this.page.locator('[data-wire=out]').last();
    const text = entry.locator('pre').first();
    if ((await text.count()) === 0) await entry.locator('summary, button').first().click();
    return JSON.parse(await text.textContent());
  }
}

/** One request, found by its id wherever it stands. */
class Card {
  constructor(inbox, request, tool) {
    this.request = request;
    this.tool = tool;
    this.element = inbox.locator(`[part~=card][data-request=${JSON.stringify(request)}]`).first();
  }

  /** Presses Approve, as soon as the card lets it be pressed. */
  async approve(options) {
    await press(this.#approval(), options);
  }

  /** The same, unless the page hears meanwhile what another client has decided, and has no such button any more. */
  async approveIfAsked() {
    const approved = this.approve();
    approved.catch(() => {});
    await Promise.race([approved, this.#approval().waitFor({ state: 'detached' })]);
  }

  #approval() {
    return this.element.getByRole('button', { name: `Approve ${this.tool}`, exact: true });
  }

  /** Lets the agent's own side remember that the whole tool is allowed, as soon as that can be confirmed. */
  async allowAlways() {
    await this.allow(/remembered by the agent’s side/);
    await this.confirmGrant();
  }

  /** Opens the dialog in which more than this call is allowed, with these choices by their names; returns it. */
  async allow(...choices) {
    await this.element.getByRole('button', { name: `Always allow ${this.tool}`, exact: true }).click();
    const dialog = this.element.getByRole('dialog');
    for (const name of choices) await dialog.getByLabel(name).check();
    return dialog;
  }

  /** Confirms what the open dialog says, as soon as it lets itself be confirmed. */
  async confirmGrant() {
    await press(this.element.locator('[part=grant-button]'));
  }

  /** Confirms a call of high risk, as soon as the question lets itself be confirmed: a number without a name may be a large amount. */
  async confirmRisk() {
    await press(this.element.getByRole('alertdialog').locator('[part=confirm-button]'));
  }

  /** Rejects, with these words as the reason. */
  async reject(reason) {
    await this.element.getByRole('button', { name: `Reject ${this.tool}`, exact: true }).click();
    await sendRejection(this.element, reason);
  }

  /** Leaves the call alone. */
  async ignore() {
    await this.element.getByRole('button', { name: `Ignore ${this.tool}`, exact: true }).click();
  }

  /** Gives the agent these words instead of a result. */
  async respond(words) {
    await this.element.getByRole('button', { name: `Reply instead of running ${this.tool}`, exact: true }).click();
    await this.element.getByRole('textbox', { name: 'Reply' }).fill(words);
    await this.element.getByRole('button', { name: /^Send reply/ }).click();
  }

  /** Opens the dialog in which arguments are edited; returns it. */
  async openEditor() {
    await this.element.getByRole('button', { name: `Edit ${this.tool}`, exact: true }).click();
    return this.element.getByRole('dialog');
  }

  /** Runs the call with this JSON text as its arguments: typed into the dialog, as a person would. */
  async edit(args, { note } = {}) {
    const dialog = await this.openEditor();
    await typeJson(dialog, args);
    await sendEdit(dialog, note);
  }

  /** Runs the call with other values in these fields of the form, by their names. */
  async editFields(values, { note } = {}) {
    const dialog = await this.openEditor();
    for (const [name, text] of Object.entries(values)) await dialog.getByLabel(name, { exact: true }).fill(text);
    await sendEdit(dialog, note);
  }

  /** Types this JSON text, which the dialog does not send; returns the words with which it says why, and discards the draft. */
  async cannotEdit(args) {
    const dialog = await this.openEditor();
    await typeJson(dialog, args);
    const send = dialog.getByRole('button', { name: /^Approve with changes/ });
    const problem = dialog.locator('[part~=edit-problem], [part~=edit-summary]').first();
    await problem.waitFor();
    assert.equal(await send.getAttribute('aria-disabled'), 'true');
    const words = await dialog.innerText();
    await send.click({ force: true });
    await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
    await this.element.getByRole('button', { name: 'Discard draft' }).click();
    return words;
  }

  /** Takes back a decision that is not sent. */
  async undo() {
    await this.element.getByRole('button', { name: /^Undo/ }).click();
  }

  /** Sends again what failed. */
  async retry() {
    await press(this.element.getByRole('button', { name: /^Retry/ }));
  }

  /** Waits until a failed send can be repeated. */
  async canRetry() {
    const button = this.element.getByRole('button', { name: /^Retry/ });
    await button.waitFor().catch(async (error) => {
      const wire = await this.element.page().locator('[data-wire]').allInnerTexts();
      throw new Error(`nothing to retry: ${await this.element.innerText()}\n${wire.slice(-8).join('\n')}`, { cause: error });
    });
  }

  /** Chooses and types these answers, one list a question, and sends them. */
  async answer(answers) {
    for (const choice of answers.flat()) {
      const option = this.element.getByRole('radio', { name: choice, exact: true });
      const box = this.element.getByRole('checkbox', { name: choice, exact: true });
      if ((await option.count()) > 0) await option.check();
      else if ((await box.count()) > 0) await box.check();
      else await this.element.getByRole('textbox').fill(choice);
    }
    await this.element.getByRole('button', { name: /^Send answers/ }).click();
  }

  /** The exact argument text on the screen. */
  async shownArguments() {
    const raw = this.element.locator('[part~=raw]').first();
    if (!(await raw.isVisible())) await this.element.getByText('Raw', { exact: true }).first().click();
    return raw.textContent();
  }

  /** Waits until the request stands like this; several words: like one of them. */
  async becomes(...statuses) {
    await eventually(async () => {
      const status = await this.element.getAttribute('data-status', { timeout: 1000 });
      if (statuses.includes(status)) return;
      const shown = await this.element.innerText({ timeout: 1000 });
      assert.fail(`${this.tool} is ${status}, not ${statuses.join(' or ')}: ${shown}`);
    });
  }
}

async function typeJson(dialog, args) {
  await dialog.getByRole('button', { name: 'JSON', exact: true }).click();
  await dialog.getByRole('textbox', { name: /^JSON text of/ }).fill(args);
}

async function sendEdit(dialog, note) {
  if (note !== undefined) await dialog.getByRole('textbox', { name: 'Note' }).fill(note);
  await press(dialog.getByRole('button', { name: /^Approve with changes/ }));
}

async function sendRejection(place, reason) {
  if (reason !== undefined) await place.getByRole('textbox', { name: /^Reason/ }).fill(reason);
  await place.getByRole('button', { name: /^Send rejection/ }).click();
}

/** Every value inside a JSON value, itself included. */
export function values(json) {
  if (json === null || typeof json !== 'object') return [json];
  return [json, ...Object.values(json).flatMap(values)];
}
