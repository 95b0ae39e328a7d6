"""The routes of a channel: a web socket for each page, and the same over HTTP for those that poll.

    WS   /ws/{client}                    greeting, open requests, then everything as it happens; takes answers
    GET  /approvals/pending?client_id=   open requests: {id: request}
    POST /approvals/{id}                 an answer; receipt, or 404, 409, 422 with `detail`
    GET  /history/{client}               every message sent to that client, without greetings
    POST /run/{client}                   a person's words: {"text": …}
    GET  /executed?context=              what ran, oldest first
    GET  /model?context=                 which outcomes the model was told
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from countersign_backend.channel import Channel, Client, Message, Refused
from countersign_backend.ledger import Ledger, json_text
from countersign_backend.strict_json import Ambiguous, read_object

LONGEST_NAME = 200
"""Characters in a client's name."""

Start = Callable[[Client, Message], None]
"""Begins a run for the words that a person typed; raises `Refused` for a body that it does not understand."""
Shape = Callable[[Message], Message | None]
"""How one connection wants its messages; `None` is not sent."""
Listen = Callable[[Client, WebSocket], Shape]
"""Reads from a connection's address how it wants them."""


def answered(handler: Callable[[Request], Awaitable[object]]) -> Callable[[Request], Awaitable[Response]]:
    """Makes a route of a function that returns JSON, or raises `Refused`."""

    async def route(request: Request) -> Response:
        try:
            return reply(await handler(request))
        except Refused as refusal:
            return reply({"detail": refusal.detail}, refusal.status)

    return route


def reply(value: object, status: int = 200) -> Response:
    """JSON with the characters as they are: the text in which arguments are digested."""
    return Response(json_text(value), status, media_type="application/json")


async def read_body(request: Request) -> Message:
    """The body of a request, read strictly."""
    try:
        return read_object(await request.body())
    except Ambiguous as reason:
        raise Refused(422, str(reason)) from reason


def channel_routes(channel: Channel, start: Start, ledger: Ledger, listen: Listen | None = None) -> list[BaseRoute]:
    """The routes above."""

    async def pending(request: Request) -> object:
        name = request.query_params.get("client_id")
        if name is None:
            # Without a name every client's arguments would be shown to whoever asks.
            raise Refused(422, "`client_id` is missing")
        client = channel.find(name)
        return client.open if client else {}

    async def decide(request: Request) -> object:
        body = await read_body(request)
        return channel.answer(request.path_params["id"], body, request.headers.get("idempotency-key"))

    async def history(request: Request) -> object:
        client = channel.find(request.path_params["client"])
        return client.log if client else []

    async def run(request: Request) -> object:
        body = await read_body(request)
        client = channel.client(_name(request.path_params["client"]))
        start(client, body)
        return {"status": "started", "client_id": client.id}

    async def executed(request: Request) -> object:
        return ledger.executed(request.query_params.get("context"))

    async def model(request: Request) -> object:
        return ledger.responses(request.query_params.get("context"))

    async def connection(socket: WebSocket) -> None:
        try:
            client = channel.client(_name(socket.path_params["client"]))
        except Refused:
            await socket.close(1008)
            return
        await serve_socket(socket, client, listen(client, socket) if listen else lambda message: message)

    return [
        WebSocketRoute("/ws/{client}", connection),
        Route("/approvals/pending", answered(pending)),
        # POST alone: a link or an image must never decide.
        Route("/approvals/{id}", answered(decide), methods=["POST"]),
        Route("/history/{client}", answered(history)),
        Route("/run/{client}", answered(run), methods=["POST"]),
        Route("/executed", answered(executed)),
        Route("/model", answered(model)),
    ]


async def serve_socket(socket: WebSocket, client: Client, shape: Shape) -> None:
    """Serves one connection until the page goes away."""
    await socket.accept()
    queue = client.listen()
    sender = asyncio.create_task(_send_all(socket, queue, shape))
    try:
        while True:
            refusal = receive_answer(client, await socket.receive_text())
            if refusal is not None:
                queue.put_nowait(refusal)
    except (WebSocketDisconnect, KeyError):  # A frame of bytes is a KeyError here: it ends the connection.
        pass
    finally:
        client.leave(queue)
        sender.cancel()


def receive_answer(client: Client, text: str) -> Message | None:
    """Takes one message of a page; returns what only this page is told, if it was refused."""
    identifier = None
    try:
        message = read_object(text)
        identifier = message.pop("id", None)
        if message.pop("type", None) != "approval_response":
            raise Refused(422, "only `approval_response` is understood")
        # Only requests of this client: its address is all that a page needs to know, and all that it may decide.
        client.answer(identifier if isinstance(identifier, str) else "", message)
    except Ambiguous as reason:
        return {"type": "approval_error", "id": identifier, "status": 422, "detail": str(reason)}
    except Refused as refusal:
        return {"type": "approval_error", "id": identifier, "status": refusal.status, "detail": refusal.detail}
    return None


async def _send_all(socket: WebSocket, queue: asyncio.Queue[Message], shape: Shape) -> None:
    # A page that has gone is noticed by the receiving side.
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            message = shape(await queue.get())
            if message is not None:
                await socket.send_text(json_text(message))


def _name(client: str) -> str:
    if len(client) > LONGEST_NAME:
        raise Refused(422, f"a client's name has at most {LONGEST_NAME} characters")
    return client
