import { CountersignError } from "./error.js";
import { jsonOf } from "./message.js";

/**
 * Words of the element by their keys, which `www/docs/messages.md` lists. A text with a number may have several forms, by
 * the categories of the CLDR. `locale` is the BCP 47 tag of the language; what is not named stays as it was.
 */
export type Messages = Record<string, string | ({ other: string } & Partial<Record<"zero" | "one" | "two" | "few" | "many", string>>)>;

// Each written out, so that bundlers find the file.
const CATALOGUES: Record<string, () => URL> = {
  ar: () => new URL("./locales/ar.json", import.meta.url),
  de: () => new URL("./locales/de.json", import.meta.url),
  "zh-Hans": () => new URL("./locales/zh-Hans.json", import.meta.url),
};

/** @internal Catalogues that come along with the script. */
export const enclosed = new Map<string, () => Promise<string>>();

/** The catalogue of a language; `undefined`: English, which is built in, or a language without one. */
function catalogue(tag: string): string | undefined {
  const { language, script } = new Intl.Locale(tag).maximize();
  return [`${language}-${script}`, language].find((name) => name in CATALOGUES);
}

/** Files of words that were asked for: all elements of a page take the same. */
const files = new Map<string, Promise<string>>();

function read(address: string): Promise<string> {
  const file = files.get(address) ?? fetch(address).then(wordsOf);
  files.set(address, file);
  // It is asked for again by the next one.
  file.catch(() => files.delete(address));
  return file;
}

function wordsOf(answer: Response): Promise<string> {
  if (answer.ok) return answer.text();
  throw new Error(`${answer.url} answered ${answer.status}`);
}

/** Says words of a catalogue, and over them the host's own; what is wrong with them it returns in lines. */
interface Speaker {
  speak(catalogue: string, own: string, provisional: boolean): string;
}

/** How long what is only heard waits for the words of its language, in milliseconds. */
const PATIENCE = 5000;

/** The words that one element says. */
export class Wording {
  #catalogue = "";
  #own = "";
  #locale: string | undefined;
  /** Ends the waiting for a catalogue that is on its way. */
  #waiting: ReturnType<typeof setTimeout> | undefined;
  #panel: Speaker | undefined;
  #tell: (error: unknown) => void;
  #draw: () => void;

  /** `tell` hears what is wrong, `draw` that other words are to be seen. */
  constructor(tell: (error: unknown) => void, draw: () => void) {
    this.#tell = tell;
    this.#draw = draw;
  }

  /** Words over those of the language; an object, or the text of one. */
  set own(messages: Messages | string | undefined) {
    this.#own = "";
    try {
      if (messages) this.#own = jsonOf(messages, "messages-invalid");
    } catch (error) {
      this.#tell(error);
    }
    this.#speak();
  }

  /** The language; until its catalogue is here, the words stay as they are. */
  set locale(tag: string | undefined) {
    if (tag === this.#locale) return;
    this.#locale = tag;
    this.#load(tag).then(
      (catalogue) => {
        if (tag !== this.#locale) return;
        this.#catalogue = catalogue;
        this.#settle();
      },
      (cause: unknown) => {
        if (tag === this.#locale) this.#settle();
        const message = `there are no words for the language \`${tag}\`: ${cause instanceof Error ? cause.message : cause}`;
        this.#tell(new CountersignError("messages-invalid", message, { cause }));
      },
    );
  }

  /** @internal Others than the English that the wasm has are here, or on their way. */
  get isOther(): boolean {
    return Boolean(this.#catalogue || this.#own) || this.#waiting !== undefined;
  }

  /** @internal The panel that says them; `undefined` when it is gone. */
  set panel(panel: Speaker | undefined) {
    this.#panel = panel;
    if (this.isOther) this.#speak();
  }

  /** Whatever words are here are those that count. */
  #settle(): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#speak();
  }

  async #load(tag: string | undefined): Promise<string> {
    const name = tag === undefined ? undefined : catalogue(tag);
    const place = name === undefined ? undefined : (enclosed.get(name) ?? CATALOGUES[name]);
    if (!place) return "";
    clearTimeout(this.#waiting);
    this.#waiting = setTimeout(() => this.#settle(), PATIENCE);
    this.#speak();
    const found = await place();
    if (typeof found === "string") return found;
    return read(found.href);
  }

  #speak(): void {
    if (!this.#panel) return;
    const isProvisional = this.#waiting !== undefined;
    const problems = this.#panel.speak(this.#catalogue, this.#own, isProvisional);
    // Once, with the words that stay.
    if (!isProvisional) for (const message of problems.split("\n").filter(Boolean)) this.#tell(new CountersignError("messages-invalid", message));
    this.#draw();
  }
}
