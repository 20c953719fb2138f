"""The live page's server: in a thread of `dojo watch`, on the loopback interface, for who has the token.

It writes only answers to questions, and takes those only from its own page.

A page of somewhere else that has its name point to 127.0.0.1 is refused by the Host header; without the token every
address is unknown. No header permits another origin to read an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from grader.dojo.live.access import LOOPBACK, open_address, posted_answer
from grader.dojo.live.page import Board, LivePage, news_of_view
from grader.dojo.live.questions import LiveQuestions
from grader.dojo.view import View
from grader.sandbox.isolation.probe import Isolation

HEARTBEAT_SECONDS = 2.0
"""Between two signs of life, from which the page knows that what it shows is current."""
RETRY_MILLISECONDS = 500
SERVER_START_SECONDS = 30.0
NONCE_BYTES = 16
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; style-src-attr 'unsafe-inline'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
LOST = "There is no page here. Open the address that `dojo watch --open` prints.\n"

Handler = Callable[[Request], Awaitable[Response]]
"""Raises HTTPException for a request that it refuses, and KeyError for what is not there."""


class LiveServer:
    """Serves the latest view that it was shown. `address` is what a student opens."""

    def __init__(
        self, folder: Path, isolation: Isolation, port: int | None = None, questions: LiveQuestions | None = None
    ) -> None:
        """`folder` keeps the address for the next session. Raises UserError where `port` cannot be used."""
        self._socket, self._token = open_address(folder, port)
        self._isolation = isolation
        self._page, self._questions = LivePage(), questions
        self._view: View | None = None
        self._board: Board | None = None
        self._waiting: set[asyncio.Event] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        config = uvicorn.Config(
            self._application(),
            log_level="critical",
            access_log=False,
            lifespan="off",
            ws="none",
            http="h11",
            loop="asyncio",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live page", daemon=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self._socket.getsockname()[1]}/{self._token}/"

    def __enter__(self) -> LiveServer:
        self._thread.start()
        self._started.wait(SERVER_START_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(3)

    def show(self, view: View) -> None:
        """Have every open page show `view`. It only takes note of it, so that the caller does not wait."""
        self._view = view
        if (
            self._board is None
            or self._board.view.checked is not view.checked
            or view.lesson != self._board.view.lesson
        ):
            number = 1 + (self._board.number if self._board is not None else 0)
            self._board = Board(view, number, self._isolation)
        if self._loop is not None and self._waiting:
            with contextlib.suppress(RuntimeError):  # the loop has ended with the session
                self._loop.call_soon_threadsafe(self._wake)

    def _run(self) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._started.set()
            await self._server.serve(sockets=[self._socket])

        asyncio.run(serve())

    def _wake(self) -> None:
        for event in self._waiting:
            event.set()

    # the application

    def _application(self) -> Starlette:
        routes = [
            Route("/{token}/", self._guarded(self._get_page), methods=["GET"]),
            Route("/{token}/events", self._guarded(self._get_events), methods=["GET"]),
            Route("/{token}/gradient", self._guarded(self._get_gradient), methods=["GET"]),
            Route("/{token}/questions", self._guarded(self._get_questions), methods=["GET"]),
            Route("/{token}/answer", self._guarded(self._post_answer), methods=["POST"]),
        ]
        hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[LOOPBACK, "localhost"], www_redirect=False)
        application = Starlette(routes=routes, middleware=[hosts], exception_handlers={404: lost, 405: lost})
        application.router.redirect_slashes = False  # an address without the token leads nowhere
        return application

    def _guarded(self, handler: Handler) -> Handler:
        async def guarded(request: Request) -> Response:
            given = request.path_params["token"].encode()
            if not secrets.compare_digest(given, self._token.encode()):
                return await lost(request, None)
            try:
                response = await handler(request)
            except HTTPException as refusal:
                response = PlainTextResponse(refusal.detail, refusal.status_code)
            except KeyError:
                return await lost(request, None)
            response.headers.update(HEADERS)
            return response

        return guarded

    async def _get_page(self, request: Request) -> Response:
        nonce = secrets.token_urlsafe(NONCE_BYTES)
        headers = {"Content-Security-Policy": POLICY.format(nonce=nonce)}
        return HTMLResponse(self._page.frame(nonce), headers=headers)

    async def _get_events(self, request: Request) -> Response:
        return StreamingResponse(self._events(), media_type="text/event-stream")

    async def _get_gradient(self, request: Request) -> Response:
        board = self._board
        try:
            row, column = (int(part) for part in request.query_params.get("at", "").split(","))
            place: tuple[int, int] | None = (row, column)
        except ValueError:
            place = None
        if board is None:
            raise KeyError
        in_chain = bool(request.query_params.get("chain"))
        return HTMLResponse(self._page.gradient(board, request.query_params.get("row", ""), place, in_chain))

    async def _get_questions(self, request: Request) -> Response:
        lesson, student = (request.query_params.get(name, "") for name in ("lesson", "student"))
        if self._questions is None:
            raise KeyError(lesson)
        return JSONResponse(await run_in_threadpool(self._questions.posed, lesson, student))

    async def _post_answer(self, request: Request) -> Response:
        lesson, student, question, answer = await posted_answer(request)
        if self._questions is None:
            raise KeyError(lesson)
        return JSONResponse(await run_in_threadpool(self._questions.answer, lesson, student, question, answer))

    async def _events(self) -> AsyncIterator[str]:
        """What is going on, whenever it changes, and a sign of life in between."""
        event = asyncio.Event()
        self._waiting.add(event)
        event.set()
        sent = 0
        try:
            yield f"retry: {RETRY_MILLISECONDS}\n\n"
            while True:
                try:
                    await asyncio.wait_for(event.wait(), HEARTBEAT_SECONDS)
                except TimeoutError:
                    yield event_text("beat", {})
                    continue
                event.clear()
                view, board = self._view, self._board
                if view is not None and board is not None:
                    news = news_of_view(view, None if board.number == sent else self._page.board(board))
                    sent = board.number
                    yield event_text("view", news)
        finally:
            self._waiting.discard(event)


def event_text(kind: str, content: dict[str, Any]) -> str:
    return f"event: {kind}\ndata: {json.dumps(content)}\n\n"


async def lost(request: Request, error: Exception | None) -> Response:
    return PlainTextResponse(LOST, status_code=404, headers=HEADERS)
