"""A kagent agent with gated tools and a model that follows a script; the words are explained in `kagent.py`."""

import asyncio
import json
import re
from collections.abc import Callable
from typing import Any

import httpx
from google.adk.agents import Agent
from google.adk.apps import App, ResumabilityConfig
from google.adk.artifacts import InMemoryArtifactService
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService
from google.adk.tools import FunctionTool
from google.genai import types
from kagent.adk import _approval
from kagent.adk._remote_a2a_tool import ROOT_CONTEXT_ID_HEADER, KAgentRemoteA2AToolset
from kagent.adk.tools.ask_user_tool import AskUserTool

from countersign_backend import finite
from countersign_backend.ledger import Ledger, RanAlready, json_text
from countersign_backend.tools import SLOW, SLOWNESS

GATED = {"delete_file", "send_email", "transfer_funds"}
"""Tools that run only after a person agreed."""

STRIP = [_approval.strip_confirmation_parts_callback] if hasattr(_approval, "strip_confirmation_parts_callback") else []
"""Keeps confirmations from the model in kagent 0.10; later google-adk does it."""

QUESTIONS = [
    {"question": "Where should the copy go?", "choices": ["Berlin", "Dublin", "Zurich"], "multiple": False},
    {"question": "What should it contain?", "choices": ["Tables", "Logs", "Images"], "multiple": True},
    {"question": "Is there anything else to know?", "choices": [], "multiple": False},
]

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
    "ask": ("ask_user", {"questions": QUESTIONS}),
}


def delete_file(path: str) -> dict:
    """Deletes one file.

    Args:
        path: Absolute path of the file.
    """
    return {"status": "ok", "deleted": path}


def send_email(to: str, subject: str, body: str) -> dict:
    """Sends an e-mail.

    Args:
        to: Address of the recipient.
        subject: Subject line.
        body: Plain text of the message.
    """
    return {"status": "ok", "sent_to": to}


def transfer_funds(to_account: str, amount: float, currency: str, reference: int) -> dict:
    """Transfers money.

    Args:
        to_account: Account that receives the money.
        amount: How much to send.
        currency: ISO 4217 code.
        reference: Number that the recipient sees.
    """
    return {"status": "ok", "transferred": amount, "reference": reference}


def read_file(path: str) -> dict:
    """Reads one file.

    Args:
        path: Absolute path of the file.
    """
    return {"status": "ok", "text": f"This is what stands in {path}."}


class RecordedTool(FunctionTool):
    """A function tool that notes the arguments it runs with.

    The framework calls `run_async` only when the approval callback let the call pass, so what stands in the ledger
    is what ran. Noted is the object as it came, in its order, not the function's parameters.
    """

    def __init__(self, function: Callable[..., dict], ledger: Ledger) -> None:
        super().__init__(function)
        self._ledger = ledger

    async def run_async(self, *, args: dict[str, Any], tool_context) -> Any:
        context, call = visible_context(tool_context.session), tool_context.function_call_id
        try:
            self._ledger.ran(context, tool_context.agent_name, self.name, args, call)
        except RanAlready as reason:
            return {"error": str(reason)}
        if args.get("path") == SLOW:
            await asyncio.sleep(SLOWNESS)
        return await super().run_async(args=args, tool_context=tool_context)


def refuse_unshowable(tool, args, tool_context) -> dict | None:
    """Makes a refusal the outcome of a call that no page could show, before anybody is asked."""
    reason = finite.refusal(tool.name, args)
    return {"error": reason} if reason else None


def visible_context(session) -> str:
    """The conversation that the person sees: for an inner agent that of the outermost one."""
    headers = session.state.get("headers") or {}
    return headers.get(ROOT_CONTEXT_ID_HEADER) or session.id


TOKEN = re.compile(r'(?P<key>\w+)=(?P<value>"(?:[^"\\]|\\.)*"|\S+)|(?P<word>\S+)')


def scripted_calls(text: str) -> list[types.Part]:
    """The tool calls that these words ask for, in their order."""
    head, delegated, request = text.partition("delegate:")
    calls: list[tuple[str, dict[str, Any]]] = []
    for token in TOKEN.finditer(head):
        if token["word"]:
            known = SCRIPT.get(token["word"].strip(".,;:!?").lower())
            if known:
                calls.append((known[0], dict(known[1])))
        elif calls and token["key"] in calls[-1][1]:
            args = calls[-1][1]
            args[token["key"]] = typed(token["value"], like=args[token["key"]])
    if delegated:
        calls.append(("k8s_agent", {"request": request.strip()}))
    return [types.Part.from_function_call(name=name, args=args) for name, args in calls]


def typed(text: str, like: Any) -> Any:
    """The value written in `text`: a number where the default is one, else a string."""
    if text.startswith('"') or isinstance(like, int | float):
        return json.loads(text)
    return text


class ScriptedModel(BaseLlm):
    """Answers from the user's own words; uses no network."""

    model: str = "scripted"

    async def generate_content_async(self, llm_request, stream=False):
        """One turn: the calls of the next stage, or a closing sentence."""
        words, answered = last_words(llm_request.contents)
        stages = re.split(r"\blater\b", words)
        stage = stages[answered] if answered < len(stages) else ""
        if "crash" in stage.split():
            raise RuntimeError("the scripted model failed")
        parts = scripted_calls(stage)
        if parts:
            parts.insert(0, types.Part(text="I will do that now."))
        elif answered:
            responses = [part.function_response for part in llm_request.contents[-1].parts if part.function_response]
            lines = [f"{response.name}: {json_text(response.response)}" for response in responses]
            parts = [types.Part(text="Done. " + " ".join(lines))]
        else:
            parts = [types.Part(text=f"You said: {words}")]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def last_words(contents: list[types.Content]) -> tuple[str, int]:
    """What the user typed last, and how many rounds of tool outcomes have come since."""
    answered = 0
    for content in reversed(contents):
        parts = content.parts or []
        if any(part.function_response for part in parts):
            answered += 1
        elif content.role == "user":
            return " ".join(part.text for part in parts if part.text), answered
    return "", answered


def make_runner_factory(
    name: str, ledger: Ledger, sessions: BaseSessionService, remote: dict[str, str] | None = None
) -> Callable[[], Runner]:
    """A function that makes the runner of one request, as kagent wants it; sessions outlive the runners.

    `remote` adds the tool `k8s_agent`: `{"card": <address of the agent card>, "token": <its token>}`.
    """
    artifacts = InMemoryArtifactService()

    def note_responses(callback_context, llm_request) -> None:
        session = callback_context.session
        parts = [part for content in llm_request.contents for part in content.parts or []]
        responses = [part.function_response for part in parts if part.function_response]
        outcomes = [(response.name, response.response) for response in responses]
        ledger.told(visible_context(session), name, session.id, outcomes)

    def runner() -> Runner:
        functions = (delete_file, send_email, transfer_funds, read_file)
        tools = [*(RecordedTool(function, ledger) for function in functions), AskUserTool()]
        if remote:
            tools.append(
                KAgentRemoteA2AToolset(
                    name="k8s_agent",
                    description="Looks after the cluster.",
                    agent_card_url=remote["card"],
                    httpx_client=httpx.AsyncClient(headers={"X-Countersign-Token": remote["token"]}, timeout=30),
                )
            )
        agent = Agent(
            name=name,
            model=ScriptedModel(),
            instruction="Use the tools.",
            tools=tools,
            before_tool_callback=[refuse_unshowable, _approval.make_approval_callback(GATED)],
            before_model_callback=[*STRIP, note_responses],
        )
        app = App(name=name, root_agent=agent, resumability_config=ResumabilityConfig(is_resumable=True))
        return Runner(app=app, session_service=sessions, artifact_service=artifacts)

    return runner
