// The packed package and the bundlers, in a folder of their own below `target`.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

/** Where the projects are built. */
export const place = join(root, "target/packaging");

const npm = (folder, ...words) => execFileSync("npm", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** What `run.mjs` has packed and installed for all files, which then run side by side. */
const PACKED = "COUNTERSIGN_PACKED";

/** Packs and installs the package for everything that this process starts. */
export function installForAll() {
  const tarball = pack();
  install(tarball);
  process.env[PACKED] = tarball;
}

/** Packs the package as it would be published; the path of the tarball. */
export function pack() {
  if (process.env[PACKED]) return process.env[PACKED];
  const folder = join(root, "target/npm/countersign");
  if (!existsSync(join(folder, "package.json"))) {
    throw new Error("target/npm/countersign is missing: run `cargo xtask npm`");
  }
  mkdirSync(place, { recursive: true });
  for (const name of readdirSync(place)) if (name.endsWith(".tgz")) rmSync(join(place, name));
  npm(folder, "pack", "--silent", "--pack-destination", place);
  return join(place, readdirSync(place).find((name) => name.endsWith(".tgz")));
}

/** Installs the bundlers, unless exactly these are installed, and beside them what the tarball holds. */
export function install(tarball) {
  if (process.env[PACKED]) return;
  const lock = readFileSync(join(here, "package-lock.json"));
  const digest = createHash("sha256").update(lock).digest("hex");
  const marker = join(place, "installed");
  if (!existsSync(marker) || readFileSync(marker, "utf8") !== digest) {
    console.log("installing bundlers and frameworks: about a minute");
    rmSync(marker, { force: true });
    for (const name of ["package.json", "package-lock.json"]) cpSync(join(here, name), join(place, name));
    // Not `ci`, which insists on packages for other systems than this one.
    npm(place, "install", "--no-audit", "--no-fund");
    writeFileSync(marker, digest);
  }
  const installed = join(place, "node_modules/countersign");
  rmSync(installed, { recursive: true, force: true });
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components=1"]);
}

/** A fresh copy of a project, with what all projects share; its folder. */
export function stage(name) {
  const folder = join(place, name);
  rmSync(folder, { recursive: true, force: true });
  cpSync(join(here, "projects", name), folder, { recursive: true });
  for (const shared of ["task.js", "plain.js", "threads.js"]) cpSync(join(here, "projects", shared), join(folder, shared));
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ private: true, type: "module" })}\n`);
  return folder;
}
