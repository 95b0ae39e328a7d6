// A page without a framework: an element that is given the task and hands over what it wants to send.
import "countersign/define";
import { task } from "./task.js";

const element = document.querySelector("countersign-inbox");
globalThis.sent = [];
element.addEventListener("countersign-send", ({ detail }) => {
  sent.push(detail.body);
  detail.respondWith(Promise.resolve());
});
await element.restore(task);
