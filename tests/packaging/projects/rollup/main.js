// Rollup copies no wasm: the page serves the files, and says where.
import { init } from "countersign";

const place = (name) => new URL(`countersign_${name}.wasm`, import.meta.url);
const names = ["a2a", "deciding", "rest", "editing", "schema", "policy"];
init({ source: place("bg"), adapters: ["a2a"], parts: Object.fromEntries(names.map((name) => [name, place(name)])) });
await import("./plain.js");
