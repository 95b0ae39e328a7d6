// Executes a trace against the inbox of the built package, step by step.
import { member, read } from "./lossless.mjs";
import { cardDiffers, differs } from "./matching.mjs";

const START = Date.parse("2026-01-01T00:00:00Z");

/** The text of a message: as it stands in the trace, or the exact bytes of `{"$text": …}`. */
const message = (tree) => member(tree, "$text")?.value ?? tree.text;
const expect = (condition, sentence) => {
  if (!condition) throw new Error(sentence);
};

export class Runner {
  #now = START;
  #names = new Map();
  #hidden = [];
  #bodies = [];
  #open = [];
  /** What could not be sent, by its id: the body as it was when it failed last. */
  #failed = new Map();
  #fresh;

  /** An inbox as the trace wants it; `adapter` is the one to speak through. */
  constructor({ Inbox, CountersignError }, trace, adapter) {
    this.CountersignError = CountersignError;
    const options = JSON.parse(member(trace, "options")?.text ?? "{}");
    this.#fresh = () => new Inbox({ ...options, adapter, now: () => this.#now });
    this.inbox = this.#fresh();
  }

  step(step) {
    let { inbox } = this;
    for (const [key, value] of step.value) {
      switch (key) {
        case "note":
        case "unordered":
          break;
        case "receive":
          this.#hidden = inbox.receive(message(value)).hidden;
          break;
        case "restore":
          // An inbox keeps what is on its way; a page that is loaded again has another one.
          if (this.#open.length > 0) inbox = this.inbox = this.#fresh();
          this.#open = [];
          this.#bodies = [];
          this.#hidden = inbox.restore(new TextEncoder().encode(message(value))).hidden;
          break;
        case "cards":
          this.#cards(list(value), step.value.has("unordered"));
          break;
        case "decide":
          inbox.decide(member(value, "request").value, decision(member(value, "decision")));
          break;
        case "decideAll": {
          const ids = member(value, "requests").value.map((id) => id.value);
          const { decided, refused } = inbox.decideAll(ids, decision(member(value, "decision")));
          expect(refused.length === 0 && decided.length === ids.length, `refused: ${JSON.stringify(refused)}`);
          break;
        }
        case "refuse":
          this.#refuse(value);
          break;
        case "undo":
          inbox.undo(value.value);
          break;
        case "retry":
          this.#retry(value.value);
          break;
        case "send":
          this.#sent(value);
          break;
        case "delivered":
          for (const { id } of this.#open.splice(0)) inbox.delivered(id);
          break;
        case "failed":
          for (const { id, body } of this.#open.splice(0)) {
            this.#failed.set(id, body);
            inbox.failed(id, JSON.parse(value.text));
          }
          break;
        case "time":
          this.#now = Date.parse(value.value);
          inbox.tick(this.#now);
          break;
        case "hidden":
          expect(JSON.stringify(list(value).map((flag) => flag.value)) === JSON.stringify(this.#hidden), `hidden should be ${value.text}, is ${this.#hidden}`);
          break;
        default:
          throw new Error(`there is no step \`${key}\``);
      }
      this.#take();
    }
  }

  #take() {
    for (const { id, body } of this.inbox.takeOutbound()) {
      this.#bodies.push(body);
      this.#open.push({ id, body });
    }
  }

  /** What leaves is what has failed: the same bytes, under the same idempotency key. */
  #retry(id) {
    const before = this.#open.length;
    this.inbox.retry(id);
    this.#take();
    const again = this.#open.slice(before);
    expect(again.length > 0, "the retry sent nothing");
    for (const { id, body } of again) expect(this.#failed.get(id) === body, `the retry sent what has not failed: \`${id}\` ${body}`);
  }

  #refuse(step) {
    const { inbox } = this;
    const code = member(step, "code").value;
    const before = JSON.stringify(inbox.requests());
    let given = "nothing";
    try {
      inbox.decide(member(step, "request").value, decision(member(step, "decision")));
    } catch (error) {
      expect(error instanceof this.CountersignError, `not a CountersignError: ${error}`);
      given = error.code;
    }
    expect(given === code, `should be refused with \`${code}\`, was \`${given}\``);
    expect(JSON.stringify(inbox.requests()) === before, `the refusal \`${code}\` changed something`);
  }

  #sent(expected) {
    const wanted = list(expected);
    const bodies = this.#bodies.splice(0);
    expect(bodies.length === wanted.length, `${wanted.length} bodies should be sent, were: ${bodies}`);
    for (const [place, body] of bodies.entries()) {
      const difference = differs(wanted[place], read(body), this.#names, `send/${place}`);
      expect(!difference, `${difference}\n${body}`);
    }
  }

  #cards(expected, unordered) {
    const left = this.inbox.requests().map((view) => read(card(view)));
    expect(left.length === expected.length, `${expected.length} cards expected, are ${left.length}: ${left.map((tree) => tree.text)}`);
    for (const [place, wanted] of expected.entries()) {
      const differences = [];
      const fitting = (unordered ? left : left.slice(0, 1)).findIndex((tree) => {
        const names = new Map(this.#names);
        const difference = cardDiffers(wanted, tree, names, `cards/${place}`);
        if (difference) differences.push(difference);
        else this.#names = names;
        return !difference;
      });
      expect(fitting >= 0, `${differences.join("\n")}\n${left[0]?.text}`);
      left.splice(fitting, 1);
    }
  }
}

/** What must be a list: anything else would have nothing to compare. */
function list(tree) {
  expect(tree.kind === "array", `no list: ${tree.text}`);
  return tree.value;
}

/** A decision, whose `args` are the exact text that stands in the trace. */
function decision(tree) {
  const fields = JSON.parse(tree.text);
  const args = member(tree, "args");
  return args ? { ...fields, args: message(args) } : fields;
}

/** A card as traces write it: arguments and results are values, with their lexemes. */
function card({ argsText, resultText, ...view }) {
  const texts = new Map(Object.entries(view).map(([key, value]) => [key, JSON.stringify(value)]));
  texts.set("offers", JSON.stringify(view.offers.map((offer) => offer.kind)));
  texts.set("args", readable(argsText));
  if (resultText !== undefined) texts.set("result", readable(resultText));
  if (view.decision?.args !== undefined) {
    const { args, ...rest } = view.decision;
    texts.set("decision", JSON.stringify(rest).replace(/\}$/, `,"args":${args}}`));
  }
  return `{${Array.from(texts, ([key, text]) => `${JSON.stringify(key)}:${text}`).join(",")}}`;
}

/** What cannot be read is compared as the text that it is. */
function readable(text) {
  try {
    read(text);
    return text;
  } catch {
    return JSON.stringify(text);
  }
}
