"""What the agents of the example backends can do. Plain functions: each framework wraps them in its own way."""

GATED = ("delete_file", "transfer_funds", "send_email")
"""Tools that run only after a person agreed."""

HANGS = "/hang"
"""A path on which a tool never comes to an end; for tests of what is interrupted."""

SLOW = "/slow"
"""A path on which a tool takes its time; for tests of pages that are loaded meanwhile."""

SLOWNESS = 4.0
"""How long that is, in seconds."""


def delete_file(path: str) -> str:
    """Deletes one file.

    Args:
        path: Absolute path of the file.
    """
    if path == "/missing":
        raise FileNotFoundError(f"there is no {path}")
    return f"Deleted {path}."


def transfer_funds(to_account: str, amount: float, currency: str, reference: int) -> str:
    """Transfers money.

    Args:
        to_account: Account that receives the money.
        amount: How much to send.
        currency: ISO 4217 code.
        reference: Number that the recipient sees.
    """
    return f"Transferred {amount} {currency} to {to_account} under {reference}."


def send_email(to: str, subject: str, body: str) -> str:
    """Sends an e-mail.

    Args:
        to: Address of the recipient.
        subject: Subject line.
        body: Plain text of the message.
    """
    return f"Sent {len(body)} characters to {to}."


def read_file(path: str) -> str:
    """Reads one file.

    Args:
        path: Absolute path of the file.
    """
    return f"This is what stands in {path}."


ALL = (delete_file, transfer_funds, send_email, read_file)
