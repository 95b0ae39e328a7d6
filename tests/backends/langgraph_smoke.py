"""Drives `langgraph.py` through every graph, every flow and every refusal, over HTTP as a page would.

Run it with the Python of the backend's environment: `.venv/bin/python tests/backends/langgraph_smoke.py [WORD…]`, where
words choose the tests whose names contain them all. Ends with the line `N passed, N failed`.
"""

import json
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent / "lib")

from countersign_backend.http_smoke import BIG, Backend, check_fence, refused, run_tests, text_of
from countersign_backend.langgraph_answer import waiting
from countersign_backend.langgraph_shown_smoke import shown_tests
from countersign_backend.langgraph_talk import (
    ACCEPT,
    ALL_GRAPHS,
    APPROVE,
    IGNORE,
    REJECT,
    TOO_LATE,
    Conversation,
    answer,
    calls,
    decide_all,
    edit_of,
    events,
    interrupts,
)

SCRIPT = Path(__file__).with_name("langgraph.py")


def test_approved_call_runs_with_the_shown_arguments(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        asked = other.say(f'transfer amount=10.25 to_account="DE 99 ü" reference={BIG}')
        [(_, _, args)] = calls(asked)
        assert other.executed() == [], graph
        assert decide_all(other, asked, [APPROVE]) == [], graph
        assert other.executed() == [("transfer_funds", text_of(args))], graph
        assert str(BIG) in other.executed()[0][1]


def test_dialects_are_those_of_the_frameworks(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a then email")
    assert [action["name"] for action in one["value"]["action_requests"]] == ["delete_file", "send_email"]
    assert one["value"]["review_configs"][0] == {
        "action_name": "delete_file",
        "allowed_decisions": ["approve", "reject"],
    }
    several = talk.on("per-call").say("delete path=/a then transfer")
    assert sorted(one["value"]["name"] for one in several) == ["delete_file", "transfer_funds"]
    assert all(one["value"]["type"] == "tool_approval" and one["response_schema"] for one in several)
    several = talk.on("human-interrupt").say("delete path=/a then delete path=/b")
    assert all(isinstance(one["value"], list) and len(one["value"]) == 1 for one in several) and len(several) == 2
    [one] = talk.on("agent-os").say("delete path=/a then delete path=/b")
    assert one["value"]["action_request"] == {"action": "tool_approval_delete_file", "args": {"path": "/a"}}


def test_edit_runs_exactly_the_edited_arguments(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        asked = other.say("transfer")
        [(_, tool, args)] = calls(asked)
        edited = {**args, "amount": 7, "to_account": "\u202eü"}
        assert decide_all(other, asked, [edit_of(tool, edited)]) == [], graph
        assert other.executed() == [("transfer_funds", text_of(edited))], graph
        assert f'"reference":{BIG}' in other.executed()[0][1]


def test_edit_must_fit_the_tool(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        [one] = other.say("transfer")
        [(_, tool, args)] = calls([one])
        without = {name: value for name, value in args.items() if name != "currency"}
        for changed, words in (
            ({**args, "amount": "7"}, "/amount"),
            ({**args, "extra": 1}, "unknown argument"),
            ({**args, "reference": 1.5}, "/reference"),
            (without, "currency"),
            ([], "an object"),
        ):
            refused(other.resume({one["id"]: answer(graph, one, [edit_of(tool, changed)])}), 422, words)
        assert other.executed() == []
        assert calls(other.waiting()) == [(one["id"], tool, args)], graph
        assert decide_all(other, [one], [APPROVE]) == []


def test_edit_cannot_choose_another_tool(talk: Conversation) -> None:
    [one] = talk.say("transfer")
    other = {"decisions": [edit_of("read_file", {"path": "/etc/passwd"})]}
    refused(talk.resume({one["id"]: other}), 422, "another tool")
    old = talk.on("human-interrupt")
    [one] = old.say("transfer")
    other = [{"type": "edit", "args": {"action": "read_file", "args": {"path": "/etc/passwd"}}}]
    refused(old.resume({one["id"]: other}), 422, "another tool")
    assert talk.executed() == old.executed() == []


def test_rejection_reason_reaches_the_model(talk: Conversation) -> None:
    reason = 'Nein, "nicht" diese\nDatei \u202e!'
    for graph in ("hitl-python", "per-call", "subagent"):
        other = talk.on(graph)
        assert decide_all(other, other.say("delete path=/a"), [{**REJECT, "message": reason}]) == []
        assert other.executed() == []
        expected = f"User rejected the tool call for `delete_file` with reason: {reason}"
        assert other.told()[0] == ("delete_file", expected), graph


def test_response_reaches_the_model_in_place_of_an_outcome(talk: Conversation) -> None:
    words = 'Use the "new" address\n\u202e'
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        assert decide_all(other, other.say("email"), [{"type": "respond", "message": words}]) == []
        assert other.executed() == []
        assert other.told()[0] == ("send_email", words), graph


def test_ignored_call_does_not_run(talk: Conversation) -> None:
    for graph in ("human-interrupt", "agent-os"):
        other = talk.on(graph)
        assert decide_all(other, other.say("delete path=/a"), [REJECT]) == []
        assert other.executed() == []
        assert "ignored" in other.told()[0][1]


def test_same_call_twice_is_decided_in_reverse(talk: Conversation) -> None:
    for graph in ("per-call", "human-interrupt"):
        other = talk.on(graph)
        asked = {
            args["path"]: (one, name) for one, name, args in calls(other.say("delete path=/a then delete path=/b"))
        }
        by_id = {one["id"]: one for one in other.waiting()}
        second, first = asked["/b"][0], asked["/a"][0]
        left = interrupts(events(other.resume({second: answer(graph, by_id[second], [APPROVE])})))
        assert [one["id"] for one in left] == [first], graph
        assert other.executed() == [("delete_file", '{"path":"/b"}')]
        assert [one for one, _, _ in calls(other.waiting())] == [first], graph
        assert interrupts(events(other.resume({first: answer(graph, by_id[first], [REJECT])}))) == []
        assert other.executed() == [("delete_file", '{"path":"/b"}')]
    for graph in ("hitl-python", "agent-os", "subagent"):
        other = talk.on(graph)
        assert decide_all(other, other.say("delete path=/a then delete path=/b"), [REJECT, APPROVE]) == []
        assert other.executed() == [("delete_file", '{"path":"/b"}')], graph


def test_three_calls_are_mixed(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        asked = other.say("delete path=/a then email to=bob@example.com then transfer amount=5")
        decisions = {"delete_file": APPROVE, "send_email": REJECT}
        if graph == "agent-os":
            order = ["delete_file", "send_email", "transfer_funds"]
        else:
            order = [tool for _, tool, _ in calls(asked)]
        transfer = {"to_account": "x", "amount": 6, "currency": "EUR", "reference": BIG}
        decisions["transfer_funds"] = edit_of("transfer_funds", transfer)
        assert decide_all(other, asked, [decisions[tool] for tool in order]) == [], graph
        expected = [("delete_file", '{"path":"/a"}'), ("transfer_funds", text_of(transfer))]
        assert sorted(other.executed()) == expected, graph


def test_ungated_call_runs_unasked(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        assert other.say("read path=/r") == []
        assert other.executed() == [("read_file", '{"path":"/r"}')], graph


def test_next_turn_asks_again(talk: Conversation) -> None:
    for graph in ("hitl-python", "per-call", "human-interrupt", "agent-os"):
        other = talk.on(graph)
        asked = decide_all(other, other.say("delete path=/a later delete path=/b"), [APPROVE])
        [(_, _, args)] = calls(asked)
        assert args == {"path": "/b"}, graph
        assert decide_all(other, asked, [REJECT]) == []
        assert other.executed() == [("delete_file", '{"path":"/a"}')], graph


def test_task_that_was_answered_and_asks_again_waits(talk: Conversation) -> None:
    # As langgraph tells it before 1.2.20; a task that came to its end has a result.
    task = {"name": "approval", "error": None, "interrupts": [{"id": "0" * 32, "value": {}}]}
    for result, waits in ((None, True), ({}, True), ({"messages": []}, False)):
        assert bool(waiting({"tasks": [{**task, "result": result}]})) is waits, result


def test_agent_os_asks_one_after_the_other_and_runs_at_the_end(talk: Conversation) -> None:
    other = talk.on("agent-os")
    [first] = other.say("delete path=/a then delete path=/b")
    [second] = interrupts(events(other.resume({first["id"]: [ACCEPT]})))
    assert second["id"] != first["id"] and other.executed() == []
    refused(other.resume({first["id"]: [ACCEPT]}), 409, "does not wait")
    assert other.executed() == []
    assert interrupts(events(other.resume({second["id"]: [IGNORE]}))) == []
    assert other.executed() == [("delete_file", '{"path":"/a"}')]


def test_sub_agent_shows_its_interrupt_in_its_namespace(talk: Conversation) -> None:
    other = talk.on("subagent")
    words = {"messages": [{"role": "user", "content": "delegate: delete path=/a"}]}
    seen = events(other.run(input=words, stream_subgraphs=True))
    inner = [name for name, data in seen if "|tools:" in name and "__interrupt__" in data]
    assert inner, [name for name, _ in seen]
    assert [tool for _, tool, _ in calls(other.waiting())] == ["delete_file"]


def test_tool_failure_is_its_outcome(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        assert decide_all(other, other.say("delete path=/missing"), [APPROVE]) == [], graph
        assert "there is no /missing" in other.told()[0][1], graph
        if graph != "subagent":
            [(_, status, _)] = other.tool_messages()
            assert status == "error", graph


def test_crash_of_the_model_is_an_error_event(talk: Conversation) -> None:
    text = talk.run(input={"messages": [{"role": "user", "content": "crash"}]}).text
    assert "event: error" in text


def test_wait_answers_with_the_values(talk: Conversation) -> None:
    found = talk.run("wait", input={"messages": [{"role": "user", "content": "delete path=/a"}]}).json()
    # The server names it once for each stream mode.
    [one] = {one["id"]: one for one in found["__interrupt__"]}.values()
    assert talk.run("wait", command={"resume": {one["id"]: {"decisions": [APPROVE]}}}).status_code == 200
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_thread_shows_request_and_outcome(talk: Conversation) -> None:
    created = talk.backend.http.post("/threads", json={"thread_id": talk.thread, "metadata": None}).json()
    assert created["thread_id"] == talk.thread and talk.waiting() == []
    [one] = talk.say("delete path=/a")
    assert calls(talk.waiting()) == calls([one])
    talk.resume({one["id"]: {"decisions": [APPROVE]}})
    assert talk.waiting() == []
    assert talk.tool_messages() == [("delete_file", "success", "Deleted /a.")]
    history = talk.backend.http.post(f"/threads/{talk.thread}/history", json={"limit": 50}).json()
    kept = [one["id"] for state in history for task in state["tasks"] for one in task["interrupts"]]
    assert one["id"] in kept


def test_noted_arguments_stand_on_the_wire_as_the_same_text(talk: Conversation) -> None:
    words = f'transfer to_account="ü \\u202e" amount=12.50 reference={BIG}'
    stream = talk.run(input={"messages": [{"role": "user", "content": words}]})
    [one] = interrupts(events(stream))
    state = talk.backend.http.get(f"/threads/{talk.thread}/state").text
    talk.resume({one["id"]: {"decisions": [APPROVE]}})
    text = talk.executed()[0][1]
    assert "\u202e" in text and text in stream.text and text in state, (text, state)


def test_other_page_sees_the_decision_live(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a")
    seen, connected = [], threading.Event()

    def watch() -> None:
        with talk.backend.http.stream("GET", f"/threads/{talk.thread}/stream") as stream:
            connected.set()
            for line in stream.iter_lines():
                seen.append(line)
                if "Deleted /a." in line:
                    return

    watching = threading.Thread(target=watch, daemon=True)
    watching.start()
    assert connected.wait(10)
    talk.resume({one["id"]: {"decisions": [APPROVE]}})
    watching.join(10)
    assert any("Deleted /a." in line for line in seen)


def test_page_that_was_loaded_again_hears_the_run(talk: Conversation) -> None:
    created = talk.backend.http.post("/threads", json={"thread_id": talk.thread, "metadata": {}})
    assert created.status_code == 200, created.text
    refused(talk.backend.http.post("/threads", json={"metadata": {"graph_id": "subagent"}}), 422, "nothing but the id")
    said = talk.run(stream_resumable=True, input={"messages": [{"role": "user", "content": "delete path=/a"}]})
    run = said.headers["content-location"].rpartition("/")[2]
    path, header = f"/threads/{talk.thread}/runs/{run}/stream", {"Last-Event-ID": "-1"}
    # Whoever leaves again does not end the run.
    again = talk.backend.http.get(path, headers=header, params={"cancel_on_disconnect": "1"})
    listed = talk.backend.http.get(f"/threads/{talk.thread}/runs", params={"limit": "1", "select": "kwargs"}).json()
    assert [one["run_id"] for one in listed] == [run]
    assert listed[0].keys() == {"run_id", "status"}
    assert calls(interrupts(events(again))) == calls(interrupts(events(said))) != []


def test_r50_second_answer_is_refused(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        [one] = other.say("delete path=/a")
        assert events(other.resume({one["id"]: answer(graph, one, [REJECT])}))
        refused(other.resume({one["id"]: answer(graph, one, [APPROVE])}), 409, "does not wait")
        assert other.executed() == [], graph


def test_r50_of_many_answers_at_once_one_runs(talk: Conversation) -> None:
    for graph in ("hitl-python", "agent-os"):
        other = talk.on(graph)
        [one] = other.say("delete path=/a then delete path=/b")
        count = 1 if graph == "agent-os" else 2
        answers = {one["id"]: answer(graph, one, [APPROVE] * count)}
        with ThreadPoolExecutor(6) as pool:
            sent = list(pool.map(other.resume, [answers] * 6))
        assert sorted(each.status_code for each in sent) == [200] + [409] * 5, graph
        assert len(other.executed()) == (0 if graph == "agent-os" else 2)


def test_r50_repeated_answer_runs_once_and_tells_the_outcome(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a later delete path=/b")
    answers = {one["id"]: {"decisions": [APPROVE]}}
    first, second = (events(talk.resume(answers, key="k1")) for _ in range(2))
    assert calls(interrupts(first)) == calls(interrupts(second)) != []
    assert second[-1][1]["messages"] == first[-1][1]["messages"]
    assert talk.run("wait", key="k1", command={"resume": answers}).json()["messages"]
    refused(talk.resume({one["id"]: {"decisions": [REJECT]}}, key="k1"), 409, "another answer")
    assert talk.executed() == [("delete_file", '{"path":"/a"}')]


def test_r50_answers_to_nothing_open_are_refused(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a")
    good = {"decisions": [APPROVE]}
    refused(talk.resume({"0" * 32: good}), 409, "does not wait")
    refused(talk.resume({one["id"]: good, "0" * 32: good}), 409, "does not wait")
    for bare in (good, {}, [good], "approve", True):
        refused(talk.resume(bare), 422, "interrupt ids")
    refused(talk.on("hitl-python").resume({one["id"]: good}), 404, "no thread")
    other = talk.on("hitl-python")
    other.say("read")
    refused(other.resume({one["id"]: good}), 409, "does not wait")
    assert talk.executed() == []


def test_r50_answers_must_be_complete_allowed_and_well_spelt(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a then transfer")
    edit = edit_of("delete_file", {"path": "/b"})
    for decisions, words in (
        ([APPROVE], "2 request(s)"),
        ([APPROVE] * 3, "2 request(s)"),
        ([edit, APPROVE], "one of approve, reject"),
        ([{"type": "respond", "message": "x"}, APPROVE], "one of approve, reject"),
        ([ACCEPT, APPROVE], "one of approve, reject"),
        ([{**APPROVE, "args": {}}, APPROVE], "nothing else"),
        ([{**REJECT, "message": 1}, APPROVE], "at most a `message`"),
        ([APPROVE, {"type": "edit", "editedAction": {}}], "`edited_action`"),
        ([APPROVE, None], "one of"),
    ):
        refused(talk.resume({one["id"]: {"decisions": decisions}}), 422, words)
    refused(talk.resume({one["id"]: {"decisions": [APPROVE, APPROVE], "more": 1}}), 422, "`decisions`")
    old = talk.on("human-interrupt")
    [request] = old.say("delete path=/a")
    for response, words in (
        (ACCEPT, "1 request(s)"),
        ([APPROVE], "one of accept, response, ignore"),
        ([{"type": "edit", "args": {"action": "delete_file", "args": {"path": "/b"}}}], "one of accept"),
        ([{"type": "accept", "args": {"path": "/b"}}], "no arguments"),
        ([{"type": "accept"}], "`type` and `args`"),
        ([{"type": "response", "args": None}], "is text"),
    ):
        refused(old.resume({request["id"]: response}), 422, words)
    # Nothing of that stuck: both can still be answered.
    assert decide_all(talk, [one], [APPROVE, REJECT]) == decide_all(old, [request], [APPROVE]) == []
    assert talk.executed() == old.executed() == [("delete_file", '{"path":"/a"}')]


def test_r50_pages_cannot_write_state_or_history(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a")
    good = {one["id"]: {"decisions": [APPROVE]}}
    for members, words in (
        ({"command": {"resume": good, "update": {"messages": []}}}, "nothing else"),
        ({"command": {"goto": "tools"}}, "nothing else"),
        ({"command": {"resume": good}, "input": {"messages": []}}, "nothing else"),
        ({"command": {"resume": good}, "checkpoint": {"checkpoint_id": "x"}}, "`checkpoint`"),
        ({"command": {"resume": good}, "config": {"configurable": {}}}, "`config`"),
        ({"command": {"resume": good}, "webhook": "http://127.0.0.1/"}, "`webhook`"),
        ({"command": {"resume": good}, "interrupt_before": "*"}, "`interrupt_before`"),
        ({"command": {"resume": good}, "metadata": {"graph_id": "x"}}, "`metadata`"),
        ({"input": None}, "one message"),
        ({"input": {"messages": [{"role": "assistant", "content": "x"}]}}, "one message"),
        ({"input": {"messages": [{"type": "tool", "content": "x", "tool_call_id": "y"}]}}, "one message"),
        ({"input": {"messages": [{"role": "user", "content": []}]}}, "is text"),
        ({"input": {"messages": [], "hitl_edited_tool_calls": {}}}, "one message"),
    ):
        refused(talk.run(**members), 422, words)
    twice = json.dumps({"assistant_id": talk.graph})[:-1] + ',"assistant_id":"agent-os"}'
    sent = talk.backend.http.post(
        f"/threads/{talk.thread}/runs/stream", content=twice, headers={"Content-Type": "application/json"}
    )
    refused(sent, 400, "twice")
    assert talk.executed() == [] and calls(talk.waiting()) == calls([one])


def test_message_id_of_a_page_replaces_nothing(talk: Conversation) -> None:
    talk.say("read path=/r")
    before = talk.state()["values"]["messages"]
    events(talk.run(input={"messages": [{"role": "user", "content": "hello", "id": before[1]["id"]}]}))
    assert talk.state()["values"]["messages"][: len(before)] == before


def test_r50_thread_stays_with_its_graph(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a")
    stranger = Conversation(talk.backend, "human-interrupt", talk.thread)
    refused(stranger.resume({one["id"]: {"decisions": [APPROVE]}}), 422, "belongs to `hitl-python`")
    refused(stranger.run(input={"messages": [{"role": "user", "content": "x"}]}), 422, "belongs to")
    assert talk.executed() == []


def test_r50_pages_reach_few_routes(talk: Conversation) -> None:
    http, thread = talk.backend.http, f"/threads/{talk.thread}"
    talk.say("delete path=/a")
    refused(http.get(f"{thread}/runs/stream"), 404, "is no route for pages")
    for path in ("/", "/ok", "/info", "/docs", "/openapi.json", "/metrics", "/internal/truncate", "/deploy"):
        refused(http.get(path), 404, "is no route for pages")
    for path in (
        f"{thread}/state",
        f"{thread}/copy",
        f"{thread}/state/checkpoint",
        f"{thread}/runs",
        f"{thread}/commands",
        "/runs/stream",
        "/runs/wait",
        "/runs/cancel",
        "/threads/search",
        "/threads/prune",
        "/internal/truncate",
        "/store/items/search",
        "/assistants",
        "/mcp/",
        "/noauth/threads/search",
    ):
        refused(http.post(path, json={}), 404, "is no route for pages")
    for method in ("PATCH", "DELETE", "PUT"):
        refused(http.request(method, thread, json={}), 404, "is no route for pages")
    refused(http.post("/threads", json={"supersteps": []}), 422, "nothing but the id")
    refused(http.post(f"{thread}/history", json={"checkpoint": {"checkpoint_id": "x"}}), 422, "from the end")
    assert len(talk.waiting()) == 1


def test_r50_only_the_listed_page_gets_through(talk: Conversation) -> None:
    check_fence(talk.backend, f"/threads/{talk.thread}/runs/stream")


def test_failed_send_runs_nothing_and_a_lost_reply_runs_once(talk: Conversation) -> None:
    for when, runs in (("before", 0), ("after", 1)):
        other = talk.on("hitl-python")
        [one] = other.say("delete path=/a")
        other.backend.fail_next(count=1, status=503, when=when, context=other.thread)
        answers = {one["id"]: {"decisions": [APPROVE]}}
        assert other.resume(answers, key="one").status_code == 503
        assert len(other.executed()) == runs
        assert events(other.resume(answers, key="one"))
        assert len(other.executed()) == 1


def test_page_that_goes_away_does_not_stop_what_was_approved(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a later read path=/b")
    body = {"assistant_id": talk.graph, "command": {"resume": {one["id"]: {"decisions": [APPROVE]}}}}
    with talk.backend.http.stream("POST", f"/threads/{talk.thread}/runs/stream", json=body):
        pass
    for _ in range(100):
        if len(talk.executed()) == 2:
            break
        time.sleep(0.1)
    assert [tool for tool, _ in talk.executed()] == ["delete_file", "read_file"]


def test_conversations_do_not_mix(talk: Conversation) -> None:
    others = [talk.on("hitl-python") for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda pair: pair[1].say(f"read path=/{pair[0]}"), enumerate(others)))
    assert [other.executed() for other in others] == [[("read_file", f'{{"path":"/{at}"}}')] for at in range(4)]


def test_new_words_leave_the_pause_behind(talk: Conversation) -> None:
    [one] = talk.say("delete path=/a")
    assert talk.say("hello") == []
    refused(talk.resume({one["id"]: {"decisions": [APPROVE]}}), 409, "does not wait")
    assert talk.executed() == []


def test_r50_old_pause_has_ended(talk: Conversation) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "1")
    try:
        for graph in ALL_GRAPHS:
            late = Conversation(backend, graph)
            asked = late.say("delete path=/a then delete path=/b")
            assert late.waiting() != []
            time.sleep(1.1)
            assert late.waiting() == [], graph
            one = asked[0]
            count = len(calls([one]))
            refused(late.resume({one["id"]: answer(graph, one, [APPROVE] * count)}), 409, "does not wait")
            names = ["delegate"] if graph == "subagent" else ["delete_file"] * 2
            assert late.tool_messages() == [(name, "error", TOO_LATE) for name in names], graph
            assert late.state()["next"] == [], graph
            # The conversation goes on, and the model knows.
            assert late.say("read path=/r") == [], graph
            assert [outcome for _, outcome in late.told()][: len(names)] == [TOO_LATE] * len(names), graph
            assert late.executed() == [("read_file", '{"path":"/r"}')], graph
    finally:
        backend.stop()


def test_time_out_keeps_what_ran_beside_the_pause(talk: Conversation) -> None:
    backend = Backend(SCRIPT, "--timeout-s", "2")
    try:
        late = Conversation(backend, "per-call")
        first, second = late.say("delete path=/a then delete path=/b")
        assert interrupts(events(late.resume({first["id"]: APPROVE})))
        time.sleep(2.1)
        assert late.waiting() == []
        outcomes = sorted((status, text) for _, status, text in late.tool_messages())
        ran = first["value"]["args"]["path"]
        assert outcomes == [("error", TOO_LATE), ("success", f"Deleted {ran}.")], outcomes
        refused(late.resume({second["id"]: APPROVE}), 409, "does not wait")
        assert len(late.executed()) == 1
    finally:
        backend.stop()


def test_pause_outlives_a_restart(talk: Conversation) -> None:
    with tempfile.TemporaryDirectory() as folder:
        first = Backend(SCRIPT, "--state", folder)
        before = {}
        try:
            for graph in ALL_GRAPHS:
                before[graph] = Conversation(first, graph), None
                before[graph] = before[graph][0], before[graph][0].say(f"transfer reference={BIG}")
        finally:
            first.stop()
        second = Backend(SCRIPT, "--state", folder)
        try:
            for graph, (old, asked) in before.items():
                after = Conversation(second, graph, old.thread)
                assert calls(after.waiting()) == calls(asked), graph
                [(_, tool, args)] = calls(asked)
                edited = {**args, "amount": 1.5}
                assert decide_all(after, asked, [edit_of(tool, edited)]) == [], graph
                assert after.executed() == [("transfer_funds", text_of(edited))], graph
        finally:
            second.stop()
        third = Backend(SCRIPT, "--state", folder)
        try:
            for graph, (old, asked) in before.items():
                settled = Conversation(third, graph, old.thread)
                [one] = asked
                refused(settled.resume({one["id"]: answer(graph, one, [APPROVE])}), 409, "does not wait")
                assert len(settled.executed()) == 1
        finally:
            third.stop()


if __name__ == "__main__":
    # The server looks for new runs twice a second: most of the time of a test is waiting.
    sys.exit(run_tests(globals() | shown_tests(), SCRIPT, Conversation, at_once=6))
