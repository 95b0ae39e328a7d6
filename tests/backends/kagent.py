"""A real kagent agent behind an A2A 0.3 server on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/kagent.txt     (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/kagent.py --port 8083 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8083` when it accepts connections (and `token …` before it, if none was given). All
requests but the agent card need the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`.

    POST /                              A2A JSON-RPC: message/send, message/stream, tasks/get, tasks/resubscribe, …
    GET  /.well-known/agent-card.json   the agent card
    GET  /api/sessions/{context}/tasks  tasks of a conversation, oldest first: {"error", "data", "message"}
    GET  /executed?context=…            what ran: [{"context", "agent", "tool", "args"}], `args` as JSON text
    GET  /model?context=…               what the model was told: [{"context", "agent", "tool", "response"}], likewise
    POST /test/fail-next                with --test: the next sends fail; in the query `count` (1), `status` (503),
                                        `when` (`before` they are read, or `after` they ran), `context` (any)

A pause lasts `--timeout-s` seconds. With `--state FOLDER` tasks, sessions and accepted answers are kept in SQLite: a
pause outlives the process, also one that is killed. A task that ran then has failed, and is not begun again.

The script: the user's words choose the calls, all of one turn. `delete`, `transfer`, `email` (these three need
approval), `read` (does not) and `ask` (questions for the user) each make a call; the `key=value` pairs behind a word
set its arguments, with "…" as in JSON around a value with spaces. Words repeat: `delete path=/a then delete path=/b`
makes two calls. `later` begins the calls of the next turn, after the outcomes of the first are known.
`delegate: …` hands the rest to a second agent, which follows the same script. `crash` makes the model fail. Anything
else is answered with words. Without arguments:

    delete     delete_file     {"path":"/srv/reports/2025.csv"}
    transfer   transfer_funds  {"to_account":"DE02-1203-0000","amount":1250.5,"currency":"EUR",
                                "reference":2512292042121000001}
    email      send_email      {"to":"alice@example.com","subject":"Weekly report",
                                "body":"The report of this week is ready."}
    read       read_file       {"path":"/srv/reports/readme.txt"}
    ask        ask_user        three questions: one choice, several choices, free text
    delegate:  k8s_agent       {"request":"…"}

What a backend developer may copy is in `lib/countersign_backend`: `fence.py` (who may talk to the server) and
`kagent_guard.py` with `kagent_answer.py` and `kagent_store.py` (which answers reach the agent). README.md says why each check is there.
"""

import argparse
import os
import secrets
import sys
import warnings
from pathlib import Path

# Python puts this file's folder first on its path, where `import kagent` would find this file and not the framework.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# The framework announces its experimental features on every start, and would ask the network for prices.
warnings.filterwarnings("ignore", category=UserWarning)
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
os.environ.setdefault("LOG_LEVEL", "ERROR")

from a2a.server.apps import A2AFastAPIApplication
from a2a.types import AgentCapabilities, AgentCard, AgentSkill
from countersign_backend.faults import Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.guarding import GoesOn
from countersign_backend.kagent_agent import make_runner_factory
from countersign_backend.kagent_guard import GuardedRequestHandler, PauseStore
from countersign_backend.kagent_store import TaskFile
from countersign_backend.ledger import Ledger
from countersign_backend.serve import command_line, host_names, read_options, serve
from fastapi import FastAPI
from google.adk.sessions import BaseSessionService, InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from kagent.adk._agent_executor import A2aAgentExecutor, A2aAgentExecutorConfig
from kagent.core.a2a import KAgentRequestContextBuilder
from starlette.applications import Starlette
from starlette.routing import Mount

CARD_PATH = "/.well-known/agent-card.json"
INNER_PATH = "/agents/k8s"
TRUSTED_HEADERS = ("x-user-id", "x-kagent-source", "x-kagent-parent-context-id", "x-kagent-root-context-id")
"""In these kagent believes its caller. Agents may set them, pages may not."""


def agent_app(name: str, url: str, store: PauseStore, runner, foreign_ids: bool = False) -> FastAPI:
    """The A2A routes of one agent."""
    card = AgentCard(
        name=name,
        description="Deletes files, sends e-mail and moves money, each after approval.",
        url=url,
        version="1",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text"],
        default_output_modes=["text"],
        skills=[AgentSkill(id="operations", name="Operations", description="Gated operations", tags=["operations"])],
    )
    handler = GuardedRequestHandler(
        agent_executor=A2aAgentExecutor(runner=runner, config=A2aAgentExecutorConfig(stream=False), task_store=store),
        task_store=store,
        request_context_builder=KAgentRequestContextBuilder(task_store=store),
        foreign_ids=foreign_ids,
    )
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    A2AFastAPIApplication(agent_card=card, http_handler=handler).add_routes_to_app(app)
    return app


def add_reading_routes(app: FastAPI, store: PauseStore, ledger: Ledger) -> None:
    """History for the page, and what tests look at. Reading only: nothing is decided by a GET."""

    @app.get("/api/sessions/{context}/tasks")
    async def tasks(context: str):
        # Not in a thread of its own: to look at a pause may end it.
        found = [task.model_dump(mode="json", by_alias=True, exclude_none=True) for task in store.conversation(context)]
        return {"error": False, "data": found, "message": "the tasks of this conversation"}

    @app.get("/executed")
    def executed(context: str | None = None):
        return ledger.executed(context)

    @app.get("/model")
    def model(context: str | None = None):
        return ledger.responses(context)


def kept(options: argparse.Namespace, agent: str) -> tuple[PauseStore, BaseSessionService]:
    """Tasks and sessions of one agent."""
    tasks = TaskFile(options.state / f"{agent}-tasks.db" if options.state else None)
    file = options.state and options.state / f"{agent}-sessions.db"
    return PauseStore(options.timeout_s, tasks), SqliteSessionService(str(file)) if file else InMemorySessionService()


def build(options: argparse.Namespace, port: int) -> Starlette:
    """Both agents behind their fences, in one ASGI app."""
    address = f"http://127.0.0.1:{port}"
    hosts = host_names(port)
    ledger = Ledger(options.state / "executed.jsonl" if options.state else None)

    inner_token = secrets.token_urlsafe()
    inner_store, inner_sessions = kept(options, "k8s_agent")
    inner_runner = make_runner_factory("k8s_agent", ledger, inner_sessions)
    inner = agent_app("k8s_agent", f"{address}{INNER_PATH}/", inner_store, inner_runner, foreign_ids=True)

    store, sessions = kept(options, "ops_agent")
    remote = {"card": f"{address}{INNER_PATH}{CARD_PATH}", "token": inner_token}
    outer = agent_app("ops_agent", f"{address}/", store, make_runner_factory("ops_agent", ledger, sessions, remote))
    add_reading_routes(outer, store, ledger)
    faults = Faults(GoesOn(outer))
    if options.test:

        @outer.post("/test/fail-next")
        def fail_next(count: int = 1, status: int = 503, when: str = "before", context: str | None = None):
            faults.plan(Fault(count, status, when, context))
            return {"planned": count}

    fence = Fence(
        faults,
        hosts=hosts,
        origins=options.origin,
        token=options.token,
        open_paths=(CARD_PATH,),
        drop_headers=TRUSTED_HEADERS,
    )
    # No page may talk to the inner agent: its token never leaves this process, and no origin is allowed.
    inner_fence = Fence(GoesOn(inner), hosts=hosts, origins=(), token=inner_token)
    return Starlette(routes=[Mount(INNER_PATH, inner_fence), Mount("/", fence)])


if __name__ == "__main__":
    chosen = read_options(command_line(__doc__.splitlines()[0]))
    serve(chosen, lambda port: build(chosen, port), lifespan="off")
