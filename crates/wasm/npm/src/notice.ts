/** How a person learns that something waits while they look elsewhere: the title of the page, and notifications. */
import { CountersignError } from "./error.js";

/** The count before the title of the page: `(3) Chat`. */
export class TitleBadge {
  #prefix = "";

  /** Shows a count; none for 0. The title's own words are the page's and may change at any time. */
  show(count: number): void {
    const { title } = document;
    const own = this.#prefix !== "" && title.startsWith(this.#prefix) ? title.slice(this.#prefix.length) : title;
    this.#prefix = count > 0 ? `(${count}) ` : "";
    const next = this.#prefix + own;
    if (next !== title) document.title = next;
  }
}

/** Notifications of the browser: asked for by a person, shown while the page is hidden, tool names and counts only. */
export class Notifier {
  #wanted = false;
  #known = 0;
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

  /** Takes up how many wait; `words` says which tools. */
  show(waiting: number, words: () => string): void {
    const more = waiting > this.#known;
    this.#known = waiting;
    if (waiting === 0) this.#last?.close();
    if (!more || !this.#wanted || !document.hidden) return;
    this.#last = new Notification(words(), { tag: "countersign" });
    this.#last.onclick = () => globalThis.focus?.();
  }
}
