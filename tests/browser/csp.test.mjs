// The pages under the strictest policy that a host could set, and with hostile text in every place of a card.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { launch, openPage, profile } from './harness/browser.mjs';
import { Chat } from './harness/chat.mjs';
import { openGallery } from './harness/gallery.mjs';
import { press } from './harness/press.mjs';
import { DEMO_FOLDER, serveFolder } from './harness/server.mjs';

/** Exactly what rule 49 names. */
const POLICY =
  "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'";

let browser;
let server;

before(async () => {
  server = await serveFolder(DEMO_FOLDER, { headers: { 'content-security-policy': POLICY } });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** A profile in which every page collects its violations of the policy, from the first moment on. */
async function watched(t) {
  const context = await profile(t, browser);
  await context.addInitScript(() => {
    window.violations = [];
    document.addEventListener('securitypolicyviolation', (event) => {
      window.violations.push(`${event.effectiveDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  return context;
}

const violations = (page) => page.evaluate(() => window.violations);

/** Opens what can be opened, so that everything a card ever draws is drawn. */
async function openEverything(page) {
  const closed = '[part~="toggle"][aria-expanded="false"], [part~="fold"], [part~="reject-button"], [part~="respond-button"], [part~="view-button"][aria-pressed="false"]';
  // What was opened may bring more that can be opened, but not without an end.
  for (let left = 40; left > 0; left -= 1) {
    const button = page.locator(closed).first();
    if (!(await button.count())) return;
    await button.click({ timeout: 2_000 });
    // The exact text has nothing to open, and the other view would only lead back.
    await page.evaluate(() => {
      for (const { shadowRoot } of document.querySelectorAll('countersign-inbox')) {
        for (const shown of shadowRoot.querySelectorAll('[part~="view-button"]')) shown.part.remove('view-button');
      }
    });
  }
}

test('r49_the policy is in force: an inline script, a style attribute and text as markup are stopped', async (t) => {
  const page = await openPage(t, await watched(t), server.origin, { expectedErrors: [/Content Security Policy|Trusted(HTML|Script)|HTMLScriptElement/] });
  const stopped = await page.evaluate(() => {
    const script = document.createElement('script');
    script.append('window.ran = true');
    try { document.head.append(script); } catch { /* Trusted types may throw. */ }
    document.body.setAttribute('style', 'color: red');
    let thrown = false;
    try { document.createElement('p').innerHTML = '<b>x</b>'; } catch { thrown = true; }
    return [window.ran, document.body.style.length, thrown];
  });
  assert.deepEqual(stopped, [undefined, 0, true]);
  assert.ok((await violations(page)).length >= 2);
});

test('r49_every state of the card keeps to the policy, opened and closed', async (t) => {
  const all = await openGallery(t, await watched(t), server.origin);
  assert.deepEqual(await violations(all.page), []);
  const gallery = await openGallery(t, await watched(t), server.origin, 'state=nested,long-text,offer-respond,reject-required,history');
  await openEverything(gallery.page);
  assert.deepEqual(await violations(gallery.page), []);
  const styled = gallery.page.locator('countersign-inbox [style]');
  assert.equal(await styled.count(), 0);
});

test('r49_the demo keeps to the policy while an agent asks and a person decides', async (t) => {
  const chat = await Chat.on(await openPage(t, await watched(t), `${server.origin}/?delay=0`));
  await chat.say('delete path=/srv/a');
  const card = await chat.card('delete_file');
  await card.reject('Not today.');
  await card.becomes('rejected');
  assert.deepEqual(await violations(chat.page), []);
});

test('r49_every dialog keeps to the policy, and so do permissions and the panel of what is asked about', async (t) => {
  const chat = await Chat.on(await openPage(t, await watched(t), `${server.origin}/?wire=langgraph-hitl&delay=0`));
  const { page, inbox } = chat;
  const keeps = async (what) => {
    assert.deepEqual(await violations(page), [], what);
    assert.equal(await page.locator('countersign-inbox [style], countersign-policy [style]').count(), 0, what);
  };
  await chat.say('transfer amount=5 then delete path=/srv/a then delete path=/srv/b');
  const [transfer, first] = await chat.pending(3);
  const editor = await transfer.openEditor();
  await editor.getByLabel('amount', { exact: true }).fill('six');
  await keeps('the form');
  await page.keyboard.press('Escape');
  await transfer.edit((await transfer.shownArguments()).replace(':5,', ':6,'));
  await transfer.becomes('drafted');
  await keeps('the JSON editor');
  const grant = await first.allow(/with any arguments$/, 'For 1 day');
  await grant.getByRole('button', { name: /^Exactly what is kept/ }).click();
  await grant.getByRole('button', { name: 'Raw' }).click();
  await grant.locator('[part=siblings]').waitFor();
  await keeps('a permission');
  await first.confirmGrant();
  await first.becomes('completed');
  const grants = inbox.locator('[part=grants]');
  await grants.getByRole('button', { name: '1 permission in force' }).click();
  await grants.getByRole('button', { name: 'Take back delete_file' }).press('Enter');
  await grants.getByText('0 permissions in force').waitFor();
  await keeps('the list of permissions');
  await chat.say('delete path=/srv/c then delete path=/srv/d');
  const [third] = await chat.pending(2);
  await inbox.getByRole('button', { name: /^Approve all/ }).click();
  await inbox.locator('[part~=dialog] [part~=review-row]').first().waitFor();
  await keeps('a batch');
  await press(inbox.locator('[part~=dialog] [part~=confirm-button]'));
  await third.becomes('completed');
  await page.getByRole('button', { name: 'Policy' }).click();
  await page.locator('countersign-policy').getByRole('switch', { name: 'Require approval read_file' }).click();
  await page.locator('.configuration').getByText('read_file').waitFor();
  await keeps('the panel');
});

test('r49_the question about a high risk keeps to the policy', async (t) => {
  const gallery = await openGallery(t, await watched(t), server.origin, 'state=pending');
  const reasons = [{ source: 'arguments', code: 'recursive-delete', message: 'deletes a folder with everything in it' }];
  await gallery.show([{ key: 1, id: 'g/r1', tool: 'run', argsText: '{"command":"rm -rf /srv"}', risk: { level: 'high', reasons } }]);
  const card = gallery.exhibit('shown').locator('[part=card]');
  await press(card.locator('[part=approve-button]'));
  const question = card.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Raw' }).click();
  assert.deepEqual(await violations(gallery.page), []);
  await press(question.locator('[part=confirm-button]'));
  await question.waitFor({ state: 'detached' });
  assert.deepEqual(await violations(gallery.page), []);
});

const HOSTILE = [
  '<img src="/stolen.png" onerror="window.ran=true">',
  '<script>window.ran=true</script>',
  '<svg><a href="/stolen"><text>Approve</text></a></svg>',
  '<button onclick="window.ran=true">Approve</button>',
  '<iframe srcdoc="<script>parent.ran=true</script>"></iframe>',
  '<style>@import "/stolen.css";</style><link rel=stylesheet href=/stolen.css>',
  '[approve](javascript:window.ran=true) ![x](/stolen.png)',
  '# Approved\n```html\n<b>bold</b>\n```',
  '{{constructor.constructor("window.ran=true")()}}',
  '</code></div><form action="/stolen"><input name=x autofocus>',
  '\u0000<\u0000script>',
];

test('r17_hostile text is text in every place of a card: nothing is made of it, nothing runs, nothing is fetched', async (t) => {
  const gallery = await openGallery(t, await watched(t), server.origin, 'state=pending');
  const { page } = gallery;
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  const before = await page.evaluate(() => document.querySelectorAll('*').length);
  for (const text of HOSTILE) {
    const card = {
      tool: text, server: text, agent: [text], title: text, description: text, hint: text, reason: text, error: text,
      rule: text, argsText: JSON.stringify({ [text]: text, list: [text] }), resultText: JSON.stringify(text),
      outbound: { id: 'o1', state: 'failed', error: text },
      hazards: [{ pointer: `/${text}`, code: 'prototype-key', message: text }],
      offers: [{ kind: 'approve', reason: 'none' }, { kind: 'approve_always', scope: 'tool', label: text, grants: text, reason: 'none' }],
    };
    const question = { question: text, choices: [text, 'b'], multiple: false };
    await gallery.show([
      { ...card, key: 1, id: 'g/r1' },
      { ...card, key: 2, id: 'g/r2', status: 'failed', decision: { kind: 'respond', text } },
      { ...card, key: 3, id: 'g/r3', questions: [question], offers: [{ kind: 'answer', reason: 'none' }] },
      { ...card, key: 4, id: 'g/r4', status: 'drafted', offers: [] },
    ]);
    await openEverything(page);
    const made = await gallery.exhibit('shown').locator('countersign-inbox').evaluate((host) => {
      const foreign = 'img, script, a, svg, iframe, style, link, object, embed, video, form[action], input[autofocus]';
      return [...host.shadowRoot.querySelectorAll(foreign)].map((element) => element.outerHTML);
    });
    assert.deepEqual(made, [], text);
  }
  assert.equal(await page.evaluate(() => window.ran), undefined);
  assert.deepEqual(asked, []);
  assert.deepEqual(await violations(page), []);
  await gallery.show([]);
  // Outside of the shadow root nothing was added either.
  assert.ok((await page.evaluate(() => document.querySelectorAll('*').length)) <= before);
});
