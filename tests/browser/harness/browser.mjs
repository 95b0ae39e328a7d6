// Chromium for tests, or Firefox, and pages that fail their test when something goes wrong inside them.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { chromium, firefox } from 'playwright-core';

import { atEnd } from './ending.mjs';

/** What a browser without a window draws for nobody in each profile; that took half of all the time of the tests. */
const WINDOW = ['WebUIOmnibox', 'WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'WebUIOmniboxFullPopup', 'OmniboxPopupWebUI'];
/** What Playwright switches off by the same flag, of which the last one counts. */
const PLAYWRIGHT = [
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'TcpPortRandomizationWin',
  'ThirdPartyStoragePartitioning',
];

const FLAGS = [
  `--disable-features=${[...PLAYWRIGHT, ...WINDOW].join(',')}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The headless shell draws letters as Chromium does with this one.
  '--font-render-hinting=none',
];

/** The headless shell is Chromium without windows, which nobody sees here, and needs a quarter less time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** Whether the tests run in Firefox, as the variable IN_FIREFOX says with its path. */
export const IN_FIREFOX = Boolean(process.env.IN_FIREFOX);

/** How many times slower the pages run in Chromium, as the variable SLOWED says. */
const SLOWED = IN_FIREFOX ? 1 : Number(process.env.SLOWED ?? 1);

/** A test of what can only be seen in Chromium; the reason stands beside it. */
export const chromiumTest = IN_FIREFOX ? () => {} : test;

/** Path of Chromium: the variable CHROMIUM, else the first of the usual names that is on the PATH. */
export function browserPath() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  for (const name of NAMES) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8' }).trim();
    } catch {
      // The next name may be there.
    }
  }
  throw new Error('no browser: set CHROMIUM to the path of Chromium or Chrome');
}

/**
 * A headless browser with a fresh profile. Close it after the tests of the file.
 *
 * It ends with this process too: a file that took too long is ended by a signal, and must not wait for a page that hangs.
 */
export function launch() {
  if (IN_FIREFOX) {
    return firefox.launch({ channel: 'moz-firefox', executablePath: process.env.IN_FIREFOX, headless: true, handleSIGTERM: false });
  }
  return chromium.launch({ executablePath: browserPath(), headless: true, args: FLAGS, handleSIGTERM: false });
}

/** A profile of its own, closed at the end of test `t`: pages in it share storage, as tabs do. */
export async function profile(t, browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(20_000);
  atEnd(t, () => context.close());
  return context;
}

/** Makes a page as slow as a weak phone: a test that then fails waits for too little, or what it tests does. Only in Chromium. */
export async function slow(page, rate) {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

/**
 * A page of this profile. At the end of test `t`, the test fails if the page threw, or wrote an error to the console,
 * that matches none of `expectedErrors`; reading `page.problems()` earlier shows them. What is to be closed also then is
 * handed to `t.after` before.
 */
export async function openPage(t, context, address, { expectedErrors = [] } = {}) {
  const page = await context.newPage();
  if (SLOWED > 1) await slow(page, SLOWED);
  const seen = [];
  page.on('pageerror', (error) => seen.push(`uncaught: ${error.stack ?? error.message}`));
  page.on('crash', () => seen.push('the page crashed'));
  page.on('console', (message) => {
    if (message.type() === 'error') seen.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.problems = () => seen.filter((problem) => !expectedErrors.some((expected) => expected.test(problem)));
  t.after(() => assert.deepEqual(page.problems(), [], 'errors inside the page'));
  await page.goto(address);
  return page;
}
