"""Which answers a Haystack pause takes. Pure: JSON in, `Refused` or nothing out.

The library compares the action word exactly and runs the original call for **every** word but `reject`: for `cancel`,
for `Reject`, for nothing at all, and for a `modify` without arguments. So the words are checked here, before it.
"""

from typing import Any

from countersign_backend.channel import Dialect, Message, Refused
from countersign_backend.edited import problems

ACTIONS = ("confirm", "reject", "modify")
MEMBERS = {
    "confirm": {"action", "args_digest"},
    "reject": {"action", "args_digest", "feedback"},
    "modify": {"action", "args_digest", "feedback", "new_tool_params"},
}
"""What may stand in an answer. Feedback beside a `confirm` would be dropped without a word."""


def check(request: Message, answer: Message) -> None:
    """Compares an answer with its request.

    # Errors
    `Refused` unless it says exactly one thing that the library understands.
    """
    action = answer.get("action")
    if not isinstance(action, str) or action not in ACTIONS:
        raise Refused(422, f"action must be one of {list(ACTIONS)}")
    if unknown := answer.keys() - MEMBERS[action]:
        raise Refused(422, f"`{sorted(unknown)[0]}` has no effect on `{action}`")
    if not isinstance(answer.get("feedback", ""), str):
        raise Refused(422, "feedback is text")
    if action == "modify":
        check_params(request, answer.get("new_tool_params"))


def check_params(request: Message, params: Any) -> None:
    """Compares edited arguments with the schema that the request showed.

    # Errors
    `Refused`: empty arguments would run the **original** call, others replace it without any further check.
    """
    if not isinstance(params, dict) or not params:
        raise Refused(422, "modify needs `new_tool_params`, all of the new arguments")
    if errors := problems(request["parameters"], params):
        raise Refused(422, {"errors": errors})


def dialect(version: str) -> Dialect:
    """The words of this channel."""
    return Dialect(
        word="action",
        refusal="reject",
        arguments=lambda request: request["tool_params"],
        check=check,
        hello=lambda client: {"type": "hello", "system": "haystack", "version": version, "client_id": client.id},
    )
