// A component with a connector; the test says for which thread, and when it is hidden, taken away or drawn by a server first.
import * as React from "react";
import { createElement, startTransition, StrictMode, Suspense, useState, version } from "react";
import { createRoot, hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { Calls } from "./calls.jsx";

/** What keeps a page that is not seen, from React 19.2 on. */
const Activity = React["Activity"];

function App({ first }) {
  const [{ thread, folded, shut, view, gone, away }, set] = useState(first);
  globalThis.give = set;
  const calls = gone ? <p>Gone</p> : <Calls thread={thread} folded={folded} shut={shut} view={view} />;
  return (
    <Suspense fallback={<p>Loading</p>}>
      {Activity ? <Activity mode={away ? "hidden" : "visible"}>{calls}</Activity> : calls}
      <Late />
    </Suspense>
  );
}

/** What has to be loaded once more: meanwhile React hides what stands beside it, or keeps what it shows in a transition. */
function Late() {
  const [loading, setLoading] = useState();
  globalThis.suspend = () => {
    let load;
    const promise = new Promise((resolve) => (load = resolve));
    globalThis.load = () => {
      setLoading(undefined);
      load();
    };
    setLoading(promise);
  };
  globalThis.suspendInTurn = (next) =>
    startTransition(() => {
      globalThis.give(next);
      globalThis.suspend();
    });
  if (loading) throw loading;
  return null;
}

const root = document.getElementById("root");
const app = (first) => createElement(StrictMode, null, createElement(App, { first }));
globalThis.begin = (first) => createRoot(root).render(app(first));
/** What a server draws, and then the browser takes over. */
globalThis.takeOver = (first) => {
  root.innerHTML = renderToString(app(first));
  const html = root.innerHTML;
  hydrateRoot(root, app(first), { onRecoverableError: (error) => console.error(error) });
  return html;
};
Object.assign(globalThis, { version, keeps: Activity !== undefined, ready: true });
