// Buttons that run something: they act only once they were seen for a moment, and not while they move.

import assert from 'node:assert/strict';

import { eventually, pause } from './eventually.mjs';

/** Longer than it takes a button to notice that it was moved, in milliseconds. */
export const NOTICED = 250;

/**
 * Waits until a button acts and stands still: what was done before may just have moved it, and until it notices that, it
 * looks as if it acted. It gives up after `timeout` milliseconds.
 */
export async function steady(button, timeout = 20_000) {
  const place = () => button.boundingBox({ timeout: 1000 });
  await eventually(async () => {
    const before = await place();
    assert.ok(before, 'the button is shown');
    await pause(NOTICED);
    assert.equal(await button.getAttribute('aria-disabled', { timeout: 1000 }), null, 'the button acts');
    assert.deepEqual(await place(), before, 'the button stands still');
  }, timeout);
}

/** Presses a button as a person does: brought into view, once it acts and stands still, where it is. */
export async function press(button, { timeout = 20_000 } = {}) {
  await button.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  await steady(button, timeout);
  // Should it move or be disarmed in the very moment, this waits once more.
  await button.click({ timeout: Math.max(timeout, 1000) });
}
