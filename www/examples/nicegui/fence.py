"""What is looked at before anything else, also before a socket is open."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse


class Fence:
    """Lets in who means this server, from pages of its own.

    NiceGUI's socket takes every origin, and a foreign name may resolve to this machine.
    """

    def __init__(self, app, hosts: list[str]) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope, receive, send) -> None:
        """Passes on what may come in."""
        if scope["type"] not in ("http", "websocket") or self._lets_in(Headers(scope=scope)):
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await PlainTextResponse("a foreign host or origin", 403)(scope, receive, send)

    def _lets_in(self, headers: Headers) -> bool:
        host, origin = headers.get("host", ""), headers.get("origin")
        known = urlsplit(f"//{host}").hostname in self._hosts
        return known and (origin is None or urlsplit(origin).netloc == host)
