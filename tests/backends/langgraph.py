"""LangGraph's own development server (`langgraph dev`) on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/langgraph.txt     (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/langgraph.py --port 8085 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8085` when it accepts connections (and `token …` before it, if none was given). All
requests need the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`. The graphs are those of
`langgraph.json`; a thread stays with the graph of its first run (`assistant_id`):

    hitl-python      LangChain's HumanInTheLoopMiddleware, one interrupt for all calls of a turn; delete: approve,
                     reject; transfer: approve, edit, reject; email: approve, edit, reject, respond
    per-call         the same middleware and decisions, one interrupt a call
    human-interrupt  HumanInterrupt, a list of one, asked inside each tool: accept, edit (not delete), response, ignore
    agent-os         HumanInterrupt, bare, `tool_approval_<tool>`, asked one after the other; runs when all are answered
    subagent         `delegate: …` hands the rest to an agent of the kind `hitl-python` inside a tool

    POST /threads                         {"thread_id"?: <uuid>, "if_exists"?: …}
    GET  /threads/{id}, /threads/{id}/state, /threads/{id}/stream (what every run of it streams, from now on)
    GET  /threads/{id}/runs               its runs, for a page that was loaded while one is under way
    GET  /threads/{id}/runs/{run}/stream  what a run still says; from its beginning where that was with "stream_resumable"
    POST /threads/{id}/history            {"limit"?, "before"?}
    POST /threads/{id}/runs/stream, …/runs/wait
                                          {"assistant_id", "input": {"messages": [{"role": "user", "content": …}]}} or
                                          {"assistant_id", "command": {"resume": {<interrupt id>: <answer>}}}, with
                                          "stream_mode"?, "stream_subgraphs"?, "stream_resumable"?, "metadata"?; makes the
                                          thread if needed
    GET  /executed?context={thread}       what ran: [{"context","agent","tool","args","call"}], `args` as JSON text
    GET  /model?context={thread}          what the model was told: [{"context","agent","tool","response"}], likewise
    POST /test/fail-next                  with --test: the next sends fail; in the query `count` (1), `status` (503),
                                          `when` (`before` they are read, or `after` they ran), `context` (any)

A refused send is 404, 409 (no longer waits) or 422 (does not fit) with {"error": true, "message": …}; nothing ran. The
header `Idempotency-Key` names a send: repeated under the same name it runs nothing and returns the thread's values.

With `--state FOLDER` threads are kept there: a pause outlives a server that was asked to stop. The development server
writes every ten seconds and at its end: of one that is killed, the last seconds are lost, and runs that were going on
start again; a tool call that ran does not run again. A pause older than `--timeout-s` ends at the next look at its
thread: each call that waited gets an outcome of status `error`, "Nobody decided in time. What waited was not run."

The words of the script: `delete`, `transfer`, `email` (these three need approval) and `read` (does not) each make a
call; the `key=value` pairs behind a word set its arguments, with "…" as in JSON around a value with spaces. Words
repeat: `delete path=/a then delete path=/b` makes two calls in one turn. `later` begins the calls of the next turn.
`crash` makes the model fail, `delete path=/missing` the tool. Without arguments:

    delete     delete_file     {"path":"/srv/reports/2025.csv"}
    transfer   transfer_funds  {"to_account":"DE02-1203-0000","amount":1250.5,"currency":"EUR",
                                "reference":2512292042121000001}
    email      send_email      {"to":"alice@example.com","subject":"Weekly report",
                                "body":"The report of this week is ready."}
    read       read_file       {"path":"/srv/reports/readme.txt"}

What a backend developer may copy is `lib/countersign_backend/langgraph_app.py`, which says why the guard sits where it
sits, with `langgraph_guard.py` and `langgraph_answer.py`.
"""

import json
import os
import shutil
import socket
import sys
import tempfile
from pathlib import Path

# Python puts this file's folder first on its path, where `import langgraph` would find this file.
LIB = str(Path(__file__).resolve().parent / "lib")
sys.path[0] = LIB

from countersign_backend.serve import command_line, read_options

CONFIG = Path(__file__).resolve().with_name("langgraph.json")


def free_port() -> int:
    """A port that nobody uses at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def folder_until_the_end() -> str:
    """A new folder that is gone when this process is, however it ends: a second process waits for that."""
    folder = tempfile.mkdtemp(prefix="countersign-langgraph-")
    if not hasattr(os, "fork"):
        return folder
    alive, held = os.pipe()
    os.set_inheritable(held, True)
    if os.fork():
        os.close(alive)
        return folder
    os.setsid()
    # Nothing else stays open, above all not what somebody reads to its end.
    os.dup2(alive, 0)
    os.closerange(1, os.sysconf("SC_OPEN_MAX"))
    os.read(0, 1)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def main() -> None:
    """Becomes `langgraph dev`, which reads the options where `langgraph_app.py` looks for them."""
    chosen = read_options(command_line(__doc__.splitlines()[0]))
    port = chosen.port or free_port()
    options = {
        "port": port,
        "origins": chosen.origin,
        "token": chosen.token,
        "timeout_s": chosen.timeout_s,
        "test": chosen.test,
        # The server writes its log to standard output, where only the line `ready …` belongs.
        "ready_fd": os.dup(1),
    }
    os.set_inheritable(options["ready_fd"], True)
    os.dup2(2, 1)
    environment = {
        "COUNTERSIGN_OPTIONS": json.dumps(options),
        "PYTHONPATH": LIB,
        # Nothing here asks the network for anything.
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "LANGGRAPH_NO_VERSION_CHECK": "true",
        "LANGSMITH_TRACING": "false",
    }
    if chosen.state:
        environment["COUNTERSIGN_STATE"] = str(chosen.state)
    # The server keeps its files in the folder in which it runs.
    os.chdir(chosen.state or folder_until_the_end())
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--config", str(CONFIG), "--host", "127.0.0.1"]
    command += ["--port", str(port), "--no-browser", "--no-reload", "--server-log-level", "ERROR"]
    # One thread's run does not wait for another's.
    command += ["--n-jobs-per-worker", "10"]
    os.execve(command[0], command, {**os.environ, **environment})


if __name__ == "__main__":
    main()
