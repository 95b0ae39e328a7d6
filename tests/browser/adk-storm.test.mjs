// The connector `adk` and real agents, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

const app =
  (appName) =>
  ({ adk, options, url, id }) =>
    adk({ ...options, url, ids: { appName, userId: 'user', sessionId: id } });

declareStorm('adk', {
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  ways: { 'adk, plain': app('plain'), 'adk, adk-deepagents': app('deep') },
});
