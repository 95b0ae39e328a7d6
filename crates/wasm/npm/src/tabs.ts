/** What was decided in one tab becomes known in the others of the same origin: ids, tools, digests, kinds and where, no arguments, no words. */

import type { RequestView } from "./types.js";

/** A decision that has reached the backend, or that a grant was taken back. */
export interface TabNews {
  /** The request's scoped id, or the grant's. */
  requestId: string;
  /** The SHA-256 of its arguments: another conversation may use the same id. */
  digest: string;
  /** The name of its tool, where a call was decided. */
  tool?: string | undefined;
  /** The kind of decision. */
  kind: string;
  /** The page's address within its origin. */
  place?: string;
  /** The one document of that address. */
  page?: string;
}

/** The kind of news that says that a grant was taken back. */
export const REVOKED = "revoked";

const NAME = "countersign";
const PAGE = String(Math.random());

/** Messages of these systems do not name their conversation, so ids of two conversations may be the same. */
const UNNAMED = /^(haystack|adalflow|session|thread)\//;

const here = () => location.pathname + location.search;

/** Whether news are of this conversation, as far as their ids tell: where these name none, of the same address in another tab. */
export function isOurs({ requestId, place, page }: TabNews): boolean {
  return !UNNAMED.test(requestId) || (place === here() && page !== PAGE);
}

/** How much is kept where tabs can only look, not listen. */
const KEPT = 50;

/** The way between tabs: a channel; where there is none, what is stored, looked at when a tab comes to the front. */
export class Tabs {
  #channel: BroadcastChannel | undefined;
  #heard: (news: TabNews[]) => void;
  #look = () => {
    if (!document.hidden) this.#heard(stored());
  };

  constructor(heard: (news: TabNews[]) => void) {
    this.#heard = heard;
    try {
      this.#channel = new BroadcastChannel(NAME);
      this.#channel.onmessage = ({ data }) => heard(clean(data));
      return;
    } catch {
      // There is none, or it is forbidden together with storage.
    }
    addEventListener("storage", this.#look);
    addEventListener("focus", this.#look);
    document.addEventListener("visibilitychange", this.#look);
  }

  /** Tells the other tabs. */
  tell(news: TabNews[]): void {
    if (news.length === 0) return;
    news = news.map((entry) => ({ ...entry, place: here(), page: PAGE }));
    if (this.#channel) return this.#channel.postMessage(news);
    try {
      localStorage.setItem(NAME, JSON.stringify([...stored(), ...news].slice(-KEPT)));
    } catch {
      // Storage may be full or forbidden: the backend still refuses a second answer.
    }
  }

  /** Hears nothing more. */
  close(): void {
    this.#channel?.close();
    removeEventListener("storage", this.#look);
    removeEventListener("focus", this.#look);
    document.removeEventListener("visibilitychange", this.#look);
  }
}

/** @internal What other tabs are told of cards whose decision has reached the backend. */
export function decided(cards: readonly RequestView[]): TabNews[] {
  return cards.flatMap(({ id, tool, argsDigest, decision }) => (decision ? [{ requestId: id, tool, digest: argsDigest, kind: decision.kind }] : []));
}

/** @internal Tells the other tabs of such cards where no element is left that does. */
export function tellOnce(cards: readonly RequestView[]): void {
  const tabs = new Tabs(() => {});
  tabs.tell(decided(cards));
  tabs.close();
}

function stored(): TabNews[] {
  try {
    return clean(JSON.parse(localStorage.getItem(NAME) ?? "[]"));
  } catch {
    return [];
  }
}

/** What has the shape of news; another version of this page may have written something else. */
function clean(data: unknown): TabNews[] {
  if (!Array.isArray(data)) return [];
  const isNews = (entry?: TabNews) => [entry?.requestId, entry?.digest, entry?.kind].every((word) => typeof word === "string");
  return data.filter(isNews);
}
