"""ADK agents behind google-adk's own `to_a2a` on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/adk_a2a.txt     (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/adk_a2a.py --port 8086 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8086` when it accepts connections (and `token …` before it, if none was given). All
requests but the agent cards need the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`. Two agents, each
with another gate; both tell the model the reason of a rejection, which neither gate does itself:

    /plain      `require_confirmation` of google-adk: approve and reject
    /deep       `interrupt_on` of adk-deepagents: approve, edit and reject

    POST /{agent}                  A2A JSON-RPC. In 1.0, with the header `A2A-Version: 1.0`: SendMessage, GetTask, ListTasks,
                                   SendStreamingMessage, SubscribeToTask; in 0.3: message/send, message/stream,
                                   tasks/get, tasks/resubscribe
    GET  /{agent}/.well-known/agent-card.json
    GET  /{agent}/tasks?context=…  tasks of a conversation, oldest first, as 0.3 writes them: it has no call for that
    GET  /executed?context=…       what ran: [{"context", "agent", "tool", "args", "call"}], `args` as JSON text
    GET  /model?context=…          what the model was told: [{"context", "agent", "tool", "response"}], likewise
    POST /test/fail-next           with --test: the next sends fail; in the query `count` (1), `status` (503), `when`
                                   (`before` they are read, or `after` they ran), `context` (any)

A refused call is an error of JSON-RPC, and nothing ran. The id of a message names it: an answer that is repeated under
its id runs nothing, and the task is returned. A pause lasts `--timeout-s` seconds. With `--state FOLDER` tasks, sessions
and accepted answers are kept in SQLite: a pause outlives the process, also one that is killed. What ran then has failed.

The words of the script are those of `adk.py`.
"""

import argparse
import logging
import os
import sys
import warnings
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

# Python puts this file's folder first on its path, where an import could find the file of another backend.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# The framework announces its experimental features on every start, and the SDK every page that leaves.
warnings.filterwarnings("ignore", category=UserWarning)
logging.disable(logging.ERROR)
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from countersign_backend.adk_a2a_guard import A2aGuard
from countersign_backend.adk_a2a_store import PauseStore, in_0_3
from countersign_backend.adk_agent import make_app
from countersign_backend.faults import Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.ledger import Ledger
from countersign_backend.serve import command_line, host_names, read_options, serve
from google.adk.a2a.utils.agent_to_a2a import to_a2a
from google.adk.artifacts import InMemoryArtifactService
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

AGENTS = ("plain", "deep")
A2A_HEADERS = ("a2a-version", "a2a-extensions", "x-a2a-extensions")


def agent_app(name: str, ledger: Ledger, store: PauseStore, state: Path | None, port: int) -> Starlette:
    """One agent as `to_a2a` serves it."""
    app = make_app(f"{name}_told", ledger)
    sessions = SqliteSessionService(str(state / f"{name}-sessions.db")) if state else InMemorySessionService()
    runner = Runner(app=app, session_service=sessions, artifact_service=InMemoryArtifactService())
    return to_a2a(app.root_agent, host="127.0.0.1", port=port, rpc_path=name, runner=runner, task_store=store)


def build(options: argparse.Namespace, port: int) -> Fence:
    """Both agents behind guard and fence, in one ASGI app."""
    state = options.state
    ledger = Ledger(state / "executed.jsonl" if state else None)
    stores = {
        name: PauseStore(options.timeout_s, state / f"{name}-tasks.db" if state else None) for name in AGENTS
    }
    agents = [agent_app(name, ledger, stores[name], state, port) for name in AGENTS]

    @asynccontextmanager
    async def lifespan(app: Starlette):
        async with AsyncExitStack() as stack:
            for agent in agents:
                # `to_a2a` makes its routes when it starts.
                await stack.enter_async_context(agent.router.lifespan_context(agent))
                app.routes.extend(agent.routes)
            yield

    def tasks(request: Request) -> JSONResponse:
        store = stores.get(request.path_params["agent"])
        found = store.conversation(request.query_params.get("context", "")) if store else []
        return JSONResponse([in_0_3(task) for task in found])

    def executed(request: Request) -> JSONResponse:
        return JSONResponse(ledger.executed(request.query_params.get("context")))

    def model(request: Request) -> JSONResponse:
        return JSONResponse(ledger.responses(request.query_params.get("context")))

    app = Starlette(lifespan=lifespan)
    app.routes.extend([Route("/{agent}/tasks", tasks), Route("/executed", executed), Route("/model", model)])
    faults = Faults(A2aGuard(app, {f"/{name}": store for name, store in stores.items()}))
    if options.test:

        def fail_next(request: Request) -> JSONResponse:
            asked = request.query_params
            count = int(asked.get("count", 1))
            faults.plan(Fault(count, int(asked.get("status", 503)), asked.get("when", "before"), asked.get("context")))
            return JSONResponse({"planned": count})

        app.routes.append(Route("/test/fail-next", fail_next, methods=["POST"]))

    cards = [f"/{name}/.well-known/agent-card.json" for name in AGENTS]
    hosts = host_names(port)
    return Fence(
        faults, hosts=hosts, origins=options.origin, token=options.token, open_paths=cards, allowed_headers=A2A_HEADERS
    )


if __name__ == "__main__":
    chosen = read_options(command_line(__doc__.splitlines()[0]))
    serve(chosen, lambda port: build(chosen, port))
