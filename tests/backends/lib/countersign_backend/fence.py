"""The checks that come before any route: host, origin, token, content type. Plain ASGI, any framework.

A server on 127.0.0.1 is within reach of every page that the user has open. What keeps those pages out:

- `Host` must name this server, so that a foreign name that resolves to 127.0.0.1 gets nowhere (DNS rebinding).
- `Origin`, where a browser sends one, must be on the list. CORS alone only hides the answer; the request would run.
- The token is asked for in a header that forms and images cannot set.
- A body must be `application/json`: the types that a plain form can send are refused.

Web sockets pass the same checks, if there are any: browsers open them without a preflight and without headers of the
page's own, so the token comes as the subprotocol `token.<token>` beside `countersign`, or as `?token=` in the address.
"""

import hmac
import json
from collections.abc import Collection
from urllib.parse import parse_qsl, urlencode

ALLOWED_HEADERS = "authorization, content-type, idempotency-key, x-countersign-token"
ALLOWED_METHODS = "GET, POST"
SUBPROTOCOL = "countersign"
TOKEN_SUBPROTOCOL = "token."


class Fence:
    """Wraps an ASGI app and answers 403, 401 or 415 in its place.

    `hosts` and `origins` are compared as whole strings. `open_paths` need no token. `drop_headers` never reach the
    app: headers in which it would trust its own callers, such as a user id. `allowed_headers`: what pages send beside
    `ALLOWED_HEADERS`. `sockets`: whether the app has any.
    """

    def __init__(
        self,
        app,
        *,
        hosts: Collection[str],
        origins: Collection[str],
        token: str,
        open_paths: Collection[str] = (),
        drop_headers: Collection[str] = (),
        allowed_headers: Collection[str] = (),
        sockets: bool = False,
    ) -> None:
        self._app = app
        self._hosts = frozenset(hosts)
        self._origins = frozenset(origins)
        self._token = token
        self._open_paths = frozenset(open_paths)
        self._dropped = frozenset(name.encode() for name in drop_headers)
        self._allowed_headers = ", ".join([ALLOWED_HEADERS, *allowed_headers])
        self._sockets = sockets

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        if scope["type"] != "http":
            await self._guard_socket(scope, headers, receive, send)
            return
        origin = headers.get("origin")
        if headers.get("host") not in self._hosts:
            await _answer(send, 403, "this server does not go by that name")
            return
        if origin is not None and origin not in self._origins:
            await _answer(send, 403, "this origin may not use this server")
            return
        shared = _cors(origin) if origin is not None else []
        if scope["method"] == "OPTIONS":
            await _answer(send, 204, "", [*shared, *_preflight(self._allowed_headers)])
            return
        if scope["path"] not in self._open_paths and not self._knows_token(headers):
            await _answer(send, 401, "the token is missing or wrong", shared)
            return
        if scope["method"] not in ("GET", "HEAD") and not _is_json(headers):
            await _answer(send, 415, "the body must be application/json", shared)
            return

        async def send_shared(message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", []), *shared]}
            await send(message)

        kept = [(name, value) for name, value in scope["headers"] if name not in self._dropped]
        await self._app({**scope, "headers": kept}, receive, send_shared)

    async def _guard_socket(self, scope, headers: dict[str, str], receive, send) -> None:
        # CORS does not hold for web sockets: without this, any page could open one. Refused before they are accepted.
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        offered = scope.get("subprotocols") or []
        tokens = [name.removeprefix(TOKEN_SUBPROTOCOL) for name in offered if name.startswith(TOKEN_SUBPROTOCOL)]
        tokens += [value for name, value in query if name == "token"]
        named = headers.get("host") in self._hosts and headers.get("origin") in {None, *self._origins}
        known = self._knows_token(headers) or any(self._is_token(token) for token in tokens)
        if not (self._sockets and named and known):
            await send({"type": "websocket.close", "code": 1008})
            return

        async def send_chosen(message) -> None:
            # A browser gives up unless one of the protocols it offered is chosen; the token is not repeated to it.
            if message["type"] == "websocket.accept" and SUBPROTOCOL in offered:
                message = {**message, "subprotocol": SUBPROTOCOL}
            await send(message)

        kept = urlencode([(name, value) for name, value in query if name != "token"]).encode()
        await self._app({**scope, "query_string": kept, "subprotocols": []}, receive, send_chosen)

    def _knows_token(self, headers: dict[str, str]) -> bool:
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        return self._is_token(headers.get("x-countersign-token") or (bearer if scheme.lower() == "bearer" else ""))

    def _is_token(self, offered: str) -> bool:
        return hmac.compare_digest(offered.encode(), self._token.encode())


def _is_json(headers: dict[str, str]) -> bool:
    return headers.get("content-type", "").split(";")[0].strip().lower() == "application/json"


def _cors(origin: str) -> list[tuple[bytes, bytes]]:
    # `*` would let every page read the answers; the exact origin needs `Vary`, or a cache mixes them up.
    return [(b"access-control-allow-origin", origin.encode("latin-1")), (b"vary", b"Origin")]


def _preflight(allowed_headers: str) -> list[tuple[bytes, bytes]]:
    return [
        (b"access-control-allow-methods", ALLOWED_METHODS.encode()),
        (b"access-control-allow-headers", allowed_headers.encode()),
        (b"access-control-max-age", b"600"),
    ]


async def _answer(send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    body = json.dumps({"error": True, "message": text}).encode() if text else b""
    typed = [(b"content-type", b"application/json")] if text else []
    await send({"type": "http.response.start", "status": status, "headers": [*typed, *(headers or [])]})
    await send({"type": "http.response.body", "body": body})
