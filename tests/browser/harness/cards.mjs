// Cards alone on a page, in whatever state a test wants to see what a press does.

import assert from 'node:assert/strict';

import { profile } from './browser.mjs';
import { eventually, pause } from './eventually.mjs';
import { openGallery } from './gallery.mjs';

export const CALL = { tool: 'delete_file', argsText: '{"path":"/tmp/x"}' };
/** For what is done before a card arms: a slow machine must be in time. */
export const SLOW = { query: 'arm=1200' };

/** A page of `site` with these cards alone on it; `query` is the gallery's, `first` runs in the page before all else. */
export async function openCards(t, site, cards = [CALL], { query = '', first, ...options } = {}) {
  const context = await profile(t, site.browser, options);
  if (first) await context.addInitScript(first);
  const gallery = await openGallery(t, context, site.origin, `state=pending&${query}`);
  const { page } = gallery;
  if (cards.length > 0) await gallery.show(cards);
  const card = (at = 0) => gallery.exhibit('shown').locator('[part=card]').nth(at);
  const button = (name, at = 0) => card(at).locator(`[part=${name}-button]`);
  // Armed, and still so a little later: what has just moved is not yet noticed to have.
  const armed = async (at = 0) => {
    const isArmed = async () => assert.equal(await button('approve', at).getAttribute('aria-disabled'), null, 'armed');
    await eventually(async () => {
      await isArmed();
      await pause(100);
      await isArmed();
    });
  };
  const inert = async (at = 0) => assert.equal(await button('approve', at).getAttribute('aria-disabled'), 'true', 'inert');
  const centre = async (name, at = 0) => {
    const { x, y, width, height } = await button(name, at).boundingBox();
    return [x + width / 2, y + height / 2];
  };
  const intents = () => gallery.intents();
  return { gallery, page, card, button, armed, inert, centre, intents };
}

/** What was asked for, in short. */
export const kinds = (intents) => intents.map(({ kind, code, decision }) => code ?? decision?.kind ?? kind);
