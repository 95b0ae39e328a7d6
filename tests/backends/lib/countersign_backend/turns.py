"""The script that stands in for a model: words in, tool calls out. Pure; knows no framework.

`delete`, `transfer`, `email` and `read` each make a call; the `key=value` pairs behind a word set its arguments,
with "…" as in JSON around a value with spaces. `later` begins the calls of the next turn, `delegate:` hands the rest on
to another agent, `crash` fails.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

SCRIPT: dict[str, tuple[str, dict[str, Any]]] = {
    "delete": ("delete_file", {"path": "/srv/reports/2025.csv"}),
    "email": (
        "send_email",
        {"to": "alice@example.com", "subject": "Weekly report", "body": "The report of this week is ready."},
    ),
    "transfer": (
        "transfer_funds",
        # The reference is larger than 2^53: whoever reads it as a double sees other digits.
        {"to_account": "DE02-1203-0000", "amount": 1250.5, "currency": "EUR", "reference": 2512292042121000001},
    ),
    "read": ("read_file", {"path": "/srv/reports/readme.txt"}),
}

TOKEN = re.compile(r'(?P<key>\w+)=(?P<value>"(?:[^"\\]|\\.)*"|\S+)|(?P<word>\S+)')


@dataclass
class Turn:
    """What the model does next: `calls` as `(tool, arguments)`, or a hand-over, or only words."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    delegated: str | None = None


def next_turn(words: str, rounds: int) -> Turn:
    """The turn that these words ask for after so many rounds of tool outcomes.

    # Errors
    `RuntimeError` where the script says `crash`.
    """
    stages = re.split(r"\blater\b", words)
    stage = stages[rounds] if rounds < len(stages) else ""
    head, delegated, request = stage.partition("delegate:")
    if "crash" in head.split():
        raise RuntimeError("the scripted model failed")
    calls: list[tuple[str, dict[str, Any]]] = []
    for token in TOKEN.finditer(head):
        if token["word"]:
            known = SCRIPT.get(token["word"].strip(".,;:!?").lower())
            if known:
                calls.append((known[0], dict(known[1])))
        elif calls and token["key"] in calls[-1][1]:
            args = calls[-1][1]
            args[token["key"]] = typed(token["value"], like=args[token["key"]])
    return Turn(calls, request.strip() if delegated else None)


def typed(text: str, like: Any) -> Any:
    """The value written in `text`: a number where the default is one, else a string."""
    if text.startswith('"') or isinstance(like, int | float):
        return json.loads(text)
    return text
