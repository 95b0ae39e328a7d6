"""All turns that a person's words ask for, with the words that only some backends know. See `turns.py` for the rest.

`invent` makes a call of a tool that does not exist. A word that makes no call is kept with the call before it.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from countersign_backend.turns import SCRIPT, TOKEN, typed

Known = dict[str, tuple[str, dict[str, Any]]]
"""Word → tool and arguments."""

MORE: Known = {"invent": ("no_such_tool", {"x": 1})}


@dataclass
class ScriptedCall:
    """A call that the model will make."""

    tool: str
    args: dict[str, Any]
    words: set[str] = field(default_factory=set)
    """Other words behind it."""


def plain_words(text: str) -> set[str]:
    """The words of a text in lower case, without the punctuation around them."""
    return {_plain(token["word"]) for token in TOKEN.finditer(text) if token["word"]}


def scripted_turns(text: str, more: Known | None = None) -> list[list[ScriptedCall]]:
    """The calls that `text` asks for, turn by turn. `more`: words that only this backend knows."""
    return [_calls(stage, SCRIPT | MORE | (more or {})) for stage in re.split(r"\blater\b", text)]


def _calls(stage: str, known: Known) -> list[ScriptedCall]:
    calls: list[ScriptedCall] = []
    for token in TOKEN.finditer(stage):
        if token["word"]:
            word = _plain(token["word"])
            if word in known:
                tool, args = known[word]
                calls.append(ScriptedCall(tool, dict(args)))
            elif calls:
                calls[-1].words.add(word)
        elif calls and token["key"] in calls[-1].args:
            args = calls[-1].args
            args[token["key"]] = typed(token["value"], like=args[token["key"]])
    return calls


def _plain(word: str) -> str:
    return word.strip(".,;:!?").lower()
