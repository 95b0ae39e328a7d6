"""Open approvals, and the answers to them: the part between an agent that waits and the pages that decide.

Everything here happens on the event loop and nothing is awaited between looking at a request and settling it. That is
the whole protection against two answers at the same moment, so keep it when you copy this.
"""

import asyncio
import hashlib
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from countersign_backend.channel_store import Store
from countersign_backend.ledger import json_text

Message = dict[str, Any]


class Refused(Exception):
    """An answer that changes nothing. `detail` is a sentence, or `{"errors": [...]}`."""

    def __init__(self, status: int, detail: str | dict[str, list[str]]) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(frozen=True)
class Dialect:
    """The words in which one framework's channel differs from another's."""

    word: str
    """The member that carries the decision."""
    refusal: str
    """The decision that runs nothing; a time-out is told with it."""
    arguments: Callable[[Message], Any]
    """The arguments that a request shows."""
    check: Callable[[Message, Message], None]
    """Compares an answer with its request; raises `Refused` with 422."""
    hello: Callable[["Client"], Message]
    """What a new connection is told first."""


@dataclass
class Settlement:
    """How a request ended."""

    word: str
    reason: str
    """`answered` or `timeout`."""
    answer: Message
    """What the person sent; empty after a time-out."""
    key: str | None
    """The idempotency key it came under."""


class Client:
    """One conversation: its sockets, its open requests, and everything that was sent to it."""

    def __init__(self, identifier: str, dialect: Dialect, store: Store | None) -> None:
        self.id = identifier
        self.log: list[Message] = []
        self.open: dict[str, Message] = {}
        self.settled: dict[str, Settlement] = {}
        self.runs: dict[str, Message] = {}
        """What a restarted server must know about runs that have not ended; the agent writes it."""
        self._dialect = dialect
        self._store = store
        self._decided: dict[str, asyncio.Event] = {}
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._listeners: set[asyncio.Queue[Message]] = set()

    def listen(self) -> asyncio.Queue[Message]:
        """A queue of what a new connection must hear: a greeting, every open request unchanged, then what follows."""
        queue: asyncio.Queue[Message] = asyncio.Queue()
        for message in (self._dialect.hello(self), *self.open.values()):
            queue.put_nowait(message)
        self._listeners.add(queue)
        return queue

    def leave(self, queue: asyncio.Queue[Message]) -> None:
        """The connection has ended. Its requests stay open: closing a page decides nothing."""
        self._listeners.discard(queue)

    def publish(self, message: Message) -> None:
        """Sends a message to every connection and writes it into the log."""
        message = frozen(message)
        self.log.append(message)
        for queue in self._listeners:
            queue.put_nowait(message)
        self.save()

    def end(self, finished: Message) -> None:
        """Tells how a run ended, also where what came of it is not JSON: a tool may return half a character."""
        try:
            self.publish(finished)
        except ValueError as error:
            told = f"{type(error).__name__}: what came of the run cannot be written"
            self.publish({"type": "run_failed", "run": finished["run"], "error": told})

    async def ask(self, request: Message) -> Settlement:
        """Opens a request and waits for its end. A request that was open before a restart is taken up again."""
        identifier = request["id"]
        if identifier not in self.open and identifier not in self.settled:
            # What cannot be shown cannot be approved: this raises before anything is open.
            request = frozen(request)
            self.open[identifier] = request
            self.publish(request)
        if identifier in self.open:
            decided = self._decided.setdefault(identifier, asyncio.Event())
            self._start_timer(request)
            await decided.wait()
        return self.settled[identifier]

    def answer(self, identifier: str, answer: Message, key: str | None = None) -> Message:
        """Takes the first valid answer to an open request and returns the receipt.

        # Errors
        `Refused`: 404 for a request that never was, 409 for one that has ended, 422 for an answer that does not fit.
        The same answer under the same idempotency key gets its receipt again, because the first may have been lost.
        """
        earlier = self.settled.get(identifier)
        if earlier is not None:
            if key is not None and (earlier.key, earlier.answer) == (key, answer):
                return self._receipt(identifier, earlier.word)
            decided = "timeout" if earlier.reason == "timeout" else earlier.word
            raise Refused(409, f"already decided: {decided}")
        request = self.open.get(identifier)
        if request is None:
            raise Refused(404, "no such approval")
        self._check_digest(request, answer)
        self._dialect.check(request, answer)
        return self.accept(identifier, answer, key)

    def accept(self, identifier: str, answer: Message, key: str | None = None) -> Message:
        """Settles an open request with an answer that was checked already, and returns the receipt."""
        word = answer[self._dialect.word]
        self._settle(identifier, Settlement(word, "answered", answer, key))
        return self._receipt(identifier, word)

    def expire(self, identifier: str) -> None:
        """Ends a request that nobody answered. Never an approval, and never told as a person's refusal."""
        if identifier in self.open:
            self._settle(identifier, Settlement(self._dialect.refusal, "timeout", {}, None))

    def state(self) -> Message:
        """Everything a restarted server needs, as JSON."""
        settled = {identifier: asdict(settlement) for identifier, settlement in self.settled.items()}
        return {"id": self.id, "log": self.log, "open": self.open, "settled": settled, "runs": self.runs}

    def restore(self, state: Message) -> None:
        """Takes over what `state` returned."""
        self.log, self.open, self.runs = state["log"], state["open"], state["runs"]
        self.settled = {identifier: Settlement(**members) for identifier, members in state["settled"].items()}

    def save(self) -> None:
        """Writes the state down, if there is a folder for it."""
        if self._store is not None:
            self._store.write(self.id, self.state())

    def _settle(self, identifier: str, settlement: Settlement) -> None:
        del self.open[identifier]
        self.settled[identifier] = settlement
        if timer := self._timers.pop(identifier, None):
            timer.cancel()
        # Written down before the agent goes on: a server that dies now must not ask again for what was decided.
        resolved = {self._dialect.word: settlement.word, "reason": settlement.reason}
        self.publish({"type": "approval_resolved", "id": identifier, **resolved})
        if decided := self._decided.pop(identifier, None):
            decided.set()

    def _start_timer(self, request: Message) -> None:
        if request["timeout_s"] is not None and request["id"] not in self._timers:
            remaining = request["created_at"] + request["timeout_s"] - time.time()
            loop = asyncio.get_running_loop()
            self._timers[request["id"]] = loop.call_later(max(remaining, 0), self.expire, request["id"])

    def _receipt(self, identifier: str, word: str) -> Message:
        return {"status": "accepted", "id": identifier, self._dialect.word: word}

    def _check_digest(self, request: Message, answer: Message) -> None:
        """Optional, and worth sending: it ties the answer to the argument text that was on the screen."""
        digest = answer.get("args_digest")
        shown = hashlib.sha256(json_text(self._dialect.arguments(request)).encode()).hexdigest()
        if digest is not None and digest != shown:
            raise Refused(422, "decided on other arguments than those that would run")


class Channel:
    """All clients of a server."""

    def __init__(self, dialect: Dialect, timeout: float | None, store: Store | None = None) -> None:
        self.timeout = timeout
        """How long a request waits, in seconds; `None`: for ever."""
        self._dialect = dialect
        self._store = store
        self._clients: dict[str, Client] = {}
        for state in store.read() if store is not None else []:
            self.client(state["id"]).restore(state)

    @property
    def clients(self) -> list[Client]:
        """Every client that was seen."""
        return list(self._clients.values())

    def client(self, identifier: str) -> Client:
        """The client of this name; made if it is new."""
        if identifier not in self._clients:
            self._clients[identifier] = Client(identifier, self._dialect, self._store)
        return self._clients[identifier]

    def find(self, identifier: str) -> Client | None:
        """The client of this name, if it was seen. Reading makes none."""
        return self._clients.get(identifier)

    def owner(self, request: str) -> Client | None:
        """The client that a request was sent to."""
        return next((client for client in self.clients if request in client.open or request in client.settled), None)

    def answer(self, request: str, answer: Message, key: str | None = None) -> Message:
        """Takes an answer that names only its request; see `Client.answer`."""
        owner = self.owner(request)
        if owner is None:
            raise Refused(404, "no such approval")
        return owner.answer(request, answer, key)


def frozen(message: Message) -> Message:
    """A copy that the agent cannot change any more, exactly as it goes over the wire.

    # Errors
    `ValueError` for what is not JSON although Python would write it: `NaN`, infinity, half a character.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False)
    text.encode()
    return json.loads(text)


def new_id() -> str:
    """An id that nobody guesses: who knows it was shown the request."""
    return str(uuid.uuid4())
