import type { Connector } from "./connect/types.js";
import type { CountersignEventMap } from "./events.js";
import type { Inbox } from "./full.js";
import type { InboxOptions, PolicyTool } from "./options.js";
import type { Messages } from "./wording.js";

/** Listeners as React 19, Preact and Svelte take them: `oncountersign-send`. */
type Listeners<Type extends keyof CountersignEventMap> = {
  [Name in Type as `on${Name}`]?: ((event: CountersignEventMap[Name]) => void) | undefined;
};

/** What all tags take. */
interface Worded {
  /** The language, as a BCP 47 tag. */
  locale?: string | undefined;
  /** Words of the host, over those of the language. */
  messages?: Messages | undefined;
  /** Follows the page when absent. */
  "data-theme"?: "light" | "dark" | undefined;
  /** Comfortable when absent. */
  "data-density"?: "compact" | undefined;
}

/**
 * What each tag takes in markup beside what every element takes: its attributes, properties and events. For frameworks whose
 * templates are type-checked; `countersign/react` has told React of it.
 *
 * @example
 * declare module "preact" {
 *   namespace JSX {
 *     interface IntrinsicElements {
 *       "countersign-inbox": HTMLAttributes<CountersignInboxElement> & CountersignMarkup["countersign-inbox"];
 *     }
 *   }
 * }
 */
export interface CountersignMarkup {
  "countersign-inbox": Worded &
    Listeners<Exclude<keyof CountersignEventMap, "countersign-policy-change">> & {
      adapter?: string | undefined;
      options?: InboxOptions | undefined;
      inbox?: Inbox | undefined;
      connector?: Connector | undefined;
      "title-badge"?: string | boolean | undefined;
      titleBadge?: boolean | undefined;
    };
  "countersign-card": Worded &
    Listeners<"countersign-error" | "countersign-grants" | "countersign-extend"> & {
      "request-id"?: string | undefined;
      requestId?: string | undefined;
      "inbox-id"?: string | undefined;
      inboxId?: string | undefined;
      inbox?: Inbox | undefined;
    };
  "countersign-policy": Worded &
    Listeners<"countersign-policy-change" | "countersign-grants" | "countersign-error"> & {
      format?: string | undefined;
      readonly?: string | boolean | undefined;
      readOnly?: boolean | undefined;
      configuration?: string | object | undefined;
      tools?: readonly PolicyTool[] | undefined;
      inbox?: Inbox | undefined;
    };
}
