// The shell lines of the pages: commands, options and files that they name are there.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { root } from "./blocks.mjs";

const text = (path) => readFileSync(join(root, path), "utf8");

/** What `cargo xtask` knows, from its own help: the options of each command. */
function xtask() {
  const help = /HELP: &str = "([^]*?)";/.exec(text("crates/xtask/src/arguments.rs"))[1];
  const commands = new Map();
  let last;
  for (const line of help.split("\n")) {
    const command = /^ {2}(\w+) {2,}/.exec(line);
    const option = /^ +(--[\w-]+)/.exec(line);
    if (command) commands.set((last = command[1]), []);
    else if (option) commands.get(last).push(option[1]);
  }
  return commands;
}

/** The names of the packages of this project, and of those that its tests install. */
function packages() {
  const known = ["crates/wasm/npm/package.json", "tests/package.json", "tests/packaging/package.json"].map((path) => JSON.parse(text(path)));
  return new Set(known.flatMap(({ name, devDependencies, peerDependencies }) => [name, ...Object.keys({ ...devDependencies, ...peerDependencies })]));
}

const backends = () => readdirSync(join(root, "tests/backends")).filter((name) => /^[a-z]+\.py$/.test(name)).map((name) => name.slice(0, -3));
/** All options that a script of the backends reads. */
const backendOptions = () => {
  const scripts = ["tests/backends", "tests/backends/lib/countersign_backend"].flatMap((folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith(".py")).map((name) => text(`${folder}/${name}`)));
  return new Set(scripts.flatMap((source) => [...source.matchAll(/add_argument\(\s*["'](--[\w-]+)/g)].map(([, option]) => option)));
};

/** Programs that are on every machine that the pages speak of, and need no check but of the files that they are given. */
const PLAIN = ["tar", "mv", "cp", "cd", "mkdir", "git", "curl"];

/** What `npm run` can be told in the projects of the examples. */
const scriptsOfExamples = () => {
  const projects = readdirSync(join(root, "www/examples")).filter((name) => existsSync(join(root, "www/examples", name, "package.json")));
  return new Set(projects.flatMap((name) => Object.keys(JSON.parse(text(`www/examples/${name}/package.json`)).scripts)));
};

/** Where `cargo xtask npm` puts the package, seen from another project. */
const BUILT = /^(\.{1,2}\/)+([\w-]+\/)*target\/npm\/countersign$/;

const NPM = ["install", "i", "pack", "init", "run", "ci", "test"];

/** What is wrong with the lines of a block. */
export function shellComplaints({ file, line, code }) {
  const lines = code.replaceAll("\\\n", " ").split("\n");
  return lines.flatMap((words, place) =>
    words
      .replace(/(^|\s)#.*$/, "")
      .split(/&&|\||;/)
      .map((command) => command.trim())
      .filter((command) => command !== "")
      .flatMap((command) => commandComplaints(command).map((why) => `${file}:${line + place + 1}: \`${command}\`: ${why}`)),
  );
}

function commandComplaints(command) {
  const [program, ...words] = command.split(/\s+/).filter((word) => !/^[A-Z_]+=/.test(word));
  const missing = words.filter((word) => /^(crates|tests|www)\/[\w./-]+$/.test(word) && !word.includes("*") && !existsSync(join(root, word)) && !made(word)).map((word) => `there is no \`${word}\``);
  if (program === "cargo") return cargo(words);
  if (program === "npm" || program === "npx") return npm(words);
  if (program === "node") return missing;
  if (/(^|\/)(python3?|pip)$/.test(program)) return [...missing, ...python(words)];
  if (PLAIN.includes(program)) return missing;
  return [`\`${program}\` is no command that the pages may name`];
}

/** What a line before it has put there. */
const made = (path) => path === "www/examples/countersign";

function cargo([first, command, ...options]) {
  if (first === "add") return existsSync(join(root, "crates", (command ?? "").replace("countersign-", ""))) ? [] : [`there is no crate \`${command}\``];
  if (first !== "xtask") return ["only `cargo xtask` and `cargo add` are known"];
  const known = xtask();
  if (!known.has(command)) return [`there is no \`cargo xtask ${command}\``];
  return options.flatMap((option, place) => {
    if (option.startsWith("--")) return known.get(command).includes(option) ? [] : [`\`cargo xtask ${command}\` has no option \`${option}\``];
    if (options[place - 1] === "--backend") return option === "NAME" || backends().includes(option) ? [] : [`there is no backend \`${option}\``];
    return [];
  });
}

function npm([command, ...words]) {
  if (!NPM.includes(command)) return [`\`npm ${command}\` is not known`];
  if (command === "run") return scriptsOfExamples().has(words[0]) ? [] : [`no example has a script \`${words[0]}\``];
  const names = words.filter((word) => !word.startsWith("-"));
  return names.filter((name) => !BUILT.test(name) && !packages().has(name.replace(/(.)@.*$/, "$1"))).map((name) => `there is no package \`${name}\``);
}

function python(words) {
  if (!words.some((word) => word.startsWith("tests/backends/"))) return [];
  const known = backendOptions();
  return words.filter((word) => word.startsWith("--") && !known.has(word)).map((word) => `the backends have no option \`${word}\``);
}
