"""The live page's server, by HTTP: who reads what from it. In a browser: tests/e2e/browser/test_live_page.py."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from kits import checked_file, make_kit, solved
from payloads import PAYLOADS
from support import GUARD_SECONDS

from grader.dojo.desk import Desk
from grader.dojo.progress import Checked
from grader.dojo.report import LiveServer
from grader.dojo.session import CheckSession, Event
from grader.dojo.work import Work

pytest_plugins = ["dojos"]


@pytest.fixture
def checked(judge: Any, tmp_path: Any) -> Checked:
    """Lesson 03 with a flipped sign, hostile printing and a hostile message."""
    kit = make_kit(tmp_path / "checked")
    text = solved("03", "dlogprobs", "dprobs", "dW2")
    text = text.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    hostile = f"1 / 0 if print({PAYLOADS['script']!r}) else h.T.what({PAYLOADS['script']!r})"
    return checked_file(judge, kit, "03", text.replace("h.T @ dlogits", hostile))


@pytest.fixture
def session(judge: Any, tmp_path: Any) -> CheckSession:
    desk = Desk(make_kit(tmp_path), print)
    desk._judge = judge
    return CheckSession(Work(desk))


@pytest.fixture
def server(session: CheckSession) -> Iterator[LiveServer]:
    with LiveServer(session) as server:
        yield server


def response(server: LiveServer, path: str, host: str = "", method: str = "GET") -> http.client.HTTPResponse:
    place = server.address.split("/")[2]
    connection = http.client.HTTPConnection(place, timeout=GUARD_SECONDS)
    connection.request(method, path, headers={"Host": host or place, "Origin": "https://elsewhere.example"})
    return connection.getresponse()


def test_the_latest_report_goes_to_who_has_the_token_and_means_this_machine(
    server: LiveServer, checked: Checked, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = "/" + server.address.split("/", 3)[3]
    assert b"Nothing is checked yet" in response(server, own).read()
    server.tell(Event("checked", checked.lesson, checked=checked))
    answer = response(server, own)
    assert answer.status == 200 and answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert [name for name in answer.headers if name.lower().startswith("access-control")] == []
    assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    page = answer.read().decode()
    assert 'data-check="1"' in page and "The sign is flipped" in page and "Your own check" in page
    assert page.count("<script") == 1 and "&lt;script" in page  # nothing in it runs
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in page and "connect-src 'self'" in page
    hosts = {"localhost:1234": 200, "127.0.0.1": 200, "evil.example": 400, "127.0.0.1.evil.example:80": 400}
    assert {host: response(server, own, host).status for host in hosts} == hosts
    unknown = [response(server, path) for path in ("/", "/state", "/x" + own[1:], own[:-2] + "/", own[:-1], own + "no")]
    assert [answer.status for answer in unknown] == [404] * 6
    assert b"dojo open" in unknown[0].read() and "probs" not in str(unknown[5].read())
    assert response(server, own, method="POST").status == 501
    server.tell(Event("failed", checked.lesson, "backward.py is not there"))
    monkeypatch.setattr("grader.dojo.report.NEWS_SECONDS", 600)
    assert json.load(response(server, own + "state?0")) == {"check": 1, "state": "backward.py is not there"}
    monkeypatch.setattr(CheckSession, "running", "checking: dprobs is running")
    threading.Timer(0.1, server.tell, [Event("saved", checked.lesson)]).start()  # what a page with this check waits for
    assert json.load(response(server, own + "state?1")) == {"check": 1, "state": "checking: dprobs is running"}
