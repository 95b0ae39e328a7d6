"""What the arguments on the screen can hash to."""

import hashlib
from typing import Any

from pydantic_core import to_json

from countersign_backend.ledger import json_text


def of_shown(args: dict[str, Any]) -> set[str]:
    """SHA-256, in hexadecimal, of each text in which a server may have sent these arguments to a page.

    One server writes the same float in two ways: `1e-07` where Python's own `json` wrote it, into a session for example,
    and `1e-7` where pydantic or orjson did, into an event. Everything else they write alike.
    """
    return {hashlib.sha256(text).hexdigest() for text in (json_text(args).encode(), to_json(args))}
