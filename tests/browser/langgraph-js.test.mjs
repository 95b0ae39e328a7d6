// LangGraph and LangChain in JavaScript: the element with the ready connector, and the real JavaScript server behind it.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { startLastingBackend } from './harness/backend.mjs';
import { connected, ConnectedWorld } from './harness/connected.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { anotherBackend, outliveRestarts, pauseTwice, removed } from './harness/real.mjs';
import { declareScenarios } from './harness/scenarios.mjs';

const stage = connected('langgraph-js');
const AT_ONCE = 3;
const NONE_RUNS = 'If one of these calls is rejected, none of them runs.';

class JavaScript extends ConnectedWorld {
  /** Every number is a JavaScript number, those of the person's words too: this one stays as it is. */
  big = '2512292042121000000';

  constructor(graph, options) {
    super(stage, graph, options);
  }
}

/** How another client of each graph says no to a single call. */
const REFUSALS = { 'hitl-js': { decisions: [{ type: 'reject' }] }, 'human-interrupt': [{ type: 'ignore', args: null }] };

declareScenarios('langgraph-js', () => new JavaScript('hitl-js'), ['together', 'dropping', 'retry', 'edit'], { atOnce: AT_ONCE });

describe('langgraph-js', { concurrency: AT_ONCE }, () => {
  for (const [graph, refusal] of Object.entries(REFUSALS)) {
    const isHuman = graph === 'human-interrupt';

    test(`langgraph-js ${graph}: r09_replay: what another client decided is not decided again from a page that has not heard of it`, async (t) => {
      const world = new JavaScript(graph, { more: { pollMs: 600_000 } });
      const chat = await world.open(t);
      await chat.say('delete path=/srv/a');
      const card = await chat.card('delete_file');
      await world.answerElsewhere(chat, card, refusal);
      // It may have heard of it all the same.
      await card.approveIfAsked();
      await card.becomes(...(isHuman ? ['unknown', 'completed'] : ['rejected', 'conflict']));
      await chat.reload();
      await card.becomes(isHuman ? 'unknown' : 'rejected');
      assert.deepEqual(await world.executed(chat), []);
    });

    test(`langgraph-js ${graph}: a request that nobody decided in time ends, and a late decision runs nothing`, async (t) => {
      const behind = await anotherBackend(t, stage, ['--timeout-s', '6']);
      const world = new JavaScript(graph, { behind, more: { pollMs: 600_000 } });
      const chat = await world.open(t);
      await chat.say('delete path=/srv/a');
      const late = await chat.card('delete_file');
      await pause(6200);
      await late.approve();
      await late.becomes('failed', 'conflict', 'unknown', 'superseded');
      await chat.reload();
      await late.becomes('failed', 'unknown', 'superseded');
      assert.deepEqual(await world.executed(chat), []);
    });
  }

  test('langgraph-js: r10_retry: a reply that is lost is made up for by the state, and the call runs once', async (t) => {
    const world = new JavaScript('hitl-js');
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a');
    const card = await chat.card('delete_file');
    await world.breakNextSend(chat, 'after');
    await card.approve();
    await card.becomes('completed');
    assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
  });

  test('langgraph-js: a turn that pauses again asks again', (t) => pauseTwice(t, new JavaScript('hitl-js')));

  test('langgraph-js: a tool that fails is not shown as done', async (t) => {
    const chat = await new JavaScript('hitl-js').open(t);
    await chat.say('delete path=/missing');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('failed');
    await chat.reload();
    await card.becomes('failed');
  });

  test('langgraph-js: r39_reload: a pause outlives the server', async (t) => {
    const lasting = await startLastingBackend(t, 'langgraph-js', stage.origin);
    const world = new JavaScript('hitl-js', { behind: lasting, expectedErrors: [/CORS policy/, /net::ERR_/] });
    await outliveRestarts(t, world, lasting);
  });

  test('langgraph-js: r12_numbers: a number that JavaScript would change is not sent, and what JavaScript itself has sent is', async (t) => {
    const world = new JavaScript('hitl-js');
    const chat = await world.open(t);
    // What the model says is a JavaScript number before anybody is asked.
    await chat.say('transfer amount=0.1 reference=9007199254740993');
    const card = await chat.card('transfer_funds');
    const shown = await card.shownArguments();
    assert.ok(shown.includes('"reference":9007199254740992'), shown);
    await chat.decide(card, { kind: 'edit', args: shown.replace('740992', '740993') });
    assert.match(await chat.notice(), /9007199254740993/);
    await card.becomes('pending');
    await chat.decide(card, { kind: 'edit', args: shown.replace('0.1', '0.25') });
    await card.becomes('completed');
    assert.deepEqual(await world.executed(chat), [{ tool: 'transfer_funds', args: shown.replace('0.1', '0.25') }]);
  });

  test('langgraph-js: r10_batch: one rejection drops the whole batch, which cards say before and show after', async (t) => {
    const world = new JavaScript('hitl-js');
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then read path=/srv/r then email then transfer amount=5');
    const [remove, mail, transfer] = await chat.pending(3);
    for (const { element } of [remove, mail, transfer]) await element.getByText(NONE_RUNS).waitFor();
    await transfer.edit((await transfer.shownArguments()).replace(':5,', ':6,'));
    await transfer.becomes('drafted');
    await mail.reject('Not "this" é 漢\nweek');
    await remove.approve();
    const all = async () => Promise.all([remove.becomes('cancelled'), mail.becomes('rejected'), transfer.becomes('cancelled')]);
    await all();
    await eventually(async () => assert.deepEqual(await world.told(chat), [['send_email', 'Not "this" é 漢\nweek']]));
    await chat.reload();
    await all();
    // Not even the call that nobody had to decide.
    assert.deepEqual(await world.executed(chat), []);
  });

  test('langgraph-js: r01_identity: calls of the same name, decided in reverse order, run each with what was decided on it', async (t) => {
    const world = new JavaScript('hitl-js');
    const chat = await world.open(t);
    await chat.say('transfer amount=1 then transfer amount=1 then transfer amount=2');
    const [first, second, third] = await chat.pending(3);
    const shown = await first.shownArguments();
    await third.approve();
    await second.edit(shown.replace(':1,', ':7,'));
    await second.becomes('drafted');
    await first.approve();
    await Promise.all([first, second, third].map((card) => card.becomes('completed')));
    const amounts = (await world.executed(chat)).map(({ args }) => JSON.parse(args).amount);
    assert.deepEqual(amounts.sort(), [1, 2, 7]);
    await chat.reload();
    await Promise.all([first, second, third].map((card) => card.becomes('completed')));
  });

  test('langgraph-js: r40_remote: calls of an agent inside a tool are decided here and run there', async (t) => {
    const world = new JavaScript('subagent');
    const chat = await world.open(t);
    await chat.say('delegate: delete path=/srv/a then delete path=/srv/b');
    await chat.pending(2);
    await chat.reload();
    const [first, second] = await chat.pending(2);
    await second.approve();
    await first.approve();
    await Promise.all([first.becomes('approved', 'completed'), second.becomes('approved', 'completed')]);
    await eventually(async () => assert.deepEqual(await world.executed(chat), [removed('/srv/a'), removed('/srv/b')]));
  });

  test('langgraph-js: a node that asks one call after the other runs them when all are decided', async (t) => {
    const world = new JavaScript('agent-os');
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then delete path=/srv/b');
    const first = await chat.card('delete_file');
    await first.approve();
    await first.becomes('approved');
    assert.deepEqual(await world.executed(chat), []);
    const second = await chat.card('delete_file');
    assert.notEqual(second.request, first.request);
    await second.ignore();
    await second.becomes('rejected');
    await eventually(async () => assert.deepEqual(await world.executed(chat), [removed('/srv/a')]));
  });

  test('langgraph-js: several interrupts at once are decided each for itself', async (t) => {
    const world = new JavaScript('human-interrupt');
    const chat = await world.open(t);
    await chat.say('delete path=/srv/a then email then delete path=/srv/b');
    const [first, mail, last] = await chat.pending(3);
    await last.approve();
    await last.becomes('completed');
    await chat.pending(2);
    await mail.respond('Use the "new" address \\ é 漢 🙂\nsecond line');
    await mail.becomes('responded');
    await chat.reload();
    await chat.card('delete_file');
    await first.ignore();
    await first.becomes('rejected');
    assert.deepEqual(await world.executed(chat), [removed('/srv/b')]);
    await eventually(async () => assert.ok(await world.modelGot(chat, 'Use the "new" address \\ é 漢 🙂\nsecond line')));
  });

  test('langgraph-js: a page that is loaded again while a tool runs hears what came of it, in a long conversation too', async (t) => {
    const world = new JavaScript('hitl-js', { more: { pollMs: 600_000 } });
    const chat = await world.open(t);
    for (let turn = 0; turn < 10; turn += 1) {
      const input = { messages: [{ role: 'user', content: 'read' }] };
      const body = JSON.stringify({ assistant_id: 'hitl-js', input });
      await world.behind.request(`/threads/${await chat.context()}/runs/wait`, { method: 'POST', body });
    }
    await chat.say('delete path=/slow');
    const card = await chat.card('delete_file');
    await card.approve();
    await eventually(async () => assert.equal((await world.executed(chat)).length, 11));
    await chat.reload();
    await card.becomes('completed');
    assert.equal((await world.executed(chat)).length, 11);
  });

  test('langgraph-js: a model that fails is said, and the conversation goes on', async (t) => {
    const chat = await new JavaScript('hitl-js').open(t);
    await chat.say('delete path=/srv/a later crash');
    const card = await chat.card('delete_file');
    await card.approve();
    await card.becomes('completed');
    await chat.say('delete path=/srv/b');
    await chat.card('delete_file');
  });
});
