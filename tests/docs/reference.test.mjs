// The reference page names every public member of the package, and none that there is not.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

import { root } from "./blocks.mjs";

const typescript = createRequire(join(root, "tests/index.js"))("typescript");
const folder = join(root, "target/npm/countersign");
const page = readFileSync(join(root, "www/docs/reference.md"), "utf8");
const manifest = JSON.parse(readFileSync(join(folder, "custom-elements.json"), "utf8"));

/** The sections of the page by their headings. */
const sections = new Map(page.split(/^## /m).slice(1).map((text) => [text.slice(0, text.indexOf("\n")), text]));
/** The names in the first column of the tables of a section whose first heading is this one. */
function names(section, column) {
  const tables = sections.get(section).split(/\n\n/).filter((table) => table.startsWith(`| ${column} |`));
  assert.ok(tables.length > 0, `${section} has no table of its \`${column}\``);
  const cells = tables.flatMap((table) => table.trim().split("\n").slice(2).map((line) => line.split("|")[1]));
  return [...new Set(cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name)))].sort();
}

/** What the interfaces are made of, by name. */
const extended = new Map();
/** What the declarations of a file declare, by name: the public members of classes, interfaces and object types. */
function declared(file) {
  const source = typescript.createSourceFile(file, readFileSync(join(folder, "dist", file), "utf8"), typescript.ScriptTarget.ES2022, true);
  const found = new Map();
  for (const node of source.statements) {
    const members = node.members ?? node.type?.members ?? [];
    const own = members.map(({ name }) => name?.text).filter((name) => name !== undefined && !name.startsWith("#"));
    if (node.name) found.set(node.name.text, [...new Set(own)]);
    if (node.name) extended.set(node.name.text, (node.heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.text)));
  }
  return found;
}
const FILES = ["options", "types", "events", "inbox", "element", "card-element", "policy-element", "worded-element", "full", "headless", "tags", "vue", "connect/types", "connect/forward"];
const all = new Map(FILES.flatMap((file) => [...declared(`${file}.d.ts`)]));
for (const file of ["a2a", "adk", "langgraph", "rest", "websocket"]) for (const [name, members] of declared(`connect/${file}.d.ts`)) all.set(name, members);
const members = (...types) => [...new Set(types.flatMap((type) => all.get(type) ?? assert.fail(`nothing declares ${type}`)))].sort();

for (const [tag, type] of [["inbox", "CountersignInboxElement"], ["card", "CountersignCardElement"], ["policy", "CountersignPolicyElement"]]) {
  test(`the reference names what <countersign-${tag}> has`, () => {
    const section = `\`<countersign-${tag}>\``;
    const described = manifest.modules.flatMap(({ declarations }) => declarations).find(({ name }) => name === type);
    assert.deepEqual(names(section, "attribute"), described.attributes.map(({ name }) => name).sort());
    assert.deepEqual(names(section, "event"), described.events.map(({ name }) => name).sort());
    assert.deepEqual(names(section, "property or method"), members("WordedElement", type));
    const slots = (described.slots ?? []).map(({ name }) => name);
    assert.deepEqual(sections.get(section).includes("| slot |") ? names(section, "slot") : [], slots);
  });
}

for (const [section, column, ...types] of [
  ["Loading", "option", "InitOptions"],
  ["Options of an inbox", "option", "InboxOptions"],
  ["Methods of an inbox", "method", "BaseInbox"],
  ["A card", "member", "RequestView"],
  ["A decision", "member", "DecisionFields"],
  ["A message to send", "member", "Outbound"],
  ["Options of connectors", "option", "Surroundings", "ConnectorOptions", "PollingOptions", "A2aOptions", "AdkOptions", "LangGraphOptions", "RestOptions", "WebSocketOptions"],
]) {
  test(`the reference names what is declared: ${section}`, () => assert.deepEqual(names(section, column), members(...types)));
}

test("the reference says of each connector which options it has", () => {
  const rows = sections.get("Options of connectors").split("\n").filter((line) => line.startsWith("| `")).map((line) => line.split("|").slice(1, 3));
  const quoted = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
  const shared = members("Surroundings", "ConnectorOptions");
  for (const [name, own] of [["a2a", "A2aOptions"], ["adk", "AdkOptions"], ["langgraph", "LangGraphOptions"], ["rest", "RestOptions"], ["websocket", "WebSocketOptions"]]) {
    const said = rows.filter(([, of]) => of.trim() === "all" || quoted(of).includes(name)).flatMap(([options]) => quoted(options));
    const polled = extended.get(own).includes("PollingOptions") ? members("PollingOptions") : [];
    assert.deepEqual(said.sort(), [...new Set([...shared, ...polled, ...members(own)])].sort(), name);
  }
});

test("the reference names every function", () => {
  const functions = [...all.keys()].filter((name) => /^[a-z]/.test(name) && !["event", "errorDetail", "init", "global"].includes(name));
  const connectors = ["a2a", "adk", "langgraph", "rest", "websocket"];
  assert.deepEqual(names("Functions", "function"), functions.filter((name) => !connectors.includes(name)).sort());
});

test("the reference names the members of what stands in options, cards and events", () => {
  const named = new Set([...page.matchAll(/`([^`]+)`/g)].map(([, code]) => code));
  const types = ["Limits", "RiskRule", "Offer", "EditRule", "Question", "BatchView", "HazardView", "RiskView", "RiskReason", "OutboundView"];
  types.push("OutboundTransport", "Retry", "Receipt", "DecideAllResult", "SendFailure", "CardWindow", "PolicyTool", "Inspection", "Validation");
  types.push("ValidationOptions", "Versions", "Advice", "ChangeDetail", "ErrorDetail", "GrantsDetail", "ExtendDetail", "PolicyChangeDetail");
  const missing = types.flatMap((type) => members(type).filter((name) => ![...named].some((code) => code === name || code.startsWith(`${name}(`))).map((name) => `${type}.${name}`));
  assert.deepEqual(missing, []);
});

test("what editors read names every part and custom property of the page on looks, and the type of every event", () => {
  const [properties, parts] = ["Custom properties", "Parts"].map((heading) => readFileSync(join(root, "www/docs/theming.md"), "utf8").split(`## ${heading}`)[1].split("\n## ")[0]);
  const rows = (text) => text.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));
  const quoted = (cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  const elements = manifest.modules.flatMap(({ declarations }) => declarations).filter(({ tagName }) => tagName);
  assert.equal(elements.length, 3);
  const given = new Set(elements.flatMap(({ cssParts }) => cssParts.map(({ name }) => name)));
  assert.deepEqual([...given].sort(), [...new Set(rows(parts).flatMap((row) => quoted(row.split("|")[2])))].sort());
  const styled = rows(properties).flatMap((row) => quoted(row.split("|")[1]));
  assert.ok(styled.length > 25, `${styled.length} properties were found`);
  for (const { tagName, cssParts, cssProperties, events, attributes, members: own } of elements) {
    assert.equal(new Set(cssParts.map(({ name }) => name)).size, cssParts.length, tagName);
    assert.deepEqual(cssProperties.map(({ name }) => name), styled, tagName);
    for (const { name, description, default: value } of cssProperties) assert.ok(description && value, `${tagName} ${name}`);
    for (const { name, type } of events) {
      const [, detail] = /^CustomEvent<(\w+)>$/.exec(type?.text ?? "") ?? assert.fail(`${tagName} ${name} has no type`);
      assert.ok(all.has(detail), `nothing declares ${detail}`);
    }
    for (const { description } of [...attributes, ...own.filter(({ kind }) => kind === "field"), ...cssParts]) assert.ok(description, tagName);
  }
});

test("the page on looks names every part that there is, and no other", () => {
  const looks = readFileSync(join(root, "www/docs/theming.md"), "utf8").split("## Parts")[1];
  const rows = looks.split("\n").filter((line) => line.startsWith("|")).map((line) => line.split("|")[2]);
  const said = new Set(rows.flatMap((cell) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name)));
  const folder = join(root, "crates/yew/src");
  const files = readdirSync(folder, { recursive: true }).filter((file) => file.endsWith(".rs") && !/tests|snapshots/.test(file));
  const outage = join(root, "crates/wasm/npm/src/outage.ts");
  const sources = [...files.map((file) => join(folder, file)), outage].map((file) => readFileSync(file, "utf8")).join("\n");
  const given = [...sources.matchAll(/\b(?:part|button|guarded|refuse|turn)\(\s*"([a-z-]+)"|\bpart(?:: |\.add\()"([a-z-]+)"/g)].map(([, one, other]) => one ?? other);
  assert.ok(given.length > 80, `${given.length} parts were found`);
  assert.deepEqual([...new Set(given)].filter((name) => !said.has(name)).sort(), [], "parts that the page does not name");
  assert.deepEqual([...said].filter((name) => !sources.includes(`"${name}"`)), [], "parts that there are not");
});
