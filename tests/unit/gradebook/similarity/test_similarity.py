"""Similar submissions: every planted pair is on top, and honest pairs stay below the threshold."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from made_gradebook import CROSS, HANDED_IN, ROWS, grade, results_for, submission_of, write_gradebook
from similar_class import LESSONS, MadeClass, made_class
from support import ROOT

from grader.gradebook.assignment.config import Assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.records import Decision
from grader.gradebook.similarity.pairs import Similarities, evidence_of, similarities
from grader.gradebook.similarity.reading import (
    KnownCode,
    ReadClass,
    known_code,
    read_class,
    steps_of_course,
    stored_class,
)
from grader.gradebook.store import StoredVerdict
from grader.lesson.lesson import Course
from grader.publish.instructor_pages import similar_page
from grader.results import NamedMistake, Row


@pytest.fixture(scope="module")
def steps(course: Course) -> frozenset[str]:
    return steps_of_course(course)


@pytest.fixture(scope="module")
def known(course: Course, steps: frozenset[str]) -> dict[str, KnownCode]:
    return {lesson.name: known_code(lesson, steps) for lesson in map(course.find, LESSONS)}


@pytest.fixture(scope="module")
def made() -> MadeClass:
    return made_class(1)


@pytest.fixture(scope="module")
def read(made, steps) -> ReadClass:
    return read_class(made.files, steps)


@pytest.fixture(scope="module")
def found(made, read, known) -> Similarities:
    return similarities(read, made.rows, known)


@pytest.mark.full
def test_planted_pairs_are_on_top_and_no_honest_pair_is_striking(made, found):
    planted = {frozenset(pair): kind for kind, pair in made.planted.items()}
    on_top = [frozenset((pair.one, pair.other)) for pair in found.pairs[: len(planted)]]
    assert {planted.get(pair) for pair in on_top} == set(made.planted)
    honest = [pair for pair in found.pairs if frozenset((pair.one, pair.other)) not in planted]
    assert all(pair.bits < found.threshold for pair in honest), honest[0]
    assert found.size == len(made.files) == 66


@pytest.mark.full
def test_the_answer_key_s_own_answers_say_nothing(made, read, known):
    """Four students have exactly the answer key; nobody of them shares anything with anybody."""
    own = [who for who in made.files if who in {f"honest {n:03}" for n in range(56, 60)}]
    assert len(own) == 4
    for who in own:
        assert evidence_of(who, read.files[who], made.rows[who], known).items == {}


@pytest.mark.full
def test_without_verdicts_the_copies_are_found_as_well(made, read, known):
    found = similarities(read, {}, known)
    planted = {frozenset(pair) for pair in made.planted.values()}
    striking = [pair for pair in found.pairs if pair.bits >= found.threshold]
    assert {frozenset((pair.one, pair.other)) for pair in striking} == planted


def test_the_members_of_a_group_are_not_a_pair(made, read, known):
    one, other = made.planted["renamed"]
    copied, copy = made.planted["identical"]
    third = next(who for who in made.files if who not in (one, other, copied, copy))
    found = similarities(read, made.rows, known, {one: "7", other: "7", copied: "8", third: "8"})
    assert found.size == len(made.files) - 2
    assert not any({one, other} <= {pair.one, pair.other} for pair in found.pairs)
    names = ", ".join(sorted((copied, third)))
    assert any({f"{names} (group 8)", copy} == {pair.one, pair.other} for pair in found.pairs)


def wrong(name: str, mistake: str | None = None, error: float = 0.25) -> Row:
    named = NamedMistake(mistake, "") if mistake else None
    return Row(name, "failed", 0, 1, maxdiff=error, relative_error=error / 3, mistake=named)


def test_a_rare_wrong_answer_says_more_than_a_mistake_that_the_course_knows(known):
    lesson = "03_makemore_steps"
    files = {
        "one": {f"{lesson}/backward.py": b"def dh(dlogits, W2):\n    return dlogits @ W2.T * 0.75 + dlogits.mean()\n"},
        "other": {
            f"{lesson}/backward.py": b"def dh(W2, dlogits):\n    return dlogits.mean() + 0.75 * (dlogits @ W2.T)\n"
        },
    } | {f"s{n}": {f"{lesson}/backward.py": b"def dh(dlogits, W2):\n    return dlogits @ W2.T\n"} for n in range(30)}
    read = read_class(files, ["dh"])
    mistake = next(word for word in known[lesson].mistakes if word == "times_probs")
    found = {
        named: similarities(read, {who: {(lesson, "dh"): wrong("dh", named)} for who in ("one", "other")}, known).pairs
        for named in (None, mistake)
    }
    assert found[None][0].bits > 2 * found[mistake][0].bits > 0
    assert [each.one.kind for each in found[None][0].shared] == ["wrong answer"]


def test_different_code_with_the_same_wrong_numbers(known):
    lesson = "03_makemore_steps"
    texts = (
        b"def dh(dlogits, W2):\n    return 0.9 * (W2 @ dlogits.T).T\n",
        b"def dh(dlogits, W2):\n    return dlogits.mul(0.9).mm(W2.T)\n",
    )
    files = {who: {f"{lesson}/backward.py": text} for who, text in zip("ab", texts, strict=True)}
    files |= {f"s{n}": {f"{lesson}/backward.py": b""} for n in range(30)}
    rows = {who: {(lesson, "dh"): wrong("dh")} for who in "ab"}
    (pair,) = similarities(read_class(files, ["dh"]), rows, known).pairs
    assert "wrong numbers" in [each.one.kind for each in pair.shared]


# The texts are hostile -----------------------------------------------------------------------------------------------


def test_a_text_that_cannot_be_read_costs_nobody_else_anything():
    good = b"def helper(a, b):\n    return (a.exp() * b + 3.5 * a.abs()).cumsum(0) / 17\n"
    bad = {"deep": b"x = " + b"(" * 5000, "binary": b"\x00\xff", "long": b"x = 1\n" * 100_000}
    files = {who: {"03_x/backward.py": text} for who, text in {"a": good, "b": good, **bad}.items()}
    read = read_class(files, [])
    assert {who for who, _ in read.unreadable} == set(bad)
    assert [{pair.one, pair.other} for pair in similarities(read, {}, {}).pairs] == [{"a", "b"}]


def test_what_students_wrote_is_escaped():
    code = b"def helper(a, b):\n    return a.exp() * b + 3.5 * a.abs()  # <script>alert(1)</script>\n"
    names = "<img src=x>", "Bo & <b>Co</b>"
    files = {who: {"03_x/backward.py": code} for who in names} | {f"s{n}": {"03_x/backward.py": b""} for n in range(9)}
    found = similarities(read_class(files, []), {}, {})
    page = similar_page(found, found.pairs, files, ["remark <u>"])
    assert not re.search(r"<(script|img|b|u)>|<img ", page)
    assert "&lt;script&gt;" in page and "This is not a verdict." in page
    assert "nobody else in the class has it" in page
    assert re.search(r"(src|href)=\"http", page) is None


# The command ---------------------------------------------------------------------------------------------------------


def test_the_command_compares_what_the_gradebook_stores(course, tmp_path):
    """Of each student, the attempt that counts: the first one, since the second is late and has the same verdicts."""
    odd = "def dlogits(logits, Yb):\n    return logits * 0.125 - 3 * Yb.sum() + logits.abs().mean() ** 2\n"
    out = tmp_path / "grades"
    write_gradebook(out, {})
    gradebook = Gradebook(out / GRADEBOOK)
    gradebook.decide([Decision(0, "Eve", "excuse", "TA", HANDED_IN, text="Ill")])
    honest = "def dlogits(logits, Yb):\n    return F.softmax(logits, 1)\n"
    for student, text in {"ada": odd, "Bo": odd, **dict.fromkeys(map(str, range(12)), honest)}.items():
        first, second = submission_of(student, text), submission_of(student, "y = 2\n")
        for submission, when in ((first, HANDED_IN), (second, HANDED_IN + timedelta(days=1))):
            gradebook.add(StoredVerdict("", results_for(submission, 0), None), replace(submission, submitted=when))
    path = f"{CROSS}/backward.py"
    files, _ = stored_class(gradebook, course, [CROSS])
    assert {each[path] for each in files.values()} == {b"y = 2\n"} and "Eve" not in files
    rows = {CROSS: dict.fromkeys(ROWS, 1.0)}
    gradebook.set_assignment(Assignment("Homework", rows, due=HANDED_IN, counts="last on time"))
    assert stored_class(gradebook, course, [CROSS])[0]["ada"] == {path: odd.encode()}
    assert stored_class(gradebook, course, [])[0]["ada"] == {}
    gradebook.close()
    for part in ("exercises", "solutions"):  # one lesson: a comparison reads the answer keys of the whole course
        (tmp_path / part).mkdir()
        (tmp_path / part / CROSS).symlink_to(ROOT / part / CROSS)
    done = grade("similar", "-o", out, "--course", tmp_path)
    assert done.exit_code == 0 and "ada, Bo" in done.stdout.replace("Bo, ada", "ada, Bo"), done.output
    assert "not a verdict" in done.stdout and "similar.html" in done.stdout
    page = (out / "similar.html").read_text()
    assert "ada and Bo" in page or "Bo and ada" in page
    assert grade("similar", "-o", tmp_path / "nowhere").exit_code == 2
    write_gradebook(tmp_path / "one", {"ada": 0})
    one = grade("similar", "-o", tmp_path / "one", "--course", tmp_path)
    assert one.exit_code == 2 and "a comparison needs two or more" in one.stderr
