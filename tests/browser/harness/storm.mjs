// The connectors of the package against the real frameworks, over a network that breaks.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';

import { TestSocket } from '../../package/connect-harness.mjs';
import { load } from '../../package/package.mjs';
import { startBackend } from './backend.mjs';
import { eventually, pause } from './eventually.mjs';
import { Network, numbers } from './network.mjs';

const ROUNDS = 2;
const ACTS = 40;
/** How long it may take until all is settled once the network is well again, in milliseconds. */
const CALM = 30_000;
const ENDED = ['completed', 'approved', 'rejected', 'cancelled', 'failed', 'expired', 'superseded', 'conflict', 'unknown'];

/**
 * Declares the tests of one backend. `ways` are what connects to it, by name: `({ connect, url, id, headers, … }) => connector`;
 * `words` are what the agent is told, and `post` is where, if the connector cannot.
 */
export function declareStorm(name, { adapter = name, words, post, ways }) {
  let backend;
  let npm;
  before(async () => {
    npm = { ...(await load('countersign/headless')), connect: await load('countersign/connect') };
    await npm.init();
    backend = await startBackend(name, 'http://127.0.0.1:1');
  });
  after(() => backend?.stop());

  for (const [way, connect] of Object.entries(ways)) {
    for (let seed = 1; seed <= ROUNDS; seed += 1) {
      test(`${way}: over a network that breaks, what was approved runs once and nothing else runs (${seed})`, async (t) => {
        const random = numbers(seed);
        const network = new Network(backend.url, random);
        const url = await network.open();
        const id = randomUUID();
        const options = { headers: { 'x-countersign-token': backend.token }, retry: { baseMs: 20, maxMs: 150 }, pollMs: 300 };
        const open = () => connect({ ...npm.connect, options, url, id, token: backend.token, WebSocket: TestSocket });
        // What is compared with what would run must not stand in the way either.
        const page = new Page(() => new npm.Inbox({ adapter, sendDigests: seed % 2 === 0 }), open);
        t.after(() => {
          page.close();
          return network.close();
        });
        await page.open();
        const said = post ? backend.request(post(id), { method: 'POST', body: JSON.stringify({ text: words }) }) : page.say(words);
        await eventually(() => assert.ok(page.of('pending').length > 0));
        await said;

        network.breaks = true;
        for (let act = 0; act < ACTS; act += 1) {
          await pause(120 * random());
          page.act(random);
        }
        network.breaks = false;
        await eventually(() => {
          page.finish(random);
          assert.deepEqual(page.left(), []);
        }, CALM);
        await eventually(async () => page.check(await backend.executed(id)));
      });
    }
  }
}

/** A page and the person before it. */
class Page {
  #makeInbox;
  #makeConnector;
  #inbox;
  #connector;
  /** The paths of the calls that were approved at some time. */
  #approved = new Set();

  constructor(makeInbox, makeConnector) {
    this.#makeInbox = makeInbox;
    this.#makeConnector = makeConnector;
  }

  open() {
    this.#inbox = this.#makeInbox();
    this.#connector = this.#makeConnector();
    return this.#connector.connect(this.#inbox);
  }

  close() {
    this.#connector?.close();
  }

  say(words) {
    return this.#connector.sendText(words);
  }

  of(status) {
    return this.#inbox.requests().filter((view) => view.status === status);
  }

  /** What is not settled. */
  left() {
    const left = this.#inbox.requests().filter(({ status }) => !ENDED.includes(status));
    return left.map(({ id, status, outbound }) => [id, status, outbound?.error]);
  }

  /** Does one of the things that people do while nothing works. */
  act(random) {
    const [failed] = this.#failed();
    const waiting = this.of('pending');
    const chance = random();
    if (chance < 0.07) {
      this.close();
      this.open().catch(() => undefined);
    } else if (failed && chance < 0.5) {
      this.#retry(failed);
    } else if (waiting.length > 0 && chance < 0.8) {
      this.#decide(waiting[Math.floor(waiting.length * random())], random);
    }
  }

  /** Decides what waits, and sends again what did not arrive. */
  finish(random) {
    for (const view of this.#failed()) this.#retry(view);
    for (const view of this.of('pending')) this.#decide(view, random);
  }

  /** What ran is what was approved, each call once, and the cards say so. */
  check(executed) {
    const ran = executed.map(({ args }) => JSON.parse(args).path);
    assert.equal(new Set(ran).size, ran.length, `ran twice: ${ran}`);
    const uncalled = ran.filter((path) => !this.#approved.has(path));
    assert.deepEqual(uncalled, [], 'ran, and nobody had approved it');
    for (const view of this.#inbox.requests()) {
      const hasRun = ran.includes(JSON.parse(view.argsText).path);
      if (view.status === 'completed') assert.ok(hasRun, `${view.id} is completed and did not run`);
      if (['rejected', 'cancelled'].includes(view.status)) assert.ok(!hasRun, `${view.id} is ${view.status} and ran`);
    }
  }

  #failed() {
    return this.of('drafted').filter(({ outbound }) => outbound?.state === 'failed');
  }

  #retry({ id }) {
    this.#inbox.retry(id);
    this.#send();
  }

  #decide(view, random) {
    const approves = random() < 0.5;
    if (approves) this.#approved.add(JSON.parse(view.argsText).path);
    this.#inbox.decide(view.id, { kind: approves ? 'approve' : 'reject' });
    this.#send();
  }

  #send() {
    for (const outbound of this.#inbox.takeOutbound()) this.#connector.send(outbound).catch(() => undefined);
  }
}
