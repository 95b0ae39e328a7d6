// `<countersign-policy>` in real Chromium: switches, search, pages, formats, grants.
import assert from "node:assert/strict";
import { test } from "node:test";

import { press } from "../browser/harness/press.mjs";
import { stage } from "./page.mjs";
import { task } from "./task.mjs";

const open = stage("policy-element", "<countersign-policy></countersign-policy>");

const INTERRUPT_ON = '{\n  "ls": false,\n  "write_file": {"allowed_decisions": ["approve"], "limit": 1.00},\n  "agents": {"researcher": {"browse": true}}\n}';
const set = (page, properties) =>
  page.evaluate((given) => Object.assign(document.querySelector("countersign-policy"), given), properties);
const told = (page, type) => page.evaluate((wanted) => told.filter(([event]) => event === wanted).map(([, , detail]) => detail), type);
const toggle = (page, tool) => page.getByRole("switch", { name: `Require approval ${tool}`, exact: true });
const configuration = (page) => page.evaluate(() => document.querySelector("countersign-policy").configuration);

test("a switch changes one place of the configuration, by keyboard, and tells of it", async (t) => {
  const page = await open(t);
  await set(page, {
    tools: [{ name: "ls", description: "Lists <b>files</b>" }, { name: "write_file" }, { name: "browse", agent: "researcher" }],
    configuration: INTERRUPT_ON,
  });
  await page.getByText("2 of 3 tools ask").waitFor();
  assert.equal(await toggle(page, "ls").getAttribute("aria-checked"), "false");
  assert.equal(await page.locator("countersign-policy b").count(), 0);
  await page.getByText("Lists <b>files</b>").waitFor();
  await page.getByRole("heading", { name: "researcher" }).waitFor();
  await toggle(page, "ls").press("Space");
  await page.getByText("3 of 3 tools ask").waitFor();
  const [change] = await told(page, "countersign-policy-change");
  assert.equal(change.configuration, INTERRUPT_ON.replace("false", "true"));
  assert.deepEqual([change.format, change.tool], ["interrupt_on", { name: "ls", agent: [], requiresApproval: true }]);
  await toggle(page, "browse").press("Enter");
  assert.equal(await configuration(page), INTERRUPT_ON.replace("false", "true").replace('{"browse": true}', '{"browse": false}'));
  assert.equal((await told(page, "countersign-policy-change")).length, 2);
});

test("a policy says which language it is in, is read as that is read, and is translated by nobody", async (t) => {
  const page = await open(t);
  await set(page, { configuration: '{"a": true}', locale: "ar" });
  const seen = () => page.locator("countersign-policy [part=policy]").evaluate((it) => [it.lang, getComputedStyle(it).direction, it.translate]);
  await page.locator("countersign-policy [part=policy][lang=ar]").waitFor();
  assert.deepEqual(await seen(), ["ar", "rtl", false]);
});

test("r36_trusted: a script turns no switch, and what is read-only turns for nobody", async (t) => {
  const page = await open(t);
  await set(page, { configuration: '{"a": true}' });
  await toggle(page, "a").evaluate((element) => element.click());
  await page.evaluate(() => document.querySelector("countersign-policy").setAttribute("readonly", ""));
  await toggle(page, "a").click({ force: true });
  assert.deepEqual([await configuration(page), await told(page, "countersign-policy-change")], ['{"a": true}', []]);
});

test("r36_a list that moves under the pointer turns no other tool off", async (t) => {
  const page = await open(t);
  const named = (...names) => ({ tools: names.map((name) => ({ name })) });
  const acts = (tool) => toggle(page, tool).and(page.locator(":not([aria-disabled])")).waitFor();
  const click = async () => (await page.mouse.down(), page.mouse.up());
  const on = '{"read_file": true, "delete_everything": true}';
  await set(page, { ...named("read_file", "delete_everything"), configuration: on });
  const { x, y } = await toggle(page, "read_file").boundingBox();
  await page.mouse.move(x + 9, y + 9);
  await click();
  assert.equal(await configuration(page), on, "it has only just come");
  for (const moved of [() => set(page, named("delete_everything", "read_file")), () => page.evaluate(move)]) {
    for (const tool of ["read_file", "delete_everything"]) await acts(tool);
    await moved();
    await click();
    assert.deepEqual([await configuration(page), await told(page, "countersign-policy-change")], [on, []]);
  }
  await acts("read_file");
  await click();
  assert.equal(await configuration(page), on.replace("true", "false"), "it has stood there");
  await click();
  assert.equal(await configuration(page), on, "it is turned on at once");
});

/** Moves everything up by the height of a row. */
function move() {
  const rows = document.querySelector("countersign-policy").shadowRoot.querySelectorAll("[part=tool]");
  const [first, second] = [...rows].map((row) => row.getBoundingClientRect().top);
  document.body.style.marginTop = `${first - second}px`;
}

// Other browsers do not judge what can be seen.
test("r36_a switch that something is painted over is turned off by nobody", async (t) => {
  const page = await open(t);
  await set(page, { configuration: '{"a": true}' });
  await toggle(page, "a").and(page.locator(":not([aria-disabled])")).waitFor();
  const { x, y } = await toggle(page, "a").boundingBox();
  await page.evaluate(() => {
    const veil = document.body.appendChild(document.createElement("div"));
    veil.style.cssText = "position: fixed; inset: 0; background: white; pointer-events: none";
  });
  await toggle(page, "a").and(page.locator("[aria-disabled]")).waitFor();
  await page.mouse.click(x + 9, y + 9);
  assert.equal(await configuration(page), '{"a": true}');
});

test("what a switch does, and why one does not act, is in sight and belongs to the switch", async (t) => {
  const page = await open(t);
  await set(page, { tools: [{ name: "ls" }, { name: "rm" }], configuration: '{"require_approval":{"ls":true},"blocked_tools":["rm"]}' });
  const described = (tool) =>
    toggle(page, tool).evaluate((button) => {
      const text = button.getRootNode().getElementById(button.getAttribute("aria-describedby"));
      return [text.checkVisibility(), text.innerText, text.closest("[part=tool]")?.contains(button) ?? false];
    });
  await toggle(page, "ls").waitFor();
  // Off would say that its calls run unasked; it is refused.
  assert.equal(await toggle(page, "rm").count(), 0);
  const whole = "On: a person is asked first. Off: calls run unasked.";
  assert.deepEqual(await described("ls"), [true, whole, false]);
  assert.ok(await page.getByText("The configuration cannot say otherwise for this tool alone.").isVisible());
  assert.equal(await page.locator("countersign-policy [title]").count(), 0, "a title is for a pointer alone");
  await page.evaluate(() => document.querySelector("countersign-policy").setAttribute("readonly", ""));
  await page.getByText("Nothing can be switched here.").waitFor();
  assert.deepEqual(await described("ls"), [true, "Nothing can be switched here.", false]);
});

test("what needs approval and is no tool is named, and nothing can be switched then", async (t) => {
  const page = await open(t);
  await set(page, { configuration: '{"toolNames":["a"],"requireApproval":["a","gone"]}' });
  const alert = page.getByRole("alert");
  assert.match(await alert.textContent(), /not among the tools: gone\..*\/requireApproval/);
  await set(page, { configuration: '{"toolNames":["a"],"requireApproval":["a"]}' });
  await alert.waitFor({ state: "detached" });
  await toggle(page, "a").click();
  assert.equal(await configuration(page), '{"toolNames":["a"],"requireApproval":[]}');
});

test("of a configuration that cannot be read nothing is said about any tool", async (t) => {
  const page = await open(t);
  // What reads the last one of two runs it unasked.
  await set(page, { tools: [{ name: "rm" }, { name: "ls" }], configuration: '{"rm": true, "rm": false}' });
  assert.match(await page.getByRole("alert").textContent(), /occurs more than once/);
  assert.deepEqual(await page.locator("countersign-policy [part=tool]").allTextContents(), ["rm", "ls"]);
  assert.equal(await page.locator("countersign-policy").getByText("ask").count(), 0);
  await set(page, { tools: null, configuration: '{"rm": true}' });
  await page.getByText("1 of 1 tools ask").waitFor();
  assert.deepEqual((await told(page, "countersign-error")).map(({ path }) => path), ["/configuration/rm"], "no tools are no mistake");
});

test("every format is read and written in its own words", async (t) => {
  const page = await open(t);
  const strategy = (policy) =>
    `{"type":"haystack.human_in_the_loop.strategies.BlockingConfirmationStrategy","init_parameters":{"confirmation_policy":` +
    `{"type":"haystack.human_in_the_loop.policies.${policy}","init_parameters":{}}}}`;
  const cases = [
    ["tool_approvals", '{"tools":["a","b"],"tool_approvals":{"a":true},"x":1e2}', '{"tools":["a","b"],"tool_approvals":{"a":false},"x":1e2}'],
    ["adalflow", '{"require_approval":{"a":true},"always_allowed_tools":[]}', '{"require_approval":{"a":false},"always_allowed_tools":[]}'],
    ["haystack", `{"confirmation_strategies":{"a":${strategy("AlwaysAskPolicy")}}}`, /"a":.*NeverAskPolicy/],
    ["require_approval", '[{"server":"s","toolNames":["a"],"requireApproval":["a"]}]', '[{"server":"s","toolNames":["a"],"requireApproval":[]}]'],
  ];
  for (const [format, before, after] of cases) {
    await set(page, { configuration: before });
    // Of another configuration other rows may stand there.
    await press(toggle(page, "a"));
    const [change] = (await told(page, "countersign-policy-change")).slice(-1);
    assert.equal(change.format, format);
    if (typeof after === "string") assert.equal(change.configuration, after);
    else assert.match(change.configuration, after);
  }
});

test("long lists are searched and turned by pages, and few rows stand in the document", async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 700 } });
  const tools = Array.from({ length: 300 }, (_, at) => ({ name: `tool_${at}` }));
  await set(page, { tools, configuration: "{}" });
  await page.getByText("1–25 of 300").waitFor();
  assert.equal(await page.getByRole("switch").count(), 25);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("26–50 of 300").waitFor();
  assert.equal(await page.locator("countersign-policy [part=tool]").first().textContent().then((text) => text.includes("tool_25")), true);
  await page.getByRole("searchbox", { name: "Search tools" }).fill("TOOL_29");
  await toggle(page, "tool_29").waitFor();
  assert.equal(await page.getByRole("switch").count(), 11);
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer, `${inner} > ${outer}`);
});

test("grants of an inbox are listed and taken back, and the host is told", async (t) => {
  const page = await open(t);
  await page.evaluate((message) => {
    const inbox = new countersign.Inbox({ adapter: "a2a", grants: [] });
    inbox.receive(message);
    inbox.grant("t1/r1", inbox.draftGrant("t1/r1", { scope: "tool", span: 3600000 }));
    Object.assign(globalThis, { inbox });
    document.querySelector("countersign-policy").inbox = inbox;
    document.body.append(Object.assign(document.createElement("countersign-inbox"), { inbox }));
  }, task([["r1", "pay", "{}"]]));
  // An inbox on the same page lists the same; whoever goes by regions tells the two apart.
  await page.getByRole("region", { name: "1 permission in force", exact: true }).waitFor();
  await page.getByRole("region", { name: "Which tools need approval · 1 permission in force", exact: true }).waitFor();
  await page.getByRole("button", { name: "Take back pay" }).press("Enter");
  await page.getByRole("heading", { name: "0 permissions in force" }).waitFor();
  const [detail] = await told(page, "countersign-grants");
  assert.ok(detail.grants[0].revokedAt > 0 && detail.text === (await page.evaluate(() => inbox.grantsText())));
});

test("a tool whose name is empty has a name in its row, and the switch has it too", async (t) => {
  const page = await open(t);
  await set(page, { configuration: '{"": true, "ls": true}' });
  await toggle(page, '""').click();
  assert.deepEqual(await page.locator("countersign-policy [part=tool] code").allTextContents(), ['""', "ls"]);
  assert.equal(await configuration(page), '{"": false, "ls": true}');
});

test("the focus stays with its tool where the list around it becomes another, also while a pointer is held", async (t) => {
  const page = await open(t);
  const named = (...names) => ({ tools: names.map((name) => ({ name })) });
  await set(page, { ...named("rm", "ls", "cat"), configuration: '{"rm": true, "ls": true, "cat": true}' });
  await toggle(page, "ls").focus();
  await set(page, named("add", "rm", "ls", "ls", "cat"));
  await page.getByText("4 of 5 tools ask").waitFor();
  await page.keyboard.press("Space");
  assert.equal(await configuration(page), '{"rm": true, "ls": false, "cat": true}');
  const { x, y } = await toggle(page, "rm").boundingBox();
  await page.mouse.move(x + 9, y + 9);
  await page.mouse.down();
  await set(page, named("rm", "ls", "cat"));
  await toggle(page, "add").waitFor({ state: "detached" });
  await page.mouse.up();
  assert.equal(await configuration(page), '{"rm": true, "ls": false, "cat": true}');
});

test("no tool stands under the heading of another agent or server, and each heading stands once", async (t) => {
  const page = await open(t);
  const tools = [{ name: "browse", agent: "researcher" }, { name: "x", server: "s" }];
  await set(page, { tools, configuration: '{"browse": true, "agents": {"researcher": {"browse": false, "rm": true}}}' });
  await toggle(page, "rm").waitFor();
  const rows = await page.locator("countersign-policy [part=heading], countersign-policy [part=tool] code").allTextContents();
  assert.deepEqual(rows, ["browse", "researcher", "browse", "rm", "from s", "x"]);
});

test("what is no tool is told with its place", async (t) => {
  const page = await open(t);
  await set(page, { tools: [{ nome: "a" }] });
  await page.waitForFunction(() => told.length > 0);
  const [error] = await told(page, "countersign-error");
  assert.deepEqual([error.code, error.path], ["options-invalid", "/0/name"]);
});

test("a configuration that cannot be read is told, once, with its place", async (t) => {
  const page = await open(t);
  const errors = async () => (await told(page, "countersign-error")).map(({ code, path, message }) => [code, path, message.split(":")[0]]);
  await set(page, { tools: [{ name: "a" }], configuration: "{nonsense" });
  await page.getByRole("alert").waitFor();
  await set(page, { tools: [{ name: "a" }, { name: "b" }] });
  await page.locator("countersign-policy [part=tool]").nth(1).waitFor();
  const nonsense = ["options-invalid", "/configuration", "the text is not JSON"];
  assert.deepEqual(await errors(), [nonsense]);
  await set(page, { format: "haystak" });
  const format = ["options-invalid", "/format", "`haystak` has no meaning here at /format"];
  assert.deepEqual(await errors(), [nonsense, format]);
  // One after the other: after the first of these alone nothing can be read.
  await set(page, { format: undefined, configuration: '{"a":true}' });
  await page.getByText("1 of 2 tools ask").waitFor();
  assert.equal((await errors()).length, 2);
  await set(page, { configuration: '[{"server":"s","toolNames":["a"],"requireApproval":["b"]}]', format: "require_approval" });
  const [subset] = (await errors()).slice(2);
  assert.match(subset[1], /^\/configuration\/0/);
  assert.match((await told(page, "countersign-error"))[2].message, /not among the tools: `b`/);
});
