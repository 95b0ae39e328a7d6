import "./plain.js";
