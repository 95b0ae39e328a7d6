"""Who is asked before an AdalFlow tool runs: a page on our channel, or clients of the library's own handler."""

import asyncio
import time
from typing import Any

from adalflow.apps.fastapi_permission_handler import ApprovalRequest, FastAPIPermissionHandler
from adalflow.apps.permission_manager import ApprovalOutcome, PermissionManager
from adalflow.core.types import Function, FunctionRequest

from countersign_backend.adalflow_answer import OUTCOMES, json_schema
from countersign_backend.channel import Client, Message

Permission = tuple[bool, Function | None, str | None]


class StrictPermissions(PermissionManager):
    """What both have in common: a blocked tool does not run, and one that needs approval keeps needing it.

    The library asks about blocked tools like about any other, and runs them when it is told to. It knows tools by name
    alone: another runner with the same manager, such as that of a sub-agent, would take the need from a tool of the first
    by having one of that name without it.
    """

    def register_tool(self, tool_name: str, require_approval: bool = True) -> None:
        """Notes whether a tool needs approval."""
        super().register_tool(tool_name, require_approval or self.tool_require_approval.get(tool_name, False))

    async def check_permission(self, func: Function) -> Permission:
        """Whether a call may run, and with which arguments."""
        if func.name in self.blocked_tools:
            return False, None, None
        return await super().check_permission(func)


class PagePermissions(StrictPermissions):
    """Asks the pages of one client, about the tools of one runner: a manager knows only those of the runner that was made
    last, so that calls of an earlier one would be shown with another's description and schema, or refused unasked.

    `always`: what the client allows for ever, the same set for all its runners.
    """

    def __init__(self, client: Client, timeout: float | None, always: set[str]) -> None:
        super().__init__(approval_callback=self._ask)
        self.always_allowed_tools = always
        self._client = client
        self._timeout = timeout

    async def check_permission(self, func: Function) -> Permission:
        """The same, with the arguments that the person edited."""
        allowed, changed, data = await super().check_permission(func)
        settlement = self._client.settled.get(func.id)
        if allowed and settlement is not None and settlement.word == "modify":
            edit = settlement.answer
            given = {"args": edit.get("args", []), "kwargs": edit["kwargs"]}
            # The library's outcomes know no edit, but its runner takes a changed call.
            changed = Function(id=func.id, name=func.name, thought=func.thought, **given)
        return allowed, changed, data

    async def _ask(self, request: FunctionRequest) -> ApprovalOutcome:
        try:
            settlement = await self._client.ask(self._message(request))
        except asyncio.CancelledError:
            # The run has ended. A request that stays open would take an answer that nobody is waiting for.
            self._client.expire(request.id)
            raise
        return ApprovalOutcome("proceed_once" if settlement.word == "modify" else settlement.word)

    def _message(self, request: FunctionRequest) -> Message:
        definition = self.tool_manager.get_function_tool_by_name(request.tool_name).definition
        return {
            "type": "approval_request",
            "id": request.id,
            "tool": request.tool_name,
            "args": request.tool.args or [],
            "kwargs": request.tool.kwargs or {},
            "message": f"Allow {request.tool_name} to execute?",
            "description": definition.func_desc,
            "parameters": json_schema(definition.func_parameters),
            "allowed_outcomes": list(OUTCOMES),
            "created_at": time.time(),
            "timeout_s": self._timeout,
        }


class ShippedPermissions(StrictPermissions, FastAPIPermissionHandler):
    """The library's handler, one for each client: it has no idea of clients itself."""

    def __init__(self, timeout: float | None) -> None:
        super().__init__(timeout_seconds=timeout)

    async def _api_approval_callback(self, request: FunctionRequest) -> ApprovalOutcome:
        try:
            return await super()._api_approval_callback(request)
        except asyncio.CancelledError:
            # The same here: the library would go on listing it, and accept answers.
            self.requests[request.id].status = "expired"
            raise

    @property
    def requests(self) -> dict[str, ApprovalRequest]:
        """Everything it was ever asked about, by id."""
        return self.approval_queue.request_metadata

    def pending(self) -> list[dict[str, Any]]:
        """What waits, as the handler's own list shows it."""
        return [request.model_dump(mode="json") for request in self.approval_queue.get_pending_requests()]

    def expired(self, request: Message) -> None:
        """Knows a request from before a restart, as one that can no longer be answered."""
        self.requests[request["request_id"]] = ApprovalRequest(**{**request, "status": "expired"})
