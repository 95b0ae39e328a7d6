"""Reads an answer to a kagent pause and compares it with what was asked. Pure: JSON in, `Refused` or nothing out.

kagent 0.10 takes more than a person can have meant, and runs it: an id that a batch leaves out counts as approved, a
bare approval of questions answers them with empty strings, answers to questions approve every call beside them, edited
arguments that its gate does not know are dropped and the original call runs. All of that is refused here, before it.
"""

from dataclasses import dataclass
from typing import Any

from countersign_backend import digests

CONFIRMATION = "adk_request_confirmation"
DIGESTS = "countersign_args_digests"
"""Message metadata, optional: call id → SHA-256 of the argument text that was on the screen, in hexadecimal."""


class Refused(Exception):
    """The answer does not fit what was asked; nothing may run."""


@dataclass(frozen=True)
class Call:
    """A tool call that waits. Its arguments are those that the server stored, never those of an answer."""

    id: str
    name: str
    args: dict[str, Any]

    @property
    def asks(self) -> bool:
        """Whether these are questions to the person instead of something to run."""
        return self.name == "ask_user"


@dataclass(frozen=True)
class Confirmation:
    """One request of a pause: a call, or the inner calls of a remote agent."""

    id: str
    calls: tuple[Call, ...]
    remote: bool


def confirmations(status_message: dict[str, Any] | None) -> list[Confirmation]:
    """The open requests in the status message of a paused task."""
    found = []
    for part in (status_message or {}).get("parts", []):
        metadata = part.get("metadata") or {}
        data = part.get("data") or {}
        if metadata.get("kagent_type") != "function_call" or data.get("name") != CONFIRMATION:
            continue
        payload = data["args"].get("toolConfirmation", {}).get("payload")
        inner = payload.get("hitl_parts") if isinstance(payload, dict) else None
        requested = [entry["originalFunctionCall"] for entry in inner or [data["args"]]]
        calls = tuple(Call(call["id"], call["name"], call.get("args") or {}) for call in requested)
        found.append(Confirmation(data["id"], calls, remote=bool(inner)))
    return found


def answer_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts that make this message an answer; none if it is only words.

    # Errors
    `Refused` where kagent would read a part as a call or as a tool's outcome: neither is the person's to send.
    """
    data = [part for part in message["parts"] if part["kind"] == "data"]
    native = [part for part in data if "kagent_type" in (part.get("metadata") or {})]
    worded = [part for part in data if "decision_type" in part["data"]]
    for part in native:
        if part["metadata"]["kagent_type"] != "function_response" or part["data"].get("name") != CONFIRMATION:
            raise Refused("only answers to approval requests are accepted in this form")
    if native and (worded or len(native) != len(message["parts"])):
        raise Refused("an answer in this form stands alone in its message")
    if len(worded) > 1 or (worded and len(data) > 1):
        raise Refused("a message holds one decision")
    return native or worded


def is_worded(message: dict[str, Any]) -> bool:
    """Whether an answer is a word, which kagent takes for whatever the conversation asked last."""
    return any("decision_type" in part["data"] for part in answer_parts(message))


def check(message: dict[str, Any], pending: list[Confirmation], foreign_ids: bool = False) -> None:
    """Compares an answer with the requests that are open.

    `foreign_ids`: kagent forwards a batch as a whole to a remote agent, with the ids of other calls in it.

    # Errors
    `Refused` unless the answer covers every open request, each exactly once, and nothing else.
    """
    calls = {call.id: call for request in pending for call in request.calls}
    _check_digests((message.get("metadata") or {}).get(DIGESTS), calls)
    parts = answer_parts(message)
    if is_worded(message):
        _check_worded(parts[0]["data"], calls, foreign_ids)
    else:
        _check_native([part["data"] for part in parts], pending)


def _check_worded(decision: dict[str, Any], calls: dict[str, Call], foreign_ids: bool) -> None:
    word = decision["decision_type"]
    members = {
        "approve": {"ask_user_answers"},
        "reject": {"rejection_reason"},
        "batch": {"decisions", "rejection_reasons"},
    }
    if word not in members:
        raise Refused(f"`{word}` is not a decision")
    if unknown := decision.keys() - members[word] - {"decision_type"}:
        raise Refused(f"`{sorted(unknown)[0]}` does not belong to `{word}`")
    if word == "approve":
        questions = [call for call in calls.values() if call.asks]
        if not questions and "ask_user_answers" in decision:
            raise Refused("nothing was asked")
        if questions and len(calls) > 1:
            raise Refused("one word cannot answer questions and approve calls")
        if questions:
            _check_answers(decision.get("ask_user_answers"), questions[0])
    elif word == "reject":
        _check_reason(decision.get("rejection_reason"))
    else:
        _check_batch(decision, calls, foreign_ids)


def _check_batch(decision: dict[str, Any], calls: dict[str, Call], foreign_ids: bool) -> None:
    decisions = decision.get("decisions")
    reasons = decision.get("rejection_reasons") or {}
    if not isinstance(decisions, dict) or not isinstance(reasons, dict):
        raise Refused("a batch needs `decisions`, an object of call ids")
    if missing := calls.keys() - decisions.keys():
        raise Refused(f"the batch leaves out `{sorted(missing)[0]}`")
    if not foreign_ids and (unknown := decisions.keys() - calls.keys()):
        raise Refused(f"the batch names `{sorted(unknown)[0]}`, which is not open")
    for call_id, word in decisions.items():
        if word not in ("approve", "reject"):
            raise Refused(f"`{word}` is not a decision")
        if word == "approve" and call_id in calls and calls[call_id].asks:
            raise Refused("questions are answered, not approved")
    for call_id, reason in reasons.items():
        _check_reason(reason)
        if decisions.get(call_id) != "reject":
            raise Refused(f"a reason for `{call_id}`, which is not rejected")


def _check_native(answers: list[dict[str, Any]], pending: list[Confirmation]) -> None:
    requests = {request.id: request for request in pending}
    ids = [answer.get("id") for answer in answers]
    if len(set(ids)) != len(ids) or set(ids) != requests.keys():
        raise Refused("the answer must name every open request once, and no other")
    for answer in answers:
        _check_response(answer.get("response"), requests[answer["id"]])


def _check_response(response: Any, request: Confirmation) -> None:
    if not isinstance(response, dict) or not isinstance(response.get("confirmed"), bool):
        raise Refused(f"the answer to `{request.id}` does not say whether it is confirmed")
    payload = response.get("payload", {})
    if request.remote:
        # The payload says where the remote agent waits. It is the server's, and this form would replace it.
        raise Refused("calls of a remote agent are decided with `decision_type`")
    if not isinstance(payload, dict) or response.keys() - {"confirmed", "payload"}:
        raise Refused(f"the answer to `{request.id}` has members that are not known here")
    call = request.calls[0]
    expected = {"answers"} if call.asks else set()
    if not response["confirmed"]:
        expected = {"rejection_reason"}
    if unknown := payload.keys() - expected:
        raise Refused(f"`{sorted(unknown)[0]}` has no effect on `{request.id}`")
    if response["confirmed"] and call.asks:
        _check_answers(payload.get("answers"), call)
    _check_reason(payload.get("rejection_reason"))


def _check_answers(answers: Any, call: Call) -> None:
    questions = call.args.get("questions") or []
    if not isinstance(answers, list) or len(answers) != len(questions):
        raise Refused("every question needs an answer")
    for entry in answers:
        chosen = entry.get("answer") if isinstance(entry, dict) else None
        if not isinstance(chosen, list) or not chosen or not all(isinstance(text, str) for text in chosen):
            raise Refused("every question needs an answer")


def _check_reason(reason: Any) -> None:
    if reason is not None and not isinstance(reason, str):
        raise Refused("a reason is text")


def _check_digests(given: Any, calls: dict[str, Call]) -> None:
    if given is None:
        return
    if not isinstance(given, dict):
        raise Refused(f"`{DIGESTS}` is an object of call ids")
    for call_id, digest in given.items():
        if call_id not in calls:
            raise Refused(f"`{call_id}` is not open")
        if digest not in digests.of_shown(calls[call_id].args):
            raise Refused(f"`{call_id}` was decided on other arguments than those that would run")
