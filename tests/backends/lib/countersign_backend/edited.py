"""Whether edited arguments fit a tool's schema."""

from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator


def problems(schema: dict[str, Any], args: dict[str, Any]) -> list[str]:
    """One line for each thing that is wrong, as `<JSON pointer>: <why>`; empty if the arguments may run.

    Members that the schema does not name are refused although JSON Schema would let them pass: the tool would not get
    them, or would get something that nobody wrote a check for.
    """
    unknown = [f"{pointer([name])}: unknown argument" for name in args if name not in schema.get("properties", {})]
    found = Draft202012Validator(schema).iter_errors(args)
    return [*(f"{pointer(error.absolute_path)}: {error.message}" for error in found), *unknown]


def pointer(path: Iterable[str | int]) -> str:
    """A path as a JSON pointer."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)
