// The connector `langgraph` and real agents, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

const graph =
  (assistantId) =>
  ({ langgraph, options, url, id }) =>
    langgraph({ ...options, url, ids: { threadId: id, assistantId } });

declareStorm('langgraph', {
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: { 'langgraph, all at once': graph('hitl-python'), 'langgraph, one by one': graph('per-call') },
});
