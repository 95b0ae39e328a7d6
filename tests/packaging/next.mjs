// Next.js over a project that was staged.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { place } from "./install.mjs";

const PROGRAM = join(place, "node_modules/next/dist/bin/next");
const ENVIRONMENT = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };

/** Builds it; what Next.js said. */
export async function buildNext(folder) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [PROGRAM, "build"], { cwd: folder, env: ENVIRONMENT, maxBuffer: 1 << 24 });
  return stdout + stderr;
}

/** The address of its own server over what was built. */
export async function startNext(t, folder) {
  const server = spawn(process.execPath, [PROGRAM, "start", "--hostname", "127.0.0.1", "--port", "0"], { cwd: folder, env: ENVIRONMENT, stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => server.kill());
  for await (const line of createInterface(server.stdout)) {
    const [address] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
    if (address) return address;
  }
  return assert.fail("Next.js did not start");
}
