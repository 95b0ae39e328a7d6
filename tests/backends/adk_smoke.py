"""Drives `adk.py` through every flow and every refusal, over HTTP as a page would.

Run it with the Python of the backend's environment: `.venv/bin/python tests/backends/adk_smoke.py [WORD…]`, where words
choose the tests whose names contain them all. Ends with the line `N passed, N failed`.
"""

import hashlib
import json
import sys
import tempfile
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent / "lib")

import httpx
from countersign_backend.adk_answer import CONFIRMATION, waiting
from countersign_backend.http_smoke import BIG, Backend, check_fence, events, refused, run_tests, text_of

SCRIPT = Path(__file__).with_name("adk.py")
YES = {"confirmed": True}
NO = {"confirmed": False}


def said(author: str, name: str, id: str, response: dict) -> dict:
    """The event of one response."""
    part = {"functionResponse": {"id": id, "name": name, "response": response}}
    return {"id": id, "author": author, "timestamp": 0, "content": {"parts": [part]}}


def asked(request: str) -> list[dict]:
    """The event that asks about a call `c`."""
    args = {"originalFunctionCall": {"id": "c", "name": "delete_file", "args": {}}}
    part = {"functionCall": {"id": request, "name": CONFIRMATION, "args": args}}
    return [{"id": request, "author": "ops", "timestamp": 0, "content": {"parts": [part]}}]


class Conversation:
    """One session of a backend."""

    def __init__(self, backend: Backend, app: str = "deep", session: str | None = None) -> None:
        self.backend = backend
        self.app = app
        self.session = session or f"smoke-{uuid.uuid4()}"

    def on(self, app: str) -> "Conversation":
        """A session of another app."""
        return Conversation(self.backend, app)

    def post(self, parts: list[dict], path: str = "/run_sse", key: str | None = None, **members) -> httpx.Response:
        message = {"role": "user", "parts": parts}
        body = {"appName": self.app, "userId": "user", "sessionId": self.session, "newMessage": message, **members}
        return self.backend.http.post(path, json=body, headers={"Idempotency-Key": key} if key else {})

    def say(self, words: str) -> list[dict]:
        """The requests that typed words lead to."""
        return requests(events(self.post([{"text": words}])))

    def decide(self, answers: dict[str, dict], **members) -> httpx.Response:
        """Sends answers, request id → response."""
        return self.post([answer(request, response) for request, response in answers.items()], **members)

    def stored(self) -> list[dict]:
        path = f"/apps/{self.app}/users/user/sessions/{self.session}"
        return self.backend.http.get(path).raise_for_status().json()["events"]

    def executed(self) -> list[tuple[str, str]]:
        return self.backend.executed(self.session)

    def told(self) -> list[tuple[str, str]]:
        return self.backend.told(self.session)


def answer(request: str, response: dict, name: str = "adk_request_confirmation") -> dict:
    return {"functionResponse": {"id": request, "name": name, "response": response}}


def parts(of: list[dict], kind: str) -> list[dict]:
    found = [part.get(kind) for event in of for part in (event.get("content") or {}).get("parts") or []]
    return [part for part in found if part]


def requests(of: list[dict]) -> list[dict]:
    """The confirmations that were asked for, as `{id, call, hint, payload?}`."""
    asked = [call for call in parts(of, "functionCall") if call["name"] == "adk_request_confirmation"]
    return [
        {"id": call["id"], "call": call["args"]["originalFunctionCall"], **call["args"]["toolConfirmation"]}
        for call in asked
    ]


def outcomes(of: list[dict]) -> dict[str, dict]:
    """Call id → the last outcome."""
    return {one["id"]: one["response"] for one in parts(of, "functionResponse")}


def test_approved_call_runs_with_the_shown_arguments(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        other = talk.on(app)
        [request] = other.say(f'transfer amount=10.25 to_account="DE 99 ü" reference={BIG}')
        assert other.executed() == []
        assert events(other.decide({request["id"]: YES}))
        assert other.executed() == [("transfer_funds", text_of(request["call"]["args"]))]
        assert str(BIG) in other.executed()[0][1]


def test_dialects_are_those_of_the_gates(talk: Conversation) -> None:
    [plain] = talk.on("plain").say("delete path=/a")
    assert "payload" not in plain and plain["hint"].startswith("Please approve or reject")
    [deep] = talk.say("delete path=/a")
    assert deep["payload"] == {"approval_id": deep["call"]["id"], "tool": "delete_file", "args": {"path": "/a"}}


def test_edit_runs_exactly_the_edited_arguments(talk: Conversation) -> None:
    [request] = talk.say("transfer")
    edited = {**request["call"]["args"], "amount": 7, "to_account": "\u202eü"}
    assert events(
        talk.decide({request["id"]: {**YES, "payload": {"modified_args": {"amount": 7, "to_account": "\u202eü"}}}})
    )
    assert [(tool, json.loads(args)) for tool, args in talk.executed()] == [("transfer_funds", edited)]
    assert f'"reference":{BIG}' in talk.executed()[0][1]


def test_edit_must_fit_the_tool_and_its_gate(talk: Conversation) -> None:
    [request] = talk.say("transfer")
    for changed, words in (
        ({"amount": "7"}, "/amount"),
        ({"amount": None}, "/amount"),
        ({"reference": 1.5}, "/reference"),
        ({"extra": 1}, "unknown argument"),
        ([], "are an object"),
    ):
        refused(talk.decide({request["id"]: {**YES, "payload": {"modified_args": changed}}}), 422, words)
    refused(talk.decide({request["id"]: {**YES, "payload": {"args": {}}}}), 422, "no effect")
    refused(talk.decide({request["id"]: {**NO, "payload": {"modified_args": {}}}}), 422, "no effect")
    plain = talk.on("plain")
    [request] = plain.say("delete path=/a")
    refused(plain.decide({request["id"]: {**YES, "payload": {"modified_args": {"path": "/b"}}}}), 422, "no effect")
    assert talk.executed() == plain.executed() == []


def test_rejection_reason_reaches_the_model_where_it_is_told(talk: Conversation) -> None:
    reason = 'Nein, "nicht" diese\nDatei \u202e!'
    for app, told in (("plain", False), ("deep", False), ("plain_told", True), ("deep_told", True)):
        other = talk.on(app)
        [request] = other.say("delete path=/a")
        assert events(other.decide({request["id"]: {**NO, "payload": {"rejection_reason": reason}}}))
        assert other.executed() == []
        [(tool, outcome)] = other.told()
        assert json.loads(outcome).get("reason") == (reason if told else None)
        kept = [part["response"] for part in parts(other.stored(), "functionResponse") if part["id"] == request["id"]]
        assert kept == [{**NO, "payload": {"rejection_reason": reason}}]


def test_rejected_outcomes_are_those_of_the_gates(talk: Conversation) -> None:
    for app, expected in (
        ("plain", {"error": "This tool call is rejected."}),
        (
            "deep",
            {
                "status": "rejected",
                "tool": "delete_file",
                "message": "Tool 'delete_file' was rejected by the human reviewer.",
            },
        ),
    ):
        other = talk.on(app)
        [request] = other.say("delete path=/a")
        assert outcomes(events(other.decide({request["id"]: NO})))[request["call"]["id"]] == expected
        told = other.on(f"{app}_told")
        [request] = told.say("delete path=/a")
        # Without a reason there is nothing to add.
        assert outcomes(events(told.decide({request["id"]: NO})))[request["call"]["id"]] == expected


def test_same_call_twice_is_decided_in_reverse(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        other = talk.on(app)
        first, second = other.say("delete path=/a then delete path=/b")
        assert events(other.decide({second["id"]: YES, first["id"]: NO}))
        assert other.executed() == [("delete_file", '{"path":"/b"}')]


def test_three_calls_are_mixed(talk: Conversation) -> None:
    first, second, third = talk.say("delete path=/a then email to=bob@example.com then transfer amount=5")
    edit = {**YES, "payload": {"modified_args": {"amount": 6}}}
    assert events(talk.decide({first["id"]: YES, second["id"]: NO, third["id"]: edit}))
    ran = sorted(talk.executed())
    assert ran[0] == ("delete_file", '{"path":"/a"}')
    assert ran[1] == ("transfer_funds", text_of({**third["call"]["args"], "amount": 6})), ran


def test_ungated_call_runs_at_once_also_beside_a_gated_one(talk: Conversation) -> None:
    [request] = talk.say("read path=/r then delete path=/a")
    assert talk.executed() == [("read_file", '{"path":"/r"}')]
    assert events(talk.decide({request["id"]: YES}))
    assert [tool for tool, _ in talk.executed()] == ["read_file", "delete_file"]


def test_next_turn_asks_again(talk: Conversation) -> None:
    [first] = talk.say("delete path=/a later delete path=/b")
    [second] = requests(events(talk.decide({first["id"]: YES})))
    assert second["call"]["args"] == {"path": "/b"}
    assert events(talk.decide({second["id"]: NO}))
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_typed_words_keep_the_pause(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        other = talk.on(app)
        [request] = other.say("delete path=/a")
        assert other.say("never mind") == []
        assert events(other.decide({request["id"]: YES}))
        assert other.executed() == [("delete_file", '{"path":"/a"}')]


def test_requests_of_two_turns_are_independent(talk: Conversation) -> None:
    [first] = talk.say("delete path=/a")
    [second] = talk.say("delete path=/b")
    refused(talk.decide({first["id"]: YES, second["id"]: YES}), 422, "one turn")
    assert events(talk.decide({second["id"]: NO}))
    assert events(talk.decide({first["id"]: YES}))
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_agent_reached_by_transfer_asks_in_its_own_name(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        other = talk.on(app)
        shown = events(other.post([{"text": "delegate: delete path=/a then delete path=/b"}]))
        asking = [event for event in shown if requests([event])]
        assert [event["author"] for event in asking] == ["k8s_agent"]
        first, second = requests(shown)
        assert events(other.decide({first["id"]: NO, second["id"]: YES}))
        assert other.executed() == [("delete_file", '{"path":"/b"}')]


def test_tool_failure_is_its_outcome(talk: Conversation) -> None:
    [request] = talk.say("delete path=/missing")
    outcome = outcomes(events(talk.decide({request["id"]: YES})))[request["call"]["id"]]
    assert outcome == {"error": "there is no /missing"}
    assert "there is no /missing" in talk.told()[0][1]


def test_crash_of_the_model_is_an_error_event(talk: Conversation) -> None:
    assert "error" in events(talk.post([{"text": "crash"}]))[-1]


def test_run_answers_with_a_list(talk: Conversation) -> None:
    [request] = requests(talk.post([{"text": "delete path=/a"}], path="/run").json())
    assert talk.post([answer(request["id"], YES)], path="/run").status_code == 200
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_session_shows_request_answer_and_outcome(talk: Conversation) -> None:
    path = "/apps/deep/users/user/sessions"
    created = talk.backend.http.post(path, json={"sessionId": talk.session}).json()
    assert created["id"] == talk.session and created["events"] == []
    [request] = talk.say("delete path=/a")
    assert requests(talk.stored()) == [request]
    talk.decide({request["id"]: YES})
    assert outcomes(talk.stored())[request["id"]] == YES
    assert outcomes(talk.stored())[request["call"]["id"]] == {"result": "Deleted /a."}


def test_noted_arguments_stand_on_the_wire_as_the_same_text(talk: Conversation) -> None:
    stream = talk.post([{"text": f'transfer to_account="ü \\u202e" amount=12.50 reference={BIG}'}])
    [request] = requests(events(stream))
    talk.decide({request["id"]: YES})
    session = talk.backend.http.get(f"/apps/deep/users/user/sessions/{talk.session}").text
    text = talk.executed()[0][1]
    assert "\u202e" in text and text in stream.text and text in session, (text, stream.text)


def test_r50_second_answer_is_refused(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        other = talk.on(app)
        [request] = other.say("delete path=/a")
        assert events(other.decide({request["id"]: NO}))
        refused(other.decide({request["id"]: YES}), 409, "does not wait")
        assert other.executed() == []


def test_r50_of_many_answers_at_once_one_runs(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda one: talk.decide({request["id"]: YES if one % 2 else NO}), range(8)))
    assert sorted(one.status_code for one in answers) == [200] + [409] * 7
    assert len(talk.executed()) <= 1


def test_r50_repeated_answer_runs_once_and_tells_the_outcome(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    first, second = (talk.decide({request["id"]: YES}, key="k1") for _ in range(2))
    assert outcomes(events(first)) == outcomes(events(second)) != {}
    assert talk.post([answer(request["id"], YES)], path="/run", key="k1").status_code == 200
    refused(talk.decide({request["id"]: NO}, key="k1"), 409, "another answer")
    assert len(talk.executed()) == 1


def test_r50_answers_to_nothing_open_are_refused(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    refused(talk.decide({"forged": YES}), 409, "does not wait")
    refused(talk.decide({request["call"]["id"]: YES}), 409, "does not wait")
    refused(talk.on("deep").decide({request["id"]: YES}), 404, "no session")
    other = talk.on("deep")
    other.say("read")
    refused(other.decide({request["id"]: YES}), 409, "does not wait")
    assert talk.executed() == []


def test_r50_batch_must_name_every_request_and_no_other(talk: Conversation) -> None:
    first, second = talk.say("delete path=/a then delete path=/b")
    refused(talk.decide({first["id"]: YES}), 422, "every open request")
    refused(talk.decide({first["id"]: YES, second["id"]: YES, "forged": YES}), 409, "does not wait")
    twice = [answer(first["id"], NO), answer(second["id"], NO), answer(first["id"], YES)]
    refused(talk.post(twice), 422, "once")
    assert talk.executed() == []
    assert events(talk.decide({first["id"]: YES, second["id"]: YES}))
    assert len(talk.executed()) == 2


def test_answer_must_say_what_it_means(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    for response, words in (
        ({}, "whether it is confirmed"),
        ({"confirmed": "yes"}, "whether it is confirmed"),
        ({"response": '{"confirmed":true}'}, "whether it is confirmed"),
        ({**YES, "hint": "x"}, "not known"),
        ({**YES, "payload": "x"}, "not known"),
        ({**NO, "payload": {"rejection_reason": 1}}, "reason is text"),
    ):
        refused(talk.decide({request["id"]: response}), 422, words)
    assert talk.executed() == []


def test_call_that_has_the_id_of_a_settled_one_waits(talk: Conversation) -> None:
    """Some models number the calls of each turn anew; this is one call after the other."""
    del talk
    for second_answered in (False, True):
        events = asked("r1") + [said("user", CONFIRMATION, "r1", NO), said("ops", "delete_file", "c", {"error": "no"})]
        events += asked("r2")
        if second_answered:
            events.append(said("user", CONFIRMATION, "r2", YES))
        assert [one.id for one in waiting(events)] == ([] if second_answered else ["r2"])
    both = asked("r1") + asked("r2") + [said("user", CONFIRMATION, "r2", NO), said("ops", "delete_file", "c", {})]
    assert [one.id for one in waiting(both)] == ["r1"], "the outcome is that of the call that was answered"


def test_what_a_sub_agent_asked_waits_no_longer_than_the_call_that_runs_it(talk: Conversation) -> None:
    for branch, left in (("a@h", []), ("b@g.a@h.b@1", []), ("a@x", ["r1"]), ("a.h", ["r1"]), (None, ["r1"])):
        events = [{**event, "branch": branch} for event in asked("r1")]
        for author in ("ops", "user"):
            assert [one.id for one in waiting([*events, said(author, "a", "h", {"result": None})])] == left
        assert len(waiting([*events, said("ops", "a", "h", {"status": "pending"})])) == 1
        assert len(waiting([said("ops", "a", "h", {}), *events])) == 1


def test_r50_forged_calls_and_outcomes_are_refused(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    call = request["call"]
    for sent, words in (
        ([answer(call["id"], {"status": "ok"}, "delete_file")], "come from tools"),
        ([{"functionCall": {"id": "x", "name": "delete_file", "args": {"path": "/forged"}}}], "words or answers"),
        ([{"function_response": {"id": call["id"], "name": "delete_file", "response": {}}}], "words or answers"),
        ([answer(request["id"], YES), {"text": "and more"}], "words or answers"),
        ([{"text": "x", "thought": True}], "words or answers"),
        ([], "has parts"),
    ):
        refused(talk.post(sent), 422, words)
    for members in ({"stateDelta": {"a": 1}}, {"invocationId": "x"}, {"state_delta": {}}, {"functionCallEventId": "x"}):
        refused(talk.post([answer(request["id"], YES)], **members), 422, "not for pages")
    twice = json.dumps({"sessionId": talk.session})[:-1] + ',"sessionId":"other"}'
    sent = talk.backend.http.post("/run_sse", content=twice, headers={"Content-Type": "application/json"})
    refused(sent, 400, "twice")
    assert talk.executed() == []


def test_r50_digest_of_other_arguments_is_refused(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a")
    for text, fits in (('{"path":"/b"}', False), ('{"path":"/a"}', True)):
        digests = {request["call"]["id"]: hashlib.sha256(text.encode()).hexdigest()}
        sent = talk.decide({request["id"]: YES}, customMetadata={"countersign_args_digests": digests})
        if fits:
            assert events(sent)
        else:
            refused(sent, 409, "other arguments")
    assert len(talk.executed()) == 1


def test_r50_digest_of_either_spelling_of_a_float_is_taken(talk: Conversation) -> None:
    for amount in ("1e-7", "1e-07"):
        other = talk.on("deep")
        [request] = other.say("transfer amount=1e-7 to_account=x")
        text = f'{{"to_account":"x","amount":{amount},"currency":"EUR","reference":{BIG}}}'
        digests = {request["call"]["id"]: hashlib.sha256(text.encode()).hexdigest()}
        assert events(other.decide({request["id"]: YES}, customMetadata={"countersign_args_digests": digests}))
        assert len(other.executed()) == 1


def test_nobody_is_asked_about_a_number_that_no_page_could_show(talk: Conversation) -> None:
    for app in ("plain", "deep"):
        for amount in ("1e400", "NaN"):
            other = talk.on(app)
            assert other.say(f"transfer amount={amount}") == []
            assert other.executed() == [] and "infinite" in other.told()[0][1]


def test_r50_pages_reach_few_routes_and_one_user(talk: Conversation) -> None:
    http, session = talk.backend.http, f"/apps/deep/users/user/sessions/{talk.session}"
    talk.say("delete path=/a")
    assert sorted(http.get("/list-apps").json()) == ["deep", "deep_told", "plain", "plain_told"]
    assert http.get("/run_sse").status_code == http.get("/run").status_code == 404
    assert http.patch(session, json={"stateDelta": {}}).status_code == 404
    assert http.delete(session, headers={"Content-Type": "application/json"}).status_code == 404
    assert http.get(f"{session}/artifacts").status_code == 404
    for path in ("/docs", "/openapi.json", "/health", "/"):
        assert http.get(path).status_code == 404, path
    assert http.get(session.replace("users/user", "users/other")).status_code == 403
    refused(talk.post([{"text": "read"}], userId="other"), 403, "another user")
    refused(http.post("/apps/deep/users/user/sessions", json={"events": []}), 422, "nothing but the id")
    refused(http.post("/apps/deep/users/user/sessions/x1", json={"state": {}}), 422, "nothing but the id")


def test_r50_only_the_listed_page_gets_through(talk: Conversation) -> None:
    check_fence(talk.backend, "/run_sse")


def test_failed_send_runs_nothing_and_a_lost_reply_runs_once(talk: Conversation) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = talk.on("deep")
        [request] = other.say("delete path=/a")
        other.backend.fail_next(count=1, status=503, when=when, context=other.session)
        assert other.decide({request["id"]: YES}, key="one").status_code == 503
        assert len(other.executed()) == runs
        assert outcomes(events(other.decide({request["id"]: YES}, key="one")))
        assert len(other.executed()) == 1


def test_page_that_goes_away_does_not_stop_what_was_approved(talk: Conversation) -> None:
    [request] = talk.say("delete path=/a later read path=/b")
    body = {"role": "user", "parts": [answer(request["id"], YES)]}
    run = {"appName": "deep", "userId": "user", "sessionId": talk.session, "newMessage": body}
    with talk.backend.http.stream("POST", "/run_sse", json=run):
        pass
    for _ in range(50):
        if len(talk.executed()) == 2:
            break
        time.sleep(0.1)
    assert [tool for tool, _ in talk.executed()] == ["delete_file", "read_file"]


def test_conversations_do_not_mix(talk: Conversation) -> None:
    others = [talk.on("deep") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: pair[1].say(f"read path=/{pair[0]}"), enumerate(others)))
    assert [other.executed() for other in others] == [[("read_file", f'{{"path":"/{at}"}}')] for at in range(4)]


def test_r50_old_pause_has_ended(talk: Conversation) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "0.5")
    try:
        for app in ("plain", "deep"):
            late = Conversation(backend, app)
            requested = late.say("delete path=/a then delete path=/b")
            assert outcomes(late.stored())[requested[0]["call"]["id"]] != {}
            time.sleep(0.6)
            ended = outcomes(late.stored())
            for request in requested:
                assert ended[request["call"]["id"]] == {"error": "Nobody decided in time. Nothing was run."}
            refused(late.decide({request["id"]: YES for request in requested}), 409, "does not wait")
            # The conversation goes on, and the model knows.
            assert late.say("hello") == []
            assert [outcome for _, outcome in late.told()] == [
                '{"error":"Nobody decided in time. Nothing was run."}'
            ] * 2
            assert late.executed() == []
    finally:
        backend.stop()


def test_pause_outlives_the_process_even_killed(talk: Conversation) -> None:
    for kill in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            first = Backend(SCRIPT, "--state", folder)
            try:
                before = Conversation(first)
                [request] = before.say(f"transfer reference={BIG} later delete path=/b")
            finally:
                first.stop(kill)
            second = Backend(SCRIPT, "--state", folder)
            try:
                after = Conversation(second, session=before.session)
                assert requests(after.stored()) == [request]
                edit = {**YES, "payload": {"modified_args": {"amount": 1.5}}}
                [again] = requests(events(after.decide({request["id"]: edit})))
                expected = text_of({**request["call"]["args"], "amount": 1.5})
                assert after.executed() == [("transfer_funds", expected)]
            finally:
                second.stop(kill)
            third = Backend(SCRIPT, "--state", folder)
            try:
                settled = Conversation(third, session=before.session)
                refused(settled.decide({request["id"]: YES}), 409, "does not wait")
                assert events(settled.decide({again["id"]: NO}))
                assert settled.executed() == [("transfer_funds", expected)]
            finally:
                third.stop()


if __name__ == "__main__":
    sys.exit(run_tests(dict(globals()), SCRIPT, Conversation))
