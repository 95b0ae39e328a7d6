/** Which of the elements on one inbox announces what happens. */
import { above } from "./sending.js";
import { isDrawn, isThere } from "./surface.js";

/**
 * @internal Whether this one of them does: the first that is heard. `undefined`: none is now, as long as something stands before
 * all that are drawn.
 */
export function speaks(element: HTMLElement, all: Iterable<HTMLElement>): boolean | undefined {
  const [first] = all;
  const drawn = [...all].filter(hasVoice);
  // What is not drawn would be waited for in vain.
  const speaker = drawn.length > 0 ? drawn.find(isHeard) : first;
  return speaker && speaker === element;
}

function hasVoice(element: HTMLElement): boolean {
  const region = element.shadowRoot?.querySelector("[part~=live]");
  return isThere(element) && region !== null && region !== undefined && isDrawn(region) && getComputedStyle(region).visibility === "visible";
}

/** Whether assistive technology gets to it: browsers hide from it all that a modal dialog stands before. */
function isHeard(element: HTMLElement): boolean {
  const modal = around(focused(element.ownerDocument)).find((node) => node.matches("dialog:modal"));
  const path = around(element);
  return (!modal || path.includes(modal)) && !path.some((node) => node.matches("[inert], [aria-hidden=true]"));
}

/** What has the focus, in whatever shadow root. */
function focused({ activeElement }: Document): Element | null {
  let found = activeElement;
  while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
  return found;
}

/** An element and all that it stands in. */
function around(element: Element | null): Element[] {
  const path: Element[] = [];
  for (let node: Node | null = element; node; node = above(node)) if (node.nodeType === Node.ELEMENT_NODE) path.push(node as Element);
  return path;
}
