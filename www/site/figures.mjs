// What was measured last, as a page: in this checkout, or else what was kept when the figures were kept last.
//
//   node www/site/figures.mjs <folder with size.json and bench.json>     keeps what stands there in figures.json
//
// Times are kept only where nothing else kept the processor busy: others say nothing.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const NOW = "Measured for this build.";
const KEPT = fileURLToPath(new URL("figures.json", import.meta.url));

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const milliseconds = (time) => {
  if (typeof time !== "number") return "–";
  return time < 0.1 ? `${(1000 * time).toFixed(1)} µs` : `${time.toFixed(time < 10 ? 2 : 0)} ms`;
};

function read(folder, name) {
  const file = join(folder ?? "", name);
  return folder && existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** What was measured, and where: `sizes` and `times`, each with the words that say when. */
export function measured(folder) {
  const kept = JSON.parse(readFileSync(KEPT, "utf8"));
  const [size, bench] = [read(folder, "size.json"), read(folder, "bench.json")];
  return {
    sizes: size?.artefacts ?? kept.sizes,
    times: bench?.results ?? kept.times,
    when: { sizes: size ? NOW : `Measured on ${kept.days.sizes}.`, times: bench ? NOW : `Measured on ${kept.days.times}.` },
  };
}

/** The page as Markdown, from `size.json` and `bench.json` in a folder, or from what was kept. */
export function figures(folder) {
  const { sizes, times, when } = measured(folder);
  const table = (head, rows) => (rows.length === 0 ? "Not measured yet: `cargo xtask bench` does it." : [head, head.map((_, at) => (at === 0 ? "---" : "---:")), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
  return [
    "# Size and speed",
    "Nothing on this page is written by hand: it is what `cargo xtask size` and `cargo xtask bench` found.",
    "## What a page downloads",
    `Each file compressed alone, as a server does. \`element-first-card\` is what is needed until the first card is shown. ${when.sizes}`,
    table(["artefact", "raw", "gzip", "brotli"], sizes.map(({ name, raw, gzip, brotli }) => [`\`${name}\``, kilobytes(raw), kilobytes(gzip), kilobytes(brotli)])),
    "## Time",
    `Side by side with the reference in one run of headless Chromium; the ratio says more than the times. ${times.length > 0 ? when.times : ""}`,
    table(["measured", "Countersign", "reference", "ratio"], times.map(({ name, ours_ms: ours, reference_ms: reference, ratio }) => [`\`${name}\``, milliseconds(ours), milliseconds(reference), typeof ratio === "number" ? ratio.toFixed(2) : "–"])),
  ].join("\n\n");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [folder] = process.argv.slice(2);
  const sizes = read(folder, "size.json")?.artefacts;
  const times = read(folder, "bench.json")?.results;
  if (!sizes) throw new Error("size.json is needed: run `cargo xtask size`");
  const kept = existsSync(KEPT) ? JSON.parse(readFileSync(KEPT, "utf8")) : { times: [], days: {} };
  // Over the last quarter of an hour, in which it was measured.
  const isQuiet = loadavg()[2] <= cpus().length * 1.5;
  if (times && !isQuiet) console.warn("the processor was busy: the times are not kept");
  const day = new Date().toISOString().slice(0, 10);
  const fresh = isQuiet && times ? { times, days: { sizes: day, times: day } } : { times: kept.times, days: { ...kept.days, sizes: day } };
  writeFileSync(KEPT, `${JSON.stringify({ sizes, ...fresh }, undefined, 1)}\n`);
}
