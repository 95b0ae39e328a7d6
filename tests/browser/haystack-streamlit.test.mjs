// The Streamlit page of www/examples, with a Haystack agent in it.

import { declarePage } from './harness/python-page.mjs';

const answer = (id, members) => JSON.stringify({ type: 'approval_response', id, ...members });

declarePage('streamlit', {
  python: 'HAYSTACK_PYTHON',
  pinned: 'tests/backends/haystack.txt',
  command: (port) => ['-m', 'streamlit', 'run', 'server.py', '--server.headless', 'true', '--server.port', String(port)],
  right: (id) => answer(id, { action: 'confirm' }),
  wrong: (id) => [
    [answer(id, {}), 422],
    [answer(id, { action: 'cancel' }), 422],
    [answer(id, { action: 'Reject' }), 422],
    [answer(id, { action: 'confirm', feedback: 'thanks' }), 422],
    [answer(id, { action: 'reject', feedback: 1 }), 422],
    [answer(id, { action: 'modify', new_tool_params: {} }), 422],
    [answer(id, { action: 'modify', new_tool_params: { to_account: 'DE02', amount: '5', reference: 1 } }), 422],
    [answer(id, { action: 'modify', new_tool_params: { to_account: 'DE02', amount: 5, reference: 1, more: 1 } }), 422],
    [answer(id, { action: 'confirm' }).replace('approval_response', 'approval_request'), 422],
    [answer('00000000-0000-4000-8000-000000000000', { action: 'confirm' }), 404],
  ],
  unknown: 404,
  edits: true,
});
