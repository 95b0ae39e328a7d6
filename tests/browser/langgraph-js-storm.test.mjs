// The connector `langgraph` and a real agent in JavaScript, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

declareStorm('langgraph-js', {
  adapter: 'langgraph',
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: {
    'langgraph-js': ({ langgraph, options, url, id }) => langgraph({ ...options, url, ids: { threadId: id, assistantId: 'hitl-js' } }),
  },
});
