"""ADK agents with gated tools and a model that follows a script; `adk.py` says which there are."""

import asyncio
import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from adk_deepagents.callbacks.before_tool import make_before_tool_callback
from google.adk.agents import Agent
from google.adk.apps import App
from google.adk.cli.utils.base_agent_loader import BaseAgentLoader
from google.adk.models import BaseLlm, LlmResponse
from google.adk.tools import FunctionTool
from google.genai import types

from countersign_backend import finite, tools
from countersign_backend.ledger import Ledger, RanAlready, json_text
from countersign_backend.turns import Turn, next_turn

APPS = ("plain", "plain_told", "deep", "deep_told")
"""`plain`: ADK's own gate, `deep`: that of adk-deepagents; `…_told`: the model is also told why it was refused."""

INNER = "k8s_agent"


class ScriptedModel(BaseLlm):
    """Answers from the user's own words; uses no network."""

    model: str = "scripted"
    delegates: bool = False

    async def generate_content_async(self, llm_request, stream=False):
        """One turn: the calls of the next stage, a hand-over, or a closing sentence."""
        words, rounds = last_words(llm_request.contents)
        if not self.delegates:
            # The inner agent reads the whole conversation; its task is what stands behind the colon.
            words = words.rpartition("delegate:")[2]
        turn = next_turn(words, rounds)
        yield LlmResponse(content=types.Content(role="model", parts=self._parts(turn, words, llm_request.contents)))

    def _parts(self, turn: Turn, words: str, contents: list[types.Content]) -> list[types.Part]:
        calls = [types.Part.from_function_call(name=name, args=args) for name, args in turn.calls]
        if turn.delegated is not None and self.delegates:
            calls.append(types.Part.from_function_call(name="transfer_to_agent", args={"agent_name": INNER}))
        if calls:
            return [types.Part(text="I will do that now."), *calls]
        responses = [part.function_response for part in contents[-1].parts or [] if part.function_response]
        if responses:
            told = [f"{one.name}: {json_text(one.response)}" for one in responses]
            return [types.Part(text=" ".join(["Done.", *told]))]
        return [types.Part(text=f"You said: {words}")]


def last_words(contents: list[types.Content]) -> tuple[str, int]:
    """What the user typed last, and how many rounds of tool outcomes have come since."""
    rounds = 0
    for content in reversed(contents):
        parts = content.parts or []
        text = " ".join(part.text for part in parts if part.text)
        if any(part.function_response for part in parts):
            rounds += 1
        # What another agent said or called is handed on as the user's words, behind these two.
        elif content.role == "user" and not text.startswith("For context:"):
            return text, rounds
    return "", rounds


Run = tuple[str, str, str, str]
CURRENT: ContextVar[Run] = ContextVar("run")
"""Session, agent, tool and call id of the tool that runs here."""


class RecordedTool(FunctionTool):
    """A function tool that notes what its function is really given, once a call.

    Noted inside the function and not in `run_async`: ADK asks for the confirmation in there, after the call came in.
    """

    def __init__(self, function: Callable[..., Any], ledger: Ledger, **options) -> None:
        @functools.wraps(function)
        def recorded(**args: Any) -> Any:
            session, agent, tool, call = CURRENT.get()
            try:
                # google-adk 1.x runs an approved call again when its approval comes again.
                ledger.ran(session, agent, tool, args, call)
            except RanAlready as reason:
                return {"error": str(reason)}
            return function(**args)

        super().__init__(recorded, **options)

    async def run_async(self, *, args: dict[str, Any], tool_context) -> Any:
        CURRENT.set((tool_context.session.id, tool_context.agent_name, self.name, tool_context.function_call_id))
        outcome = await super().run_async(args=args, tool_context=tool_context)
        if args.get("path") == tools.SLOW:
            await asyncio.sleep(tools.SLOWNESS)
        return outcome


def failed_tool(tool, args, tool_context, error) -> dict | None:
    """Makes a tool's own failure its outcome; without this it would end the whole run."""
    return {"error": str(error)} if isinstance(error, OSError) else None


def refuse_unshowable(tool, args, tool_context) -> dict | None:
    """Makes a refusal the outcome of a call that no page could show, before anybody is asked."""
    reason = finite.refusal(tool.name, args)
    return {"error": reason} if reason else None


def tell_reason(tool, args, tool_context, tool_response) -> dict | None:
    """Adds the person's reason to the outcome of a refused call.

    Neither gate does it: the reason comes in as part of the payload, and the model only ever hears that the call was
    refused. Copy this if your agent should learn from it.
    """
    answer = tool_context.tool_confirmation
    if answer is None or answer.confirmed or not isinstance(answer.payload, dict):
        return None
    reason = answer.payload.get("rejection_reason")
    return {**tool_response, "reason": reason} if reason else None


def make_app(name: str, ledger: Ledger) -> App:
    """One of `APPS`."""
    deep = name.startswith("deep")
    gate = make_before_tool_callback(interrupt_on=dict.fromkeys(tools.GATED, True))

    def note_outcomes(callback_context, llm_request) -> None:
        session = callback_context.session.id
        parts = [part for content in llm_request.contents for part in content.parts or []]
        responses = [part.function_response for part in parts if part.function_response]
        outcomes = [(response.name, response.response) for response in responses]
        ledger.told(session, callback_context.agent_name, f"{session}/{callback_context.agent_name}", outcomes)

    def agent(agent_name: str, inner: list[Agent]) -> Agent:
        gated = [] if deep else tools.GATED
        return Agent(
            name=agent_name,
            description="Looks after the cluster.",
            model=ScriptedModel(delegates=bool(inner)),
            instruction="Use the tools.",
            tools=[
                RecordedTool(function, ledger, require_confirmation=function.__name__ in gated)
                for function in tools.ALL
            ],
            sub_agents=inner,
            before_tool_callback=[refuse_unshowable, gate] if deep else refuse_unshowable,
            after_tool_callback=tell_reason if name.endswith("_told") else None,
            on_tool_error_callback=failed_tool,
            before_model_callback=note_outcomes,
        )

    return App(name=name, root_agent=agent(name, [agent(INNER, [])]))


class Loader(BaseAgentLoader):
    """Hands out the apps by name."""

    def __init__(self, ledger: Ledger) -> None:
        self._apps = {name: make_app(name, ledger) for name in APPS}

    def load_agent(self, agent_name: str) -> App:
        """The app of that name."""
        if agent_name not in self._apps:
            raise ValueError(f"there is no app `{agent_name}`")
        return self._apps[agent_name]

    def list_agents(self) -> list[str]:
        """Their names."""
        return list(self._apps)
