// The connector `a2a` and a real kagent, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

declareStorm('kagent', {
  adapter: 'a2a',
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: {
    a2a: ({ a2a, options, url, id }) => a2a({ ...options, url, ids: { contextId: id }, history: `${url}/api/sessions/${id}/tasks` }),
  },
});
