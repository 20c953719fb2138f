"""The address of the live page: a free port of the loopback interface, and a token that nobody can guess.

Both are kept, readable for the student alone, so that a tab of yesterday shows today's session as well.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from pathlib import Path

from grader.errors import UserError

NAME = ".dojo-live"
LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 16


def open_address(folder: Path, port: int | None) -> tuple[socket.socket, str]:
    """A listening socket and the token. Without `port`, the last one is used again if it is free.

    Raises UserError where `port` is taken.
    """
    kept_port, kept_token = read_address(folder / NAME)
    listening = None
    if port is None and kept_port:
        with contextlib.suppress(OSError):
            listening = listen(kept_port)
    if listening is None:
        try:
            listening = listen(port or 0)
        except OSError as error:
            raise UserError(f"Port {port} cannot be used: {error.strerror}. Choose another with --port.") from error
    token = kept_token or secrets.token_urlsafe(TOKEN_BYTES)
    write_address(folder / NAME, listening.getsockname()[1], token)
    return listening, token


def listen(port: int) -> socket.socket:
    return socket.create_server((LOOPBACK, port), backlog=16)


def read_address(path: Path) -> tuple[int | None, str | None]:
    """(port, token) as they were kept; None where there are none, or where somebody else could have read them."""
    try:
        if path.stat().st_mode & 0o077:
            return None, None
        kept = json.loads(path.read_text(encoding="utf-8"))
        port, token = kept["port"], kept["token"]
    except (OSError, ValueError, KeyError, TypeError):
        return None, None
    usable = type(port) is int and 1024 <= port < 65536 and isinstance(token, str) and len(token) >= TOKEN_BYTES
    return (port, token) if usable else (None, None)


def write_address(path: Path, port: int, token: str) -> None:
    """Where the folder cannot be written, the next session has another address; nothing else is lost."""
    beside = path.with_name(f"{NAME}.{os.getpid()}")
    with contextlib.suppress(OSError):
        with contextlib.suppress(FileNotFoundError):
            beside.unlink()
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"port": port, "token": token}, file)
        beside.replace(path)
