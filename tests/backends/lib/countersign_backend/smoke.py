"""What the smoke tests of the channel backends share: a conversation, and a page on its web socket."""

import json
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from countersign_backend import http_smoke
from countersign_backend.http_smoke import ORIGIN, TOKEN, Backend, check_headers, check_preflight

PATIENCE = 15
"""Seconds until something that should have happened counts as missing."""


class Page:
    """One connection of a browser."""

    def __init__(self, backend: Backend, client: str, query: str = "", **options) -> None:
        address = f"{backend.url.replace('http', 'ws')}/ws/{client}{query}"
        given = {"origin": ORIGIN, "subprotocols": ["countersign", f"token.{TOKEN}"], **options}
        self.socket = connect(address, open_timeout=PATIENCE, **given)
        self.seen: list[dict] = []

    def next(self) -> dict:
        self.seen.append(json.loads(self.socket.recv(timeout=PATIENCE)))
        return self.seen[-1]

    def until(self, kind: str, **members) -> dict:
        """The next message of this type and with these members."""
        while True:
            message = self.next()
            if message["type"] == kind and all(message.get(name) == value for name, value in members.items()):
                return message

    def requests(self, count: int) -> list[dict]:
        return [self.until("approval_request") for _ in range(count)]

    def answer(self, request: dict | str, **members) -> None:
        identifier = request if isinstance(request, str) else request["id"]
        self.socket.send(json.dumps({"type": "approval_response", "id": identifier, **members}))

    def close(self) -> None:
        self.socket.close()


class Talk:
    """One conversation with a backend."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.client = f"smoke-{uuid.uuid4()}"
        self._pages: list[Page] = []

    def page(self, query: str = "", **options) -> Page:
        self._pages.append(Page(self.backend, self.client, query, **options))
        return self._pages[-1]

    def say(self, text: str, **members) -> None:
        answer = self.backend.http.post(f"/run/{self.client}", json={"text": text, **members})
        assert answer.status_code == 200, answer.text

    def get(self, path: str, **params) -> httpx.Response:
        return self.backend.http.get(path, params=params)

    def pending(self) -> dict[str, dict]:
        return self.get("/approvals/pending", client_id=self.client).json()

    def wait_pending(self, count: int) -> list[dict]:
        return wait_for(lambda: len(self.pending()) == count and [*self.pending().values()])

    def post(self, request: str, body: dict, **headers: str) -> httpx.Response:
        return self.backend.http.post(f"/approvals/{request}", json=body, headers=headers)

    def history(self) -> list[dict]:
        return self.get(f"/history/{self.client}").json()

    def ended(self) -> dict:
        """The message with which the latest run ended; waits for it."""
        ends = ("run_finished", "run_failed")
        return wait_for(lambda: next((each for each in reversed(self.history()) if each["type"] in ends), None))

    def executed(self) -> list[tuple[str, str]]:
        return self.backend.executed(self.client)

    def told(self) -> list[tuple[str, str]]:
        """Tool outcomes that the model was told, as text."""
        return [(tool, json.loads(response)) for tool, response in self.backend.told(self.client)]

    def fail_next(self, when: str, **params) -> None:
        self.backend.fail_next(when=when, context=self.client, **params)

    def close(self) -> None:
        for page in self._pages:
            page.close()


def wait_for(look: Callable[[], object]):
    """What `look` returns once it is something."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if found := look():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def refused_socket(backend: Backend, **options) -> None:
    """Opening a socket like this must fail before it is open."""
    try:
        Page(backend, "smoke-refused", **options)
    except InvalidStatus as error:
        assert error.response.status_code == 403, error.response.status_code
    else:
        raise AssertionError("the socket was opened")


def closed(page: Page) -> bool:
    """Whether the server ends this connection."""
    try:
        while True:
            page.next()
    except ConnectionClosed:
        return True
    except TimeoutError:
        return False


def guards(talk: Talk, decide_path: str) -> None:
    """Rule 50, for every route of a backend. `decide_path`: a route that takes answers."""
    check_headers(talk.backend, decide_path)
    check_preflight(talk.backend, decide_path)
    # A token in an address ends up in histories and logs; only sockets have no other place for it.
    assert httpx.get(f"{talk.backend.url}/executed?token={TOKEN}").status_code == 401


def socket_guards(talk: Talk) -> None:
    """The same for web sockets, for which browsers ask nobody before they open them."""
    refused_socket(talk.backend, origin="http://evil.example")
    refused_socket(talk.backend, subprotocols=["countersign", "token.wrong"])
    refused_socket(talk.backend, subprotocols=["countersign"])
    refused_socket(talk.backend, query="?token=wrong", subprotocols=None)
    page = talk.page(f"?token={TOKEN}", subprotocols=None)
    assert page.next()["type"] == "hello"
    assert talk.page().socket.subprotocol == "countersign"


def run_tests(script: Path, tests: dict[str, Callable[[Talk], None]]) -> int:
    """The runner of `http_smoke`, after each test of which all pages are closed."""

    def closed_after(test: Callable[[Talk], None]) -> Callable[[Talk], None]:
        def run(talk: Talk) -> None:
            with closing(talk):
                test(talk)

        return run

    return http_smoke.run_tests({name: closed_after(test) for name, test in tests.items()}, script, Talk)
