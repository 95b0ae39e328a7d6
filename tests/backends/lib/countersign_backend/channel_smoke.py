"""Smoke tests of what every backend on a channel does alike. `yes` and `no` are its words for approve and reject."""

import hashlib
import inspect
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from countersign_backend.channel import Client
from countersign_backend.http_smoke import ORIGIN
from countersign_backend.smoke import Talk, closed

Answer = dict[str, str]


def shared_tests(yes: Answer, no: Answer) -> dict[str, Callable[[Talk], None]]:
    """The tests below, by name."""
    found = {name: test for name, test in globals().items() if name.startswith("test_")}
    words = {"yes": yes, "no": no}
    return {name: partial(test, **_wanted(test, words)) for name, test in found.items()}


def _wanted(test: Callable, words: dict[str, Answer]) -> dict[str, Answer]:
    return {name: word for name, word in words.items() if name in inspect.signature(test).parameters}


def test_pending_is_the_request_that_was_sent(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete")
    request = page.until("approval_request")
    assert talk.pending() == {request["id"]: request}


def test_closing_the_page_decides_nothing(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a")
    page.until("approval_request")
    page.close()
    time.sleep(0.2)
    assert len(talk.pending()) == 1 and talk.executed() == []


def test_conversations_do_not_mix(talk: Talk) -> None:
    others = [Talk(talk.backend) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: pair[1].say(f"read path=/{pair[0]}"), enumerate(others)))
    for at, other in enumerate(others):
        other.ended()
        assert other.executed() == [("read_file", f'{{"path":"/{at}"}}')]


def test_the_end_of_a_run_is_told_also_where_it_cannot_be_written(talk: Talk) -> None:
    client = Client(talk.client, dialect=None, store=None)
    client.end({"type": "run_finished", "run": "r1", "answer": "half a character: \ud800"})
    client.end({"type": "run_finished", "run": "r2", "answer": float("nan")})
    assert [(message["type"], message["run"]) for message in client.log] == [("run_failed", "r1"), ("run_failed", "r2")]


def test_r50_requests_of_other_clients_cannot_be_answered_over_a_socket(talk: Talk, yes: Answer) -> None:
    talk.say("delete path=/a")
    request = talk.wait_pending(1)[0]
    stranger = Talk(talk.backend)
    page = stranger.page()
    page.answer(request, **yes)
    assert page.until("approval_error")["status"] == 404
    assert [message["type"] for message in page.seen] == ["hello", "approval_error"]
    stranger.close()
    assert talk.pending() and talk.executed() == []


def test_r50_digest_of_other_arguments_is_refused(talk: Talk, yes: Answer) -> None:
    talk.say('delete path="/ü"')
    request = talk.wait_pending(1)[0]
    for text, status in (('{"path":"/u"}', 422), ('{"path":"/ü"}', 200)):
        digest = hashlib.sha256(text.encode()).hexdigest()
        assert talk.post(request["id"], {**yes, "args_digest": digest}).status_code == status
    talk.ended()
    assert len(talk.executed()) == 1


def test_failed_send_runs_nothing_and_a_lost_reply_runs_once(talk: Talk, yes: Answer, no: Answer) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = Talk(talk.backend)
        other.say("delete path=/a")
        request = other.wait_pending(1)[0]
        other.fail_next(when)
        failed = other.post(request["id"], yes, **{"Idempotency-Key": "k1"})
        assert failed.status_code == 503 and failed.headers["access-control-allow-origin"] == ORIGIN
        assert len(other.pending()) == 1 - runs
        again = other.post(request["id"], yes, **{"Idempotency-Key": "k1"})
        assert again.json() == {"status": "accepted", "id": request["id"], **yes}
        assert other.post(request["id"], no, **{"Idempotency-Key": "k1"}).status_code == 409
        assert other.post(request["id"], yes, **{"Idempotency-Key": "k2"}).status_code == 409
        other.ended()
        assert len(other.executed()) == 1


def test_lost_connection_runs_nothing_or_once(talk: Talk, yes: Answer) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = Talk(talk.backend)
        page = other.page()
        other.say("delete path=/a")
        request = page.until("approval_request")
        other.fail_next(when)
        page.answer(request, **yes)
        assert closed(page) and all(message["type"] != "approval_resolved" for message in page.seen)
        again = other.page()
        assert again.next()["type"] == "hello"
        if not runs:
            assert again.next() == request
            again.answer(request, **yes)
        other.ended()
        again.answer(request, **yes)
        assert again.until("approval_error")["detail"] == f"already decided: {next(iter(yes.values()))}"
        assert len(other.executed()) == 1
        other.close()
