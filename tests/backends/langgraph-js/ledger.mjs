// What really ran, and what the model was told, kept per conversation.

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';

import { options } from './options.mjs';

const FILE = options.state === undefined ? undefined : path.join(options.state, 'executed.jsonl');

const executed = FILE && existsSync(FILE) ? readFileSync(FILE, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [];
const calls = new Set(executed.map(({ context, call }) => `${context} ${call}`));
const responses = [];
const told = new Map();

/**
 * A tool is about to run with these arguments. One call runs once, whatever restarts or repeats itself around it: so this is asked,
 * and is on the disk, before the tool does anything.
 */
export function ran(context, agent, tool, args, call) {
  const name = `${context} ${call}`;
  if (calls.has(name)) throw new Error(`the call \`${call}\` ran before`);
  calls.add(name);
  const entry = { context, agent, tool, args: JSON.stringify(args), call };
  executed.push(entry);
  if (FILE === undefined) return;
  const file = openSync(FILE, 'a');
  writeSync(file, `${JSON.stringify(entry)}\n`);
  fsyncSync(file);
  closeSync(file);
}

/** The model is about to read these tool outcomes, all of the session's: each is noted once, and again where it became another. */
export function tell(context, agent, outcomes) {
  const session = `${context} ${agent}`;
  const before = told.get(session) ?? [];
  const now = outcomes.map(([tool, response]) => ({ context, agent, tool, response: JSON.stringify(response) }));
  responses.push(...now.filter((entry, at) => JSON.stringify(entry) !== JSON.stringify(before[at])));
  told.set(session, now);
}

const of = (entries) => (context) => entries.filter((entry) => context === null || entry.context === context);

/** Tool runs in order, of one conversation, or of all for `null`. */
export const executions = of(executed);

/** Tool outcomes in the order in which a model first saw them. */
export const outcomes = of(responses);
