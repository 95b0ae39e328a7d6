"""kagent's main branch (`hitl/v1` over A2A 1.0) on 127.0.0.1, with the model, the tools and the script of `kagent.py`.

It is not released, so nothing here is pinned and no run of all tests needs it. Last played with commit 5229184 of
2026-08-22, google-adk 2.13.0 and 2.6.2, a2a-sdk 1.3.0 and 1.1.2. Python 3.11 or newer:

Install:  in `python/packages` of a checkout of kagent-dev/kagent:
          pip install ./kagent-proto ./kagent-core ./kagent-skills ./agentsts-core ./agentsts-adk ./kagent-adk
Start:    python tests/backends/kagent_main.py --port 8087 --origin http://127.0.0.1:8080 --token secret
Test:     KAGENT_MAIN_PYTHON=python node tests/browser/run.mjs kagent_main

    POST /                              A2A JSON-RPC: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, …
    GET  /.well-known/agent-card.json   the agent card
    GET  /executed?context=…            as with `kagent.py`, and so is the rest

There is a fence and no guard: what is tested is what the framework does with an answer.
"""

import argparse
import logging
import os
import secrets
import sys
import warnings
from pathlib import Path

# Python puts this file's folder first on its path, where `import kagent` would find `kagent.py` and not the framework.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# The framework announces its experimental features on every start, and the SDK every page that leaves.
warnings.filterwarnings("ignore", category=UserWarning)
logging.disable(logging.ERROR)
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import add_a2a_routes_to_fastapi, create_agent_card_routes, create_jsonrpc_routes
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Part
from countersign_backend.adk_a2a_store import PauseStore
from countersign_backend.faults import Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.kagent_agent import make_runner_factory
from countersign_backend.ledger import Ledger
from countersign_backend.serve import command_line, host_names, read_options, serve
from fastapi import FastAPI
from google.adk.sessions import BaseSessionService, InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from kagent.adk import _remote_a2a_tool
from kagent.adk._agent_executor import A2aAgentExecutor, A2aAgentExecutorConfig
from kagent.core.a2a import KAgentRequestContextBuilder, attach_hitl_agent_extension
from starlette.applications import Starlette
from starlette.routing import Mount

CARD_PATH = "/.well-known/agent-card.json"
INNER_PATHS = ("/agents/k8s", "/agents/k8s-inner")
A2A_HEADERS = ("a2a-version", "a2a-extensions")
TRUSTED_HEADERS = ("x-user-id", "x-kagent-source", "x-kagent-parent-context-id", "x-kagent-root-context-id")
"""In these kagent believes its caller. Agents may set them, pages may not."""


def agent_app(name: str, url: str, store: PauseStore, runner) -> FastAPI:
    """The A2A routes of one agent, as `KAgentApp` makes them."""
    card = AgentCard(
        name=name,
        description="Deletes files, sends e-mail and moves money, each after approval.",
        version="1",
        supported_interfaces=[AgentInterface(url=url, protocol_binding="JSONRPC", protocol_version="1.0")],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text"],
        default_output_modes=["text"],
        skills=[AgentSkill(id="operations", name="Operations", description="Gated operations", tags=["operations"])],
    )
    handler = DefaultRequestHandlerV2(
        agent_executor=A2aAgentExecutor(runner=runner, config=A2aAgentExecutorConfig(stream=False)),
        task_store=store,
        agent_card=attach_hitl_agent_extension(card),
        request_context_builder=KAgentRequestContextBuilder(task_store=store),
    )
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    calls = create_jsonrpc_routes(handler, rpc_url="/")
    add_a2a_routes_to_fastapi(app, agent_card_routes=create_agent_card_routes(card), jsonrpc_routes=calls)
    return app


def mend() -> None:
    """Adds words to the answers that an agent hands on: they have no parts, and a2a-sdk refuses them."""
    attach = _remote_a2a_tool.attach_hitl_extension

    def attach_with_words(message, payload):
        message.parts.append(Part(text="Decided."))
        return attach(message, payload)

    _remote_a2a_tool.attach_hitl_extension = attach_with_words


def kept(options: argparse.Namespace, agent: str) -> tuple[PauseStore, BaseSessionService]:
    """Tasks and sessions of one agent."""
    file = options.state and options.state / f"{agent}-sessions.db"
    tasks = PauseStore(options.timeout_s, options.state / f"{agent}-tasks.db" if options.state else None)
    return tasks, SqliteSessionService(str(file)) if file else InMemorySessionService()


def build(options: argparse.Namespace, port: int) -> Starlette:
    """The agent and those that it calls, one inside the other, behind their fences."""
    address = f"http://127.0.0.1:{port}"
    hosts = host_names(port)
    ledger = Ledger(options.state / "executed.jsonl" if options.state else None)
    routes, remote = [], None
    for path in reversed(INNER_PATHS):
        # No page may talk to an inner agent: its token never leaves this process, and no origin is allowed.
        token = secrets.token_urlsafe()
        name = path.rpartition("/")[2].replace("-", "_")
        store, sessions = kept(options, name)
        runner = make_runner_factory(name, ledger, sessions, remote)
        app = agent_app(name, f"{address}{path}/", store, runner)
        routes.insert(0, Mount(path, Fence(app, hosts=hosts, origins=(), token=token)))
        remote = {"card": f"{address}{path}{CARD_PATH}", "token": token}

    store, sessions = kept(options, "ops_agent")
    runner = make_runner_factory("ops_agent", ledger, sessions, remote)
    outer = agent_app("ops_agent", f"{address}/", store, runner)
    outer.get("/executed")(lambda context: ledger.executed(context))
    outer.get("/model")(lambda context: ledger.responses(context))
    faults = Faults(outer)
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
        allowed_headers=A2A_HEADERS,
    )
    return Starlette(routes=[*routes, Mount("/", fence)])


if __name__ == "__main__":
    parser = command_line(__doc__.splitlines()[0])
    parser.add_argument("--mend", action="store_true", help="lets remote agents take the answers handed on to them")
    chosen = read_options(parser)
    if chosen.mend:
        mend()
    serve(chosen, lambda port: build(chosen, port), lifespan="off")
