"""The live page of `dojo open`: the report of the latest check, which the browser reloads after each save.

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

from grader.dojo.progress import Checked
from grader.dojo.report import report_page
from grader.dojo.session import Event
from grader.errors import UserError
from grader.publish.report.pages import Reporter
from grader.sandbox.isolation.probe import Isolation

LOOPBACK, TOKEN_BYTES = "127.0.0.1", 16
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
LOST = "There is no page here. Open the address that `dojo open` prints.\n"


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
        self.path = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self.address = f"http://{LOOPBACK}:{self.server_address[1]}{self.path}"
        self._isolation, self._checked, self._changed = isolation, list[Checked](), threading.Condition()
        self._news: dict[str, Any] = {"check": 0, "state": ""}
        self.has_ended = False

    def __enter__(self) -> LiveServer:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="live page", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that is closed in the middle of an answer is nothing that the student's terminal should say."""

    def tell(self, event: Event) -> None:
        """Have every open page show what has happened. It only takes note of it, so that the caller does not wait."""
        with self._changed:
            if event.checked is not None:
                self._checked = [event.checked]
            self._news = {"check": self._news["check"] + (event.checked is not None), "state": event.sentence}
            self._changed.notify_all()

    def page(self) -> str:
        with self._changed:
            number, checked = self._news["check"], self._checked
        return report_page(checked, self._isolation, live=number) if checked else Reporter([]).waiting_page()

    def news(self, last: dict[str, Any] | None) -> dict[str, Any]:
        """What the page needs to know, once it differs from `last` or after a while."""
        with self._changed:
            self._changed.wait_for(lambda: self.has_ended or self._news != last, HEARTBEAT_SECONDS)
            return self._news


class LiveRequest(BaseHTTPRequestHandler):
    """Answers GET for the page and its events, and 404 for everything else."""

    server: LiveServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "dojo", ""

    def do_GET(self) -> None:
        path, own = self.path.encode(), self.server.path.encode()
        if self.headers.get("Host", "").partition(":")[0] not in (LOOPBACK, "localhost"):
            self._send(400, "text/plain", LOST)
        elif secrets.compare_digest(path, own + b"events"):
            self._send_events()
        elif secrets.compare_digest(path, own):
            self._send(200, "text/html", self.server.page())
        else:
            self._send(404, "text/plain", LOST)

    def _send(self, status: int, kind: str, text: str) -> None:
        self._send_head(status, kind, {"Content-Length": str(len(text.encode()))})
        self.wfile.write(text.encode())

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
