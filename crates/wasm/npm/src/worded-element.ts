import { LATER } from "./parts.js";
import { attribute, heed, tell } from "./surface.js";
import { type Messages, Wording } from "./wording.js";

/** What the elements are made of. Where there is no document, the module can still be imported. */
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

/** How things get into a field. */
const TYPING = ["keydown", "keypress", "keyup", "paste"];

/**
 * Keeps what is typed into a field of a card to that. A page sees only the element, no field, and one that takes what is typed
 * anywhere, as chats do, would write a reason into its own. Commands, and keys that leave a field, go on.
 */
function keep(event: Event): void {
  const { key, ctrlKey, metaKey, altKey } = event as KeyboardEvent;
  const [root, field] = [event.currentTarget as ShadowRoot, event.target as Element];
  // What is slotted is the page's own.
  const isOurs = root.contains(field) && field.matches("input, textarea, select");
  if (isOurs && !ctrlKey && !metaKey && !altKey && !/^(Escape|Tab|F\d+)$/.test(key)) event.stopPropagation();
}

/**
 * What all elements have: a shadow root, a language, and words of the host.
 *
 * @attr locale - the language, as a BCP 47 tag: English, `de`, `zh-Hans` and `ar` come along; `lang` counts when absent
 * @attr lang - the language where `locale` is absent, as everywhere in HTML
 * @attr data-theme - `light` or `dark`; follows the page's `color-scheme` when absent
 * @attr data-density - `compact` for less room; comfortable when absent
 */
export abstract class WordedElement extends Base {
  #messages: Messages | undefined;
  #unheed: (() => void) | undefined;
  /** @internal The words that it says. */
  protected readonly wording = new Wording(
    (error) => tell(this, error),
    () => this.redraw(),
  );

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    for (const type of TYPING) root.addEventListener(type, keep);
  }

  /** The language, as a BCP 47 tag: the attribute `locale`, else `lang`. */
  get locale(): string | undefined {
    return this.getAttribute("locale") ?? this.getAttribute("lang") ?? undefined;
  }

  set locale(tag: string | undefined) {
    attribute(this, "locale", tag);
  }

  /** Words of the host, over those of the language. What is wrong with them is told by `countersign-error`. */
  get messages(): Messages | undefined {
    return this.#messages;
  }

  set messages(messages: Messages | undefined) {
    this.#messages = messages;
    this.wording.own = messages;
  }

  /** @internal The parts that it takes before it can be drawn. */
  protected takes(): readonly string[] {
    return this.wording.isOther ? LATER : [];
  }

  /** @internal */
  connectedCallback(): void {
    this.#unheed?.();
    this.#unheed = heed(
      this,
      () => this.depart(false),
      () => this.arrive(),
    );
    this.arrive();
  }

  /** @internal Moved by `moveBefore`: what is open, typed and has the focus stays so. */
  connectedMoveCallback(): void {}

  /** @internal */
  disconnectedCallback(): void {
    this.#unheed?.();
    this.#unheed = undefined;
    this.depart(this.isConnected);
  }

  /** @internal It stands where somebody can see it. */
  protected abstract arrive(): void;

  /** @internal It is taken away, or moved, or the window goes in which it stands; that may be told more than once. */
  protected abstract depart(isMoved: boolean): void;

  /** @internal Draws what is shown once more, with other words. */
  protected abstract redraw(): void;
}
