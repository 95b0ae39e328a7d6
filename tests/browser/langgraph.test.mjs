// The demo page with a real LangGraph server behind it: graphs that ask in a way of their own.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { demo } from './harness/demo.mjs';
import { eventually } from './harness/eventually.mjs';
import { LangGraph } from './harness/langgraph.mjs';
import { removed } from './harness/real.mjs';

const stage = demo('langgraph');

test('langgraph subagent (real): calls of an agent inside a tool are decided here and run there', async (t) => {
  const world = new LangGraph(stage, 'langgraph-hitl', { graph: 'subagent' });
  const chat = await world.open(t);
  await chat.say('delegate: delete path=/srv/a then delete path=/srv/b');
  const [first, second] = await chat.pending(2);
  await chat.reload();
  await chat.pending(2);
  await first.reject('not a');
  await second.approve();
  await Promise.all([first.becomes('rejected'), second.becomes('completed', 'approved')]);
  await eventually(async () => assert.ok(await world.modelGot(chat, 'not a')));
  assert.deepEqual(await world.executed(chat), [removed('/srv/b')]);
});

test('langgraph agent-os (real): one call is asked about after the other, and they run when all are decided', async (t) => {
  const world = new LangGraph(stage, 'langgraph-interrupt', { graph: 'agent-os' });
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
  await eventually(async () => {
    assert.deepEqual(await world.executed(chat), [removed('/srv/a')]);
  });
});
