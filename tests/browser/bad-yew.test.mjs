// A page in Rust in front of backends that do what none should: it neither hangs nor says what it does not know.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { openBad, plays, SIGN_IN, sockets, stream } from './harness/bad.mjs';
import { demo } from './harness/demo.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { press } from './harness/press.mjs';

const stage = demo();
const approve = (page) => press(page.locator('[part~="approve-button"]').first());
const retry = (page) => page.locator('[part~="retry-button"]');
const statuses = (page) => page.locator('[part~=card]').evaluateAll((all) => all.map((card) => card.dataset.status).sort());
const cards = (page, ...expected) => eventually(async () => assert.deepEqual(await statuses(page), expected));
const says = (page, words) => page.locator('main > [role=status], .notice').filter({ hasText: words }).waitFor();

/** Half a minute and more is soon over. */
const HURRY = () => {
  const real = window.setTimeout;
  window.setTimeout = (callback, wait, ...rest) => real(callback, wait >= 30_000 ? wait / 60 : wait, ...rest);
};

for (const [query, ask] of [
  [{ backend: 'adalflow', wire: 'adalflow-ws' }, (id) => ({ type: 'approval_request', id, tool: 'delete_file', args: [`/srv/${id}`], message: 'm' })],
  [{ backend: 'haystack' }, (id) => ({ type: 'approval_request', id, tool_name: 'delete_file', tool_params: { path: `/srv/${id}` } })],
]) {
  for (const full of [false, true]) {
    test(`${query.backend}, ${full ? 'demo' : 'plain'}: where nothing is said about answers one keeps no other back`, async (t) => {
      const frames = [];
      const page = await openBad(t, stage, { ...query, ...(full ? { full } : {}) }, async (context) => {
        await plays(context, () => ({ body: [] }));
        await sockets(context, (socket) => {
          socket.onMessage((text) => frames.push(JSON.parse(text).id));
          for (const id of ['a', 'b']) socket.send(JSON.stringify(ask(id)));
        });
      });
      await cards(page, 'pending', 'pending');
      await approve(page);
      await cards(page, 'pending', 'sent');
      await approve(page);
      await cards(page, 'sent', 'sent');
      assert.deepEqual(frames.sort(), ['a', 'b']);
    });
  }
}

for (const [query, what] of [
  [{ backend: 'adalflow', wire: 'adalflow-rest', poll: '100' }, 'is read'],
  [{ backend: 'haystack' }, 'is opened'],
]) {
  test(`r38_in a page that a browser draws ahead nothing ${what} before somebody opens it`, async (t) => {
    let asked = 0;
    const play = async (context) => {
      await plays(context, () => {
        asked += 1;
        return { body: [] };
      });
      await sockets(context, () => (asked += 1));
    };
    const before = () => Object.defineProperty(document, 'prerendering', { value: true, configurable: true });
    const page = await openBad(t, stage, query, play, { before });
    await page.locator('main').waitFor();
    await page.evaluate(() => dispatchEvent(new Event('online')));
    await pause(1_000);
    assert.equal(asked, 0);
    await page.evaluate(() => {
      delete document.prerendering;
      document.dispatchEvent(new Event('prerenderingchange'));
    });
    await eventually(async () => assert.ok(asked > 0));
  });
}

test('a web page in place of a receipt is no delivery', async (t) => {
  const page = await openBad(t, stage, { backend: 'adalflow', wire: 'adalflow-rest' }, (context) =>
    plays(context, ({ method, path }) => {
      if (method === 'POST') return SIGN_IN;
      const open = [{ request_id: 'a', tool_name: 'delete_file', tool_args: [], tool_kwargs: { path: '/a' }, timestamp: 1, status: 'pending' }];
      return { body: path.includes('/pending') ? open : [] };
    }),
  );
  await cards(page, 'pending');
  await approve(page);
  await retry(page).waitFor();
});

for (const [query, found, words] of [
  [{ backend: 'adalflow', wire: 'adalflow-rest' }, SIGN_IN, 'a web page'],
  [{ backend: 'kagent' }, SIGN_IN, 'a web page'],
  [{ backend: 'adk' }, SIGN_IN, 'a web page'],
  [{ backend: 'langgraph', wire: 'langgraph-per-call' }, SIGN_IN, 'a web page'],
  [{ backend: 'kagent' }, { body: { error: true, message: 'the database is down', data: null } }, 'the database is down'],
  [{ backend: 'kagent', wire: 'kagent-hitl-v1' }, { body: { jsonrpc: '2.0', id: '1', error: { code: -32601, message: 'no such method' } } }, 'no such method'],
]) {
  test(`${query.wire ?? query.backend}: ${words}: that is no history, and it is asked once`, async (t) => {
    let asked = 0;
    const page = await openBad(t, stage, query, (context) =>
      plays(context, () => {
        asked += 1;
        return found;
      }),
    );
    await says(page, words);
    // What follows the conversation asks for itself, a moment after.
    await pause(500);
    const before = asked;
    await pause(1_000);
    assert.equal(asked, before);
  });
}

test('adk: a history that is cut short is none, and is read again', async (t) => {
  let found = '{"events":[';
  const page = await openBad(t, stage, { backend: 'adk' }, (context) => plays(context, () => ({ body: found })));
  await says(page, 'cut short');
  found = '{"id":"s","events":[]}';
  await page.locator('main > [role=status]').filter({ hasText: 'live' }).waitFor();
});

/** What kagent asks, and its task in this state, with what came after the question. */
const CALL = { id: 'call-1', name: 'delete_file', args: { path: '/a' } };
const CONFIRMATION = {
  kind: 'data',
  metadata: { kagent_type: 'function_call', kagent_is_long_running: true },
  data: { id: 'confirm-1', name: 'adk_request_confirmation', args: { originalFunctionCall: CALL, toolConfirmation: { hint: '', confirmed: false } } },
};
const QUESTION = { kind: 'message', role: 'agent', messageId: 'm-1', parts: [CONFIRMATION] };
const task = (state, ...more) => ({
  kind: 'task',
  id: 't',
  contextId: 'c',
  history: state === 'input-required' ? [] : [QUESTION, ...more],
  status: state === 'input-required' ? { state, message: QUESTION } : { state },
});
const tasks = (...all) => ({ body: { error: false, message: '', data: all } });

test('kagent: a stream that ends before it began is no delivery', async (t) => {
  const page = await openBad(t, stage, { backend: 'kagent' }, (context) =>
    plays(context, ({ body }) => {
      if (body.includes('"message/stream"')) return stream();
      return body.includes('"tasks/get"') ? { body: { jsonrpc: '2.0', id: '1', result: task('input-required') } } : tasks(task('input-required'));
    }),
  );
  await cards(page, 'pending');
  await approve(page);
  await retry(page).waitFor();
});

/** A thread of LangGraph that asks. */
const INTERRUPT = '0123456789abcdef0123456789abcdef';
const AI = { type: 'ai', id: 'm1', content: '', tool_calls: [{ id: 'c', name: 'delete_file', args: { path: '/a' }, type: 'tool_call' }] };
const checkpoint = { checkpoint: { checkpoint_id: '1' }, metadata: {}, created_at: 'x', parent_checkpoint: null };
const asking = {
  ...checkpoint,
  values: { messages: [AI] },
  next: ['a'],
  tasks: [{ id: 't', interrupts: [{ id: INTERRUPT, value: { type: 'tool_approval', tool_call_id: 'c', name: 'delete_file', args: { path: '/a' }, description: '' } }] }],
};

for (const silent of ['/state', '/runs/stream']) {
  test(`langgraph: a backend that never answers at ${silent} is lost after a while`, async (t) => {
    const play = (context) =>
      plays(context, ({ path }) => {
        if (path.endsWith(silent)) return undefined;
        if (path.endsWith('/history')) return { body: [asking] };
        return { body: path.endsWith('/state') ? asking : [] };
      });
    const page = await openBad(t, stage, { backend: 'langgraph', wire: 'langgraph-per-call' }, play, { before: HURRY });
    await cards(page, 'pending');
    await approve(page);
    await retry(page).waitFor();
    assert.match(await page.locator('[part~=card]').innerText(), /did not answer within \d+ ms/);
  });
}

for (const full of [false, true]) {
  test(`a deadline that is months away keeps the ${full ? 'demo' : 'plain page'} quiet`, async (t) => {
    const play = async (context) => {
      await plays(context, () => ({ body: [] }));
      await sockets(context, (socket) => {
        const ask = { type: 'approval_request', id: 'a', tool_name: 'delete_file', tool_params: { path: '/srv' }, timeout_s: 90 * 86_400 };
        socket.send(JSON.stringify(ask));
      });
    };
    const before = () => {
      const real = window.setTimeout;
      window.waits = [];
      window.setTimeout = (callback, wait, ...rest) => {
        window.waits.push(wait);
        return real(callback, wait, ...rest);
      };
    };
    const page = await openBad(t, stage, { backend: 'haystack', ...(full ? { full } : {}) }, play, { before });
    await cards(page, 'pending');
    assert.deepEqual(await page.evaluate(() => window.waits.filter((wait) => wait < 0 || wait > 2 ** 31 - 1)), []);
  });
}

for (const full of [false, true]) {
  test(`a web socket that the backend refuses is not live and not asked again, in the ${full ? 'demo' : 'plain page'}`, async (t) => {
    let opened = 0;
    const page = await openBad(t, stage, { backend: 'haystack', ...(full ? { full } : {}) }, async (context) => {
      await plays(context, () => ({ body: [] }));
      await sockets(context, (socket) => {
        opened += 1;
        socket.close({ code: 1008, reason: 'token refused' });
      });
    });
    await says(page, 'token refused');
    await pause(1_500);
    assert.equal(opened, 1);
  });
}

/** The tool ran, as kagent tells it. */
const DONE = {
  kind: 'message',
  role: 'agent',
  messageId: 'm-2',
  parts: [{ kind: 'data', metadata: { kagent_type: 'function_response' }, data: { id: 'call-1', name: 'delete_file', response: { result: 'ok' } } }],
};
const ANSWER = { kind: 'message', role: 'user', messageId: 'u-1', taskId: 't', contextId: 'c', parts: [{ kind: 'data', data: { decision_type: 'approve' }, metadata: {} }] };

for (const full of [false, true]) {
  for (const follows of [false, true]) {
    const where = full ? 'demo' : 'plain page';
    test(`kagent: a ${where} that was loaded while a tool ran hears that it ended, ${follows ? 'by the stream of its task' : 'by its history'}`, async (t) => {
      let end;
      const ended = new Promise((resolve) => (end = resolve));
      let isOver = false;
      let followed = 0;
      const page = await openBad(t, stage, { backend: 'kagent', ...(full ? { full } : {}) }, (context) =>
        plays(context, async ({ body }) => {
          if (!body.includes('"tasks/resubscribe"')) return tasks(isOver ? task('completed', ANSWER, DONE) : task('working', ANSWER));
          followed += 1;
          if (!follows) return { body: { jsonrpc: '2.0', id: '1', error: { code: -32004, message: 'not supported' } } };
          await ended;
          const update = { kind: 'status-update', taskId: 't', contextId: 'c', final: true, status: { state: 'completed', message: DONE } };
          return stream({ jsonrpc: '2.0', id: '1', result: update });
        }),
      );
      await cards(page, 'approved');
      if (follows) await eventually(async () => assert.equal(followed, 1));
      isOver = true;
      end();
      await cards(page, 'completed');
      if (follows) assert.equal(followed, 1, 'who rests is not followed');
    });
  }
}

/** A session of ADK that asks. */
const said = (part, author) => ({ id: `e${Object.keys(part)}${author}`, invocationId: 'i', author, content: { role: 'model', parts: [part] } });
const session = {
  id: 's',
  appName: 'a',
  userId: 'u',
  events: [said({ functionCall: CALL }, 'agent'), { ...said({ functionCall: CONFIRMATION.data }, 'agent'), longRunningToolIds: ['confirm-1'] }],
};

for (const [query, runs, state] of [
  [{ backend: 'langgraph', wire: 'langgraph-per-call' }, '/runs/stream', (path) => (path.endsWith('/history') ? [asking] : path.endsWith('/state') ? asking : [])],
  [{ backend: 'adk' }, '/run_sse', () => session],
]) {
  for (const [name, answer, words] of [
    ['a stream without an event', stream(), /ended before it began/],
    ['an empty answer', { body: '' }, /ended before it began/],
    ['an answer that is no stream', { body: { detail: 'all is well' } }, /without a stream of events: all is well/],
  ]) {
    test(`${query.backend}: ${name} is no delivery`, async (t) => {
      const page = await openBad(t, stage, query, (context) => plays(context, ({ path }) => (path.endsWith(runs) ? answer : { body: state(path) })));
      await cards(page, 'pending');
      await approve(page);
      await retry(page).waitFor();
      assert.match(await page.locator('[part~=card]').innerText(), words);
    });
  }
}

for (const follows of [false, true]) {
  test(`langgraph: a run of before the page was loaded asks, ${follows ? 'in its stream' : 'and only its state says so'}`, async (t) => {
    let isOver = false;
    const resting = { ...checkpoint, values: { messages: [] }, next: ['model'], tasks: [] };
    const page = await openBad(t, stage, { backend: 'langgraph', wire: 'langgraph-per-call' }, (context) =>
      plays(context, async ({ path }) => {
        if (path.includes('/runs?')) return { body: isOver ? [{ run_id: 'r', status: 'interrupted' }] : [{ run_id: 'r', status: 'running' }] };
        if (path.endsWith('/runs/r/stream')) {
          isOver = true;
          return follows ? stream() : { status: 404, body: { detail: 'no such run' } };
        }
        return { body: path.endsWith('/history') ? [isOver ? asking : resting] : isOver ? asking : resting };
      }),
    );
    await cards(page, 'pending');
  });
}

test('adk: a page that was loaded while a tool ran hears that it ended', async (t) => {
  let asked = 0;
  const part = (parts, author, role = author) => ({ id: `e${parts.length}${author}`, invocationId: 'i', author, content: { role, parts } });
  const call = { functionCall: { id: 'call-1', name: 'delete_file', args: { path: '/a' } } };
  const confirm = { functionCall: { id: 'confirm-1', name: 'adk_request_confirmation', args: { originalFunctionCall: { ...call.functionCall }, toolConfirmation: { hint: '', confirmed: false } } } };
  const yes = { functionResponse: { id: 'confirm-1', name: 'adk_request_confirmation', response: { confirmed: true } } };
  const ran = { functionResponse: { id: 'call-1', name: 'delete_file', response: { result: 'ok' } } };
  const begun = [
    part([call], 'agent', 'model'),
    { ...part([confirm], 'agent', 'model'), longRunningToolIds: ['confirm-1'] },
    part([yes], 'user'),
  ];
  const page = await openBad(t, stage, { backend: 'adk' }, (context) =>
    plays(context, () => {
      asked += 1;
      const events = asked < 3 ? begun : [...begun, part([ran], 'agent', 'user'), part([{ text: 'done' }], 'agent', 'model')];
      return { body: { id: 's', appName: 'a', userId: 'u', events } };
    }),
  );
  await cards(page, 'completed');
  const before = asked;
  await pause(1_500);
  assert.equal(asked, before, 'who rests is not asked again');
});

test('what another client begins is seen without an act in the page where it polls, and when the network is back', async (t) => {
  for (const poll of [true, false]) {
    let asks = false;
    let read = 0;
    const page = await openBad(t, stage, { backend: 'kagent', ...(poll ? { poll: 100 } : {}) }, (context) =>
      plays(context, () => {
        read += 1;
        return tasks(...(asks ? [task('input-required')] : []));
      }),
    );
    await says(page, 'live');
    asks = true;
    if (!poll) {
      const before = read;
      await pause(500);
      assert.equal(read, before);
      await page.evaluate(() => window.dispatchEvent(new Event('online')));
    }
    await cards(page, 'pending');
  }
});

test('a page that polls leaves a backend alone that refused', async (t) => {
  let read = 0;
  const page = await openBad(t, stage, { backend: 'kagent', poll: 100 }, (context) =>
    plays(context, () => {
      read += 1;
      return read < 3 ? tasks() : { status: 401, body: { detail: 'token expired' } };
    }),
  );
  await says(page, 'token expired');
  const before = read;
  await pause(700);
  assert.equal(read, before);
});

test('haystack: when the network is back the socket is opened anew, and a decision of which nothing was said waits for a person', async (t) => {
  let opened = 0;
  const page = await openBad(t, stage, { backend: 'haystack' }, async (context) => {
    await plays(context, () => ({ body: [] }));
    await sockets(context, (socket) => {
      opened += 1;
      if (opened === 1) socket.send(JSON.stringify({ type: 'approval_request', id: 'a', tool_name: 'delete_file', tool_params: { path: '/a' } }));
    });
  });
  await cards(page, 'pending');
  await approve(page);
  await cards(page, 'sent');
  const before = opened;
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await retry(page).waitFor();
  await eventually(async () => assert.equal(opened, before + 1));
});

test('adk: a run whose beginning a proxy keeps back fails after a minute, and is not cancelled', async (t) => {
  const session = {
    id: 's',
    events: [{ id: 'e', invocationId: 'i', author: 'agent', content: { role: 'model', parts: [{ functionCall: { id: 'confirm-1', name: 'adk_request_confirmation', args: CONFIRMATION.data.args } }] }, longRunningToolIds: ['confirm-1'] }],
  };
  const broken = [];
  let posted = 0;
  const play = (context) => {
    context.on('requestfailed', (request) => broken.push(request.url()));
    return plays(context, ({ path }) => {
      if (!path.includes('/run_sse')) return { body: session };
      posted += 1;
      return undefined;
    });
  };
  const page = await openBad(t, stage, { backend: 'adk' }, play, { before: HURRY });
  await cards(page, 'pending');
  await approve(page);
  await retry(page).waitFor();
  await pause(1_000);
  assert.deepEqual([posted, broken.filter((url) => url.includes('/run_sse'))], [1, []]);
});
