"""Reads an answer to a task of `to_a2a` and compares it with what was asked. Pure: JSON in, `Refused` or nothing out.

google-adk 2.13 takes more than a person can have meant. A partial answer completes the task, and the rest is lost, and
so does an outcome that a page made up; an answer without `confirmed` is a rejection; an edit for a gate that takes none
is dropped and the original call runs; a number beyond 2^53 in an edit arrives rounded, for a2a-sdk 1.x carries numbers as
doubles. All of that is refused here, before it.

What cannot be checked here are digests of the argument text: the server writes the same arguments anew for every reader,
their members in any order.
"""

from dataclasses import dataclass
from typing import Any

from countersign_backend.adk_answer import CONFIRMATION, check_response
from countersign_backend.guarding import Refused

EXACT = 2**53
"""Up to here every integer is a double of its own."""


@dataclass(frozen=True)
class Request:
    """A tool call that waits. Its arguments are those that the server stored, never those of an answer."""

    id: str
    call: str
    tool: str
    args: dict[str, Any]
    takes_edits: bool


def waiting(parts: list[dict[str, Any]]) -> list[Request]:
    """The requests in the status message of a paused task, its parts as JSON of A2A 1.0."""
    found = []
    for part in parts:
        data = part.get("data")
        if isinstance(data, dict) and data.get("name") == CONFIRMATION:
            call = data["args"]["originalFunctionCall"]
            args = call.get("args") or {}
            payload = data["args"].get("toolConfirmation", {}).get("payload")
            # Only adk-deepagents asks in this form, and only it looks at `modified_args`.
            takes_edits = payload == {"approval_id": call["id"], "tool": call["name"], "args": args}
            found.append(Request(data["id"], call["id"], call["name"], args, takes_edits))
    return found


def answers(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers in a message of either version; none if it is only words.

    # Errors
    `Refused` for parts that are not the person's to send.
    """
    parts = message.get("parts")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise Refused("a message has parts")
    if all(isinstance(part.get("text"), str) and part.keys() <= {"kind", "text", "metadata"} for part in parts):
        return []
    found = [_answer(part) for part in parts]
    for answer in found:
        if answer.keys() != {"id", "name", "response"}:
            raise Refused("an answer has `id`, `name` and `response`")
    return found


def _answer(part: dict[str, Any]) -> dict[str, Any]:
    data, metadata = part.get("data"), part.get("metadata")
    if not isinstance(data, dict) or part.keys() - {"kind", "data", "metadata"}:
        raise Refused("a message is either words or answers, nothing else")
    # Calls and outcomes of tools have the same form; those are not the person's to send.
    if metadata != {"adk_type": "function_response"} or data.get("name") != CONFIRMATION:
        raise Refused("only answers to approval requests are accepted in this form")
    return data


def check(found: list[dict[str, Any]], requests: list[Request]) -> None:
    """Compares answers with the requests that wait.

    # Errors
    `Refused` unless they cover every open request, each exactly once, in a form that its gate understands.
    """
    ids = [answer["id"] for answer in found]
    by_id = {request.id: request for request in requests}
    if len(set(ids)) != len(ids) or set(ids) != by_id.keys():
        raise Refused("the answer must name every open request once, and no other")
    for answer in found:
        check_response(answer["response"], by_id[answer["id"]])
        if _is_rounded(answer["response"].get("payload", {}).get("modified_args", {})):
            raise Refused("a number beyond 2^53 would arrive rounded")


def _is_rounded(value: Any) -> bool:
    if isinstance(value, dict | list):
        return any(_is_rounded(inner) for inner in (value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) > EXACT

