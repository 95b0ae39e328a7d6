"""AdalFlow's own approval routes behind a guard, at their own address.

    GET  /api/v1/approvals/pending            what waits; with `?client_id=` of one client, else of all
    GET  /api/v1/approvals/{id}               one request: `pending`, `expired`, or `approved`: answered
    POST /api/v1/approvals/{id}/approve       {"request_id", "outcome", "response_data"?, "args_digest"?}

The handler itself asks nobody who he is and believes whatever it is sent, so nothing reaches it unchecked.
"""

from collections.abc import Callable, Iterable

from starlette.requests import Request
from starlette.routing import BaseRoute, Route

from countersign_backend.adalflow_answer import shown_arguments
from countersign_backend.adalflow_permissions import ShippedPermissions
from countersign_backend.channel import Message, Refused
from countersign_backend.channel_routes import answered, read_body, reply
from countersign_backend.digests import of_shown
from countersign_backend.ledger import json_text

PREFIX = "/api/v1/approvals"
OUTCOMES = ("proceed_once", "proceed_always", "cancel")
DIGEST = "args_digest"
QUESTION = "clarify"
"""The one tool into whose arguments the library puts what the person wrote."""

Handlers = Callable[[], Iterable[tuple[str, ShippedPermissions]]]
"""Every client with its handler."""


def shipped_owner(handlers: Handlers, request: str) -> tuple[str, ShippedPermissions] | None:
    """The client that a request belongs to, and its handler."""
    return next(((client, handler) for client, handler in handlers() if request in handler.requests), None)


def shipped_routes(handlers: Handlers) -> list[BaseRoute]:
    """The routes above. Its `DELETE` is left out: it cancels requests also when they were answered already."""

    async def pending(request: Request) -> object:
        wanted = request.query_params.get("client_id")
        return [each for client, handler in handlers() if wanted in (None, client) for each in handler.pending()]

    return [
        Route(f"{PREFIX}/pending", answered(pending)),
        Route(f"{PREFIX}/{{id}}", _Library(handlers), methods=["GET"]),
        Route(f"{PREFIX}/{{id}}/approve", _Library(handlers), methods=["POST"]),
    ]


def check(tool: str, identifier: str, body: Message) -> None:
    """Compares an answer with its request.

    # Errors
    `Refused` where the handler would take something else than the person can have meant.
    """
    if body.get("request_id") != identifier:
        # It looks at the address alone; an answer that names another request was meant for that one.
        raise Refused(422, "`request_id` is not that of the address")
    outcome, words = body.get("outcome"), body.get("response_data")
    if not isinstance(outcome, str) or outcome not in OUTCOMES:
        raise Refused(422, f"outcome must be one of {list(OUTCOMES)}")
    if unknown := body.keys() - {"request_id", "outcome", "response_data", DIGEST}:
        raise Refused(422, f"`{sorted(unknown)[0]}` has no effect")
    if words is not None and (tool != QUESTION or outcome != "proceed_once" or not isinstance(words, str)):
        raise Refused(422, "`response_data` has no effect here")
    if tool == QUESTION and (outcome == "proceed_always" or (outcome == "proceed_once" and not words)):
        # The question would go on without words, with a lasting approval from now on always.
        raise Refused(422, "a question needs an answer in `response_data`")


class _Library:
    """Hands a request on to the library's own routes, once it may go there. Plain ASGI, since it only passes by."""

    def __init__(self, handlers: Handlers) -> None:
        self._handlers = handlers

    async def __call__(self, scope, receive, send) -> None:
        identifier = scope["path_params"]["id"]
        try:
            owner = shipped_owner(self._handlers, identifier)
            if owner is None:
                raise Refused(404, "Request not found")
            handler = owner[1]
            if scope["method"] == "POST":
                body = await read_body(Request(scope, receive))
                asked = handler.requests[identifier]
                check(asked.tool_name, identifier, body)
                _check_digest(shown_arguments(asked.tool_args, asked.tool_kwargs), body.pop(DIGEST, None))
                receive = _reader(body)
        except Refused as refusal:
            await reply({"detail": refusal.detail}, refusal.status)(scope, receive, send)
            return
        await handler.app(scope, receive, send)


def _check_digest(shown: Message, digest: object) -> None:
    """Optional, and worth sending: it ties the answer to the argument text that was on the screen."""
    if digest is not None and digest not in of_shown(shown):
        raise Refused(422, "decided on other arguments than those that would run")


def _reader(body: Message):
    async def receive() -> Message:
        return {"type": "http.request", "body": json_text(body).encode(), "more_body": False}

    return receive
