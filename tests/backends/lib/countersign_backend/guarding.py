"""What the guards of the plain HTTP backends share: the refusal, the body they hand on, the name of a send."""

import asyncio

LONGEST_BODY = 1 << 20
"""Bytes."""


class Refused(Exception):
    """What came does not fit the conversation; nothing may run. `status` is the HTTP status that says so."""

    def __init__(self, sentence: str, status: int = 422) -> None:
        super().__init__(sentence)
        self.status = status


def idempotency_key(scope) -> str | None:
    """The name that the page gave this send; sending again under the same name means the same send."""
    found = [value for name, value in scope["headers"] if name == b"idempotency-key"]
    return found[0].decode("latin-1") if found else None


async def read_body(receive) -> bytes:
    """The whole body of a request.

    # Errors
    `Refused` if it is too long to be meant.
    """
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LONGEST_BODY:
            raise Refused("the body is too long", 413)
        if not message.get("more_body"):
            return body


def with_body(scope, body: bytes):
    """The scope of the same request with another body: what was checked is what runs, not the text it was read from."""
    headers = [(name, value) for name, value in scope["headers"] if name not in (b"content-length", b"content-type")]
    if body:
        headers += [(b"content-length", str(len(body)).encode()), (b"content-type", b"application/json")]
    return {**scope, "headers": headers}


def hand_on(body: bytes):
    """A `receive` that gives this body, and then never says that the page has gone.

    Frameworks cancel a run whose page goes away: after an approval that may be in the middle of the tool.
    """
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive():
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    return receive


class GoesOn:
    """Wraps an ASGI app that never hears that a page has gone, once all of its request is there.

    Frameworks cancel what they do for a page that goes away: what is being taken out of a queue in that moment is lost.
    """

    def __init__(self, app) -> None:
        self._app = app

    async def __call__(self, scope, receive, send) -> None:
        is_whole = False

        async def stays():
            nonlocal is_whole
            message = await receive()
            if is_whole and message["type"] == "http.disconnect":
                await asyncio.Event().wait()
            is_whole = is_whole or not message.get("more_body")
            return message

        await self._app(scope, stays if scope["type"] == "http" else receive, send)
