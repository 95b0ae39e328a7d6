"""The graphs of `langgraph.py`, one for each way in which LangGraph agents ask, with a model that follows a script."""

import functools
import os
import time
import uuid
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, HumanInTheLoopMiddleware, hook_config
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool, ToolException, tool
from langgraph.config import get_config
from langgraph.graph import END, MessagesState, StateGraph
from langgraph.types import interrupt

from countersign_backend import finite, tools
from countersign_backend.ledger import Ledger, RanAlready
from countersign_backend.turns import next_turn

STATE = os.environ.get("COUNTERSIGN_STATE")
LEDGER = Ledger(Path(STATE) / "executed.jsonl" if STATE else None)

INTERRUPT_ON = {
    "delete_file": {"allowed_decisions": ["approve", "reject"], "description": "Deleting cannot be undone."},
    "transfer_funds": {"allowed_decisions": ["approve", "edit", "reject"]},
    "send_email": True,
}
"""Which decisions the middleware allows; `True` is all: approve, edit, reject and respond."""

CALL: ContextVar[str] = ContextVar("call")
"""Id of the tool call that runs here."""


# NUL and its escape reach no page as they are: see `finite.py`.
unshowable = functools.partial(finite.refusal, keeps_nul=False)


def thread() -> str:
    """The thread that is running. Sub-agents run in that of their caller."""
    return get_config()["configurable"]["thread_id"]


class ScriptedModel(BaseChatModel):
    """Answers from the user's own words; uses no network."""

    agent: str

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> "ScriptedModel":
        """The script knows its tools."""
        return self

    def _generate(self, messages: list[BaseMessage], stop=None, run_manager=None, **options: Any) -> ChatResult:
        outcomes = [(message.name, message.text) for message in messages if isinstance(message, ToolMessage)]
        LEDGER.told(thread(), self.agent, f"{thread()}/{self.agent}", outcomes)
        asked = max(at for at, message in enumerate(messages) if isinstance(message, HumanMessage))
        since = messages[asked + 1 :]
        turn = next_turn(messages[asked].text, sum(isinstance(message, AIMessage) for message in since))
        calls = list(turn.calls)
        if turn.delegated is not None:
            calls.append(("delegate", {"task": turn.delegated}))
        results = [message.text for message in since if isinstance(message, ToolMessage)]
        ended = " ".join(["Done.", *results]) if results else "There is nothing to do."
        said = "I will do that now." if calls else ended
        made = [{"name": name, "args": args, "id": f"call_{uuid.uuid4().hex}"} for name, args in calls]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(said, tool_calls=made))])


class ExactTool(StructuredTool):
    """A tool whose function gets the arguments as they came, once they are valid; pydantic would make 5.0 of 5."""

    def _parse_input(self, tool_input, tool_call_id):
        super()._parse_input(tool_input, tool_call_id)
        return dict(tool_input)

    def run(self, *args, **options):
        """Runs the function, or the wait for a person in front of it."""
        CALL.set(options.get("tool_call_id") or "")
        return super().run(*args, **options)

    async def arun(self, *args, **options):
        """The same, beside other things."""
        CALL.set(options.get("tool_call_id") or "")
        return await super().arun(*args, **options)


def recorded(function: Callable[..., str], agent: str) -> Callable[..., str]:
    """Notes what the function is given, once a call, and makes its failure an outcome that the model can read."""

    @functools.wraps(function)
    def run(**args: Any) -> str:
        try:
            # After a crash the server starts the runs again that were going on.
            LEDGER.ran(thread(), agent, function.__name__, args, CALL.get())
            if args.get("path") == tools.SLOW:
                time.sleep(tools.SLOWNESS)
            return function(**args)
        except (RanAlready, OSError) as error:
            raise ToolException(str(error)) from error

    return run


class RefuseUnshowable(AgentMiddleware):
    """Lets nobody be asked about a call that no page could show: the model hears why, and no call of its turn runs."""

    @hook_config(can_jump_to=["model"])
    def after_model(self, state, runtime) -> dict[str, Any] | None:
        """Answers the calls of this turn if one that would be asked about cannot be shown."""
        calls = state["messages"][-1].tool_calls
        asked = [call for call in calls if call["name"] in INTERRUPT_ON]
        reasons = [reason for call in asked if (reason := unshowable(call["name"], call["args"]))]
        if not reasons:
            return None
        refused = [
            ToolMessage(reasons[0], tool_call_id=call["id"], name=call["name"], status="error") for call in calls
        ]
        return {"messages": refused, "jump_to": "model"}


def asking(function: Callable[..., str]) -> Callable[..., str]:
    """Asks with a list of one `HumanInterrupt` before the function runs."""

    @functools.wraps(function)
    def ask(**args: Any) -> str:
        if reason := unshowable(function.__name__, args):
            raise ToolException(reason)
        answer = interrupt([human_interrupt_of(function.__name__, args, "Please look at this call.")])[0]
        if answer["type"] == "response":
            return answer["args"]
        if answer["type"] == "ignore":
            return f"The person ignored the call of {function.__name__}. It did not run."
        # The guard has compared the edit with the tool's schema; here only an edit carries arguments.
        return function(**(answer["args"]["args"] if answer["type"] == "edit" else args))

    return ask


def human_interrupt_of(action: str, args: dict[str, Any], description: str) -> dict[str, Any]:
    """One `HumanInterrupt`; a deletion cannot be edited."""
    allowed = {"allow_accept": True, "allow_edit": "delete" not in action, "allow_respond": True, "allow_ignore": True}
    return {"action_request": {"action": action, "args": args}, "config": allowed, "description": description}


def make_tools(agent: str, gate: Callable[[Callable], Callable] | None = None) -> list[StructuredTool]:
    """The example's tools, with `gate` in front of those that need approval."""
    made = []
    for function in tools.ALL:
        run = recorded(function, agent)
        gated = gate(run) if gate and function.__name__ in tools.GATED else run
        made.append(ExactTool.from_function(gated, handle_tool_error=True))
    return made


def reviewed(agent: str, mode: str):
    """LangChain's own agent with its own middleware."""
    review = HumanInTheLoopMiddleware(INTERRUPT_ON, interrupt_mode=mode)
    # What stands last looks first at what the model said.
    return create_agent(ScriptedModel(agent=agent), make_tools(agent), middleware=[review, RefuseUnshowable()])


def one_after_the_other(name: str):
    """Model and approval node in turns; the node asks for one call after the other, then runs what was approved."""
    model, by_name = ScriptedModel(agent=name), {one.name: one for one in make_tools(name)}

    def agent(state: MessagesState) -> dict:
        return {"messages": [model.invoke(state["messages"])]}

    def approval(state: MessagesState) -> dict:
        # Every answer starts the node anew: nothing may run before the last question is answered.
        calls = state["messages"][-1].tool_calls
        answers = {call["id"]: ask(call) for call in calls if call["name"] in tools.GATED}
        return {"messages": [settle(call, answers.get(call["id"], {"type": "accept"})) for call in calls]}

    def ask(call: dict) -> dict:
        if reason := unshowable(call["name"], call["args"]):
            return {"type": "response", "args": reason}
        request = human_interrupt_of(f"tool_approval_{call['name']}", call["args"], "Approval required.")
        answer = interrupt(request)
        return answer[0] if isinstance(answer, list) else answer

    def settle(call: dict, answer: dict) -> ToolMessage:
        if answer["type"] in ("accept", "edit"):
            args = answer["args"]["args"] if answer["type"] == "edit" else call["args"]
            return by_name[call["name"]].invoke({**call, "args": args, "type": "tool_call"})
        words = answer["args"] if answer["type"] == "response" else "The person ignored this call. It did not run."
        return ToolMessage(words, tool_call_id=call["id"], name=call["name"])

    graph = StateGraph(MessagesState)
    graph.add_node("agent", agent)
    graph.add_node("approval", approval)
    graph.set_entry_point("agent")
    graph.add_conditional_edges("agent", lambda state: "approval" if state["messages"][-1].tool_calls else END)
    graph.add_edge("approval", "agent")
    return graph.compile()


hitl_python = reviewed("hitl-python", "batched")
per_call = reviewed("per-call", "per_call")
human_interrupt = create_agent(ScriptedModel(agent="human-interrupt"), make_tools("human-interrupt", asking))
agent_os = one_after_the_other("agent-os")
inner = reviewed("k8s_agent", "batched")


@tool
def delegate(task: str) -> str:
    """Hands a task to the agent that looks after the cluster."""
    return inner.invoke({"messages": [HumanMessage(task)]})["messages"][-1].text


subagent = create_agent(ScriptedModel(agent="subagent"), [delegate])
