// The connector `a2a` and kagent's main branch, over a network that breaks; as `kagent_main.test.mjs`, it is left out unless it is there.

import { declareStorm } from './harness/storm.mjs';

declareStorm('kagent_main', {
  adapter: 'a2a',
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: { a2a: ({ a2a, options, url, id }) => a2a({ ...options, url, version: '1.0', ids: { contextId: id } }) },
});
