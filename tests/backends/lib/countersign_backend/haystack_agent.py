"""A Haystack agent whose gated tools wait for a person; the words that choose its calls are explained in `haystack.py`.

Three parts of Haystack decide what runs, and all three are the library's own: the policy (is this call asked about?),
`BlockingConfirmationStrategy` (what does the answer mean, and what is the model told?) and `ConfirmationHook` (which
calls are left to run?). Ours is how the question reaches a page, and that nobody blocks while it waits.
"""

import asyncio
import time
from typing import Any

from haystack import component
from haystack.components.agents import Agent
from haystack.dataclasses import ChatMessage, ToolCall
from haystack.hooks.human_in_the_loop import (
    BlockingConfirmationStrategy,
    ConfirmationHook,
    ConfirmationUIResult,
    NeverAskPolicy,
    ToolExecutionDecision,
)
from haystack.hooks.human_in_the_loop.types import ConfirmationPolicy, ConfirmationStrategy, ConfirmationUI
from haystack.tools import Tool, create_tool_from_function

from countersign_backend.channel import Client, Message, Settlement, frozen, new_id
from countersign_backend.haystack_answer import ACTIONS
from countersign_backend.ledger import Ledger
from countersign_backend.script import ScriptedCall, plain_words, scripted_turns
from countersign_backend.tools import ALL, GATED, HANGS

TIMED_OUT = "Nobody decided in time."
"""What the model is told besides that the call was refused; the page is told `timeout`."""


class Run:
    """One message of a person and what the agent does about it."""

    def __init__(self, client: Client, text: str, rule: str, policy: ConfirmationPolicy, timeout: float | None) -> None:
        self.id = new_id()
        self.client = client
        self.text = text
        self.rule = rule
        """The word for the policy: `always`, `never` or `once`."""
        self.policy = policy
        self.timeout = timeout
        self.turn = 0
        """How often the model has spoken."""
        self.messages: list[Message] = []
        """The conversation up to the calls that wait now."""
        self.asked: dict[str, str] = {}
        """Call id → request id, of the calls that wait now."""
        self.decisions: dict[str, Message] = {}
        """Call id → what was decided, of the same calls."""
        self.resumed: set[str] = set()
        """Call ids, of the same calls, that come again after a restart."""
        self.stage = "thinking"
        """`asking` while calls wait, `running` from their last decision to the model's next turn."""

    @property
    def one_by_one(self) -> bool:
        """Whether an answer may settle the next question too, so that it must not be asked yet."""
        return self.rule == "once"

    def note(self, stage: str) -> None:
        """Writes down how far this run has come."""
        self.stage = stage
        members = ("id", "text", "rule", "turn", "messages", "asked", "decisions", "stage")
        self.client.runs[self.id] = {name: getattr(self, name) for name in members}
        self.client.save()

    def take_up(self, noted: Message) -> None:
        """Becomes the run that `note` described before a restart."""
        for name, value in noted.items():
            setattr(self, name, value)
        self.resumed = {*self.asked, *self.decisions}

    def claim(self, call: str | None) -> None:
        """Takes this id for a call that is about to be asked about.

        # Errors
        `ValueError` where another call has it: one answer would count for both. So it is with agents that are tools of
        one another and run at once, and with models that number their calls.
        """
        if call in self.resumed:
            self.resumed.remove(call)
        elif call is None or call in self.asked or call in self.decisions:
            raise ValueError("the calls that are asked about need ids of their own")

    def forget(self) -> None:
        """The run has ended. What it still had open can no longer be answered."""
        self.client.runs.pop(self.id, None)
        for request in self.asked.values():
            self.client.expire(request)
        self.client.save()

    async def ask(self, tool: Tool, params: dict[str, Any], call: str) -> Settlement:
        """Asks the person about one call."""
        request = self.asked.setdefault(call, new_id())
        self.note("asking")
        opened = self.client.open.get(request) or {
            "type": "approval_request",
            "id": request,
            "tool_name": tool.name,
            "tool_description": tool.description,
            "tool_params": params,
            "tool_call_id": call,
            "parameters": tool.parameters,
            "allowed_actions": list(ACTIONS),
            "created_at": time.time(),
            "timeout_s": self.timeout,
        }
        return await self.client.ask(opened)


class ReadyUI(ConfirmationUI):
    """A user interface that has the answer already. The library's are asked while the caller waits, which would stop
    every other conversation of this server."""

    def __init__(self, result: ConfirmationUIResult) -> None:
        self._result = result

    def get_user_confirmation(self, tool_name, tool_description, tool_params) -> ConfirmationUIResult:
        return self._result


class AskedPolicy(ConfirmationPolicy):
    """The policy of a call that a person has decided: it learns, but is not asked again.

    `AskOncePolicy` may have changed its mind while the person thought, by an approval in another run. Asked again it
    would let the call pass, also the one that was just refused.
    """

    def __init__(self, policy: ConfirmationPolicy) -> None:
        self._policy = policy

    def should_ask(self, tool_name, tool_description, tool_params) -> bool:
        return True

    def update_after_confirmation(self, tool_name, tool_description, tool_params, confirmation_result) -> None:
        self._policy.update_after_confirmation(tool_name, tool_description, tool_params, confirmation_result)


class PageStrategy(BlockingConfirmationStrategy):
    """The library's strategy, asking a page."""

    def __init__(self, run: Run, tool: Tool) -> None:
        super().__init__(confirmation_policy=run.policy, confirmation_ui=ReadyUI(ConfirmationUIResult("reject")))
        self.tool = tool
        self._run = run

    async def run_async(
        self, *, tool_name, tool_description, tool_params, tool_call_id=None, confirmation_strategy_context=None
    ) -> ToolExecutionDecision:
        """Decides one call and tells every page how."""
        call = {"tool_name": tool_name, "tool_description": tool_description, "tool_params": tool_params}
        self._run.claim(tool_call_id)
        # What was decided or asked before a restart is not put to the policy again.
        if tool_call_id in self._run.decisions:
            return ToolExecutionDecision.from_dict(self._run.decisions[tool_call_id])
        if tool_call_id in self._run.asked or self.confirmation_policy.should_ask(**call):
            settlement = await self._run.ask(self.tool, tool_params, tool_call_id)
            decision = self._decided(settlement, call, tool_call_id)
        else:
            unasked = BlockingConfirmationStrategy(
                confirmation_policy=NeverAskPolicy(), confirmation_ui=self.confirmation_ui
            )
            decision = unasked.run(**call, tool_call_id=tool_call_id)
        self._run.decisions[tool_call_id] = decision.to_dict()
        self._run.note("asking")
        self._run.client.publish({"type": "tool_execution_decision", **decision.to_dict()})
        return decision

    def _decided(self, settlement: Settlement, call: dict[str, Any], call_id: str) -> ToolExecutionDecision:
        if settlement.answer.get("decision"):
            return ToolExecutionDecision.from_dict(settlement.answer["decision"])
        result = ConfirmationUIResult(
            action=settlement.word,
            feedback=TIMED_OUT if settlement.reason == "timeout" else settlement.answer.get("feedback"),
            new_tool_params=settlement.answer.get("new_tool_params"),
        )
        asked = BlockingConfirmationStrategy(
            confirmation_policy=AskedPolicy(self.confirmation_policy), confirmation_ui=ReadyUI(result)
        )
        return asked.run(**call, tool_call_id=call_id)


class AskTogether:
    """Asks about all calls of a turn at once, so that they can be decided in any order.

    `ConfirmationHook` asks about the second only after the first is decided. This hook stands before it and collects
    the decisions that it will then apply.
    """

    allowed_hook_points = ("before_tool",)

    def __init__(self, run: Run, strategies: dict[str, PageStrategy]) -> None:
        self._run = run
        self._strategies = strategies

    def run(self, state) -> None:
        """Not for synchronous agents: they would hold a thread for every open question."""
        raise NotImplementedError("this agent runs with `run_async`")

    async def run_async(self, state) -> None:
        """Waits for every decision of this turn."""
        messages = state.data["messages"]
        calls = messages[-1].tool_calls
        ids = [call.id for call in calls]
        if None in ids or len(set(ids)) != len(ids):
            # The decisions are collected by id: two calls of one id would share one. The library ends such a run too,
            # but only after the person has decided all of it.
            raise ValueError("the calls of a turn need ids of their own")
        # Before anything is open: arguments that are not JSON cannot be shown, so they are not asked about.
        self._run.messages = frozen({"messages": [message.to_dict() for message in messages]})["messages"]
        self._run.note("asking")
        gated = [call for call in calls if call.tool_name in self._strategies]
        decisions = state.data["hook_context"]["decisions"]
        if self._run.one_by_one:
            for call in gated:
                decisions[call.id] = await self._decide(call)
        else:
            async with asyncio.TaskGroup() as group:
                tasks = {call.id: group.create_task(self._decide(call)) for call in gated}
            decisions.update({call: task.result() for call, task in tasks.items()})
        # From here on tools run. After a restart nobody can know which did, so none is run again.
        self._run.asked, self._run.decisions, self._run.resumed = {}, {}, set()
        self._run.note("running")

    async def _decide(self, call: ToolCall) -> ToolExecutionDecision:
        strategy = self._strategies[call.tool_name]
        return await strategy.run_async(
            tool_name=call.tool_name,
            tool_description=strategy.tool.description,
            tool_params=dict(call.arguments),
            tool_call_id=call.id,
        )


class CollectedStrategy(ConfirmationStrategy):
    """Hands `ConfirmationHook` the decision that was collected for this very call."""

    async def run_async(
        self, *, tool_name, tool_description, tool_params, tool_call_id=None, confirmation_strategy_context=None
    ) -> ToolExecutionDecision:
        return confirmation_strategy_context["decisions"].pop(tool_call_id)


@component
class ScriptedChatGenerator:
    """Follows the script; uses no network."""

    def __init__(self, run: Run, turns: list[list[ScriptedCall]], ledger: Ledger) -> None:
        self._run = run
        self._turns = turns
        self._ledger = ledger

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        """One turn: the calls of the next stage, or a closing sentence."""
        results = [result for message in messages for result in message.tool_call_results]
        outcomes = [(result.origin.tool_name, result.result) for result in results]
        self._ledger.told(self._run.client.id, "haystack", self._run.id, outcomes)
        turn, self._run.turn = self._run.turn, self._run.turn + 1
        calls = self._turns[turn] if turn < len(self._turns) else []
        if turn == 0 and "crash" in plain_words(self._run.text):
            raise RuntimeError("the scripted model failed")
        if calls:
            made = [ToolCall(call.tool, call.args, id=f"call_{new_id()}") for call in calls]
            return {"replies": [ChatMessage.from_assistant("I will do that now.", tool_calls=made)]}
        lines = [f"{tool}: {outcome}" for tool, outcome in outcomes]
        closing = "Done. " + " ".join(lines) if turn else f"You said: {self._run.text}"
        return {"replies": [ChatMessage.from_assistant(closing)]}


@component
class ResumedChatGenerator:
    """A model that has already spoken: repeats what it said before the restart, so that the agent comes to the same
    pause with the same calls, and only then asks the real one."""

    def __init__(self, said: ChatMessage, generator: Any) -> None:
        self._said: ChatMessage | None = said
        self._generator = generator

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage], tools: Any = None) -> dict[str, Any]:
        """One turn."""
        said, self._said = self._said, None
        return {"replies": [said]} if said else self._generator.run(messages=messages, tools=tools)


def recorded_tool(function, context: str, ledger: Ledger) -> Tool:
    """A tool that notes the arguments it really got, in their order."""
    made = create_tool_from_function(function)

    async def recorded(**args: Any) -> Any:
        ledger.ran(context, "haystack", made.name, args)
        if args.get("path") == HANGS:
            await asyncio.Event().wait()
        return function(**args)

    return Tool(made.name, made.description, made.parameters, function=None, async_function=recorded)


async def drive(run: Run, ledger: Ledger) -> None:
    """Runs the agent to its end, from its beginning or from the pause that a restart interrupted."""
    context = run.client.id
    run.note(run.stage)
    tools = [recorded_tool(function, context, ledger) for function in ALL]
    strategies = {tool.name: PageStrategy(run, tool) for tool in tools if tool.name in GATED}
    generator = ScriptedChatGenerator(run, scripted_turns(run.text), ledger)
    messages = [ChatMessage.from_user(run.text)]
    if run.messages:
        *messages, said = [ChatMessage.from_dict(message) for message in run.messages]
        generator = ResumedChatGenerator(said, generator)
    hooks = [AskTogether(run, strategies), ConfirmationHook({GATED: CollectedStrategy()})]
    # One tool after the other: what ran can then be read in the order of the calls.
    agent = Agent(chat_generator=generator, tools=tools, hooks={"before_tool": hooks}, tool_concurrency_limit=1)
    try:
        result = await agent.run_async(messages=messages, hook_context={"decisions": {}})
        told = [message.to_dict() for message in result["messages"]]
        finished = {"type": "run_finished", "run": run.id, "messages": told}
    except Exception as error:
        finished = {"type": "run_failed", "run": run.id, "error": f"{type(error).__name__}: {error}"}
    run.forget()
    run.client.end(finished)
