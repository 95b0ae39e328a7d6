"use client";

import { useEffect, useState } from "react";
import { Inbox, init } from "countersign";
import { forward } from "countersign/connect";
import { CountersignCard } from "countersign/react";

/** A card where the call stands; the inbox is there only in the browser. */
export function Inline({ task }) {
  const [inbox, setInbox] = useState();
  useEffect(() => {
    globalThis.sent ??= [];
    let stop;
    let isOver = false;
    init().then(() => {
      if (isOver) return;
      const made = new Inbox({ adapter: "a2a" });
      made.restore(task);
      const send = async ({ id, body }) => {
        globalThis.sent.push(body);
        made.delivered(id);
      };
      stop = forward(made, { send });
      setInbox(made);
    });
    return () => {
      isOver = true;
      stop?.();
    };
  }, [task]);
  return <CountersignCard className="inline" requestId="r1" inbox={inbox} />;
}
