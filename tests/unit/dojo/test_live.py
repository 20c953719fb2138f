"""The live page without a browser: who may read it, and which report it is."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import Any

import pytest
from kits import file_of, make_kit, solved
from payloads import PAYLOADS
from support import GUARD_SECONDS

from grader.dojo.desk import Desk
from grader.dojo.file import read_own
from grader.dojo.progress import Checked
from grader.dojo.report import LiveServer
from grader.dojo.session import Event
from grader.sandbox.isolation.probe import Isolation

pytest_plugins = ["dojos"]
NONE = Isolation("none", (), ())


@pytest.fixture(scope="module")
def checked(judge: Any, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Lesson 03 with a flipped sign, hostile printing and a hostile message."""
    kit = make_kit(tmp_path_factory.mktemp("kit"))
    text = solved("03", "dlogprobs", "dprobs", "dW2")
    text = text.replace("return dlogprobs / probs", "return -dlogprobs / probs")
    text = text.replace(
        "h.T @ dlogits", f"1 / 0 if print({PAYLOADS['script']!r}) else h.T.what({PAYLOADS['script']!r})"
    )
    file_of(kit).write_text(text)
    lesson = Desk(kit, print).course.find("03")
    submitted = read_own(lesson)
    return Checked(lesson, submitted, judge.judge(lesson, submitted), 0.1)


@pytest.fixture
def server() -> Iterator[LiveServer]:
    with LiveServer(NONE) as server:
        yield server


def response(server: LiveServer, path: str, host: str = "", method: str = "GET") -> http.client.HTTPResponse:
    place = server.address.split("/")[2]
    connection = http.client.HTTPConnection(place, timeout=GUARD_SECONDS)
    connection.request(method, path, headers={"Host": host or place, "Origin": "https://elsewhere.example"})
    return connection.getresponse()


def own_path(server: LiveServer) -> str:
    return "/" + server.address.split("/", 3)[3]


@pytest.mark.full
def test_only_who_has_the_token_and_means_this_machine_reads_the_page(server: LiveServer, checked: Checked) -> None:
    own = own_path(server)
    assert b"Nothing is checked yet" in response(server, own).read()
    server.tell(Event("checked", checked.lesson, checked=checked))
    answer = response(server, own)
    assert answer.status == 200 and answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert [name for name in answer.headers if name.lower().startswith("access-control")] == []
    assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    for host in ("localhost:1234", "127.0.0.1"):
        assert response(server, own, host).status == 200
    for host in ("evil.example", "127.0.0.1.evil.example:80", "192.168.1.2"):
        assert response(server, own, host).status == 400
    unknown = [response(server, path) for path in ("/", "/state", "/x" + own[1:], own[:-2] + "/", own[:-1], own + "no")]
    assert [answer.status for answer in unknown] == [404] * 6
    assert b"dojo open" in unknown[0].read() and "probs" not in str(unknown[5].read())
    assert response(server, own, method="POST").status == 501


def test_the_page_is_the_report_of_the_latest_check_and_nothing_in_it_runs(
    server: LiveServer, checked: Checked
) -> None:
    server.tell(Event("checked", checked.lesson, checked=checked))
    page = response(server, own_path(server)).read().decode()
    assert 'data-check="1"' in page and "The sign is flipped" in page and "Your own check" in page
    assert page.count("<script") == 1 and "&lt;script" in page
    assert "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" in page and "connect-src 'self'" in page


def test_a_page_reads_the_number_of_the_latest_check_and_what_is_going_on(server: LiveServer, checked: Checked) -> None:
    for event, news in (
        (None, {"check": 0, "state": ""}),
        (
            Event("running", checked.lesson, "checking: dprobs is running"),
            {"check": 0, "state": "checking: dprobs is running"},
        ),
        (Event("checked", checked.lesson, checked=checked), {"check": 1, "state": ""}),
        (
            Event("failed", checked.lesson, "backward.py is not there"),
            {"check": 1, "state": "backward.py is not there"},
        ),
    ):
        if event is not None:
            server.tell(event)
        assert json.load(response(server, own_path(server) + "state")) == news
