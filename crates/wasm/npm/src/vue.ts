/**
 * `<CountersignInbox>`, `<CountersignCard>` and `<CountersignPolicy>` for Vue 3, and composables for what they show.
 *
 * @module
 */
import { defineComponent, h, markRaw, onMounted, shallowRef, toValue, watch, watchEffect } from "vue";
import type { MaybeRefOrGetter, PropType, ShallowRef } from "vue";

import type { CountersignCardElement } from "./card-element.js";
import type { ConnectorError } from "./connect/failure.js";
import type { Connector, ConnectorState } from "./connect/types.js";
import type { CountersignInboxElement } from "./element.js";
import type { ChangeDetail, ErrorDetail, GrantsDetail, PolicyChangeDetail } from "./events.js";
import { Inbox } from "./full.js";
import type { InboxOptions, Outbound, PolicyTool } from "./options.js";
import type { CountersignPolicyElement } from "./policy-element.js";
import { define } from "./tags.js";
import type { RequestView } from "./types.js";
import { wire } from "./wiring.js";
import type { Messages } from "./wording.js";

define();
// What is private in it cannot be reached through the proxy that a `ref` would make.
markRaw(Inbox.prototype);

/**
 * The queue of one conversation.
 *
 * It exposes `element`, with `receive` and `restore`, as soon as it is mounted. `onSend` is a property, not an event: its
 * promise says whether the message was delivered.
 */
export const CountersignInbox = defineComponent({
  name: "CountersignInbox",
  props: {
    /** The inbox that is shown; the element makes one of its own when absent. */
    inbox: { type: Object as PropType<Inbox | undefined> },
    /** Options of the element's own inbox; they count as long as it is untouched, and of later ones only `locale`. */
    options: { type: Object as PropType<InboxOptions | undefined> },
    /** The adapter of the element's own inbox; `auto` when absent. */
    adapter: { type: String as PropType<string | undefined> },
    /** What the inbox is connected with; it sends in place of `onSend`. */
    connector: { type: Object as PropType<Connector | undefined> },
    /** The language, as a BCP 47 tag. */
    locale: { type: String as PropType<string | undefined> },
    /** Words of the host, over those of the language. */
    messages: { type: Object as PropType<Messages | undefined> },
    /** Puts the number of calls that wait before the title of the page. */
    titleBadge: { type: Boolean as PropType<boolean | undefined> },
    /** The element is in the page and sends, but is not seen. */
    hidden: { type: Boolean as PropType<boolean | undefined> },
    /** Sends a message to the backend; the promise says whether it was delivered. */
    onSend: { type: Function as PropType<((outbound: Outbound) => PromiseLike<unknown>) | undefined> },
    /** A person wants more time for a call: resolves to until when the agent waits. Only with the option `extend`. */
    onExtend: { type: Function as PropType<((requestId: string) => PromiseLike<number>) | undefined> },
  },
  emits: {
    /** Something looks different. */
    change: (detail: ChangeDetail) => typeof detail.waiting === "number",
    /** Something was refused, or could not be read or loaded. */
    error: (detail: ErrorDetail) => typeof detail.code === "string",
    /** A person granted something, or took a grant back: keep `text`. */
    grants: (detail: GrantsDetail) => typeof detail.text === "string",
  },
  setup(props, { emit, expose }) {
    const element = shallowRef<CountersignInboxElement>();
    onMounted(() => {
      const shown = element.value;
      if (!shown) return;
      wire(shown, () => ({
        onSend: props.onSend,
        onExtend: props.onExtend,
        onChange: (detail) => emit("change", detail),
        onError: (detail) => emit("error", detail),
        onGrants: (detail) => emit("grants", detail),
      }));
    });
    expose({ element });
    // Not only exposed: so it has a type for those who hold the component.
    return { element };
  },
  // Properties of the element, set before it stands in the document.
  render() {
    const { inbox, options, adapter, connector, locale, messages, titleBadge, hidden, $slots } = this;
    const properties = {
      ref: "element",
      adapter,
      "^locale": locale,
      "^title-badge": titleBadge ? "" : undefined,
      "^hidden": hidden ? "" : undefined,
      ...(options === undefined ? {} : { ".options": options }),
      ...(messages === undefined ? {} : { ".messages": messages }),
      ...(inbox === undefined ? {} : { ".inbox": inbox }),
      ...(connector === undefined ? {} : { ".connector": connector }),
    };
    // What stands in the component as it would in the element, or in a slot of Vue's.
    const empty = $slots["empty"];
    const given = [...($slots["default"]?.() ?? []), ...(empty ? [h("div", { slot: "empty" }, empty())] : [])];
    return h("countersign-inbox", properties, given);
  },
});

/**
 * One card, to stand where the call stands in a conversation. It takes decisions and sends nothing: that is up to whoever
 * made the inbox. It exposes `element`.
 */
export const CountersignCard = defineComponent({
  name: "CountersignCard",
  props: {
    /** The request that is shown: the `id` of a card, or its request's id where that is unique. */
    requestId: { type: String, required: true },
    /** The id of the `<countersign-inbox>` whose inbox is shared; the nearest one when absent. */
    inboxId: { type: String as PropType<string | undefined> },
    /** The inbox that is shared; that of the `<countersign-inbox>` that `inboxId` names, or of the nearest one, when absent. */
    inbox: { type: Object as PropType<Inbox | undefined> },
    /** The language, as a BCP 47 tag. */
    locale: { type: String as PropType<string | undefined> },
    /** Words of the host, over those of the language. */
    messages: { type: Object as PropType<Messages | undefined> },
    /** A person wants more time for a call: resolves to until when the agent waits. Only with the option `extend`. */
    onExtend: { type: Function as PropType<((requestId: string) => PromiseLike<number>) | undefined> },
  },
  emits: {
    /** Something was refused, or could not be read or loaded. */
    error: (detail: ErrorDetail) => typeof detail.code === "string",
    /** A person granted something, or took a grant back: keep `text`. */
    grants: (detail: GrantsDetail) => typeof detail.text === "string",
  },
  setup(props, { emit, expose }) {
    const element = shallowRef<CountersignCardElement>();
    onMounted(() => {
      const shown = element.value;
      if (!shown) return;
      wire(shown, () => ({
        onExtend: props.onExtend,
        onError: (detail) => emit("error", detail),
        onGrants: (detail) => emit("grants", detail),
      }));
    });
    expose({ element });
    return { element };
  },
  render() {
    const { requestId, inboxId, inbox, locale, messages } = this;
    return h("countersign-card", {
      ref: "element",
      "request-id": requestId,
      "^inbox-id": inboxId,
      "^locale": locale,
      ...(messages === undefined ? {} : { ".messages": messages }),
      ...(inbox === undefined ? {} : { ".inbox": inbox }),
    });
  },
});

/**
 * Which tools need approval, with a switch each. What a person turns is the element's until another `configuration` is given. It
 * exposes `element`.
 */
export const CountersignPolicy = defineComponent({
  name: "CountersignPolicy",
  props: {
    /** The configuration, as JSON text or an object. */
    configuration: { type: [String, Object] as PropType<string | object | undefined> },
    /** Its format; found out when absent. */
    format: { type: String as PropType<string | undefined> },
    /** The tools of the agent. */
    tools: { type: Array as PropType<readonly PolicyTool[] | undefined> },
    /** The inbox whose grants are listed. */
    inbox: { type: Object as PropType<Inbox | undefined> },
    /** The switches do not act. */
    readOnly: { type: Boolean as PropType<boolean | undefined> },
    /** The language, as a BCP 47 tag. */
    locale: { type: String as PropType<string | undefined> },
    /** Words of the host, over those of the language. */
    messages: { type: Object as PropType<Messages | undefined> },
  },
  emits: {
    /** A person turned a switch: `configuration` is the configuration as it is now. */
    policyChange: (detail: PolicyChangeDetail) => typeof detail.configuration === "string",
    /** A property has a value that it cannot have. */
    error: (detail: ErrorDetail) => typeof detail.code === "string",
    /** A person took a grant back: keep `text`. */
    grants: (detail: GrantsDetail) => typeof detail.text === "string",
  },
  setup(_, { emit, expose }) {
    const element = shallowRef<CountersignPolicyElement>();
    onMounted(() => {
      const shown = element.value;
      if (!shown) return;
      wire(shown, () => ({
        onPolicyChange: (detail) => emit("policyChange", detail),
        onError: (detail) => emit("error", detail),
        onGrants: (detail) => emit("grants", detail),
      }));
    });
    expose({ element });
    return { element };
  },
  render() {
    const { configuration, format, tools, inbox, readOnly, locale, messages } = this;
    return h("countersign-policy", {
      ref: "element",
      "^format": format,
      "^locale": locale,
      ".readOnly": readOnly,
      ...(tools === undefined ? {} : { ".tools": tools }),
      ...(configuration === undefined ? {} : { ".configuration": configuration }),
      ...(messages === undefined ? {} : { ".messages": messages }),
      ...(inbox === undefined ? {} : { ".inbox": inbox }),
    });
  },
});

/** The cards of an inbox, given as it is, as a ref, or as a getter, for an interface of your own. */
export function useRequests(inbox: MaybeRefOrGetter<Pick<Inbox, "requests" | "subscribe"> | null | undefined>): ShallowRef<readonly RequestView[]> {
  const requests = shallowRef<readonly RequestView[]>([]);
  watch(
    () => toValue(inbox),
    (shown, _, onCleanup) => {
      const take = () => {
        requests.value = shown?.requests() ?? [];
      };
      take();
      onCleanup(shown?.subscribe(take) ?? (() => {}));
    },
    { immediate: true },
  );
  return requests;
}

/**
 * The connector that `make` makes, once the component is mounted, and makes again when something that it looks at is another. It is
 * closed then, and when the component is unmounted. `null` until it is there, and where `make` has none to make, for there is no
 * conversation yet.
 *
 * Nothing is made on a server. While `<KeepAlive>` keeps the component the connection stays.
 *
 * @example
 * const connector = useConnector(() => threadId.value && langgraph({ url: "/api", ids: { threadId: threadId.value, assistantId: "agent" } }));
 */
export function useConnector<Made extends Connector>(make: () => Made | "" | false | null | undefined): Readonly<ShallowRef<Made | null>> {
  const connector = shallowRef(null) as ShallowRef<Made | null>;
  onMounted(() => {
    watchEffect((onCleanup) => {
      const made = make();
      if (!made) return;
      connector.value = made;
      onCleanup(() => {
        connector.value = null;
        made.close();
      });
    });
  });
  return connector;
}

/** Where a connector stands, given as it is, as a ref, or as a getter, and why it waits or has failed. `idle` without one. */
export function useConnectorState(connector: MaybeRefOrGetter<Connector | null | undefined>): {
  state: Readonly<ShallowRef<ConnectorState>>;
  error: Readonly<ShallowRef<ConnectorError | undefined>>;
} {
  const state = shallowRef<ConnectorState>("idle");
  const error = shallowRef<ConnectorError>();
  watch(
    () => toValue(connector),
    (shown, _, onCleanup) => {
      const take = () => {
        state.value = shown?.state ?? "idle";
        error.value = shown?.error;
      };
      take();
      onCleanup(shown?.subscribe(take) ?? (() => {}));
    },
    { immediate: true },
  );
  return { state, error };
}
