import { report } from "../error.js";
import { closed } from "./failure.js";
import { quote } from "./json.js";
import type { ConnectorInbox, ConnectorOptions } from "./types.js";

/** Text, or bytes where they are no UTF-8. */
export type Payload = string | Uint8Array;

/** Whose conversation is in an inbox: that of who was connected with it last. */
const owners = new WeakMap<ConnectorInbox, Intake>();

/**
 * What arrives, in the order in which it is true.
 *
 * A state that was asked for says nothing about what happened afterwards. So while one is read, live events wait, and
 * come after it; and one state is read after the other.
 */
export class Intake {
  #inbox: ConnectorInbox;
  #heard: ConnectorOptions["onReceive"];
  #held = 0;
  #waiting: Payload[] = [];
  #reading: Promise<unknown> = Promise.resolve();
  #restored = false;
  #isOver = false;
  /** What was told of as forgotten since something was there; nothing before anything was. */
  #forgotten: Set<string> | undefined;
  /** What arrived and could not be read for want of a file of the package, in its order. */
  #missed: Payload[] = [];
  #isMissing: () => void;

  /** `isMissing` hears that something could not be read: the next {@link read} tries it again, and throws as long as it cannot be. */
  constructor(inbox: ConnectorInbox, heard: ConnectorOptions["onReceive"], isMissing: () => void) {
    this.#inbox = inbox;
    this.#heard = heard;
    this.#isMissing = isMissing;
  }

  /** What arrives goes into the inbox from now on, and nothing of anybody else's; after another conversation all is rebuilt. */
  own(): void {
    if (owners.get(this.#inbox) === this) return;
    owners.set(this.#inbox, this);
    this.#restored = false;
  }

  /** Whether history is in the inbox. */
  get restored(): boolean {
    return this.#restored;
  }

  /** Nothing is taken in any more but what is looked at for a message that is still to leave. */
  end(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#missed = [];
  }

  /** A live event. */
  live(payload: Payload): void {
    if (this.#isOver) return;
    if (this.#held > 0) this.#waiting.push(payload);
    else this.#hear(payload);
  }

  /** Lets live events wait until the function that it returns is called. */
  hold(): () => void {
    this.#held += 1;
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      this.#held -= 1;
      if (this.#held === 0) for (const payload of this.#waiting.splice(0)) this.#hear(payload);
    };
  }

  /**
   * Reads states; the very first is the history from which everything is rebuilt, all others refresh what is known.
   *
   * `ask` is told whether history is wanted. An empty list says that the backend knows nothing yet.
   */
  read(ask: (history: boolean) => Promise<Payload[]>): Promise<Payload[]> {
    return this.alone(async () => {
      for (const payload of [...this.#missed]) {
        this.#take(payload);
        this.#missed.shift();
      }
      const release = this.hold();
      try {
        const payloads = await ask(!this.#restored);
        if (this.#isOver) throw closed();
        for (const payload of payloads) this.#take(payload, !this.#restored);
        this.#restored = true;
        return payloads;
      } finally {
        // Before there is history, nothing can be said about events: reading it again will tell.
        if (!this.#restored) this.#waiting = [];
        release();
      }
    });
  }

  /** Reads one state on the side; it refreshes what is known. */
  look(ask: () => Promise<Payload | undefined>): Promise<Payload | undefined> {
    return this.alone(async () => {
      const release = this.hold();
      try {
        const payload = await ask();
        if (payload !== undefined) this.#take(payload);
        return payload;
      } finally {
        release();
      }
    });
  }

  /**
   * The backend knows nothing of the task, thread or session with this id any more, in its own words; whether that is news. Where
   * nothing was ever there, it has not begun.
   */
  forget(id: string, words: string): boolean {
    if (!this.#forgotten || this.#forgotten.has(id)) return false;
    this.#take(`{"forgotten":${quote(id)},"said":${quote(words)}}`);
    this.#forgotten.add(id);
    return true;
  }

  /** Does something while no state is read. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#reading.then(act);
    this.#reading = turn.catch(() => undefined);
    return turn;
  }

  #hear(payload: Payload): void {
    try {
      this.#take(payload);
    } catch {
      // Some backends say all that is open anew over each connection.
      if (!this.#missed.includes(payload)) this.#missed.push(payload);
      this.#isMissing();
    }
  }

  /**
   * @throws what `restore` throws: without history nothing is known. And that a file of the package cannot be had now: nothing
   * was read.
   */
  #take(payload: Payload, isHistory = false): void {
    if (payload.length === 0 || owners.get(this.#inbox) !== this) return;
    this.#forgotten = new Set();
    const restored = isHistory ? this.#inbox.restore(payload) : undefined;
    if (restored) this.#restored = true;
    try {
      const receipt = restored ?? this.#inbox.receive(payload);
      this.#heard?.(payload, receipt);
    } catch (error) {
      if ((Object(error) as { code?: unknown }).code === "part-missing") throw error;
      report(error);
    }
  }
}
