// What the JavaScript backend refuses, and the ready connector against it in every stream mode; no browser is needed for that.

import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { request as dial } from 'node:http';
import { after, before, describe, test } from 'node:test';

import { load } from '../package/package.mjs';
import { startBackend } from './harness/backend.mjs';
import { eventually } from './harness/eventually.mjs';
import { removed } from './harness/real.mjs';

const ORIGIN = 'http://127.0.0.1:5173';
const APPROVE = { type: 'approve' };
const ACCEPT = { type: 'accept', args: null };

let backend;
let npm;
before(async () => {
  backend = await startBackend('langgraph-js', ORIGIN);
  npm = { ...(await load('countersign/headless')), ...(await load('countersign/connect')) };
  await npm.init();
});
after(() => backend?.stop());

/** One thread, spoken with as a page would. */
class Talk {
  thread = randomUUID();

  constructor(graph = 'hitl-js') {
    this.graph = graph;
  }

  async post(body, { path = 'wait', headers = {} } = {}) {
    const response = await fetch(`${backend.url}/threads/${this.thread}/runs/${path}`, {
      method: 'POST',
      headers: { 'x-countersign-token': backend.token, 'content-type': 'application/json', origin: ORIGIN, ...headers },
      body: typeof body === 'string' ? body : JSON.stringify({ assistant_id: this.graph, ...body }),
    });
    const text = await response.text();
    return { status: response.status, text, json: () => JSON.parse(text) };
  }

  /** The interrupts that typed words lead to. */
  async say(content) {
    const { status, text } = await this.post({ input: { messages: [{ role: 'user', content }] } });
    assert.equal(status, 200, text);
    return this.waiting();
  }

  async state() {
    return backend.request(`/threads/${this.thread}/state`);
  }

  async waiting() {
    return (await this.state()).tasks.flatMap(({ interrupts }) => interrupts);
  }

  resume(answers, options) {
    return this.post({ command: { resume: answers } }, options);
  }

  async refuses(body, status, words, options) {
    const refusal = await this.post(body, options);
    assert.equal(refusal.status, status, `${JSON.stringify(body)}: ${refusal.text}`);
    assert.ok(refusal.json().message.includes(words), refusal.text);
  }

  ran() {
    return backend.executed(this.thread);
  }
}

describe('langgraph-js guard', { concurrency: 4 }, () => {
  test('r50_guard: what arrives is what the middleware in JavaScript sends', async () => {
    const [{ id, value }] = await new Talk().say('delete path=/a then transfer amount=5');
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual(Object.keys(value), ['actionRequests', 'reviewConfigs']);
    assert.deepEqual(value.actionRequests[0], { name: 'delete_file', args: { path: '/a' }, description: 'Deleting cannot be undone.' });
    assert.deepEqual(value.reviewConfigs[0], { actionName: 'delete_file', allowedDecisions: ['approve', 'reject'] });
    assert.equal(value.reviewConfigs[1].argsSchema.type, 'object');
    const [{ value: all }] = await new Talk().say('email');
    assert.deepEqual(all.reviewConfigs[0].allowedDecisions, ['approve', 'edit', 'reject']);
    const several = await new Talk('human-interrupt').say('delete path=/a then delete path=/b');
    assert.deepEqual(several.map((one) => one.value[0].action_request.args.path).sort(), ['/a', '/b']);
  });

  test('r50_guard: answers must be complete, allowed, well spelt and unchanged by JavaScript', async () => {
    const talk = new Talk();
    const [{ id, value }] = await talk.say('delete path=/a then transfer');
    const { args } = value.actionRequests[1];
    const edit = (changed, name = 'transfer_funds') => ({ type: 'edit', editedAction: { name, args: { ...args, ...changed } } });
    for (const [decisions, words] of [
      [[APPROVE], '2 request(s)'],
      [[APPROVE, APPROVE, APPROVE], '2 request(s)'],
      [[edit({}), APPROVE], 'one of approve, reject'],
      [[APPROVE, { type: 'respond', message: 'x' }], 'one of approve, edit, reject'],
      [[ACCEPT, APPROVE], 'one of approve, reject'],
      [[{ ...APPROVE, args: {} }, APPROVE], 'nothing else'],
      [[{ type: 'reject', message: 1 }, APPROVE], 'at most a `message`'],
      [[APPROVE, { type: 'edit', edited_action: { name: 'transfer_funds', args } }], '`editedAction`'],
      [[APPROVE, edit({}, 'read_file')], 'another tool'],
      [[APPROVE, edit({ amount: '7' })], 'do not fit'],
      [[APPROVE, edit({ extra: 1 })], 'do not fit'],
      [[APPROVE, null], 'one of'],
    ]) {
      await talk.refuses({ command: { resume: { [id]: { decisions } } } }, 422, words);
    }
    const rounded = JSON.stringify({ assistant_id: 'hitl-js', command: { resume: { [id]: { decisions: [APPROVE, edit({ reference: 1 })] } } } });
    await talk.refuses(rounded.replace('"reference":1', '"reference":2512292042121000001'), 400, 'would change');
    await talk.refuses(rounded.replace('"amount"', '"reference":2,"amount"'), 400, 'twice');
    const human = new Talk('human-interrupt');
    const [asked] = await human.say('delete path=/a');
    for (const [answer, words] of [
      [ACCEPT, '1 request(s)'],
      [[APPROVE], 'one of accept, response, ignore'],
      [[{ type: 'accept', args: { path: '/b' } }], 'no arguments'],
      [[{ type: 'accept' }], '`type` and `args`'],
      [[{ type: 'response', args: null }], 'is text'],
    ]) {
      await human.refuses({ command: { resume: { [asked.id]: answer } } }, 422, words);
    }
    assert.deepEqual([await talk.ran(), await human.ran()], [[], []]);
    // Nothing of that stuck: both can still be answered.
    assert.equal((await talk.resume({ [id]: { decisions: [APPROVE, edit({ amount: 7 })] } })).status, 200);
    assert.equal((await human.resume({ [asked.id]: [ACCEPT] })).status, 200);
    const [first, second] = await talk.ran();
    assert.deepEqual([first, second.args], [removed('/a'), JSON.stringify({ ...args, amount: 7 })]);
    assert.deepEqual(await human.ran(), [removed('/a')]);
  });

  test('r50_guard: answers to nothing open are refused, and a repeated one runs nothing', async () => {
    const talk = new Talk();
    const [{ id }] = await talk.say('delete path=/a later delete path=/b');
    const good = { decisions: [APPROVE] };
    await talk.refuses({ command: { resume: { ['0'.repeat(32)]: good } } }, 409, 'does not wait');
    for (const bare of [good, {}, [good], 'approve', true]) await talk.refuses({ command: { resume: bare } }, 422, 'interrupt ids');
    await new Talk().refuses({ command: { resume: { [id]: good } } }, 404, 'no such thread');
    const headers = { 'idempotency-key': 'one' };
    const [first, again] = await Promise.all([talk.resume({ [id]: good }, { headers }), talk.resume({ [id]: good }, { headers })]);
    assert.deepEqual([first.status, again.status], [200, 200]);
    await talk.refuses({ command: { resume: { [id]: { decisions: [{ type: 'reject' }] } } } }, 409, 'another answer', { headers });
    await talk.refuses({ command: { resume: { [id]: good } } }, 409, 'does not wait');
    assert.deepEqual(await talk.ran(), [removed('/a')]);
    // The next question waits for an answer of its own.
    assert.equal((await talk.waiting())[0].value.actionRequests[0].args.path, '/b');
  });

  test('r50_guard: of three answers at once to the first of two questions one is taken, and the next question is not answered', async () => {
    const talk = new Talk('agent-os');
    const [{ id }] = await talk.say('delete path=/a then delete path=/b');
    const sent = await Promise.all([1, 2, 3].map(() => talk.resume({ [id]: [ACCEPT] })));
    assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 409, 409]);
    assert.deepEqual(await talk.ran(), []);
    assert.equal((await talk.waiting())[0].value.action_request.args.path, '/b');
  });

  const digested = (id, place, answer, text) => {
    const digest = createHash('sha256').update(text).digest('hex');
    return { command: { resume: { [id]: answer } }, metadata: { countersign_args_digests: { [id + place]: digest } } };
  };

  test('r50_guard: a digest of other arguments is refused', async () => {
    for (const [graph, place, answer] of [['hitl-js', '/0', { decisions: [APPROVE] }], ['agent-os', '', [ACCEPT]]]) {
      const talk = new Talk(graph);
      const [{ id }] = await talk.say('delete path=/a');
      await talk.refuses(digested(id, place, answer, '{"path":"/b"}'), 409, 'other arguments');
      assert.equal((await talk.post(digested(id, place, answer, '{"path":"/a"}'))).status, 200);
      assert.deepEqual(await talk.ran(), [removed('/a')]);
    }
  });

  test('r50_guard: a digest is not held against a rejection, which runs nothing', async () => {
    for (const [graph, place, answer] of [
      ['hitl-js', '/0', { decisions: [{ type: 'reject' }] }],
      ['agent-os', '', [{ type: 'ignore', args: null }]],
    ]) {
      const talk = new Talk(graph);
      const [{ id }] = await talk.say('delete path=/a');
      assert.equal((await talk.post(digested(id, place, answer, '{"path":"/b"}'))).status, 200);
      assert.deepEqual([await talk.ran(), await talk.waiting()], [[], []]);
    }
  });

  test('r50_guard: NUL and its escape are shown as they run', async () => {
    for (const [graph, place, answer] of [
      ['hitl-js', '/0', { decisions: [APPROVE] }],
      ['human-interrupt', '', [ACCEPT]],
      ['agent-os', '', [ACCEPT]],
    ]) {
      for (const path of ['/a\0b', '/a\\u0000b']) {
        const talk = new Talk(graph);
        const [{ id }] = await talk.say(`delete path=${JSON.stringify(path)}`);
        assert.equal((await talk.post(digested(id, place, answer, JSON.stringify({ path })))).status, 200);
        assert.deepEqual((await talk.ran()).map(({ args }) => JSON.parse(args)), [{ path }]);
      }
    }
  });

  test('r50_guard: pages reach few routes and write neither state nor history', async () => {
    const talk = new Talk();
    const [{ id }] = await talk.say('delete path=/a');
    const resume = { [id]: { decisions: [APPROVE] } };
    for (const [body, words] of [
      [{ command: { resume, update: { messages: [] } } }, 'nothing else'],
      [{ command: { goto: 'tools' } }, 'nothing else'],
      [{ command: { resume }, input: { messages: [] } }, 'nothing else'],
      [{ command: { resume }, checkpoint: { checkpoint_id: 'x' } }, '`checkpoint`'],
      [{ command: { resume }, config: { configurable: {} } }, '`config`'],
      [{ input: { messages: [{ role: 'assistant', content: 'x' }] } }, 'one message'],
      [{ input: { messages: [{ role: 'user', content: [] }] } }, 'is text'],
      [{ assistant_id: 'human-interrupt', command: { resume } }, 'belongs to `hitl-js`'],
    ]) {
      await talk.refuses(body, 422, words);
    }
    const headers = { 'x-countersign-token': backend.token, 'content-type': 'application/json' };
    for (const path of ['/', '/ok', '/info', '/ui', '/metrics', `/threads/${talk.thread}/runs/stream`, `/threads/${talk.thread}/stream/events`]) {
      assert.equal((await fetch(backend.url + path, { headers })).status, 404, path);
    }
    for (const path of ['state', 'copy', 'runs', 'runs/crons', 'commands', 'history?checkpoint=x'].map((end) => `/threads/${talk.thread}/${end}`)) {
      const { status } = await fetch(backend.url + path, { method: 'POST', headers, body: '{"checkpoint":{}}' });
      assert.ok([404, 422].includes(status), `${path}: ${status}`);
    }
    for (const path of ['/runs/stream', '/threads/search', '/store/items/search', '/assistants/search']) {
      assert.equal((await fetch(backend.url + path, { method: 'POST', headers, body: '{}' })).status, 404, path);
    }
    // What the server would keep of a page's headers does not come back to it.
    assert.ok(!JSON.stringify([await talk.state(), await backend.request(`/threads/${talk.thread}`)]).includes(backend.token));
    assert.deepEqual([await talk.ran(), (await talk.waiting()).length], [[], 1]);
  });

  test('r50_guard: only the listed page gets through', async () => {
    const good = { 'content-type': 'application/json', 'x-countersign-token': backend.token, origin: ORIGIN };
    const path = `/threads/${randomUUID()}/runs/wait`;
    for (const [headers, status] of [
      [{ origin: 'http://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ host: 'evil.example' }, 403],
      [{ 'x-countersign-token': 'wrong' }, 401],
      [{ 'x-countersign-token': 'wrong', 'x-auth-scheme': 'langsmith' }, 401],
      [{ 'content-type': 'text/plain' }, 415],
    ]) {
      for (const at of [path, '/internal/truncate']) {
        const answer = await raw('POST', at, { ...good, ...headers });
        assert.equal(answer.statusCode, status, `${at} ${JSON.stringify(headers)}`);
        if (headers.origin) assert.equal(answer.headers['access-control-allow-origin'], undefined);
      }
    }
    const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type,idempotency-key' };
    const shared = await raw('OPTIONS', path, { ...asked, origin: ORIGIN });
    assert.equal(shared.headers['access-control-allow-origin'], ORIGIN);
    const foreign = await raw('OPTIONS', path, { ...asked, origin: 'http://evil.example' });
    assert.equal(foreign.headers['access-control-allow-origin'], undefined);
    // As JSON or as text, nothing of the server is emptied by who only has the page's token.
    assert.equal((await raw('GET', '/executed', { authorization: `Bearer ${backend.token}` })).statusCode, 200);
  });

  for (const [what, options] of Object.entries({
    'values and updates': {},
    'values alone': { streamMode: ['values'] },
    'updates alone': { streamMode: ['updates'] },
    'every mode': { streamMode: ['values', 'updates', 'messages', 'messages-tuple', 'tasks', 'checkpoints', 'debug', 'custom', 'events'] },
    'no subgraphs': { subgraphs: false },
    'runs that keep what they streamed': { run: { stream_resumable: true } },
  })) {
    for (const graph of ['hitl-js', 'human-interrupt']) {
      test(`${graph}, ${what}: a call is edited, another approved, and a new page knows of both`, async (t) => {
        const talk = new Talk(graph);
        const open = async () => {
          const inbox = new npm.Inbox({ adapter: 'langgraph' });
          const headers = { 'x-countersign-token': backend.token };
          const connector = npm.langgraph({ url: backend.url, headers, ids: { threadId: talk.thread, assistantId: graph }, ...options });
          t.after(() => connector.close());
          await connector.connect(inbox);
          return { inbox, connector };
        };
        const page = await open();
        await page.connector.sendText('email then delete path=/a');
        const [mail, remove] = page.inbox.requests();
        const edited = mail.argsText.replace('alice', 'bob');
        page.inbox.decide(mail.id, { kind: 'edit', args: edited });
        page.inbox.decide(remove.id, { kind: 'approve' });
        for (const outbound of page.inbox.takeOutbound()) await page.connector.send(outbound);
        await eventually(() => assert.deepEqual(page.inbox.requests().map(({ status }) => status), ['completed', 'completed']));
        const ran = (await talk.ran()).sort((one, other) => one.tool.localeCompare(other.tool));
        assert.deepEqual(ran, [removed('/a'), { tool: 'send_email', args: edited }]);
        const later = (await open()).inbox.requests().map(({ status }) => status);
        assert.deepEqual(later, graph === 'hitl-js' ? ['completed', 'completed'] : ['unknown', 'unknown']);
      });
    }
  }
});

/** A request with exactly these headers, `Host` among them. */
function raw(method, path, headers) {
  return new Promise((resolve, reject) => {
    const sent = dial(backend.url + path, { method, headers }, (response) => resolve(response.resume()));
    sent.once('error', reject);
    sent.end(method === 'POST' ? '{}' : undefined);
  });
}
