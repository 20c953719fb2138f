"""The fields of an answer that the live page's own script posts. Everything else that can send a request is refused."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_BYTES = 100_000
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
        if len(body) > MOST_BYTES:
            raise HTTPException(413, f"An answer has at most {MOST_BYTES:,} bytes.\n")
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        sent = None
    if not isinstance(sent, dict) or any(not isinstance(sent.get(name), str) for name in FIELDS):
        raise HTTPException(400, f"An answer has the texts {', '.join(FIELDS)}.\n")
    lesson, student, question, answer = (sent[name] for name in FIELDS)
    return lesson, student, question, answer
