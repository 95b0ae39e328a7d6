"""Drives `haystack.py` through every flow and refusal, over HTTP and web sockets as a page would.

Run it with the Python of the backend's environment: `.venv/bin/python tests/backends/haystack_smoke.py [WORD…]`, where
words choose the tests whose names contain them all.
Ends with the line `N passed, N failed`.
"""

import asyncio
import json
import os
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Python puts this file's folder first on its path, where `import haystack` would find the backend.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")
# Haystack reports its use to its makers unless told otherwise.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

from haystack.hooks.human_in_the_loop import AlwaysAskPolicy
from haystack.tools import create_tool_from_function

from countersign_backend.channel import Channel
from countersign_backend.channel_smoke import shared_tests
from countersign_backend.haystack_agent import PageStrategy, Run
from countersign_backend.haystack_answer import dialect
from countersign_backend.http_smoke import BIG, Backend, text_of
from countersign_backend.smoke import Talk, guards, run_tests, socket_guards, wait_for
from countersign_backend.tools import delete_file

SCRIPT = Path(__file__).with_name("haystack.py")
CONFIRM = {"action": "confirm"}


def results(talk: Talk) -> dict[str, dict]:
    """Call id → result, from the messages of the run that ended."""
    parts = [part for message in talk.ended()["messages"] for part in message["content"]]
    found = [part["tool_call_result"] for part in parts if "tool_call_result" in part]
    return {result["origin"]["id"]: result for result in found}


def kinds(talk: Talk) -> list[str]:
    return [message["type"] for message in talk.history()]


def test_confirmed_call_runs_with_the_shown_arguments(talk: Talk) -> None:
    page = talk.page()
    assert page.next() == {"type": "hello", "system": "haystack", "version": "3.4.1", "client_id": talk.client}
    talk.say(f'transfer amount=10.25 to_account="DE 99 ü" reference={BIG}')
    request = page.until("approval_request")
    assert request["tool_name"] == "transfer_funds" and request["allowed_actions"] == ["confirm", "reject", "modify"]
    assert request["parameters"]["properties"]["reference"]["type"] == "integer" and request["timeout_s"] == 3600
    text = text_of(request["tool_params"])
    assert str(BIG) in text and talk.executed() == []
    page.answer(request, **CONFIRM)
    resolved = {"type": "approval_resolved", "id": request["id"], "action": "confirm", "reason": "answered"}
    assert page.next() == resolved
    decision = page.next()
    assert decision["type"] == "tool_execution_decision" and decision["tool_call_id"] == request["tool_call_id"]
    assert len(decision) == 6 and decision["execute"] is True and decision["feedback"] is None
    page.until("run_finished")
    assert talk.executed() == [("transfer_funds", text)]
    assert results(talk)[request["tool_call_id"]]["error"] is False


def test_rejection_reason_reaches_the_model(talk: Talk) -> None:
    page, reason = talk.page(), 'Nein, "nicht" {diese}\nDatei \u202e!'
    talk.say("delete path=/a")
    page.answer(page.until("approval_request"), action="reject", feedback=reason)
    page.until("run_finished")
    refusal = "Tool execution for 'delete_file' was rejected by the user. With user feedback: " + reason
    assert talk.told() == [("delete_file", refusal)] and talk.executed() == []


def test_rejection_without_reason_tells_the_own_sentence(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete")
    page.answer(page.until("approval_request"), action="reject")
    page.until("run_finished")
    assert talk.told() == [("delete_file", "Tool execution for 'delete_file' was rejected by the user.")]


def test_edited_arguments_run_exactly(talk: Talk) -> None:
    page = talk.page()
    talk.say(f"transfer reference={BIG}")
    request = page.until("approval_request")
    edited = {**request["tool_params"], "amount": 7.5}
    page.answer(request, action="modify", new_tool_params=edited, feedback="less")
    page.until("run_finished")
    assert talk.executed() == [("transfer_funds", text_of(edited))] and str(BIG) in talk.executed()[0][1]
    users = [message["content"][0]["text"] for message in talk.ended()["messages"] if message["role"] == "user"]
    assert users[1].endswith("With user feedback: less") and repr(edited) in users[1]


def test_two_equal_calls_are_decided_in_reverse(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a then delete path=/a")
    first, second = page.requests(2)
    assert first["tool_params"] == second["tool_params"] and first["tool_call_id"] != second["tool_call_id"]
    page.answer(second, action="reject", feedback="not the second")
    assert page.until("tool_execution_decision")["tool_call_id"] == second["tool_call_id"]
    assert list(talk.pending()) == [first["id"]] and talk.executed() == []
    page.answer(first, **CONFIRM)
    page.until("run_finished")
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]
    assert results(talk)[second["tool_call_id"]]["result"].endswith("not the second")
    assert results(talk)[first["tool_call_id"]]["error"] is False


def test_three_calls_are_decided_differently(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a then email to=bob@example.com then transfer amount=5.0")
    delete, email, transfer = page.requests(3)
    page.answer(transfer, action="modify", new_tool_params={**transfer["tool_params"], "currency": "USD"})
    page.answer(email, action="reject", feedback="Bob left")
    page.answer(delete, **CONFIRM)
    page.until("run_finished")
    assert [tool for tool, _ in talk.executed()] == ["delete_file", "transfer_funds"]
    assert '"currency":"USD"' in talk.executed()[1][1]
    assert dict(talk.told())["send_email"].endswith("Bob left")


def test_one_answer_does_not_count_for_two_calls_of_one_id(talk: Talk) -> None:
    async def ask(strategy: PageStrategy, path: str):
        call = {"tool_name": "delete_file", "tool_description": "", "tool_params": {"path": path}}
        return await strategy.run_async(**call, tool_call_id="call_0")

    async def both() -> list[object]:
        client = Channel(dialect("3"), None).client("c")
        # As with two agents that are tools of a third one, and with a later turn.
        run = Run(client, "", "always", AlwaysAskPolicy(), None)
        strategy = PageStrategy(run, create_tool_from_function(delete_file))
        first, second = (asyncio.create_task(ask(strategy, path)) for path in ("/a", "/b"))
        await asyncio.sleep(0)
        client.answer(*client.open, CONFIRM)
        return await asyncio.gather(first, second, ask(strategy, "/c"), return_exceptions=True)

    first, *others = asyncio.run(both())
    assert first.final_tool_params == {"path": "/a"}
    assert [type(other) for other in others] == [ValueError, ValueError]


def test_answers_over_rest(talk: Talk) -> None:
    talk.say("delete path=/a then delete path=/b")
    first, second = talk.wait_pending(2)
    receipt = talk.post(second["id"], {"action": "reject", "feedback": "no"})
    assert receipt.json() == {"status": "accepted", "id": second["id"], "action": "reject"}
    assert list(talk.pending()) == [first["id"]]
    assert talk.post(first["id"], CONFIRM).json()["status"] == "accepted"
    talk.ended()
    assert talk.pending() == {} and talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_ungated_and_invented_tools_are_not_asked_about(talk: Talk) -> None:
    talk.say("read path=/a then invent")
    found = {result["origin"]["tool_name"]: result for result in (talk.ended() and results(talk)).values()}
    assert talk.executed() == [("read_file", '{"path":"/a"}')]
    invented = found["no_such_tool"]
    assert invented["error"] and invented["result"].startswith("Tool 'no_such_tool' not found.")
    assert kinds(talk) == ["run_finished"]


def test_tool_that_fails_is_told_as_failed(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/missing")
    request = page.until("approval_request")
    page.answer(request, **CONFIRM)
    page.until("run_finished")
    result = results(talk)[request["tool_call_id"]]
    assert result["error"] and result["result"].startswith("Failed to invoke Tool `delete_file`")


def test_never_runs_unasked_and_says_so(talk: Talk) -> None:
    talk.say("delete path=/a", policy="never")
    talk.ended()
    assert kinds(talk) == ["tool_execution_decision", "run_finished"]
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_once_asks_once_for_the_same_arguments(talk: Talk) -> None:
    page = talk.page()
    talk.say("askonce: delete path=/a then delete path=/a later delete path=/b")
    page.answer(page.until("approval_request"), **CONFIRM)
    other = page.until("approval_request")
    assert other["tool_params"] == {"path": "/b"}
    assert [message["type"] for message in page.seen].count("tool_execution_decision") == 2
    page.answer(other, action="reject")
    page.until("run_finished")
    talk.say("delete path=/a", policy="once")
    page.until("run_finished")
    assert [args for _, args in talk.executed()] == ['{"path":"/a"}'] * 3


def test_once_does_not_remember_refusals_and_edits(talk: Talk) -> None:
    page = talk.page()
    talk.say("askonce delete path=/a later delete path=/a later delete path=/a")
    page.answer(page.until("approval_request"), action="reject")
    page.answer(page.until("approval_request"), action="modify", new_tool_params={"path": "/c"})
    page.answer(page.until("approval_request"), action="reject")
    page.until("run_finished")
    assert talk.executed() == [("delete_file", '{"path":"/c"}')]


def test_a_refusal_stands_although_another_run_learned_meanwhile(talk: Talk) -> None:
    page = talk.page()
    talk.say("askonce delete path=/a")
    first = page.until("approval_request")
    talk.say("askonce delete path=/a")
    second = page.until("approval_request")
    page.answer(first, **CONFIRM)
    page.until("run_finished")
    page.answer(second, action="reject")
    page.until("run_finished")
    assert len(talk.executed()) == 1


def test_nobody_answers_in_time(talk: Talk) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "0.6")
    try:
        late = Talk(backend)
        page = late.page()
        late.say("delete path=/a then delete path=/b")
        first, second = page.requests(2)
        assert first["timeout_s"] == 0.6
        page.answer(second, **CONFIRM)
        resolved = page.until("approval_resolved", id=first["id"])
        assert (resolved["action"], resolved["reason"]) == ("reject", "timeout")
        page.until("run_finished")
        page.answer(first, **CONFIRM)
        assert page.until("approval_error") == {
            "type": "approval_error",
            "id": first["id"],
            "status": 409,
            "detail": "already decided: timeout",
        }
        assert late.post(first["id"], CONFIRM).status_code == 409
        assert late.executed() == [("delete_file", '{"path":"/b"}')]
        late.close()
    finally:
        backend.stop()


def test_reload_shows_what_is_open_and_the_log_shows_the_rest(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a then delete path=/b")
    first, second = page.requests(2)
    assert talk.history() == [first, second]
    page.answer(first, action="reject")
    page.until("tool_execution_decision")
    page.close()
    again = talk.page()
    assert [again.next()["type"], again.next()] == ["hello", second]
    assert [message["type"] for message in talk.history()[2:]] == ["approval_resolved", "tool_execution_decision"]
    again.answer(second, **CONFIRM)
    again.until("run_finished")
    assert talk.history()[-1]["type"] == "run_finished"
    assert talk.get(f"/messages/{talk.client}").json() == talk.history()[-1]["messages"]
    last = talk.page()
    assert last.next()["type"] == "hello" and talk.pending() == {}


def restarted(flow, *options: str) -> None:
    """Runs `flow(talk)`. At each `yield` the server ends, killed the first time and asked to later, and starts anew."""
    with tempfile.TemporaryDirectory() as folder:
        backend = Backend(SCRIPT, "--state", folder, *options)
        try:
            talk = Talk(backend)
            for at, _ in enumerate(flow(talk)):
                talk.close()
                backend.stop(kill=at == 0)
                backend = talk.backend = Backend(SCRIPT, "--state", folder, *options)
        finally:
            backend.stop()


def test_pause_survives_a_restart(talk: Talk) -> None:
    def flow(talk: Talk):
        talk.say(f"read path=/r later delete path=/a then transfer reference={BIG} later delete path=/z")
        before = talk.wait_pending(2)
        history = talk.history()
        yield
        assert talk.wait_pending(2) == before and talk.history() == history
        page = talk.page()
        assert page.requests(2) == before
        page.answer(before[1], **CONFIRM)
        page.until("tool_execution_decision")
        yield
        page = talk.page()
        assert page.until("approval_request") == before[0] and list(talk.pending()) == [before[0]["id"]]
        assert talk.post(before[1]["id"], {"action": "reject"}).status_code == 409
        page.answer(before[0], action="reject", feedback="no")
        last = page.until("approval_request")
        page.answer(last, **CONFIRM)
        page.until("run_finished")
        # What ran before the first restart is not run again; what was decided before the second one ran once.
        assert [tool for tool, _ in talk.executed()] == ["transfer_funds", "delete_file"]
        assert str(BIG) in talk.executed()[0][1]
        assert kinds(talk).count("approval_request") == 3 and kinds(talk).count("tool_execution_decision") == 3
        assert [tool for tool, _ in talk.told()] == ["read_file", "delete_file", "transfer_funds", "delete_file"]

    restarted(flow)


def test_time_runs_on_during_a_restart(talk: Talk) -> None:
    def flow(talk: Talk):
        talk.say("delete path=/a")
        request = talk.wait_pending(1)[0]
        time.sleep(2)
        yield
        begun = time.time()
        talk.ended()
        left = max(request["created_at"] + 4 - begun, 0)
        assert time.time() - begun < left + 1
        assert talk.history()[1] == {
            "type": "approval_resolved",
            "id": request["id"],
            "action": "reject",
            "reason": "timeout",
        }
        assert talk.post(request["id"], CONFIRM).status_code == 409 and talk.executed() == []

    restarted(flow, "--timeout-s", "4")


def test_run_that_had_ended_stays_ended_after_a_restart(talk: Talk) -> None:
    def flow(talk: Talk):
        talk.say("delete path=/a")
        request = talk.wait_pending(1)[0]
        talk.post(request["id"], CONFIRM)
        talk.ended()
        history = talk.history()
        yield
        assert talk.history() == history and talk.pending() == {} and talk.executed() == []
        assert talk.post(request["id"], CONFIRM).json()["detail"] == "already decided: confirm"

    restarted(flow)


def test_interrupted_tools_are_not_run_again(talk: Talk) -> None:
    def flow(talk: Talk):
        talk.say("delete path=/hang")
        talk.post(talk.wait_pending(1)[0]["id"], CONFIRM)
        wait_for(talk.executed)
        yield
        assert talk.ended()["type"] == "run_failed" and "nothing is repeated" in talk.ended()["error"]
        assert talk.executed() == []

    restarted(flow)


def test_r50_second_answer_is_refused(talk: Talk) -> None:
    page, other = talk.page(), talk.page()
    talk.say("delete path=/a")
    request = page.until("approval_request")
    assert other.until("approval_request") == request
    page.answer(request, action="reject")
    assert other.until("approval_resolved")["action"] == "reject"
    other.answer(request, **CONFIRM)
    error = other.until("approval_error")
    assert (error["status"], error["detail"]) == (409, "already decided: reject")
    page.until("run_finished")
    assert all(message["type"] != "approval_error" for message in page.seen)
    assert talk.executed() == []


def test_r50_of_many_answers_at_once_one_counts(talk: Talk) -> None:
    talk.say("delete path=/a")
    request = talk.wait_pending(1)[0]
    pages = [talk.page() for _ in range(3)]
    start = threading.Barrier(6)

    def post(at: int) -> int:
        start.wait()
        if at < 3:
            pages[at].answer(request, action="modify", new_tool_params={"path": f"/{at}"})
            return 0
        return talk.post(request["id"], CONFIRM if at == 3 else {"action": "reject"}).status_code

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(post, range(6)))
    talk.ended()
    assert set(statuses) <= {0, 200, 409} and statuses.count(200) <= 1
    assert kinds(talk).count("approval_resolved") == 1 and kinds(talk).count("tool_execution_decision") == 1
    action = next(message["action"] for message in talk.history() if message["type"] == "approval_resolved")
    assert len(talk.executed()) == (action != "reject")


def test_r50_unknown_words_and_misfits_are_refused(talk: Talk) -> None:
    talk.say("transfer")
    request = talk.wait_pending(1)[0]
    params = request["tool_params"]
    for body, words in (
        ({"action": "cancel"}, "must be one of"),
        ({"action": "Reject"}, "must be one of"),
        ({"action": ["reject"]}, "must be one of"),
        ({}, "must be one of"),
        ({"action": "modify"}, "new_tool_params"),
        ({"action": "modify", "new_tool_params": {}}, "new_tool_params"),
        ({"action": "modify", "new_tool_params": None}, "new_tool_params"),
        ({"action": "modify", "new_tool_params": [1]}, "new_tool_params"),
        ({"action": "modify", "new_tool_params": {"amount": 5}}, "required"),
        ({"action": "modify", "new_tool_params": {**params, "amount": "5"}}, "/amount: "),
        ({"action": "modify", "new_tool_params": {**params, "a/b~": 1}}, "/a~1b~0: unknown argument"),
        ({"action": "confirm", "new_tool_params": {**params, "amount": 5}}, "no effect"),
        ({"action": "confirm", "feedback": "thanks"}, "no effect"),
        ({"action": "reject", "feedback": 1}, "feedback is text"),
    ):
        answer = talk.post(request["id"], body)
        assert answer.status_code == 422 and words in json.dumps(answer.json()["detail"]), (body, answer.text)
    half = '{"action":"reject","feedback":"\\ud800"}'
    for text in ('{"action":"reject","action":"confirm"}', "[]", "nonsense", '{"action":NaN}', half):
        headers = {"Content-Type": "application/json"}
        answer = talk.backend.http.post(f"/approvals/{request['id']}", content=text, headers=headers)
        assert answer.status_code == 422, (text, answer.text)
    assert talk.pending() == {request["id"]: request}
    assert talk.executed() == []


def test_r50_refusal_over_the_socket_leaves_the_request_open(talk: Talk) -> None:
    page, other = talk.page(), talk.page()
    talk.say("transfer")
    request = page.until("approval_request")
    page.answer(request, action="modify", new_tool_params={**request["tool_params"], "amount": "x", "pfad": 1})
    error = page.until("approval_error")
    assert error["status"] == 422 and error["detail"]["errors"][0].startswith("/amount: ")
    assert "/pfad: unknown argument" in error["detail"]["errors"]
    page.socket.send('{"type":"approval_response","id":1}')
    assert page.until("approval_error")["status"] == 404
    page.socket.send("[]")
    assert page.until("approval_error")["status"] == 422
    other.answer("00000000-0000-4000-8000-000000000000", **CONFIRM)
    assert other.until("approval_error")["status"] == 404
    page.answer(request, **CONFIRM)
    page.until("run_finished")
    assert len(talk.executed()) == 1


def test_r50_foreign_origin_host_and_token_are_refused(talk: Talk) -> None:
    guards(talk, "/approvals/x")
    socket_guards(talk)


def test_r50_nothing_is_decided_by_get(talk: Talk) -> None:
    talk.say("delete path=/a")
    request = talk.wait_pending(1)[0]
    assert talk.get(f"/approvals/{request['id']}", action="confirm").status_code == 405
    assert talk.get(f"/run/{talk.client}").status_code == 405
    assert talk.get("/approvals/pending").status_code == 422
    assert talk.pending() and talk.executed() == []


def test_crash_fails_the_run(talk: Talk) -> None:
    talk.say("crash")
    ended = talk.ended()
    assert ended == {"type": "run_failed", "run": ended["run"], "error": "RuntimeError: the scripted model failed"}


def test_arguments_that_are_not_json_are_not_asked_about(talk: Talk) -> None:
    talk.say("delete path=/a then transfer amount=NaN then delete path=/b")
    assert talk.ended()["type"] == "run_failed" and talk.pending() == {}
    time.sleep(0.3)
    assert talk.pending() == {} and "NaN" not in talk.get(f"/history/{talk.client}").text
    assert kinds(talk) == ["run_failed"] and talk.executed() == []


def test_minimal_host(talk: Talk) -> None:
    page = talk.page("?form=minimal")
    talk.say("delete path=/a")
    request = page.until("approval_request")
    assert sorted(request) == ["id", "tool_description", "tool_name", "tool_params", "type"]
    page.answer(request, **CONFIRM)
    page.until("run_finished")
    talk.say("crash")
    assert page.until("run_finished") == {"type": "run_finished", "error": "RuntimeError: the scripted model failed"}


def test_hayhooks_host(talk: Talk) -> None:
    http = talk.backend.http
    address = f"/hayhooks/{talk.client}"
    with http.stream("GET", address) as stream:
        events = (json.loads(line[5:]) for line in stream.iter_lines() if line.startswith("data:"))
        talk.say("delete path=/a then delete path=/missing")
        first, second = next(events), next(events)
        assert first == {
            "type": "tool_call_start",
            "tool_name": "delete_file",
            "arguments": {"path": "/a"},
            "id": first["id"],
        }
        for body, status in (
            ({"key": "tool_approval:nobody", "value": "approved"}, 404),
            ({"key": first["id"], "value": "approved"}, 404),
            ({"key": f"tool_approval:{first['id']}", "value": "yes"}, 422),
            ({"key": f"tool_approval:{first['id']}", "value": "rejected"}, 200),
            ({"key": f"tool_approval:{first['id']}", "value": "approved"}, 409),
            ({"key": f"tool_approval:{second['id']}", "value": "approved"}, 200),
        ):
            assert http.post(address, json=body).status_code == status, body
        assert next(events) == {"type": "tool_call_rejected", "tool_name": "delete_file", "id": first["id"]}
        assert next(events) == {"type": "tool_call_approved", "tool_name": "delete_file", "id": second["id"]}
        assert next(events)["type"] == "tool_call_error" and next(events)["type"] == "text"
    assert talk.executed() == [("delete_file", '{"path":"/missing"}')]


def test_snapshot_host(talk: Talk) -> None:
    http, address = talk.backend.http, f"/snapshot/{talk.client}"
    assert http.get(address).status_code == 404
    talk.say("delete path=/a then transfer then delete path=/b")
    talk.wait_pending(3)
    waiting = http.get(address).json()
    delete, transfer, other = waiting["tool_calls"]
    assert waiting["tool_descriptions"].keys() == {"delete_file", "transfer_funds"}

    def decision(call: dict, **members) -> dict:
        made = {"tool_name": call["tool_name"], "execute": True, "tool_call_id": call["id"], "feedback": None}
        return {**made, "final_tool_params": call["arguments"], **members}

    edited = {**transfer["arguments"], "amount": 1.5}
    refusal = decision(other, execute=False, feedback="no, thanks", final_tool_params=None)
    good = [decision(delete), decision(transfer, final_tool_params=edited, feedback="less"), refusal]
    for bad in (
        good[:2],
        [*good, good[0]],
        [good[0], good[1], good[1]],
        [good[0], good[1], {**refusal, "tool_call_id": None}],
        [good[0], good[1], {**refusal, "tool_name": "read_file"}],
        [good[0], good[1], {**refusal, "final_tool_params": {"path": "/b"}}],
        [good[0], decision(transfer, final_tool_params={}), refusal],
        [good[0], decision(transfer, execute="yes"), refusal],
        [{**good[0], "more": 1}, good[1], refusal],
    ):
        assert http.post(address, json=bad).status_code == 422, bad
    assert len(talk.pending()) == 3 and talk.executed() == []
    assert [receipt["action"] for receipt in http.post(address, json=good).json()] == ["confirm", "modify", "reject"]
    talk.ended()
    assert http.post(address, json=good).status_code == 409
    assert [args for _, args in talk.executed()] == ['{"path":"/a"}', text_of(edited)]
    assert results(talk)[other["id"]]["result"] == "no, thanks"


if __name__ == "__main__":
    own = {name: test for name, test in globals().items() if name.startswith("test_")}
    sys.exit(run_tests(SCRIPT, own | shared_tests(CONFIRM, {"action": "reject"})))
