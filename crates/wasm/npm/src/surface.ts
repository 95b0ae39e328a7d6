import { CountersignError, sentence } from "./error.js";
import { errorDetail, event } from "./events.js";
import { Inbox, runtime } from "./full.js";
import { endOutage, showOutage } from "./outage.js";
import { EDITING, LATER, SCHEMA } from "./parts.js";
import type { Handle } from "./wasm/countersign.js";
import type { Wording } from "./wording.js";

/** How often countdowns are drawn, in milliseconds. */
const SECOND = 1000;

/** @internal Takes over what was set before the tag was defined. */
export function upgrade(element: HTMLElement, names: readonly string[]): void {
  for (const name of names) {
    const given = Object.getOwnPropertyDescriptor(element, name);
    if (!given) continue;
    Reflect.deleteProperty(element, name);
    Object.assign(element, { [name]: given.value });
  }
}

/** @internal Whether the frame or the window is gone in which an element stands: nothing is taken out of the document that is left. */
export function isGone(element: HTMLElement): boolean {
  return element.ownerDocument.defaultView === null;
}

/** @internal Whether it stands where somebody can see it. */
export function isThere(element: HTMLElement): boolean {
  return element.isConnected && !isGone(element);
}

/**
 * @internal Calls `away` when the frame or the other window goes in which an element stands, which no element is told, and `back`
 * when a browser that has kept it shows it again; returns what ends that.
 */
export function heed(element: HTMLElement, away: () => void, back: () => void): () => void {
  const { defaultView } = element.ownerDocument;
  if (!defaultView || defaultView === window) return () => undefined;
  const shown = ({ persisted }: PageTransitionEvent) => {
    if (persisted) back();
  };
  defaultView.addEventListener("pagehide", away);
  defaultView.addEventListener("pageshow", shown);
  return () => {
    defaultView.removeEventListener("pagehide", away);
    defaultView.removeEventListener("pageshow", shown);
  };
}

/** The last wait of each element for the wasm: one that leaves and comes back waits anew. */
const waits = new WeakMap<HTMLElement, object>();

/** What frameworks and people put into the markup, where it is a text that says nothing. */
const PROPERTIES = ["options", "inbox", "connector"];

/**
 * @internal Lets an element appear as soon as the wasm is loaded, if it is still there; in a page that a browser draws ahead, once a
 * person has opened that. Until then it says what is wrong.
 *
 * `adapter` is loaded along; where that fails, whoever needs it hears of it. The parts that it `takes` must be there.
 */
export function appear(element: HTMLElement, wording: Wording, show: () => void, takes: () => readonly string[], adapter?: string | null): void {
  const refuse = (error: unknown) => {
    console.error(error);
    fail(element, wording, error as CountersignError);
  };
  const attempt = () => {
    endOutage(element.shadowRoot);
    try {
      show();
    } catch (error) {
      refuse(error);
    }
  };
  for (const name of PROPERTIES) {
    if (element.hasAttribute(name)) console.warn(`\`${name}\` is a property: its attribute is not read`);
  }
  if (!canDraw()) return refuse(new CountersignError("browser-unsupported", TOO_OLD));
  const loading = runtime.load(takes());
  if (loading && typeof adapter === "string") runtime.parts.prefetch(adapter, runtime.start()).catch(() => {});
  if (isDrawnAhead()) {
    loading?.catch(() => {});
    document.addEventListener("prerenderingchange", () => isThere(element) && appear(element, wording, show, takes, adapter), { once: true });
    return;
  }
  // Not through a promise where there is no need for one, so that what is shown is never a moment behind.
  if (!loading) return attempt();
  const turn = {};
  waits.set(element, turn);
  const isWanted = () => isThere(element) && waits.get(element) === turn;
  const wait = (loading: Promise<unknown> | undefined, patience: number): void => {
    Promise.resolve(loading).then(
      () => {
        if (!isWanted()) return;
        // It may have been told of other words meanwhile.
        const more = runtime.load(takes());
        if (more) wait(more, patience);
        else attempt();
      },
      (error: CountersignError) => {
        if (!isWanted()) return;
        if (patience === SECOND) refuse(error);
        setTimeout(() => isWanted() && wait(runtime.load(takes()), 2 * patience), patience);
      },
    );
  };
  wait(loading, SECOND);
}

/**
 * @internal Tells when the wasm of the element can do no more, and closes the dialogs of one that the page hides; returns what
 * ends that.
 */
export function watch(element: HTMLElement, wording: Wording): () => void {
  const unhear = runtime.parts.onBreak((error) => fail(element, wording, error));
  // What stands in closed `<details>` keeps its size, and what is out of view stays there.
  observers ??= [new ResizeObserver(look), new IntersectionObserver(look, { rootMargin: "1000000px" })];
  observers.forEach((observer) => observer.observe(element));
  return () => {
    unhear();
    observers?.forEach((observer) => observer.unobserve(element));
  };
}

/** Not made in `watch`: it would keep the first element for ever. */
const look = (entries: readonly { target: Element }[]) => entries.forEach(({ target }) => closeHidden(target));

/** They look at all elements that are drawn. */
let observers: (ResizeObserver | IntersectionObserver)[] | undefined;

/** @internal Whether the page draws it: what stands in closed `<details>` has a place, but is not there for anybody. */
export function isDrawn(element: Element): boolean {
  // Safari before 17.4 has no `checkVisibility`.
  return element.checkVisibility?.() ?? element.getClientRects().length > 0;
}

/** A dialog that is drawn no more goes on to keep people from all of the page. What was written in it is kept. */
function closeHidden(element: Element): void {
  if (isDrawn(element)) return;
  for (const dialog of element.shadowRoot?.querySelectorAll("dialog[open]") ?? []) dialog.dispatchEvent(new Event("cancel", { cancelable: true }));
}

const TOO_OLD = "this browser is too old: it can give a shadow root no style sheet of its own, and nothing is shown that could look otherwise than it should";

/** Without its styles a card does not look like what it is: what is invisible would be, and what is folded would not. */
function canDraw(): boolean {
  try {
    return "adoptedStyleSheets" in Document.prototype && new CSSStyleSheet() !== null;
  } catch {
    return false;
  }
}

/** Whether a browser draws the page ahead, which nobody may ever open. */
function isDrawnAhead(): boolean {
  return (document as { prerendering?: boolean }).prerendering === true;
}

/** @internal Whether something may be drawn now, be announced and be sent. */
export function mayDraw(): boolean {
  return canDraw() && !isDrawnAhead();
}

/** @internal Says in the element's place, once, that it cannot be used: a page that listens to nothing would be left with nothing at all. */
export function fail(element: HTMLElement, wording: Wording, error: CountersignError): void {
  const { shadowRoot } = element;
  if (shadowRoot && showOutage(shadowRoot, wording, error)) tell(element, error);
}

/** What this page loads behind its first card. */
const wanted = new Set(LATER);

/** What could not be loaded is asked for again after this time, in milliseconds, and after twice as long each time. */
let patience = SECOND;
let again: ReturnType<typeof setTimeout> | undefined;

/**
 * @internal Loads what is missing of the wasm after what is to be seen was painted, and `wait` milliseconds more; what edits
 * take, and what holds them against a schema, only where the inbox has a call that can be edited, or has a schema.
 */
export function complete(inbox?: Inbox, wait = 0): void {
  if (inbox?.raw.hasEdits) wanted.add(EDITING);
  if (inbox?.raw.hasSchema) wanted.add(SCHEMA);
  if (isComplete()) return;
  // In a page that nobody sees nothing is painted.
  const later = setTimeout(fill, SECOND + wait);
  requestAnimationFrame(() => {
    clearTimeout(later);
    setTimeout(fill, wait);
  });
}

function isComplete(): boolean {
  return [...wanted].every((name) => runtime.parts.has(name));
}

/** Without these parts the wasm would have to wait for them in the middle of a decision, and break where they cannot be had. */
async function fill(): Promise<void> {
  await runtime.parts.prefetchAll([...wanted]);
  if (again !== undefined || isComplete()) return;
  again = setTimeout(() => {
    again = undefined;
    void fill();
  }, patience);
  patience *= 2;
}

/** @internal Tells of something that was refused. */
export function tell(element: HTMLElement, error: unknown): void {
  element.dispatchEvent(event("countersign-error", errorDetail(error)));
}

/** @internal Refuses what no element can draw. */
export function checked(inbox: Inbox | null | undefined): Inbox | undefined {
  if (inbox !== undefined && inbox !== null && !(inbox instanceof Inbox)) {
    const help = "make it with the `Inbox` of the entry `countersign`, from the copy of the package that has defined the tag";
    throw new CountersignError("options-invalid", `this is no inbox that the element can show, as that of \`countersign/headless\` is none: ${help}`, { help });
  }
  return inbox ?? undefined;
}

/** @internal Sets an attribute; what a framework takes away is `undefined` or `null`. */
export function attribute(element: HTMLElement, name: string, value: string | null | undefined): void {
  if (value === undefined || value === null) element.removeAttribute(name);
  else element.setAttribute(name, value);
}

/** @internal What is called when a person has acted in what is drawn: `error` says in JSON what was refused, `wish` what the page is to do. */
export function acting(element: HTMLElement, inbox: Inbox, drawing: () => Drawing | undefined): (error?: string, wish?: string, requestId?: string) => void {
  let granted = inbox.raw.granted;
  return (error, wish, requestId) => {
    if (wish === "extend" && requestId !== undefined) return extend(element, inbox, requestId, drawing());
    if (error !== undefined) tell(element, JSON.parse(error));
    inbox.settle();
    const before = granted;
    granted = inbox.raw.granted;
    if (granted !== before) tellGrants(element, inbox);
  };
}

/** Tells that a person wants more time. */
function extend(element: HTMLElement, inbox: Inbox, requestId: string, drawing: Drawing | undefined): void {
  const respondWith = (until: PromiseLike<number>) => {
    Promise.resolve(until)
      .then((moment) => inbox.extend(requestId, moment))
      .catch((error: unknown) => {
        tell(element, error);
        drawing?.refuse(requestId, sentence(error));
      });
  };
  element.dispatchEvent(event("countersign-extend", { requestId, respondWith }));
}

/** @internal Tells of what people granted. */
export function tellGrants(element: HTMLElement, inbox: Inbox): void {
  element.dispatchEvent(event("countersign-grants", { grants: inbox.grants(), text: inbox.grantsText() }));
}

/** @internal Something of an inbox that was drawn, and is drawn again while the clock changes something. */
export class Drawing {
  #panel: Handle;
  #inbox: Inbox;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;
  /** Where it is seen: a window before others may show an element of a tab that is hidden. */
  #document: Document;

  constructor(panel: Handle, inbox: Inbox, element: HTMLElement) {
    this.#panel = panel;
    this.#inbox = inbox;
    this.#document = element.ownerDocument;
    inbox.drawnBy.add(this);
    this.#document.addEventListener("visibilitychange", this.#look);
  }

  /** A page that is hidden may be ended without another word. What decides is loaded where something is held. */
  #look = () => {
    if (this.#document.visibilityState === "hidden" && this.#inbox.raw.holds) this.#inbox.leave();
  };

  /** Draws what changed; returns how many requests have the id of the card. */
  draw(): number {
    const inbox = this.#inbox;
    clearTimeout(this.#timer);
    if (this.#over) return 0;
    const wake = inbox.nextWake();
    const now = inbox.at();
    const named = this.#panel.draw(wake === undefined ? undefined : now);
    if (wake === undefined) return named;
    const again = () => {
      inbox.tick();
      this.draw();
    };
    this.#timer = setTimeout(again, Math.min(SECOND, Math.max(0, wake - now)));
    return named;
  }

  /** Says that a person does not get more time for a call, and why. */
  refuse(requestId: string, why: string): void {
    if (this.#over) return;
    this.#panel.noMoreTime(requestId, why);
    this.draw();
  }

  /** Takes it away. */
  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.#inbox.drawnBy.delete(this);
    this.#document.removeEventListener("visibilitychange", this.#look);
    clearTimeout(this.#timer);
    this.#panel.unmount();
  }
}
