// The way between the inbox and Python. Streamlit calls the function again whenever `data` is other data.

// The page may stand below a path: what it serves stands beside it.
const load = import(new URL("app/static/countersign/dist/define.js", document.baseURI));

/** How long an answer waits for its receipt until it is said again, in milliseconds. */
const PATIENCE = 3000;

/** What was made in each place of a page: drawing again must not make it anew. */
const made = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  if (!made.has(parentElement)) made.set(parentElement, mount(parentElement));
  made.get(parentElement)(data, setStateValue);
}

function mount(parent) {
  let element;
  /** What Python was told and has not answered. */
  const sending = new Map();
  let heard = { server: undefined, count: 0 };
  let news;
  let tell;
  let again;
  let turn = load.then(() => {
    element = document.createElement("countersign-inbox");
    element.setAttribute("adapter", "haystack");
    element.addEventListener("countersign-send", send);
    parent.append(element);
  });

  function send({ detail: { id, body, respondWith } }) {
    respondWith(new Promise((delivered, failed) => sending.set(id, { body, delivered, failed })));
    settle();
    say();
  }

  function say() {
    clearTimeout(again);
    if (sending.size === 0) return;
    // All of them, each time: Streamlit joins changes that come close together, and keeps the last.
    tell("answers", Object.fromEntries([...sending].map(([name, { body }]) => [name, body])));
    // What comes while a page is drawn anew may be lost. Python takes each answer once.
    again = setTimeout(say, PATIENCE);
  }

  function settle() {
    for (const [id, refusal] of Object.entries(news.receipts)) {
      const { delivered, failed } = sending.get(id) ?? {};
      sending.delete(id);
      if (refusal === null) delivered?.();
      else failed?.(Object.assign(new Error(refusal.why), { status: refusal.status }));
    }
  }

  async function hear({ server, log }) {
    if (heard.server === undefined) {
      heard = { server, count: log.length };
      return element.restore(`[${log.join(",")}]`);
    }
    // After a restart nothing of what was there waits any more.
    if (server !== heard.server) await element.receive("{}");
    const from = server === heard.server ? heard.count : 0;
    heard = { server, count: log.length };
    for (const message of log.slice(from)) await element.receive(message);
  }

  return (data, setStateValue) => {
    news = data;
    tell = setStateValue;
    turn = turn.then(() => hear(data)).catch((error) => console.error(error));
    turn.then(settle);
  };
}
