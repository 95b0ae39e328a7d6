// LangGraph's own JavaScript server (what `langgraphjs dev` starts) on 127.0.0.1, with a model that follows a script.
//
//   npm ci --prefix tests/backends/langgraph-js
//   node tests/backends/langgraph-js/main.mjs --port 8086 --origin http://127.0.0.1:8080 --token secret
//
// The command line, the words of the script, the tools, the routes and the refusals are those of `langgraph.py`, which says
// more. What differs: every number is a JavaScript number, and a second run beside one that goes on is refused with 422.
// The graphs are
//
//   hitl-js          LangChain's humanInTheLoopMiddleware, one interrupt for all calls of a turn; delete: approve, reject;
//                    transfer: approve, edit, reject, with a schema; email: approve, edit, reject
//   human-interrupt  HumanInterrupt, a list of one, asked inside each tool: accept, edit (not delete), response, ignore
//   agent-os         HumanInterrupt, bare, `tool_approval_<tool>`, asked one after the other; runs when all are answered
//   subagent         `delegate: …` hands the rest to an agent of the kind `hitl-js` inside a tool
//
// What is given to `startServer` here are the members of `langgraph.json`. The fence is `auth`, not `http.app`: the server
// answers preflights and `/internal/truncate` before it comes to the app.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { options } from './options.mjs';

// Nothing here asks the network for anything, and standard output is for the line `ready …`.
Object.assign(process.env, { LANGSMITH_TRACING: 'false', LANGCHAIN_TRACING_V2: 'false', LOG_LEVEL: 'error' });

const GRAPHS = { 'hitl-js': 'hitlJs', 'human-interrupt': 'humanInterrupt', 'agent-os': 'agentOs', subagent: 'subagent' };
const file = (name) => fileURLToPath(new URL(name, import.meta.url));

if (options.state) await mkdir(options.state, { mode: 0o700, recursive: true });
const folder = options.state ?? (await mkdtemp(path.join(tmpdir(), 'countersign-langgraph-js-')));

const { startServer } = await import('@langchain/langgraph-api/server');
const { host, cleanup } = await startServer({
  host: '127.0.0.1',
  port: options.port,
  // Each looks for new runs about twice a second.
  nWorkers: 20,
  // The server keeps its files below this folder.
  cwd: folder,
  graphs: Object.fromEntries(Object.entries(GRAPHS).map(([id, name]) => [id, `${file('graphs.mjs')}:${name}`])),
  auth: {
    path: `${file('fence.mjs')}:fence`,
    // Else the header `x-auth-scheme: langsmith` stands in for any token.
    disable_studio_auth: true,
  },
  http: {
    app: `${file('guard.mjs')}:app`,
    // Without it every origin is allowed.
    cors: {
      allow_origins: options.origins,
      allow_methods: ['GET', 'POST'],
      allow_headers: ['authorization', 'content-type', 'idempotency-key', 'x-countersign-token'],
      max_age: 600,
    },
    disable_assistants: true,
    disable_store: true,
    disable_meta: true,
  },
});
options.port = Number(host.split(':').at(-1));
console.log(`ready http://127.0.0.1:${options.port}`);

for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, async () => {
    await cleanup();
    if (!options.state) await rm(folder, { recursive: true, force: true });
    process.exit(0);
  });
}
