"""What really ran, and what the model was told, kept per conversation."""

import json
from collections import Counter
from typing import Any


def json_text(value: Any) -> str:
    """`value` as compact JSON, characters as they are: the same text that the A2A wire carries."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Ledger:
    """Remembers tool runs and tool responses; tests that share a server never see each other's."""

    def __init__(self) -> None:
        self._executed: list[dict[str, str]] = []
        self._responses: list[dict[str, str]] = []
        self._told: Counter[str] = Counter()

    def ran(self, context: str, agent: str, tool: str, args: dict[str, Any]) -> None:
        """A tool was given these arguments. `context` is the conversation that the person sees."""
        self._executed.append({"context": context, "agent": agent, "tool": tool, "args": json_text(args)})

    def told(self, context: str, agent: str, session: str, outcomes: list[tuple[str, Any]]) -> None:
        """The model is about to read these tool outcomes, as `(tool, response)`.

        They are all of the session's, from its beginning, on every turn; each is noted once. Counted instead of told
        apart by call id, because a framework may take the ids out of what the model reads.
        """
        for tool, response in outcomes[self._told[session] :]:
            entry = {"context": context, "agent": agent, "tool": tool, "response": json_text(response)}
            self._responses.append(entry)
        self._told[session] = len(outcomes)

    def executed(self, context: str | None = None) -> list[dict[str, str]]:
        """Tool runs in order, of one conversation or of all."""
        return [entry for entry in self._executed if context in (None, entry["context"])]

    def responses(self, context: str | None = None) -> list[dict[str, str]]:
        """Tool outcomes in the order in which a model first saw them."""
        return [entry for entry in self._responses if context in (None, entry["context"])]
