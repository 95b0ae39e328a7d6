// Takes over what the server drew; the test says with which properties, and which come later.
import { createElement, StrictMode, useState, version } from "react";
import { hydrateRoot } from "react-dom/client";
import { Inbox, init } from "countersign";
import { Card, Panel } from "./app.jsx";
import { task } from "./task.js";

await init();

globalThis.begin = (first) => {
  const shown = document.querySelector("countersign-card") ? Card : Panel;
  function App() {
    const [properties, setProperties] = useState(first);
    globalThis.give = setProperties;
    return createElement(shown, properties);
  }
  hydrateRoot(document.getElementById("root"), createElement(StrictMode, null, createElement(App)), {
    onRecoverableError: (error) => console.error(error),
  });
};
Object.assign(globalThis, { version, Inbox, task, ready: true });
