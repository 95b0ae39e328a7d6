import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { Card, Panel } from "./app.jsx";

console.log(JSON.stringify({ card: renderToString(createElement(Card)), panel: renderToString(createElement(Panel)) }));
