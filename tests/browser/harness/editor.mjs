// The dialog in which arguments are edited, in the gallery.

import { profile } from './browser.mjs';
import { demo } from './demo.mjs';
import { openGallery } from './gallery.mjs';
import { press } from './press.mjs';

export const offers = (...kinds) => kinds.map((kind) => ({ kind, reason: 'none' }));
export const ORDER = '{"id":2512292042121000001, "n" : 1.00,"memo":"a\\u0062","tags":["x","y","z"],"urgent":false,"z":null}';
export const CARD = { tool: 'pay', argsText: ORDER, offers: [...offers('approve', 'edit'), { kind: 'reject', reason: 'sent' }] };

/** A card in the gallery, and the dialog that its Edit button opens. */
class Editor {
  constructor(gallery) {
    this.gallery = gallery;
    this.page = gallery.page;
    this.card = gallery.exhibit('shown').locator('[part=card]');
    this.dialog = this.card.getByRole('dialog');
    this.send = this.dialog.locator('[part=send-edit-button]');
    this.json = this.dialog.locator('[part=edit-json]');
  }

  async show(card, options = {}) {
    const { profile: _, ...how } = options;
    await this.gallery.show([card], how);
  }

  async edit() {
    await this.card.locator('[part=edit-button]').click();
    await this.dialog.waitFor();
  }

  /** Presses Approve with changes: what was typed may just have moved it. */
  async approve() {
    await press(this.send);
  }

  field(name) {
    return this.dialog.getByLabel(name, { exact: true });
  }

  button(name) {
    return this.dialog.getByRole('button', { name, exact: true });
  }

  async sent() {
    return (await this.gallery.intents()).filter(({ kind }) => kind === 'decide').map(({ decision }) => decision);
  }

  /** The focused element's accessible name or text, through shadow roots. */
  focused() {
    return this.page.evaluate(() => {
      let element = document.activeElement;
      while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
      return element?.getAttribute('aria-label') ?? element?.getAttribute('part') ?? element?.tagName;
    });
  }
}

/** Opens cards in one browser, which lives as long as the tests of a file. */
export function editors() {
  const site = demo();
  return {
    async open(t, card = CARD, options = {}, query = 'arm=0') {
      const gallery = await openGallery(t, await profile(t, site.browser, options.profile), site.origin, `state=pending&${query}`);
      const editor = new Editor(gallery);
      await editor.show(card, options);
      return editor;
    },
  };
}
