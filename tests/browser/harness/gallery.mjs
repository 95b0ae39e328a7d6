// The gallery of the demo page: any card, in any look, without an agent.

import { openPage } from './browser.mjs';

/** What a test does with the gallery. */
class Gallery {
  constructor(page) {
    this.page = page;
  }

  /** The exhibit with this `data-state`; cards that a test put up are in `shown`. */
  exhibit(state) {
    return this.page.locator(`section[data-state="${state}"]`);
  }

  /** The `data-state` of every exhibit, in order. */
  states() {
    return this.page.locator('section[data-state]').evaluateAll((all) => all.map((one) => one.dataset.state));
  }

  /**
   * Puts up these cards in place of everything: objects with the members of a `RequestView` that matter, all others
   * are those of a call that waits. `alone` draws cards without a panel, `now` stops the clock (milliseconds).
   */
  async show(views, options = {}) {
    await this.page.evaluate(([cards, how]) => window.countersignDemo.show(cards, how), [views, options]);
    await this.exhibit('shown').locator('[part=inbox], [part=card]').first().waitFor({ state: 'attached' });
    // Two frames: the panel is drawn after the exhibit.
    await this.page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  }

  /** What the person asked for since the page was loaded. */
  intents() {
    return this.page.evaluate(() => window.countersignDemo.intents);
  }
}

/** The gallery at `<origin>/?gallery&<query>`, in this profile, once its cards are drawn. */
export function openGallery(t, context, origin, query = '', options = {}) {
  return openExhibits(t, context, `${origin}/?gallery${query && `&${query}`}`, options);
}

/** The page of attacks at `<origin>/?attacks&<query>`. */
export function openAttacks(t, context, origin, query = '', options = {}) {
  return openExhibits(t, context, `${origin}/?attacks${query && `&${query}`}`, options);
}

async function openExhibits(t, context, address, options) {
  return exhibitsOf(await openPage(t, context, address, options));
}

/** The gallery in a page that is being loaded, once its cards are drawn. */
export async function exhibitsOf(page) {
  await page.waitForFunction(() => {
    const hosts = [...document.querySelectorAll('section[data-state] :is(countersign-inbox, countersign-card, countersign-policy)')];
    return hosts.length > 0 && hosts.every(({ shadowRoot }) => shadowRoot?.querySelector('[part~=inbox], [part~=card], [part~=policy]'));
  });
  return new Gallery(page);
}
