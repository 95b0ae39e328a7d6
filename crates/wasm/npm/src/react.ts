/**
 * `<CountersignInbox>`, `<CountersignCard>` and `<CountersignPolicy>` for React 18 and later, and hooks for what they show.
 *
 * Importing it on a server is harmless: the elements are drawn as empty tags there and come to life in the browser.
 *
 * @module
 */
import {
  createElement,
  forwardRef,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  version,
  type DependencyList,
  type DetailedHTMLProps,
  type HTMLAttributes,
  type ReactNode,
  type Ref,
  type RefObject,
} from "react";

import type { CountersignCardElement } from "./card-element.js";
import type { Connector } from "./connect/types.js";
import type { CountersignInboxElement } from "./element.js";
import { CountersignError } from "./error.js";
import type { Inbox } from "./full.js";
import type { CountersignMarkup } from "./markup.js";
import type { InboxOptions } from "./options.js";
import type { CountersignPolicyElement } from "./policy-element.js";
import { define } from "./tags.js";
import type { RequestView } from "./types.js";
import { wire, type Handlers, type PolicyHandlers } from "./wiring.js";

define();

type Tag<Name extends keyof CountersignMarkup, Element> = DetailedHTMLProps<HTMLAttributes<Element>, Element> & CountersignMarkup[Name];

declare module "react" {
  namespace JSX {
    /** The tags as they are, from React 19 on. */
    interface IntrinsicElements {
      "countersign-inbox": Tag<"countersign-inbox", CountersignInboxElement>;
      "countersign-card": Tag<"countersign-card", CountersignCardElement>;
      "countersign-policy": Tag<"countersign-policy", CountersignPolicyElement>;
    }
  }
}

/** Properties of {@link CountersignInbox}; others go to the tag. */
export interface CountersignInboxProps
  extends Handlers,
    Pick<CountersignMarkup["countersign-inbox"], "connector" | "locale" | "messages">,
    Omit<HTMLAttributes<CountersignInboxElement>, keyof Handlers> {
  /** The inbox that is shown; the element makes one of its own when absent. */
  inbox?: Inbox | undefined;
  /** Options of the element's own inbox; they count as long as it is untouched, and of later ones only `locale`. */
  options?: InboxOptions | undefined;
  /** The adapter of the element's own inbox; `auto` when absent. */
  adapter?: string | undefined;
  /** Puts the number of calls that wait before the title of the page. */
  titleBadge?: boolean | undefined;
}

/** Properties of {@link CountersignCard}; others go to the tag. */
export interface CountersignCardProps
  extends Pick<Handlers, "onExtend" | "onError" | "onGrants">,
    Pick<CountersignMarkup["countersign-card"], "locale" | "messages">,
    Omit<HTMLAttributes<CountersignCardElement>, "onError" | "children"> {
  /** The request that is shown: the `id` of a card, or its request's id where that is unique. */
  requestId: string;
  /** The id of the `<countersign-inbox>` whose inbox is shared; the nearest one when absent. */
  inboxId?: string | undefined;
  /** The inbox that is shared; that of the `<countersign-inbox>` that `inboxId` names, or of the nearest one, when absent. */
  inbox?: Inbox | undefined;
}

/** Properties of {@link CountersignPolicy}; others go to the tag. */
export interface CountersignPolicyProps
  extends PolicyHandlers,
    Pick<CountersignMarkup["countersign-policy"], "configuration" | "format" | "tools" | "inbox" | "locale" | "messages">,
    Omit<HTMLAttributes<CountersignPolicyElement>, "onError" | "children"> {
  /** The switches do not act. */
  readOnly?: boolean | undefined;
}

/**
 * From this version on React itself sets properties of elements, before they stand in the document; not of those that a server
 * drew, until they change.
 */
const SETS_PROPERTIES = Number.parseInt(version, 10) >= 19;

/** The queue of one conversation. A ref gives the element, with `receive` and `restore`. */
export const CountersignInbox = forwardRef(function CountersignInbox(
  { inbox, options, connector, messages, titleBadge, className, onSend, onExtend, onChange, onError, onGrants, ...rest }: CountersignInboxProps,
  ref: Ref<CountersignInboxElement>,
): ReactNode {
  const handlers = { onSend, onExtend, onChange, onError, onGrants };
  const properties = useElement(ref, className, handlers, { options, messages, inbox, connector });
  return createElement("countersign-inbox", { "title-badge": titleBadge ? "" : undefined, ...hiding(rest), ...properties });
});

/**
 * One card, to stand where the call stands in a conversation. It takes decisions and sends nothing: that is up to whoever
 * made the inbox.
 */
export const CountersignCard = forwardRef(function CountersignCard(
  { requestId, inboxId, inbox, messages, className, onExtend, onError, onGrants, ...rest }: CountersignCardProps,
  ref: Ref<CountersignCardElement>,
): ReactNode {
  const properties = useElement(ref, className, { onExtend, onError, onGrants }, { messages, inbox });
  return createElement("countersign-card", { ...hiding(rest), ...properties, "request-id": requestId, "inbox-id": inboxId });
});

/** Which tools need approval, with a switch each. What a person turns is the element's until another `configuration` is given. */
export const CountersignPolicy = forwardRef(function CountersignPolicy(
  { configuration, tools, inbox, messages, readOnly, className, onPolicyChange, onError, onGrants, ...rest }: CountersignPolicyProps,
  ref: Ref<CountersignPolicyElement>,
): ReactNode {
  const properties = useElement(ref, className, { onPolicyChange, onError, onGrants }, { tools, configuration, messages, inbox });
  return createElement("countersign-policy", { ...hiding(rest), ...properties, readonly: readOnly ? "" : undefined });
});

/** Lets an element have what it is given, and handlers hear it; returns what its tag takes. */
function useElement<Element extends HTMLElement>(
  ref: Ref<Element>,
  className: string | undefined,
  handlers: Handlers & PolicyHandlers,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const place = useRef<Element>(null);
  useImperativeHandle(ref, () => place.current as Element, []);
  useWire(place, handlers);
  useGiven(place, given);
  // Before version 19 an element of the host's own making has attributes only, under their own names.
  const properties = SETS_PROPERTIES ? present({ className, ...given }) : present({ class: className });
  return { ...properties, ref: place };
}

/** What else a tag is given: before version 19 `hidden={false}` would be the attribute `hidden="false"`, which hides it. */
function hiding({ hidden, ...rest }: { hidden?: unknown }): Record<string, unknown> {
  return { ...rest, hidden: SETS_PROPERTIES || hidden ? hidden : undefined };
}

/** Sets the properties of an element that React itself does not set. */
function useGiven(place: RefObject<HTMLElement | null>, given: Record<string, unknown>): void {
  const known = useRef<Record<string, unknown>>(undefined);
  useLayoutEffect(() => {
    const element = place.current as (HTMLElement & { options?: unknown }) | null;
    const before = known.current;
    if (!element || (SETS_PROPERTIES && before)) return;
    known.current = given;
    for (const [name, value] of Object.entries(given)) {
      // Options that are set once more make another inbox.
      const isSet = value === before?.[name] || (name === "options" && value === element.options);
      if (!isSet) Object.assign(element, { [name]: value });
    }
  }, Object.values(given));
}

/** Lets handlers hear an element: once, however often React runs an effect. */
function useWire(place: RefObject<HTMLElement | null>, handlers: Handlers & PolicyHandlers): void {
  const newest = useRef(handlers);
  newest.current = handlers;
  const wired = useRef<HTMLElement>(null);
  // Before the element is painted, so that nothing it says first is missed.
  useLayoutEffect(() => {
    const element = place.current;
    if (element && element !== wired.current) wire(element, () => newest.current);
    wired.current = element;
  }, [place]);
}

/** Without what is absent: an element's own inbox is not taken from it by a property that nobody gave. */
function present(properties: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

const NONE: readonly RequestView[] = Object.freeze([]);

/** The cards of an inbox, for an interface of your own; drawn again whenever one of them looks different. */
export function useRequests(inbox: Pick<Inbox, "requests" | "subscribe"> | null | undefined): readonly RequestView[] {
  const requests = () => inbox?.requests() ?? NONE;
  return useSyncExternalStore((changed) => inbox?.subscribe(changed) ?? (() => {}), requests, () => NONE);
}

/**
 * The connector that `make` makes, once the component stands in the page, and makes again when one of `deps` is another. It is closed
 * then, and when the component goes. `null` until it is there, and where `make` has none to make, for there is no conversation yet.
 *
 * Nothing is made on a server.
 *
 * @example
 * const connector = useConnector(() => threadId && langgraph({ url: "/api", ids: { threadId, assistantId: "agent" } }), [threadId]);
 */
export function useConnector<Made extends Connector>(make: () => Made | "" | false | null | undefined, deps: DependencyList): Made | null {
  if (!Array.isArray(deps)) {
    throw new CountersignError("options-invalid", "`useConnector` takes a list of what its connector depends on, such as `[threadId]`");
  }
  // A connector is handed out for its own turn alone: not once more beside the id of the next conversation.
  const turn = useMemo(() => ({}), deps);
  const [held, hold] = useState<{ turn: object; made: Made }>();
  useEffect(() => {
    const made = make();
    if (!made) return undefined;
    hold({ turn, made });
    return () => {
      hold(undefined);
      made.close();
    };
  }, [turn]);
  return held?.turn === turn ? held.made : null;
}

/** Where a connector stands, and why it waits or has failed; drawn again whenever that changes. `idle` without one. */
export function useConnectorState(connector: Connector | null | undefined): Pick<Connector, "state" | "error"> {
  const subscribe = useCallback((changed: () => void) => connector?.subscribe(changed) ?? (() => {}), [connector]);
  const state = useSyncExternalStore(subscribe, () => connector?.state ?? "idle", () => "idle" as const);
  const error = useSyncExternalStore(subscribe, () => connector?.error, () => undefined);
  return { state, error };
}
