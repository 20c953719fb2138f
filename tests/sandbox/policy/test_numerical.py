"""Numerical differentiation is read in the text of a submission: all attempts of tests/numerical, no right file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from kits import file_of
from support import ROOT, SEED, Rows, calls_in, rows_of, sampled, solution_of

from bench.numerical import OWN, REPEATED, Attempt, attempts, course_with_points, source_of
from grader.gradebook.grading.numerical import functions_by_row, written_by_student
from grader.gradebook.grading.session import Session
from grader.intake.submissions.finding import find
from grader.intake.submissions.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.publish.report.classroom import numerical_uses
from grader.publish.report.pages import Reporter
from grader.sandbox.policy.numerical import Observation, may_differentiate_numerically, observe, sentence

pytest_plugins = ["dojos"]

BY_NAME = {attempt.name: attempt for attempt in attempts()}
OWN_RULES = [attempt for attempt in BY_NAME.values() if attempt.method in (OWN, REPEATED)]
ALIKE = [*OWN_RULES, *(attempt for attempt in BY_NAME.values() if not attempt.rows)]
TRIED = [attempt for attempt in BY_NAME.values() if attempt not in ALIKE]
COURSE = Course(ROOT)


def found_in(lesson: Lesson, source: bytes, neighbours: dict[str, bytes] | None = None) -> dict[str, str]:
    return {each.row: each.method for each in observe(source, BACKWARD_FILE, functions_by_row(lesson), neighbours)}


def right_files() -> list[tuple[str, Path]]:
    found = []
    for lesson in COURSE.lessons.values():
        found += [(lesson.name, lesson.solution / BACKWARD_FILE)]
        found += [(lesson.name, path) for path in sorted((lesson.solution / "variants").glob("*.py"))]
        for folder in ("tests/golden", "examples/submissions"):
            found += [(lesson.name, path) for path in sorted((ROOT / folder).rglob(f"{lesson.name}/*.py"))]
    found += [("03_makemore_steps", path) for path in sorted((ROOT / "tests" / "honest_styles").glob("*.py"))]
    return found


HIDING = (
    ('A = \'"""\'\n', 'B = \'"""\'\n'),
    ('A = "' + "'''" + '"\n', 'B = "' + "'''" + '"\n'),
    ("A = '''\n\"\"\"\n'''\n", "B = '''\n\"\"\"\n'''\n"),
    ("# the next line begins after a carriage return\r", ""),
    ("A = f'{\"#\"}'; ", ""),
    ("A = '\\\n#'; ", ""),
    ("A = '#'; ", ""),
    ("# coding: latin-1\n", ""),
    ("# coding: gbk\n", ""),
)


@pytest.mark.parametrize(("before", "after"), HIDING)
def test_nothing_hides_in_a_comment_or_a_string(before: str, after: str) -> None:
    source = f"""{before}STEP = 1e-4
{after}import torch
def dhpreact(dh, hpreact):
    f, step = torch.tanh, STEP
    return dh * (f(hpreact + step) - f(hpreact)) * 10000
""".encode()
    assert may_differentiate_numerically(source)
    assert found_in(COURSE.find("03"), source) == {"dhpreact": "differences"}


def test_the_lessons_own_forward_pass_alone_is_no_reason_to_read() -> None:
    """A student's folder has it next to backward.py: every save would wait for the reader."""
    lesson = COURSE.find("03")
    forward = (lesson.exercise / "forward.py").read_bytes()
    assert may_differentiate_numerically(forward)
    main = solution_of(lesson).encode()
    changed = forward + b"# mine"
    for files, read in (
        ({BACKWARD_FILE: main, "forward.py": forward}, {BACKWARD_FILE}),
        ({BACKWARD_FILE: main, "forward.py": changed}, {BACKWARD_FILE, "forward.py"}),
        ({BACKWARD_FILE: b"from forward import draw\n" + main, "forward.py": forward}, {BACKWARD_FILE, "forward.py"}),
        (
            {BACKWARD_FILE: main, "forward.py": forward, "mine.py": b"import forward"},
            {BACKWARD_FILE, "forward.py", "mine.py"},
        ),
    ):
        assert written_by_student(lesson, LessonFiles(lesson.name, files)).keys() == read


# What is read in the text --------------------------------------------------------------------------------------------


@sampled("attempt", TRIED, keep=24, ids=lambda attempt: attempt.name)
def test_an_attempt_is_read(attempt: Attempt) -> None:
    lesson = COURSE.find(attempt.lesson)
    source = source_of(lesson, attempt)
    assert may_differentiate_numerically(source)
    assert found_in(lesson, source) == dict.fromkeys(attempt.rows, attempt.method)


@pytest.mark.parametrize("attempt", ALIKE, ids=lambda attempt: attempt.name)
def test_a_look_alike_is_not(attempt: Attempt) -> None:
    lesson = COURSE.find(attempt.lesson)
    assert found_in(lesson, source_of(lesson, attempt)) == {}


@pytest.mark.full
def test_no_right_file_is() -> None:
    """Whatever its words are: each is read as if it were suspicious."""
    files = right_files()
    assert len(files) > 150
    assert {
        str(path): rows for name, path in files if (rows := found_in(COURSE.lessons[name], path.read_bytes()))
    } == {}


def test_answer_keys_need_not_be_read() -> None:
    read = [lesson.name for lesson in COURSE.lessons.values() if functions_by_row(lesson)]
    assert len(read) >= 12
    due = [name for name in read if may_differentiate_numerically(solution_of(COURSE.lessons[name]).encode())]
    assert len(due) <= len(read) / 4, "to read a file takes longer than to see that there is nothing in it"


def test_enough_of_each() -> None:
    assert len(TRIED) >= 60 and len(ALIKE) >= 15
    assert {attempt.lesson for attempt in TRIED} >= {"01", "03", "04", "05", "06", "07", "11"}
    assert len(BY_NAME) == len(attempts()) and len(OWN_RULES) >= 15


def test_a_neighbouring_file_is_followed() -> None:
    helper = b"""
H = 1e-4

def slope(f, x):
    return (8 * (f(x + H) - f(x - H)) - f(x + 2 * H) + f(x - 2 * H)) / (12 * H)
"""
    lesson = COURSE.find("03")
    for text in ("from numdiff import slope as s", "import numdiff\ns = numdiff.slope"):
        source = (
            f"import torch\n{text}\n\ndef dhpreact(dh, hpreact):\n    return dh * s(torch.tanh, hpreact)\n".encode()
        )
        assert found_in(lesson, source, {"numdiff.py": helper}) == {"dhpreact": "differences"}, text
    constant = b"import torch\nfrom numdiff import H\n\ndef dhpreact(dh, hpreact):\n    f = torch.tanh\n"
    constant += b"    return dh * (f(hpreact + H) - f(hpreact - H)) / (2 * H)\n"
    assert found_in(lesson, constant, {"numdiff.py": helper}) == {"dhpreact": "differences"}


@pytest.mark.parametrize(
    "source", [b"", b"def dh(:\n", b"\xff\xfe", b"x = 1\n" * 60_000], ids=["empty", "syntax", "bytes", "long"]
)
def test_what_cannot_be_parsed_has_nothing(source: bytes) -> None:
    assert found_in(COURSE.find("03"), source) == {}


def quotients(size: int) -> str:
    lines = (f"    g{i} = (f(x + h) - f(x - h)) / (2 * h)\n    g = g + g{i}\n" for i in range(size // 80))
    return f"h = 1e-5\ndef f(x):\n    return x\ndef dprobs(x):\n    g = x\n{''.join(lines)}    return g\n"


def differences(size: int) -> str:
    return f"def dprobs(x):\n    return {' - '.join(['f(x)'] * (size // 8))}\n"


def stores(size: int) -> str:
    lines = (f"    g[{i}] += 1e-5 * x[{i}]\n" for i in range(size // 27))
    return f"def dprobs(x):\n    g = x.clone()\n{''.join(lines)}    return g / 1e-5\n"


FAMILIES = {"quotients": quotients, "differences": differences, "stores": stores}


@pytest.mark.parametrize("family", FAMILIES)
def test_work_is_linear_in_the_length_of_a_text(family: str) -> None:
    """tests/source/test_source_limits.py says it of other texts."""

    def calls(size: int) -> int:
        text = FAMILIES[family](size).encode()
        return calls_in(lambda: observe(text, BACKWARD_FILE, {"dprobs": ("dprobs", [])}))

    assert calls(8_000) <= 6 * calls(2_000)  # quadratic work would be 16 times


# What comes of it ----------------------------------------------------------------------------------------------------


def submission_of(lesson: Lesson, attempt: Attempt) -> Submission:
    submitted = {lesson.name: LessonFiles(lesson.name, {BACKWARD_FILE: source_of(lesson, attempt)})}
    return Submission(attempt.name, Path(attempt.name), submitted)


@pytest.fixture(scope="module")
def graded(session_for: Callable[..., Session], course: Course) -> Callable[[str], Any]:
    def grade(name: str) -> Any:
        attempt = BY_NAME[name]
        return session_for(attempt.lesson).grade(submission_of(course.find(attempt.lesson), attempt))

    return grade


SAMPLE = [
    "eighth_order_sum",
    "numpy_central",
    "complex_step",
    "exp_complex",
    "decorator",
]


@pytest.mark.full
@sampled("name", SAMPLE, keep=1)
def test_it_earns_no_points_by_default(name: str, graded: Callable[[str], Any]) -> None:
    attempt, rows = BY_NAME[name], rows_of(graded(name).results)
    for row in rows.values():
        if row["name"] in attempt.rows:
            observed = row["numerical_differentiation"]
            assert (row["status"], row["points"], observed["method"]) == ("forbidden", 0, attempt.method)
            assert row["message"] == observed["message"] and row["line"] == observed["line"] > 0
            assert observed["file"] == BACKWARD_FILE and len(row["message"].split()) < 40
        else:
            assert (row["status"], row["numerical_differentiation"]) == ("passed", None)


@pytest.mark.full
@pytest.mark.parametrize("attempt", [each for each in OWN_RULES if each.lesson == "06"], ids=lambda each: each.name)
def test_own_differentiation_earns_its_points(attempt: Attempt, graded: Callable[[str], Any]) -> None:
    """However dual numbers are written: pairs, classes, matrices. A forward pass that is repeated is a remark."""
    rows = rows_of(graded(attempt.name).results)
    assert {row["status"] for row in rows.values()} == {"passed"}
    remarks = {
        name: row["numerical_differentiation"]["method"]
        for name, row in rows.items()
        if row["numerical_differentiation"]
    }
    assert remarks == ({} if attempt.method == OWN else dict.fromkeys(attempt.rows, REPEATED))


@pytest.mark.full
def test_the_setting_gives_points(tmp_path: Path) -> None:
    """The verdict is then on the value, and the row says what was observed."""
    course = course_with_points(tmp_path)
    lesson = course.find("03")
    session = Session([lesson], SEED)
    try:
        rows: Rows = rows_of(session.grade(submission_of(lesson, BY_NAME["tanh_eighth_order"])).results)
        noisy: Rows = rows_of(session.grade(submission_of(lesson, BY_NAME["tanh_elementwise"])).results)
    finally:
        session.close()
    row = rows["dhpreact"]
    assert (row["status"], row["points"]) == ("passed", row["max_points"])
    assert row["message"].endswith(
        "uses a difference quotient (numerical differentiation). This course gives points for it."
    )
    assert noisy["dhpreact"]["numerical_differentiation"]["method"] == "differences"


def test_the_sentences() -> None:
    here = Observation("dh", "differences", 12, BACKWARD_FILE)
    assert sentence(here, BACKWARD_FILE, counts=False) == (
        "Line 12 uses a difference quotient (numerical differentiation), so this gradient is not counted. Write it by "
        "the chain rule: upstream gradient times local derivative, from the values that the function receives."
    )
    assert sentence(here, BACKWARD_FILE, counts=True).endswith(
        "(numerical differentiation). This course gives points for it."
    )
    other = replace(here, method="complex numbers", filename="helpers.py")
    assert sentence(other, BACKWARD_FILE, counts=False).startswith(
        "Line 12 of helpers.py uses complex numbers (numerical"
    )


@pytest.mark.full
def test_reports_and_the_class_page_say_it(graded: Callable[[str], Any], course: Course) -> None:
    one, other = graded("eighth_order_sum"), graded("complex_step")
    reporter = Reporter([course.find("06")])
    sources = {"06_embedding_net": ""}
    for result in (one, other):
        message = next(r for r in rows_of(result.results).values() if r["status"] == "forbidden")["message"]
        assert message in reporter.student_markdown(result)
        assert message in reporter.student_page(result, sources)
    page = reporter.class_page([one.results, other.results])
    assert '<h2 id="numerical">Numerical differentiation</h2>' in page and "complex numbers" in page
    assert numerical_uses([one.results, other.results]) == [
        ("06_embedding_net", "complex numbers, seen while it ran", ["dbeta"], False, ["complex_step"]),
        ("06_embedding_net", "differences, seen while it ran", ["dbeta"], False, ["eighth_order_sum"]),
    ]
    assert 'id="numerical"' not in reporter.class_page([])


@pytest.mark.full
def test_a_notebook_names_its_own_line(session_for: Callable[..., Session], course: Course, tmp_path: Path) -> None:
    lecture = Path(__file__).parents[2] / "notebooks" / "colab_as_in_the_lecture.ipynb"
    book = json.loads(lecture.read_text(encoding="utf-8"))
    for cell in book["cells"]:
        text = "".join(cell["source"])
        lines = [
            "step = 1e-4\ndhpreact = dh * (torch.tanh(hpreact + step) - torch.tanh(hpreact - step)) / (2 * step)\n"
            if line.startswith("dhpreact =")
            else line
            for line in text.splitlines(keepends=True)
        ]
        cell["source"] = "".join(lines)
    path = tmp_path / "mine.ipynb"
    path.write_text(json.dumps(book), encoding="utf-8")
    session = session_for("03")
    (submission,) = find([path], session.lessons, list(course.lessons.values()))
    row = rows_of(session.grade(submission).results)["dhpreact"]
    assert row["status"] == "forbidden" and "mine.ipynb" in row["message"] and "mine.ipynb" in row["file"]
    assert row["numerical_differentiation"]["file"] == row["file"]
    assert row["numerical_differentiation"]["line"] == row["line"]


@pytest.mark.full
def test_a_students_own_check_says_the_same(kit: Path, dojo: Callable[..., Any]) -> None:
    file_of(kit, "04").write_bytes(source_of(COURSE.find("04"), BY_NAME["softmax_loss_complex"]))
    result = dojo("check", "04")
    assert result.exit_code == 1
    assert "uses complex numbers (numerical differentiation), so this" in " ".join(result.stdout.split())
