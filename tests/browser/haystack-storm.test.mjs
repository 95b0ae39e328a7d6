// The connectors `websocket` and `rest` and a real Haystack agent, over a network that breaks.

import { declareStorm } from './harness/storm.mjs';

declareStorm('haystack', {
  words: 'delete path=/a then delete path=/b then delete path=/c later delete path=/d',
  post: (id) => `/run/${id}`,
  ways: {
    websocket: ({ websocket, options, url, id, token, WebSocket }) =>
      websocket({ ...options, url: `${url}/ws/${id}?token=${token}`, history: `${url}/history/${id}`, WebSocket }),
    rest: ({ rest, options, url, id }) => rest({ ...options, url, ids: { clientId: id }, history: `/history/${id}` }),
  },
});
