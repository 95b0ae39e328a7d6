// What has to hold with every agent, simulated or real.
//
// A *world* is an agent with the page in front of it:
//   open(t, { failing })      a new conversation in a profile of its own → Chat; `failing`: a decision will not arrive
//   tab(t, chat)              another tab of the same profile → Chat
//   breakNextSend(chat)       the next send fails, where `failing` alone does not see to it
//   executed(chat)            what ran in the conversation, in order: [{ tool, args }], `args` as JSON text
//   modelGot(chat, text)      whether these exact words reached the agent
//   answersGot(chat)          the answers that reached the agent: one list a question
//   big                       a number above 2^53 that the agent keeps, where it is not `BIG`
//   answers                   one answer to each question of `ask`, where the agent has it
//
// Not every system can do everything: a scenario that needs a *talent* is declared for worlds that have it.
//   questions                 `ask` asks the person something
//   delegation                `delegate: …` hands the rest to another agent
//   together                  calls of one turn are decided together: they leave when the last one is decided
//   retry                     a send that failed can be repeated
//   edit                      a call can be approved with other arguments
//   always                    the agent's side remembers that a whole tool is allowed, and does not ask again
//   grant                     the page remembers what a person allows, and answers for them
//   ignore                    a call is ignored in place of a rejection, and nothing tells later who wrote an outcome
//   dropping                  one rejection drops what was approved beside it
//   mute                      the wire has no room for a reason, which then stays in the page
//   doubles                   the wire carries numbers as doubles, and members in any order

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { eventually, pause } from './eventually.mjs';

const BIG = '2512292042121000001';
const THREE = 'delete path=/srv/a then email to=bob@example.com then transfer amount=5';

/**
 * Declares the scenarios for which these talents are made, as tests whose names begin with `name`.
 *
 * A scenario mostly waits, for a card to arm or for what must not happen: `atOnce` of them run at the same time, each in a
 * profile of its own. `only` chooses them by their promise.
 */
export function declareScenarios(name, world, talents, { atOnce = 1, only = /^/ } = {}) {
  describe(name, { concurrency: atOnce }, () => {
    for (const [promise, scenario] of Object.entries(SCENARIOS)) {
      const needed = NEEDS[promise];
      const fits = needed === undefined || talents.includes(needed);
      const misfits = UNLESS[promise]?.some((talent) => talents.includes(talent)) ?? false;
      if (fits && !misfits && only.test(promise)) test(`${name}: ${promise}`, (t) => scenario(t, world()));
    }
  });
}

/** The talent without which a scenario makes no sense. */
const NEEDS = {
  'r10_batch: a batch goes out when every call is decided, and only approved calls run': 'together',
  'a decision of an unfinished batch is taken back': 'together',
  'r39_reload: a half decided batch starts over after a reload': 'together',
  'questions are answered': 'questions',
  'r40_remote: a call of a remote agent is decided here and runs there': 'delegation',
  'r40_remote: calls of a remote agent are decided each for itself': 'delegation',
  'r10_retry: after a failed send nothing has run, the decision is kept, and a retry runs it once': 'retry',
  'r10_retry: after a failed send the decision can be taken back and changed': 'retry',
  'an edited call runs with exactly the edited arguments, and untouched numbers keep their digits': 'edit',
  'a value that is edited in the form runs as it was typed, and every other byte as it was shown': 'edit',
  'arguments that are not edited to an object are refused, and nothing runs': 'edit',
  'a tool that is always allowed is not asked about again, and others are': 'always',
  'r38_automatic: what a person allows always runs without being asked about again, in sight, and nothing else does': 'grant',
  'r44_reason: a rejected call does not run, and the reason stays in the page': 'mute',
};

/** The talents with each of which a scenario makes no sense. */
const UNLESS = {
  'an approved call runs with the shown arguments, to the last character': ['doubles'],
  'r40_remote: a call of a remote agent is decided here and runs there': ['doubles'],
  'an edited call runs with exactly the edited arguments, and untouched numbers keep their digits': ['doubles'],
  'a value that is edited in the form runs as it was typed, and every other byte as it was shown': ['doubles'],
  'r10_batch: a batch goes out when every call is decided, and only approved calls run': ['dropping'],
  'a decision of an unfinished batch is taken back': ['dropping'],
  'r44_reason: a rejected call does not run, and the agent gets the reason as it was typed': ['mute', 'ignore'],
  'all calls are rejected with one button': ['mute', 'ignore'],
  'r01_identity: two calls with the same name and arguments are decided each for itself': ['ignore', 'dropping'],
  'r39_reload: a decided request stays decided after a reload': ['ignore', 'dropping'],
  'r42_tabs: what one tab decides, the other shows as settled': ['ignore'],
  'r10_retry: after a failed send the decision can be taken back and changed': ['ignore'],
};

const SCENARIOS = {
  'an approved call runs with the shown arguments, to the last character': async (t, world) => {
    const chat = await world.open(t);
    const { big = BIG } = world;
    await chat.say(`transfer amount=10.25 reference=${big}`);
    const card = await chat.card('transfer_funds');
    const shown = await card.shownArguments();
    assert.ok(shown.includes(big), shown);
    assert.deepEqual(await world.executed(chat), []);
    await card.approve();
    await card.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: shown }]);
  },

  'a call that needs no approval runs without a card to decide': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('read path=/srv/a');
    await eventually(async () => assert.equal((await world.executed(chat)).length, 1));
    await chat.pending(0);
  },

  'r44_reason: a rejected call does not run, and the agent gets the reason as it was typed': async (t, world) => {
    const chat = await world.open(t);
    const reason = 'Not before "Friday" \\ é 漢 🙂\nsecond line';
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await card.reject(reason);
    await card.becomes('rejected');
    await eventually(async () => assert.ok(await world.modelGot(chat, reason)));
    assert.deepEqual(await world.executed(chat), []);
  },

  'r44_reason: a rejected call does not run, and the reason stays in the page': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then email');
    await chat.pending(2);
    await chat.rejectAll('Not this week');
    await chat.pending(0);
    await chat.shows('Not this week');
    await pause(500);
    assert.equal(await world.modelGot(chat, 'Not this week'), false);
    assert.deepEqual(await world.executed(chat), []);
  },

  'a tool that is always allowed is not asked about again, and others are': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await card.allowAlways();
    await card.becomes('completed');
    await chat.say('delete path=/srv/b');
    const both = ['/srv/a', '/srv/b'].map((path) => ({ tool: 'delete_file', args: JSON.stringify({ path }) }));
    await eventually(async () => assert.deepEqual(await world.executed(chat), both));
    await chat.say('email');
    await chat.card('send_email');
    const stranger = await world.open(t);
    await stranger.say('delete path=/srv/c');
    await stranger.card('delete_file');
    assert.deepEqual(await world.executed(chat), both);
  },

  'r38_automatic: what a person allows always runs without being asked about again, in sight, and nothing else does': async (t, world) => {
    const chat = await world.open(t);
    const files = [];
    const ran = async (...more) => {
      files.push(...more);
      const calls = files.map((path) => ({ tool: 'delete_file', args: JSON.stringify({ path }) }));
      await eventually(async () => assert.deepEqual(await world.executed(chat), calls));
    };
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await card.allow(/with any arguments$/, 'For 1 day');
    await card.confirmGrant();
    await card.becomes('completed');
    await ran('/srv/a');
    await chat.say('delete path=/srv/b');
    await ran('/srv/b');
    await chat.inbox.locator('[part~=card]').last().locator('[data-automatic]').waitFor();
    await chat.pending(0);
    await chat.reload();
    await chat.say('delete path=/srv/c');
    await ran('/srv/c');
    await chat.say('email');
    await chat.card('send_email');
    const stranger = await world.open(t);
    await stranger.say('delete path=/srv/d');
    await stranger.card('delete_file');
    await ran();
  },

  'r10_batch: a batch goes out when every call is decided, and only approved calls run': async (t, world) => {
    const chat = await world.open(t);
    await chat.say(THREE);
    const [remove, mail, transfer] = await chat.pending(3);
    await transfer.approve();
    await transfer.becomes('drafted');
    await chat.shows('1 of 3 decided');
    await mail.reject('Bob left');
    assert.deepEqual(await world.executed(chat), []);
    await remove.approve();
    await Promise.all([remove.becomes('completed'), mail.becomes('rejected'), transfer.becomes('completed')]);
    // Some frameworks run what was approved at the same time.
    const ran = (await world.executed(chat)).map(({ tool, args }) => `${tool} ${args}`).sort();
    assert.equal(ran.length, 2);
    assert.equal(ran[0], 'delete_file {"path":"/srv/a"}');
    assert.match(ran[1], /^transfer_funds /);
    await eventually(async () => assert.ok(await world.modelGot(chat, 'Bob left')));
  },

  'r01_identity: two calls with the same name and arguments are decided each for itself': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then delete path=/srv/a');
    const [first, second] = await chat.pending(2);
    assert.notEqual(first.request, second.request);
    await second.approve();
    await first.reject();
    await Promise.all([first.becomes('rejected'), second.becomes('completed')]);
    assert.equal((await world.executed(chat)).length, 1);
  },

  'all calls are approved with one button': async (t, world) => {
    const chat = await world.open(t);
    await chat.say(THREE);
    const cards = await chat.pending(3);
    await chat.approveAll();
    await Promise.all(cards.map((card) => card.becomes('completed')));
    assert.equal((await world.executed(chat)).length, 3);
  },

  'all calls are rejected with one button': async (t, world) => {
    const chat = await world.open(t);
    await chat.say(THREE);
    const cards = await chat.pending(3);
    await chat.rejectAll('Nothing of this');
    await Promise.all(cards.map((card) => card.becomes('rejected')));
    await eventually(async () => assert.ok(await world.modelGot(chat, 'Nothing of this')));
    assert.deepEqual(await world.executed(chat), []);
  },

  'a decision of an unfinished batch is taken back': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then delete path=/srv/b');
    const [first, second] = await chat.pending(2);
    await first.approve();
    await first.becomes('drafted');
    await first.undo();
    await first.becomes('pending');
    await first.reject();
    await second.approve();
    await second.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'delete_file', args: '{"path":"/srv/b"}' }]);
  },

  'questions are answered': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('ask');
    const card = await chat.card('ask_user');
    await card.answer(world.answers);
    await card.becomes('responded');
    assert.deepEqual(await world.answersGot(chat), world.answers);
  },

  'r40_remote: a call of a remote agent is decided here and runs there': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delegate: delete path=/srv/inner');
    const card = await chat.card('delete_file');
    const shown = await card.shownArguments();
    await card.approve();
    await card.becomes('approved', 'completed');
    await eventually(async () => {
      assert.deepEqual(await world.executed(chat), [{ tool: 'delete_file', args: shown }]);
    });
  },

  'r40_remote: calls of a remote agent are decided each for itself': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delegate: delete path=/srv/a then delete path=/srv/b');
    const [first, second] = await chat.pending(2);
    await first.reject('not a');
    await second.approve();
    await first.becomes('rejected');
    await eventually(async () => {
      assert.deepEqual(await world.executed(chat), [{ tool: 'delete_file', args: '{"path":"/srv/b"}' }]);
    });
  },

  'r39_reload: a pending request is there again after a reload': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const before = await chat.card('delete_file');
    await chat.reload();
    const card = await chat.card('delete_file');
    assert.equal(card.request, before.request);
    assert.deepEqual(await world.executed(chat), []);
    await card.approve();
    await card.becomes('completed');
    assert.equal((await world.executed(chat)).length, 1);
  },

  'r39_reload: a half decided batch starts over after a reload': async (t, world) => {
    const chat = await world.open(t);
    await chat.say(THREE);
    const [first] = await chat.pending(3);
    await first.approve();
    await first.becomes('drafted');
    await chat.reload();
    const cards = await chat.pending(3);
    assert.deepEqual(await world.executed(chat), []);
    await chat.approveAll();
    await Promise.all(cards.map((card) => card.becomes('completed')));
    assert.equal((await world.executed(chat)).length, 3);
  },

  'r39_reload: a decided request stays decided after a reload': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then email');
    const [remove, mail] = await chat.pending(2);
    await remove.approve();
    await mail.reject('No mail');
    await Promise.all([remove.becomes('completed'), mail.becomes('rejected')]);
    const said = await chat.bubbles('user');
    await chat.reload();
    await Promise.all([remove.becomes('completed'), mail.becomes('rejected')]);
    await chat.pending(0);
    assert.deepEqual(await chat.bubbles('user'), said);
    assert.equal((await world.executed(chat)).length, 1);
  },

  'r42_tabs: what one tab decides, the other shows as settled': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    const other = await world.tab(t, chat);
    const twin = await other.card('delete_file');
    assert.equal(twin.request, card.request);
    await chat.page.bringToFront();
    await card.approve();
    await card.becomes('completed');
    await other.page.bringToFront();
    await twin.becomes('completed');
    assert.equal((await world.executed(chat)).length, 1);
  },

  'r42_tabs: a call that two tabs approve at once runs once': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    const other = await world.tab(t, chat);
    const twin = await other.card('delete_file');
    // The slower tab may have heard of it already and have no button to press any more.
    await Promise.all([card.approveIfAsked(), twin.approveIfAsked()]);
    await Promise.all([chat.pending(0), other.pending(0)]);
    // A slow server runs it later; a second run would come right after.
    await eventually(async () => assert.ok((await world.executed(chat)).length > 0));
    await pause(500);
    assert.equal((await world.executed(chat)).length, 1);
  },

  'r10_retry: after a failed send nothing has run, the decision is kept, and a retry runs it once': async (t, world) => {
    const chat = await world.open(t, { failing: true });
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.breakNextSend(chat);
    await card.approve();
    await card.canRetry();
    await card.becomes('drafted');
    await pause(500);
    assert.deepEqual(await world.executed(chat), []);
    await card.retry();
    await card.becomes('completed');
    assert.equal((await world.executed(chat)).length, 1);
  },

  'an edited call runs with exactly the edited arguments, and untouched numbers keep their digits': async (t, world) => {
    const chat = await world.open(t);
    const { big = BIG } = world;
    await chat.say(`transfer amount=10.25 reference=${big}`);
    const card = await chat.card('transfer_funds');
    const shown = await card.shownArguments();
    const edited = shown.replace('10.25', '7.5');
    assert.ok(edited !== shown && edited.includes(big), shown);
    await card.edit(edited);
    await card.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: edited }]);
  },

  'a value that is edited in the form runs as it was typed, and every other byte as it was shown': async (t, world) => {
    const chat = await world.open(t);
    const { big = BIG } = world;
    await chat.say(`transfer amount=10.25 reference=${big}`);
    const card = await chat.card('transfer_funds');
    const shown = await card.shownArguments();
    await card.editFields({ amount: '7.5' });
    await card.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: shown.replace('10.25', '7.5') }]);
  },

  'arguments that are not edited to an object are refused, and nothing runs': async (t, world) => {
    const chat = await world.open(t);
    await chat.say('transfer amount=10.25');
    const card = await chat.card('transfer_funds');
    for (const args of ['[]', '{"path":', '"/srv/b"']) {
      await card.cannotEdit(args);
      // Nor does the inbox take it, whoever asks.
      await chat.decide(card, { kind: 'edit', args });
      assert.ok((await chat.notice()).length > 0);
      await card.becomes('pending');
    }
    assert.deepEqual(await world.executed(chat), []);
    await card.approve();
    await card.becomes('completed');
  },

  'r10_retry: after a failed send the decision can be taken back and changed': async (t, world) => {
    const chat = await world.open(t, { failing: true });
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.breakNextSend(chat);
    await card.approve();
    await card.canRetry();
    await card.undo();
    await card.becomes('pending');
    await card.reject();
    await card.becomes('rejected');
    assert.deepEqual(await world.executed(chat), []);
  },
};

for (const promise of Object.keys(NEEDS)) assert.ok(promise in SCENARIOS, `there is no scenario "${promise}"`);
