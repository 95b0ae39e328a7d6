"""Google ADK's own API server (`get_fast_api_app`) on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/adk.txt     (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/adk.py --port 8084 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8084` when it accepts connections (and `token …` before it, if none was given). All
requests need the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`. Two gates, each in two apps:

    plain       `require_confirmation` of google-adk: approve and reject       (dialect `adk-plain`)
    deep        `interrupt_on` of adk-deepagents: approve, edit and reject     (dialect `adk-deepagents`)
    plain_told, deep_told   the same, and the model is told the reason of a rejection: neither gate does that itself.
                            A refused call then has one member more in its outcome, `reason`.

The user is `user`; a session begins with its first message, or is created.

    GET  /list-apps                                     the apps
    POST /apps/{app}/users/user/sessions                {"sessionId"?: …} → a session; also …/sessions/{session}
    GET  /apps/{app}/users/user/sessions/{session}      the session with all its events
    POST /run_sse, /run                                 {"appName","userId","sessionId","newMessage","streaming"?,
                                                        "customMetadata"?} → events as SSE, as a list
    GET  /executed?context={session}                    what ran: [{"context","agent","tool","args","call"}]
    GET  /model?context={session}                       what the model was told: [{"context","agent","tool","response"}]
    POST /test/fail-next                                with --test: the next sends fail; in the query `count` (1),
                                                        `status` (503), `when` (`before` or `after` they ran), `context`

A refused send is 404, 409 (no longer waits) or 422 (does not fit) with {"error": true, "message": …}; nothing ran. The
header `Idempotency-Key` names a send: repeated under the same name it runs nothing and returns what came of it. With
`--state FOLDER` sessions are kept in SQLite: a pause outlives the process, also one that is killed. An answer whose run
was cut off is spent: who reloads sees the answer and no outcome.

The words of the script: `delete`, `transfer`, `email` (these three need approval) and `read` (does not) each make a
call; the `key=value` pairs behind a word set its arguments, with "…" as in JSON around a value with spaces. Words
repeat: `delete path=/a then delete path=/b` makes two calls in one turn. `later` begins the calls of the next turn.
`delegate: …` hands the rest to the agent `k8s_agent`, which follows the same script and stays in charge. `crash` makes
the model fail, `delete path=/missing` the tool. Without arguments:

    delete     delete_file     {"path":"/srv/reports/2025.csv"}
    transfer   transfer_funds  {"to_account":"DE02-1203-0000","amount":1250.5,"currency":"EUR",
                                "reference":2512292042121000001}
    email      send_email      {"to":"alice@example.com","subject":"Weekly report",
                                "body":"The report of this week is ready."}
    read       read_file       {"path":"/srv/reports/readme.txt"}
"""

import argparse
import json
import logging
import os
import sys
import warnings
from pathlib import Path

# Python puts this file's folder first on its path, where an import could find the file of another backend.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# The framework announces its experimental features on every start.
warnings.filterwarnings("ignore", category=UserWarning)
logging.disable(logging.WARNING)
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from countersign_backend.adk_agent import Loader
from countersign_backend.adk_guard import AdkGuard
from countersign_backend.faults import NO_SEND, Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.ledger import Ledger
from countersign_backend.serve import command_line, host_names, read_options, serve
from google.adk.cli.fast_api import get_fast_api_app
from google.adk.cli.service_registry import get_service_registry
from google.adk.sessions import BaseSessionService, InMemorySessionService
from google.adk.sessions.sqlite_session_service import SqliteSessionService

USER = "user"
"""To whom the token belongs. With several people, find the name by the token, never in the request."""


def run_session(path: str, body: bytes) -> str | None | object:
    """A send is a POST to one of the two run routes."""
    try:
        return json.loads(body)["sessionId"] if path in ("/run", "/run_sse") else NO_SEND
    except (ValueError, TypeError, KeyError):
        return NO_SEND


def session_service(state: Path | None) -> BaseSessionService:
    """Where sessions live."""
    return SqliteSessionService(str(state / "sessions.db")) if state else InMemorySessionService()


def build(options: argparse.Namespace, port: int) -> Fence:
    """ADK's app behind guard and fence."""
    ledger = Ledger(options.state / "executed.jsonl" if options.state else None)
    sessions = session_service(options.state)
    # The guard must see the very sessions that the app uses; the registry is how an app gets a service of one's own.
    get_service_registry().register_session_service("countersign", lambda uri, **options: sessions)
    app = get_fast_api_app(
        agents_dir=sys.path[0],
        agent_loader=Loader(ledger),
        session_service_uri="countersign://",
        artifact_service_uri="memory://",
        use_local_storage=False,
        auto_create_session=True,
        # The developer interface can do what its name says: eval runs, traces, agents that write files.
        web=False,
    )

    @app.get("/executed")
    def executed(context: str | None = None):
        return ledger.executed(context)

    @app.get("/model")
    def model(context: str | None = None):
        return ledger.responses(context)

    faults = Faults(AdkGuard(app, sessions, USER, options.timeout_s), run_session)
    if options.test:

        @app.post("/test/fail-next")
        def fail_next(count: int = 1, status: int = 503, when: str = "before", context: str | None = None):
            faults.plan(Fault(count, status, when, context))
            return {"planned": count}

    # ADK has a check of origins of its own. The fence is stricter, and one list is enough: ADK never sees the header.
    return Fence(
        faults, hosts=host_names(port), origins=options.origin, token=options.token, drop_headers=("origin", "host")
    )


if __name__ == "__main__":
    chosen = read_options(command_line(__doc__.splitlines()[0]))
    serve(chosen, lambda port: build(chosen, port))
