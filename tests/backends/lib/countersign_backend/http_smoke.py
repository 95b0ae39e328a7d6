"""What the smoke tests of all backends share: a running backend, what must be refused, a test runner."""

import json
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

ORIGIN = "http://127.0.0.1:5173"
TOKEN = "smoke-token"
BIG = 2512292042121000001
"""Larger than 2^53: who reads it as a double sees other digits."""


class Backend:
    """A running backend; `script` is its file."""

    def __init__(self, script: Path, *options: str) -> None:
        command = [sys.executable, str(script), "--port", "0", "--origin", ORIGIN, "--token", TOKEN, "--test", *options]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        assert line.startswith("ready "), f"the backend said {line!r}"
        self.url = line.removeprefix("ready ").strip()
        headers = {"X-Countersign-Token": TOKEN, "Origin": ORIGIN}
        self.http = httpx.Client(base_url=self.url, timeout=30, headers=headers)

    def executed(self, context: str) -> list[tuple[str, str]]:
        """What ran in one conversation, as `(tool, argument text)`."""
        entries = self.http.get("/executed", params={"context": context}).json()
        return [(entry["tool"], entry["args"]) for entry in entries]

    def told(self, context: str) -> list[tuple[str, str]]:
        """Which outcomes the model was told, as `(tool, text)`."""
        entries = self.http.get("/model", params={"context": context}).json()
        return [(entry["tool"], entry["response"]) for entry in entries]

    def fail_next(self, **plan) -> None:
        """Plans a failure."""
        assert self.http.post("/test/fail-next", params=plan, json={}).status_code == 200

    def stop(self, kill: bool = False) -> None:
        """Ends the process: asked to, or as a power failure does."""
        self.http.close()
        (self._process.kill if kill else self._process.terminate)()
        self._process.wait(timeout=30)


def refused(answer: httpx.Response, status: int, words: str) -> None:
    """Demands a refusal that says so."""
    assert answer.status_code == status, (answer.status_code, answer.text)
    assert words in answer.json()["message"], answer.text


def events(response: httpx.Response) -> list[dict]:
    """What an answer streams."""
    assert response.status_code == 200, response.text
    lines = [line for line in response.text.splitlines() if line.startswith("data:")]
    return [json.loads(line.removeprefix("data:")) for line in lines]


def text_of(value: object) -> str:
    """`value` as compact JSON, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def check_headers(backend: Backend, path: str) -> None:
    """Demands that only this server's name, the listed origin, the token and JSON get through. Rule 50."""
    good = {"Content-Type": "application/json", "X-Countersign-Token": TOKEN}
    for headers, status in (
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "evil.example"}, 403),
        ({"X-Countersign-Token": "wrong"}, 401),
        ({"Content-Type": "text/plain"}, 415),
    ):
        # As a page sends it, and as a client that names no origin.
        for post in (backend.http.post, httpx.post):
            answer = post(backend.url + path, content=b"{}", headers={**good, **headers})
            assert answer.status_code == status, (headers, answer.status_code)
            assert status != 403 or "access-control-allow-origin" not in answer.headers
    assert httpx.get(f"{backend.url}/executed").status_code == 401


def check_preflight(backend: Backend, path: str) -> None:
    """Demands that browsers of the listed origin, and of no other, may send what a page sends."""
    for header in ("content-type", "idempotency-key"):
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": header}
        shared = httpx.options(backend.url + path, headers={**asked, "Origin": ORIGIN})
        assert shared.status_code == 204 and shared.headers["access-control-allow-origin"] == ORIGIN
        allowed = set(shared.headers["access-control-allow-headers"].split(", "))
        assert {"x-countersign-token", "idempotency-key"} <= allowed
        foreign = httpx.options(backend.url + path, headers={**asked, "Origin": "http://evil.example"})
        assert foreign.status_code == 403 and "access-control-allow-origin" not in foreign.headers


def check_fence(backend: Backend, path: str) -> None:
    """Both, and that a token in the header of other clients is as good."""
    check_headers(backend, path)
    check_preflight(backend, path)
    bearer = httpx.get(f"{backend.url}/executed", headers={"Authorization": f"Bearer {TOKEN}"})
    assert bearer.status_code == 200
    # Named once: browsers refuse an answer in which two layers have both named an origin.
    assert backend.http.get("/executed").headers.get_list("access-control-allow-origin") == [ORIGIN]


def run_tests(tests: dict[str, Callable], script: Path, talk: Callable[[Backend], object], at_once: int = 1) -> int:
    """Runs the functions named `test_…` on one backend, each with a conversation of its own; the exit code.

    Words on the command line choose the tests whose names contain them all.
    """
    chosen = [name for name in tests if name.startswith("test_") and all(word in name for word in sys.argv[1:])]
    backend = Backend(script)

    def passes(name: str) -> bool:
        try:
            tests[name](talk(backend))
            print(f"ok      {name}", flush=True)
            return True
        except Exception:
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
            return False

    try:
        with ThreadPoolExecutor(at_once) as pool:
            results = list(pool.map(passes, chosen))
    finally:
        backend.stop()
    passed, failed = sum(results), len(results) - sum(results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0
