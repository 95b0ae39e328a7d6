// An element that turns to another conversation, is taken away, or shares its inbox: no decision is lost, none goes elsewhere.
import assert from "node:assert/strict";
import { test } from "node:test";

import { eventually } from "../browser/harness/eventually.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("turning", "<main></main>");

/** A page with conversations that each have an inbox, a connector and one call that waits; `show` makes an element. */
async function conversations(t, names) {
  const page = await open(t);
  await page.evaluate((tasks) => {
    const { Inbox } = countersign;
    Object.assign(globalThis, { log: [], talks: {} });
    for (const [name, message] of Object.entries(tasks)) {
      const inbox = new Inbox({ adapter: "a2a", holdRejections: 600_000 });
      inbox.receive(message);
      const connector = {
        state: "live",
        connect: async (given) => void log.push(`${name} connects ${Object.keys(talks).find((each) => talks[each].inbox === given)}`),
        send: async ({ id, requestIds }) => {
          log.push(`${name} sends ${requestIds}`);
          inbox.delivered(id);
        },
        subscribe: () => () => {},
        refresh: async () => {},
        close() {},
      };
      talks[name] = { inbox, connector };
    }
    globalThis.show = (properties) => {
      const element = Object.assign(document.createElement("countersign-inbox"), properties);
      document.querySelector("main").append(element);
      return element;
    };
    globalThis.soon = () => new Promise((resolve) => setTimeout(resolve, 20));
  }, Object.fromEntries(names.map((name) => [name, task([[name, "delete_file", "{}"]], `task-${name}`)])));
  const log = () => page.evaluate(() => log);
  /** Rejects the call that is shown. */
  const reject = async () => {
    await page.locator("[part~=reject-button]").click();
    await page.locator("[part~=send-rejection-button]").click();
    await page.locator("[part~=undo-button]").waitFor();
  };
  return { page, log, reject };
}

for (const order of [["inbox", "connector"], ["connector", "inbox"]]) {
  test(`r43_a_rejection_that_is_held_goes_out_where_it_belongs_when_the_element_turns_to_another_conversation_${order[0]}_first`, async (t) => {
    const { page, log, reject } = await conversations(t, ["a", "b"]);
    await page.evaluate(() => void (globalThis.element = show(talks.a)));
    await reject();
    assert.deepEqual(await log(), ["a connects a"]);
    await page.evaluate(async (order) => {
      for (const property of order) element[property] = talks.b[property];
      await soon();
    }, order);
    assert.deepEqual(await log(), ["a connects a", "a sends a", "b connects b"]);
    assert.deepEqual(await page.evaluate(() => Object.values(talks).map(({ inbox }) => inbox.requests().map(({ request, status }) => [request, status]))), [[["a", "sent"]], [["b", "pending"]]]);
    assert.deepEqual(await page.evaluate(() => told.map(([type]) => type)), []);
  });
}

test("what waited to be sent in a conversation leaves by its connector when it is shown, not into an event that nobody hears", async (t) => {
  const { page, log } = await conversations(t, ["a", "b"]);
  await page.evaluate(async () => {
    const element = show(talks.a);
    await soon();
    talks.b.inbox.decide("b", { kind: "approve" });
    element.inbox = talks.b.inbox;
    element.connector = talks.b.connector;
    await soon();
  });
  assert.deepEqual(await log(), ["a connects a", "b connects b", "b sends b"]);
  assert.deepEqual(await page.evaluate(() => told), []);
});

test("r43_an_element_without_a_connector_hands_over_a_rejection_that_is_held_before_it_shows_another_inbox", async (t) => {
  const { page, reject } = await conversations(t, ["a", "b"]);
  await page.evaluate(() => void (globalThis.element = show({ inbox: talks.a.inbox })));
  await reject();
  await page.evaluate(() => (element.inbox = talks.b.inbox));
  assert.deepEqual(await page.evaluate(() => told.map(([type, , { requestIds }]) => [type, requestIds])), [["countersign-send", ["a"]]]);
});

for (const [who, hears] of [["its own listener", "element"], ["a listener of the page", "page"], ["nobody", "nobody"]]) {
  test(`r43_a_rejection_that_is_held_is_not_lost_with_an_element_that_a_host_takes_away_because_nothing_waits_and_${hears}_hears`, async (t) => {
    const { page, reject } = await conversations(t, ["a"]);
    await page.evaluate((hears) => {
      globalThis.changes = [];
      const element = show({ inbox: talks.a.inbox });
      const take = ({ detail }) => {
        log.push(detail.requestIds.join());
        detail.respondWith(Promise.resolve());
      };
      if (hears !== "nobody") (hears === "page" ? document : element).addEventListener("countersign-send", take);
      element.addEventListener("countersign-change", ({ detail }) => {
        changes.push([detail.waiting, detail.held]);
        if (detail.waiting === 0) element.remove();
      });
    }, hears);
    await page.locator("[part~=reject-button]").click();
    await page.locator("[part~=send-rejection-button]").click();
    const fate = () => page.evaluate(() => [log, talks.a.inbox.requests().map(({ status, decision, outbound }) => [status, decision.kind, outbound?.state])]);
    const expected = hears === "nobody" ? [[], [["drafted", "reject", "failed"]]] : [["a"], [["sent", "reject", "delivered"]]];
    // Ten seconds, for hosts that say later what became of it.
    await eventually(async () => assert.deepEqual(await fate(), expected, who), 15_000);
    assert.ok((await page.evaluate(() => changes)).some(([waiting, held]) => waiting === 0 && held === 1));
    if (hears !== "nobody") return;
    // It can be sent when it is shown again.
    await page.evaluate(() => void show({ inbox: talks.a.inbox, connector: talks.a.connector }));
    await page.locator("[part~=retry-button]").click();
    await eventually(async () => assert.deepEqual(await page.evaluate(() => log), ["a connects a", "a sends a"]));
  });
}

test("of the elements on one inbox the one with a connector sends, wherever it stands and whenever it is moved", async (t) => {
  const { page, log } = await conversations(t, ["a", "b"]);
  await page.evaluate(async () => {
    show({ inbox: talks.a.inbox });
    const connected = show(talks.a);
    await soon();
    talks.a.inbox.decide("a", { kind: "approve" });
    const last = show({ inbox: talks.b.inbox });
    document.querySelector("main").prepend(Object.assign(connected, talks.b), last);
    await soon();
    // Its connector hears of what happens after the other element.
    document.querySelector("main").append(connected);
    talks.b.inbox.decide("b", { kind: "approve" });
    await soon();
  });
  assert.deepEqual(await log(), ["a connects a", "a sends a", "b connects b", "b connects b", "b sends b"]);
  assert.deepEqual(await page.evaluate(() => told), []);
});

test("a rejection stays held as long as another element that sends shows it", async (t) => {
  const { page, reject } = await conversations(t, ["a"]);
  await page.evaluate(() => void (globalThis.element = show({ inbox: talks.a.inbox })));
  await reject();
  await page.evaluate(() => {
    globalThis.second = show({ inbox: talks.a.inbox });
    element.remove();
  });
  assert.deepEqual(await page.evaluate(() => told), []);
  await page.evaluate(() => second.remove());
  assert.equal(await page.evaluate(() => talks.a.inbox.requests()[0].outbound !== undefined), true);
});

test("r41_what_ended_while_no_element_showed_it_is_drawn_as_it_stands_from_the_first_moment_on", async (t) => {
  const page = await open(t);
  const stands = await page.evaluate(() => {
    const ends = [];
    for (const tag of ["countersign-inbox", "countersign-card"]) {
      let now = Date.now();
      const inbox = new countersign.Inbox({ adapter: "adalflow", adalflow: { timeout_s: 60 }, now: () => now });
      inbox.receive({ type: "approval_request", id: "r1", tool: "delete_file", args: ["/a"], message: "May it?" });
      const before = inbox.requests()[0].status;
      now += 3_600_000;
      document.querySelector("main").append(Object.assign(document.createElement(tag), { inbox, requestId: "r1" }));
      ends.push([before, inbox.requests()[0].status]);
    }
    return ends;
  });
  assert.deepEqual(stands, Array(2).fill(["pending", "expired"]));
});

/** A page with one element that makes its inbox itself, and connectors that each bring one call. */
async function own(t, names, options = {}) {
  const page = await open(t);
  await page.evaluate(([tasks, options]) => {
    Object.assign(globalThis, { log: [], talks: {} });
    for (const [name, message] of Object.entries(tasks)) {
      let served;
      talks[name] = {
        state: "live",
        async connect(inbox) {
          if (served && served !== inbox) throw Object.assign(new Error("another inbox"), { code: "options-invalid" });
          served = inbox;
          log.push(`${name} connects`);
          inbox.receive(message);
        },
        async send({ id, requestIds }) {
          log.push(`${name} sends ${requestIds}`);
          served.delivered(id);
        },
        subscribe: () => () => {},
        refresh: async () => {},
        close() {},
      };
    }
    globalThis.element = Object.assign(document.createElement("countersign-inbox"), { options: { adapter: "a2a", ...options } });
    document.querySelector("main").append(element);
    globalThis.turn = async (name) => {
      element.connector = talks[name];
      const { inbox } = element;
      // At once: nothing of before can be pressed under the next connector.
      const shown = inbox.requests().map(({ request, status }) => `${request} ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return [shown, inbox.requests().map(({ request, status }) => `${request} ${status}`)];
    };
  }, [Object.fromEntries(names.map((name) => [name, task([[name, "delete_file", "{}"]], `task-${name}`)])), options]);
  return { page, turn: (name) => page.evaluate((name) => turn(name), name), log: () => page.evaluate(() => log) };
}

test("r43_another_connector_gets_another_inbox_of_the_elements_own_and_what_was_held_leaves_by_the_one_of_before", async (t) => {
  const { page, turn, log } = await own(t, ["a", "b"]);
  await turn("a");
  await page.locator("[part~=reject-button]").click();
  await page.locator("[part~=send-rejection-button]").click();
  await page.locator("[part~=undo-button]").waitFor();
  assert.deepEqual(await turn("b"), [[], ["b pending"]]);
  assert.deepEqual(await log(), ["a connects", "a sends a", "b connects"]);
  assert.equal(await page.locator("[part~=card]").count(), 1);
  // A connector keeps its inbox, also across none at all.
  assert.deepEqual(await turn(undefined), [["b pending"], ["b pending"]]);
  assert.deepEqual(await turn("b"), [["b pending"], ["b pending"]]);
  assert.deepEqual(await turn("a"), [["a sent"], ["a sent"]]);
  await turn(undefined);
  assert.deepEqual(await turn("b"), [["b pending"], ["b pending"]]);
  assert.deepEqual(await page.evaluate(() => told.filter(([type]) => type === "countersign-error")), []);
});

test("r43_a_batch_that_is_held_keeps_its_time_and_leaves_by_its_connector_though_its_inbox_is_shown_no_more", async (t) => {
  const { page, turn, log } = await own(t, ["a", "b"], { holdBatches: 300 });
  await turn("a");
  await page.evaluate((message) => {
    const { inbox } = element;
    inbox.receive(message);
    const [one, ...more] = inbox.requests().filter(({ status }) => status === "pending");
    for (const { id, argsDigest } of [one, ...more]) inbox.decide(id, { kind: "approve", seen: argsDigest });
  }, task([["c", "delete_file", "{}"], ["d", "delete_file", "{}"]], "task-more"));
  assert.equal(await page.evaluate(() => element.inbox.raw?.held > 0), true);
  assert.deepEqual(await turn("b"), [[], ["b pending"]]);
  await eventually(async () => assert.ok((await log()).some((line) => /^a sends (c,d|d,c)/.test(line))));
});

test("what is held for longer than a timer can wait does not keep a page busy that shows another conversation", async (t) => {
  const { page, turn } = await own(t, ["a", "b"], { holdBatches: 30 * 86_400_000 });
  await turn("a");
  const counted = await page.evaluate(async (message) => {
    const { inbox } = element;
    inbox.receive(message);
    for (const { id, argsDigest } of inbox.requests().filter(({ request }) => request !== "a")) inbox.decide(id, { kind: "approve", seen: argsDigest });
    let ticks = 0;
    const tick = inbox.tick.bind(inbox);
    inbox.tick = () => {
      ticks += 1;
      tick();
    };
    const before = inbox.raw?.held;
    await globalThis.turn("b");
    await new Promise((resolve) => setTimeout(resolve, 300));
    return [before, ticks];
  }, task([["c", "delete_file", "{}"], ["d", "delete_file", "{}"]], "task-more"));
  assert.deepEqual(counted, [2, 1]);
});

for (const first of [true, false]) {
  test(`r43_of_two_elements_on_one_inbox_the_one_with_a_handler_sends_${first ? "first" : "last"}`, async (t) => {
    const { page } = await conversations(t, ["a"]);
    await page.evaluate(async (first) => {
      const { inbox } = talks.a;
      const elements = [show({ inbox }), show({ inbox })];
      elements[first ? 0 : 1].addEventListener("countersign-send", ({ detail }) => {
        log.push(detail.requestIds.join());
        detail.respondWith(Promise.resolve());
      });
      inbox.decide("a", { kind: "approve" });
      await soon();
    }, first);
    assert.deepEqual(await page.evaluate(() => [log, talks.a.inbox.requests().map(({ outbound }) => outbound.state)]), [["a"], ["delivered"]]);
    // Whoever listens above them hears it once.
    assert.equal(await page.evaluate(() => told.filter(([type]) => type === "countersign-send").length), 1);
  });
}
