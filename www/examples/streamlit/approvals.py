"""Calls that wait for a person, and what became of them. Knows the agent's side and no page.

What is written here are messages of the dialect `ws` that the inbox reads. Each is kept as JSON text, so that its
numbers come to the page as they were.
"""

import json
import os
import threading
import time
import uuid

from haystack.tools import Tool
from jsonschema import Draft202012Validator

PATIENCE = float(os.environ.get("APPROVAL_SECONDS", "600"))
"""How long a call waits, in seconds. Then it does not run."""

MEMBERS = {"confirm": set(), "reject": {"feedback"}, "modify": {"feedback", "new_tool_params"}}
"""The words, and what may stand beside each. Haystack runs the call for every word that it does not know."""


class Refused(Exception):
    """An answer that is not taken. `status`: as over HTTP."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Approvals:
    """The requests of one conversation."""

    def __init__(self) -> None:
        self.server = uuid.uuid4().hex
        """Another one after a restart, of which what waited before it knows nothing."""
        self.log: list[str] = []
        self._open: dict[str, dict] = {}
        self._answers: dict[str, dict] = {}
        self._changed = threading.Condition()

    def note(self, message: dict) -> None:
        """Writes a message into the log."""
        # `NaN` is no JSON: what cannot be shown is not asked.
        self.log.append(json.dumps(message, allow_nan=False))

    def ask(self, tool: Tool, params: dict, call: str | None) -> dict:
        """Asks about a call and waits for the answer. Nobody answers: it is rejected."""
        name = str(uuid.uuid4())
        request = {
            "type": "approval_request",
            "id": name,
            "tool_name": tool.name,
            "tool_description": tool.description,
            "tool_params": params,
            "tool_call_id": call,
            "parameters": tool.parameters,
            "allowed_actions": list(MEMBERS),
            "created_at": time.time(),
            "timeout_s": PATIENCE,
        }
        with self._changed:
            self.note(request)
            self._open[name] = request
            self._changed.wait_for(lambda: name in self._answers, PATIENCE)
            if name in self._open:
                self._settle(name, {"action": "reject", "feedback": "Nobody decided in time."}, "timeout")
            return self._answers[name]

    def answer(self, text: str) -> None:
        """Takes the answer of a page, as the inbox wrote it. The first one wins, also of two at once.

        # Errors
        `Refused`: 404 for a request that never was, 409 for one that has ended, 422 for an answer that does not fit.
        """
        answer = _read(text)
        name = answer.pop("id", None)
        if answer.pop("type", None) != "approval_response" or not isinstance(name, str):
            raise Refused(422, "this is no answer")
        with self._changed:
            if name in self._answers:
                raise Refused(409, "this was decided already")
            if name not in self._open:
                raise Refused(404, "nothing of this id waits")
            _check(answer, self._open[name])
            self._settle(name, answer, "answered")

    def _settle(self, name: str, answer: dict, reason: str) -> None:
        del self._open[name]
        self._answers[name] = answer
        self.note({"type": "approval_resolved", "id": name, "action": answer["action"], "reason": reason})
        self._changed.notify_all()


def _read(text: str) -> dict:
    def refuse(word: str) -> None:
        raise ValueError(f"`{word}` is no JSON")

    try:
        answer = json.loads(text, parse_constant=refuse)
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused(422, f"this is no JSON: {error}") from error
    if not isinstance(answer, dict):
        raise Refused(422, "this is no answer")
    return answer


def _check(answer: dict, request: dict) -> None:
    action = answer.get("action")
    if not isinstance(action, str) or action not in MEMBERS:
        raise Refused(422, f"the action is one of {', '.join(MEMBERS)}")
    if unknown := answer.keys() - MEMBERS[action] - {"action", "args_digest"}:
        raise Refused(422, f"`{sorted(unknown)[0]}` has no effect on `{action}`")
    if not isinstance(answer.get("feedback", ""), str):
        raise Refused(422, "feedback is text")
    if action == "modify":
        # The library would take what is empty for no edit, and run the original.
        params, schema = answer.get("new_tool_params"), request["parameters"]
        if not isinstance(params, dict) or not params or params.keys() - schema["properties"].keys():
            raise Refused(422, "an edit names all arguments of the tool, and no others")
        for error in Draft202012Validator(schema).iter_errors(params):
            raise Refused(422, f"the edit does not fit: {error.message}")
