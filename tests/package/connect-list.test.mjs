// `rest` between what a backend lists and what its log tells: what happens between two reads, and when the page goes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { Clock, serve, until } from "./connect-harness.mjs";
import { load } from "./package.mjs";

const { init, Inbox } = await load("countersign/headless");
const { forward, rest } = await load("countersign/connect");
await init({ policy: true });

const pause = () => new Promise((resolve) => setTimeout(resolve, 60));
const states = (inbox) => inbox.requests().filter(({ request }) => request).map(({ request, status }) => `${request} ${status}`);
const LIST = "GET /approvals/pending";
const LOG = "GET /history/c";

/** The words of each backend for the same thing. */
const SPEECH = {
  haystack: {
    ask: (id, path, tool) => ({ type: "approval_request", id, tool_name: tool, tool_params: { path }, tool_call_id: `c-${id}`, allowed_actions: ["confirm", "reject"] }),
    word: "action",
    yes: "confirm",
    no: "reject",
    end: (id, path, tool) => {
      const call = { tool_name: tool, arguments: { path }, id: `c-${id}` };
      const messages = [{ tool_call: call }, { tool_call_result: { result: "gone", origin: call, error: false } }];
      const roles = ["assistant", "tool"];
      return { type: "run_finished", messages: messages.map((part, at) => ({ role: roles[at], meta: {}, name: null, content: [part] })) };
    },
  },
  adalflow: {
    ask: (id, path, tool) => ({ type: "approval_request", id, tool, args: [], kwargs: { path }, message: "m", allowed_outcomes: ["proceed_once", "cancel"] }),
    word: "outcome",
    yes: "proceed_once",
    no: "cancel",
    end: (id, path, tool) => {
      const input = { id, name: tool, args: [], kwargs: { path } };
      const data = { name: tool, input, parsed_input: null, output: "gone", error: null };
      return { name: "agent.tool_call_complete", item: { id, type: "tool_output", data, error: null }, type: "run_item_stream_event" };
    },
  },
};

/** A backend with a list and a log; `between(name)` happens once such an answer was written, and before it arrives. */
class Backend {
  waiting = {};
  log = [];
  posts = [];
  reads = [];
  between = () => {};
  /** Answers instead of it. */
  instead = {};

  constructor(name) {
    this.name = name;
    this.speech = SPEECH[name];
  }

  ask(id, path = "/a", tool = "delete_file") {
    this.waiting[id] = this.speech.ask(id, path, tool);
    this.log.push(this.waiting[id]);
  }

  settle(id, word = this.speech.no) {
    delete this.waiting[id];
    this.log.push({ type: "approval_resolved", id, [this.speech.word]: word, reason: "answered" });
  }

  /** A connector and an inbox, connected; the inbox's messages go out by themselves. */
  async open(t, options = {}, given = {}) {
    const read = (name, what) => async (exchange) => {
      this.reads.push(name);
      const text = JSON.stringify(what());
      if (this.instead[name]) return this.instead[name](exchange, text);
      await this.between(name);
      exchange.json(text);
    };
    const server = await serve(t, {
      [LIST]: read("list", () => this.waiting),
      [LOG]: read("log", () => this.log),
      other: async (exchange) => {
        const id = exchange.url.split("/").at(-1);
        const body = JSON.parse(exchange.body);
        this.posts.push([id, body]);
        this.settle(id, body[this.speech.word]);
        if (this.instead.post) return this.instead.post(exchange);
        exchange.json(JSON.stringify({ status: "accepted", id, ...body }));
      },
    });
    const clock = new Clock();
    const inbox = new Inbox({ adapter: this.name, ...given });
    const connector = rest({ ...clock.options, url: server.url, history: "/history/c", ...options });
    t.after(() => connector.close());
    t.after(forward(inbox, connector));
    await connector.connect(inbox);
    return { inbox, connector, clock };
  }
}

for (const name of ["haystack", "adalflow"]) {
  test(`r10_rest_a_request_that_the_log_has_first_is_answered_over_the_list: ${name}`, async (t) => {
    const backend = new Backend(name);
    backend.ask("r1");
    const { inbox, connector } = await backend.open(t);
    backend.settle("r1");
    // It is asked after the list was read, and before the log is.
    backend.between = (what) => void (what === "list" && !backend.waiting.r2 && backend.ask("r2"));
    await connector.refresh();
    assert.deepEqual(states(inbox), ["r1 rejected", "r2 pending"]);
    inbox.decide(inbox.requests()[1].id, { kind: "approve" });
    await until(() => states(inbox)[1] === "r2 approved");
    assert.deepEqual(backend.posts, [["r2", { [backend.speech.word]: backend.speech.yes }]]);
  });

  test(`r10_rest_what_a_rule_decides_goes_over_the_list_too: ${name}`, async (t) => {
    const backend = new Backend(name);
    backend.ask("r1");
    backend.ask("r2", "/a", "read_file");
    const policy = { rules: [{ name: "ok", effect: "allow", tool: "read_file" }] };
    const { inbox, connector } = await backend.open(t, {}, { policy });
    await until(() => backend.posts.length === 1);
    backend.settle("r1");
    backend.between = (what) => void (what === "list" && !backend.waiting.r3 && backend.ask("r3", "/a", "read_file"));
    await connector.refresh();
    await connector.refresh();
    await until(() => backend.posts.length === 2);
    assert.deepEqual(backend.posts.map(([id]) => id), ["r2", "r3"]);
    await connector.refresh();
    assert.deepEqual(states(inbox).sort(), ["r1 rejected", "r2 approved", "r3 approved"]);
    assert.deepEqual(inbox.requests().flatMap(({ outbound }) => outbound?.error ?? []), []);
  });

  for (const [word, status] of [["no", "rejected"], ["yes", "approved"]]) {
    test(`r39_rest_what_is_settled_between_the_log_and_the_list_is_looked_up: ${name}, ${status}`, async (t) => {
      const backend = new Backend(name);
      backend.ask("r1");
      backend.between = (what) => void (what === "log" && backend.waiting.r1 && backend.settle("r1", backend.speech[word]));
      const { inbox, connector } = await backend.open(t);
      await connector.refresh();
      assert.deepEqual(states(inbox), [`r1 ${status}`]);
      backend.reads.length = 0;
      await connector.refresh();
      // What became of a call that runs the log alone will tell.
      assert.deepEqual(backend.reads, word === "yes" ? ["log", "list"] : ["list"]);
    });
  }

  test(`r39_rest_what_became_of_a_call_that_was_approved_is_found_in_the_log: ${name}`, async (t) => {
    const backend = new Backend(name);
    backend.ask("r1");
    const { inbox, connector } = await backend.open(t);
    inbox.decide("r1", { kind: "approve" });
    await until(() => states(inbox)[0] === "r1 approved");
    backend.reads.length = 0;
    for (let list = 1; list <= 9; list += 1) await connector.refresh();
    // It is looked for ever more rarely: with the first list, the second, the fourth and the eighth.
    const both = ["log", "list"];
    assert.deepEqual(backend.reads, [...both, ...both, "list", ...both, "list", "list", "list", ...both, "list"]);
    backend.log.push(backend.speech.end("r1", "/a", "delete_file"));
    for (let list = 10; list <= 16; list += 1) await connector.refresh();
    assert.deepEqual(states(inbox), ["r1 completed"]);
    backend.reads.length = 0;
    for (let list = 1; list <= 4; list += 1) await connector.refresh();
    assert.deepEqual(backend.reads, ["list", "list", "list", "list"]);
  });

  test(`r39_rest_a_log_that_is_empty_at_first_is_read_again: ${name}`, async (t) => {
    const backend = new Backend(name);
    backend.ask("r1");
    backend.settle("r1");
    backend.ask("r2");
    backend.instead.log = ({ response }) => response.writeHead(200).end();
    const { inbox, connector } = await backend.open(t);
    assert.deepEqual(states(inbox), ["r2 pending"]);
    delete backend.instead.log;
    await connector.refresh();
    assert.deepEqual(states(inbox).sort(), ["r1 rejected", "r2 pending"]);
    backend.reads.length = 0;
    await connector.refresh();
    assert.deepEqual(backend.reads, ["list"]);
  });

  test(`r01_rest_an_id_in_the_arguments_of_another_call_says_nothing: ${name}`, async (t) => {
    const backend = new Backend(name);
    backend.ask("r1");
    backend.ask("r2", "r1");
    const { inbox, connector } = await backend.open(t);
    backend.settle("r1", backend.speech.yes);
    await connector.refresh();
    assert.deepEqual(states(inbox), ["r1 approved", "r2 pending"]);
    // Nor does it when the list has to say whether an answer was taken.
    backend.ask("r3", "r2");
    await connector.refresh();
    backend.instead.post = ({ response }) => response.writeHead(204).end();
    inbox.decide(inbox.requests()[1].id, { kind: "approve" });
    await until(() => states(inbox)[1] !== "r2 sending");
    assert.deepEqual(states(inbox).slice(1), ["r2 sent", "r3 pending"]);
  });
}

test("r10_rest_only_a_list_of_requests_says_that_an_answer_was_taken", async (t) => {
  for (const [list, status] of [
    ["{}", "sent"],
    ["[]", "sent"],
    ['[{"request_id":"r2"},{"id":3}]', "sent"],
    ['[{"id":"r1"}]', "drafted"],
    ...["7", "true", "null", "OK", '{"requests":[]}', '{"ok":true}', "[null]", '[{"tool_name":"a"}]'].map((words) => [words, "drafted"]),
  ]) {
    const backend = new Backend("haystack");
    backend.ask("r1");
    const { inbox } = await backend.open(t, { history: undefined });
    backend.instead.post = ({ response }) => response.writeHead(204).end();
    backend.instead.list = (exchange) => exchange.json(list);
    inbox.decide("r1", { kind: "approve" });
    await until(() => inbox.requests()[0].status !== "sending");
    assert.equal(inbox.requests()[0].status, status, list);
  }
});

test("r39_rest_what_nobody_knows_is_asked_for_once", async (t) => {
  const [id, other] = ["r1", "r2"].map((request_id) => ({ request_id, tool_name: "t", tool_args: [], tool_kwargs: {}, timestamp: "2026-11-20T16:09:47", status: "pending" }));
  let list = [id, other];
  const server = await serve(t, {
    [LIST]: (exchange) => exchange.json(JSON.stringify(list)),
    "GET /approvals/r1": (exchange) => exchange.json('{"detail":"no such request"}', 404),
    "GET /approvals/r2": (exchange) => exchange.json(JSON.stringify({ ...other, status: "expired" })),
  });
  const inbox = new Inbox({ adapter: "adalflow" });
  const connector = rest({ ...new Clock().options, url: server.url, detail: "/approvals/{id}" });
  t.after(() => connector.close());
  await connector.connect(inbox);
  for (list of [[other], [], []]) await connector.refresh();
  assert.deepEqual(states(inbox), ["r1 unknown", "r2 expired"]);
  assert.deepEqual(server.requests.flatMap(({ url }) => url.split("/approvals/r")[1] ?? []), ["1", "2"]);
});

/** Has a page that is out of sight for the time of a test. */
function hidden(t) {
  globalThis.document = { visibilityState: "hidden" };
  t.after(() => delete globalThis.document);
}

for (const history of ["/history/c", undefined]) {
  test(`r10_leave_rejections_wait_neither_for_a_list_nor_for_each_other: ${history ? "with a log" : "without"}`, async (t) => {
    const backend = new Backend("haystack");
    for (const id of ["r1", "r2", "r3"]) backend.ask(id);
    const { inbox, connector } = await backend.open(t, { history }, { holdRejections: 4000 });
    for (const { id } of inbox.requests()) inbox.decide(id, { kind: "reject" });
    const [lists, answers] = [[], []];
    backend.instead.list = (exchange, text) => lists.push(() => exchange.json(text));
    backend.instead.post = (exchange) => answers.push(() => exchange.json(JSON.stringify({ status: "accepted", id: exchange.url.split("/").at(-1), action: "reject" })));
    const read = connector.refresh();
    await until(() => lists.length === 1);
    hidden(t);
    inbox.leave();
    await until(() => answers.length === 3);
    assert.deepEqual(backend.posts.map(([id]) => id), ["r1", "r2", "r3"]);
    // The page stays: a list from before says nothing, and none is read until the answers are.
    lists[0]();
    await pause();
    assert.deepEqual([lists.length, states(inbox)], [1, ["r1 sending", "r2 sending", "r3 sending"]]);
    for (const answer of answers) answer();
    await until(() => lists.length === 2);
    lists[1]();
    delete backend.instead.list;
    await read;
    assert.deepEqual(states(inbox), ["r1 rejected", "r2 rejected", "r3 rejected"]);
  });
}

test("r10_leave_what_was_looked_up_beside_a_rejection_is_looked_up_again", async (t) => {
  const backend = new Backend("haystack");
  for (const id of ["r1", "r2"]) backend.ask(id);
  const { inbox, connector } = await backend.open(t, {}, { holdRejections: 4000 });
  inbox.decide(inbox.requests()[1].id, { kind: "reject" });
  backend.settle("r1", "confirm");
  backend.between = async (what) => {
    if (what !== "log" || backend.posts.length > 0) return;
    hidden(t);
    inbox.leave();
    await until(() => backend.posts.length === 1);
  };
  await connector.refresh();
  assert.deepEqual(states(inbox), ["r1 approved", "r2 rejected"]);
  assert.deepEqual(backend.reads.slice(2), ["list", "log", "list", "list", "log", "list"]);
});
