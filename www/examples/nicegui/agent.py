"""The agent, its tools, and a model that follows a script: yours stand here.

Calls that wait, and their arguments, are in LangGraph's checkpoint. What a page sends says only yes or no to them.
"""

import asyncio
import json
import os
import uuid
from collections.abc import Callable

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, StateSnapshot

PATIENCE = float(os.environ.get("APPROVAL_SECONDS", "600"))
"""How long calls wait, in seconds. Then they do not run."""


def delete_file(path: str) -> str:
    """Deletes one file."""
    return f"Deleted {path}."


def transfer_funds(to_account: str, amount: float, reference: int) -> str:
    """Transfers money."""
    return f"Transferred {amount} to {to_account} under {reference}."


class Script(BaseChatModel):
    """In place of a model: `delete` and `transfer` make calls, everything else is repeated. Uses no network."""

    @property
    def _llm_type(self) -> str:
        return "script"

    def bind_tools(self, tools, **options):
        """The script knows its tools."""
        return self

    def _generate(self, messages, stop=None, run_manager=None, **options) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._next(messages))])

    def _next(self, messages) -> AIMessage:
        last = messages[-1]
        if isinstance(last, ToolMessage):
            since = messages[max(at for at, message in enumerate(messages) if isinstance(message, AIMessage)) + 1 :]
            return AIMessage(f"I heard: {' '.join(message.text for message in since)}")
        words, calls = last.text.lower(), []
        if "delete" in words:
            calls.append(("delete_file", {"path": "/srv/reports/2025.csv"}))
        if "transfer" in words:
            # Larger than 2^53: what takes it for a double makes another number of it.
            calls.append(("transfer_funds", {"to_account": "DE02", "amount": 1250.5, "reference": 2512292042121000001}))
        if not calls:
            return AIMessage(f"You said: {last.text}")
        made = [{"name": name, "args": args, "id": f"call_{uuid.uuid4().hex}"} for name, args in calls]
        return AIMessage("I will do that now.", tool_calls=made)


ALLOWED = ["approve", "reject"]
GATED = [delete_file, transfer_funds]
# With a checkpointer on disk, what waits outlives the server.
GRAPH = create_agent(
    Script(),
    GATED,
    middleware=[
        HumanInTheLoopMiddleware(
            {tool.__name__: {"allowed_decisions": ALLOWED, "description": tool.__doc__} for tool in GATED}
        )
    ],
    checkpointer=InMemorySaver(),
)


class Refused(Exception):
    """Something that is not taken. `status`: as over HTTP."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Thread:
    """One conversation. Everything in it happens on the event loop: between a check and what follows nothing comes."""

    def __init__(self, name: str, changed: Callable[[], None]) -> None:
        self._config = {"configurable": {"thread_id": name}}
        self._changed = changed
        self._run: asyncio.Task | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self.error = ""

    def history(self) -> list[str]:
        """The states of the thread as JSON texts, newest first, in the form in which LangGraph's server has them."""
        return [_text(state) for state in GRAPH.get_state_history(self._config, limit=100)]

    def said(self) -> list[tuple[str, str]]:
        """What was said, as `(type, words)`."""
        messages = GRAPH.get_state(self._config).values.get("messages", [])
        return [(message.type, message.text) for message in messages if message.type in ("human", "ai")]

    def say(self, words: str) -> None:
        """Begins a run.

        # Errors
        `Refused` while one is going on or waits: words would end the pause, and the calls with it.
        """
        if self._busy or self._waiting():
            raise Refused(409, "The agent is still at work on what you said before.")
        self._start({"messages": [{"role": "user", "content": words}]})

    def answer(self, text: str) -> None:
        """Takes the answer of a page, as the inbox wrote it.

        # Errors
        `Refused`: LangGraph gives a wrong or late answer to whatever waits then, or keeps it and fails for ever.
        """
        answers = _read(text)
        waiting = {} if self._busy else self._waiting()
        for name, decisions in answers.items():
            if name not in waiting:
                raise Refused(409, "nothing of this id waits (any more)")
            _check(decisions, len(waiting[name]["action_requests"]))
        self._start(_resume(answers))

    @property
    def _busy(self) -> bool:
        return self._run is not None and not self._run.done()

    def _waiting(self) -> dict[str, dict]:
        return {one.id: one.value for one in GRAPH.get_state(self._config).interrupts}

    def _start(self, what: dict | Command) -> None:
        if self._deadline:
            self._deadline.cancel()
        self._run = asyncio.create_task(self._drive(what))

    async def _drive(self, what: dict | Command) -> None:
        self.error = ""
        try:
            await GRAPH.ainvoke(what, self._config)
        except Exception as error:
            self.error = f"The run failed: {error}"
        loop = asyncio.get_running_loop()
        if self._waiting():
            self._deadline = loop.call_later(PATIENCE, self._expire)
        # Not before this task has ended: until then nothing is answered.
        loop.call_soon(self._changed)

    def _expire(self) -> None:
        late = {"type": "reject", "message": "Nobody decided in time."}
        waiting = self._waiting()
        if waiting and not self._busy:
            self._start(_resume({name: [late] * len(one["action_requests"]) for name, one in waiting.items()}))


def _resume(answers: dict[str, list]) -> Command:
    return Command(resume={name: {"decisions": decisions} for name, decisions in answers.items()})


def _read(text: str) -> dict[str, object]:
    try:
        answers = {name: answer["decisions"] for name, answer in json.loads(text)["resume"].items()}
    except (TypeError, ValueError, KeyError, AttributeError, RecursionError) as error:
        raise Refused(422, "this is no answer") from error
    if not answers:
        raise Refused(422, "this is no answer")
    return answers


def _check(decisions: object, count: int) -> None:
    if not isinstance(decisions, list) or len(decisions) != count:
        raise Refused(422, f"{count} calls need as many decisions")
    for decision in decisions:
        if not isinstance(decision, dict) or decision.get("type") not in ALLOWED:
            raise Refused(422, f"a decision is one of {', '.join(ALLOWED)}")
        members = decision.keys() - {"type"}
        if members - ({"message"} if decision["type"] == "reject" else set()):
            raise Refused(422, "an approval has nothing beside it, a rejection at most its reason")
        if not isinstance(decision.get("message", ""), str):
            raise Refused(422, "a reason is text")


def _text(state: StateSnapshot) -> str:
    values = {**state.values, "messages": [one.model_dump() for one in state.values.get("messages", [])]}
    tasks = [
        {"id": task.id, "name": task.name, "error": task.error and str(task.error), "result": None}
        | {"interrupts": [{"id": one.id, "value": one.value} for one in task.interrupts]}
        for task in state.tasks
    ]
    whole = {"values": values, "next": list(state.next), "tasks": tasks, "created_at": state.created_at}
    # `NaN` is no JSON: what cannot be shown is not asked.
    return json.dumps(whole | {"checkpoint": state.config["configurable"]}, allow_nan=False, default=str)
