"""The guard in front of `to_a2a`: an answer reaches the agent once, in time, and only if it fits. Plain ASGI.

`to_a2a` makes its own request handler, so what a message says is looked at before it, in both versions of A2A.
"""

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from google.protobuf.json_format import MessageToDict
from starlette.responses import JSONResponse, Response

from countersign_backend.adk_a2a_answer import answers, check, waiting
from countersign_backend.adk_a2a_store import RUNNING, Accepted, PauseStore, in_0_3, in_1_0, is_waiting
from countersign_backend.guarding import Refused, hand_on, read_body, with_body
from countersign_backend.ledger import json_text
from countersign_backend.strict_json import Ambiguous, read_object

SENDS = {"SendMessage", "SendStreamingMessage", "message/send", "message/stream"}
READS = {"GetTask", "SubscribeToTask", "tasks/get", "tasks/resubscribe"}
"""What a page may call, with `ListTasks`. Left out with reason: where notifications are on, the server calls the address
that the page names; a cancelled task leaves its request open in the session, where an answer without a task runs it."""

MEMBERS = {"kind", "messageId", "role", "contextId", "taskId", "parts", "metadata"}
"""What a message may say. The framework takes `task_id` for `taskId`, too, and whoever looks for one misses the other."""

INVALID = -32602


class A2aGuard:
    """Wraps the app of one or several agents. `stores` has the tasks of each, by its path."""

    def __init__(self, app, stores: Mapping[str, PauseStore]) -> None:
        self._app = app
        self._stores = stores
        # One run of a conversation at a time: the framework looks for an approval in the last message of the session only,
        # and another one might stand in its place.
        self._busy: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    async def __call__(self, scope, receive, send) -> None:
        store = self._stores.get(scope.get("path", ""))
        if store is None or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        call: dict[str, Any] = {}
        try:
            call = read_object(await read_body(receive))
            await self._serve(store, call, scope, receive, send)
        except (Refused, Ambiguous) as reason:
            error = {"code": INVALID, "message": str(reason)}
            await JSONResponse({"jsonrpc": "2.0", "id": call.get("id"), "error": error})(scope, receive, send)

    async def _serve(self, store: PauseStore, call: dict[str, Any], scope, receive, send) -> None:
        method, params = call.get("method"), call.get("params")
        if not isinstance(params, dict):
            raise Refused("a call has `params`")
        if method in SENDS:
            await self._message(store, call, scope, send)
            return
        if method == "ListTasks" and not params.get("contextId"):
            raise Refused("a page reads the tasks of its conversation")
        if method not in READS and method != "ListTasks":
            raise Refused("there is no such call for pages")
        await self._hand_on(call, scope, receive, send)

    async def _message(self, store: PauseStore, call: dict[str, Any], scope, send) -> None:
        message = call["params"].get("message")
        if not isinstance(message, dict) or call["params"].keys() != {"message"}:
            # `configuration` has a place for notifications, and the rest is not for pages either.
            raise Refused("a page sends a message and nothing else")
        _check_spelling(call, message, scope)
        found, context = answers(message), message.get("contextId")
        if not isinstance(context, str) or not context:
            raise Refused("a message names its conversation")
        if not found and message.get("taskId") is not None:
            # With the id of a paused task they complete it, and the pause is lost.
            raise Refused("words begin a task of their own: this one waits for an answer")
        async with self._busy[context]:
            repeated = self._admit(store, message, found) if found else None
            if repeated is None:
                # Whoever leaves stops reading, and nothing else.
                await self._hand_on(call, scope, never, send)
            else:
                await self._tell(store, call, repeated, scope, send)

    def _admit(self, store: PauseStore, message: dict[str, Any], found: list[dict[str, Any]]) -> Accepted | None:
        """Lets a fitting answer pass; returns the earlier acceptance of a repeated one."""
        name, task_id = message.get("messageId"), message.get("taskId")
        if not isinstance(name, str) or not name:
            raise Refused("an answer has an id")
        digest = hashlib.sha256(json_text(message).encode()).hexdigest()
        earlier = store.accepted(name)
        if earlier is not None:
            if earlier.digest != digest:
                raise Refused("this message id belongs to another answer")
            return earlier
        if not isinstance(task_id, str):
            raise Refused("an answer names the task that waits for it")
        task = store.current(task_id)
        if task is None:
            raise Refused(f"there is no task `{task_id}`")
        if task.context_id != message["contextId"]:
            raise Refused("the task belongs to another conversation")
        if not is_waiting(task):
            raise Refused("the task waits for no answer")
        check(found, waiting(MessageToDict(task.status.message).get("parts", [])))
        # Nothing is awaited between the look at the task and this line: of two answers at once, one gets here.
        store.accept(name, task, digest)
        return None

    async def _tell(self, store: PauseStore, call: dict[str, Any], accepted: Accepted, scope, send) -> None:
        """The task of an accepted answer, for who lost the reply. Nothing runs."""
        while (task := store.current(accepted.task)) is not None and task.status.state in RUNNING:
            await asyncio.sleep(0.05)
        is_new = call["method"].startswith("Send")
        result = {"task": in_1_0(task)} if is_new else in_0_3(task)
        answer = {"jsonrpc": "2.0", "id": call.get("id"), "result": result}
        if "tream" in call["method"]:
            await Response(f"data: {json_text(answer)}\n\n", media_type="text/event-stream")(scope, None, send)
        else:
            await JSONResponse(answer)(scope, None, send)

    async def _hand_on(self, call: dict[str, Any], scope, then, send) -> None:
        # What was checked is what the framework reads, not the text it was read from.
        text = json_text(call).encode()
        first = hand_on(text)
        is_read = False

        async def receive():
            nonlocal is_read
            if is_read:
                return await then()
            is_read = True
            return await first()

        await self._app(with_body(scope, text), receive, send)


def _check_spelling(call: dict[str, Any], message: dict[str, Any], scope) -> None:
    """Refuses what the framework would not read: it says so after the pause is over, and nobody could answer it any more."""
    is_new = call["method"].startswith("Send")
    version = dict(scope["headers"]).get(b"a2a-version") or b"0.3"
    if version != (b"1.0" if is_new else b"0.3"):
        raise Refused("the call is not of the version that its header names")
    if call.get("jsonrpc") != "2.0" or type(call.get("id")) not in (int, str):
        raise Refused("a call is JSON-RPC 2.0 and has an id")
    if message.keys() - MEMBERS or not isinstance(message.get("metadata", {}), dict):
        raise Refused("a message has members that are not known")
    parts = message.get("parts")
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise Refused("a message has parts")
    said = message.get("role"), message.get("kind"), *(part.get("kind") for part in parts)
    meant = ("user", "message", *("text" if "text" in part else "data" for part in parts))
    if said != (("ROLE_USER", *(None for _ in meant[1:])) if is_new else meant):
        raise Refused("the message is not spelt as its version of A2A has it")


async def never():
    """A `receive` that never says that the page has gone."""
    await asyncio.Event().wait()
