"""What `langgraph.json` names as `http.app`: routes of our own, and the layers in front of every route of the server.

This is the pattern to copy. Middleware of this app is outermost, before LangGraph's own CORS answer for every origin,
and it is part of `langgraph.json` wherever that is served. A proxy in front of the server would leave the server itself
open to every page, since it listens on an address too. `auth` of `langgraph.json` comes after CORS and is asked for the
API's own routes only; the development server has others, `/internal/truncate` and `/deploy` among them.
"""

import json
import os
import socket
import threading
import time
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from countersign_backend.faults import NO_SEND, Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.langgraph_graphs import LEDGER
from countersign_backend.langgraph_guard import RUNNING, THREAD, LangGraphGuard
from countersign_backend.serve import host_names

OPTIONS = json.loads(os.environ["COUNTERSIGN_OPTIONS"])
"""What `langgraph.py` was started with: `port`, `origins`, `token`, `timeout_s`, `test`; and `ready_fd`, where to say
that the server is ready."""


class Guarded:
    """Fence, planned failures and guard, outermost first."""

    faults: Faults

    def __init__(self, app) -> None:
        Guarded.faults = Faults(LangGraphGuard(app, OPTIONS["timeout_s"]), run_thread)
        self._app = Fence(
            Guarded.faults,
            hosts=host_names(OPTIONS["port"]),
            origins=OPTIONS["origins"],
            token=OPTIONS["token"],
            # LangGraph would answer with `*`, and a browser refuses an answer that names an origin twice.
            drop_headers=("origin",),
        )

    async def __call__(self, scope, receive, send) -> None:
        await self._app(scope, receive, send)


def run_thread(path: str, body: bytes) -> str | None | object:
    """A send is a run of a thread."""
    found = THREAD.fullmatch(path)
    return found["thread"] if found and f"POST {found['rest']}" in RUNNING else NO_SEND


async def executed(request: Request) -> JSONResponse:
    """What ran."""
    return JSONResponse(LEDGER.executed(request.query_params.get("context")))


async def model(request: Request) -> JSONResponse:
    """What the model was told."""
    return JSONResponse(LEDGER.responses(request.query_params.get("context")))


async def fail_next(request: Request) -> JSONResponse:
    """Plans a failure."""
    asked = request.query_params
    count, status = int(asked.get("count", 1)), int(asked.get("status", 503))
    Guarded.faults.plan(Fault(count, status, asked.get("when", "before"), asked.get("context")))
    return JSONResponse({"planned": count})


def say_when_ready() -> None:
    """Writes `ready …` as soon as the server accepts connections; it has no moment of its own for that."""
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", OPTIONS["port"])) == 0:
                break
        time.sleep(0.05)
    os.write(OPTIONS["ready_fd"], f"ready http://127.0.0.1:{OPTIONS['port']}\n".encode())


@asynccontextmanager
async def lifespan(app: Starlette):
    threading.Thread(target=say_when_ready, daemon=True).start()
    yield


test_routes = [Route("/test/fail-next", fail_next, methods=["POST"])] if OPTIONS["test"] else []
app = Starlette(
    routes=[Route("/executed", executed), Route("/model", model), *test_routes],
    middleware=[Middleware(Guarded)],
    lifespan=lifespan,
)
