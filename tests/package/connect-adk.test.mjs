// The connector for ADK's own REST interface, with recorded bodies.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, FakeInbox, serve, unsaid, until } from "./connect-harness.mjs";
import { adk as recorded } from "./connect-recordings.mjs";
import { load } from "./package.mjs";

const { adk } = await load("countersign/connect");
const ids = { appName: "plain", userId: "u 1", sessionId: "s/1" };
const SESSION = "GET /apps/plain/users/u%201/sessions/s%2F1";

async function connected(t, routes = {}, options = {}) {
  const state = { session: recorded.session };
  const server = await serve(t, {
    [SESSION]: (exchange) => exchange.json(state.session),
    "POST /run_sse": (exchange) => exchange.stream(recorded.events).end(),
    ...routes,
  });
  const clock = new Clock();
  const inbox = new FakeInbox();
  const connector = adk({ url: server.url, ids, ...clock.options, ...options });
  t.after(() => connector.close());
  await connector.connect(inbox);
  return { state, server, clock, inbox, connector, runs: () => server.requests.filter(({ url }) => url === "/run_sse") };
}

test("the session is restored, and the answer runs with exactly the text of the inbox", async (t) => {
  const { inbox, connector, runs } = await connected(t);
  const outbound = inbox.due(recorded.message);
  await connector.send(outbound);
  const [{ body, headers }] = runs();
  assert.equal(body, `{"appName":"plain","userId":"u 1","sessionId":"s/1","streaming":false,"newMessage":${recorded.message}}`);
  assert.equal(headers["idempotency-key"], outbound.id);
  const expected = [["restore", recorded.session], ["receive", recorded.session], ["delivered", outbound.id], ...recorded.events.map((text) => ["receive", text])];
  assert.deepEqual(inbox.log, expected);
});

test("r04_sent: what the inbox says of the arguments that were decided on goes along", async (t) => {
  const { inbox, connector, runs } = await connected(t);
  const customMetadata = { countersign_args_digests: { c1: "ab" } };
  await connector.send({ ...inbox.due(recorded.message), transport: { protocol: "adk", customMetadata } });
  assert.deepEqual(JSON.parse(runs()[0].body).customMetadata, customMetadata);
  assert.ok(runs()[0].body.includes(`"newMessage":${recorded.message},`));
});

test("a request that was answered elsewhere gets no second answer", async (t) => {
  const { inbox, connector, runs, state } = await connected(t);
  state.session = recorded.answered;
  await connector.send(inbox.due(recorded.message));
  assert.deepEqual([runs(), inbox.of("failed")], [[], [["outbound-1", { status: 412, message: "the request was answered elsewhere: nothing was sent" }]]]);
  assert.deepEqual(inbox.of("receive"), [recorded.answered]);
});

test("r10_beside: an answer waits for the outcome of another one in its run, or a minute", async (t) => {
  const { inbox, connector, runs, state, clock } = await connected(t);
  const [request] = JSON.parse(recorded.message).parts.map(({ functionResponse }) => functionResponse.id);
  const session = JSON.parse(recorded.session);
  const run = session.events.find(({ content }) => content.parts.some(({ functionCall }) => functionCall?.id === request)).invocationId;
  const name = "adk_request_confirmation";
  const asks = { author: "agent", branch: "root.other", invocationId: run, content: { parts: [{ functionCall: { name, id: "other", args: { originalFunctionCall: { id: "call" } } } }] } };
  const answer = { author: "user", invocationId: run, content: { role: "user", parts: [{ functionResponse: { name, id: "other", response: { confirmed: true } } }] } };
  const outcome = { author: "agent", invocationId: run, content: { role: "user", parts: [{ functionResponse: { name: "pay", id: "call", response: { paid: 1 } } }] } };
  const shows = (...events) => (state.session = JSON.stringify({ ...session, events: [...session.events, ...events] }));
  const outbound = inbox.due(recorded.message);
  shows(asks, answer);
  const again = (after) => {
    clock.now += after;
    Object.assign(inbox.cards[0], { status: "sending", outbound: { id: outbound.id, state: "sending" } });
    return connector.send(outbound);
  };
  await connector.send(outbound);
  const message = "the agent works on another answer of this run, and could run its call again; send this one when that has ended, or after a minute if it broke off: nothing was sent";
  assert.deepEqual([runs().length, inbox.of("failed")], [0, [[outbound.id, { status: 412, message }]]]);
  await again(59_999);
  assert.equal(runs().length, 0);
  await again(1);
  assert.equal(runs().length, 1);
  shows(asks, answer, outcome);
  await connector.send(inbox.due(recorded.message));
  assert.equal(runs().length, 2);
  // Where agents have no branches, only what the last answer names runs.
  shows({ ...asks, branch: null }, answer);
  await connector.send(inbox.due(recorded.message));
  assert.equal(runs().length, 3);
});

test("what the inbox has settled when the session was read is not sent", async (t) => {
  const { inbox, connector, runs } = await connected(t);
  const outbound = inbox.due(recorded.message);
  const { receive } = inbox;
  inbox.receive = (message) => {
    inbox.cards[0].status = "rejected";
    return receive.call(inbox, message);
  };
  await connector.send(outbound);
  assert.deepEqual([runs().length, inbox.of("failed").length], [0, 1]);
});

test("an answer that says nothing delivers nothing, nor does one that is no stream, and the session is read", async (t) => {
  for (const [answer, failure] of unsaid) {
    const { inbox, connector, runs } = await connected(t, { "POST /run_sse": answer });
    await connector.send(inbox.due(recorded.message));
    assert.deepEqual([inbox.of("delivered"), inbox.of("failed"), runs().length], [[], [["outbound-1", failure]], 1], String(answer));
    const reads = inbox.of("receive").length;
    await until(() => inbox.of("receive").length > reads);
    assert.equal(inbox.of("receive").at(-1), recorded.session);
    await assert.rejects(connector.sendText("go on"), { message: failure.message });
  }
});

test("a run that fails at once was not taken; one that fails later was, and the session is read", async (t) => {
  const failing = await connected(t, { "POST /run_sse": (exchange) => exchange.stream(['{"error": "no model"}']).end() });
  await failing.connector.send(failing.inbox.due(recorded.message));
  assert.deepEqual(failing.inbox.of("failed"), [["outbound-1", { status: 200, message: "no model" }]]);

  const later = await connected(t, { "POST /run_sse": (exchange) => exchange.stream([recorded.events[0], '{"error": "no model"}']).end() });
  await later.connector.send(later.inbox.due(recorded.message));
  assert.deepEqual([later.inbox.of("delivered"), later.inbox.of("failed")], [["outbound-1"], []]);
  await until(() => later.inbox.of("receive").at(-1) === recorded.session);
});

test("409 and 500 are told with their words and not tried again", async (t) => {
  for (const [status, body, message] of [[409, '{"detail":"busy"}', "busy"], [500, "<html>", "the backend answered with status 500 Internal Server Error"]]) {
    const { inbox, connector, runs, clock } = await connected(t, { "POST /run_sse": (exchange) => exchange.json(body, status) });
    await connector.send(inbox.due(recorded.message));
    clock.advance(600_000);
    await connector.refresh();
    assert.deepEqual([inbox.of("failed"), runs().length], [[["outbound-1", { status, message }]], 1]);
  }
});

test("a run that is lost in the middle is looked after until it is seen what came of it", async (t) => {
  const { inbox, connector, state, clock, runs } = await connected(t, { "POST /run_sse": (exchange) => exchange.stream([recorded.events[0]]).cut() });
  await connector.send(inbox.due(recorded.message));
  const waits = [];
  for (let round = 0; round < 3; round += 1) {
    await until(() => clock.waits.length === 1);
    waits.push(...clock.waits);
    if (round === 2) state.session = recorded.answered;
    clock.advance(clock.waits[0]);
  }
  await until(() => inbox.of("receive").at(-1) === recorded.answered);
  assert.deepEqual([waits, inbox.of("delivered"), runs().length], [[500, 1000, 2000], ["outbound-1"], 1]);
});

test("a run that is under way when the page opens is looked after until it rests, and then left alone", async (t) => {
  let reads = 0;
  const asks = JSON.parse(recorded.session);
  const call = asks.events.flatMap(({ content }) => content?.parts ?? []).find(({ functionCall }) => functionCall?.name === "adk_request_confirmation");
  const yes = { functionResponse: { id: call.functionCall.id, name: "adk_request_confirmation", response: { confirmed: true } } };
  const answer = { author: "user", content: { role: "user", parts: [yes] } };
  const last = { author: "agent", content: { role: "model", parts: [{ text: "done" }] } };
  const sessions = [[answer], [answer, { author: "agent", partial: true, content: { role: "model", parts: [{ text: "do" }] } }], [answer, last]].map((more) =>
    JSON.stringify({ ...asks, events: [...asks.events, ...more] }),
  );
  const { inbox, clock } = await connected(t, {
    [SESSION]: (exchange) => {
      reads += 1;
      return exchange.json(sessions[reads - 1]);
    },
  });
  const waits = [];
  for (const known of [1, 2]) {
    await until(() => clock.waits.length === 1);
    waits.push(...clock.waits);
    clock.advance(clock.waits[0]);
    await until(() => inbox.of("receive").length === known);
  }
  assert.deepEqual([...inbox.of("restore"), ...inbox.of("receive")], sessions);
  assert.deepEqual([waits, clock.waits, reads], [[500, 1000], [], 3]);
});

const said = (author, ...parts) => ({ author, content: { role: author === "user" ? "user" : "model", parts } });
const asks = (...ids) => said("agent", ...ids.map((id) => ({ functionCall: { id, name: "adk_request_confirmation" } })));
const answers = (id) => said("user", { functionResponse: { id, name: "adk_request_confirmation", response: { confirmed: true } } });
const outcome = said("agent", { functionResponse: { id: "c", name: "transfer", response: {} } });
const words = said("user", { text: "transfer" });
const older = [words, asks("r0"), outcome];
for (const [what, events, isAtWork] of [
  ["an answer to a newer request", [...older, words, asks("r1"), answers("r1")], true],
  ["the outcome of the call that was approved", [...older, words, asks("r1"), answers("r1"), outcome], true],
  ["words that began a run", [...older, words], true],
  ["the outcome of one of two calls, the other of which waits", [words, asks("r1", "r2"), answers("r2"), outcome], true],
  ["a newer request", [...older, words, asks("r1")], false],
  ["what the tool of a newer request says meanwhile", [...older, words, asks("r1"), outcome], false],
  ["the end of a run", [...older, words, said("agent", { text: "done" })], false],
]) {
  test(`r39_adk: a session in which a request waits and then ${what} stands last is ${isAtWork ? "looked after" : "left alone"}`, async (t) => {
    const session = JSON.stringify({ id: "s/1", events });
    const { clock, connector } = await connected(t, { [SESSION]: (exchange) => exchange.json(session) });
    await until(() => connector.state === "live");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(clock.waits, isAtWork ? [500] : []);
  });
}

const done = said("agent", { text: "done" });
const note = (author, actions) => ({ author, content: null, actions });
const on = (branch, event) => ({ ...event, branch });
const calls = said("agent", { functionCall: { id: "c", name: "transfer" } });
for (const [what, events, isAtWork] of [
  ["was summed up", [words, done, note("user", { compaction: { startTimestamp: 1 } })], false],
  ["was taken back", [words, done, note("user", { rewindBeforeInvocationId: "e" })], false],
  ["got another state", [words, done, note("user", { stateDelta: { a: 1 } })], false],
  ["got another state in a run that goes on", [words, note("user", { stateDelta: { a: 1 } }), note("agent", { stateDelta: { a: 1 } })], true],
  ["can be resumed, and whose agent thinks", [words, note("agent", { agentState: {} })], true],
  ["failed", [words, { author: "agent", errorCode: "429" }], false],
  ["can be resumed, and whose agent ended without a word", [words, note("agent", { agentState: {} }), note("agent", { endOfAgent: true })], false],
  ["can be resumed, and whose agent is done", [words, note("agent", { agentState: {} }), done, note("agent", { endOfAgent: true })], false],
  ["has a branch that waits and one that works", [words, on("root.one", asks("r1")), on("root.two", calls), on("root.one", outcome)], true],
  ["has branches that wait", [words, note("agent", { agentState: {} }), on("root.one", asks("r1")), on("root.two", asks("r2"))], false],
  ["has branches of which one waits and one is done", [words, on("root.one", asks("r1")), on("root.two", calls), on("root.two", done)], false],
  ["waits in a branch within the one that called", [words, on("root", calls), on("root.one", asks("r1"))], false],
]) {
  test(`r39_adk: a session that ${what} is ${isAtWork ? "looked after" : "left alone"}`, async (t) => {
    const session = JSON.stringify({ id: "s/1", events });
    const { clock, connector } = await connected(t, { [SESSION]: (exchange) => exchange.json(session) });
    await until(() => connector.state === "live");
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(clock.waits, isAtWork ? [500] : []);
  });
}

test("the session is read again as often as wanted, and words run the agent", async (t) => {
  const { inbox, connector, state, clock, runs } = await connected(t, {}, { pollMs: 3000, streaming: true });
  state.session = recorded.answered;
  assert.deepEqual(clock.waits, [3000]);
  clock.advance(3000);
  await until(() => inbox.of("receive").at(-1) === recorded.answered);
  await connector.sendText('say "hi"');
  assert.match(runs()[0].body, /"streaming":true,"newMessage":\{"role":"user","parts":\[\{"text":"say \\"hi\\""\}\]\}\}$/);
});

test("r10_kept: a run whose beginning a proxy keeps back is not dropped after a minute, for ADK would end it, and keeps nothing back", async (t) => {
  const held = [];
  const { clock, inbox, connector, runs } = await connected(t, { "POST /run_sse": ({ response }) => void held.push(response) });
  const first = inbox.due(recorded.message);
  connector.send(first);
  await until(() => held.length === 1);
  clock.advance(60_000);
  await until(() => inbox.of("failed").length === 1);
  assert.deepEqual(inbox.of("failed"), [[first.id, { message: "the backend said nothing: the message may have arrived all the same" }]]);
  assert.equal(held[0].destroyed, false);
  connector.send(inbox.due(recorded.message));
  await until(() => runs().length === 2);
  held[0].writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${recorded.events[0]}\n\n`);
  await until(() => inbox.of("receive").includes(recorded.events[0]));
  for (let minute = 0; minute < 10; minute += 1) {
    assert.equal(held[1].destroyed, false, `minute ${minute}`);
    clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await until(() => held[1].destroyed);
});

test("r08_damage: what is damaged in a session keeps nobody from reading the rest, or from deciding", async (t) => {
  for (const event of ["null", '"x"', '{"author":"plain","content":{"parts":[null,"x"]}}', '{"author":"plain","content":{"parts":"x"}}', '{"author":"plain","content":"x"}']) {
    const session = recorded.session.replace('"events":[', `"events":[${event},`);
    const { inbox, connector, runs } = await connected(t, { [SESSION]: (exchange) => exchange.json(session) });
    await connector.send(inbox.due(recorded.message));
    assert.deepEqual([connector.state, inbox.of("delivered").length, runs().length], ["live", 1, 1], event);
  }
});
