"""Drives `adalflow.py` through every flow and refusal, over HTTP and web sockets as a page would.

Run it with the Python of the backend's environment: `.venv/bin/python tests/backends/adalflow_smoke.py [WORD…]`, where
words choose the tests whose names contain them all.
Ends with the line `N passed, N failed`.
"""

import hashlib
import json
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

# Python puts this file's folder first on its path, where `import adalflow` would find the backend.
sys.path[0] = str(Path(__file__).resolve().parent / "lib")

import httpx
import tiktoken

from countersign_backend.channel_smoke import shared_tests
from countersign_backend.http_smoke import BIG, Backend, text_of
from countersign_backend.smoke import Page, Talk, guards, run_tests, socket_guards, wait_for

SCRIPT = Path(__file__).with_name("adalflow.py")
ONCE = {"outcome": "proceed_once"}
ALWAYS = {"outcome": "proceed_always"}
CANCEL = {"outcome": "cancel"}
CANCELLED = "Tool execution cancelled by user"
SHIPPED = "/api/v1/approvals"


def event(page: Page, name: str) -> dict:
    """The next stream event of this name."""
    return page.until("run_item_stream_event", name=f"agent.{name}")["item"]


def names(talk: Talk) -> list[str]:
    return [message.get("name", message["type"]).removeprefix("agent.") for message in talk.history()]


def shipped(talk: Talk, count: int = 1) -> list[dict]:
    """What waits at the library's handler, once it is so many."""
    path, client = f"{SHIPPED}/pending", talk.client
    return wait_for(lambda: len(found := talk.get(path, client_id=client).json()) == count and found)


def approve(talk: Talk, request: dict | str, **members) -> httpx.Response:
    identifier = request if isinstance(request, str) else request["request_id"]
    return talk.backend.http.post(f"{SHIPPED}/{identifier}/approve", json={"request_id": identifier, **members})


def test_allowed_call_runs_with_the_shown_arguments(talk: Talk) -> None:
    page = talk.page()
    assert page.next() == {"type": "hello", "system": "adalflow", "client_id": talk.client, "always_allowed": []}
    talk.say(f'transfer amount=10.25 to_account="DE 99 ü" reference={BIG}')
    request = page.until("approval_request")
    assert request["tool"] == "transfer_funds" and request["args"] == [] and request["timeout_s"] == 3600
    assert request["allowed_outcomes"] == ["proceed_once", "proceed_always", "cancel", "modify"]
    assert request["parameters"]["properties"]["reference"] == {"type": "integer"}
    text = text_of(request["kwargs"])
    assert str(BIG) in text and talk.executed() == []
    page.answer(request, **ONCE)
    resolved = page.until("approval_resolved")
    assert resolved == {"type": "approval_resolved", "id": request["id"], "reason": "answered", **ONCE}
    assert event(page, "tool_call_start")["id"] == request["id"]
    finished = page.until("run_finished")
    assert finished == {"type": "run_finished", "answer": "Done.", "run": finished["run"]}
    assert talk.executed() == [("transfer_funds", text)]


def test_stream_events_name_the_request(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a")
    page.answer(page.until("approval_request"), **ONCE)
    page.until("run_finished")
    request = talk.history()[0]["id"]
    items = {message["name"]: message["item"] for message in talk.history() if "item" in message}
    raw = next(message for message in talk.history() if message["type"] == "raw_response_event")
    assert raw["data"]["id"] == items["agent.tool_permission_request"]["data"]["id"] == request
    assert items["agent.tool_permission_request"]["id"] != request
    assert items["agent.tool_call_start"]["id"] == items["agent.tool_call_complete"]["id"] == request
    assert items["agent.tool_call_complete"]["data"]["output"] == "Deleted /a."
    assert "agent.execution_complete" not in items


def test_always_is_not_asked_again(talk: Talk) -> None:
    page, other = talk.page(), Talk(talk.backend)
    talk.say("delete path=/a then delete path=/b then email")
    page.answer(page.until("approval_request"), **ALWAYS)
    request = page.until("approval_request")
    assert request["tool"] == "send_email"
    page.answer(request, **CANCEL)
    page.until("run_finished")
    assert [args for _, args in talk.executed()] == ['{"path":"/a"}', '{"path":"/b"}']
    talk.say("delete path=/c")
    page.until("run_finished")
    assert len(talk.executed()) == 3
    assert talk.page().next()["always_allowed"] == ["delete_file"]
    # What one client allows for ever is asked about elsewhere.
    other.say("delete path=/d")
    assert other.wait_pending(1)[0]["kwargs"] == {"path": "/d"}


def test_cancelled_call_does_not_run_and_the_model_is_told(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a")
    request = page.until("approval_request")
    page.answer(request, **CANCEL)
    assert event(page, "tool_call_complete")["data"]["output"]["status"] == "cancelled"
    page.until("run_finished")
    assert talk.told() == [("delete_file", CANCELLED)] and talk.executed() == []
    assert "tool_call_start" not in names(talk)


def test_edited_arguments_run_exactly(talk: Talk) -> None:
    page = talk.page()
    talk.say(f"transfer reference={BIG}")
    request = page.until("approval_request")
    edited = {**request["kwargs"], "amount": 7.5}
    page.answer(request, outcome="modify", kwargs=edited)
    assert event(page, "tool_call_start")["data"]["kwargs"] == edited
    assert event(page, "tool_call_complete")["data"]["input"]["kwargs"] == request["kwargs"]
    page.until("run_finished")
    assert talk.executed() == [("transfer_funds", text_of(edited))] and str(BIG) in talk.executed()[0][1]


def test_positional_arguments_are_shown_edited_and_run(talk: Talk) -> None:
    page = talk.page()
    talk.say("transfer positional then delete path=/a positional")
    request = page.until("approval_request")
    assert request["args"][3] == BIG and request["kwargs"] == {}
    for body, words in (
        ({"kwargs": {}}, "modify needs `args`"),
        ({"args": request["args"], "kwargs": {"amount": 1}}, "by position and by name"),
        ({"args": [*request["args"], 5], "kwargs": {}}, "at most 4"),
        ({"args": ["DE02", "much", "EUR", 1], "kwargs": {}}, "/amount: "),
        ({"args": {}, "kwargs": {}}, "a list"),
    ):
        answer = talk.post(request["id"], {"outcome": "modify", **body})
        assert answer.status_code == 422 and words in json.dumps(answer.json()["detail"]), (body, answer.text)
    edit = {"args": request["args"][:2], "kwargs": {"reference": BIG, "currency": "USD"}}
    page.answer(request, outcome="modify", **edit)
    page.answer(page.until("approval_request"), **ONCE)
    page.until("run_finished")
    expected = [("transfer_funds", text_of(edit)), ("delete_file", '{"args":["/a"],"kwargs":{}}')]
    assert talk.executed() == expected


def test_two_equal_calls_are_decided_in_reverse(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a beside delete path=/a")
    first, second = page.until("approval_request"), page.until("approval_request")
    assert first["kwargs"] == second["kwargs"] and first["id"] != second["id"]
    page.answer(second, **CANCEL)
    page.until("run_finished")
    assert list(talk.pending()) == [first["id"]] and talk.executed() == []
    page.answer(first, **ONCE)
    page.until("run_finished")
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]
    items = [message["item"] for message in page.seen if message.get("name") == "agent.tool_call_complete"]
    output = {item["id"]: item["data"]["output"] for item in items}
    assert output[first["id"]] == "Deleted /a." and output[second["id"]]["status"] == "cancelled"


def test_three_calls_are_decided_differently(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a beside email to=bob@example.com beside transfer amount=5.0")
    requests = {request["tool"]: request for request in page.requests(3)}
    transfer = requests["transfer_funds"]
    page.answer(transfer, outcome="modify", kwargs={**transfer["kwargs"], "currency": "USD"})
    page.answer(requests["send_email"], **CANCEL)
    page.answer(requests["delete_file"], **ONCE)
    for _ in range(3):
        page.until("run_finished")
    assert dict(talk.executed()).keys() == {"delete_file", "transfer_funds"}
    assert '"currency":"USD"' in dict(talk.executed())["transfer_funds"]
    assert dict(talk.told())["send_email"] == CANCELLED


def test_answers_over_rest(talk: Talk) -> None:
    talk.say("delete path=/a then delete path=/b")
    first = talk.wait_pending(1)[0]
    assert talk.post(first["id"], CANCEL).json() == {"status": "accepted", "id": first["id"], **CANCEL}
    second = wait_for(lambda: [each for each in talk.pending().values() if each["id"] != first["id"]])[0]
    assert talk.post(second["id"], ONCE).json()["status"] == "accepted"
    talk.ended()
    assert talk.pending() == {} and talk.executed() == [("delete_file", '{"path":"/b"}')]


def test_ungated_tool_runs_unasked_and_invented_tool_fails_the_run(talk: Talk) -> None:
    talk.say("read path=/a")
    talk.ended()
    assert talk.executed() == [("read_file", '{"path":"/a"}')]
    assert "tool_permission_request" not in names(talk) and "approval_request" not in names(talk)
    other = Talk(talk.backend)
    other.say("invent")
    assert other.ended()["type"] == "run_failed" and "no_such_tool" in other.ended()["error"]


def test_tool_that_fails_looks_like_one_that_returned_nothing(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/missing")
    page.answer(page.until("approval_request"), **ONCE)
    data = event(page, "tool_call_complete")["data"]
    assert data["output"] is None and data["error"] is None
    page.until("run_finished")
    assert talk.told() == [("delete_file", "None")]


def test_blocked_tool_never_runs(talk: Talk) -> None:
    backend = Backend(SCRIPT, "--block", "delete_file")
    try:
        for members in ({}, {"shipped": True}):
            blocked = Talk(backend)
            blocked.say("delete path=/a then read path=/b", **members)
            blocked.ended()
            assert blocked.executed() == [("read_file", '{"path":"/b"}')]
            assert blocked.told()[0] == ("delete_file", CANCELLED)
    finally:
        backend.stop()


def test_a_tool_of_another_agent_takes_no_approval_away(talk: Talk) -> None:
    # As in `adalflow.py`: nothing is loaded from the network.
    tiktoken.get_encoding = lambda name: tiktoken.Encoding(
        name=name, pat_str=r"[\s\S]", mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    from adalflow.components.agent import Agent, Runner
    from adalflow.core.func_tool import FunctionTool
    from countersign_backend.adalflow_agent import ScriptedModel
    from countersign_backend.adalflow_permissions import ShippedPermissions
    from countersign_backend.tools import delete_file

    shared, model = ShippedPermissions(None), {"model_client": ScriptedModel("", None), "model_kwargs": {"model": "x"}}
    for is_gated in (True, False):
        agent = Agent("demo", tools=[FunctionTool(delete_file, require_approval=is_gated)], use_cache=False, **model)
        Runner(agent=agent, permission_manager=shared)
    assert shared.is_approval_required("delete_file")


def test_what_ran_can_be_read_also_where_it_is_half_a_character(talk: Talk) -> None:
    talk.say('read path="/\\ud800"')
    talk.ended()
    assert talk.executed() == [("read_file", '{"path":"/\\ud800"}')]
    assert talk.told() == [("read_file", "This is what stands in /\ud800.")]
    assert talk.get("/executed").status_code == talk.get("/model").status_code == 200


def test_nobody_answers_in_time(talk: Talk) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "0.6")
    try:
        late = Talk(backend)
        page = late.page()
        late.say("delete path=/a")
        request = page.until("approval_request")
        assert request["timeout_s"] == 0.6
        resolved = page.until("approval_resolved")
        assert (resolved["outcome"], resolved["reason"]) == ("cancel", "timeout")
        page.until("run_finished")
        page.answer(request, **ALWAYS)
        error = page.until("approval_error")
        assert (error["status"], error["detail"]) == (409, "already decided: timeout")
        assert late.post(request["id"], ONCE).status_code == 409 and late.executed() == []
        assert late.page().next()["always_allowed"] == []
        late.close()
        polled = Talk(backend)
        polled.say("shipped delete path=/a")
        request = shipped(polled)[0]
        polled.ended()
        assert polled.get(f"{SHIPPED}/{request['request_id']}").json() == {**request, "status": "expired"}
        assert approve(polled, request, **ONCE).status_code == 400 and polled.executed() == []
    finally:
        backend.stop()


def test_reload_shows_what_is_open_and_the_log_shows_the_rest(talk: Talk) -> None:
    page = talk.page()
    talk.say("delete path=/a then delete path=/b")
    page.answer(page.until("approval_request"), **ONCE)
    second = page.until("approval_request")
    page.close()
    again = talk.page()
    assert [again.next()["type"], again.next()] == ["hello", second]
    assert [message for message in talk.history() if message["type"] == "approval_resolved"]
    again.answer(second, **CANCEL)
    again.until("run_finished")
    assert talk.history()[-1]["type"] == "run_finished" and talk.pending() == {}


def test_restart_ends_what_was_open(talk: Talk) -> None:
    for kill in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            backend = Backend(SCRIPT, "--state", folder)
            try:
                lasting = Talk(backend)
                lasting.say("delete path=/a then email")
                lasting.post(lasting.wait_pending(1)[0]["id"], ALWAYS)
                open_request = pending_of(lasting, "send_email")
                polled = Talk(backend)
                polled.say("shipped delete path=/b")
                waiting = shipped(polled)[0]
                backend.stop(kill)
                backend = lasting.backend = polled.backend = Backend(SCRIPT, "--state", folder)
                page = lasting.page()
                assert page.next()["always_allowed"] == [] and lasting.pending() == {}
                last = lasting.history()[-2:]
                assert last[0] == {"type": "approval_resolved", "id": open_request["id"], "reason": "timeout", **CANCEL}
                assert last[1]["type"] == "run_failed"
                page.answer(open_request, **ONCE)
                assert page.until("approval_error")["detail"] == "already decided: timeout"
                assert talk_is_expired(polled, waiting) and polled.ended()["type"] == "run_failed"
                lasting.close()
                assert lasting.executed() == polled.executed() == []
                lasting.say("delete path=/a")
                assert lasting.wait_pending(1)
            finally:
                backend.stop()


def pending_of(talk: Talk, tool: str) -> dict:
    """The request of this tool, once it is open."""
    return wait_for(lambda: next((each for each in talk.pending().values() if each["tool"] == tool), None))


def talk_is_expired(talk: Talk, request: dict) -> bool:
    identifier = request["request_id"]
    detail = talk.get(f"{SHIPPED}/{identifier}").json()
    timestamps = {"timestamp": detail["timestamp"]}
    assert detail == {**request, **timestamps, "status": "expired"}
    assert approve(talk, request, **ONCE).status_code == 400
    return talk.get(f"{SHIPPED}/pending", client_id=talk.client).json() == []


def test_r50_second_answer_is_refused(talk: Talk) -> None:
    page, other = talk.page(), talk.page()
    talk.say("delete path=/a")
    request = page.until("approval_request")
    assert other.until("approval_request") == request
    page.answer(request, **CANCEL)
    assert other.until("approval_resolved")["outcome"] == "cancel"
    other.answer(request, **ALWAYS)
    error = other.until("approval_error")
    assert (error["status"], error["detail"]) == (409, "already decided: cancel")
    page.until("run_finished")
    assert all(message["type"] != "approval_error" for message in page.seen)
    assert talk.executed() == [] and talk.page().next()["always_allowed"] == []


def test_r50_of_many_answers_at_once_one_counts(talk: Talk) -> None:
    talk.say("delete path=/a")
    request = talk.wait_pending(1)[0]
    pages = [talk.page() for _ in range(3)]
    start = threading.Barrier(6)

    def post(at: int) -> int:
        start.wait()
        if at < 3:
            pages[at].answer(request, outcome="modify", kwargs={"path": f"/{at}"})
            return 0
        return talk.post(request["id"], ONCE if at == 3 else CANCEL).status_code

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(post, range(6)))
    talk.ended()
    assert set(statuses) <= {0, 200, 409} and statuses.count(200) <= 1
    resolved = [message for message in talk.history() if message["type"] == "approval_resolved"]
    assert len(resolved) == 1 and len(talk.executed()) == (resolved[0]["outcome"] != "cancel")


def test_r50_unknown_words_and_misfits_are_refused(talk: Talk) -> None:
    talk.say("transfer")
    request = talk.wait_pending(1)[0]
    kwargs = request["kwargs"]
    for body, words in (
        ({"outcome": "approved"}, "must be one of"),
        ({"outcome": "Cancel"}, "must be one of"),
        ({"outcome": ["cancel"]}, "must be one of"),
        ({}, "must be one of"),
        ({"outcome": "modify"}, "modify needs `kwargs`"),
        ({"outcome": "modify", "kwargs": None}, "an object"),
        ({"outcome": "modify", "kwargs": {}}, "required"),
        ({"outcome": "modify", "kwargs": kwargs, "args": []}, "no effect"),
        ({"outcome": "modify", "kwargs": {**kwargs, "amount": "5"}}, "/amount: "),
        ({"outcome": "modify", "kwargs": {**kwargs, "a/b~": 1}}, "/a~1b~0: unknown argument"),
        ({"outcome": "proceed_once", "kwargs": kwargs}, "no effect"),
        ({"outcome": "cancel", "reason": "no"}, "no effect"),
    ):
        answer = talk.post(request["id"], body)
        assert answer.status_code == 422 and words in json.dumps(answer.json()["detail"]), (body, answer.text)
    assert talk.backend.http.post(f"/approvals/{request['id']}?outcome=proceed_once", json={}).status_code == 422
    for text in ('{"outcome":"cancel","outcome":"proceed_once"}', "[]", "nonsense", '{"outcome":NaN}'):
        headers = {"Content-Type": "application/json"}
        answer = talk.backend.http.post(f"/approvals/{request['id']}", content=text, headers=headers)
        assert answer.status_code == 422, (text, answer.text)
    assert talk.pending() == {request["id"]: request} and talk.executed() == []


def test_r50_refusal_over_the_socket_leaves_the_request_open(talk: Talk) -> None:
    page = talk.page()
    talk.say("transfer")
    request = page.until("approval_request")
    page.answer(request, outcome="modify", kwargs={**request["kwargs"], "pfad": 1})
    error = page.until("approval_error")
    assert error == {**error, "id": request["id"], "status": 422, "detail": {"errors": ["/pfad: unknown argument"]}}
    page.answer("00000000-0000-4000-8000-000000000000", **ONCE)
    assert page.until("approval_error")["status"] == 404
    page.answer(request, **ONCE)
    page.until("run_finished")
    assert len(talk.executed()) == 1


def test_r50_foreign_origin_host_and_token_are_refused(talk: Talk) -> None:
    guards(talk, "/approvals/x")
    guards(talk, f"{SHIPPED}/x/approve")
    socket_guards(talk)


def test_r50_nothing_is_decided_by_get(talk: Talk) -> None:
    talk.say("delete path=/a beside shipped delete path=/b")
    other = Talk(talk.backend)
    other.say("delete path=/a")
    request, waiting = other.wait_pending(1)[0], shipped(talk, 2)[0]
    assert talk.get(f"/approvals/{request['id']}", outcome="proceed_once").status_code == 405
    assert talk.get(f"{SHIPPED}/{waiting['request_id']}/approve", outcome="proceed_once").status_code == 405
    assert talk.get("/approvals/pending").status_code == 422
    assert other.pending() and len(shipped(talk, 2)) == 2 and talk.executed() == []


def test_crash_fails_the_run(talk: Talk) -> None:
    talk.say("crash")
    assert talk.ended()["type"] == "run_failed" and "the scripted model failed" in talk.ended()["error"]


def test_what_ran_is_told_where_the_next_step_fails(talk: Talk) -> None:
    for wire in ("", "shipped "):
        talk = Talk(talk.backend)
        talk.say(f"{wire}delete path=/a then invent")
        if wire:
            approve(talk, shipped(talk)[0], **ONCE)
        else:
            talk.post(talk.wait_pending(1)[0]["id"], ONCE)
        ended, told = talk.ended(), [each for each in talk.history() if each.get("name") == "agent.tool_call_complete"]
        assert [(each["run"], each["item"]["data"]["name"]) for each in told] == [(ended["run"], "delete_file")]
        assert ended["type"] == "run_failed" and talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_arguments_that_are_not_json_are_not_asked_about(talk: Talk) -> None:
    talk.say("delete path=/a then transfer amount=NaN then delete path=/b")
    talk.post(talk.wait_pending(1)[0]["id"], ONCE)
    assert talk.ended()["type"] == "run_failed" and talk.pending() == {}
    time.sleep(0.3)
    assert talk.pending() == {} and "NaN" not in talk.get(f"/history/{talk.client}").text
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]
    polled = Talk(talk.backend)
    polled.say("transfer amount=NaN then delete path=/b", shipped=True)
    assert polled.ended()["type"] == "run_failed"
    time.sleep(0.3)
    assert polled.get(f"{SHIPPED}/pending", client_id=polled.client).json() == [] and polled.executed() == []


def test_shipped_request_is_allowed_and_then_cancelled(talk: Talk) -> None:
    talk.say(f"delete path=/a then transfer reference={BIG}", shipped=True)
    first = shipped(talk)[0]
    assert (first["tool_name"], first["tool_kwargs"], first["status"]) == ("delete_file", {"path": "/a"}, "pending")
    assert talk.get(f"{SHIPPED}/{first['request_id']}").json() == first and talk.pending() == {}
    assert approve(talk, first, **ONCE, args_digest="0" * 64).status_code == 422
    digest = hashlib.sha256(b'{"path":"/a"}').hexdigest()
    receipt = approve(talk, first, **ONCE, args_digest=digest).json()
    accepted = {"status": "accepted", "request_id": first["request_id"], "response_data": None}
    assert receipt == {**accepted, **ONCE}
    second = wait_for(lambda: [each for each in shipped(talk) if each["request_id"] != first["request_id"]])[0]
    assert second["tool_kwargs"]["reference"] == BIG
    assert approve(talk, second, **CANCEL).json()["outcome"] == "cancel"
    talk.ended()
    # The library writes `approved` for every answer, and the page must not believe it.
    assert talk.get(f"{SHIPPED}/{second['request_id']}").json()["status"] == "approved"
    assert talk.executed() == [("delete_file", '{"path":"/a"}')] and talk.told()[1] == ("transfer_funds", CANCELLED)
    permissions = [message for message in talk.history() if message.get("name") == "agent.tool_permission_request"]
    assert [each["item"]["data"]["id"] for each in permissions] == [first["request_id"], second["request_id"]]


def test_shipped_always_is_not_asked_again(talk: Talk) -> None:
    talk.say("shipped: delete path=/a then delete path=/b")
    approve(talk, shipped(talk)[0], **ALWAYS)
    talk.ended()
    assert len(talk.executed()) == 2
    other = Talk(talk.backend)
    other.say("shipped: delete path=/a")
    assert shipped(other)


def test_shipped_question_is_answered(talk: Talk) -> None:
    talk.say('shipped clarify question="Which of them?"')
    request = shipped(talk)[0]
    assert request["tool_kwargs"] == {"question": "Which of them?"}
    for members in (ONCE, ALWAYS, {**ALWAYS, "response_data": "x"}, {**ONCE, "response_data": ""}):
        assert approve(talk, request, **members).status_code == 422, members
    assert approve(talk, request, **ONCE, response_data="the second").json()["response_data"] == "the second"
    talk.ended()
    assert talk.told() == [("clarify", "The person says: the second")]


def test_shipped_calls_are_decided_in_reverse(talk: Talk) -> None:
    talk.say("delete path=/a beside delete path=/a", shipped=True)
    first, second = shipped(talk, 2)
    approve(talk, second, **CANCEL)
    assert shipped(talk) == [first] and talk.executed() == []
    approve(talk, first, **ONCE)
    wait_for(lambda: names(talk).count("run_finished") == 2)
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_r50_shipped_handler_gets_only_what_fits(talk: Talk) -> None:
    talk.say("delete path=/a", shipped=True)
    request = shipped(talk)[0]
    address = f"{SHIPPED}/{request['request_id']}"
    for body in (
        {"request_id": "another", **ONCE},
        ONCE,
        {"request_id": request["request_id"], "outcome": "modify"},
        {"request_id": request["request_id"], "outcome": "Cancel"},
        {"request_id": request["request_id"], **ONCE, "response_data": "words"},
        {"request_id": request["request_id"], **ONCE, "tool_kwargs": {"path": "/b"}},
    ):
        assert talk.backend.http.post(f"{address}/approve", json=body).status_code == 422, body
    twice = f'{{"request_id":"{request["request_id"]}","outcome":"cancel","outcome":"proceed_once"}}'
    headers = {"Content-Type": "application/json"}
    assert talk.backend.http.post(f"{address}/approve", content=twice, headers=headers).status_code == 422
    assert talk.backend.http.request("DELETE", address, headers=headers).status_code == 405
    assert approve(talk, "nobody", **ONCE).status_code == 404 and talk.get(f"{SHIPPED}/nobody").status_code == 404
    assert shipped(talk) == [request] and talk.executed() == []


def test_r50_shipped_request_is_answered_once(talk: Talk) -> None:
    talk.say("delete path=/a", shipped=True)
    request = shipped(talk)[0]
    with ThreadPoolExecutor(4) as pool:
        outcomes = ("proceed_once", "cancel", "proceed_always", "cancel")
        answers = list(pool.map(lambda outcome: approve(talk, request, outcome=outcome), outcomes))
    statuses = [answer.status_code for answer in answers]
    assert statuses.count(200) == 1 and statuses.count(400) == 3
    talk.ended()
    assert len(talk.executed()) == (answers[statuses.index(200)].json()["outcome"] != "cancel")


def test_shipped_send_fails_on_demand(talk: Talk) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = Talk(talk.backend)
        other.say("delete path=/a", shipped=True)
        request = shipped(other)[0]
        other.fail_next(when)
        assert approve(other, request, **ONCE).status_code == 503
        assert approve(other, request, **ONCE).status_code == (400 if runs else 200)
        other.ended()
        assert len(other.executed()) == 1


if __name__ == "__main__":
    own = {name: test for name, test in globals().items() if name.startswith("test_")}
    sys.exit(run_tests(SCRIPT, own | shared_tests(ONCE, CANCEL)))
