// The guard inside LangGraph's server, as `http.app`: an answer reaches a thread once, in time, and only if it fits.
//
// Here a page gets the few routes that a chat needs, and each run is made anew from what was checked. Nothing of the page's own
// request reaches the server behind: it would keep every header that begins with `x-`, the token too, in the thread's config and
// in each checkpoint, where the history shows it.

import { createHash } from 'node:crypto';

import { Hono } from 'hono';

import { check, DIGESTS, Refused, waiting } from './answer.mjs';
import { INNER } from './fence.mjs';
import { executions, outcomes } from './ledger.mjs';
import { options } from './options.mjs';
import { Ambiguous, readObject } from './strict-json.mjs';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const THREAD = new RegExp(`^/threads/(${UUID})(/.*)?$`);
const JOINING = new RegExp(`^GET /runs/${UUID}/stream$`);
const READING = ['GET ', 'GET /state', 'GET /history', 'POST /history'];
const RUNNING = ['POST /runs/stream', 'POST /runs/wait'];
/** What a page may say of a run; what of it is handed on as it is. */
const SHOWING = ['assistant_id', 'stream_mode', 'stream_subgraphs', 'stream_resumable'];
const MEMBERS = [...SHOWING, 'input', 'command', 'metadata', 'if_not_exists', 'multitask_strategy', 'on_disconnect'];
const TOO_LATE = 'Nobody decided in time. What waited was not run.';
const LONGEST_BODY = 1 << 20;

/** The sends that are to fail: `{ context, count, status, when }`. */
const faults = [];
/** The last run of each thread, until its stream has ended. */
const busy = new Map();
/** Thread and name of a send that was taken → digest of its answers. */
const accepted = new Map();

export const app = new Hono();
app.all('*', async (c, next) => {
  if (c.req.header(INNER) === options.inner) return next();
  try {
    return await route(c.req.raw);
  } catch (error) {
    if (error instanceof Refused) return refusal(error.status, error.message);
    if (error instanceof Ambiguous) return refusal(400, error.message);
    throw error;
  }
});

const refusal = (status, message) => Response.json({ error: true, message }, { status });

async function route(request) {
  const { pathname, searchParams } = new URL(request.url);
  const asked = `${request.method} ${pathname}`;
  if (asked === 'GET /executed') return Response.json(executions(searchParams.get('context')));
  if (asked === 'GET /model') return Response.json(outcomes(searchParams.get('context')));
  const text = request.method === 'POST' ? await request.text() : undefined;
  if (text?.length > LONGEST_BODY) throw new Refused('the body is too long', 413);
  if (asked === 'POST /test/fail-next' && options.test) return planFault(searchParams);
  if (asked === 'POST /threads') {
    const body = readObject(text);
    // With `supersteps` a page would write the state of the new thread.
    if (Object.keys(given(body)).some((name) => !['thread_id', 'if_exists'].includes(name))) {
      throw new Refused('a page chooses nothing but the id of a thread');
    }
    return handOn(await call('POST', '/threads', given(body)));
  }
  const [, thread, rest = ''] = THREAD.exec(pathname) ?? [];
  const what = `${request.method} ${rest}`;
  if (thread === undefined) throw new Refused(`not found: ${pathname} is no route for pages`, 404);
  if (RUNNING.includes(what)) return send(thread, rest, text, request.headers.get('idempotency-key'));
  if (READING.includes(what)) {
    const body = text === undefined ? undefined : readObject(text);
    if (body && Object.keys(body).some((name) => !['limit', 'before'].includes(name))) {
      throw new Refused('a page reads its history from the end');
    }
    // A run goes on and writes to the thread; what is late is refused when it is answered.
    if (!busy.has(thread)) await alone(thread, async () => endLate(thread, await read(`/threads/${thread}/state`)));
    return handOn(await call(request.method, pathname, body));
  }
  if (what === 'GET /runs') return listed(thread, searchParams);
  // What the run still says, for a page that was loaded again. `cancel_on_disconnect` would let it end the run.
  if (JOINING.test(what)) return handOn(await call('GET', pathname));
  throw new Refused(`not found: ${pathname} is no route for pages`, 404);
}

/** What a page may know of the runs of a thread: the rest of one says how the server works, and who began it. */
async function listed(thread, query) {
  const kept = new URLSearchParams([...query].filter(([name]) => ['limit', 'status'].includes(name)));
  const response = await call('GET', `/threads/${thread}/runs?${kept}`);
  if (!response.ok) return handOn(response);
  return Response.json((await response.json()).map(({ run_id, status }) => ({ run_id, status })));
}

async function send(thread, rest, text, key) {
  const at = faults.findIndex(({ context }) => context === null || context === thread);
  const fault = faults[at];
  if (fault && (fault.count -= 1) === 0) faults.splice(at, 1);
  if (fault?.when === 'before') return refusal(fault.status, 'this failure was asked for');
  const response = await run(thread, rest, text, key);
  if (fault === undefined) return response;
  await response.text();
  return refusal(fault.status, 'this failure was asked for');
}

function planFault(query) {
  const [context, when] = [query.get('context'), query.get('when') ?? 'before'];
  const number = (name, otherwise) => Number(query.get(name) ?? otherwise);
  faults.push({ context, when, count: number('count', 1), status: number('status', 503) });
  return Response.json({ planned: faults.at(-1).count });
}

async function run(thread, rest, text, key) {
  const asked = given(readObject(text));
  const unknown = Object.keys(asked).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) throw new Refused(`\`${unknown}\` is not for pages`);
  const { input, command, metadata = {}, ...body } = {
    ...asked,
    // A page that goes away must not stop a tool in the middle, and a second run must not queue up behind this one.
    multitask_strategy: 'reject',
    on_disconnect: 'continue',
    if_not_exists: 'create',
  };
  if (Object.keys(metadata).some((name) => name !== DIGESTS)) throw new Refused(`\`metadata\` holds nothing but \`${DIGESTS}\``);
  return alone(thread, async (release) => {
    const known = await read(`/threads/${thread}`, {});
    const graph = known.metadata?.graph_id ?? body.assistant_id;
    // Another one would take the answer without its own gate.
    if (typeof body.assistant_id !== 'string' || graph !== body.assistant_id) throw new Refused(`the thread belongs to \`${graph}\``);
    if (command === undefined) body.input = { messages: [{ role: 'user', content: typedWords(input) }] };
    else {
      // `update` and `goto` rewrite the state and jump over the pause.
      if (input !== undefined || Object.keys(command).join() !== 'resume') {
        throw new Refused('a command is `resume` and nothing else, without input');
      }
      if (!(await admit(thread, command.resume, metadata[DIGESTS], key))) return repeat(thread, rest);
      body.command = command;
    }
    return held(handOn(await call('POST', `/threads/${thread}${rest}`, body)), release);
  });
}

/** Whether these answers are new; remembers them if so. */
async function admit(thread, resume, digests, key) {
  const name = `${thread} ${key}`;
  const digest = createHash('sha256').update(JSON.stringify(resume)).digest('hex');
  if (key !== null && accepted.has(name)) {
    if (accepted.get(name) !== digest) throw new Refused('this idempotency key belongs to another answer', 409);
    return false;
  }
  check(resume, await endLate(thread, await read(`/threads/${thread}/state`)), digests);
  if (key !== null) accepted.set(name, digest);
  return true;
}

/** Where the thread stands, for who lost the reply. Nothing runs. */
async function repeat(thread, rest) {
  const state = await read(`/threads/${thread}/state`);
  const left = [...waiting(state).values()];
  const values = { ...state.values, ...(left.length > 0 ? { __interrupt__: left } : {}) };
  if (rest === '/runs/wait') return Response.json(values);
  const event = `event: values\ndata: ${JSON.stringify(values)}\n\n`;
  return new Response(event, { headers: { 'content-type': 'text/event-stream' } });
}

/** Ends the pauses that are too old, where every page can see it; returns the interrupts that still wait. */
async function endLate(thread, state) {
  const interrupts = waiting(state ?? {});
  if (interrupts.size === 0 || Date.now() - Date.parse(state.created_at) < options.timeoutMs) return interrupts;
  const write = (body) => read(`/threads/${thread}/state`, undefined, body);
  const clear = { values: null, as_node: '__end__' };
  // First what finished beside the pause becomes part of the thread, then the calls that waited get an outcome.
  await write(clear);
  const { values } = await read(`/threads/${thread}/state`);
  const messages = values.messages ?? [];
  const settled = messages.map(({ tool_call_id }) => tool_call_id);
  const open = (messages.findLast(({ tool_calls }) => tool_calls?.length > 0)?.tool_calls ?? []).filter(({ id }) => !settled.includes(id));
  const ended = open.map(({ id, name }) => ({ role: 'tool', content: TOO_LATE, tool_call_id: id, name, status: 'error' }));
  if (ended.length > 0) {
    const node = state.tasks.find((task) => task.interrupts?.length > 0).name;
    await write({ values: { messages: ended }, as_node: node.includes('HumanInTheLoopMiddleware') ? 'tools' : node });
    await write(clear);
  }
  return new Map();
}

/** The words in the input of a run: with an id or another role a message would replace one, or be an outcome. */
function typedWords(found) {
  const [message, ...more] = Object.keys(found ?? {}).join() === 'messages' && Array.isArray(found.messages) ? found.messages : [];
  const { role = 'user', type = 'human', content } = message ?? {};
  if (more.length > 0 || role !== 'user' || type !== 'human') throw new Refused('the input is one message of the user');
  if (typeof content !== 'string') throw new Refused('a message of the user is text');
  return content;
}

/** Asks the server itself, in this process. */
function call(method, path, body) {
  const headers = { [INNER]: options.inner, ...(body && { 'content-type': 'application/json' }) };
  const fetch = globalThis[Symbol.for('langgraph_api:fetch')];
  return fetch(`http://127.0.0.1:${options.port}${path}`, { method, headers, body: body && JSON.stringify(body) });
}

/** What it says at this path; `missing` stands for what is not there. */
async function read(path, missing, body) {
  const response = await call(body ? 'POST' : 'GET', path, body);
  if (response.status === 404) {
    if (missing !== undefined || !path.endsWith('/state')) return missing;
    throw new Refused('there is no such thread', 404);
  }
  // Somebody is running the thread at this moment: then nothing here is old.
  if (!response.ok) throw new Refused(`the thread is busy: ${await response.text()}`, 409);
  return response.json();
}

/** An answer of the server without its headers. */
function handOn({ status, body, headers }) {
  return new Response(body, { status, headers: { 'content-type': headers.get('content-type') ?? 'application/json' } });
}

/**
 * One at a time for each thread: until a run begins, the state shows the interrupt to the second answer too, and the server would
 * give that one to the next question. `work` gets what ends its turn, where that is later than its own end.
 */
async function alone(thread, work) {
  const before = busy.get(thread);
  const { promise, resolve } = withResolvers();
  busy.set(thread, promise);
  const release = () => {
    if (busy.get(thread) === promise) busy.delete(thread);
    resolve();
  };
  await before;
  let isHeld = false;
  try {
    const found = await work(() => {
      isHeld = true;
      return release;
    });
    return found;
  } finally {
    if (!isHeld) release();
  }
}

/** The same answer, which holds its turn until it has been read to the end, whether somebody still listens or not. */
function held(response, hold) {
  const release = hold();
  const reader = response.body.getReader();
  let isGone = false;
  const body = new ReadableStream({
    async start(controller) {
      try {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          if (!isGone) controller.enqueue(part.value);
        }
      } finally {
        release();
        if (!isGone) controller.close();
      }
    },
    cancel() {
      isGone = true;
    },
  });
  return new Response(body, response);
}

function withResolvers() {
  let resolve;
  const promise = new Promise((fulfil) => (resolve = fulfil));
  return { promise, resolve };
}

/** The members that say something: clients write `null` for what they leave open. */
function given(body) {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
