"""Which answers an AdalFlow pause takes. Pure: JSON in, `Refused` or nothing out.

The library has no `modify`: its own handler refuses the word. Here an edit is taken, checked against the schema, and
handed to the library's runner as a changed call.
"""

from typing import Any

from countersign_backend.channel import Dialect, Message, Refused
from countersign_backend.edited import problems

OUTCOMES = ("proceed_once", "proceed_always", "cancel", "modify")
JSON_TYPES = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "list": "array",
    "dict": "object",
    "object": "object",
}


def shown_arguments(args: list[Any] | None, kwargs: dict[str, Any] | None) -> Any:
    """The arguments of a call as a person sees them: by name, or with those by position beside them."""
    return {"args": args, "kwargs": kwargs or {}} if args else kwargs or {}


def check(request: Message, answer: Message) -> None:
    """Compares an answer with its request.

    # Errors
    `Refused` unless it says exactly one thing that will take effect.
    """
    outcome = answer.get("outcome")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise Refused(422, f"outcome must be one of {list(OUTCOMES)}")
    edited = {"kwargs", "args"} if request["args"] else {"kwargs"}
    allowed = {"outcome", "args_digest"} | (edited if outcome == "modify" else set())
    if unknown := answer.keys() - allowed:
        raise Refused(422, f"`{sorted(unknown)[0]}` has no effect on `{outcome}`")
    if outcome == "modify":
        if missing := edited - answer.keys():
            raise Refused(422, f"modify needs `{sorted(missing)[0]}`")
        _check_edit(request["parameters"], answer.get("args", []), answer["kwargs"])


def json_schema(node: Any) -> Any:
    """JSON Schema for AdalFlow's `func_parameters`, which has the names of Python types in it."""
    if isinstance(node, list):
        return [json_schema(each) for each in node]
    if not isinstance(node, dict):
        return node
    kind = node.get("type")
    kept = {name: json_schema(value) for name, value in node.items() if name != "type" or isinstance(value, dict)}
    return kept | ({"type": JSON_TYPES[kind]} if isinstance(kind, str) and kind in JSON_TYPES else {})


def dialect(always_allowed) -> Dialect:
    """The words of this channel. `always_allowed`: a client's tools that are asked about no more."""

    def hello(client) -> Message:
        greeting = {"type": "hello", "system": "adalflow", "client_id": client.id}
        return {**greeting, "always_allowed": sorted(always_allowed(client))}

    return Dialect(
        word="outcome",
        refusal="cancel",
        arguments=lambda request: shown_arguments(request["args"], request["kwargs"]),
        check=check,
        hello=hello,
    )


def _check_edit(schema: Message, args: Any, kwargs: Any) -> None:
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise Refused(422, "modify takes `args`, a list, and `kwargs`, an object")
    names = list(schema["properties"])
    if len(args) > len(names):
        raise Refused(422, {"errors": [f"/args: at most {len(names)} arguments"]})
    placed = dict(zip(names, args, strict=False))
    twice = [f"/{name}: given by position and by name" for name in kwargs if name in placed]
    if errors := [*twice, *problems(schema, {**placed, **kwargs})]:
        raise Refused(422, {"errors": errors})
