"""Keeps calls from being asked about that do not reach the page as they would run.

A model may write `1e400`: Python reads it as infinity. On their way to the page ADK, kagent and LangGraph make `null` of
it, so a person would see another call than the one that runs, and nothing on the wire could tell. The same goes for NaN.

LangGraph's server also writes U+FFFD for NUL, and `\\ufffd` for a text that spells its escape, in all that leaves it. What
runs has what the model wrote.
"""

import json
from typing import Any


def refusal(tool: str, args: dict[str, Any], keeps_nul: bool = True) -> str | None:
    """Why nobody can be asked about this call, as a sentence for the model; `None` if everything can be shown.

    `keeps_nul`: whether the server writes NUL to the page as it is.
    """
    try:
        json.dumps(args, allow_nan=False)
    except ValueError:
        return f"{tool} did not run: it was called with a number that is infinite or not a number at all."
    if not keeps_nul and holds_nul(args):
        # Without the escape itself, which this server would not write either.
        return f"{tool} did not run: it was called with NUL, or with its escape of a backslash, u and four zeros."
    return None


def holds_nul(args: dict[str, Any]) -> bool:
    """Whether a name or a text in it has NUL, or spells its escape, to which JSON adds one more backslash."""
    return r"\u0000" in json.dumps(args)
