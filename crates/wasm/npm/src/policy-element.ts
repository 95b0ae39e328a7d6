import { attempt, sentence } from "./error.js";
import { event, type PolicyChangeDetail } from "./events.js";
import { runtime, type Inbox } from "./full.js";
import { jsonOf } from "./message.js";
import type { PolicyTool } from "./options.js";
import { LATER, POLICY } from "./parts.js";
import { Revocations } from "./revocations.js";
import { appear, attribute, checked, complete, isThere, mayDraw, tell, tellGrants, upgrade, watch } from "./surface.js";
import { Tabs } from "./tabs.js";
import type { Handle, RawPolicy } from "./wasm/countersign.js";
import { WordedElement } from "./worded-element.js";

/**
 * Which tools of an agent need approval: a switch each, read from and written to the configuration of the agent's own
 * framework; and, with an inbox, what people granted there.
 *
 * @attr format - the configuration's format: `haystack`, `adalflow`, `interrupt_on`, `tool_approvals`, `require_approval`;
 * found out when absent
 * @attr readonly - the switches do not act
 * @event {CustomEvent<PolicyChangeDetail>} countersign-policy-change - a person turned a switch; `detail.configuration` is the new configuration
 * @event {CustomEvent<GrantsDetail>} countersign-grants - a person took a grant back; keep `detail.text`
 * @event {CustomEvent<ErrorDetail>} countersign-error - a property has a value that it cannot have
 */
export class CountersignPolicyElement extends WordedElement {
  /** @internal */
  static readonly observedAttributes = ["format", "readonly", "locale", "lang"];

  #configuration: string | undefined;
  #tools: readonly PolicyTool[] = [];
  #inbox: Inbox | undefined;
  #policy: RawPolicy | undefined;
  #panel: Handle | undefined;
  #unsubscribe: (() => void) | undefined;
  #unwatch: (() => void) | undefined;
  #revocations = new Revocations();
  /** What is wrong with the properties, and what of it was told. */
  #wrong: unknown[] = [];
  #told: string[] = [];

  constructor() {
    super();
    upgrade(this, ["configuration", "format", "readOnly", "tools", "inbox", "locale", "messages"]);
  }

  /** The configuration, as JSON text: exactly what was given, but for what a person has switched since. */
  get configuration(): string | undefined {
    return this.#configuration;
  }

  /** An object is taken too; it is written as text, with the rounding that this implies. */
  set configuration(configuration: string | object | undefined | null) {
    const given = configuration ?? undefined;
    this.#configuration = given === undefined || typeof given === "string" ? given : jsonOf(given, "options-invalid");
    this.#update();
  }

  /** The format; `undefined`: it is found out. */
  get format(): string | undefined {
    return this.getAttribute("format") ?? this.#policy?.format;
  }

  set format(format: string | undefined) {
    attribute(this, "format", format);
  }

  /** The switches do not act. */
  get readOnly(): boolean {
    return this.hasAttribute("readonly");
  }

  set readOnly(fixed: boolean) {
    this.toggleAttribute("readonly", Boolean(fixed));
  }

  /** The tools of the agent; those that the configuration names besides are shown too. */
  get tools(): readonly PolicyTool[] {
    return this.#tools;
  }

  set tools(tools: readonly PolicyTool[]) {
    // What a framework takes away is undefined.
    this.#tools = tools ?? [];
    this.#update();
  }

  /** The inbox whose grants are listed. */
  get inbox(): Inbox | undefined {
    return this.#inbox;
  }

  set inbox(inbox: Inbox | undefined) {
    const given = checked(inbox);
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#inbox = given;
    if (isThere(this)) this.#listen();
    this.#update();
  }

  /** @internal */
  protected redraw(): void {
    this.#panel?.draw();
  }

  /** @internal */
  protected override takes(): readonly string[] {
    return [POLICY, ...LATER];
  }

  /** @internal */
  protected arrive(): void {
    this.#listen();
    appear(this, this.wording, () => this.#show(), () => this.takes());
  }

  /** @internal */
  protected depart(): void {
    this.#unsubscribe?.();
    this.#unwatch?.();
    this.wording.panel = undefined;
    this.#panel?.unmount();
    this.#policy?.free();
    this.#panel = this.#policy = this.#unsubscribe = this.#unwatch = undefined;
  }

  /** @internal */
  attributeChangedCallback(name: string): void {
    if (name === "locale" || name === "lang") this.wording.locale = this.locale;
    else this.#update();
  }

  /** To the inbox, and to what other tabs take back, where no element of the inbox's own does. */
  #listen(): void {
    const inbox = this.#inbox;
    if (!inbox || this.#unsubscribe) return;
    const isAlone = () => inbox.arrived.size === 0;
    const tabs = new Tabs((news) => {
      if (isAlone()) this.#revocations.hear(this, inbox, news);
    });
    const changed = () => {
      // It may have been taken away in this very moment.
      if (isAlone() && inbox.drawnBy.has(this)) this.#revocations.tell(inbox, tabs);
      this.#panel?.draw();
    };
    const unsubscribe = inbox.subscribe(changed);
    inbox.drawnBy.add(this);
    this.#unsubscribe = () => {
      inbox.drawnBy.delete(this);
      unsubscribe();
      if (isAlone()) this.#revocations.end(inbox, tabs);
      else tabs.close();
    };
  }

  #show(): void {
    const root = this.shadowRoot;
    if (!root || this.#panel || !mayDraw()) return;
    const policy = new runtime.wasm.RawPolicy();
    this.#policy = policy;
    const now = () => this.#inbox?.at() ?? Date.now();
    this.#panel = runtime.wasm.mountPolicy(root, policy, now, (place: unknown) => this.#acted(policy, place));
    complete();
    this.#unwatch = watch(this, this.wording);
    this.wording.panel = this.#panel;
    this.#update();
  }

  #update(): void {
    const policy = this.#policy;
    if (!policy || !this.#panel) return;
    if (this.#inbox) policy.attach(this.#inbox.raw);
    else policy.detach();
    policy.setReadOnly(this.readOnly);
    this.#wrong = [];
    for (const set of [
      () => policy.setTools(jsonOf(this.#tools, "options-invalid")),
      () => policy.setConfiguration(this.#configuration, this.getAttribute("format") ?? undefined),
    ]) {
      try {
        attempt(set);
      } catch (error) {
        this.#wrong.push(error);
      }
    }
    this.#panel.draw();
    // A host sets one property after the other: what the next one puts right was never wrong.
    queueMicrotask(() => this.#tell());
  }

  /** Tells what is wrong with the properties, once. */
  #tell(): void {
    const told = this.#told;
    this.#told = this.#wrong.map(sentence);
    for (const error of this.#wrong) if (!told.includes(sentence(error))) tell(this, error);
  }

  /** A person turned the switch of the tool at this place, or took a grant back. */
  #acted(policy: RawPolicy, place: unknown): void {
    if (typeof place !== "number") {
      const inbox = this.#inbox;
      inbox?.settle();
      this.#panel?.draw();
      if (inbox) tellGrants(this, inbox);
      return;
    }
    const { configuration = "", format = "" } = policy;
    const tool = JSON.parse(policy.tool(place) ?? "{}") as PolicyChangeDetail["tool"];
    this.#configuration = configuration;
    this.#panel?.draw();
    this.dispatchEvent(event("countersign-policy-change", { configuration, format, tool }));
  }
}

declare global {
  interface HTMLElementTagNameMap {
    "countersign-policy": CountersignPolicyElement;
  }
}
