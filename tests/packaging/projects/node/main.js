// A program without a browser: the same rules, the same message.
import { init, Inbox } from "countersign/headless";
import { task } from "./task.js";

await init();
const inbox = new Inbox({ adapter: "a2a" });
inbox.restore(task);
const [card] = inbox.requests();
inbox.decide(card.id, { kind: "approve", seen: card.argsDigest });
const [outbound] = inbox.takeOutbound();
inbox.delivered(outbound.id);
console.log(outbound.body);
