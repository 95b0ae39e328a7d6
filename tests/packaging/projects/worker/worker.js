import { init, Inbox } from "countersign/headless";
import { task } from "./task.js";

const ready = init().then(() => {
  const inbox = new Inbox();
  inbox.restore(task);
  return inbox;
});

addEventListener("message", async () => {
  const inbox = await ready;
  const [card] = inbox.requests();
  inbox.decide(card.id, { kind: "approve", seen: card.argsDigest });
  for (const outbound of inbox.takeOutbound()) {
    postMessage(outbound.body);
    inbox.delivered(outbound.id);
  }
});
