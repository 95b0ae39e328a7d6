"""What arguments the example tools take, as JSON Schema."""

import inspect
from typing import Any

from pydantic import create_model

from countersign_backend import tools


def schema(tool: str) -> dict[str, Any]:
    """The schema of one of `tools.ALL`, by its name."""
    function = next(function for function in tools.ALL if function.__name__ == tool)
    members = inspect.signature(function).parameters.values()
    return create_model(tool, **{member.name: (member.annotation, ...) for member in members}).model_json_schema()
