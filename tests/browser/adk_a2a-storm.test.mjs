// The connector `a2a` and real agents behind `to_a2a`, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

const way =
  (agent, more) =>
  ({ a2a, options, url, id }) =>
    a2a({ ...options, url: `${url}/${agent}`, ids: { contextId: id }, ...more({ url, id }) });

declareStorm('adk_a2a', {
  adapter: 'a2a',
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: {
    'a2a, A2A 1.0': way('deep', () => ({ version: '1.0' })),
    'a2a, A2A 0.3': way('plain', ({ url, id }) => ({ history: `${url}/plain/tasks?context=${id}` })),
  },
});
