"""A student's own report, as an instructor's run would write it: as a file, and as the live page of `dojo open`.

The live page is the report of the latest check: it asks twice a second whether there is a newer one. It is served on
the loopback interface, for who has the token in its address, and takes no input. A page of somewhere else whose name
points to 127.0.0.1 is refused by the Host header; no header permits another origin to read an answer.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import threading
import webbrowser
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from grader.dojo.desk import Desk
from grader.dojo.file import HIDDEN_SUITE_DECIDES, shown_path
from grader.dojo.progress import Checked, Progress
from grader.dojo.session import CheckSession, Event
from grader.errors import write_errors
from grader.gradebook.files import write_whole
from grader.gradebook.grading.graded import environment
from grader.publish.inert import inert
from grader.publish.report.pages import Reporter
from grader.publish.templates import page_templates
from grader.results import SubmissionResult, number, points_text
from grader.results.wording import first_names

REPORT_FILE = "my-report.html"
MAX_NAMED = 20
"""Lessons that a page names as not begun."""
LOOPBACK, TOKEN_BYTES = "127.0.0.1", 16
NEWS_SECONDS = 0.5
"""How long a page waits for news before it asks again, and hears how long a check is running."""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",  # the page's own policy says what it may run and load
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
LOST = "There is no page here. Open the address that `dojo open` prints.\n"


def report_page(desk: Desk, checks: Sequence[Checked], not_begun: Sequence[Progress] = (), live: int = 0) -> str:
    """The report of what the checks found, with sentences that say what it is not.

    The points of lessons that are `not_begun` are part of the maximum. `live` is the number of the check of which this
    is the live page.
    """
    progress = [*(each.progress for each in checks), *not_begun]
    local = "Your own check, on public problems: no grade."
    if hidden := sum(each.points_of(each.hidden) for each in progress):
        local += f" {HIDDEN_SUITE_DECIDES} {points_text(hidden)} of these points, with other problems."
    if not_begun:
        local += f" Not begun, and not shown: {first_names([each.lesson.number for each in not_begun], MAX_NAMED)}."
    results = SubmissionResult(
        student="Your own check",
        score=number(sum(each.points_reached for each in progress)),
        max_score=number(sum(each.lesson.max_score for each in progress)),
        isolation=desk.judge.zygote.isolation.level,
        seconds=sum(each.seconds for each in checks),
        environment=environment(),
        lessons=[each.part.results for each in checks],
        local=local,
    )
    return Reporter([each.lesson for each in checks]).page_of(results, [each.part for each in checks], live)


def write_report(desk: Desk, checks: Sequence[Checked], not_begun: Sequence[Progress] = ()) -> Path:
    """Write `report_page` next to exercises/, and return its path. Raises UserError when it cannot be written."""
    path, page = desk.course.root / REPORT_FILE, report_page(desk, checks, not_begun)
    with write_errors(shown_path(path)):
        write_whole(path, page)
    return path


def open_in_browser(page: Path | str) -> bool:
    """Open a file or an address in a graphical browser. Returns False without one."""
    windows = sys.platform != "linux" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    return windows and webbrowser.open(page.resolve().as_uri() if isinstance(page, Path) else page)


class LiveServer(ThreadingHTTPServer):
    """Serves the report of the latest check of a session, and what the session is doing, at `address`."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, session: CheckSession) -> None:
        super().__init__((LOOPBACK, 0), LiveRequest)  # any free port
        self.path = f"/{secrets.token_urlsafe(TOKEN_BYTES)}/"
        self.address = f"http://{LOOPBACK}:{self.server_address[1]}{self.path}"
        self._session, self._trouble = session, ""
        session.listeners.append(self.tell)
        self._latest: tuple[int, Checked | None] = 0, None  # (how many checks there were, the latest)
        self._news = threading.Condition()

    def __enter__(self) -> LiveServer:
        threading.Thread(target=self.serve_forever, args=(0.1,), name="live page", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A tab that is closed in the middle of an answer is nothing that the student's terminal should say."""

    def tell(self, event: Event) -> None:
        """Have every open page show what has happened. It only takes note of it, so that the caller does not wait."""
        with self._news:
            self._trouble = event.sentence
            if event.checked is not None:
                self._latest = self._latest[0] + 1, event.checked
            self._news.notify_all()

    def page(self) -> str:
        number, latest = self._latest
        if latest is None:
            return page_templates(inert).get_template("live.html").render()
        return report_page(self._session.work.desk, [latest], live=number)

    def state(self, shown: str) -> str:
        """The latest check's number and what is going on, as JSON; where that check is `shown`, once there is news."""
        with self._news:
            if str(self._latest[0]) == shown:
                self._news.wait(NEWS_SECONDS)
        return json.dumps({"check": self._latest[0], "state": self._session.running or self._trouble})


class LiveRequest(BaseHTTPRequestHandler):
    """Answers GET for the page and its state, and 404 for everything else."""

    server: LiveServer
    server_version, sys_version = "dojo", ""

    def do_GET(self) -> None:
        (path, _, query), own = self.path.encode().partition(b"?"), self.server.path.encode()
        if self.headers.get("Host", "").partition(":")[0] not in (LOOPBACK, "localhost"):
            self._send(400, "text/plain", LOST)
        elif secrets.compare_digest(path, own + b"state"):
            self._send(200, "application/json", self.server.state(query.decode()))
        elif secrets.compare_digest(path, own):
            self._send(200, "text/html", self.server.page())
        else:
            self._send(404, "text/plain", LOST)

    def _send(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", **HEADERS}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """The terminal is the student's."""
