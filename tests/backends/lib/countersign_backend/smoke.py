"""What the smoke tests of the channel backends share: a running backend, a page on its web socket, a test runner."""

import json
import subprocess
import sys
import time
import traceback
import uuid
from collections.abc import Callable
from pathlib import Path

import httpx
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

ORIGIN = "http://127.0.0.1:5173"
TOKEN = "smoke-token"
BIG = 2512292042121000001
PATIENCE = 15
"""Seconds until something that should have happened counts as missing."""


class Backend:
    """A running backend."""

    def __init__(self, script: Path, *options: str) -> None:
        command = [sys.executable, str(script), "--port", "0", "--origin", ORIGIN, "--token", TOKEN, "--test", *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        assert line.startswith("ready "), f"the backend said {line!r}"
        self.url = line.removeprefix("ready ").strip()
        headers = {"X-Countersign-Token": TOKEN, "Origin": ORIGIN}
        self.http = httpx.Client(base_url=self.url, timeout=30, headers=headers)

    def stop(self, kill: bool = False) -> None:
        """Ends the process: asked to, or as a crash does."""
        self.http.close()
        (self._process.kill if kill else self._process.terminate)()
        self._process.wait(timeout=20)


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
        return [(entry["tool"], entry["args"]) for entry in self.get("/executed", context=self.client).json()]

    def told(self) -> list[tuple[str, str]]:
        """Tool outcomes that the model was told, as text."""
        entries = self.get("/model", context=self.client).json()
        return [(entry["tool"], json.loads(entry["response"])) for entry in entries]

    def fail_next(self, when: str, **params) -> None:
        planned = {"when": when, "context": self.client, **params}
        assert self.backend.http.post("/test/fail-next", params=planned, json={}).status_code == 200

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


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


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
    http, good = talk.backend.http, {"X-Countersign-Token": TOKEN}
    for headers, status in (
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"X-Countersign-Token": "wrong"}, 401),
        ({"Content-Type": "text/plain"}, 415),
    ):
        sent = {"Content-Type": "application/json", **good, **headers}
        answer = http.post(decide_path, content=b"{}", headers=sent)
        assert answer.status_code == status, (headers, answer.status_code)
        assert status != 403 or "access-control-allow-origin" not in answer.headers
    assert httpx.get(f"{talk.backend.url}/executed").status_code == 401
    # A token in an address ends up in histories and logs; only sockets have no other place for it.
    assert httpx.get(f"{talk.backend.url}/executed?token={TOKEN}").status_code == 401
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "idempotency-key"}
    allowed = httpx.options(talk.backend.url + decide_path, headers={**asked, "Origin": ORIGIN})
    assert allowed.status_code == 204 and allowed.headers["access-control-allow-origin"] == ORIGIN
    assert "idempotency-key" in allowed.headers["access-control-allow-headers"]
    foreign = httpx.options(talk.backend.url + decide_path, headers={**asked, "Origin": "http://evil.example"})
    assert foreign.status_code == 403 and "access-control-allow-origin" not in foreign.headers


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
    """Runs the tests against one backend; words on the command line choose those whose names contain them all."""
    backend, failed, passed = Backend(script), 0, 0
    try:
        for name, test in tests.items():
            if any(word not in name for word in sys.argv[1:]):
                continue
            talk = Talk(backend)
            try:
                test(talk)
                passed += 1
                print(f"ok      {name}", flush=True)
            except Exception:
                failed += 1
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            finally:
                talk.close()
    finally:
        backend.stop()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
