// What a front end would write by hand: the same cards as a plain list of React components. It trusts what it reads.
import { createElement as h, memo, useState } from "react";
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";

/** The cards that wait in a task of A2A 0.3. */
function cardsOf(text) {
  const { status } = JSON.parse(text);
  return status.message.parts.map(({ data }) => {
    const { name, args } = data.args.originalFunctionCall;
    return { id: data.id, tool: name, args, status: "pending" };
  });
}

const Card = memo(({ card, decide }) =>
  h(
    "section",
    { className: "card", "data-status": card.status },
    h("header", null, h("code", null, card.tool), h("span", null, card.status === "pending" ? "Waits for you" : card.status)),
    h("dl", null, Object.entries(card.args).map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, JSON.stringify(value))))),
    h("details", null, h("summary", null, "Raw"), h("pre", null, JSON.stringify(card.args, undefined, 2))),
    h(
      "footer",
      null,
      h("button", { disabled: card.status !== "pending", onClick: () => decide(card.id, "approved") }, "Approve"),
      h("button", { disabled: card.status !== "pending", onClick: () => decide(card.id, "rejected") }, "Reject"),
    ),
  ),
);

let restore;
function List() {
  const [cards, setCards] = useState([]);
  restore = (text) => flushSync(() => setCards(cardsOf(text)));
  const decide = (id, status) => setCards((all) => all.map((card) => (card.id === id ? { ...card, status } : card)));
  const approveAll = () => setCards((all) => all.map((card) => (card.status === "pending" ? { ...card, status: "approved" } : card)));
  return h("div", null, h("button", { className: "all", onClick: approveAll }, "Approve all"), cards.map((card) => h(Card, { key: card.id, card, decide })));
}

/** Mounts an empty list; `restore(text)` fills it. */
export function mount(place) {
  const root = createRoot(place);
  flushSync(() => root.render(h(List)));
  return { restore: (text) => restore(text), unmount: () => root.unmount() };
}
