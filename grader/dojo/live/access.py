"""Who reaches the live page: a free port of the loopback interface, a token that nobody can guess, and its own script.

Port and token are kept, readable for the student alone, so that a tab of yesterday shows today's session as well.
Everything but the page's script that can send a request is refused.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import socket
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request

from grader.dojo.file import read_ordinary
from grader.errors import UserError

ADDRESS_FILE = ".dojo-live"
LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 16


def open_address(folder: Path, port: int | None) -> tuple[socket.socket, str]:
    """A listening socket and the token. Without `port`, the last one is used again if it is free.

    Raises UserError where `port` is taken.
    """
    kept_port, kept_token = read_address(folder / ADDRESS_FILE)
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
    write_address(folder / ADDRESS_FILE, listening.getsockname()[1], token)
    return listening, token


def listen(port: int) -> socket.socket:
    return socket.create_server((LOOPBACK, port), backlog=16)


def read_address(path: Path) -> tuple[int | None, str | None]:
    """(port, token) as they were kept; None where there are none, or where somebody else could have read them."""
    try:
        if path.stat().st_mode & 0o077:
            return None, None
        kept = json.loads(read_ordinary(path).decode())
        port, token = kept["port"], kept["token"]
    except (OSError, ValueError, KeyError, TypeError):
        return None, None
    usable = type(port) is int and 1024 <= port < 65536 and isinstance(token, str) and len(token) >= TOKEN_BYTES
    return (port, token) if usable else (None, None)


def write_address(path: Path, port: int, token: str) -> None:
    """Where the folder cannot be written, the next session has another address; nothing else is lost."""
    temporary = path.with_name(f"{ADDRESS_FILE}.{os.getpid()}")
    with contextlib.suppress(OSError):
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"port": port, "token": token}, file)
        temporary.replace(path)


MAX_BODY_BYTES = 100_000
FIELDS = ("lesson", "student", "question", "answer")


async def posted_answer(request: Request) -> tuple[str, str, str, str]:
    """The values of FIELDS. Raises HTTPException for another page's request, and for a body of another form.

    A browser sends the origin of the page with every POST, and a page cannot change it. JSON from another origin would
    need this server's consent as well, which no header gives.
    """
    own = f"http://{request.headers.get('host', '')}"
    if request.headers.get("origin") != own or request.headers.get("sec-fetch-site", "same-origin") != "same-origin":
        raise HTTPException(403, "Only the live page itself may send answers.\n")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "An answer is sent as JSON.\n")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise HTTPException(413, f"An answer has at most {MAX_BODY_BYTES:,} bytes.\n")
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict) or any(not isinstance(sent.get(name), str) for name in FIELDS):
        raise HTTPException(400, f"An answer has the texts {', '.join(FIELDS)}.\n")
    lesson, student, question, answer = (sent[name] for name in FIELDS)
    return lesson, student, question, answer
