"""The live page of `dojo watch --open`: the report of the latest check, which the browser reloads after each save.

It is served on the loopback interface, for who has the token in its address, and takes no input. A page of somewhere
else whose name points to 127.0.0.1 is refused by the Host header; no header permits another origin to read an answer.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from grader.dojo.checked import Checked
from grader.dojo.report import graded_checks
from grader.dojo.session import Event
from grader.errors import UserError
from grader.publish.report.pages import Reporter
from grader.sandbox.isolation.probe import Isolation

LOOPBACK = "127.0.0.1"
HOSTS = (LOOPBACK, "localhost")
TOKEN_BYTES = 16
HEARTBEAT_SECONDS = 2.0
"""Between two signs of life, from which the page knows that what it shows is current."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page's own policy says what it may run and load
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LOST = "There is no page here. Open the address that `dojo watch --open` prints.\n"


class LiveServer(ThreadingHTTPServer):
    """Serves the report of the latest check of a session. `address` is what a student opens."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, isolation: Isolation, port: int = 0) -> None:
        """Port 0 is any free one. Raises UserError where `port` cannot be used."""
        try:
            super().__init__((LOOPBACK, port), LiveRequest)
        except OSError as error:
            raise UserError(f"Port {port} cannot be used: {error.strerror}. Choose another with --port.") from error
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self._isolation, self._reporter = isolation, Reporter([])
        self._event: Event | None = None
        self._check = 0  # its number
        self._checked: Checked | None = None
        self._changed = threading.Condition()
        self.has_ended = False
        self._thread = threading.Thread(target=self.serve_forever, args=(0.1,), name="live page", daemon=True)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_address[1]}/{self.token}/"

    def __enter__(self) -> LiveServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.has_ended = True
        with self._changed:
            self._changed.notify_all()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that is closed in the middle of an answer is nothing that the student's terminal should say."""

    def tell(self, event: Event) -> None:
        """Have every open page show what has happened. It only takes note of it, so that the caller does not wait."""
        with self._changed:
            self._event = event
            if event.checked is not None and event.checked is not self._checked:
                self._check, self._checked = self._check + 1, event.checked
            self._changed.notify_all()

    def page(self) -> str:
        with self._changed:
            number, checked = self._check, self._checked
        if checked is None:
            return self._reporter.waiting_page()
        reporter = Reporter([checked.lesson])
        graded = graded_checks([checked], self._isolation)
        return reporter.student_page(graded, {checked.lesson.name: checked.source}, number)

    def news(self, last: dict[str, Any] | None) -> dict[str, Any]:
        """What the page needs to know, once it differs from `last` or after a while."""
        with self._changed:
            self._changed.wait_for(lambda: self.has_ended or self._news() != last, HEARTBEAT_SECONDS)
            return self._news()

    def _news(self) -> dict[str, Any]:
        return {"check": self._check, "state": self._event.sentence if self._event is not None else ""}


class LiveRequest(BaseHTTPRequestHandler):
    """Answers GET for the page and its events, and 404 for everything else."""

    server: LiveServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "dojo", ""

    def do_GET(self) -> None:
        if self.headers.get("Host", "").partition(":")[0] not in HOSTS:
            self._send(400, "text/plain", LOST)
            return
        token, _, rest = self.path.removeprefix("/").partition("/")
        if (
            not secrets.compare_digest(token.encode(), self.server.token.encode())
            or rest not in ("", "events")
            or "/" not in self.path[1:]
        ):
            self._send(404, "text/plain", LOST)
        elif rest == "events":
            self._send_events()
        else:
            self._send(200, "text/html", self.server.page())

    def _send(self, status: int, kind: str, text: str) -> None:
        body = text.encode()
        self._send_head(status, kind, {"Content-Length": str(len(body))})
        self.wfile.write(body)

    def _send_head(self, status: int, kind: str, more: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", **HEADERS, **more}.items():
            self.send_header(name, value)
        self.end_headers()

    def _send_events(self) -> None:
        self._send_head(200, "text/event-stream", {"Connection": "close"})
        news: dict[str, Any] | None = None
        with contextlib.suppress(OSError):  # until the tab is closed
            while not self.server.has_ended:
                news = self.server.news(news)
                self.wfile.write(f"data: {json.dumps(news)}\n\n".encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal is the student's."""
