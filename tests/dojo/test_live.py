"""The live page without a browser: who may read it, what it draws, and where an element of a gradient comes from."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from kits import file_of, make_kit, solved
from payloads import PAYLOADS
from support import GUARD_SECONDS

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import read_own
from grader.dojo.live.gradient import Rectangle, gradient_view, rectangles
from grader.dojo.live.page import Board, LivePage
from grader.dojo.live.server import LiveServer
from grader.dojo.view import View
from grader.publish.pictures import NOT_FINITE, VALUE_LEVELS, value_level, value_map
from grader.reference.element_sources import element_sources, subscript
from grader.sandbox.isolation.probe import Isolation

pytest_plugins = ["dojos"]
NONE = Isolation("none", (), ())


@pytest.fixture(scope="module")
def checked(judge: Any, tmp_path_factory: pytest.TempPathFactory) -> Checked:
    """Lesson 03 with a flipped sign, a missing axis, hostile printing and a hostile message."""
    kit = make_kit(tmp_path_factory.mktemp("kit"))
    text = solved("03", "dlogprobs", "dprobs", "dcounts_sum_inv", "dcounts", "dW2")
    text = text.replace("return dlogprobs / probs", "return -dlogprobs / probs").replace("keepdim=True)", ")", 1)
    text = text.replace(
        "h.T @ dlogits", f"1 / 0 if print({PAYLOADS['script']!r}) else h.T.what({PAYLOADS['script']!r})"
    )
    file_of(kit).write_text(text)
    lesson = Desk(kit, print).course.find("03")
    submitted = read_own(lesson)
    return Checked(lesson, submitted, judge.judge(lesson, submitted), 0.1, own=judge.own)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    with LiveServer(tmp_path_factory.mktemp("live"), NONE) as server:
        yield server


def response(server: LiveServer, path: str, host: str = "", method: str = "GET") -> http.client.HTTPResponse:
    place = server.address.split("/")[2]
    connection = http.client.HTTPConnection(place, timeout=GUARD_SECONDS)
    connection.request(method, path, headers={"Host": host or place, "Origin": "https://elsewhere.example"})
    return connection.getresponse()


def test_only_who_has_the_token_and_means_this_machine_reads_the_page(server: LiveServer, checked: Checked) -> None:
    own = "/" + server.address.split("/", 3)[3]
    server.show(View(checked.lesson, "backward.py", checked, "dprobs"))
    answer = response(server, own)
    policy = answer.headers["Content-Security-Policy"]
    assert answer.status == 200 and policy.startswith("default-src 'none'; script-src 'nonce-")
    assert "script-src 'unsafe" not in policy and "frame-ancestors 'none'" in policy and "connect-src 'self'" in policy
    assert [name for name in answer.headers if name.lower().startswith("access-control")] == []
    assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    other = response(server, own).headers["Content-Security-Policy"]
    assert other != policy  # each page has a nonce of its own
    for host in ("localhost:1234", "127.0.0.1"):
        assert response(server, own, host).status == 200
    for host in ("evil.example", "127.0.0.1.evil.example:80", "192.168.1.2"):
        assert response(server, own, host).status == 400
    unknown = [
        response(server, path)
        for path in ("/", "/events", "/x" + own[1:], own[:-2] + "/", own + "gradient", own + "no")
    ]
    assert [answer.status for answer in unknown] == [404] * 6
    assert b"dojo watch" in unknown[0].read() and "probs" not in str(unknown[4].read())
    assert response(server, own, method="POST").status in (404, 405)
    assert response(server, own + "gradient?row=dprobs&at=1,2").status == 200


def test_a_page_that_opens_gets_the_latest_check_at_once(server: LiveServer, checked: Checked) -> None:
    server.show(View(checked.lesson, "backward.py", checked, "dcounts"))
    stream = response(server, "/" + server.address.split("/", 3)[3] + "events")
    assert stream.headers["Content-Type"].startswith("text/event-stream")
    assert stream.readline() == b"retry: 500\n" and stream.readline() == b"\n" and stream.readline() == b"event: view\n"
    news = json.loads(stream.readline().partition(b": ")[2])
    assert (news["focus"], news["running"], news["board"]["rows"][1]["word"]) == ("dcounts", "", "wrong value")
    stream.close()


def test_what_the_page_draws_of_a_check(checked: Checked) -> None:
    page, board = LivePage(), Board(View(checked.lesson, "backward.py", checked, "dprobs"), 1, NONE)
    found = page.board(board)
    everything = found["graph"] + found["table"] + page.gradient(board, "dW2", None, False)
    assert "<script" not in everything and "&lt;script" in everything
    sign = page.gradient(board, "dprobs", None, False)
    assert "The sign is flipped" in sign and sign.count("<image ") == 5  # two maps, two sources, the map of the error
    assert "The first wrong element" in sign and "dlogprobs[0, " in sign
    chosen = page.gradient(board, "dprobs", (3, 99), False)
    assert "dprobs[3, 26]" in chosen and "The element that you chose" in chosen
    shape = page.gradient(board, "dcounts_sum_inv", None, False)
    assert "Its shape is (32,); expected (32, 1)." in shape and "Autograd’s is" in shape
    assert "It is not written yet." in page.gradient(board, "dh", None, False)
    assert "It was not run" in page.gradient(board, "dW2", None, True)
    with pytest.raises(KeyError):
        page.gradient(board, "nothing", None, False)
    with pytest.raises(KeyError):
        page.gradient(Board(View(checked.lesson, "backward.py"), 2, NONE), "dprobs", None, False)


def test_the_students_own_chain_reads_their_own_upstream_gradients(checked: Checked) -> None:
    item = checked.lesson.item_for("dcounts")
    line, chain = (gradient_view(checked, item, None, in_chain) for in_chain in (False, True))
    assert line is not None and chain is not None
    assert line.wrong == 0 and line.element is not None and line.element.why == "its largest element"
    assert chain.trouble == "It was not run: a gradient that it needs is missing."  # dcounts_sum is not written


@pytest.mark.parametrize(
    ("number", "name", "index", "expected"),
    [
        ("03", "W2", (3, 5), ["dlogits[:, 5]", "h[:, 3]"]),
        ("03", "h", (3, 5), ["dlogits[3, :]", "W2[5, :]"]),
        ("03", "counts", (3, 5), ["dprobs[3, 5]", "dcounts_sum[3, 0]", "counts_sum_inv[3, 0]"]),
        ("03", "bnmeani", (0, 2), ["dbndiff[:, 2]"]),
        ("03", "logprobs", (0, 0), []),  # not the class of example 0: the loss does not read it
        ("12", "v", (1, 2, 3), ["dcontext[1, 2:8, 3]", "weights[1, :, 2]"]),  # causal: later queries only
    ],
)
def test_where_an_element_comes_from(
    course: Any, number: str, name: str, index: tuple[int, ...], expected: Any
) -> None:
    graph = course.find(number).public.graph
    if name not in graph.consumers:
        pytest.fail(f"lesson {number} has no {name}")
    found = element_sources(graph, name, index)
    words = [("d" if each.is_upstream else "") + each.name + subscript(each.mask) for each in found]
    assert words == expected or (number == "06" and words[0].endswith("[:, 4]"))


def test_a_subscript_says_which_elements() -> None:
    mask = torch.zeros(4, 6, dtype=torch.bool)
    mask[1:3, 2] = True
    assert subscript(mask) == "[1:3, 2]"
    mask[0, 5] = True
    assert subscript(mask) == "" == subscript(torch.ones(3, 2, dtype=torch.bool)) == subscript(torch.ones(()) > 0)


def test_colours_and_rectangles() -> None:
    assert [value_level(value, 2.0) for value in (0.0, -2.0, 2.0, 5.0)] == [
        0,
        VALUE_LEVELS,
        2 * VALUE_LEVELS,
        2 * VALUE_LEVELS,
    ]
    assert value_level(float("nan"), 1.0) == NOT_FINITE and value_level(1e-30, 1.0) == 0
    assert 0 < value_level(-0.01, 1.0) < VALUE_LEVELS < value_level(0.01, 1.0)
    mask = [[False, True, True], [False, True, True], [True, False, True]]
    assert rectangles(mask) == [Rectangle(1, 0, 2, 2), Rectangle(0, 2, 1, 1), Rectangle(2, 2, 1, 1)]
    drawn = value_map([[1.0, -1.0]], 1.0)
    assert (drawn.width, drawn.height, drawn.cell_height) == (2, 1, 14) and drawn.png.startswith(
        "data:image/png;base64,"
    )


def test_the_page_needs_two_packages_and_says_so(kit: Path, dojo: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "grader.dojo.live.server", raising=False)
    opened = dojo("open", "03")
    assert opened.exit_code == 2 and opened.stderr.startswith("dojo: The live page needs uvicorn. Type `pip install ")
