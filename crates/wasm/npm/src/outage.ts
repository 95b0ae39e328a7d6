/** What an element says in its own place while its wasm cannot be used. */
import type { CountersignError } from "./error.js";
import type { Wording } from "./wording.js";

/** Catalogues have it as `not_loaded`. */
const ENGLISH = "Part of this page could not be loaded. Nothing can be decided here until it is; loading the page again may help.";
const outages = new WeakMap<ShadowRoot, HTMLElement>();

/**
 * @internal Says it, and why; what stood there before cannot be pressed. `false`: it was said already.
 *
 * Only of files that cannot be had is more said than why: whatever else is wrong is for who made the page.
 */
export function showOutage(root: ShadowRoot, wording: Wording, { code, message }: CountersignError): boolean {
  if (outages.get(root)?.isConnected) return false;
  const line = document.createElement("p");
  const sentence = document.createElement("span");
  const why = document.createElement("small");
  // Documents that are imitated for tests (jsdom) know no `part`.
  line.setAttribute("part", "outage");
  line.setAttribute("role", "alert");
  // There are no styles without the wasm, and a page may allow none inline but these.
  Object.assign(line.style, { border: "1px solid", borderRadius: "8px", font: "14px/1.5 system-ui", margin: "0 0 8px", overflowWrap: "anywhere", padding: "12px" });
  if (code === "part-missing") line.append(sentence, document.createElement("br"));
  line.append(why);
  sentence.textContent = ENGLISH;
  why.textContent = message;
  why.lang = "en";
  fade(root, true);
  root.prepend(line);
  outages.set(root, line);
  const speak = (catalogue: string, own: string): string => {
    for (const text of [catalogue, own]) {
      try {
        sentence.textContent = (JSON.parse(text) as { not_loaded?: string }).not_loaded ?? sentence.textContent;
      } catch {
        // The wasm, once it is there, says what is wrong with it.
      }
    }
    return "";
  };
  wording.panel = { speak };
  return true;
}

/** @internal The element can be used. */
export function endOutage(root: ShadowRoot | null): void {
  if (!root || !outages.get(root)?.isConnected) return;
  outages.get(root)?.remove();
  fade(root, false);
}

function fade(root: ShadowRoot, isFaded: boolean): void {
  for (const child of root.children as HTMLCollectionOf<HTMLElement>) {
    child.inert = isFaded;
    child.style.opacity = isFaded ? "0.5" : "";
  }
}
