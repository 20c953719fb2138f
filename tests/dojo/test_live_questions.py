"""Questions on the live page: every kind is stored and judged as in the terminal, and no other page can answer."""

from __future__ import annotations

import http.client
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from payloads import PAYLOADS
from questions.made_questions import course_with_questions
from support import GUARD_SECONDS

from grader.dojo.answering import AnswerSheet, verdict_words
from grader.dojo.live.access import MAX_BODY_BYTES
from grader.dojo.live.questions import LiveQuestions
from grader.dojo.live.server import LiveServer
from grader.errors import ZygoteDied
from grader.lesson.lesson import Course
from grader.questions.code_lines import Results, trusted_results
from grader.questions.question import QUESTION_KINDS, questions_of
from grader.sandbox.isolation.probe import Isolation

Ask = Callable[..., tuple[int, Any]]
LESSON = "01_asked"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[LiveServer]:
    course_with_questions(tmp_path)
    questions = LiveQuestions(Course(tmp_path, secrets=False), trusted_results)
    with LiveServer(tmp_path, Isolation("none", (), ()), questions=questions) as server:
        yield server


@pytest.fixture
def ask(server: LiveServer) -> Ask:
    """ask("answer", body): the status and the JSON or text of a request; a body makes it a POST of the page's own."""
    place, token = server.address.split("/")[2:4]

    def ask(path: str, sent: Any = None, token: str = token, **headers: str) -> tuple[int, Any]:
        body = sent if isinstance(sent, (bytes, type(None))) else json.dumps(sent).encode()
        own = {"Origin": f"http://{place}", "Content-Type": "application/json"} if body is not None else {}
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(place, timeout=GUARD_SECONDS)
        connection.request("GET" if body is None else "POST", f"/{token}/{path}", body, own | given)
        reply = connection.getresponse()
        text = reply.read().decode()
        assert not [name for name in reply.headers if name.lower().startswith("access-control")]
        return reply.status, json.loads(text) if reply.headers["Content-Type"] == "application/json" else text

    return ask


def sent(question: str, answer: str, student: str = "Ada", lesson: str = LESSON) -> dict[str, str]:
    return {"lesson": lesson, "student": student, "question": question, "answer": answer}


def test_each_kind_is_stored_and_judged_as_in_the_terminal(ask: Ask, tmp_path: Path) -> None:
    status, page = ask(f"questions?lesson={LESSON}")
    assert status == 200 and "Your name or ID" in page["html"] and page["student"] == ""
    status, page = ask(f"questions?lesson={LESSON}&student=%20Ada%20")
    assert page["student"] == "Ada" and page["given"] == {} and page["html"].count("<form") == 8
    assert "There are 5 rows of 20" in page["html"] and "Why?" in page["html"]  # Ada's values
    lesson = Course(tmp_path, secrets=False).find("01")
    answers = {  # {question: (what its control sends, what is stored, the words about it)}
        "count": ("25", "25", "Not right. You added 5 and 20."),
        "size": (" (10,) ", "(10,)", "Right."),
        "pick": ("right", "right", "Not right. Tempting, because it is right-handed."),
        "several": ("third, first", "first, third", "Right."),
        "sorted": ("supper, dinner, lunch", "supper, dinner, lunch", "Not right. That is backwards."),
        "slope": ("1 - h**2", "1 - h**2", "Not right. The upstream gradient is missing."),
        "line": ("g.mean(0)", "g.mean(0)", "Not right. You average."),
        "essay": ("Because.\nTwo lines.", "Because.\nTwo lines.", "A person reads this answer and gives the points."),
    }
    assert {questions_of(lesson)[each].kind for each in answers} == set(QUESTION_KINDS)
    for number, (name, (typed, stored, words)) in enumerate(answers.items(), 1):
        status, said = ask("answer", sent(name, typed))
        assert status == 200 and said["stored"] and words in said["outcome"], name
        assert f"{number} of 8 answered, stored in" in said["count"]
        sheet = AnswerSheet(lesson)  # read again, by what `dojo answer` reads it with
        assert sheet.answers.given[name] == stored and sheet.answers.student == "Ada"
        assert words in verdict_words(sheet.judged(sheet.questions[name], trusted_results))[0]
    status, page = ask(f"questions?lesson={LESSON}")  # the page opens again: the answers and what is said of them
    assert page["given"]["sorted"] == ["supper", "dinner", "lunch"] and page["given"]["pick"] == ["right"]
    assert sorted(page["given"]["several"]) == ["first", "third"] and page["given"]["essay"] == "Because.\nTwo lines."
    assert "You added 5 and 20." in page["html"] and "8 of 8 answered" in page["count"]


def test_without_the_keys_the_answer_waits_for_the_course(ask: Ask, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "solutions")
    for name, typed in {"count": "25", "pick": "left", "line": "g.sum(1)"}.items():
        said = ask("answer", sent(name, typed))[1]
        assert said["stored"] and "Recorded. Only your course has the answer key." in said["outcome"]
    assert "your course has the answer key" in ask(f"questions?lesson={LESSON}")[1]["html"]


def test_what_cannot_be_stored_is_a_sentence_and_changes_nothing(ask: Ask, tmp_path: Path) -> None:
    file = tmp_path / "exercises" / LESSON / "answers.toml"
    ask("answer", sent("count", "100"))
    before = file.read_bytes()
    for wrong, words in (
        (sent("count", "many"), "is not a number; expected a number such as 0.25"),
        (sent("several", "  "), "There is no answer yet."),
        (sent("several", "fifth"), "There is no choice"),
        (sent("cuont", "1"), "did you mean"),
        (sent("essay", "x" * 6000), "expected at most 5,000"),
        (sent("count", "100", student="Bo"), "Reload the page."),
        (sent("count", "100", student=""), "Reload the page."),
        (sent("count", "\ud800" + PAYLOADS["script"]), "&lt;script"),
    ):
        status, said = ask("answer", wrong)
        assert status == 200 and not said["stored"] and words in said["outcome"], wrong
        assert "Not stored. " in said["outcome"] and "<script" not in said["outcome"] and file.read_bytes() == before
    file.write_text("count = [")
    assert "cannot be read" in ask("answer", sent("count", "100"))[1]["outcome"] and file.read_text() == "count = ["
    assert "cannot be read" in ask(f"questions?lesson={LESSON}")[1]["html"]
    (tmp_path / "exercises" / LESSON / "questions.toml").unlink()
    assert ask(f"questions?lesson={LESSON}")[1]["html"] == ""


def test_only_the_page_itself_can_answer(ask: Ask, tmp_path: Path) -> None:
    right = sent("count", "100")
    refused: dict[int, Sequence[Mapping[str, Any]]] = {
        403: (
            {"Origin": "https://elsewhere.example"},
            {"Origin": "null"},
            {"Origin": "http://127.0.0.1:1"},
            {"Sec_Fetch_Site": "cross-site"},
        ),
        404: ({"token": "x" * 22},),
        400: ({"Host": "elsewhere.example"},),
        415: ({"Content_Type": "text/plain"}, {"Content_Type": "application/x-www-form-urlencoded"}),
    }
    for status, each in refused.items():
        for headers in each:
            assert ask("answer", right, **headers)[0] == status, headers
    bodies = (b"", b"[" * 5000, b'{"lesson": 1}', json.dumps(right | {"answer": ["a"]}).encode(), b"\xff")
    assert [ask("answer", body)[0] for body in bodies] == [400] * 5
    assert ask("answer", sent("essay", "x" * MAX_BODY_BYTES))[0] == 413
    assert ask("answer")[0] == 404 == ask("answer", sent("count", "1", lesson="../01_asked"))[0]
    assert ask("questions?lesson=nothing")[0] == 404 == ask("questions", token="y" * 22)[0]
    assert not (tmp_path / "exercises" / LESSON / "answers.toml").exists()
    assert ask("answer", right)[1]["stored"]


def test_nothing_that_a_student_wrote_is_html(ask: Ask, tmp_path: Path) -> None:
    hostile = PAYLOADS["script"]
    ask("answer", sent("essay", hostile, student=hostile))
    page = ask(f"questions?lesson={LESSON}")[1]
    assert page["student"] == hostile and page["given"] == {"essay": hostile} and "<script" not in page["html"]
    assert "&lt;script" in page["html"]
    (tmp_path / "exercises" / LESSON / "answers.toml").write_text(
        f"student = 'Ada'\n[answers]\npick = {json.dumps(hostile)}\ncount = {json.dumps(hostile)}\nsize = [1, 2]\n"
    )
    page = ask(f"questions?lesson={LESSON}")[1]
    assert "<script" not in page["html"] and "pick" not in page["given"] and page["given"]["size"] == "[1, 2]"


def test_a_line_that_cannot_be_run_now_is_stored_all_the_same(tmp_path: Path) -> None:
    def no_zygote(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
        raise ZygoteDied("gone")

    course_with_questions(tmp_path)
    questions = LiveQuestions(Course(tmp_path, secrets=False), no_zygote)
    said = questions.answer(LESSON, "Ada", "line", "g.sum(0)")
    assert said["stored"] and "could not be run now" in said["outcome"]
    assert questions.posed(LESSON, "")["given"] == {"line": "g.sum(0)"}
