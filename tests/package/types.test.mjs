// The declarations of the package, as strict consumers with either way to resolve modules see them.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { install, root } from "./package.mjs";

const PROGRAM = `
import { init, Inbox, CountersignError, inspectArgs, validateArgs, versions, type Decision, type RequestView, type Receipt, type Outbound, type Status } from "countersign/headless";
import { CountersignInboxElement, Inbox as Shown, type SendDetail } from "countersign";
import "countersign/define";

await init(new URL("https://example.org/headless.wasm"));
const inbox = new Inbox({ adapter: "auto", holdRejections: 0, now: () => 5, limits: { argsDepth: 9 }, a2a: { edits: "always" } });
const receipt: Receipt = inbox.receive(new Uint8Array(), { at: 1 });
const card: RequestView | undefined = inbox.requests({ offset: 0, limit: 60 })[0];
const status: Status | undefined = card?.status;
const words: string | undefined = card?.offers.find(({ kind }) => kind === "reject")?.reason;
inbox.decide("r1", { kind: "edit", args: { path: "/tmp/y" }, seen: card?.argsDigest ?? "" }, { at: 2 });
const { decided, refused } = inbox.decideAll(["r1"], { kind: "reject", reason: "no" });
const due: Outbound[] = inbox.takeOutbound();
const stop: () => void = inbox.subscribe(() => {});
const wake: number | undefined = inbox.nextWake();
const element: CountersignInboxElement = document.createElement("countersign-inbox");
element.inbox = new Shown();
// @ts-expect-error No element can draw it.
element.inbox = inbox;
element.addEventListener("countersign-send", ({ detail }) => detail.respondWith(fetch("/", { method: "POST", body: detail.body })));
const detail = (event: CustomEvent<SendDetail>): string => event.detail.id;
if (new Error() instanceof CountersignError) console.log(inspectArgs("{}").digest, versions().core);
const { problems } = validateArgs({ type: "object" }, "{}", { dialect: "draft-07" });
for (const { pointer, keyword, message } of problems) console.log(pointer, keyword, message);
console.log(receipt.changed, status, words, decided, refused[0]?.code, due, stop, wake, detail);

const decide = (decision: Decision, seen: string | undefined) => inbox.decide("r1", { ...decision, seen });
decide({ kind: "answer", answers: [["a"], []] }, card?.argsDigest);
decide({ kind: "approve_always", scope: "server", offer: undefined }, undefined);
const edited = (decision: Decision) => (decision.kind === "edit" ? decision.args : undefined);
console.log(edited);
// What a card says of its decision is a decision, and all of its members can be read.
const shown = card?.decision;
if (shown) inbox.decide("r1", { ...shown, seen: card.argsDigest });
const said: (string | undefined)[] = [shown?.args, shown?.reason, shown?.note, shown?.text, shown?.scope, shown?.answers?.[0]?.[0]];
console.log(said);

// @ts-expect-error There is no such kind of decision.
inbox.decide("r1", { kind: "wave" });
// @ts-expect-error Only an edit runs other arguments.
inbox.decide("r1", { kind: "approve", args: { path: "/tmp/y" } });
const meant = { kind: "approve", args: { path: "/tmp/y" } } as const;
// @ts-expect-error The same, said before.
inbox.decide("r1", meant);
// @ts-expect-error An edit says what runs.
inbox.decide("r1", { kind: "edit" });
// @ts-expect-error A response has words.
inbox.decide("r1", { kind: "respond" });
// @ts-expect-error There is no such member.
inbox.decide("r1", { kind: "reject", feedback: "wrong account" });
// @ts-expect-error Cards are looked at, not changed.
inbox.requests().push(card);
// @ts-expect-error What is inside stays inside.
inbox.raw;
`;

/** What a page writes that defines the tags and imports nothing else. */
const PAGE = `
import "countersign/define";

const element = document.querySelector("countersign-inbox");
element?.addEventListener("countersign-error", ({ detail }) => console.warn(detail.code, detail.help ?? ""));
const restored: Promise<{ changed: string[] }> | undefined = element?.restore("[]");
document.createElement("countersign-policy").tools = [{ name: "delete_file" }];
document.addEventListener("countersign-send", ({ detail }) => detail.respondWith(restored ?? Promise.resolve()));
const card: string | undefined = document.querySelector("countersign-card")?.requestId;
console.log(card);
// @ts-expect-error The element has a type.
element?.nonsense;
`;

/** What a program writes in Node, or another place without a document. */
const SERVER = `
import { readFileSync } from "node:fs";
import { init, Inbox, type Decision, type PartSource, type RequestView, type WasmSource } from "countersign/headless";
import { a2a, forward, type Connector } from "countersign/connect";

const bytes: WasmSource = readFileSync("headless.wasm");
const part: PartSource = new Uint8Array(8).buffer;
await init({ source: bytes, adapters: ["a2a"], parts: { a2a: part } });
const inbox = new Inbox();
const connector: Connector = a2a({ url: "https://example.org/agent", ids: { contextId: "c1" }, fetch: (url, init) => fetch(url, init) });
await connector.connect(inbox);
forward(inbox, connector);
const decide = ({ id, argsDigest }: RequestView, decision: Decision) => inbox.decide(id, { ...decision, seen: argsDigest });
for (const card of inbox.requests()) decide(card, { kind: "approve" });
// @ts-expect-error A number is no file.
await init(5);
`;

/** What a page writes that has compiled the file itself. */
const COMPILED = `
import { init, type WasmSource } from "countersign/headless";
import type { CountersignMarkup } from "countersign";

const compiled: WebAssembly.Module = await WebAssembly.compileStreaming(fetch("/headless.wasm"));
const sources: WasmSource[] = [compiled, fetch("/headless.wasm"), new Request("/headless.wasm"), new Blob([]).arrayBuffer()];
await init({ source: compiled, parts: { a2a: compiled } });
const card: CountersignMarkup["countersign-card"] = { "oncountersign-extend": ({ detail }) => detail.respondWith(Promise.resolve(sources.length)) };
console.log(card);
`;

const compiler = join(root, "tests/node_modules/typescript/bin/tsc");

test("a strict program compiles where there are no types of a browser", () => {
  const folder = join(install(), "server");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "server.ts"), SERVER);
  const typeRoots = [join(root, "tests/node_modules/@types")];
  const options = { module: "NodeNext", target: "ES2022", lib: ["ES2023"], types: ["node"], typeRoots, strict: true, noEmit: true, preserveSymlinks: true };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["server.ts"] }));
  const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder]);
  assert.equal(stdout.toString(), "");
});

for (const [module, moduleResolution] of [["NodeNext", "NodeNext"], ["ES2022", "Bundler"]]) {
  test(`a strict program compiles with module resolution ${moduleResolution}`, () => {
    const folder = join(install(), moduleResolution);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "program.ts"), PROGRAM);
    writeFileSync(join(folder, "page.ts"), PAGE);
    writeFileSync(join(folder, "compiled.ts"), COMPILED);
    const options = { module, moduleResolution, target: "ES2022", lib: ["ES2022", "DOM", "DOM.Iterable"], types: [], strict: true, noEmit: true, exactOptionalPropertyTypes: true, preserveSymlinks: true };
    // Each alone: what one imports is known to the other, too.
    for (const file of ["program.ts", "page.ts", "compiled.ts"]) {
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: [file] }));
      const { stdout } = spawnSync(process.execPath, [compiler, "-p", folder]);
      assert.equal(stdout.toString(), "");
    }
  });
}
