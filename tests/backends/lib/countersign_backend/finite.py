"""Keeps calls from being asked about that no JSON can carry.

A model may write `1e400`: Python reads it as infinity. On their way to the page ADK, kagent and LangGraph make `null` of
it, so a person would see another call than the one that runs, and nothing on the wire could tell. The same goes for NaN.
"""

import json
from typing import Any


def refusal(tool: str, args: dict[str, Any]) -> str | None:
    """Why nobody can be asked about this call, as a sentence for the model; `None` if everything can be shown."""
    try:
        json.dumps(args, allow_nan=False)
    except ValueError:
        return f"{tool} did not run: it was called with a number that is infinite or not a number at all."
    return None
