"""Reads JSON that came from outside, and refuses what two readers could read differently."""

import json
import math
from typing import Any


class Ambiguous(ValueError):
    """The text is no JSON, or not the same JSON for everyone."""


def read_object(text: str | bytes) -> dict[str, Any]:
    """The JSON object that `text` holds.

    # Errors
    `Ambiguous` for anything that is no object, for a member that stands twice (the card may show the first and the
    tool get the last), for numbers that Python would make infinite or that are no JSON at all (`NaN`), and for text
    that cannot be written as UTF-8.
    """
    try:
        value = json.loads(text, object_pairs_hook=_members, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Ambiguous(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise Ambiguous("the body is not a JSON object")
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise Ambiguous("the body holds half a character") from error
    return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Ambiguous("a member stands twice")
    return members


def _refuse(word: str) -> None:
    raise Ambiguous(f"`{word}` is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise Ambiguous(f"`{text}` is larger than this server can hold")
    return number
