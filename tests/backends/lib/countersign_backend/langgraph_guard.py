"""The guard inside LangGraph's server: an answer reaches a thread once, in time, and only if it fits. Plain ASGI.

`langgraph dev` serves whoever can reach it, every origin included: state can be rewritten, old checkpoints run again,
interrupts answered from anywhere. Here a page gets the few routes that a chat needs, and each run is made anew from
what was checked.
"""

import asyncio
import hashlib
import re
from collections import defaultdict
from datetime import datetime, timedelta, timezone
from typing import Any

from starlette.responses import JSONResponse, Response

from countersign_backend.guarding import Refused, hand_on, idempotency_key, read_body, with_body
from countersign_backend.langgraph_answer import DIGESTS, check, waiting
from countersign_backend.ledger import json_text
from countersign_backend.strict_json import Ambiguous, read_object

THREAD = re.compile(r"/threads/(?P<thread>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?P<rest>/.*)?")
OPEN_ROUTES = {"GET /executed", "GET /model", "POST /test/fail-next"}
READING = {"GET ", "GET /state", "GET /history", "POST /history", "GET /stream"}
JOINING = re.compile(r"GET /runs/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/stream")
LISTED = b"limit=10&select=run_id&select=status"
"""What a page may know of the runs of a thread: the rest of one says how the server works, and who began it."""
RUNNING = {"POST /runs/stream", "POST /runs/wait"}
RUN_MEMBERS = {
    "assistant_id",
    "input",
    "command",
    "stream_mode",
    "stream_subgraphs",
    "if_not_exists",
    "metadata",
    "multitask_strategy",
    "on_disconnect",
    "stream_resumable",
}
"""What a page may say. Left out with reason: `checkpoint` and `config` run an earlier state again, with calls that were
approved then; `interrupt_before` and `interrupt_after` move the pauses; `webhook` makes the server call addresses."""
SHOWING = ("assistant_id", "stream_mode", "stream_subgraphs", "stream_resumable")
"""What of it is handed on as it is: what the page hears of the run."""
TOO_LATE = "Nobody decided in time. What waited was not run."


class LangGraphGuard:
    """Wraps the whole server, as outermost middleware of `http.app`."""

    def __init__(self, app, seconds_to_live: float) -> None:
        self._app = app
        self._time_to_live = timedelta(seconds=seconds_to_live)
        # One run of a thread at a time: until a run begins, the state shows the interrupt to the second answer too,
        # and the server would give that one to the next question.
        self._busy: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._accepted: dict[tuple[str, str], str] = {}

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        try:
            await self._route(scope, receive, send)
        except (Refused, Ambiguous) as reason:
            status = reason.status if isinstance(reason, Refused) else 400
            await JSONResponse({"error": True, "message": str(reason)}, status)(scope, receive, send)

    async def _route(self, scope, receive, send) -> None:
        method, path = scope["method"], scope["path"]
        found = THREAD.fullmatch(path)
        asked = f"{method} {found['rest'] or ''}" if found else f"{method} {path}"
        if not found and asked in OPEN_ROUTES:
            await self._app(scope, receive, send)
        elif found and asked in RUNNING:
            await self._run(found["thread"], scope, await read_body(receive), send)
        elif found and asked in READING:
            body = await read_body(receive) if method == "POST" else b""
            if body and read_object(body).keys() - {"limit", "before"}:
                raise Refused("a page reads its history from the end")
            await self._end_old_pauses(found["thread"], scope)
            await self._app(with_body(scope, body), hand_on(body) if body else receive, send)
        elif found and asked == "GET /runs":
            await self._app({**scope, "query_string": LISTED}, receive, send)
        elif found and JOINING.fullmatch(asked):
            # What the run still says, for a page that was loaded again. `cancel_on_disconnect` would let it end the run.
            await self._app({**scope, "query_string": b""}, receive, send)
        elif asked == "POST /threads":
            body = given(read_object(await read_body(receive)))
            # Clients send it even when it says nothing.
            if body.get("metadata") == {}:
                del body["metadata"]
            # With `supersteps` a page would write the state of the new thread.
            if body.keys() - {"thread_id", "if_exists"}:
                raise Refused("a page chooses nothing but the id of a thread")
            text = json_text(body).encode()
            await self._app(with_body(scope, text), hand_on(text), send)
        else:
            raise Refused(f"not found: {path} is no route for pages", 404)

    async def _run(self, thread: str, scope, text: bytes, send) -> None:
        asked = given(read_object(text))
        if unknown := asked.keys() - RUN_MEMBERS:
            raise Refused(f"`{sorted(unknown)[0]}` is not for pages")
        run = {name: asked[name] for name in SHOWING if name in asked}
        # A page that goes away must not stop a tool in the middle, and a second run must not queue up behind this one.
        run |= {"multitask_strategy": "reject", "on_disconnect": "continue", "if_not_exists": "create"}
        command, metadata = asked.get("command"), asked.get("metadata", {})
        if not isinstance(metadata, dict) or metadata.keys() - {DIGESTS}:
            raise Refused(f"`metadata` holds nothing but `{DIGESTS}`")
        async with self._busy[thread]:
            await self._check_graph(thread, scope, run.get("assistant_id"))
            if command is None:
                run["input"] = {"messages": [{"role": "user", "content": typed_words(asked.get("input"))}]}
            else:
                if "input" in asked or not isinstance(command, dict) or command.keys() != {"resume"}:
                    # `update` and `goto` rewrite the state and jump over the pause.
                    raise Refused("a command is `resume` and nothing else, without input")
                if not await self._admit(thread, scope, command["resume"], metadata.get(DIGESTS)):
                    await self._repeat(thread, scope, send)
                    return
                run["command"] = command
            text = json_text(run).encode()
            await self._app(with_body(scope, text), hand_on(text), send)

    async def _check_graph(self, thread: str, scope, assistant: Any) -> None:
        """A thread stays with its graph: another one would take the answer without its own gate."""
        status, found = await self._call(scope, "GET", f"/threads/{thread}")
        graph = (found.get("metadata") or {}).get("graph_id") if status == 200 else None
        if not isinstance(assistant, str) or graph not in (None, assistant):
            raise Refused(f"the thread belongs to `{graph}`")

    async def _admit(self, thread: str, scope, resume: Any, digests: Any) -> bool:
        """Whether these answers are new; remembers them if so."""
        digest = hashlib.sha256(json_text(resume).encode()).hexdigest()
        name = idempotency_key(scope)
        if name and (thread, name) in self._accepted:
            if self._accepted[thread, name] != digest:
                raise Refused("this idempotency key belongs to another answer", 409)
            return False
        state = await self._state(thread, scope)
        check(resume, await self._end_late(thread, scope, state), digests)
        if name:
            self._accepted[thread, name] = digest
        return True

    async def _repeat(self, thread: str, scope, send) -> None:
        """Where the thread stands, for who lost the reply. Nothing runs."""
        state = await self._state(thread, scope)
        values = dict(state["values"])
        if left := list(waiting(state).values()):
            values["__interrupt__"] = left
        if scope["path"].endswith("/wait"):
            await Response(json_text(values), media_type="application/json")(scope, None, send)
            return
        event = f"event: values\ndata: {json_text(values)}\n\n"
        await Response(event, media_type="text/event-stream")(scope, None, send)

    async def _end_old_pauses(self, thread: str, scope) -> None:
        if self._busy[thread].locked():
            # A run goes on and writes to the thread; what is late is refused when it is answered.
            return
        async with self._busy[thread]:
            status, state = await self._call(scope, "GET", f"/threads/{thread}/state")
            if status == 200:
                await self._end_late(thread, scope, state)

    async def _end_late(self, thread: str, scope, state: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Ends the pauses that are too old, where every page can see it; returns the interrupts that still wait."""
        interrupts = waiting(state)
        if not interrupts or not state.get("created_at"):
            return interrupts
        if datetime.now(timezone.utc) - datetime.fromisoformat(state["created_at"]) < self._time_to_live:
            return interrupts
        path = f"/threads/{thread}/state"
        clear = {"values": None, "as_node": "__end__"}
        # First what finished beside the pause becomes part of the thread, then the calls that waited get an outcome.
        await self._write(scope, path, clear)
        messages = (await self._state(thread, scope))["values"].get("messages") or []
        ended = [
            {"role": "tool", "content": TOO_LATE, "tool_call_id": call["id"], "name": call["name"], "status": "error"}
            for call in calls_without_outcome(messages)
        ]
        if ended:
            await self._write(scope, path, {"values": {"messages": ended}, "as_node": tool_node(state)})
            await self._write(scope, path, clear)
        return {}

    async def _write(self, scope, path: str, body: dict[str, Any]) -> None:
        status, answer = await self._call(scope, "POST", path, body)
        if status != 200:
            # Somebody is running the thread at this moment: then nothing here is old.
            raise Refused(f"the thread is busy: {answer}", 409)

    async def _state(self, thread: str, scope) -> dict[str, Any]:
        status, state = await self._call(scope, "GET", f"/threads/{thread}/state")
        if status != 200:
            raise Refused(f"there is no thread `{thread}`", 404)
        return state

    async def _call(self, scope, method: str, path: str, body: dict[str, Any] | None = None) -> tuple[int, Any]:
        """Asks the server itself, in this process: status and JSON."""
        text = json_text(body).encode() if body is not None else b""
        inner = {**scope, "method": method, "path": path, "raw_path": path.encode(), "query_string": b""}
        status, parts = 0, []

        async def collect(message) -> None:
            nonlocal status
            status = message.get("status", status)
            parts.append(message.get("body", b""))

        await self._app(with_body(inner, text), hand_on(text), collect)
        answer = b"".join(parts)
        return status, read_object(answer) if answer.startswith(b"{") else {}


def typed_words(found: Any) -> str:
    """The words in the input of a run. Everything else that a state can hold is not the person's to write.

    A message with an id replaces the one that has this id; with the role `ai` or `tool` it is a call or an outcome.
    """
    messages = found.get("messages") if isinstance(found, dict) and found.keys() == {"messages"} else None
    message = messages[0] if isinstance(messages, list) and len(messages) == 1 else None
    if not isinstance(message, dict) or message.keys() - {"role", "type", "content", "id"}:
        raise Refused("the input is one message of the user")
    if {message.get("role", "user"), message.get("type", "human")} - {"user", "human"}:
        raise Refused("the input is one message of the user")
    if not isinstance(message.get("content"), str):
        raise Refused("a message of the user is text")
    return message["content"]


def calls_without_outcome(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tool calls of the last message that made any, as far as nothing answers them."""
    made = [message["tool_calls"] for message in messages if message.get("tool_calls")]
    settled = {message.get("tool_call_id") for message in messages}
    return [call for call in made[-1] if call["id"] not in settled] if made else []


def tool_node(state: dict[str, Any]) -> str:
    """The node whose work an outcome is: that which waits, or the agent's tools if only their review waits."""
    names = [task["name"] for task in state["tasks"] if task.get("interrupts")]
    return "tools" if "HumanInTheLoopMiddleware" in names[0] else names[0]


def given(body: dict[str, Any]) -> dict[str, Any]:
    """The members that say something: clients write `null` for what they leave open."""
    return {name: value for name, value in body.items() if value is not None}
