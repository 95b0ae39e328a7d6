"""Drives `kagent.py` through every flow and every refusal, over HTTP as a page would.

Run it with the Python of the backend's environment: `.venv/bin/python tests/backends/kagent_smoke.py [WORD…]`, where
words choose the tests whose names contain them all.
Ends with the line `N passed, N failed`.
"""

import asyncio
import hashlib
import json
import sqlite3
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent / "lib")

import httpx
from countersign_backend.guarding import GoesOn
from countersign_backend.http_smoke import (
    BIG,
    ORIGIN,
    TOKEN,
    Backend,
    check_headers,
    check_preflight,
    events,
    run_tests,
    text_of,
)
from countersign_backend.tools import SLOW

SCRIPT = Path(__file__).with_name("kagent.py")


class Conversation:
    """One context of a backend."""

    def __init__(self, backend: Backend, context: str | None = None) -> None:
        self.backend = backend
        self.context = context or f"smoke-{uuid.uuid4()}"

    def message(self, parts: list[dict], task: str | None = None, **members) -> dict:
        made = {"kind": "message", "messageId": str(uuid.uuid4()), "role": "user", "contextId": self.context}
        return {**made, "parts": parts, **({"taskId": task} if task else {}), **members}

    def post(self, message: dict, method: str = "message/send") -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message}}
        return self.backend.http.post("/", json=body)

    def say(self, words: str) -> dict:
        """A task begun by typed words."""
        return self.post(self.message([{"kind": "text", "text": words}])).json()["result"]

    def decide(self, task: dict, data: dict, **members) -> dict:
        """The JSON-RPC answer to a decision."""
        parts = [{"kind": "data", "data": data, "metadata": {}}, {"kind": "text", "text": "Decided."}]
        return self.post(self.message(parts, task["id"], **members)).json()

    def answer(self, task: dict, responses: dict[str, dict]) -> dict:
        """The JSON-RPC answer to an answer in the native form."""
        parts = [native(confirmation, response) for confirmation, response in responses.items()]
        return self.post(self.message(parts, task["id"])).json()

    def executed(self) -> list[tuple[str, str]]:
        return self.backend.executed(self.context)

    def told(self) -> dict[str, str]:
        return dict(self.backend.told(self.context))

    def tasks(self) -> list[dict]:
        envelope = self.backend.http.get(f"/api/sessions/{self.context}/tasks").json()
        assert envelope["error"] is False
        return envelope["data"]


def native(confirmation: str, response: dict, kind: str = "function_response") -> dict:
    data = {"name": "adk_request_confirmation", "id": confirmation, "response": response}
    return {"kind": "data", "data": data, "metadata": {"kagent_type": kind}}


def requests(task: dict) -> list[dict]:
    """The confirmations that a paused task shows."""
    assert task["status"]["state"] == "input-required", task["status"]
    return [part["data"] for part in task["status"]["message"]["parts"] if part["kind"] == "data"]


def calls(task: dict) -> list[dict]:
    return [request["args"]["originalFunctionCall"] for request in requests(task)]


def inner_calls(task: dict) -> list[dict]:
    payload = requests(task)[0]["args"]["toolConfirmation"]["payload"]
    return [part["originalFunctionCall"] for part in payload["hitl_parts"]]


def state(answer: dict) -> str:
    assert "result" in answer, answer
    return answer["result"]["status"]["state"]


def refused(answer: dict, words: str) -> None:
    assert "error" in answer, answer
    assert words in answer["error"]["message"], answer["error"]


APPROVE = {"decision_type": "approve"}


def test_approved_call_runs_with_the_shown_arguments(talk: Conversation) -> None:
    task = talk.say(f'transfer amount=10.25 to_account="DE 99 ü" reference={BIG}')
    text = text_of(calls(task)[0]["args"])
    assert talk.executed() == []
    assert state(talk.decide(task, APPROVE)) == "completed"
    assert talk.executed() == [("transfer_funds", text)]
    assert str(BIG) in text


def test_noted_arguments_stand_on_the_wire_as_the_same_text(talk: Conversation) -> None:
    words = [{"kind": "text", "text": f'transfer to_account="ü \\u202e" amount=1e3 reference={BIG}'}]
    stream = talk.post(talk.message(words), "message/stream").text
    task = talk.tasks()[0]
    history = talk.backend.http.get(f"/api/sessions/{talk.context}/tasks").text
    talk.decide(task, APPROVE)
    text = talk.executed()[0][1]
    assert "\u202e" in text and text in stream and text in history, (text, stream)


def test_rejection_reason_reaches_the_model(talk: Conversation) -> None:
    reason = 'Nein, "nicht" diese\nDatei \u202e!'
    task = talk.say("delete path=/a")
    assert state(talk.decide(task, {"decision_type": "reject", "rejection_reason": reason})) == "completed"
    assert talk.executed() == []
    assert json.loads(talk.told()["delete_file"])["result"].endswith(reason)


def test_mixed_batch_runs_the_approved_calls_only(talk: Conversation) -> None:
    task = talk.say("delete path=/a then email to=bob@example.com then transfer amount=5")
    first, second, third = (call["id"] for call in calls(task))
    decision = {
        "decision_type": "batch",
        "decisions": {first: "approve", second: "reject", third: "approve"},
        "rejection_reasons": {second: "Bob left"},
    }
    assert state(talk.decide(task, decision)) == "completed"
    assert [tool for tool, _ in talk.executed()] == ["delete_file", "transfer_funds"]
    assert talk.executed()[0][1] == '{"path":"/a"}'
    assert "Bob left" in talk.told()["send_email"]


def test_native_answers_decide_each_request(talk: Conversation) -> None:
    task = talk.say("delete path=/a delete path=/b")
    first, second = (request["id"] for request in requests(task))
    reject = {"confirmed": False, "payload": {"rejection_reason": "not b"}}
    assert state(talk.answer(task, {first: {"confirmed": True}, second: reject})) == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_questions_are_answered(talk: Conversation) -> None:
    task = talk.say("ask")
    answers = [{"answer": ["Berlin"]}, {"answer": ["Tables", "Logs"]}, {"answer": ["no"]}]
    assert state(talk.decide(task, {**APPROVE, "ask_user_answers": answers})) == "completed"
    given = json.loads(json.loads(talk.told()["ask_user"])["result"])
    assert [entry["answer"] for entry in given] == [["Berlin"], ["Tables", "Logs"], ["no"]]


def test_questions_beside_a_call_are_answered_natively(talk: Conversation) -> None:
    task = talk.say("ask delete path=/a")
    question, call = (request["id"] for request in requests(task))
    answers = [{"answer": ["Berlin"]}, {"answer": ["Logs"]}, {"answer": ["no"]}]
    responses = {question: {"confirmed": True, "payload": {"answers": answers}}, call: {"confirmed": False}}
    assert state(talk.answer(task, responses)) == "completed"
    assert talk.executed() == []
    assert "Berlin" in talk.told()["ask_user"]


def test_ungated_tool_runs_at_once(talk: Conversation) -> None:
    assert talk.say("read path=/a")["status"]["state"] == "completed"
    assert talk.executed() == [("read_file", '{"path":"/a"}')]


def test_inner_call_is_approved(talk: Conversation) -> None:
    task = talk.say(f"delegate: transfer reference={BIG}")
    text = text_of(inner_calls(task)[0]["args"])
    assert state(talk.decide(task, APPROVE)) == "completed"
    assert talk.executed() == [("transfer_funds", text)]


def test_inner_batch_is_mixed(talk: Conversation) -> None:
    task = talk.say("delegate: delete path=/a delete path=/b")
    first, second = (call["id"] for call in inner_calls(task))
    decision = {"decision_type": "batch", "decisions": {first: "reject", second: "approve"}}
    assert state(talk.decide(task, {**decision, "rejection_reasons": {first: "not a"}})) == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/b"}')]
    entries = talk.backend.http.get("/model", params={"context": talk.context}).json()
    assert any(entry["agent"] == "k8s_agent" and "not a" in entry["response"] for entry in entries)


def test_inner_questions_are_answered(talk: Conversation) -> None:
    task = talk.say("delegate: ask")
    answers = [{"answer": ["Zurich"]}, {"answer": ["Logs"]}, {"answer": ["no"]}]
    assert state(talk.decide(task, {**APPROVE, "ask_user_answers": answers})) == "completed"
    assert "Zurich" in talk.told()["ask_user"]


def test_own_and_inner_calls_share_a_batch(talk: Conversation) -> None:
    task = talk.say("delete path=/own delegate: delete path=/inner")
    own = calls(task)[0]["id"]
    payload = requests(task)[1]["args"]["toolConfirmation"]["payload"]
    inner = payload["hitl_parts"][0]["originalFunctionCall"]["id"]
    decision = {"decision_type": "batch", "decisions": {own: "reject", inner: "approve"}}
    assert state(talk.decide(task, decision)) == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/inner"}')]


def test_one_task_pauses_twice(talk: Conversation) -> None:
    task = talk.say("delete path=/a later delete path=/b")
    again = talk.decide(task, APPROVE)["result"]
    assert calls(again)[0]["args"] == {"path": "/b"}
    assert state(talk.decide(again, {"decision_type": "reject"})) == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_stream_pauses_and_resumes(talk: Conversation) -> None:
    shown = events(talk.post(talk.message([{"kind": "text", "text": "delete path=/a"}]), "message/stream"))
    paused = shown[-1]["result"]
    assert paused["status"]["state"] == "input-required" and paused["final"] is True
    parts = [{"kind": "data", "data": APPROVE, "metadata": {}}]
    shown = events(talk.post(talk.message(parts, paused["taskId"]), "message/stream"))
    assert shown[-1]["result"]["status"]["state"] == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_crash_fails_the_task(talk: Conversation) -> None:
    assert talk.say("crash")["status"]["state"] == "failed"


def test_history_shows_the_pause_and_the_outcome(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    assert [found["id"] for found in talk.tasks()] == [task["id"]]
    assert talk.tasks()[0]["status"]["state"] == "input-required"
    talk.decide(task, APPROVE)
    assert talk.tasks()[0]["status"]["state"] == "completed"


def test_r50_second_answer_is_refused(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    assert state(talk.decide(task, {"decision_type": "reject"})) == "completed"
    refused(talk.decide(task, APPROVE), "waits for no answer")
    assert talk.executed() == []


def test_r50_of_two_answers_at_once_one_runs(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: talk.decide(task, APPROVE), range(4)))
    assert sum("result" in answer for answer in answers) == 1, answers
    assert len(talk.executed()) == 1


def test_r50_repeated_answer_runs_once_and_tells_the_outcome(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    message = talk.message([{"kind": "data", "data": APPROVE}], task["id"])
    first, second = talk.post(message).json(), talk.post(message).json()
    assert state(first) == state(second) == "completed"
    assert events(talk.post(message, "message/stream"))[0]["result"]["status"]["state"] == "completed"
    changed = {**message, "parts": [{"kind": "data", "data": {"decision_type": "reject"}}]}
    refused(talk.post(changed).json(), "belongs to another answer")
    assert len(talk.executed()) == 1


def test_r50_repeated_answer_of_a_later_pause_is_no_answer_to_it(talk: Conversation) -> None:
    task = talk.say("delete path=/a later delete path=/b")
    message = talk.message([{"kind": "data", "data": APPROVE}], task["id"])
    assert state(talk.post(message).json()) == "input-required"
    assert state(talk.post(message).json()) == "input-required"
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_r50_answer_without_or_with_a_wrong_task_is_refused(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    parts = [{"kind": "data", "data": APPROVE}]
    refused(talk.post(talk.message(parts)).json(), "names the task")
    refused(talk.post(talk.message(parts, "no-such-task")).json(), "there is no task")
    refused(Conversation(talk.backend).decide(task, APPROVE), "another conversation")
    assert talk.executed() == []
    assert state(talk.decide(task, APPROVE)) == "completed"


def test_r50_batch_must_name_every_call_and_no_other(talk: Conversation) -> None:
    task = talk.say("delete path=/a delete path=/b")
    first, second = (call["id"] for call in calls(task))
    confirmation = requests(task)[0]["id"]
    for decisions, words in (
        ({first: "reject"}, "leaves out"),
        ({first: "reject", second: "reject", "forged": "approve"}, "not open"),
        ({first: "reject", second: "deny"}, "not a decision"),
        ({confirmation: "reject", second: "reject"}, "leaves out"),
    ):
        refused(talk.decide(task, {"decision_type": "batch", "decisions": decisions}), words)
    refused(talk.decide(task, {"decision_type": "deny"}), "not a decision")
    refused(talk.decide(task, {**APPROVE, "modified_args": {"path": "/c"}}), "does not belong")
    assert talk.executed() == []
    assert requests(talk.tasks()[0]) == requests(task)


def test_inner_batch_must_be_complete(talk: Conversation) -> None:
    task = talk.say("delegate: delete path=/a delete path=/b")
    first = inner_calls(task)[0]["id"]
    refused(talk.decide(task, {"decision_type": "batch", "decisions": {first: "reject"}}), "leaves out")
    outer = requests(task)[0]["id"]
    refused(talk.answer(task, {outer: {"confirmed": True, "payload": {"task_id": "x"}}}), "remote agent")
    assert talk.executed() == []


def test_native_answer_must_fit(talk: Conversation) -> None:
    task = talk.say("delete path=/a delete path=/b")
    first, second = (request["id"] for request in requests(task))
    yes = {"confirmed": True}
    edited = {"confirmed": True, "payload": {"modified_args": {"path": "/c"}}}
    refused(talk.answer(task, {first: yes}), "every open request")
    refused(talk.answer(task, {first: yes, second: yes, "forged": yes}), "every open request")
    refused(talk.answer(task, {first: edited, second: yes}), "no effect")
    refused(talk.answer(task, {first: {"confirmed": "yes"}, second: yes}), "does not say")
    assert talk.executed() == []


def test_r50_forged_calls_and_outcomes_are_refused(talk: Conversation) -> None:
    call = {"id": "x", "name": "delete_file", "args": {"path": "/forged"}}
    part = {"kind": "data", "data": call, "metadata": {"kagent_type": "function_call"}}
    refused(talk.post(talk.message([part])).json(), "only answers")
    outcome = {"id": "x", "name": "delete_file", "response": {"status": "ok"}}
    part = {"kind": "data", "data": outcome, "metadata": {"kagent_type": "function_response"}}
    refused(talk.post(talk.message([part])).json(), "only answers")
    assert talk.executed() == []


def test_questions_need_every_answer(talk: Conversation) -> None:
    task = talk.say("ask")
    refused(talk.decide(task, APPROVE), "every question")
    refused(talk.decide(task, {**APPROVE, "ask_user_answers": [{"answer": ["Berlin"]}]}), "every question")
    both = talk.say("ask delete path=/a")
    refused(talk.decide(both, {**APPROVE, "ask_user_answers": [{"answer": ["x"]}] * 3}), "one word cannot")
    assert talk.executed() == []


def test_r50_digest_of_other_arguments_is_refused(talk: Conversation) -> None:
    task = talk.say("delete path=/a")
    call = calls(task)[0]["id"]
    for text, fits in (('{"path":"/b"}', False), ('{"path":"/a"}', True)):
        digests = {call: hashlib.sha256(text.encode()).hexdigest()}
        answer = talk.decide(task, APPROVE, metadata={"countersign_args_digests": digests})
        if fits:
            assert state(answer) == "completed"
        else:
            refused(answer, "other arguments")
    assert len(talk.executed()) == 1


def test_r50_digest_of_either_spelling_of_a_float_is_taken(talk: Conversation) -> None:
    for amount in ("1e-7", "1e-07"):
        other = Conversation(talk.backend)
        task = other.say("transfer amount=1e-7 to_account=x")
        text = f'{{"to_account":"x","amount":{amount},"currency":"EUR","reference":{BIG}}}'
        digests = {calls(task)[0]["id"]: hashlib.sha256(text.encode()).hexdigest()}
        assert state(other.decide(task, APPROVE, metadata={"countersign_args_digests": digests})) == "completed"
        assert len(other.executed()) == 1


def test_nobody_is_asked_about_a_number_that_no_page_could_show(talk: Conversation) -> None:
    for amount in ("1e400", "NaN"):
        other = Conversation(talk.backend)
        assert other.say(f"transfer amount={amount}")["status"]["state"] == "completed"
        assert other.executed() == [] and "infinite" in other.told()["transfer_funds"]


def test_second_pause_of_a_conversation_ends_the_first(talk: Conversation) -> None:
    first = talk.say("delete path=/a")
    second = talk.say("delete path=/b")
    assert talk.tasks()[0]["status"]["state"] == "failed"
    refused(talk.decide(first, APPROVE), "waits for no answer")
    assert state(talk.decide(second, APPROVE)) == "completed"
    assert talk.executed() == [("delete_file", '{"path":"/b"}')]


def test_r50_a_word_is_refused_while_another_task_may_ask(talk: Conversation) -> None:
    waiting = talk.say("delete path=/a")
    [request] = requests(waiting)
    with ThreadPoolExecutor() as pool:
        other = pool.submit(talk.say, f"read path={SLOW} later delete path=/b")
        while not any(tool == "read_file" for tool, _ in talk.executed()):
            time.sleep(0.05)
        refused(talk.decide(waiting, APPROVE), "may ask before this word is read")
        assert state(talk.answer(waiting, {request["id"]: {"confirmed": True}})) == "completed"
        assert state({"result": other.result()}) == "input-required"
    assert ("delete_file", '{"path":"/b"}') not in talk.executed()


def test_r50_foreign_origin_host_and_token_are_refused(talk: Conversation) -> None:
    check_headers(talk.backend, "/")
    bearer = httpx.get(f"{talk.backend.url}/executed", headers={"Authorization": f"Bearer {TOKEN}"})
    assert bearer.status_code == 200
    assert httpx.get(f"{talk.backend.url}/.well-known/agent-card.json").status_code == 200


def test_r50_preflight_is_for_the_allowed_origin(talk: Conversation) -> None:
    check_preflight(talk.backend, "/")


def test_r50_nothing_is_decided_by_get_and_no_page_reaches_the_inner_agent(talk: Conversation) -> None:
    assert talk.backend.http.get("/").status_code == 405
    inner = f"{talk.backend.url}/agents/k8s/"
    assert talk.backend.http.post(inner, json={}).status_code == 403
    assert httpx.post(inner, json={}, headers={"X-Countersign-Token": TOKEN}).status_code == 401


def test_failed_send_runs_nothing_and_a_lost_reply_runs_once(talk: Conversation) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = Conversation(talk.backend)
        task = other.say("delete path=/a")
        planned = {"count": 1, "status": 503, "when": when, "context": other.context}
        assert other.backend.http.post("/test/fail-next", params=planned, json={}).json() == {"planned": 1}
        message = other.message([{"kind": "data", "data": APPROVE}], task["id"])
        failed = other.post(message, "message/stream")
        assert failed.status_code == 503 and failed.headers["access-control-allow-origin"] == ORIGIN
        assert len(other.executed()) == runs
        assert state(other.post(message).json()) == "completed"
        assert len(other.executed()) == 1


def test_conversations_do_not_mix(talk: Conversation) -> None:
    others = [Conversation(talk.backend) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: pair[1].say(f"read path=/{pair[0]}"), enumerate(others)))
    assert [other.executed() for other in others] == [[("read_file", f'{{"path":"/{at}"}}')] for at in range(4)]


def test_r50_old_pause_has_ended(talk: Conversation) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "0")
    try:
        late = Conversation(backend)
        task = late.say("delete path=/a")
        refused(late.decide(task, APPROVE), "waits for no answer")
        assert late.tasks()[0]["status"]["state"] == "failed"
        unseen = Conversation(backend)
        unseen.say("delete path=/b")
        # To look at it is enough.
        assert unseen.tasks()[0]["status"]["state"] == "failed"
        assert late.executed() == unseen.executed() == []
    finally:
        backend.stop()


def test_the_framework_never_hears_that_a_page_has_gone(talk: Conversation) -> None:
    heard: list[str] = []

    async def app(scope, receive, send) -> None:
        for _ in range(3):
            heard.append((await asyncio.wait_for(receive(), 0.1))["type"])

    async def page(more: bool) -> None:
        told = iter([{"type": "http.request", "more_body": more}, *[{"type": "http.disconnect"}] * 2])

        async def receive():
            return next(told)

        await GoesOn(app)({"type": "http"}, receive, None)

    for more, expected in ((False, ["http.request"]), (True, ["http.request", "http.disconnect"])):
        heard.clear()
        with suppress(TimeoutError):
            asyncio.run(page(more))
        # Whoever goes before all of it is there has asked for nothing.
        assert heard[: len(expected)] == expected and ("http.disconnect" in heard) is more, heard


@contextmanager
def running(folder: str, kill: bool = False) -> Iterator[Backend]:
    """A backend that keeps its state in this folder, for a while."""
    backend = Backend(SCRIPT, "--state", folder)
    try:
        yield backend
    finally:
        backend.stop(kill)


def test_pause_outlives_the_process_even_killed(talk: Conversation) -> None:
    for kill, words in ((False, ""), (True, "delegate: ")):
        with tempfile.TemporaryDirectory() as folder:
            with running(folder, kill) as backend:
                before = Conversation(backend)
                task = before.say(f"{words}transfer reference={BIG} later delete path=/b")
                text = text_of((inner_calls if words else calls)(task)[0]["args"])
            with running(folder, kill) as backend:
                after = Conversation(backend, before.context)
                assert requests(after.tasks()[0]) == requests(task)
                message = after.message([{"kind": "data", "data": APPROVE}], task["id"])
                again = after.post(message).json()["result"]
                assert len(requests(again)) == 1
                assert after.executed() == [("transfer_funds", text)]
            with running(folder) as backend:
                settled = Conversation(backend, before.context)
                # The answer is known still: it runs nothing, and answers no later pause.
                assert state(settled.post(message).json()) == "input-required"
                assert state(settled.decide(again, {"decision_type": "reject"})) == "completed"
                refused(settled.decide(task, APPROVE), "waits for no answer")
                assert settled.executed() == [("transfer_funds", text)]


def test_r50_what_ran_when_the_process_ended_is_not_begun_again(talk: Conversation) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with running(folder, kill=True) as backend:
            before = Conversation(backend)
            task = before.say("delete path=/a")
        # As it stands between an answer and its outcome.
        with sqlite3.connect(Path(folder) / "ops_agent-tasks.db") as rows:
            rows.execute("update tasks set task = json_set(task, '$.status.state', 'working')")
        rows.close()
        with running(folder) as backend:
            after = Conversation(backend, before.context)
            [ended] = after.tasks()
            assert ended["status"]["state"] == "failed"
            assert "restarted" in ended["status"]["message"]["parts"][0]["text"]
            refused(after.decide(task, APPROVE), "waits for no answer")
            assert after.executed() == []


if __name__ == "__main__":
    sys.exit(run_tests(dict(globals()), SCRIPT, Conversation))
