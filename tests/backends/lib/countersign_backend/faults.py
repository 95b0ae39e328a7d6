"""Makes the next sends fail on purpose, so that tests can see what a client does then. Plain ASGI."""

import json
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Fault:
    """The next `count` sends fail.

    `when`: `before` they are read, or `after` they ran: then only the reply is lost. `context`: those of one
    conversation; `None`: of any.
    """

    count: int
    status: int
    when: str
    context: str | None


NO_SEND = object()
"""What a reader of sends returns for everything else."""

Reader = Callable[[str, bytes], str | None | object]
"""Path and body of a POST, or path and text of a web socket's message → the conversation, or `NO_SEND`."""


def a2a_send(path: str, body: bytes) -> str | None | object:
    """A send is a POST whose JSON-RPC method begins with `message/`, or with `Send` since A2A 1.0."""
    try:
        request = json.loads(body)
        sends = request["method"].startswith(("message/", "Send"))
        return request["params"]["message"].get("contextId") if sends else NO_SEND
    except (ValueError, TypeError, KeyError, AttributeError):
        return NO_SEND


class Faults:
    """Wraps an ASGI app. `read` says what a send is."""

    def __init__(self, app, read: Reader = a2a_send) -> None:
        self._app = app
        self._read = read
        self._planned: list[Fault] = []

    def plan(self, fault: Fault) -> None:
        """Adds a fault."""
        self._planned.append(fault)

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "websocket":
            await self._serve_socket(scope, receive, send)
            return
        if not self._planned or scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        fault = self._due(scope["path"], body)
        delivered = False

        async def receive_again():
            nonlocal delivered
            if delivered:
                return await receive()
            delivered = True
            return {"type": "http.request", "body": body, "more_body": False}

        if fault is None:
            await self._app(scope, receive_again, send)
            return
        if fault.when == "after":
            await self._app(scope, receive_again, _drop)
        text = json.dumps({"error": True, "message": "this failure was asked for"}).encode()
        head = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": fault.status, "headers": head})
        await send({"type": "http.response.body", "body": text})

    async def _serve_socket(self, scope, receive, send) -> None:
        """A planned failure ends the connection: before the message is read, or after it ran and without a word."""
        lost = False

        async def receive_or_fail():
            nonlocal lost
            if lost:
                await send({"type": "websocket.close", "code": 1011})
                return {"type": "websocket.disconnect", "code": 1011}
            message = await receive()
            fault = self._due(scope["path"], (message.get("text") or "").encode())
            if fault is None:
                return message
            lost = True
            return message if fault.when == "after" else await receive_or_fail()

        async def send_unless_lost(message):
            if not lost:
                await send(message)

        await self._app(scope, receive_or_fail, send_unless_lost)

    def _due(self, path: str, body: bytes) -> Fault | None:
        context = self._read(path, body) if self._planned else NO_SEND
        for fault in self._planned if context is not NO_SEND else []:
            if fault.context in (None, context):
                fault.count -= 1
                if fault.count == 0:
                    self._planned.remove(fault)
                return fault
        return None


async def _body(receive) -> bytes:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            return body


async def _drop(message) -> None:
    """Sends nothing."""
