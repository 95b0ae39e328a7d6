"""Reads an answer to LangGraph interrupts and compares it with what was asked. Pure: JSON in, `Refused` or nothing out.

The server keeps a wrong answer: every later one then fails with the error of the first, and the pause can no longer be
answered. It gives a bare answer to whatever waits at that moment, runs another tool if an edit names one, ignores ids
that it does not know without a word. So nothing reaches it that does not fit in every detail.
"""

import re
from dataclasses import dataclass
from typing import Any

from countersign_backend import digests, edited, finite, signatures
from countersign_backend.guarding import Refused

DIGESTS = "countersign_args_digests"
"""In the run's `metadata`, optional: request id → SHA-256 of the argument text that was on the screen, in hexadecimal.
The request id is the interrupt's id, and in a batch of the middleware this, a slash and the place in the batch."""

INTERRUPT_ID = re.compile(r"[0-9a-f]{32}")
REJECTIONS = {"reject", "ignore"}
FLAGS = {"accept": "allow_accept", "edit": "allow_edit", "response": "allow_respond", "ignore": "allow_ignore"}


@dataclass(frozen=True)
class Request:
    """A tool call that waits, and what may be decided. Its arguments are those that the server writes to every reader."""

    id: str
    action: str
    """The name as the interrupt spells it, which an edit repeats."""
    args: dict[str, Any]
    allowed: tuple[str, ...]

    @property
    def tool(self) -> str:
        """The name of the tool that runs."""
        return self.action.removeprefix("tool_approval_")


def waiting(state: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The interrupts of a thread state that wait for an answer, by id."""
    # Before langgraph 1.2.20 a task that was answered and asks again has an empty result.
    open_tasks = [task for task in state.get("tasks") or [] if not task.get("error") and not task.get("result")]
    return {one["id"]: one for task in open_tasks for one in task.get("interrupts") or []}


def check(resume: Any, interrupts: dict[str, dict[str, Any]], digests: Any = None) -> None:
    """Compares the answers in `resume` with the interrupts that wait.

    # Errors
    `Refused` unless each answer names an interrupt that waits, and decides all of its requests in an allowed way.
    """
    if not isinstance(resume, dict) or not resume or not all(INTERRUPT_ID.fullmatch(one) for one in resume):
        raise Refused("`resume` is an object of interrupt ids")
    decided: dict[str, tuple[Request, str]] = {}
    for interrupt_id, answer in resume.items():
        if interrupt_id not in interrupts:
            raise Refused(f"the interrupt `{interrupt_id}` does not wait for an answer (any more)", 409)
        for request, word in _check_answer(answer, interrupts[interrupt_id]):
            decided[request.id] = request, word
    _check_digests(digests, decided)


def _check_answer(answer: Any, interrupt: dict[str, Any]) -> list[tuple[Request, str]]:
    """What was asked, each with the word that decides it."""
    value, name = interrupt["value"], interrupt["id"]
    if isinstance(value, dict) and "action_requests" in value:
        configs = {config["action_name"]: tuple(config["allowed_decisions"]) for config in value["review_configs"]}
        asked = [
            Request(f"{name}/{at}", action["name"], action["args"], configs[action["name"]])
            for at, action in enumerate(value["action_requests"])
        ]
        if not isinstance(answer, dict) or answer.keys() != {"decisions"}:
            raise Refused("a batch is answered with `decisions`")
        return _check_each(answer["decisions"], asked, _check_decision)
    if isinstance(value, dict) and value.get("type") == "tool_approval":
        asked = [Request(name, value["name"], value["args"], _decision_types(interrupt))]
        return _check_each([answer], asked, _check_decision)
    if several := _human_interrupts(value):
        ids = [name] if len(several) == 1 else [f"{name}/{at}" for at in range(len(several))]
        asked = [_human_request(one, request_id) for one, request_id in zip(several, ids, strict=True)]
        return _check_each(answer, asked, _check_human_response)
    raise Refused(f"the interrupt `{name}` is not asked in a form that is known here")


def _human_interrupts(value: Any) -> list[dict[str, Any]]:
    several = value if isinstance(value, list) else [value]
    return several if all(isinstance(one, dict) and "action_request" in one for one in several) else []


def _human_request(value: dict[str, Any], request_id: str) -> Request:
    action, config = value["action_request"], value["config"]
    allowed = tuple(word for word, flag in FLAGS.items() if config.get(flag) is True)
    return Request(request_id, action["action"], action["args"], allowed)


def _decision_types(interrupt: dict[str, Any]) -> tuple[str, ...]:
    schema = interrupt.get("response_schema") or {}
    mapping = (schema.get("discriminator") or {}).get("mapping")
    return tuple(mapping) if mapping else (schema["properties"]["type"]["const"],)


def _check_each(answers: Any, asked: list[Request], check_one) -> list[tuple[Request, str]]:
    if not isinstance(answers, list) or len(answers) != len(asked):
        raise Refused(f"{len(asked)} request(s) need as many answers, in their order")
    for answer, request in zip(answers, asked, strict=True):
        if not isinstance(answer, dict) or answer.get("type") not in request.allowed:
            raise Refused(f"`{request.id}` is answered with one of {', '.join(request.allowed)}")
        check_one(answer, request)
    return [(request, answer["type"]) for answer, request in zip(answers, asked, strict=True)]


def _check_decision(decision: dict[str, Any], request: Request) -> None:
    word, members = decision["type"], decision.keys() - {"type"}
    if word == "edit":
        if members != {"edited_action"}:
            raise Refused("an edit has `edited_action` and nothing else")
        _check_edit(decision["edited_action"], "name", request)
    elif word == "approve" and members:
        raise Refused("an approval has nothing else")
    elif word == "reject" and (members - {"message"} or not isinstance(decision.get("message", ""), str)):
        raise Refused("a rejection has at most a `message`")
    elif word == "respond" and (members != {"message"} or not isinstance(decision["message"], str)):
        raise Refused("a response has a `message`")


def _check_human_response(response: dict[str, Any], request: Request) -> None:
    word, args = response["type"], response.get("args")
    if response.keys() != {"type", "args"}:
        raise Refused("a response has `type` and `args`")
    if word == "edit":
        _check_edit(args, "action", request)
    elif word == "response":
        if not isinstance(args, str):
            raise Refused("a response is text")
    elif args is not None:
        raise Refused(f"`{word}` carries no arguments: those that were shown run")


def _check_edit(edit: Any, name: str, request: Request) -> None:
    if not isinstance(edit, dict) or edit.keys() != {name, "args"} or not isinstance(edit["args"], dict):
        raise Refused(f"an edit has `{name}` and `args`, an object")
    if edit[name] != request.action:
        # Another tool would run, and whether that one needs approval nobody asks.
        raise Refused("an edit cannot choose another tool")
    if finite.holds_nul(edit["args"]):
        raise Refused("the edited arguments hold NUL or its escape, which this server shows, and may run, as U+FFFD")
    if found := edited.problems(signatures.schema(request.tool), edit["args"]):
        raise Refused(f"the edited arguments do not fit: {found[0]}")


def _check_digests(given: Any, decided: dict[str, tuple[Request, str]]) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        raise Refused(f"`{DIGESTS}` is an object of request ids")
    for request_id, digest in given.items():
        if request_id not in decided:
            raise Refused(f"`{request_id}` is not answered here")
        request, word = decided[request_id]
        # A rejection runs nothing. Held to it, what is shown otherwise than it would run could not even be rejected.
        if word not in REJECTIONS and digest not in digests.of_shown(request.args):
            raise Refused(f"`{request_id}` was decided on other arguments than those that would run", 409)
