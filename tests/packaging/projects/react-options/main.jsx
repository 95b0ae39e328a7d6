// A component whose properties the test sets, mounted when the wasm is there already.
import { createElement, StrictMode, Suspense, useState, version } from "react";
import { createRoot } from "react-dom/client";
import { Inbox, init } from "countersign";
import { CountersignCard, CountersignInbox, CountersignPolicy } from "countersign/react";
import { task } from "./task.js";

await init();

let Shown;
function App() {
  const [properties, setProperties] = useState(globalThis.first ?? {});
  globalThis.give = setProperties;
  return (
    <Suspense fallback={<p>Loading</p>}>
      <Shown {...properties} />
      <Late />
    </Suspense>
  );
}

/** What has to be loaded once more: meanwhile React hides what stands beside it. */
function Late() {
  const [loading, setLoading] = useState();
  globalThis.hide = () => {
    const { promise, resolve } = Promise.withResolvers();
    globalThis.show = () => {
      setLoading(undefined);
      resolve();
    };
    setLoading(promise);
  };
  if (loading) throw loading;
  return null;
}

Object.assign(globalThis, { version, Inbox, task, sent: [] });
globalThis.begin = (properties, name = "CountersignInbox") => {
  Shown = { CountersignCard, CountersignInbox, CountersignPolicy }[name];
  globalThis.first = properties;
  createRoot(document.getElementById("root")).render(createElement(StrictMode, null, createElement(App)));
};
globalThis.ready = true;
