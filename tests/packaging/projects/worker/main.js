// The rules run in a worker; the page only says what was pressed.
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
globalThis.sent = [];
worker.addEventListener("message", ({ data }) => sent.push(data));
document.querySelector("button").addEventListener("click", () => worker.postMessage("approve"));
