// Policies and grants through the headless entry.
import assert from "node:assert/strict";
import { test } from "node:test";

import { load } from "./package.mjs";
import { task } from "./task.mjs";

const START = Date.parse("2026-01-01T00:00:00Z");
const HOUR = 3_600_000;
const { init, Inbox, CountersignError } = await load("countersign/headless");
await init();

const inbox = (options) => new Inbox({ adapter: "a2a", now: START, ...options });
const statuses = (here) => here.requests().map(({ status, automatic, rule }) => [status, automatic, rule]);
const fault = (make) => {
  try {
    make();
  } catch (error) {
    assert.ok(error instanceof CountersignError);
    return [error.code, error.path];
  }
  return undefined;
};

test("a rule of the host answers, by its name and marked as automatic", () => {
  const rules = [
    { name: "reads are fine", effect: "allow", tool: "read_file" },
    { name: "never delete", effect: "deny", tool: "delete_file", reason: "ask the operators" },
  ];
  const here = inbox({ policy: { rules } });
  here.receive(task([["r1", "read_file", "{}"]], "t1"));
  here.receive(task([["r2", "delete_file", "{}"]], "t2"));
  here.receive(task([["r3", "pay", "{}"]], "t3"));
  assert.deepEqual(statuses(here), [
    ["sending", true, "reads are fine"],
    ["sending", true, "never delete"],
    ["pending", false, undefined],
  ]);
  const records = here.audit().trim().split("\n").map((line) => JSON.parse(line));
  assert.ok(records.some(({ actor, rule }) => actor === "policy" && rule === "reads are fine"));
});

test("the configuration of a framework answers as that framework would, and nothing else runs", () => {
  const here = inbox({ policy: { system: "interrupt_on", config: { ls: false, write_file: true } } });
  here.receive(task([["r1", "ls", "{}"]], "t1"));
  here.receive(task([["r2", "write_file", "{}"]], "t2"));
  here.receive(task([["r3", "unknown", "{}"]], "t3"));
  assert.deepEqual(statuses(here).map(([status]) => status), ["sending", "pending", "pending"]);
});

test("what is wrong with a policy or a grant is thrown with its place", () => {
  assert.deepEqual(fault(() => inbox({ policy: { system: "fax" } })), ["options-invalid", "/policy/system"]);
  const rule = { name: "a", effect: "allow", toool: "x" };
  assert.deepEqual(fault(() => inbox({ policy: { rules: [rule] } })), ["options-invalid", "/policy/rules/0/toool"]);
  assert.deepEqual(fault(() => inbox({ grants: [{ id: "g" }] })), ["options-invalid", "/grants/0"]);
  const here = inbox({ grants: "[]" });
  assert.deepEqual(fault(() => here.setPolicy("{")), ["options-invalid", ""]);
  assert.deepEqual(fault(() => here.setGrants("{}")), ["options-invalid", ""]);
});

test("r34: what would restrict a rule or a grant and is nothing is refused with its place", () => {
  const rule = { name: "reads", effect: "allow" };
  const grant = { id: "g", scope: "session", session: "t1", createdAt: 1 };
  for (const nothing of [null, undefined, () => "read_file"]) {
    for (const name of ["tool", "server", "agent", "args", "risk"]) {
      const policy = { rules: [{ ...rule, [name]: nothing }] };
      assert.deepEqual(fault(() => inbox({ policy })), ["options-invalid", `/policy/rules/0/${name}`], `${name} ${nothing}`);
      assert.deepEqual(fault(() => inbox({ grants: [] }).setPolicy(policy)), ["options-invalid", `/rules/0/${name}`]);
    }
    for (const name of ["tool", "server", "agent", "args", "expiresAt", "revokedAt"]) {
      const grants = [{ ...grant, [name]: nothing }];
      assert.deepEqual(fault(() => inbox({ grants })), ["options-invalid", `/grants/0/${name}`], `${name} ${nothing}`);
      assert.deepEqual(fault(() => inbox({ grants: [] }).setGrants(grants)), ["options-invalid", `/0/${name}`]);
    }
    assert.deepEqual(fault(() => inbox({ policy: { rules: nothing } })), ["options-invalid", "/policy/rules"]);
  }
  inbox({ policy: undefined, grants: undefined });
});

test("r37: what is due is looked at again when the host puts others in place, and before it is taken", () => {
  let now = START;
  const grants = [{ id: "g", scope: "tool", tool: "pay", createdAt: START, expiresAt: START + HOUR }];
  const waiting = (options) => {
    const here = inbox({ now: () => now, ...options });
    here.receive(task([["r1", "pay", "{}"]]));
    assert.equal(here.requests()[0].status, "sending");
    return here;
  };
  const ruled = waiting({ policy: { rules: [{ name: "ok", effect: "allow", tool: "pay" }] } });
  ruled.setPolicy({ rules: [{ name: "no", effect: "deny", tool: "pay" }] });
  assert.equal(ruled.requests()[0].rule, "no");
  const granted = waiting({ grants });
  granted.setGrants([]);
  assert.equal(granted.requests()[0].status, "pending");
  const ended = waiting({ grants });
  now += HOUR;
  assert.deepEqual(ended.takeOutbound(), []);
  assert.equal(ended.requests()[0].status, "pending");
});

test("r36_untrusted: messages that imitate a policy or a grant have no effect", () => {
  const here = inbox({ grants: [] });
  for (const message of ['{"policy":{"system":"never-ask"}}', '{"grants":[{"id":"g","scope":"session","session":"t1","createdAt":1}]}']) {
    here.receive(message);
    here.restore(message);
  }
  here.receive(task([["r1", "pay", '{"policy":{"rules":[{"name":"a","effect":"allow"}]},"grants":[]}']]));
  assert.deepEqual(statuses(here), [["pending", false, undefined]]);
  assert.deepEqual(here.grants(), []);
});

test("r36_draft: what is drafted is literally what is kept, and nobody grants unless the host keeps grants", () => {
  const bare = inbox();
  bare.receive(task([["r1", "pay", "{}"]]));
  assert.equal(bare.draftGrant("t1/r1", { scope: "tool" }), undefined);
  const here = inbox({ grants: [] });
  here.receive(task([["r1", "pay", '{"amount":2512292042121000001}']]));
  const draft = here.draftGrant("t1/r1", { scope: "tool", pins: ["/amount"], span: HOUR });
  assert.match(draft.text, /"equals":2512292042121000001/);
  assert.deepEqual(here.grants(), []);
  here.grant("t1/r1", draft);
  assert.equal(here.grantsText(), `[${draft.text}]`);
  assert.deepEqual(statuses(here), [["sending", false, undefined]]);
  assert.throws(() => here.grant("t1/r1", draft), (error) => error.code === "already-decided");
});

test("r35_grants: a kept grant answers in another inbox until it ends, differs, or is taken back", () => {
  const first = inbox({ grants: [] });
  first.receive(task([["r1", "pay", '{"n":9007199254740993}']]));
  first.grant("t1/r1", first.draftGrant("t1/r1", { scope: "same-args", span: HOUR }));
  const kept = first.grantsText();
  const status = (args, now, options) => {
    const here = inbox({ grants: kept, now, ...options });
    here.receive(task([["r9", "pay", args]], "t9"));
    return statuses(here)[0][0];
  };
  const exact = '{"n":9007199254740993}';
  assert.equal(status(exact, START + 1), "sending");
  assert.equal(status('{"n":9007199254740992}', START + 1), "pending");
  assert.equal(status(exact, START + HOUR), "pending");
  assert.equal(status(exact, START + 1, { schemas: { pay: { type: "object" } } }), "pending", "another schema");
  const here = inbox({ grants: kept });
  assert.equal(here.revoke("none"), false);
  assert.equal(here.revoke(here.grants()[0].id), true);
  here.receive(task([["r9", "pay", exact]], "t9"));
  assert.equal(statuses(here)[0][0], "pending");
});

test("r45_revoked_once: what was taken back before is taken back no second time, and no second record says so", () => {
  const here = inbox({ grants: [{ id: "g", scope: "tool", tool: "rm", createdAt: 1, expiresAt: START + HOUR }] });
  assert.deepEqual([here.revoke("g", { at: START + 1 }), here.revoke("g", { at: START + 2 })], [true, true]);
  assert.equal(here.grants()[0].revokedAt, START + 1);
  assert.equal(here.audit().match(/"revoked"/g).length, 1);
});

test("r33_edit_risk: an edit is judged by what will run, by every rule of the host, and never needs less care", () => {
  const rules = [{ name: "outside", effect: "ask", risk: "high", args: [{ pointer: "/path", prefix: "/srv/" }], reason: "not below /tmp" }];
  const risk = [{ tool: "delete_file", args: [{ pointer: "/path", contains: ".ssh" }], level: "elevated", reason: "keys" }];
  const here = inbox({ policy: { rules }, risk });
  here.receive(task([["r1", "delete_file", '{"path":"/tmp/x"}'], ["r2", "delete_file", '{"path":"/srv/x"}']]));
  const before = here.requests();
  const host = (message) => ({ source: "host", code: "host-rule", message });
  assert.deepEqual(before.map((view) => view.risk.level), ["low", "high"]);
  assert.deepEqual(before[1].risk.reasons, [host("not below /tmp")]);
  assert.deepEqual(here.editRisk("r1", '{"path":"/tmp/y"}'), { level: "low", reasons: [] });
  assert.deepEqual(here.editRisk("r1", { path: "/srv/y" }), { level: "high", reasons: [host("not below /tmp")] });
  assert.deepEqual(here.editRisk("t1/r1", '{"path":"/tmp/.ssh/x"}').reasons.at(-1), host("keys"));
  assert.deepEqual(here.editRisk("r2", '{"path":"/tmp/y"}'), { level: "high", reasons: [{ ...host("not below /tmp"), source: "sent" }] });
  assert.deepEqual(fault(() => here.editRisk("nobody", "{}")), ["unknown-request", undefined]);
  assert.equal(here.requests(), before, "nothing was changed");
});

test("r37_siblings: five siblings, one of high risk: the others are named, and only what was named is approved", () => {
  const rules = [{ name: "much", effect: "ask", risk: "high", args: [{ pointer: "/n", equals: 3 }] }];
  const here = inbox({ grants: [], policy: { rules } });
  const calls = [1, 2, 3, 4, 5].map((n) => [`r${n}`, "pay", `{"n":${n}}`]);
  here.receive(task(calls));
  const draft = here.draftGrant("r1", { scope: "tool" });
  assert.deepEqual(draft.siblings.map(({ requestId }) => requestId), ["t1/r2", "t1/r4", "t1/r5"]);
  here.grant("t1/r1", { ...draft, siblings: draft.siblings.slice(0, 2) });
  assert.deepEqual(statuses(here).map(([status, automatic]) => [status, automatic]), [
    ["drafted", false],
    ["drafted", true],
    ["pending", false],
    ["drafted", true],
    ["pending", false],
  ]);
  assert.equal(here.draftGrant("t1/r3", { scope: "tool" }), undefined);
});

test("r36_wish: what is no wish is refused, and not taken for a wider one", () => {
  const here = inbox({ grants: [] });
  here.receive(task([["r1", "pay", '{"n":1}']]));
  const place = (wish) => fault(() => here.draftGrant("t1/r1", wish));
  assert.deepEqual(place({ scope: "tool", pins: "/n" }), ["options-invalid", "/wish/pins"]);
  assert.deepEqual(place({ scope: "tool", pin: ["/n"] }), ["options-invalid", "/wish/pin"]);
  assert.deepEqual(place({ scope: "session", pins: ["/n"] }), ["options-invalid", "/wish/pins"]);
  assert.deepEqual(place({}), ["options-invalid", "/wish"]);
  assert.equal(here.draftGrant("t1/r1", { scope: "tool", pins: ["/m"] }), undefined, "nothing stands there");
});

test("r37_undo: who takes the approval back takes back the grant that came with it", () => {
  const here = inbox({ grants: [] });
  here.receive(task([["r1", "pay", "{}"], ["r2", "rm", "{}"]]));
  here.grant("t1/r1", here.draftGrant("t1/r1", { scope: "tool" }));
  here.undo("t1/r1");
  assert.deepEqual(here.grants().map(({ revokedAt }) => revokedAt), [START]);
  here.receive(task([["r9", "pay", "{}"]], "t9"));
  assert.deepEqual(statuses(here).map(([status]) => status), ["pending", "pending", "pending"]);
});

test("r34_forever: without an end only where the host says so", () => {
  const draft = (policy) => {
    const here = inbox({ grants: [], ...policy });
    here.receive(task([["r1", "pay", "{}"]]));
    return here.draftGrant("t1/r1", { scope: "tool", span: "forever" });
  };
  assert.equal(draft({}), undefined);
  assert.equal(draft({ policy: { forever: true } }).grant.expiresAt, undefined);
});
