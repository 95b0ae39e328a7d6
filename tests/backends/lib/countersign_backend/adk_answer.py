"""Reads an answer to an ADK session and compares it with what was asked. Pure: JSON in, `Refused` or nothing out.

google-adk 2.13 takes more than a person can have meant: an answer without `confirmed` is a rejection; one request can
be answered while its siblings stay open, and the model speaks in between; an edit for a gate that takes none is dropped
and the original call runs; an edit of the wrong type runs as it is; an outcome that a page made up is what the model
reads. All of that is refused here, before it.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from countersign_backend import digests, edited, signatures
from countersign_backend.guarding import Refused

CONFIRMATION = "adk_request_confirmation"
DIGESTS = "countersign_args_digests"
"""In `customMetadata`, optional: call id → SHA-256 of the argument text that was on the screen, in hexadecimal."""

RUN_MEMBERS = {"appName", "userId", "sessionId", "newMessage", "streaming", "customMetadata"}
"""What a page may say. Left out with reason: `stateDelta` writes what the agent takes for its own memory, and
`invocationId` and `functionCallEventId` choose another point in the session than the one that was on the screen."""


@dataclass(frozen=True)
class Request:
    """A tool call that waits. Its arguments are those that the session stored, never those of an answer."""

    id: str
    call: str
    tool: str
    args: dict[str, Any]
    turn: str
    """The event that asked: requests of one event are answered together."""
    asked_at: float
    """Seconds since the Unix epoch."""
    takes_edits: bool
    author: str
    branch: str | None


def waiting(events: list[dict[str, Any]]) -> list[Request]:
    """The requests of a session, its events as JSON, that have neither an answer nor an outcome."""
    requests: dict[str, Request] = {}
    # Models give ids twice: an outcome is that of a call that was answered, else of one that was asked about before it.
    answered: Counter[tuple[str, str]] = Counter()
    for event in events:
        by_user = event.get("author") == "user"
        stubs = (event.get("actions") or {}).get("requestedToolConfirmations") or {}
        for part in (event.get("content") or {}).get("parts") or []:
            call, outcome = part.get("functionCall"), part.get("functionResponse")
            if call and call.get("name") == CONFIRMATION and not by_user:
                requests[call["id"]] = _request(call, event)
            elif outcome and by_user and outcome.get("name") == CONFIRMATION:
                if request := requests.pop(outcome.get("id"), None):
                    answered[request.call, request.tool] += 1
                continue
            if not outcome or outcome.get("id") in stubs:
                continue
            name, id = outcome.get("name"), outcome.get("id")
            if (outcome.get("response") or {}).get("status") != "pending":
                # A sub-agent that ran in this call has ended: 2.13 takes answers to what it asked, and runs nothing.
                host = f"{name}@{id}"
                requests = {key: one for key, one in requests.items() if host not in (one.branch or "").split(".")}
            if by_user:
                continue
            if answered[id, name]:
                answered[id, name] -= 1
            else:
                requests = {key: one for key, one in requests.items() if (one.call, one.tool) != (id, name)}
    return list(requests.values())


def _request(confirmation: dict[str, Any], event: dict[str, Any]) -> Request:
    call = confirmation["args"]["originalFunctionCall"]
    args = call.get("args") or {}
    payload = confirmation["args"].get("toolConfirmation", {}).get("payload")
    return Request(
        id=confirmation["id"],
        call=call["id"],
        tool=call["name"],
        args=args,
        turn=event["id"],
        asked_at=event["timestamp"],
        # Only adk-deepagents asks in this form, and only it looks at `modified_args`.
        takes_edits=payload == {"approval_id": call["id"], "tool": call["name"], "args": args},
        author=event["author"],
        branch=event.get("branch"),
    )


def answers(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The answers in the body of a run; none if it is only words.

    # Errors
    `Refused` for members and parts that are not the person's to send.
    """
    if unknown := body.keys() - RUN_MEMBERS:
        raise Refused(f"`{sorted(unknown)[0]}` is not for pages")
    message = body.get("newMessage")
    if not isinstance(message, dict) or message.keys() - {"role", "parts"} or message.get("role", "user") != "user":
        raise Refused("`newMessage` is a message of the user")
    parts = message.get("parts")
    if not isinstance(parts, list) or not parts or not all(isinstance(part, dict) for part in parts):
        raise Refused("a message has parts")
    if all(part.keys() == {"text"} and isinstance(part["text"], str) for part in parts):
        return []
    found = [part["functionResponse"] for part in parts if part.keys() == {"functionResponse"}]
    if len(found) != len(parts):
        raise Refused("a message is either words or answers, nothing else")
    for answer in found:
        if not isinstance(answer, dict) or answer.keys() != {"id", "name", "response"}:
            raise Refused("an answer has `id`, `name` and `response`")
        if answer["name"] != CONFIRMATION:
            # The model would read it as what the tool returned.
            raise Refused("outcomes come from tools")
    return found


def check(body: dict[str, Any], found: list[dict[str, Any]], requests: list[Request]) -> None:
    """Compares answers with the requests that wait.

    # Errors
    `Refused` unless they cover the requests of one turn, each exactly once, in a form that its gate understands.
    """
    ids = [answer["id"] for answer in found]
    by_id = {request.id: request for request in requests}
    for request_id in ids:
        if request_id not in by_id:
            raise Refused(f"the request `{request_id}` does not wait for an answer (any more)", 409)
    turns = {by_id[request_id].turn for request_id in ids}
    expected = {request.id for request in requests if request.turn in turns}
    if len(turns) != 1 or len(set(ids)) != len(ids) or set(ids) != expected:
        raise Refused("an answer names every open request of one turn once, and no other")
    _check_digests((body.get("customMetadata") or {}).get(DIGESTS), {by_id[one].call: by_id[one] for one in ids})
    for answer in found:
        check_response(answer["response"], by_id[answer["id"]])


def check_response(response: Any, request: Any) -> None:
    """Compares one answer with its request, which has `id`, `tool`, `args` and `takes_edits`.

    # Errors
    `Refused` for what its gate would take otherwise than it was meant.
    """
    if not isinstance(response, dict) or not isinstance(response.get("confirmed"), bool):
        raise Refused(f"the answer to `{request.id}` does not say whether it is confirmed")
    payload = response.get("payload", {})
    if not isinstance(payload, dict) or response.keys() - {"confirmed", "payload"}:
        raise Refused(f"the answer to `{request.id}` has members that are not known here")
    taken = {"modified_args"} if request.takes_edits else set()
    expected = taken if response["confirmed"] else {"rejection_reason"}
    if unknown := payload.keys() - expected:
        raise Refused(f"`{sorted(unknown)[0]}` has no effect on `{request.id}`")
    if not isinstance(payload.get("rejection_reason", ""), str):
        raise Refused("a reason is text")
    changed = payload.get("modified_args", {})
    if not isinstance(changed, dict):
        raise Refused("edited arguments are an object")
    # The gate lays the edit over the original, and the tool drops what it does not know: the whole is checked.
    if changed and (found := edited.problems(signatures.schema(request.tool), {**request.args, **changed})):
        raise Refused(f"the edited arguments do not fit: {found[0]}")


def _check_digests(given: Any, calls: dict[str, Request]) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        raise Refused(f"`{DIGESTS}` is an object of call ids")
    for call, digest in given.items():
        if call not in calls:
            raise Refused(f"`{call}` is not open")
        if digest not in digests.of_shown(calls[call].args):
            raise Refused(f"`{call}` was decided on other arguments than those that would run", 409)
