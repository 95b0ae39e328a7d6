"use client";

import { useEffect, useRef } from "react";
import { CountersignInbox } from "countersign/react";

/** React sets no properties of what the server drew. */
const OPTIONS = { adapter: "a2a", grants: [] };

export function Calls({ task }) {
  const inbox = useRef(null);
  useEffect(() => {
    globalThis.sent ??= [];
    inbox.current.restore(task);
  }, [task]);
  return (
    <CountersignInbox
      ref={inbox}
      options={OPTIONS}
      onSend={async ({ body }) => {
        globalThis.sent.push(body);
      }}
    />
  );
}
