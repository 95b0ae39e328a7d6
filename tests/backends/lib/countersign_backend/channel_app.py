"""A whole server around a channel: its routes, its fence, and failures on demand."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from countersign_backend.channel import Channel
from countersign_backend.channel_routes import Listen, Start, answered, channel_routes
from countersign_backend.faults import NO_SEND, Fault, Faults
from countersign_backend.fence import Fence
from countersign_backend.ledger import Ledger
from countersign_backend.serve import host_names
from countersign_backend.strict_json import Ambiguous, read_object


def channel_app(
    options: argparse.Namespace,
    port: int,
    channel: Channel,
    ledger: Ledger,
    start: Start,
    take_up: Callable[[], None],
    more: Sequence[BaseRoute] = (),
    listen: Listen | None = None,
    sends: Callable[[str], str | None | object] = lambda path: NO_SEND,
) -> Fence:
    """The ASGI app. `take_up` is called once, before the first request; `more` are routes of this backend alone, and
    `sends` tells for the path of a POST to one of them whose answer it is, or `NO_SEND`."""

    @asynccontextmanager
    async def lifespan(_app):
        take_up()
        yield

    async def fail_next(request: Request) -> object:
        given = request.query_params
        count, status = int(given.get("count", 1)), int(given.get("status", 503))
        faults.plan(Fault(count, status, given.get("when", "before"), given.get("context")))
        return {"planned": count}

    routes = [*more, *channel_routes(channel, start, ledger, listen)]
    if options.test:
        routes.append(Route("/test/fail-next", answered(fail_next), methods=["POST"]))

    def read(path: str, body: bytes) -> str | None | object:
        found = sender(channel, path, body)
        return sends(path) if found is NO_SEND else found

    faults = Faults(Starlette(routes=routes, lifespan=lifespan), read)
    return Fence(faults, hosts=host_names(port), origins=options.origin, token=options.token, sockets=True)


def sender(channel: Channel, path: str, body: bytes) -> str | None | object:
    """The client whose answer this is, or `NO_SEND`."""
    match path.strip("/").split("/"):
        case ["ws", client]:
            try:
                return client if read_object(body).get("type") == "approval_response" else NO_SEND
            except Ambiguous:
                return NO_SEND
        case ["approvals", request]:
            owner = channel.owner(request)
            return owner.id if owner else None
    return NO_SEND
