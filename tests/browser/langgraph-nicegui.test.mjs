// The NiceGUI page of www/examples, with a LangGraph agent in it.

import { declarePage } from './harness/python-page.mjs';

const answer = (id, ...decisions) => JSON.stringify({ resume: { [id]: { decisions } } });

declarePage('nicegui', {
  python: 'LANGGRAPH_PYTHON',
  pinned: 'tests/backends/langgraph.txt',
  command: () => ['app.py'],
  right: (id) => answer(id, { type: 'approve' }),
  wrong: (id) => [
    ['{"resume":{}}', 422],
    [answer(id), 422],
    [answer(id, { type: 'approve' }, { type: 'approve' }), 422],
    [answer(id, { type: 'ignore' }), 422],
    [answer(id, { type: 'edit', edited_action: { name: 'delete_file', args: { path: '/' } } }), 422],
    [answer(id, { type: 'approve', message: 'thanks' }), 422],
    [answer(id, { type: 'reject', message: 1 }), 422],
    [answer('0'.repeat(32), { type: 'approve' }), 409],
  ],
  unknown: 409,
});
