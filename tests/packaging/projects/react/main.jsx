import { StrictMode, useEffect, useRef } from "react";
import { createRoot } from "react-dom/client";
import { CountersignInbox } from "countersign/react";
import { task } from "./task.js";

globalThis.sent = [];

function App() {
  const inbox = useRef(null);
  useEffect(() => {
    inbox.current.restore(task);
  }, []);
  return (
    <CountersignInbox
      ref={inbox}
      adapter="a2a"
      className="calls"
      onSend={async ({ body }) => {
        sent.push(body);
      }}
    />
  );
}

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
