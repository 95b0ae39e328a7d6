"""Smoke tests of `langgraph.py`: what was on the screen is what runs, or nobody is asked."""

import hashlib
from collections.abc import Callable

from countersign_backend.http_smoke import BIG, refused
from countersign_backend.langgraph_talk import (
    ALL_GRAPHS,
    APPROVE,
    REJECT,
    Conversation,
    answer,
    calls,
    decide_all,
    edit_of,
    events,
)

NUL = ("\0", r"\u0000")
"""NUL, and the six characters of its escape, as a text holds them."""


def shown_tests() -> dict[str, Callable[[Conversation], None]]:
    """The tests below, by name."""
    return {name: test for name, test in globals().items() if name.startswith("test_")}


def digest(request: str, text: str) -> dict[str, dict[str, str]]:
    """The metadata of a run: this argument text was on the screen for this request."""
    return {"countersign_args_digests": {request: hashlib.sha256(text.encode()).hexdigest()}}


def quoted(text: str) -> str:
    """A value for the words of the script."""
    return '"' + text.replace("\\", r"\\").replace("\0", r"\u0000") + '"'


def test_r50_digest_of_other_arguments_is_refused(talk: Conversation) -> None:
    for graph, suffix in (("hitl-python", "/0"), ("per-call", ""), ("agent-os", "")):
        other = talk.on(graph)
        [one] = other.say("delete path=/a")
        for text, fits in (('{"path":"/b"}', False), ('{"path":"/a"}', True)):
            sent = other.resume({one["id"]: answer(graph, one, [APPROVE])}, metadata=digest(one["id"] + suffix, text))
            if fits:
                assert events(sent)
            else:
                refused(sent, 409, "other arguments")
        assert len(other.executed()) == 1


def test_r50_digest_of_the_spelling_on_the_wire_is_taken(talk: Conversation) -> None:
    for amount in ("1e-7", "1e-07"):
        other = talk.on("hitl-python")
        [one] = other.say("transfer amount=1e-7 to_account=x")
        text = f'{{"to_account":"x","amount":{amount},"currency":"EUR","reference":{BIG}}}'
        metadata = digest(f"{one['id']}/0", text)
        assert events(other.resume({one["id"]: answer("hitl-python", one, [APPROVE])}, metadata=metadata))
        assert len(other.executed()) == 1


def test_nobody_is_asked_about_a_number_that_no_page_could_show(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        assert other.say("transfer amount=1e400") == [], graph
        assert other.executed() == [] and "infinite" in other.told()[0][1], graph
    # With another call in the turn neither runs, and the agent goes on.
    assert talk.say("delete path=/a then transfer amount=NaN") == [] and talk.executed() == []
    [one] = talk.say("delete path=/b")
    assert decide_all(talk, [one], [APPROVE]) == [] and len(talk.executed()) == 1


def test_server_writes_nul_otherwise_than_it_came(talk: Conversation) -> None:
    # What `finite.py` says of it. Here it is no argument, but words.
    for text, shown in (("\0", "\ufffd"), (r"\u0000", r"\ufffd"), (r"\U0000", r"\U0000")):
        other = talk.on("hitl-python")
        other.say(f"x{text}y")
        assert other.state()["values"]["messages"][0]["content"] == f"x{shown}y"


def test_nobody_is_asked_about_nul(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        for text in NUL:
            other = talk.on(graph)
            assert other.say(f"delete path={quoted(f'/a{text}b')}") == [], (graph, text)
            assert other.executed() == [] and "NUL" in other.told()[0][1], (graph, text)
    # With another call in the turn neither runs, and the agent goes on.
    assert talk.say(f"delete path=/a then email body={quoted(NUL[1])}") == [] and talk.executed() == []
    [one] = talk.say("delete path=/b")
    assert decide_all(talk, [one], [APPROVE]) == [] and len(talk.executed()) == 1


def test_what_only_looks_like_nul_is_asked_about(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        for text in ("/\ufffd", r"/\ufffd", r"/\U0000", r"/\\x00"):
            other = talk.on(graph)
            asked = other.say(f"delete path={quoted(text)}")
            assert [args for _, _, args in calls(asked)] == [{"path": text}], (graph, text)
            assert decide_all(other, asked, [APPROVE]) == []
            assert len(other.executed()) == 1
        # Nobody is asked about this one either way.
        other = talk.on(graph)
        assert other.say(f"read path={quoted(NUL[1])}") == [] and len(other.executed()) == 1, graph


def test_edit_holds_no_nul(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        [one] = other.say("email")
        [(_, tool, args)] = calls([one])
        for text in NUL:
            edit = edit_of(tool, {**args, "body": text})
            refused(other.resume({one["id"]: answer(graph, one, [edit])}), 422, "NUL")
        assert decide_all(other, [one], [APPROVE]) == []
        assert len(other.executed()) == 1, graph


def test_r50_digest_is_not_held_against_a_rejection(talk: Conversation) -> None:
    for graph in ALL_GRAPHS:
        other = talk.on(graph)
        [one] = other.say("delete path=/a")
        place = "/0" if graph in ("hitl-python", "subagent") else ""
        metadata = digest(one["id"] + place, '{"path":"/b"}')
        refused(other.resume({one["id"]: answer(graph, one, [APPROVE])}, metadata=metadata), 409, "other arguments")
        assert events(other.resume({one["id"]: answer(graph, one, [REJECT])}, metadata=metadata)), graph
        assert other.executed() == [] and other.waiting() == [], graph
    # Beside a rejection an approval is held to its own.
    [one] = talk.say("delete path=/a then delete path=/b")
    both = {"decisions": [REJECT, APPROVE]}
    refused(talk.resume({one["id"]: both}, metadata=digest(f"{one['id']}/1", '{"path":"/a"}')), 409, "other arguments")
    assert events(talk.resume({one["id"]: both}, metadata=digest(f"{one['id']}/0", '{"path":"/b"}')))
    assert talk.executed() == [("delete_file", '{"path":"/b"}')]
