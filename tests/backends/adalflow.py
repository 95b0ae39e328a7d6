"""A real AdalFlow agent behind web sockets and HTTP on 127.0.0.1, with a model that follows a script.

Install:  python3 -m venv .venv && .venv/bin/pip install -r tests/backends/adalflow.txt    (Python 3.11 or newer)
Start:    .venv/bin/python tests/backends/adalflow.py --port 8085 --origin http://127.0.0.1:8080 --token secret

Prints `ready http://127.0.0.1:8085` when it accepts connections (and `token …` before it, if none was given). Every
request needs the token, as `Authorization: Bearer …` or `X-Countersign-Token: …`; a web socket, for which a page cannot
set headers, as the subprotocols `countersign` and `token.…`, or as `?token=`.

    WS   /ws/{client}                    `hello`, open requests, then everything as it happens; takes answers
    GET  /approvals/pending?client_id=   open requests: {id: request}
    POST /approvals/{id}                 {"outcome": "proceed_once" | "proceed_always" | "cancel"}, or
                                         {"outcome": "modify", "kwargs": …}, with `args` if the call had any
    GET  /history/{client}               every message sent to that client, without `hello`
    POST /run/{client}                   {"text": …, "shipped": false}
    GET  /executed?context=…             what ran: [{"context", "agent", "tool", "args"}], `args` as JSON text
    GET  /model?context=…                what the model was told: [{"context", "agent", "tool", "response"}], likewise
    POST /test/fail-next                 with --test: the next answers fail; in the query `count` (1), `status` (503),
                                         `when` (`before` they are read, or `after` they ran), `context` (any);
                                         a web socket is closed instead

A context is a client. With `"shipped": true` the run asks through the library's own FastAPI handler instead; its routes
are in `lib/countersign_backend/adalflow_shipped.py`, and the stream events still go to the client's sockets and log.

The words of a message choose the calls, one for each step of the agent: `delete`, `transfer`, `email` (asked
about), `read` (not asked about), `clarify` (a question to the person), `invent` (a tool that does not exist);
`key=value` behind a word sets its arguments, and `positional` behind it gives them by position. `delete path=/a
then delete path=/b` makes two calls, one after the other; `beside` begins a run of its own, so that `delete path=/a
beside delete path=/b` asks about both at once. `delete path=/missing` fails, `delete path=/hang` never ends, and
`crash` makes the model fail. `shipped` anywhere is the same as the member. Default arguments are in `turns.py`.

`--timeout-s` ends a request that nobody answers: it is cancelled, and told as a time-out. `--block TOOL`, repeatable:
a tool that never runs.

The library cannot take up a run in the middle. So with `--state FOLDER` a restarted server knows what was open, tells
every page that its time is up and that the run failed, and refuses late answers; nothing of it runs. What is always
allowed is lost with the process, so those tools are asked about again.
"""

import asyncio
import re
import sys
from pathlib import Path

# Python puts this file's folder first on its path, where `import adalflow` would find this file and not the framework.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")

import tiktoken

# AdalFlow loads a table for counting tokens from the network while it is imported. One token a byte will do here.
tiktoken.get_encoding = lambda name: tiktoken.Encoding(
    name=name, pat_str=r"[\s\S]", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
)

from countersign_backend.adalflow_agent import drive
from countersign_backend.adalflow_answer import dialect
from countersign_backend.adalflow_permissions import PagePermissions, ShippedPermissions
from countersign_backend.adalflow_shipped import PREFIX, shipped_owner, shipped_routes
from countersign_backend.channel import Channel, Client, Message, Refused
from countersign_backend.channel_app import channel_app
from countersign_backend.channel_store import Store
from countersign_backend.faults import NO_SEND
from countersign_backend.ledger import Ledger
from countersign_backend.script import plain_words
from countersign_backend.serve import command_line, read_options, serve


class Runs:
    """Begins runs. Each client has permissions of its own, so that what one allows for ever is not allowed to all."""

    def __init__(self, timeout: float | None, store: Store | None, blocked: list[str]) -> None:
        self.channel = Channel(dialect(self.always), timeout, store)
        self.ledger = Ledger()
        self._blocked = blocked
        self._always: dict[str, set[str]] = {}
        self._shipped: dict[str, ShippedPermissions] = {}
        self._tasks: set[asyncio.Task] = set()

    def always(self, client: Client) -> set[str]:
        """The tools that a client is asked about no more."""
        return self._always.setdefault(client.id, set())

    def page(self, client: Client) -> PagePermissions:
        """Who is asked on our channel in one run."""
        page = PagePermissions(client, self.channel.timeout, self.always(client))
        page.blocked_tools.update(self._blocked)
        return page

    def shipped(self, client: Client) -> ShippedPermissions:
        """Who is asked through the library's handler."""
        if client.id not in self._shipped:
            self._shipped[client.id] = ShippedPermissions(self.channel.timeout)
            self._shipped[client.id].blocked_tools.update(self._blocked)
        return self._shipped[client.id]

    def start(self, client: Client, body: Message) -> None:
        """Begins a run, or several, for the words of a person."""
        text, shipped = body.get("text"), body.get("shipped", False)
        if not isinstance(text, str) or not isinstance(shipped, bool) or body.keys() - {"text", "shipped"}:
            raise Refused(422, "needed is `text`, and `shipped` may be true")
        shipped = shipped or "shipped" in plain_words(text)
        for part in re.split(r"\bbeside\b", text):
            permissions = self.shipped(client) if shipped else self.page(client)
            task = asyncio.create_task(drive(client, part, permissions, self.ledger))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def take_up(self) -> None:
        """Ends what was open when the server stopped."""
        for client in self.channel.clients:
            for request in list(client.open):
                client.expire(request)
            for identifier, noted in list(client.runs.items()):
                if noted["asked"]:
                    self.shipped(client).expired(noted["asked"])
                del client.runs[identifier]
                error = "the server was restarted; nothing is repeated"
                client.publish({"type": "run_failed", "run": identifier, "error": error})

    def sends(self, path: str) -> str | None | object:
        """The client whose answer a POST to the library's handler is, or `NO_SEND`."""
        if not path.startswith(PREFIX):
            return NO_SEND
        owner = shipped_owner(self._shipped.items, path.removeprefix(PREFIX).split("/")[1])
        return owner[0] if owner else None

    def routes(self) -> list:
        """The routes of the library's handler."""
        return shipped_routes(self._shipped.items)


def main() -> None:
    """Starts the server and stays until it is told to stop."""
    parser = command_line(__doc__.splitlines()[0])
    parser.add_argument("--block", action="append", default=[], metavar="TOOL", help="never runs; repeatable")
    options = read_options(parser)
    runs = Runs(options.timeout_s, Store(options.state) if options.state else None, options.block)

    def build(port: int):
        more = runs.routes()
        return channel_app(options, port, runs.channel, runs.ledger, runs.start, runs.take_up, more, sends=runs.sends)

    serve(options, build)


if __name__ == "__main__":
    main()
