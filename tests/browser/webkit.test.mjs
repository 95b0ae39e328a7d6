// WebKit, the engine of Safari: what matters most of the card, under the strictest policy that a host could set.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { serve } from '../package/connect-harness.mjs';
import { langgraph as recorded } from '../package/connect-recordings.mjs';
import { Chat, values } from './harness/chat.mjs';
import { ORDER, offers } from './harness/editor.mjs';
import { eventually, pause } from './harness/eventually.mjs';
import { exhibitsOf } from './harness/gallery.mjs';
import { Keys } from './harness/keys.mjs';
import { press } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';
import { openWebKit } from './harness/webkit.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'";
/** WebDriver does not hear what a page says to its console. */
const WATCH = `window.problems = [];
const note = (what) => window.problems.push(String(what));
addEventListener('error', ({ message, filename, lineno }) => note(message + ' (' + filename + ':' + lineno + ')'));
addEventListener('unhandledrejection', ({ reason }) => note(reason));
addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) => note(effectiveDirective + ': ' + blockedURI + ' ' + sample));
const { error } = console;
console.error = (...all) => (note(all.join(' ')), error(...all));
`;

let browser;
let server;

before(async () => {
  const folder = path.join(root, 'target/webkit');
  rmSync(folder, { recursive: true, force: true });
  cpSync(DEMO_FOLDER, folder, { recursive: true });
  const index = path.join(folder, 'index.html');
  writeFileSync(index, readFileSync(index, 'utf8').replace('<head>', '<head><script src="/watch.js"></script>'));
  writeFileSync(path.join(folder, 'watch.js'), WATCH);
  server = await serveFolder(folder, { headers: { 'content-security-policy': POLICY } });
  browser = await openWebKit();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** The one window at this address, as a person finds it who was never there. */
async function open(t, address) {
  const { page } = browser;
  await page.goto(`${server.origin}/watch.js`);
  await page.evaluate(() => (localStorage.clear(), sessionStorage.clear()));
  await page.goto(address);
  t.after(async () => assert.deepEqual(await page.evaluate(() => window.problems), [], 'errors inside the page'));
  return page;
}

async function talk(t, wire) {
  const chat = await Chat.on(await open(t, `${server.origin}/?wire=${wire}&delay=0`));
  const executed = () => chat.page.evaluate(() => window.countersignDemo.executed().map(({ tool, args }) => ({ tool, args })));
  return { chat, keys: new Keys(chat.page), executed };
}

const CALL = { tool: 'delete_file', argsText: '{"path":"/tmp/x"}' };

/** These cards alone. A slow machine must be in time for what is done before one arms. */
async function show(t, cards = [CALL], query = 'arm=2500') {
  const gallery = await exhibitsOf(await open(t, `${server.origin}/?gallery&state=pending&${query}`));
  await gallery.show(cards);
  const card = gallery.exhibit('shown').locator('[part=card]').first();
  const button = (name) => card.locator(`[part=${name}-button]`);
  const intents = async () => (await gallery.intents()).map(({ kind, code, decision }) => code ?? decision?.kind ?? kind);
  const inert = async (value = 'true') => assert.equal(await button('approve').getAttribute('aria-disabled'), value);
  const centre = async () => {
    const { x, y, width, height } = await button('approve').boundingBox();
    return [x + width / 2, y + height / 2];
  };
  return { gallery, page: gallery.page, card, button, intents, inert, centre, armed: () => eventually(() => inert(null)) };
}

test('webkit: r26_a press that comes too early decides nothing, one that comes later does, and once', async (t) => {
  const { gallery, page, inert, centre, armed, button, intents } = await show(t);
  const place = await centre();
  await gallery.show([]);
  await page.mouse.click(...place);
  await gallery.show([{ ...CALL, key: 2 }]);
  await page.mouse.click(...place, { clickCount: 2 });
  await inert();
  assert.deepEqual(await intents(), []);
  await armed();
  await button('approve').dblclick();
  assert.deepEqual(await intents(), ['approve']);
});

test('webkit: r30_a card that something lies over decides nothing, and says so', async (t) => {
  const { page, inert, centre, armed, button, intents } = await show(t, [CALL], '');
  await armed();
  const [x, y] = await centre();
  await page.evaluate(() => {
    const cover = document.body.appendChild(document.createElement('div'));
    cover.style.cssText = 'position: fixed; inset: 0; z-index: 9';
  });
  await eventually(() => inert());
  await page.mouse.click(x, y);
  assert.deepEqual(await intents(), []);
  await button('approve').focus();
  await page.keyboard.press('Enter');
  assert.deepEqual(await intents(), ['obstructed']);
  await page.evaluate(() => document.body.lastElementChild.remove());
  await armed();
});

test('webkit: r30_where a page is zoomed by its style, what is hit is looked for where it stands', async (t) => {
  const { gallery, page, inert, centre, armed, intents } = await show(t, [CALL], '');
  for (const zoom of [1.5, 0.8]) {
    await gallery.show([CALL]);
    await page.evaluate((zoom) => (document.documentElement.style.zoom = zoom), zoom);
    await armed();
    const [x, y] = (await centre()).map((place) => place * zoom);
    await page.evaluate(([x, y]) => {
      const cover = document.body.appendChild(document.createElement('div'));
      cover.style.cssText = `position: fixed; left: ${x - 5}px; top: ${y - 5}px; width: 10px; height: 10px; z-index: 9`;
    }, await centre());
    await eventually(() => inert());
    await page.evaluate(() => document.body.lastElementChild.remove());
    await armed();
    const before = (await intents()).length;
    await page.mouse.click(x, y);
    assert.deepEqual((await intents()).slice(before), ['approve']);
    await gallery.show([]);
  }
});

test('webkit: r27_arguments that change under a press that is held are not what was approved', async (t) => {
  const { gallery, page, centre, armed, intents } = await show(t, [CALL], '');
  await armed();
  await page.mouse.move(...(await centre()));
  await page.mouse.down();
  await gallery.show([{ ...CALL, argsText: '{"path":"/etc/passwd"}' }]);
  await armed();
  await page.mouse.up();
  await pause(100);
  assert.deepEqual(await intents(), []);
});

test('webkit: r25_an edit leaves every byte alone that nobody touched', async (t) => {
  const { gallery, card, button } = await show(t, [{ tool: 'pay', argsText: ORDER, offers: offers('approve', 'edit') }], 'arm=0');
  await button('edit').click();
  const dialog = card.getByRole('dialog');
  await dialog.getByLabel('n', { exact: true }).fill('2');
  await press(dialog.locator('[part=send-edit-button]'));
  const [{ decision }] = await gallery.intents();
  assert.deepEqual(decision, { kind: 'edit', args: ORDER.replace('1.00', '2') });
});

test('webkit: r25_a field is as high as the lines that it holds, and numbers of lines are not copied with the text', async (t) => {
  const argsText = JSON.stringify({ memo: 'one\ntwo\nthree', one: 'x' });
  const { card, button } = await show(t, [{ tool: 'pay', argsText, offers: offers('approve', 'edit') }], 'arm=0');
  await button('edit').click();
  const dialog = card.getByRole('dialog');
  const hidden = (name) => dialog.getByLabel(name, { exact: true }).evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
  assert.deepEqual([await hidden('memo'), await hidden('one')], [0, 0]);
  await dialog.getByRole('button', { name: 'JSON', exact: true }).click();
  const select = await dialog.locator('.cs-edit-mirror').evaluate((mirror) => getComputedStyle(mirror).webkitUserSelect);
  assert.equal(select, 'none');
});

test('webkit: r03_what was shown is what runs, and a rejection gets its reason across', async (t) => {
  const { chat, executed } = await talk(t, 'adk-plain');
  await chat.say('transfer amount=9007199254740993 then delete path=/srv/b');
  const [transfer, remove] = await chat.pending(2);
  const shown = await transfer.shownArguments();
  assert.match(shown, /9007199254740993/);
  await transfer.approve();
  await transfer.confirmRisk();
  await remove.reject('Keep it: "b" — 漢 🙂');
  await Promise.all([transfer.becomes('completed'), remove.becomes('rejected')]);
  assert.deepEqual(await executed(), [{ tool: 'transfer_funds', args: shown }]);
  assert.ok(values(await chat.lastSent()).includes('Keep it: "b" — 漢 🙂'));
});

test('webkit: r39_a reload shows a card where it stood, and two are approved at once', async (t) => {
  const { chat, executed } = await talk(t, 'langgraph-hitl');
  await chat.say('delete path=/srv/a then email');
  const cards = await chat.pending(2);
  const stand = async (...statuses) => {
    await chat.reload();
    await Promise.all(cards.map((card, place) => card.becomes(statuses[place])));
  };
  await stand('pending', 'pending');
  await cards[0].approve();
  await cards[0].becomes('drafted');
  // A draft is nobody's but this page's.
  await stand('pending', 'pending');
  await chat.approveAll();
  await Promise.all(cards.map((card) => card.becomes('completed')));
  await stand('completed', 'completed');
  assert.deepEqual((await executed()).map(({ tool }) => tool), ['delete_file', 'send_email']);
});

test('webkit: r42_what one window decides, the other does not ask any more', async (t) => {
  const { chat } = await talk(t, 'langgraph-interrupt');
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  const window = await browser.newPage();
  t.after(() => window.close());
  await window.goto(await chat.page.evaluate(() => location.href));
  const other = await Chat.on(window);
  await (await other.card('delete_file')).approve();
  await card.becomes('completed', 'unknown');
});

test('webkit: r47_keyboard: everything is reached, keeps its focus in sight, and Escape decides nothing', async (t) => {
  const { chat, keys, executed } = await talk(t, 'kagent-0.10');
  await chat.say('delete path=/srv/a then ask');
  const remove = await chat.card('delete_file');
  await keys.tab('Reject delete_file', { back: true });
  await keys.press('Enter');
  await keys.on(/^Reason/);
  await keys.press('Escape');
  await keys.on('Reject delete_file');
  await remove.becomes('pending');
  await keys.tab('Approve delete_file', { back: true });
  await keys.armed();
  await remove.becomes('completed');
  await keys.kept();
  const [ask] = await chat.pending(1);
  // In WebKit an arrow alone takes the mark of the focus from a choice.
  await keys.tab(({ tag }) => tag === 'input');
  for (let step = 0; step < 3 && (await keys.at()).name !== 'MySQL'; step += 1) await keys.press('ArrowDown');
  await keys.on(({ name, checked }) => name === 'MySQL' && checked);
  await keys.tab('Auth');
  await keys.press(' ');
  await keys.tab('Anything else?');
  await keys.type('No');
  await keys.tab(/^Send answers/);
  await keys.press('Enter');
  await ask.becomes('responded');
  await keys.kept();
  assert.deepEqual(await executed(), [{ tool: 'delete_file', args: '{"path":"/srv/a"}' }]);
});

const IDLE = '{"values":{},"next":[],"tasks":[],"interrupts":[]}';

test('webkit: a plain page with the npm package loads its parts, streams, and sends exactly one answer', async (t) => {
  const built = path.join(root, 'target/npm/countersign');
  if (!existsSync(built)) throw new Error('target/npm/countersign is missing: run `cargo xtask npm`');
  const folder = path.join(root, 'target/webkit-plain');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(path.join(root, 'www/examples'), folder, { recursive: true });
  symlinkSync(built, path.join(folder, 'countersign'), 'junction');
  writeFileSync(path.join(folder, 'index.html'), `<script>${WATCH}</script>`);
  const page = path.join(folder, 'plain-langgraph.html');
  writeFileSync(page, readFileSync(page, 'utf8').replace('<meta', `<script>${WATCH}</script><meta`));
  const pages = await serveFolder(folder);
  t.after(() => pages.close());
  let state = recorded.state;
  const agent = await serve(t, {
    other: (exchange) => {
      exchange.response.setHeader('access-control-allow-origin', '*');
      exchange.response.setHeader('access-control-allow-headers', '*');
      if (exchange.method === 'OPTIONS') return exchange.json('');
      if (exchange.url.startsWith('/threads/t1/history')) return exchange.json(`[${state}]`);
      if (exchange.url.startsWith('/threads/t1/state')) return exchange.json(state);
      if (exchange.url === '/threads/t1/runs/stream') {
        state = IDLE;
        return exchange.stream(recorded.events).end();
      }
      return exchange.json(exchange.url.startsWith('/threads/t1/runs') ? '[]' : '{}');
    },
  });
  const plain = await open(t, `${pages.origin}/plain-langgraph.html?backend=${agent.url}&token=x#t1`);
  const card = plain.locator('countersign-inbox [part=card]');
  await card.getByText('alice@example.com').waitFor();
  await press(card.locator('[part=approve-button]'));
  await eventually(async () => assert.equal(await card.getAttribute('data-status', { timeout: 0 }), 'completed'));
  const sent = agent.requests.filter(({ method, url }) => method === 'POST' && url === '/threads/t1/runs/stream');
  assert.equal(sent.length, 1);
  assert.ok(sent[0].body.endsWith(`,"command":${recorded.command}}`), sent[0].body);
});
