"""`grade verify` proves a course, so it has to fail for a course that is not in order."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner
from support import ROOT, sampled

from grader.authoring.verify import naming_problems, verify_lesson
from grader.commands.grade import main
from grader.lesson.lesson import Course, Lesson, LessonError
from grader.lesson.mistakes import Mistake
from grader.results import NamedMistake, Row
from grader.verdict.explain.known import known_file

MISTAKES = '''"""Two known mistakes."""

import torch
import torch.nn.functional as F

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
[dlogits]
no_one_over_n: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient
    The loss is a mean.
no_minus_one: F.softmax(logits, 1) / n
    Every logit is pushed down and none up.
""")
'''


@pytest.fixture
def own(tmp_path, warm_zygotes) -> Lesson:
    """Lesson 04 with one variant and two mistakes, to be spoiled."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    lesson = Course(tmp_path).find("04")
    for path in sorted((lesson.solution / "variants").glob("*.py"))[1:]:
        path.unlink()
    (lesson.solution / "mistakes.py").write_text(MISTAKES, encoding="utf-8")
    for path, text in known_file(lesson).items():
        path.write_text(text, encoding="utf-8")
    return lesson


def problems(lesson: Lesson) -> list[str]:
    return verify_lesson(lesson, seed=1).problems


def replace(path: Path, old: str, new: str) -> None:
    source = path.read_text(encoding="utf-8")
    assert old in source
    path.write_text(source.replace(old, new, 1), encoding="utf-8")


@pytest.mark.full
def test_a_course_in_order(own):
    report = verify_lesson(own, seed=1)
    assert report.problems == []
    assert report.summary == "solution 3 of 3 (not bit-exact: dlogits), stub 0, 1 variant, 2 known mistakes"


FILES = {
    "examples": "exercises/04_cross_entropy/examples.py",
    "key": "solutions/04_cross_entropy/backward.py",
    "variant": "solutions/04_cross_entropy/variants/from_probs.py",
    "mistakes": "solutions/04_cross_entropy/mistakes.py",
    "settings": "exercises/04_cross_entropy/lesson.toml",
    "suite": "solutions/04_cross_entropy/test_cross_entropy.py",
}
SPOILED = (  # (the file, what is replaced in it and by what, the problem that is reported)
    (
        "examples",
        "if not dlogits.passes(far):",
        "if dlogits.passes(far):",
        "examples.py: test_in_one_go refuses what is right, solution: it is failed: The first",
    ),
    (
        "examples",
        "def test_in_one_go(check):\n",
        "def test_in_one_go(check):\n    return\n",
        "examples.py: test_in_one_go passes the stub, so it asks for nothing.",
    ),
    (
        "examples",
        "def test_in_one_go",
        "def test_other(check): pass\n\n\ndef test_in_one_go",
        "examples.py: test_other has no row [checks.other] in lesson.toml.",
    ),
    (
        "examples",
        "def test_in_one_go(check):\n",
        "def test_in_one_go(check):\n    check.agrees(lambda on, generator: on.call('dlogits', 1, 2))\n",
        "test_in_one_go: `agrees` needs a `reference` here, as a student has no",
    ),
    (
        "key",
        "    # <answer>\n",
        "    if n:\n        return (F.softmax(logits, 1) - F.one_hot(Yb, logits.shape[1])) / n\n    # <answer>\n",
        "stub: dlogits is passed with 2 points",
    ),
    (
        "variant",
        "def dlogits",
        "def dlogits(logits): return logits\n\n\ndef other",
        "variant from_probs: dlogits is failed: ",
    ),
    ("mistakes", "-= 1; gradient\n", "-= 1; gradient / n\n", "mistake dlogits__no_one_over_n passed"),
    (
        "mistakes",
        "no_minus_one: F.softmax(logits, 1) / n\n",
        "twice: gradient = F.softmax(logits, 1); gradient[range(n), Yb] -= 1; gradient\n    The same.\n"
        "no_minus_one: 2 * F.softmax(logits, 1)\n",
        "mistake dlogits__twice got dlogits: no_one_over_n; in_one_go: ",
    ),
    ("mistakes", "no_minus_one: ", "not_minus_one: ", ".known is not what `grade stubs 04` writes: run it."),
    ("key", "return gradient / n", "return gradient", "solution: dlogits is failed"),
    ("settings", "hints = [", 'hints = ["a"]\nwith = [', "has 1 hint; expected 3"),
    (
        "settings",
        "[gradients.dlogits]",
        "[gradients.dlogit]",
        "asks for dlogit, but forward.py names no value `logit`.",
    ),
    ("suite", "def test_in_one_go", "def test_in_two_goes", "no test_in_one_go(check) for the row [checks.in_one_go]"),
    ("suite", '"batch": 5, ', '"bacth": 5, ', "unexpected keyword argument 'bacth'"),
    (
        "mistakes",
        '\n""")',
        '\nno_minus_one: F.softmax(logits, 1)\n    M.\n""")',
        "mistakes.py: dlogits__no_minus_one is there twice.",
    ),
)


@sampled("spoiled", SPOILED, keep=3)
def test_a_course_that_is_not_in_order(own, spoiled):
    file, old, new, problem = spoiled
    replace(own.course / FILES[file], old, new)
    try:
        found = problems(Lesson(own.course, own.name))
    except LessonError as error:
        found = [str(error)]
    assert any(problem in each for each in found), found
    if problem.startswith("solution: "):  # a wrong answer key is reported alone
        assert all(each.startswith("solution: ") for each in found)


def test_a_mistake_in_a_function_that_has_rows_of_its_own(own):
    of_the_caller = Mistake("part", "of_the_caller", "...")
    blamed = Row("whole", "failed", 0, 1, message="This is computed with your `part`.")
    named = Row("part", "failed", 0, 1, mistake=NamedMistake("of_the_part", "..."))
    assert list(naming_problems(of_the_caller, [blamed, named], ["part"])) == []
    unnamed = Row("part", "failed", 0, 1, message="Half of the elements are wrong.")
    assert list(naming_problems(of_the_caller, [blamed, unnamed], ["part"])) == [
        f"mistake {of_the_caller.name} got whole: {blamed.message}; part: {unnamed.message}"
    ]
    assert len(list(naming_problems(of_the_caller, [blamed], ["part"]))) == 1


# Declaring mistakes --------------------------------------------------------------------------------------------------


LIST = '''"""A list."""

import torch

from grader.lesson.mistakes import mistake_list

MISTAKES = mistake_list("""
# which axis?
[dlogits]
zeros: torch.zeros_like(logits)
    Every element
    is zero.
labels: gradient = logits.clone(); gradient[range(n), Yb] -= 3; gradient
    Three is taken off.
logits_changed: logits -= sum(1 for n in (1, 2)); logits
    They are changed in place.
looped:
        gradient = torch.zeros_like(probs)
        for row in range(n):
            gradient[row] = probs[row]
        gradient
    Row by row.
- gradient[range(n), Yb] -= 1
- return gradient / n
both_lines:
        gradient[range(n), Yb] -= 2
        if n:
            return gradient
    Two instead of one.
- gradient = F.softmax(logits, 1)
again: gradient = F.softmax(F.softmax(logits, 1), 1)
    Twice.
""")
'''


@pytest.fixture
def listed(own) -> dict[str, Mistake]:
    (own.solution / "mistakes.py").write_text(LIST, encoding="utf-8")
    return {each.id: each for each in Course(own.course).find("04").mistakes}


def test_a_list_is_read_in_order_and_its_formulas_run(own, listed):
    assert list(listed) == ["zeros", "labels", "logits_changed", "looped", "both_lines", "again"]
    assert {each.gradient for each in listed.values()} == {"dlogits"}
    assert listed["zeros"].message == "Every element is zero."
    # the parameters are the names that it reads
    assert listed["zeros"].source() == "def dlogits(logits):\n    return torch.zeros_like(logits)"
    assert listed["labels"].source().startswith("def dlogits(logits, Yb, n):\n")
    assert listed["logits_changed"].source().startswith("def dlogits(logits):\n")
    assert listed["looped"].source().startswith("def dlogits(probs, n):\n")
    assert listed["looped"].source().endswith("        gradient[row] = probs[row]\n    return gradient")
    dlogits = Lesson(own.course, own.name).wrong(listed["labels"]).dlogits  # it runs with the names of the answer key
    assert dlogits(logits=torch.tensor([[5.0, 7.0]]), n=1, Yb=torch.tensor([1])).tolist() == [[5, 4]]
    for name in ("zeros", "both_lines"):
        text = listed[name].declaration()
        exec(text, {"torch": torch})
        assert f"dlogits__{name}" in text and listed[name].message in text


def test_an_edit_of_several_lines_is_indented_like_the_answer_key(listed):
    text = "def f():\n    if n:\n        gradient[range(n), Yb] -= 1\n        return gradient / n\n"
    assert listed["both_lines"].applied_to(text) == (
        "def f():\n    if n:\n        gradient[range(n), Yb] -= 2\n        if n:\n            return gradient\n"
    )
    with pytest.raises(ValueError, match=r"dlogits__both_lines replaces .* 2 times; expected once"):
        listed["both_lines"].applied_to(text + text)


BAD_ENTRIES = (
    ("wrong: logits +* 2\n    M.", "dlogits__wrong: `logits +* 2`: invalid syntax."),
    ("wrong: logit / n\n    M.", "dlogits__wrong: `logit / n`: there is no value `logit`."),
    ("wrong: x = logits\n    M.", "dlogits__wrong: `x = logits`: its last statement is not an expression."),
    ("wrong:\n    M.", "dlogits__wrong: ``: its last statement is not an expression."),
    ("[dlogit]\nwrong: 1\n    M.", "dlogit__wrong: `1`: the answer key has no function `dlogit`."),
    ("not-an-id: logits\n    M.", "[dlogits], the line `not-an-id: logits`: expected `id: formula` below a `[gr"),
    ("wrong: logits", "dlogits__wrong: expected the formula, then the message indented by four spaces."),
    ("wrong: 1\n    M.\n        2", "dlogits__wrong: expected the formula, then the message indented by four"),
    ("- logits\n    M.", "[dlogits], the line `M.`: indented, but below no `id: formula`."),
)


def test_a_bad_entry_is_a_sentence_with_file_and_name(own):
    path = own.solution / "mistakes.py"
    for entry, sentence in BAD_ENTRIES:
        path.write_text(LIST.replace("# which axis?\n[dlogits]", f"[dlogits]\n{entry}"), encoding="utf-8")
        with pytest.raises(LessonError) as caught:
            _ = Course(own.course).find("04").mistakes
        assert str(path) in str(caught.value) and sentence in str(caught.value), entry


# A course that cannot be read ----------------------------------------------------------------------------------------


def test_a_file_that_cannot_be_read_is_a_sentence(own):
    settings, forward = own.exercise / "lesson.toml", own.exercise / "forward.py"
    for name in ("exercises/04_cross_entropy/README.md", "solutions/04_cross_entropy/backward.py"):
        path = own.course / name
        text = path.read_bytes()
        path.write_bytes("# Größe\n".encode("latin-1") + text)
        for command in ("verify", "release", "stubs") if name.endswith(".py") else ("verify", "release"):
            words = [str(own.course / "kit")] if command == "release" else []
            done = CliRunner().invoke(main, [command, *words, "--course", str(own.course)])
            assert done.exit_code == 2 and f"{path} cannot be read: 'utf-8' codec" in done.stderr, done.output
            assert done.stderr.count("\n") == 1
        path.write_bytes(text)
    forward.write_text("1 / 0\n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"forward\.py does not run: ZeroDivisionError: division by zero"):
        _ = Course(own.course).find("04").module
    forward.unlink()
    with pytest.raises(LessonError, match=r"forward\.py is missing: every lesson needs one"):
        _ = Course(own.course).find("04").module
    (own.solution / "test_more.py").write_text("", encoding="utf-8")
    with pytest.raises(LessonError, match=r"must hold exactly one hidden suite test_\*\.py; found 2"):
        _ = own.suite
    settings.write_text("title = \n", encoding="utf-8")
    with pytest.raises(LessonError, match=r"lesson\.toml cannot be read: Invalid value"):
        Course(own.course)
