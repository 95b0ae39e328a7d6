// esbuild leaves `new URL("…wasm", import.meta.url)` alone, so it is told where the files are.
import { init } from "countersign";
import source from "countersign/countersign.wasm";
import a2a from "countersign/wasm/countersign_a2a.wasm";
import deciding from "countersign/wasm/countersign_deciding.wasm";
import editing from "countersign/wasm/countersign_editing.wasm";
import policy from "countersign/wasm/countersign_policy.wasm";
import rest from "countersign/wasm/countersign_rest.wasm";
import schema from "countersign/wasm/countersign_schema.wasm";

const place = (file) => new URL(file, import.meta.url);
const parts = { a2a, deciding, editing, policy, rest, schema };
for (const name of Object.keys(parts)) parts[name] = place(parts[name]);
init({ source: place(source), adapters: ["a2a"], parts });
await import("./plain.js");
