"""Makes the next sends fail on purpose, so that tests can see what a client does then. Plain ASGI."""

import json
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


class Faults:
    """Wraps an ASGI app. A send is a POST to `/` whose JSON-RPC method begins with `message/`."""

    def __init__(self, app) -> None:
        self._app = app
        self._planned: list[Fault] = []

    def plan(self, fault: Fault) -> None:
        """Adds a fault."""
        self._planned.append(fault)

    async def __call__(self, scope, receive, send) -> None:
        if not self._planned or scope["type"] != "http" or (scope["method"], scope["path"]) != ("POST", "/"):
            await self._app(scope, receive, send)
            return
        body = await _body(receive)
        fault = self._due(body)
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

    def _due(self, body: bytes) -> Fault | None:
        try:
            request = json.loads(body)
            sends = request["method"].startswith("message/")
            context = request["params"]["message"].get("contextId")
        except (ValueError, TypeError, KeyError, AttributeError):
            return None
        for fault in self._planned if sends else []:
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
