"""An AdalFlow agent whose gated tools wait for a person; the words that choose its calls stand in `adalflow.py`.

The library's runner makes one call at a time, asks its permission manager about it, and streams what happens.
"""

import asyncio
import json
from contextlib import suppress

from adalflow.components.agent import Agent, Runner, runner
from adalflow.core.func_tool import FunctionTool
from adalflow.core.model_client import ModelClient
from adalflow.core.types import EventEncoder, GeneratorOutput, ModelType

from countersign_backend.adalflow_answer import shown_arguments
from countersign_backend.adalflow_permissions import PagePermissions, ShippedPermissions
from countersign_backend.channel import Client, Message, new_id
from countersign_backend.ledger import Ledger
from countersign_backend.script import ScriptedCall, plain_words, scripted_turns
from countersign_backend.tools import ALL, GATED, HANGS

# The runner prints the name of every tool. Nobody reads that, and a pipe that nobody reads ends the server when full.
runner.print = lambda *_: None

CALL_EVENTS = ("agent.tool_call_start", "agent.tool_call_complete")

CLARIFY = {"clarify": ("clarify", {"question": "Which file?"})}
"""The word for a question to the person."""


def clarify(question: str, user_response: str = "") -> str:
    """Asks the person something.

    Args:
        question: What to ask.
        user_response: Left empty; the answer is put here.
    """
    return f"The person says: {user_response}"


class RecordedTool(FunctionTool):
    """A tool that notes the arguments it really got, in their order."""

    def __init__(self, function, context: str, ledger: Ledger) -> None:
        super().__init__(function, require_approval=function is clarify or function.__name__ in GATED)
        self._context = context
        self._ledger = ledger

    async def acall(self, *args, **kwargs):
        """Runs the tool."""
        shown = shown_arguments(list(args), kwargs)
        self._ledger.ran(self._context, "adalflow", self.definition.func_name, shown)
        if kwargs.get("path") == HANGS:
            await asyncio.Event().wait()
        return await super().acall(*args, **kwargs)


class ScriptedModel(ModelClient):
    """Follows the script; uses no network. `note` is called with each prompt."""

    def __init__(self, text: str, note) -> None:
        super().__init__()
        self.sync_client = self.async_client = self
        self._calls = [call for turn in scripted_turns(text, CLARIFY) for call in turn]
        self._text = text
        self._note = note
        self._acted = False

    def convert_inputs_to_api_kwargs(self, input=None, model_kwargs=None, model_type=ModelType.UNDEFINED):
        """The prompt, and nothing else."""
        return {"prompt": input}

    async def acall(self, api_kwargs=None, model_type=None) -> str:
        """One step: the next call, or the end."""
        self._note(api_kwargs["prompt"])
        if "crash" in plain_words(self._text):
            # Every other error the runner takes for a slip of the model, and asks again until its steps are used up.
            raise ConnectionError("Connection error: the scripted model failed")
        if self._calls:
            self._acted = True
            return json.dumps(_step(self._calls.pop(0)))
        words = "Done." if self._acted else f"You said: {self._text}"
        return json.dumps({"name": "finish", "_is_answer_final": True, "_answer": words})

    def parse_chat_completion(self, completion):
        """The text as it is; the planner reads it."""
        return GeneratorOutput(data=None, raw_response=completion)


def _step(call: ScriptedCall) -> Message:
    if "positional" in call.words:
        return {"name": call.tool, "args": list(call.args.values()), "kwargs": {}}
    return {"name": call.tool, "args": [], "kwargs": call.args}


async def drive(client: Client, text: str, permissions: PagePermissions | ShippedPermissions, ledger: Ledger) -> None:
    """Runs an agent to its end and streams what happens."""
    identifier = new_id()
    noted: Message = {"id": identifier, "text": text, "asked": None}
    client.runs[identifier] = noted
    client.save()

    def note(prompt: str) -> None:
        steps = agent_runner.step_history
        outcomes = [(step.function.name, str(step.observation)) for step in steps if step.function]
        missing = [outcome for _, outcome in outcomes if f'"Observation": "{outcome}"' not in prompt]
        if missing:
            raise RuntimeError("the prompt leaves out what a tool said")
        ledger.told(client.id, "adalflow", identifier, outcomes)

    tools = [RecordedTool(function, client.id, ledger) for function in (*ALL, clarify)]
    model = ScriptedModel(text, note)
    # Its default is a cache on disk that replays old plans.
    agent = Agent("demo", tools=tools, model_client=model, model_kwargs={"model": "scripted"}, use_cache=False)
    agent_runner = Runner(agent=agent, permission_manager=permissions, max_steps=50)
    stream = agent_runner.astream(prompt_kwargs={"input_str": text}, model_kwargs={})

    def tell(event) -> Message:
        message = json.loads(json.dumps(event, cls=EventEncoder))
        if message.get("name") != "agent.execution_complete":
            if isinstance(permissions, ShippedPermissions):
                noted["asked"] = _waiting(message, noted["asked"])
            # Several runs of one client go on at once: the end of one says nothing of the calls of another.
            client.publish({**message, "run": identifier})
        return message

    # The stream of a runner that is cancelled ends without the event that says how.
    finished: Message = {"type": "run_failed", "error": "the run was cancelled"}
    try:
        async for event in stream.stream_events():
            message = tell(event)
            if message.get("name") == "agent.execution_complete":
                finished = _finished(message)
    except Exception as error:
        # The runner is a task of its own: it would go on, and what it asks next could be answered.
        await agent_runner.cancel()
        # The stream raises before it hands over what came of the calls until then.
        for event in _left(stream):
            with suppress(ValueError):
                tell(event)
        finished = {"type": "run_failed", "error": f"{type(error).__name__}: {error}"}
    client.runs.pop(identifier)
    client.end({**finished, "run": identifier})


def _left(stream) -> list:
    """What a stream that has raised did not hand over any more: calls that began, and what came of them."""
    queue = stream._event_queue
    left = [queue.get_nowait() for _ in range(queue.qsize())]
    return [event for event in left if getattr(event, "name", None) in CALL_EVENTS]


def _waiting(message: Message, before: Message | None) -> Message | None:
    """The request that a client of the library's handler can answer now, in the handler's words."""
    if message.get("name") in CALL_EVENTS:
        return None
    if message.get("name") != "agent.tool_permission_request":
        return before
    request, at = message["item"]["data"], message["item"]["timestamp"]
    call = {"tool_name": request["tool_name"], "tool_args": request["tool"]["args"]}
    return {"request_id": request["id"], **call, "tool_kwargs": request["tool"]["kwargs"], "timestamp": at}


def _finished(complete: Message) -> Message:
    """How a run ended, from the library's last event."""
    result = complete["item"]["data"] or {}
    # The library has an answer for runs that failed too: a sentence about the number of steps.
    if error := complete["item"]["error"] or result.get("error"):
        return {"type": "run_failed", "error": error}
    return {"type": "run_finished", "answer": result.get("answer")}
