"""What really ran, and what the model was told, kept per conversation."""

import json
import os
import re
from pathlib import Path
from typing import Any

HALF = re.compile("[\ud800-\udfff]")
"""Half a character: Python has such texts, and no wire can carry them but escaped."""


def json_text(value: Any) -> str:
    """`value` as compact JSON, characters as they are: the same text that the A2A wire carries."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return HALF.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


class RanAlready(Exception):
    """This very call ran before; running it again is refused."""


class Ledger:
    """Remembers tool runs and tool responses; tests that share a server never see each other's.

    `file`: where runs are kept over a restart, one JSON object a line.
    """

    def __init__(self, file: Path | None = None) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").split("\n") if file and file.exists() else []
        self._executed: list[dict[str, str]] = [json.loads(line) for line in lines if line]
        self._calls = {(entry["context"], entry["call"]) for entry in self._executed if "call" in entry}
        self._responses: list[dict[str, str]] = []
        self._told: dict[str, list[tuple[str, str]]] = {}

    def ran(self, context: str, agent: str, tool: str, args: dict[str, Any], call: str | None = None) -> None:
        """A tool was given these arguments. `context` is the conversation that the person sees.

        `call`: the id of the tool call. One call runs once, whatever restarts or repeats itself around it; so this is
        asked, and is on the disk, before the tool does anything.

        # Errors
        `RanAlready` for a call that is here already.
        """
        entry = {"context": context, "agent": agent, "tool": tool, "args": json_text(args)}
        if call is not None:
            if (context, call) in self._calls:
                raise RanAlready(f"the call `{call}` ran before")
            self._calls.add((context, call))
            entry["call"] = call
        self._executed.append(entry)
        if self._file:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(json_text(entry) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def told(self, context: str, agent: str, session: str, outcomes: list[tuple[str, Any]]) -> None:
        """The model is about to read these tool outcomes, as `(tool, response)`.

        They are all of the session's, from its beginning, on every turn; each is noted once, and again where its text
        became another. Told apart by place instead of call id, because a framework may take the ids out of what the
        model reads.
        """
        before = self._told.get(session, [])
        now = [(tool, json_text(response)) for tool, response in outcomes]
        for at, (tool, response) in enumerate(now):
            if at >= len(before) or before[at] != (tool, response):
                self._responses.append({"context": context, "agent": agent, "tool": tool, "response": response})
        self._told[session] = now

    def executed(self, context: str | None = None) -> list[dict[str, str]]:
        """Tool runs in order, of one conversation or of all."""
        return [entry for entry in self._executed if context in (None, entry["context"])]

    def responses(self, context: str | None = None) -> list[dict[str, str]]:
        """Tool outcomes in the order in which a model first saw them."""
        return [entry for entry in self._responses if context in (None, entry["context"])]
