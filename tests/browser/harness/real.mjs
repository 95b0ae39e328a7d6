// A real agent with the demo page in front of it: what the worlds of all real backends share.

import assert from 'node:assert/strict';

import { startBackend } from './backend.mjs';
import { openPage, profile } from './browser.mjs';
import { Chat } from './chat.mjs';
import { atEnd } from './ending.mjs';
import { eventually } from './eventually.mjs';

/** A world of `scenarios.mjs` with a real backend in it. */
export class RealWorld {
  #stage;
  #query;
  #expectedErrors;

  /**
   * `stage` is what `demo` found for a backend; `query` is what the page's address says of the wire; `expectedErrors` are what the
   * browser itself reports; `behind` is another backend than the one that the file started.
   */
  constructor(stage, { query = {}, expectedErrors, behind }) {
    this.#stage = stage;
    this.#query = query;
    this.#expectedErrors = expectedErrors;
    this.behind = behind ?? stage.backend;
  }

  async open(t) {
    return this.page(t, await profile(t, this.#stage.browser));
  }

  tab(t, chat) {
    return this.page(t, chat.page.context());
  }

  /** A page of this profile. */
  async page(t, context) {
    const { url, token } = this.behind;
    const query = new URLSearchParams({ backend: this.#stage.name, url, token, ...this.#query });
    const address = `${this.#stage.origin}/?${query}`;
    return Chat.on(await openPage(t, context, address, { expectedErrors: this.#expectedErrors }));
  }

  async breakNextSend(chat, when = 'before') {
    await this.behind.failNext({ context: await chat.context(), when });
  }

  async executed(chat) {
    return this.behind.executed(await chat.context());
  }

  /** Waits until the server has written down all of a pause whose card is shown; most have before they tell of it. */
  async paused() {}

  /** What the model was told, in order: `[tool, outcome]`. */
  async told(chat) {
    const told = await this.behind.told(await chat.context());
    return told.map(({ tool, response }) => [tool, JSON.parse(response)]);
  }

  /** Waits until exactly this ran. */
  async ran(chat, ...calls) {
    await eventually(async () => assert.deepEqual(await this.executed(chat), calls));
  }
}

/** The call that deletes this file. */
export const removed = (file) => ({ tool: 'delete_file', args: JSON.stringify({ path: file }) });

/** A backend of this file's kind with these options, for one test. */
export async function anotherBackend(t, stage, options) {
  const backend = await startBackend(stage.name, stage.origin, options);
  atEnd(t, () => backend.stop());
  return backend;
}

/** A reply was lost: the state says what came of the decision, which nobody has to send again, and nothing runs twice. */
export async function loseReply(t, world) {
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await world.breakNextSend(chat, 'after');
  await card.approve();
  await eventually(async () => assert.equal((await world.executed(chat)).length, 1));
  await card.becomes('completed');
  assert.equal((await world.executed(chat)).length, 1);
}

/** A second pause of the same turn is asked about anew, and refused in this way. */
export async function pauseTwice(t, world, refuse = (card) => card.reject()) {
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await first.approve();
  await first.becomes('completed');
  const second = await chat.card('delete_file');
  assert.notEqual(second.request, first.request);
  await refuse(second);
  await second.becomes('rejected');
  assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
}

/** Both pauses of a turn outlive their server: it is killed in the first, and ends in the second. */
export async function outliveServer(t, world, lasting) {
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await world.paused(chat);
  await lasting.restart('SIGKILL');
  await first.approve();
  await first.becomes('completed');
  await chat.card('delete_file');
  await lasting.restart('SIGTERM');
  await chat.reload();
  await first.becomes('completed');
  const second = await chat.card('delete_file');
  await second.reject();
  await second.becomes('rejected');
  assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
}

/** Both pauses of a turn outlive a server that writes down what it knows as it ends. */
export async function outliveRestarts(t, world, lasting) {
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a later delete path=/srv/b');
  const first = await chat.card('delete_file');
  await lasting.restart();
  await first.approve();
  await first.becomes('completed');
  const second = await chat.card('delete_file');
  await lasting.restart();
  await chat.reload();
  await second.becomes('pending');
  await second.approve();
  await second.becomes('completed');
  assert.deepEqual((await world.executed(chat)).map(({ args }) => args), ['{"path":"/srv/a"}', '{"path":"/srv/b"}']);
}

/** A wire without edits offers none, and asking for one in code changes nothing: the call runs as it was asked. */
export async function editIsNotOffered(t, world) {
  const chat = await world.open(t);
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  assert.equal(await card.element.getByRole('button', { name: /^Edit/ }).count(), 0);
  await chat.decide(card, { kind: 'edit', args: '{"path":"/srv/b"}' });
  assert.ok((await chat.notice()).length > 0);
  await card.becomes('pending');
  await card.approve();
  await card.becomes('completed');
  return chat;
}

/** A number that a double does not hold arrives rounded on this wire: the card says so, and the tool gets all its digits. */
export async function flagsRounded(t, world, reference) {
  const chat = await world.open(t);
  await chat.say(`transfer amount=10.25 reference=${reference}`);
  const card = await chat.card('transfer_funds');
  await chat.shows(/may have been rounded before it arrived/);
  const shown = JSON.parse(await card.shownArguments());
  await card.approve();
  await card.becomes('completed');
  const [{ args }] = await world.executed(chat);
  assert.deepEqual(JSON.parse(args), shown);
  assert.ok(args.includes(reference), args);
}
