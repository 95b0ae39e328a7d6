// The graphs of this backend, one for each way in which LangGraph agents in JavaScript ask, with a model that follows a script.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, getConfig, interrupt, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { createAgent, humanInTheLoopMiddleware, tool } from 'langchain';

import { ran, tell } from './ledger.mjs';
import { GATED, nextTurn, TOOLS } from './script.mjs';

/** The thread that is running. Sub-agents run in that of their caller. */
const thread = () => getConfig().configurable.thread_id;

class ScriptedModel extends BaseChatModel {
  constructor(agent) {
    super({});
    this.agent = agent;
  }

  _llmType() {
    return 'scripted';
  }

  bindTools() {
    return this;
  }

  async _generate(messages) {
    const outcomes = messages.filter((message) => message.getType() === 'tool').map(({ name, content }) => [name, content]);
    tell(thread(), this.agent, outcomes);
    const asked = messages.findLastIndex((message) => message.getType() === 'human');
    const since = messages.slice(asked + 1);
    const turn = nextTurn(messages[asked].text, since.filter((message) => message.getType() === 'ai').length);
    const calls = [...turn.calls, ...(turn.delegated === undefined ? [] : [['delegate', { task: turn.delegated }]])];
    const results = since.filter((message) => message.getType() === 'tool').map(({ content }) => content);
    const ended = results.length > 0 ? ['Done.', ...results].join(' ') : 'There is nothing to do.';
    const content = calls.length > 0 ? 'I will do that now.' : ended;
    const made = calls.map(([name, args]) => ({ type: 'tool_call', name, args, id: `call_${randomUUID()}` }));
    return { generations: [{ text: content, message: new AIMessage({ content, tool_calls: made }) }] };
  }
}

/** The example's tools, with `gate` in front of those that need approval. */
function tools(agent, gate = (name, run) => run) {
  return Object.entries(TOOLS).map(([name, { description, schema, run }]) => {
    const recorded = async (args, call) => {
      ran(thread(), agent, name, args, call);
      if (args.path === '/slow') await sleep(4000);
      return run(args);
    };
    const gated = GATED.includes(name) ? gate(name, recorded) : recorded;
    return tool((args, config) => gated(args, config.toolCallId ?? config.toolCall.id), { name, description, schema });
  });
}

/** LangChain's own agent with its own middleware. */
function reviewed(agent) {
  const review = humanInTheLoopMiddleware({
    interruptOn: {
      delete_file: { allowedDecisions: ['approve', 'reject'], description: 'Deleting cannot be undone.' },
      transfer_funds: { allowedDecisions: ['approve', 'edit', 'reject'], argsSchema: TOOLS.transfer_funds.schema },
      send_email: true,
    },
  });
  return createAgent({ model: new ScriptedModel(agent), tools: tools(agent), middleware: [review] });
}

/** One `HumanInterrupt`; a deletion cannot be edited. */
function humanInterruptOf(action, args, description) {
  const config = { allow_accept: true, allow_edit: !action.includes('delete'), allow_respond: true, allow_ignore: true };
  return { action_request: { action, args }, config, description };
}

/** Asks with a list of one `HumanInterrupt` before the tool runs. */
const asking = (name, run) => async (args, call) => {
  const [answer] = interrupt([humanInterruptOf(name, args, 'Please look at this call.')]);
  if (answer.type === 'response') return answer.args;
  if (answer.type === 'ignore') return `The person ignored the call of ${name}. It did not run.`;
  // The guard has compared the edit with the tool's schema; here only an edit carries arguments.
  return run(answer.type === 'edit' ? answer.args.args : args, call);
};

/** Model and approval node in turns; the node asks for one call after the other, then runs what was approved. */
function oneAfterTheOther(name) {
  const model = new ScriptedModel(name);
  const byName = new Map(tools(name).map((one) => [one.name, one]));
  const ask = (call) => {
    const answer = interrupt(humanInterruptOf(`tool_approval_${call.name}`, call.args, 'Approval required.'));
    return Array.isArray(answer) ? answer[0] : answer;
  };
  const settle = (call, answer) => {
    if (answer.type === 'accept' || answer.type === 'edit') {
      const args = answer.type === 'edit' ? answer.args.args : call.args;
      return byName.get(call.name).invoke({ ...call, args, type: 'tool_call' });
    }
    const words = answer.type === 'response' ? answer.args : 'The person ignored this call. It did not run.';
    return new ToolMessage({ content: words, tool_call_id: call.id, name: call.name });
  };
  const approval = async ({ messages }) => {
    // Every answer starts the node anew: nothing may run before the last question is answered.
    const calls = messages.at(-1).tool_calls;
    const answers = calls.map((call) => (GATED.includes(call.name) ? ask(call) : { type: 'accept' }));
    return { messages: await Promise.all(calls.map((call, at) => settle(call, answers[at]))) };
  };
  return new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('approval', approval)
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => (messages.at(-1).tool_calls?.length > 0 ? 'approval' : END))
    .addEdge('approval', 'agent')
    .compile();
}

export const hitlJs = reviewed('hitl-js');
export const humanInterrupt = createAgent({
  model: new ScriptedModel('human-interrupt'),
  tools: tools('human-interrupt', asking),
});
export const agentOs = oneAfterTheOther('agent-os');

const inner = reviewed('k8s_agent');
const delegate = tool(
  async ({ task }) => (await inner.invoke({ messages: [new HumanMessage(task)] })).messages.at(-1).text,
  {
    name: 'delegate',
    description: 'Hands a task to the agent that looks after the cluster.',
    schema: { type: 'object', properties: { task: { type: 'string' } }, required: ['task'] },
  },
);
export const subagent = createAgent({ model: new ScriptedModel('subagent'), tools: [delegate] });
