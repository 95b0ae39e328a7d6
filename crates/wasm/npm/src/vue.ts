/**
 * `<CountersignInbox>` and `<CountersignCard>` for Vue 3.
 *
 * @module
 */
import { defineComponent, h, onBeforeUnmount, onMounted, ref, shallowRef, watch } from "vue";
import type { PropType, Ref, ShallowRef } from "vue";

import "./define.js";
import type { CountersignCardElement } from "./card-element.js";
import type { CountersignInboxElement } from "./element.js";
import type { Inbox } from "./full.js";
import type { Grant, InboxOptions, Outbound } from "./options.js";
import type { RequestView } from "./types.js";
import { wire } from "./wiring.js";

/**
 * The queue of one conversation.
 *
 * It exposes `element`, with `receive` and `restore`. `onSend` is a property, not an event: its promise says whether the
 * message was delivered.
 */
export const CountersignInbox = defineComponent({
  name: "CountersignInbox",
  props: {
    /** The inbox that is shown; the element makes one of its own when absent. */
    inbox: { type: Object as PropType<Inbox> },
    /** Options of the element's own inbox; they count as long as it is untouched, and of later ones only `locale`. */
    options: { type: Object as PropType<InboxOptions> },
    /** The adapter of the element's own inbox; `auto` when absent. */
    adapter: String,
    /** Sends a message to the backend; the promise says whether it was delivered. */
    onSend: { type: Function as PropType<(outbound: Outbound) => PromiseLike<unknown>> },
  },
  emits: {
    /** Something looks different. */
    change: (detail: { waiting: number }) => typeof detail.waiting === "number",
    /** Something was refused, or could not be read or loaded. */
    error: (detail: { code: string; message: string }) => typeof detail.code === "string",
    /** A person granted something, or took a grant back: keep `text`. */
    grants: (detail: { grants: Grant[]; text: string }) => typeof detail.text === "string",
  },
  setup(props, { emit, expose }) {
    const element = ref<CountersignInboxElement>();
    let stop = () => {};
    onMounted(() => {
      const shown = element.value;
      if (!shown) return;
      stop = wire(shown, () => ({
        onSend: props.onSend,
        onChange: (detail) => emit("change", detail),
        onError: (detail) => emit("error", detail),
        onGrants: (detail) => emit("grants", detail),
      }));
    });
    onBeforeUnmount(() => stop());
    expose({ element });
    // Properties of the element, set before it stands in the document.
    return () => {
      const { inbox, options, adapter } = props;
      return h("countersign-inbox", {
        ref: element,
        adapter,
        ...(options === undefined ? {} : { ".options": options }),
        ...(inbox === undefined ? {} : { ".inbox": inbox }),
      });
    };
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
    /** The inbox that is shared; that of the nearest `<countersign-inbox>` when absent. */
    inbox: { type: Object as PropType<Inbox> },
  },
  emits: {
    /** Something was refused, or could not be read or loaded. */
    error: (detail: { code: string; message: string }) => typeof detail.code === "string",
    /** A person granted something, or took a grant back: keep `text`. */
    grants: (detail: { grants: Grant[]; text: string }) => typeof detail.text === "string",
  },
  setup(props, { emit, expose }) {
    const element = ref<CountersignCardElement>();
    let stop = () => {};
    onMounted(() => {
      const shown = element.value;
      if (!shown) return;
      stop = wire(shown, () => ({
        onError: (detail) => emit("error", detail),
        onGrants: (detail) => emit("grants", detail),
      }));
    });
    onBeforeUnmount(() => stop());
    expose({ element });
    return () => {
      const { requestId, inbox } = props;
      return h("countersign-card", { ref: element, "request-id": requestId, ...(inbox === undefined ? {} : { ".inbox": inbox }) });
    };
  },
});

/** The cards of an inbox, for an interface of your own. */
export function useRequests(inbox: Ref<Pick<Inbox, "requests" | "subscribe"> | undefined>): ShallowRef<readonly RequestView[]> {
  const requests = shallowRef<readonly RequestView[]>([]);
  watch(
    inbox,
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
