import { report } from "../error.js";
import type { Outbound } from "../options.js";
import { Delivery } from "./delivery.js";
import { closed, ConnectorError, failure, isInDoubt, lost } from "./failure.js";
import { Http, type Call } from "./http.js";
import { Intake, type Payload } from "./intake.js";
import { Pace } from "./pace.js";
import { Backoff, platform, type Platform } from "./surroundings.js";
import type { Connector, ConnectorInbox, ConnectorOptions, ConnectorState } from "./types.js";

const OPEN = ["pending", "drafted", "sending"];
const RUNNING = ["approved", "running"];
const NEEDED = ["receive", "restore", "requests", "delivered", "failed"] as const;

/** How a message goes: what is asked of it and what is told of it on its way. */
export interface Way extends Pick<Call, "isParting" | "leaves"> {
  quiet: () => void;
  /** The next decision may leave, though the answer to this message is still being read. */
  free: () => void;
}

/** What differs from one backend to the other. */
export interface Transport {
  /** How often the state is read in any case, in milliseconds. */
  readonly pollMs?: number | undefined;
  /** Reads the state, or all of history; nothing where the backend knows nothing yet. */
  read(history: boolean): Promise<Payload[]>;
  /** One connection: reads, follows, and throws when it is lost. It never ends otherwise. */
  live(): Promise<never>;
  /** Sends, and hands over the answer. Throws when the message was not taken; `delivery` knows whether it was. */
  send(delivery: Delivery, way: Way): Promise<void>;
  /** Sends words; calls `taken` once the backend has them. */
  sendText?(text: string, taken: () => void, way: Way): Promise<void>;
}

/** A connector around a transport: its states, its attempts, one message after the other, and its end. */
export class Link implements Connector {
  readonly http: Http;
  readonly platform: Platform;
  /** @internal Vue wraps nothing that says so: a wrapper could not reach what is private. */
  readonly __v_skip = true;
  /** Aborts when the connector is closed: then nothing is read or followed. */
  readonly signal: AbortSignal;
  /** Aborts when the messages that are on their way end, too. */
  readonly ended: AbortSignal;
  /** When the state is read next. */
  readonly pace: Pace;
  sendText?: (text: string) => Promise<void>;

  #options: ConnectorOptions;
  #transport: Transport;
  #closing = new AbortController();
  #ending = new AbortController();
  #state: ConnectorState = "idle";
  #error: ConnectorError | undefined;
  #listeners: (() => void)[] = [];
  #inbox: ConnectorInbox | undefined;
  #intake: Intake | undefined;
  #backoff: Backoff;
  #wanted: { resolve: () => void; reject: (error: ConnectorError) => void }[] = [];
  /** When the next decision may leave, the next words, and when all is known. */
  #turn: Promise<unknown> = Promise.resolve();
  #rest: Promise<unknown> = Promise.resolve();
  #sent: Promise<unknown> = Promise.resolve();
  #busy = 0;
  #stop = () => {
    this.close();
    this.#ending.abort();
  };
  #online = () => {
    this.http.drop();
    this.pace.wake();
  };
  /** A page that a browser has kept and shows again heard nothing meanwhile, of the backend or of other tabs. */
  #shown = (event: Event) => {
    if ((event as PageTransitionEvent).persisted) this.#online();
  };

  constructor(options: ConnectorOptions, transport: (link: Link) => Transport) {
    this.#options = options;
    this.platform = platform(options);
    this.signal = this.#closing.signal;
    this.ended = this.#ending.signal;
    this.http = new Http(options, this.platform, this.signal, this.ended);
    this.#backoff = new Backoff(options.retry);
    this.pace = new Pace(this.platform, this.#backoff, this.signal);
    this.#transport = transport(this);
    if (this.#transport.sendText) this.sendText = (text) => this.#say(text);
    if (options.signal?.aborted) this.#stop();
    else options.signal?.addEventListener("abort", this.#stop, { once: true });
  }

  get state(): ConnectorState {
    return this.#state;
  }

  get error(): ConnectorError | undefined {
    return this.#error;
  }

  /** Whether the answer to a message of ours is being read. */
  get busy(): boolean {
    return this.#busy > 0;
  }

  connect(inbox: ConnectorInbox): Promise<void> {
    if (this.#state === "closed") return Promise.reject(closed());
    const missing = NEEDED.find((name) => typeof (Object(inbox) as ConnectorInbox)[name] !== "function");
    if (missing) {
      // The elements are none, though they receive and restore too.
      const sentence = "this is no inbox: hand over an `Inbox`, or give the connector to the element as its property `connector`";
      return Promise.reject(new ConnectorError("options-invalid", sentence));
    }
    if (this.#inbox === inbox) {
      this.#intake?.own();
      return this.refresh();
    }
    if (this.#inbox) {
      const code = "options-invalid";
      return Promise.reject(new ConnectorError(code, "a connector serves one inbox: make another one for another inbox"));
    }
    this.#inbox = inbox;
    this.#intake = new Intake(inbox, this.#options.onReceive, () => this.pace.wake());
    this.#intake.own();
    const connected = this.#want();
    this.#begin();
    return connected;
  }

  send(outbound: Outbound): Promise<void> {
    const inbox = this.#inbox;
    if (!inbox) return Promise.reject(notConnected());
    const delivery = new Delivery(inbox, outbound);
    if (!delivery.known) return Promise.reject(new ConnectorError("options-invalid", "the message is not from the inbox of this connector"));
    const act = (way: Way) => this.#deliver(delivery, way);
    return this.#next(this.#turn, act, () => void this.#doubt(delivery)).catch(() => delivery.failed());
  }

  async refresh(): Promise<void> {
    if (this.#state === "closed") throw closed();
    if (!this.#intake) throw notConnected();
    if (this.#state === "live") {
      try {
        await this.read();
      } catch (error) {
        this.pace.wake();
        throw failure(error);
      }
      this.pace.stir();
      return;
    }
    const wanted = this.#want();
    if (this.#state === "failed") this.#begin();
    else this.pace.wake();
    await wanted;
  }

  close(): void {
    if (this.#state === "closed") return;
    // Whoever hears of it may still hand over what was held. What was handed over by now leaves: a person has decided it.
    this.#end("closed", closed());
    this.#closing.abort();
    this.#intake?.end();
    this.#listeners = [];
    void this.sent().then(() => this.#options.signal?.removeEventListener("abort", this.#stop));
  }

  /** Resolves when the fate of all messages that were handed over is known. */
  async sent(): Promise<void> {
    await this.#sent;
  }

  subscribe(listener: () => void): () => void {
    if (typeof listener !== "function") throw new ConnectorError("options-invalid", "a listener is a function");
    const entry = () => listener();
    this.#listeners.push(entry);
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== entry);
    };
  }

  /** Something arrived. */
  receive(payload: Payload): void {
    if (this.#state !== "closed") this.#intake?.live(payload);
  }

  /** Lets what arrives wait until the function that it returns is called. */
  hold(): () => void {
    return this.#intake?.hold() ?? (() => undefined);
  }

  /** Does something while no state is read. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    return this.#intake ? this.#intake.alone(act) : act();
  }

  /** The ids of the requests whose decision the backend is not known to have, and of those of which nobody knows what became. */
  open(): string[] {
    const views = this.#inbox?.requests() ?? [];
    return views.flatMap(({ request, status }) => (request !== undefined && [...OPEN, "unknown"].includes(status) ? [request] : []));
  }

  /** The ids of the requests whose calls may run. */
  running(): string[] {
    const views = this.#inbox?.requests() ?? [];
    return views.flatMap(({ request, status }) => (request !== undefined && RUNNING.includes(status) ? [request] : []));
  }

  /** Whether something waits in this task, or did not leave. */
  waits(task: string): boolean {
    const views = this.#inbox?.requests() ?? [];
    return views.some(({ id, status }) => [...OPEN, "blocked"].includes(status) && id?.startsWith(`${task}/`) === true);
  }

  /** The backend says of what it was asked for that it knows no such thing; whether that is news. */
  forget(id: string, words: string): boolean {
    return this.#intake?.forget(id, words) ?? false;
  }

  /** Reads the state into the inbox. */
  async read(): Promise<Payload[]> {
    return (await this.#intake?.read((history) => this.#transport.read(history))) ?? [];
  }

  /** Reads one state on the side. */
  look(ask: () => Promise<Payload | undefined>): Promise<Payload | undefined> {
    const own = () => this.http.look(ask);
    return this.#intake?.look(own) ?? own();
  }

  /** What was left to the answers to messages is looked after again, once they have been read. */
  rested(): void {
    void this.sent().then(() => {
      if (this.#state === "live") this.pace.stir();
    });
  }

  /** The inbox knows what the backend knows. */
  ready(): void {
    this.#set("live", undefined);
    for (const { resolve } of this.#wanted.splice(0)) resolve();
  }

  #want(): Promise<void> {
    return new Promise((resolve, reject) => this.#wanted.push({ resolve, reject }));
  }

  #begin(): void {
    this.platform.network?.addEventListener("online", this.#online);
    this.platform.network?.addEventListener("pageshow", this.#shown);
    this.#backoff.reset();
    void this.#run();
  }

  async #run(): Promise<void> {
    while (!this.signal.aborted) {
      const began = this.platform.now();
      this.#set("connecting", undefined);
      const error = failure(await this.#transport.live().catch((thrown: unknown) => thrown));
      if (this.signal.aborted) return;
      const wasLive = this.#state === "live";
      // A backend that hangs up after a moment each time is asked ever more rarely.
      if (wasLive) this.#backoff.lasted(this.platform.now() - began);
      const wait = error.temporary ? this.#backoff.next(this.platform.random) : undefined;
      if (wait === undefined) return this.#end("failed", error);
      this.#set("waiting", error);
      // What can be read is read as often as the host says.
      await this.pace.rest(error.pause + Math.min(wait, (wasLive && this.#transport.pollMs) || wait));
    }
  }

  #end(state: "failed" | "closed", error: ConnectorError): void {
    this.platform.network?.removeEventListener("online", this.#online);
    this.platform.network?.removeEventListener("pageshow", this.#shown);
    this.#set(state, state === "failed" ? error : undefined);
    this.pace.stir();
    for (const { reject } of this.#wanted.splice(0)) reject(error);
  }

  #set(state: ConnectorState, error: ConnectorError | undefined): void {
    if (this.#state === "closed" || (this.#state === state && this.#error === error)) return;
    this.#state = state;
    this.#error = error;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (thrown) {
        report(thrown);
      }
    }
  }

  /**
   * After `turn`, and told of as busy. While the answer to it is silent `act` keeps nothing back, and `quiet` is called.
   * @throws {ConnectorError} when the connector is closed already, or everything ends before its turn.
   */
  #next<T>(turn: Promise<unknown>, act: (way: Way) => Promise<T>, quiet: () => void): Promise<T> {
    const isLate = this.signal.aborted;
    let isOver = false;
    let free!: () => void;
    let rest!: () => void;
    const freed = new Promise<void>((resolve) => (free = resolve));
    const rested = new Promise<void>((resolve) => (rest = resolve));
    const end = () => {
      free();
      rest();
    };
    const silent = () => {
      if (isOver) return;
      end();
      quiet();
    };
    const done = turn.then(async () => {
      if (isLate || this.ended.aborted) throw closed();
      this.#busy += 1;
      try {
        return await act({ free, quiet: silent });
      } finally {
        isOver = true;
        this.#busy -= 1;
      }
    });
    this.#turn = freed;
    this.#rest = both(this.#rest, rested);
    this.#sent = both(this.#sent, done.then(end, end));
    return done;
  }

  async #deliver(delivery: Delivery, way: Way): Promise<void> {
    try {
      delivery.check();
      await this.#transport.send(delivery, { ...way, isParting: delivery.isParting, leaves: () => delivery.leaves() });
      delivery.delivered();
    } catch (thrown) {
      const error = failure(thrown);
      const wasTaken = delivery.told;
      delivery.failed(error);
      // What the backend did with it, or why it did not take it, is seen in its state.
      if (error.pause > 0) this.pace.wake(error.pause);
      else if (wasTaken || isInDoubt(error)) this.pace.chase();
      else if (error.code === "backend-error") this.pace.wake();
    }
  }

  /** Nothing was heard of it for a while: the state says what became of it. */
  async #doubt(delivery: Delivery): Promise<void> {
    if (delivery.told) return this.pace.wake();
    await this.read().catch(() => undefined);
    if (delivery.waits) delivery.failed(lost(undefined, "the backend said nothing: the message may have arrived all the same"));
    else delivery.delivered();
  }

  #say(text: string): Promise<void> {
    if (!this.#inbox) return Promise.reject(notConnected());
    if (typeof text !== "string") return Promise.reject(new ConnectorError("options-invalid", "the words of a person are a text"));
    const act = async (way: Way) => {
      let isTaken = false;
      try {
        await this.#transport.sendText?.(text, () => (isTaken = true), way);
      } catch (thrown) {
        this.pace.chase();
        // Words that arrived must not be said again because the answer broke off.
        if (!isTaken) throw failure(thrown);
      }
    };
    // Words in the middle of a run would begin another one beside it.
    return this.#next(this.#rest, act, () => this.pace.wake());
  }
}

/** When both are over; what they say would be kept in what the next one says. */
async function both(one: Promise<unknown>, other: Promise<unknown>): Promise<void> {
  await Promise.all([one, other]);
}

function notConnected(): ConnectorError {
  return new ConnectorError("not-connected", "the connector has no inbox: call and await connect() first");
}
