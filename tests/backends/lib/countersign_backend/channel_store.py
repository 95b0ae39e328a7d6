"""Keeps the clients of a channel in a folder, so that a pause outlives the server."""

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from countersign_backend.ledger import json_text


class Store:
    """One file for each client."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Arguments and conversations are in these files: for this user only.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def read(self) -> Iterator[dict[str, Any]]:
        """The states that were written."""
        for path in sorted(self._folder.glob("*.json")):
            yield json.loads(path.read_text("utf-8"))

    def write(self, client: str, state: dict[str, Any]) -> None:
        """Replaces the state of a client, whole or not at all."""
        # The client chooses its name; a digest of it cannot leave the folder.
        path = self._folder / f"{hashlib.sha256(client.encode()).hexdigest()}.json"
        fresh = path.with_suffix(".new")
        with open(fresh, "w", encoding="utf-8", opener=_for_this_user) as file:
            file.write(json_text(state))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)


def _for_this_user(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
