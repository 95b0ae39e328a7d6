// Reads an answer to LangGraph interrupts and compares it with what was asked. Pure: JSON in, `Refused` or nothing out.
//
// The server keeps a wrong answer: every later one then fails with the error of the first, and the pause can no longer be
// answered. It gives a bare answer to whatever waits at that moment, runs another tool if an edit names one, ignores ids
// that it does not know without a word. So nothing reaches it that does not fit in every detail.

import { createHash } from 'node:crypto';

import { Validator } from '@cfworker/json-schema';

import { TOOLS } from './script.mjs';

/** What came does not fit the conversation; nothing may run. */
export class Refused extends Error {
  constructor(message, status = 422) {
    super(message);
    this.status = status;
  }
}

/**
 * In the run's `metadata`, optional: request id → SHA-256 of the argument text that was on the screen, in hexadecimal. The request
 * id is the interrupt's id, and in a batch of the middleware this, a slash and the place in the batch.
 */
export const DIGESTS = 'countersign_args_digests';

const REJECTIONS = ['reject', 'ignore'];
const FLAGS = { accept: 'allow_accept', edit: 'allow_edit', response: 'allow_respond', ignore: 'allow_ignore' };

/** The interrupts of a thread state that wait for an answer, by id. */
export function waiting(state) {
  const open = (state.tasks ?? []).filter(({ error, result }) => !error && (!result || Object.keys(result).length === 0));
  return new Map(open.flatMap(({ interrupts }) => interrupts ?? []).map((one) => [one.id, one]));
}

/** Compares the answers in `resume` with the interrupts that wait: each names one, and decides all of its requests. */
export function check(resume, interrupts, digests = {}) {
  const ids = isObject(resume) ? Object.keys(resume) : [];
  if (ids.length === 0 || !ids.every((id) => /^[0-9a-f]{32}$/.test(id))) throw new Refused('`resume` is an object of interrupt ids');
  const decided = new Map();
  for (const id of ids) {
    const interrupt = interrupts.get(id);
    if (interrupt === undefined) throw new Refused(`the interrupt \`${id}\` does not wait for an answer (any more)`, 409);
    checkAnswer(resume[id], interrupt.value).forEach((args, at, { length }) => {
      const { type } = (resume[id].decisions ?? resume[id])[at];
      decided.set('actionRequests' in interrupt.value || length > 1 ? `${id}/${at}` : id, { args, type });
    });
  }
  if (!isObject(digests)) throw new Refused(`\`${DIGESTS}\` is an object of request ids`);
  for (const [id, digest] of Object.entries(digests)) {
    if (!decided.has(id)) throw new Refused(`\`${id}\` is not answered here`);
    const { args, type } = decided.get(id);
    // Nothing runs.
    if (REJECTIONS.includes(type)) continue;
    const known = createHash('sha256').update(JSON.stringify(args)).digest('hex');
    if (digest !== known) throw new Refused(`\`${id}\` was decided on other arguments than those that would run`, 409);
  }
}

/** The arguments of what is asked, once the answer fits. */

function checkAnswer(answer, value) {
  if (isObject(value) && 'actionRequests' in value) {
    const configs = new Map(value.reviewConfigs.map((config) => [config.actionName, config.allowedDecisions]));
    const asked = value.actionRequests.map(({ name }) => ({ action: name, allowed: configs.get(name) }));
    if (!isObject(answer) || !hasOnly(answer, ['decisions'])) throw new Refused('a batch is answered with `decisions`');
    checkEach(answer.decisions, asked, checkDecision);
    return value.actionRequests.map(({ args }) => args);
  }
  const several = Array.isArray(value) ? value : [value];
  if (!several.every((one) => isObject(one) && 'action_request' in one)) {
    throw new Refused('this interrupt is not asked in a form that is known here');
  }
  const asked = several.map(({ action_request: { action }, config }) => ({
    action,
    allowed: Object.keys(FLAGS).filter((word) => config[FLAGS[word]] === true),
  }));
  checkEach(answer, asked, checkHumanResponse);
  return several.map(({ action_request: { args } }) => args);
}

function checkEach(answers, asked, checkOne) {
  if (!Array.isArray(answers) || answers.length !== asked.length) {
    throw new Refused(`${asked.length} request(s) need as many answers, in their order`);
  }
  answers.forEach((answer, at) => {
    const { action, allowed } = asked[at];
    if (!isObject(answer) || !allowed.includes(answer.type)) throw new Refused(`\`${action}\` is answered with one of ${allowed.join(', ')}`);
    checkOne(answer, action);
  });
}

function checkDecision(decision, action) {
  const word = decision.type;
  if (word === 'edit') {
    if (!hasOnly(decision, ['type', 'editedAction'])) throw new Refused('an edit has `editedAction` and nothing else');
    checkEdit(decision.editedAction, 'name', action);
  } else if (word === 'approve') {
    if (!hasOnly(decision, ['type'])) throw new Refused('an approval has nothing else');
  } else if (!hasOnly(decision, ['type', 'message']) || !['string', 'undefined'].includes(typeof decision.message)) {
    throw new Refused('a rejection has at most a `message`');
  }
}

function checkHumanResponse(response, action) {
  const { type, args } = response;
  if (!hasOnly(response, ['type', 'args']) || !('args' in response)) throw new Refused('a response has `type` and `args`');
  if (type === 'edit') checkEdit(args, 'action', action);
  else if (type === 'response' && typeof args !== 'string') throw new Refused('a response is text');
  else if (type !== 'response' && args !== null) throw new Refused(`\`${type}\` carries no arguments: those that were shown run`);
}

function checkEdit(edit, name, action) {
  if (!isObject(edit) || !hasOnly(edit, [name, 'args']) || !isObject(edit.args)) throw new Refused(`an edit has \`${name}\` and \`args\`, an object`);
  // Another tool would run, and whether that one needs approval nobody asks.
  if (edit[name] !== action) throw new Refused('an edit cannot choose another tool');
  const { schema } = TOOLS[action.replace(/^tool_approval_/, '')];
  const { valid, errors } = new Validator(schema, '2020-12', false).validate(edit.args);
  if (!valid) throw new Refused(`the edited arguments do not fit: ${errors.at(-1).instanceLocation}: ${errors.at(-1).error}`);
}

function hasOnly(object, names) {
  return Object.keys(object).every((name) => names.includes(name));
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
