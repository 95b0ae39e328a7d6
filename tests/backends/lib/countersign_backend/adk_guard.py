"""The guard in front of ADK's API server: an answer reaches the session once, in time, and only if it fits. Plain ASGI.

`get_fast_api_app` serves whoever can reach it: sessions of any user, their state, artifacts, memory. Here a page gets
the few routes that a chat needs, of one user, and each run is looked at before ADK sees it.
"""

import asyncio
import hashlib
import re
import time
from collections import defaultdict
from typing import Any

from google.adk.events import Event
from google.adk.sessions import BaseSessionService, Session
from google.genai import types
from starlette.responses import JSONResponse, Response

from countersign_backend.adk_answer import Request, answers, check, waiting
from countersign_backend.guarding import Refused, hand_on, idempotency_key, read_body, with_body
from countersign_backend.ledger import json_text
from countersign_backend.strict_json import Ambiguous, read_object

OPEN_ROUTES = {"GET /list-apps", "GET /executed", "GET /model", "POST /test/fail-next"}
SESSION = re.compile(r"/apps/(?P<app>[^/]+)/users/(?P<user>[^/]+)/sessions(?:/(?P<session>[^/]+))?")
TOO_LATE = "Nobody decided in time. Nothing was run."

Key = tuple[str, str]
"""App and session."""


class AdkGuard:
    """Wraps the app of `get_fast_api_app`.

    `user` is the one to whom the token belongs; ADK takes the user's name from the address, and believes it.
    """

    def __init__(self, app, sessions: BaseSessionService, user: str, seconds_to_live: float) -> None:
        self._app = app
        self._sessions = sessions
        self._user = user
        self._seconds_to_live = seconds_to_live
        # One run of a session at a time: two at once read the same history, and both would find the request waiting.
        self._busy: defaultdict[Key, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._accepted: dict[tuple[Key, str], tuple[str, int]] = {}

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
        session = SESSION.fullmatch(path)
        if f"{method} {path}" in OPEN_ROUTES:
            await self._app(scope, receive, send)
        elif method == "POST" and path in ("/run", "/run_sse"):
            await self._run(scope, await read_body(receive), send)
        elif session and method == "GET":
            self._check_user(session["user"])
            if session["session"]:
                await self._end_old_pauses((session["app"], session["session"]))
            await self._app(scope, receive, send)
        elif session and method == "POST":
            self._check_user(session["user"])
            body = await read_body(receive)
            # With `events` a page would write the history that the model believes, with `state` its memory.
            if body and read_object(body).keys() - {"sessionId"}:
                raise Refused("a page chooses nothing but the id of a session")
            await self._app(with_body(scope, body), hand_on(body), send)
        else:
            raise Refused(f"not found: {path} is no route for pages", 404)

    async def _run(self, scope, text: bytes, send) -> None:
        body = read_object(text)
        found = answers(body)
        app, session_id = body.get("appName"), body.get("sessionId")
        if not isinstance(app, str) or not isinstance(session_id, str):
            raise Refused("`appName` and `sessionId` say where the message goes")
        self._check_user(body.get("userId"))
        key = (app, session_id)
        # What was checked is what ADK reads, not the text it was read from.
        text = json_text(body).encode()
        async with self._busy[key]:
            if found and not await self._admit(key, scope, body, found):
                await self._repeat(key, scope, send)
                return
            await self._app(with_body(scope, text), hand_on(text), send)

    async def _admit(self, key: Key, scope, body: dict[str, Any], found: list[dict[str, Any]]) -> bool:
        """Whether these answers are new; remembers them if so."""
        digest = hashlib.sha256(json_text(body).encode()).hexdigest()
        name = idempotency_key(scope)
        if name and (key, name) in self._accepted:
            if self._accepted[key, name][0] != digest:
                raise Refused("this idempotency key belongs to another answer", 409)
            return False
        session = await self._session(key)
        if session is None:
            raise Refused(f"there is no session `{key[1]}`", 404)
        requests = await self._end_late(session)
        check(body, found, requests)
        if name:
            self._accepted[key, name] = digest, len(session.events)
        return True

    async def _repeat(self, key: Key, scope, send) -> None:
        """What an accepted answer led to, for who lost the reply. Nothing runs."""
        session = await self._session(key)
        begin = self._accepted[key, idempotency_key(scope)][1]
        events = [event for event in as_json(session)[begin:] if event["author"] != "user"]
        if scope["path"] == "/run":
            await JSONResponse(events)(scope, None, send)
            return
        lines = "".join(f"data: {json_text(event)}\n\n" for event in events)
        await Response(lines, media_type="text/event-stream")(scope, None, send)

    async def _end_old_pauses(self, key: Key) -> None:
        if self._busy[key].locked():
            # A run goes on and writes to the session; what is late is refused when it is answered.
            return
        async with self._busy[key]:
            session = await self._session(key)
            if session is not None:
                await self._end_late(session)

    async def _end_late(self, session: Session) -> list[Request]:
        """Ends the pauses that are too old, as an outcome that every page can see; returns those that still wait."""
        requests = waiting(as_json(session))
        late = [request for request in requests if time.time() - request.asked_at > self._seconds_to_live]
        for request in late:
            response = types.FunctionResponse(id=request.call, name=request.tool, response={"error": TOO_LATE})
            content = types.Content(role="user", parts=[types.Part(function_response=response)])
            ended = Event(author=request.author, branch=request.branch, invocation_id=Event.new_id(), content=content)
            await self._sessions.append_event(session, ended)
        return [request for request in requests if request not in late]

    async def _session(self, key: Key) -> Session | None:
        return await self._sessions.get_session(app_name=key[0], user_id=self._user, session_id=key[1])

    def _check_user(self, user: Any) -> None:
        if user != self._user:
            raise Refused("the token belongs to another user", 403)


def as_json(session: Session) -> list[dict[str, Any]]:
    """The events of a session as they stand on the wire."""
    return [event.model_dump(mode="json", by_alias=True, exclude_none=True) for event in session.events]
