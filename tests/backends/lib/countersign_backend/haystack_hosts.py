"""The same open requests in the shapes of other Haystack hosts, so that a page made for those can be tried here.

    WS   /ws/{client}?form=minimal     requests without call id, schema and list of actions; failures as `run_finished`
    GET  /hayhooks/{client}            `tool_call_*` events as a hayhooks pipe streams them (server-sent events)
    POST /hayhooks/{client}            {"key": "tool_approval:<call id>", "value": "approved" | "rejected"}
    GET  /snapshot/{client}            the calls that wait: {"tool_calls", "tool_descriptions"}; 404 if none does
    POST /snapshot/{client}            {"decisions": [ToolExecutionDecision, …]}, or the bare list, one for each call
    GET  /messages/{client}            the conversations that ended, as the library writes them
"""

import json
from collections.abc import AsyncIterator, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import BaseRoute, Route
from starlette.websockets import WebSocket

from countersign_backend.channel import Channel, Client, Message, Refused
from countersign_backend.channel_routes import answered, read_body
from countersign_backend.faults import NO_SEND
from countersign_backend.haystack_answer import check_params
from countersign_backend.ledger import json_text
from countersign_backend.strict_json import Ambiguous, read_object

MINIMAL = ("type", "id", "tool_name", "tool_description", "tool_params")
KEY = "tool_approval:"
WORDS = {"approved": "confirm", "rejected": "reject"}
DECISION = {"tool_name", "execute", "tool_call_id", "feedback", "final_tool_params"}
FAILED = "Failed to invoke Tool "


def listen(client: Client, socket: WebSocket) -> Callable[[Message], Message | None]:
    """How one connection wants its messages."""
    return minimal if socket.query_params.get("form") == "minimal" else lambda message: message


def sends(path: str) -> str | object:
    """The client whose answer a POST to this path is, or `NO_SEND`."""
    match path.strip("/").split("/"):
        case ["hayhooks" | "snapshot", client]:
            return client
    return NO_SEND


def minimal(message: Message) -> Message | None:
    """A message as a host sends it that does only what it must."""
    if message["type"] == "approval_request":
        return {name: message[name] for name in MINIMAL}
    if message["type"] == "run_failed":
        return {"type": "run_finished", "error": message["error"]}
    return message


def host_routes(channel: Channel) -> list[BaseRoute]:
    """The routes above but the first, which is one of the channel's."""

    async def hayhooks(request: Request) -> StreamingResponse:
        client = channel.client(request.path_params["client"])
        return StreamingResponse(_hayhooks(client), media_type="text/event-stream")

    async def push(request: Request) -> object:
        body = await read_body(request)
        client = channel.client(request.path_params["client"])
        word = WORDS.get(body.get("value")) if isinstance(body.get("value"), str) else None
        if word is None or body.keys() != {"key", "value"}:
            raise Refused(422, f"needed are `key` and `value`, one of {list(WORDS)}")
        asked = _requests(client)
        call = str(body["key"]).removeprefix(KEY)
        if body["key"] != KEY + call or call not in asked:
            raise Refused(404, "no such approval")
        return client.answer(asked[call], {"action": word})

    async def snapshot(request: Request) -> object:
        client = channel.find(request.path_params["client"])
        if client is None or not client.open:
            raise Refused(404, "nothing waits")
        return _snapshot(client)

    async def decide_snapshot(request: Request) -> object:
        client = channel.find(request.path_params["client"])
        decisions = _decisions(await request.body())
        if client is None or not client.open:
            raise Refused(409, "nothing waits")
        return _decide_all(client, decisions)

    async def messages(request: Request) -> object:
        client = channel.find(request.path_params["client"])
        ended = [event for event in client.log if event["type"] == "run_finished"] if client else []
        return [message for event in ended for message in event["messages"]]

    return [
        Route("/hayhooks/{client}", hayhooks),
        Route("/hayhooks/{client}", answered(push), methods=["POST"]),
        Route("/snapshot/{client}", answered(snapshot)),
        Route("/snapshot/{client}", answered(decide_snapshot), methods=["POST"]),
        Route("/messages/{client}", answered(messages)),
    ]


def _requests(client: Client) -> dict[str, str]:
    """Call id → request id of everything that was asked."""
    asked = [event for event in client.log if event["type"] == "approval_request"]
    return {event["tool_call_id"]: event["id"] for event in asked}


async def _hayhooks(client: Client) -> AsyncIterator[str]:
    queue = client.listen()
    try:
        while True:
            for event in hayhooks_events(client, await queue.get()):
                yield f"data: {json_text(event)}\n\n"
    finally:
        client.leave(queue)


def hayhooks_events(client: Client, message: Message) -> list[Message]:
    """What a hayhooks pipe would stream for a message of this channel."""
    kind = message["type"]
    if kind == "approval_request":
        call = {"tool_name": message["tool_name"], "arguments": message["tool_params"], "id": message["tool_call_id"]}
        return [{"type": "tool_call_start", **call}]
    if kind == "approval_resolved":
        request = next(event for event in client.log if event.get("id") == message["id"])
        verdict = "rejected" if message["action"] == "reject" else "approved"
        verdict = "timeout" if message["reason"] == "timeout" else verdict
        call = {"tool_name": request["tool_name"], "id": request["tool_call_id"]}
        return [{"type": f"tool_call_{verdict}", **call}]
    if kind == "run_finished":
        parts = [part for entry in message["messages"] for part in entry["content"]]
        results = [part["tool_call_result"] for part in parts if "tool_call_result" in part]
        failures = [result for result in results if result["error"] and result["result"].startswith(FAILED)]
        told = [{"type": "tool_call_error", **_origin(failure), "error": failure["result"]} for failure in failures]
        return [*told, {"type": "text", "content": "".join(part.get("text", "") for part in parts[-1:])}]
    return []


def _origin(result: Message) -> Message:
    return {"tool_name": result["origin"]["tool_name"], "id": result["origin"]["id"]}


def _snapshot(client: Client) -> Message:
    waiting = client.open.values()
    calls = [
        {"tool_name": each["tool_name"], "arguments": each["tool_params"], "id": each["tool_call_id"], "extra": None}
        for each in waiting
    ]
    return {"tool_calls": calls, "tool_descriptions": {each["tool_name"]: each["tool_description"] for each in waiting}}


def _decisions(body: bytes) -> list[Any]:
    # A list goes through the same strict reader, as the member of an object.
    text = body if body.lstrip().startswith(b"{") else b'{"decisions":' + body + b"}"
    try:
        value = read_object(text)
    except Ambiguous as reason:
        raise Refused(422, str(reason)) from reason
    if value.keys() != {"decisions"} or not isinstance(value["decisions"], list):
        raise Refused(422, "a list of decisions is needed")
    return value["decisions"]


def _decide_all(client: Client, decisions: list[Any]) -> object:
    waiting = {request["tool_call_id"]: request for request in client.open.values()}
    for decision in decisions:
        if not isinstance(decision, dict) or decision.keys() != DECISION:
            raise Refused(422, f"a decision has exactly the members {sorted(DECISION)}")
    ids = [json.dumps(decision["tool_call_id"]) for decision in decisions]
    # The library looks for the decision of a call by its tool's name when the id is missing, so a partial answer
    # could run a call that nobody decided.
    if sorted(ids) != sorted(json.dumps(call) for call in waiting):
        raise Refused(422, "every call that waits needs one decision, and no other")
    answers = {}
    for decision in decisions:
        request = waiting[decision["tool_call_id"]]
        answers[request["id"]] = {"action": _action(request, decision), "decision": decision}
    # All were checked: from here on nothing can be refused, and nothing is awaited.
    return [client.accept(request, answer) for request, answer in answers.items()]


def _action(request: Message, decision: Message) -> str:
    """What a decision of the library amounts to, once it is sure that it fits."""
    params, feedback = decision["final_tool_params"], decision["feedback"]
    if decision["tool_name"] != request["tool_name"] or not isinstance(decision["execute"], bool):
        raise Refused(422, "the decision does not fit its call")
    if not isinstance(feedback, str | None):
        raise Refused(422, "feedback is text")
    if not decision["execute"]:
        if params is not None:
            raise Refused(422, "a refused call has no arguments")
        return "reject"
    if json_text(params) == json_text(request["tool_params"]):
        return "confirm"
    check_params(request, params)
    return "modify"
