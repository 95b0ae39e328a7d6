import type { Inbox } from "./full.js";
import { tellGrants } from "./surface.js";
import { REVOKED, type TabNews, type Tabs } from "./tabs.js";

/** @internal Takes to other tabs, and from them, which grants were taken back: they would go on to use them, and to keep them. */
export class Revocations {
  /** Those that were taken back, here or in another tab, as far as the tabs know. */
  #known = new Set<string>();
  #granted = 0;

  /** Tells the other tabs of what was taken back here. */
  tell(inbox: Inbox, tabs: Tabs | undefined): void {
    const { granted } = inbox.raw;
    if (granted === this.#granted) return;
    this.#granted = granted;
    const ended = inbox.grants().filter(({ id, revokedAt }) => revokedAt !== undefined && !this.#known.has(id));
    for (const { id } of ended) this.#known.add(id);
    tabs?.tell(ended.map(({ id }) => ({ requestId: id, digest: "", kind: REVOKED })));
  }

  /** Nothing more is told or heard. A listener of the inbox may take the element away before that hears what was taken back. */
  end(inbox: Inbox, tabs: Tabs): void {
    try {
      this.tell(inbox, tabs);
    } catch {
      // The wasm can do no more.
    }
    tabs.close();
  }

  /** What another tab has taken back counts no longer, and the host of this element hears of it. */
  hear(element: HTMLElement, inbox: Inbox, news: TabNews[]): void {
    const revoked = news.filter(({ requestId, kind }) => kind === REVOKED && !this.#known.has(requestId));
    // All of them first: whoever takes one back is told at once what else was.
    for (const { requestId } of revoked) this.#known.add(requestId);
    for (const { requestId } of revoked) {
      if (!inbox.grants().some(({ id, revokedAt }) => id === requestId && revokedAt === undefined)) continue;
      inbox.revoke(requestId);
      tellGrants(element, inbox);
    }
  }
}
