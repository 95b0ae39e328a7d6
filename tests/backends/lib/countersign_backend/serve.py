"""The command line of a backend, and how it starts: one ASGI app on 127.0.0.1 that says when it is ready."""

import argparse
import secrets
import socket
from collections.abc import Callable
from pathlib import Path

import uvicorn


def command_line(description: str) -> argparse.ArgumentParser:
    """The options that every backend knows."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--port", type=int, default=0, help="0, the default, takes a free one")
    parser.add_argument("--origin", action="append", default=[], help="origin of a page that may call; repeatable")
    parser.add_argument("--token", help="what requests must carry; made up and printed if it is not given")
    parser.add_argument("--timeout-s", type=float, default=3600, metavar="N", help="how many seconds a pause lasts")
    parser.add_argument("--state", type=Path, metavar="FOLDER", help="keeps conversations here, over a restart too")
    parser.add_argument("--test", action="store_true", help="adds POST /test/fail-next")
    return parser


def read_options(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """The options as given, with a token in any case and the folder of `--state` made."""
    options = parser.parse_args()
    if not options.token:
        options.token = secrets.token_urlsafe()
        print(f"token {options.token}", flush=True)
    if options.state:
        options.state = options.state.resolve()
        # Arguments and conversations are in there: for this user only.
        options.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    return options


def host_names(port: int) -> tuple[str, str]:
    """What a page may call this server in `Host`."""
    return f"127.0.0.1:{port}", f"localhost:{port}"


class Server(uvicorn.Server):
    """Says when it accepts connections."""

    async def startup(self, sockets=None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            print(f"ready http://127.0.0.1:{sockets[0].getsockname()[1]}", flush=True)


def serve(options: argparse.Namespace, build: Callable[[int], object], lifespan: str = "on") -> None:
    """Serves `build(port)` until the process is told to stop."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    config = uvicorn.Config(
        build(listener.getsockname()[1]), log_level="warning", lifespan=lifespan, timeout_graceful_shutdown=1
    )
    Server(config).run(sockets=[listener])
