"""The agent, its tools, and a model that follows a script: yours stand here.

A run has a thread of its own. There the strategy waits for a person, whatever becomes of pages meanwhile.
"""

import json
import threading
import uuid

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks.human_in_the_loop import (
    AlwaysAskPolicy,
    BlockingConfirmationStrategy,
    ConfirmationHook,
    ConfirmationUIResult,
)
from haystack.tools import Tool, create_tool_from_function

from approvals import Approvals


def delete_file(path: str) -> str:
    """Deletes one file."""
    return f"Deleted {path}."


def transfer_funds(to_account: str, amount: float, reference: int) -> str:
    """Transfers money."""
    return f"Transferred {amount} to {to_account} under {reference}."


TOOLS = {function.__name__: create_tool_from_function(function) for function in (delete_file, transfer_funds)}


class PageStrategy(BlockingConfirmationStrategy):
    """The library's strategy; the page is its user interface. One for each run, which asks for one call at a time."""

    def __init__(self, approvals: Approvals) -> None:
        super().__init__(confirmation_policy=AlwaysAskPolicy(), confirmation_ui=self)
        self._approvals = approvals

    def run(self, *, tool_call_id=None, **call):
        """Decides about one call."""
        self._call_id = tool_call_id
        return super().run(tool_call_id=tool_call_id, **call)

    def get_user_confirmation(self, tool_name, tool_description, tool_params) -> ConfirmationUIResult:
        """Waits for a person. What runs after `confirm` are `tool_params`, not what a page sends."""
        tool: Tool = TOOLS[tool_name]
        answer = self._approvals.ask(tool, tool_params, self._call_id)
        return ConfirmationUIResult(answer["action"], answer.get("feedback"), answer.get("new_tool_params"))


class Conversation:
    """What was said, and the approvals of its runs."""

    def __init__(self) -> None:
        self.approvals = Approvals()
        self.said: list[tuple[str, str]] = []
        self._messages: list[ChatMessage] = []
        self._running = threading.Lock()

    def say(self, words: str) -> bool:
        """Begins a run, unless one is going on."""
        if not self._running.acquire(blocking=False):
            return False
        self.said.append(("user", words))
        threading.Thread(target=self._run, args=(words,), daemon=True).start()
        return True

    def _run(self, words: str) -> None:
        try:
            hook = ConfirmationHook({tuple(TOOLS): PageStrategy(self.approvals)})
            agent = Agent(chat_generator=Script(), tools=list(TOOLS.values()), hooks={"before_tool": [hook]})
            self._messages = agent.run(messages=[*self._messages, ChatMessage.from_user(words)])["messages"]
            self.approvals.note({"type": "run_finished", "messages": [one.to_dict() for one in self._messages]})
            self.said.append(("assistant", self._messages[-1].text or ""))
        except Exception as error:
            self.approvals.note({"type": "run_failed", "error": str(error)})
            self.said.append(("assistant", f"The run failed: {error}"))
        finally:
            self._running.release()


_conversations: dict[str, Conversation] = {}
_lock = threading.Lock()


def conversation(name: str) -> Conversation:
    """The conversation of this name. It ends with the server."""
    with _lock:
        return _conversations.setdefault(name, Conversation())


@component
class Script:
    """In place of a model: `delete` and `transfer` make calls, everything else is repeated. Uses no network."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools=None) -> dict:
        """One turn."""
        last = messages[-1]
        if last.tool_call_results:
            ended = [at for at, one in enumerate(messages) if one.is_from("assistant") and not one.tool_calls]
            since = messages[ended[-1] if ended else 0 :]
            outcomes = [result.result for message in since for result in message.tool_call_results]
            return {"replies": [ChatMessage.from_assistant(f"I heard: {' '.join(outcomes)}")]}
        words = (last.text or "").lower()
        calls = []
        if "delete" in words:
            calls.append(("delete_file", {"path": "/srv/reports/2025.csv"}))
        if "transfer" in words:
            # Larger than 2^53: what takes it for a double makes another number of it.
            calls.append(("transfer_funds", {"to_account": "DE02", "amount": 1250.5, "reference": 2512292042121000001}))
        if not calls:
            return {"replies": [ChatMessage.from_assistant(f"You said: {last.text}")]}
        made = [ToolCall(name, arguments, id=f"call_{uuid.uuid4().hex}") for name, arguments in calls]
        return {"replies": [ChatMessage.from_assistant("I will do that now.", tool_calls=made)]}
