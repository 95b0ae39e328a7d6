/** How a person learns that something waits while they look elsewhere: the title of the page, and notifications. */
import { CountersignError } from "./error.js";
import type { BaseInbox } from "./inbox.js";

/** What is counted before the title of the page. */
interface Counts {
  /** Elements, each with what it shows and how much of that waits. */
  counted: Map<unknown, { shown: unknown; count: number }>;
  prefix: string;
  /** Titles that were made here, with the page's own: what keeps pages, as Turbo does, puts one back. */
  made: Map<string, string>;
}

/** One for the page, which may have loaded this file twice: each would take the other's count for the title's own words. */
const counts = ((globalThis as Record<symbol, unknown>)[Symbol.for("countersign.title")] ??= { counted: new Map(), prefix: "", made: new Map() }) as Counts;
/** How many titles are kept. */
const KEPT = 50;

/** The count before the title of the page: `(3) Chat`. Elements share it; what several of them show counts once. */
export class TitleBadge {
  /** Counts what waits in what is shown; nothing for 0. The title's own words are the page's and may change at any time. */
  show(count: number, shown: unknown): void {
    const { counted, made, prefix } = counts;
    if (count > 0) counted.set(this, { shown, count });
    else counted.delete(this);
    const shared = new Map([...counted.values()].map((entry) => [entry.shown, entry.count]));
    const all = [...shared.values()].reduce((sum, each) => sum + each, 0);
    const { title } = document;
    const own = prefix !== "" && title.startsWith(prefix) ? title.slice(prefix.length) : (made.get(title) ?? title);
    counts.prefix = all > 0 ? `(${all}) ` : "";
    const next = counts.prefix + own;
    if (all > 0) made.set(next, own);
    const [oldest] = made.keys();
    if (made.size > KEPT && oldest !== undefined) made.delete(oldest);
    if (next !== title) document.title = next;
  }
}

/** Notifications of the browser: asked for by a person, shown while the page is hidden, tool names and counts only. */
export class Notifier {
  #wanted = false;
  /** What waited when it was looked last, by its id, and where. */
  #known = new Set<string>();
  #inbox: unknown;
  #last: Notification | undefined;

  /**
   * Asks for the permission. Resolves to whether it was given.
   * @throws {CountersignError} with code `untrusted-event` outside of a person's act.
   */
  async enable(): Promise<boolean> {
    const { userActivation } = navigator as { userActivation?: { isActive: boolean } };
    if (userActivation && !userActivation.isActive) {
      throw new CountersignError("untrusted-event", "notifications are asked for by a person's act, such as a click", {
        help: "call it in the listener of a click",
      });
    }
    if (typeof Notification !== "function") return false;
    this.#wanted = (await Notification.requestPermission()) === "granted";
    return this.#wanted;
  }

  /** No more notifications. */
  disable(): void {
    this.#wanted = false;
    this.#last?.close();
  }

  /** Takes up what waits, and tells of what did not wait before; `words` says which tools. Without words it only takes it up. */
  show(inbox: Pick<BaseInbox, "requests">, words?: () => string): void {
    // Nobody needs to know before, and to look at all cards takes time.
    if (!this.#wanted) return;
    const before = inbox === this.#inbox ? this.#known : new Set();
    const waiting = inbox.requests().filter(({ status }) => status === "pending");
    this.#inbox = inbox;
    this.#known = new Set(waiting.map(({ id }) => id));
    if (waiting.length === 0) this.#last?.close();
    // Not by their number: one may end as another begins.
    if (!words || !document.hidden || waiting.every(({ id }) => before.has(id))) return;
    try {
      this.#last = new Notification(words(), { tag: "countersign" });
    } catch {
      // Browsers on phones leave it to service workers, and say so only now.
      this.#wanted = false;
      return;
    }
    this.#last.onclick = () => globalThis.focus?.();
  }
}
