"""A real Haystack agent behind web sockets and HTTP on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/haystack.txt   (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/haystack.py --port 8084 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8084` when it accepts connections (and `token …` before it, if none was given). Every
request needs the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`; a web socket, for which a page cannot
set headers, as the subprotocols `countersign` and `token.…`, or as `?token=`.

    WS   /ws/{client}                    `hello`, open requests, then everything as it happens; takes answers
    GET  /approvals/pending?client_id=   open requests: {id: request}
    POST /approvals/{id}                 {"action": "confirm" | "reject" | "modify", "feedback", "new_tool_params"}
    GET  /history/{client}               every message sent to that client, without `hello`
    POST /run/{client}                   {"text": …, "policy": "always" | "never" | "once"}
    GET  /executed?context=…             what ran: [{"context", "agent", "tool", "args"}], `args` as JSON text
    GET  /model?context=…                what the model was told: [{"context", "agent", "tool", "response"}], likewise
    POST /test/fail-next                 with --test: the next answers fail; in the query `count` (1), `status` (503),
                                         `when` (`before` they are read, or `after` they ran), `context` (any);
                                         a web socket is closed instead

A context is a client. `lib/countersign_backend/haystack_hosts.py` has the routes for the shapes of other hosts.

The words of a message choose the calls: `delete`, `transfer`, `email` (asked about), `read` (not asked about),
`invent` (a tool that does not exist); `key=value` behind a word sets its arguments. `delete path=/a then delete
path=/b` makes two calls in one turn; `later` begins the next turn; `delete path=/missing` fails and `delete
path=/hang` never ends; `crash` makes the model fail. Default arguments are in `turns.py`. `askonce` and `neverask`
anywhere choose the policy as the member `policy` does, which is `always` else. That is for tests: on a server of your
own the page must have no say in what it is asked about.

`--timeout-s` ends a request that nobody answers: it is refused, and told as a time-out. With `--state FOLDER` a pause
outlives the server: the same requests, under the same ids, with what is left of their time; see `Run` and
`ResumedChatGenerator`. A run that was interrupted while its tools ran is failed, and nothing of it is repeated. What
`once` remembers is lost with the process, so those calls are asked about again.
"""

import asyncio
import os
import sys
from pathlib import Path

# Python puts this file's folder first on its path, where `import haystack` would find this file and not the framework.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# Haystack reports its use to its makers unless told otherwise.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.hooks.human_in_the_loop import AlwaysAskPolicy, AskOncePolicy, NeverAskPolicy
from haystack.version import __version__

from countersign_backend.channel import Channel, Client, Message, Refused
from countersign_backend.channel_app import channel_app
from countersign_backend.channel_store import Store
from countersign_backend.haystack_agent import Run, drive
from countersign_backend.haystack_answer import dialect
from countersign_backend.haystack_hosts import host_routes, listen, sends
from countersign_backend.ledger import Ledger
from countersign_backend.script import plain_words
from countersign_backend.serve import command_line, read_options, serve

RULES = ("always", "never", "once")


class Runs:
    """Begins runs, and takes up those that a restart interrupted."""

    def __init__(self, channel: Channel, ledger: Ledger) -> None:
        self._channel = channel
        self._ledger = ledger
        self._once: dict[str, AskOncePolicy] = {}
        self._tasks: set[asyncio.Task] = set()

    def start(self, client: Client, body: Message) -> None:
        """Begins a run for the words of a person."""
        text, rule = body.get("text"), body.get("policy", "always")
        if not isinstance(text, str) or rule not in RULES or body.keys() - {"text", "policy"}:
            raise Refused(422, f"needed is `text`, and `policy` may be one of {list(RULES)}")
        words = plain_words(text)
        rule = "once" if "askonce" in words else "never" if "neverask" in words else rule
        self._drive(self._run(client, text, rule))

    def take_up(self) -> None:
        """Continues what waited when the server stopped, and ends the rest."""
        for client in self._channel.clients:
            for noted in list(client.runs.values()):
                run = self._run(client, noted["text"], noted["rule"])
                run.take_up(noted)
                if noted["stage"] == "asking":
                    self._drive(run)
                else:
                    run.forget()
                    error = "the server was restarted; nothing is repeated"
                    client.publish({"type": "run_failed", "run": run.id, "error": error})

    def _run(self, client: Client, text: str, rule: str) -> Run:
        # One memory for each client. The library's own is one for all users of an agent: what one of them confirmed
        # would run unasked for the others.
        once = self._once.setdefault(client.id, AskOncePolicy())
        policy = {"always": AlwaysAskPolicy(), "never": NeverAskPolicy(), "once": once}[rule]
        return Run(client, text, rule, policy, self._channel.timeout)

    def _drive(self, run: Run) -> None:
        task = asyncio.create_task(drive(run, self._ledger))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def main() -> None:
    """Starts the server and stays until it is told to stop."""
    options = read_options(command_line(__doc__.splitlines()[0]))
    store = Store(options.state) if options.state else None
    channel = Channel(dialect(__version__), options.timeout_s, store)
    ledger = Ledger()
    runs = Runs(channel, ledger)

    def build(port: int):
        more = host_routes(channel)
        return channel_app(options, port, channel, ledger, runs.start, runs.take_up, more, listen, sends)

    serve(options, build)


if __name__ == "__main__":
    main()
