"""What a student wrote, in every place where it can stand and in every output: it is shown, and it does nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import pytest
from made_results import lesson as part
from made_results import results, row
from payloads import PAYLOADS
from rich.console import Console
from support import VALIDATOR, sampled

from grader.authoring.verify import submission_of
from grader.commands.command_line import fail
from grader.commands.console import console_for
from grader.commands.live import RunView, result_line
from grader.dojo.progress import Checked
from grader.dojo.screen import lesson_screen
from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.one_file import JudgedFile
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.export.formats import gradescope_json, junit_xml
from grader.publish.inert import csv_text
from grader.publish.report.classroom import csv_rows
from grader.publish.report.pages import Reporter
from grader.results import Row

HARMLESS = "harmless"


def wrong(**more: Any) -> dict[str, Any]:
    return results("ada", part("04_small", row("dz"), row("dy", "error", line=2, **more)))


PLACES: dict[str, Callable[[str], tuple[GradedSubmission, str]]] = {
    "the student's name": lambda text: (GradedSubmission(results(text, part("04_small", row("dz")))), ""),
    "a file's name": lambda text: (GradedSubmission(wrong(file=text)), ""),
    "an exception": lambda text: (GradedSubmission(wrong(message=f"ValueError: {text}")), ""),
    "a sentence": lambda text: (GradedSubmission(wrong(message=text, mistake={"id": text, "message": text})), ""),
    "their own line": lambda text: (GradedSubmission(wrong()), f"def dy(x):\n{text}\n"),
    "a docstring": lambda text: (GradedSubmission(wrong()), f'def dy(x):\n    return x\n    """ {text}\n    """\n'),
    "a notebook's cell": lambda text: (
        GradedSubmission(wrong(file="cell 3"), texts={"cell 3": f"# {text}\n{text}"}),
        "",
    ),
    "what it printed": lambda text: (GradedSubmission(wrong(), shown={"04_small": text.splitlines()}), ""),
    "why a lesson stopped": lambda text: (
        GradedSubmission(results("ada", part("04_small", row("dz"), message=text))),
        "",
    ),
    "why a lesson was rejected": lambda text: (
        GradedSubmission(results("ada", part("04_small", row("dz", "missing"), status="rejected", message=text))),
        "",
    ),
    "why all was rejected": lambda text: (GradedSubmission(results("ada", status="rejected", message=text)), ""),
}


class Structure(HTMLParser):
    """A page's tags with the names of their attributes, but for those that quoted lines are made of, and its links."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.links: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in ("span", "i"):
            self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.links += [value or "" for name, value in attrs if name in ("href", "src", "action")]


def unseen(text: str) -> list[str]:
    """Characters that no eye sees or that move others about."""
    return [
        c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") and c not in "\n\t"
    ]


def assert_page_is_inert(page: str, harmless: str) -> None:
    found = Structure(page)
    assert found.tags == Structure(harmless).tags
    assert [a for a in found.links if not re.fullmatch(r"#[\w-]+|data:[\w/;,+=]*|[\w%.~-]+/report\.html", a)] == []
    assert unseen(page) == []


def assert_markdown_is_inert(text: str) -> None:
    prose = re.sub(r"`[^`\n]*`", "", text)
    assert re.findall(r"(?<!\\)(?:<|!\[|\]\()", prose) == []
    assert re.findall(r"(?<!\\)@\w|(?<!\\)#\d|https?:/|www\.", prose) == []
    assert [at for at in text.splitlines() if at.lstrip().startswith("::") or "##[" in at] == []
    assert re.findall(r":[\w+-]+:|[!~%&]\w", prose) == []
    assert len({len(re.findall(r"(?<!\\)\|", at)) for at in text.splitlines() if at.startswith("|")}) <= 1
    assert [c for c in unseen(text) if c != "\u200b"] == []  # ours, after @ and #: nothing else stops a mention


def assert_csv_is_inert(text: str) -> None:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len({len(cells) for cells in rows}) == 1 and len(rows) == 2
    assert [cell for cells in rows for cell in cells if cell[:1] in set("=+-@＝＋－＠|\t\r\n")] == []
    assert re.findall(r";[\s\"']*[=+@＝＋－＠-]", text.replace(";'", "").replace(';""\'', "")) == []
    assert [c for c in unseen(text.replace("\r", "")) if c != "\t"] == []


def assert_terminal_is_inert(text: str) -> None:
    assert unseen(text) == [] and "\t" not in text
    assert [at for at in text.splitlines() if at.lstrip().startswith("::") or re.search(r"##\w*\[", at)] == []


@pytest.fixture(scope="module")
def reporter() -> Reporter:
    return Reporter([])


@pytest.fixture(scope="module")
def pages(reporter: Reporter) -> Callable[[str, str], tuple[str, str, str]]:
    """pages(place, text): report.html, index.html and report.md with that text in that place."""

    @cache
    def made(place: str, text: str) -> tuple[str, str, str]:
        graded, source = PLACES[place](text)
        reports = reporter.student_pages(graded, {"04_small": source})
        return reports["report.html"], reporter.class_page([graded.results]), reports["report.md"]

    return made


@sampled("payload", PAYLOADS, keep=1)
@pytest.mark.parametrize("place", PLACES)
def test_every_output(pages: Callable[[str, str], tuple[str, str, str]], place: str, payload: str) -> None:
    found = PLACES[place](PAYLOADS[payload])[0].results
    *made, written = pages(place, PAYLOADS[payload])
    for page, harmless in zip(made, pages(place, HARMLESS)[:2], strict=True):
        assert_page_is_inert(page, harmless)
    assert_markdown_is_inert(written)
    assert_csv_is_inert(csv_text(csv_rows([found])))
    feedback = result_line(found)
    assert "\n" not in feedback
    assert_terminal_is_inert(f"[1/1] {feedback}")
    VALIDATOR.validate(json.loads(found.to_text().encode("utf-8", "replace")))


# --- the screen of `dojo check`


@sampled("payload", PAYLOADS, keep=9)
@pytest.mark.parametrize("place", ["an exception", "a remark", "their own line", "what it printed", "why it stopped"])
def test_dojo_check(lesson: Lesson, place: str, payload: str) -> None:
    text = PAYLOADS[payload]
    rows = [Row(item.name, "todo", 0, 1) for item in lesson.items]
    rows[0] = Row(rows[0].name, "error", 0, 1, message=text if place == "an exception" else "ValueError", line=2)
    rows[1] = Row(rows[1].name, "missing", 0, 1, message=text if place == "a remark" else None)
    rows[2] = Row(rows[2].name, "passed", 1, 1, message=text if place == "a remark" else None)
    source = f"def dlogprobs():\n{text if place == 'their own line' else 'pass'}\n"
    message, printed = (text if place == at else "" for at in ("why it stopped", "what it printed"))
    judged = JudgedFile(rows, message or None, shown=printed.splitlines())
    checked = Checked(lesson, LessonFiles(lesson.name, {BACKWARD_FILE: source.encode("utf-8", "replace")}), judged, 0.1)
    for width in (40, 80):  # a narrow one breaks lines elsewhere
        written = io.StringIO()
        Console(file=written, width=width, color_system=None).print(*lesson_screen(checked), sep="\n")
        assert_terminal_is_inert(written.getvalue().expandtabs())


# --- literally, as each medium has it


def test_a_run_s_own_lines_know_no_emoji(capsys: pytest.CaptureFixture[str]) -> None:
    found = results("ada :100: [red]", status="rejected", message="checks.py:100: no :tada: #1")
    view = RunView(console_for(stderr=True))
    view.planned(1, 0)
    view.result(found)
    feedback = capsys.readouterr().err
    assert feedback == "[1/1] ada :100: [red]: 0 of 0 (0 %), rejected: checks.py:100: no :tada: #1\n"


def test_an_error_s_sentence_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        fail("a\x1b[2Jb.py cannot be read\n::error::c ##vso[d]")
    assert capsys.readouterr().err == "grade: a\\x1b[2Jb.py cannot be read\n: :error::c ## vso[d]\n"


def test_junit_is_xml_whatever_a_student_wrote() -> None:
    """Every character that XML 1.0 has no way to write is shown instead."""
    everything = "".join(map(chr, [*range(0x20), 0x7F, 0xFFFE, 0xFFFF, 0xD800, 0xDFFF, 0x1FFFE])) + "]]> <b> &amp; '\""
    found = results(
        everything, part("04_small", row("dz", "error", message=everything, file=everything), message=everything)
    )
    text = junit_xml(found).encode("utf-8").decode()
    root = ElementTree.fromstring(text)
    failure = next(root.iter("error")).attrib["message"]
    assert "\\x00\\x01" in failure and "\\ufffe\\uffff\\ud800\\udfff" in failure and "]]> <b> &amp; '\"" in failure


def test_json_has_no_lone_surrogate() -> None:
    found = results("a\ud800", part("04_small", row("dz", "error", message="b\udfff"), message="c\udc80"))
    assert "b\\udfff" in json.loads(gradescope_json(found).encode("utf-8"))["tests"][0]["output"]


# --- a real file


@pytest.mark.full
def test_a_hostile_file_is_graded_and_does_nothing(
    session_for: Callable[..., Session], lesson: Lesson, reporter: Reporter
) -> None:
    everything = "\n".join(PAYLOADS.values())
    source = f"""import sys

TEXT = {everything!r}
print(TEXT)
print(TEXT, file=sys.stderr)

def dlogprobs(logprobs):
    raise ValueError(TEXT)

def dprobs(dlogprobs, probs):
    {everything.splitlines()[0]!r}; return TEXT

class Named(type):
    def __repr__(cls): return TEXT

def dcounts(dprobs):
    return Named(TEXT[:9], (), {{}})
"""
    graded = session_for("03").grade(submission_of(lesson, everything, source))
    harmless = session_for("03").grade(submission_of(lesson, HARMLESS, source))
    assert graded.printed[lesson.name].count("<script>") >= 2
    rows = {each.name: each for each in graded.results.rows()}
    assert rows["dlogprobs"].status == "error" and "<script>" in (rows["dlogprobs"].message or "")
    found, expected = (reporter.student_pages(each, {lesson.name: source}) for each in (graded, harmless))
    assert_page_is_inert(found["report.html"], expected["report.html"])
    assert_markdown_is_inert(found["report.md"])
    assert_terminal_is_inert(result_line(graded.results))
    assert_csv_is_inert(csv_text(csv_rows([graded.results])))
