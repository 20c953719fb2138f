"""A notebook's own sizes and shapes: read from its text, judged on them, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import rows_of
from wild_members import as_notebook, changed, lecture_cells

from grader.intake.notebook.reading import read_notebook_limited
from grader.intake.submissions.finding import find
from grader.lesson.lesson import Course, Lesson
from grader.lesson.notebook_lesson import notebook_lesson
from grader.reference.runner import Terms
from grader.source.syntax import WrittenNumber
from grader.verdict.judge.notebook_terms import (
    accounted_for,
    are_drawable,
    changed_sizes,
    own_problems,
    size_remark,
    terms_of,
)

LECTURE = {"batch": 32, "block": 3, "vocabulary": 27, "embedding": 10, "hidden": 64}
CHAIN = "dh = dlogits @ W2.T\ndlogprobs = torch.zeros_like(logprobs)\n"


def origin_of(course: Course, text: str, wanted: str = "03") -> Any:
    return find_handed(course.find(wanted), text).origin


# What the text says --------------------------------------------------------------------------------------------------


def test_sizes_are_read(course):
    for text, expected in [
        ("", {}),
        ("batch_size = 16\nn = batch_size", {"batch": 16}),
        ("n_embd, n_hidden = 24, 100", {"embedding": 24, "hidden": 100}),
        ("n_hidden = 2 * 50", {}),
        ("D = 8\nC = torch.randn((65, D), generator=g) * 0.1", {"vocabulary": 65, "embedding": 8}),
        ("n_hidden = 200\nC = torch.randn(65, 8)\nb1 = torch.zeros(64)", {"vocabulary": 65, "embedding": 8}),
        ("rows = Xb.shape[0]\nn = rows", {}),
        ("vocab_size = len(itos)", {}),
        ("n_hidden = 100\nn_hidden = 64 if fast else 200", {}),
        ("n_hidden = -5", {}),
        (f"n_hidden = {10**30}", {}),
        ("n = n", {}),
    ]:
        assert origin_of(course, text + "\n" + CHAIN).sizes == LECTURE | expected


def test_the_sizes_are_those_at_the_gradients(course):
    """What a later exercise sets is not meant."""
    text = f"n_hidden = 80\n{CHAIN}\nn_hidden = 200\nW1 = torch.randn((30, n_hidden))"
    assert origin_of(course, text).sizes["hidden"] == 80


def test_numbers_are_read_with_their_lines(course):
    found = origin_of(course, "B = 4\ndh = dlogits @ W2.T * 2 * B\n\ndC = torch.zeros(27,\n  10) + 0.5").numbers
    assert {(n.value, n.line) for n in found["dh"]} == {(4, 1), (2, 2)}
    assert {(n.value, n.line) for n in found["dC"]} == {(0.5, 5), (27, 4), (10, 5)}


# Which numbers are sizes ---------------------------------------------------------------------------------------------


def numbers(*values: float) -> list[WrittenNumber]:
    return [WrittenNumber(value, "mine.py", 5) for value in values]


def test_a_hard_coded_size_is_a_number_in_the_text():
    assert accounted_for(["batch"], LECTURE, numbers(27, 2)) is None
    for value, words in ((32, "batch"), (31, "batch - 1"), (0.03125, "1 / batch"), (96, "batch × block")):
        (found,) = accounted_for(["batch"], LECTURE, numbers(2, value)) or [None]
        assert found is not None and found.words == words
    both = accounted_for(["block", "embedding"], LECTURE, numbers(30))
    assert both is not None and {each.words for each in both} == {"block × embedding"}


def test_equal_sizes_need_a_number_each():
    sizes = LECTURE | {"batch": 64}
    assert accounted_for(["batch", "hidden"], sizes, numbers(64)) is None
    assert accounted_for(["batch", "hidden"], sizes, numbers(64, 64)) is not None
    assert accounted_for(["batch", "hidden"], sizes, numbers(63, 64)) is not None
    assert accounted_for(["hidden"], sizes, numbers(64)) is not None


def test_one_size_is_changed_and_comes_near_no_other():
    changed = changed_sizes(LECTURE)
    for size in LECTURE:
        larger, smaller = changed[size]
        for other in (larger, smaller):
            assert {name for name in LECTURE if other[name] != LECTURE[name]} == {size}
        assert smaller[size] < LECTURE[size] < larger[size]
        assert all(abs(larger[size] - value) > 1 for value in LECTURE.values())
    smaller = {size: others[1][size] for size, others in changed.items()}
    assert smaller == {"batch": 30, "block": 2, "vocabulary": 25, "embedding": 8, "hidden": 62}
    few = changed_sizes({"batch": 2, "hidden": 5})
    assert len(few["batch"]) == 1 and few["hidden"][1] == {"batch": 2, "hidden": 4}


def test_a_count_is_a_size_itself():
    count = WrittenNumber(3, "mine.py", 5, is_count=True)
    assert accounted_for(["block"], LECTURE | {"block": 4}, [count]) is None
    found = accounted_for(["block"], LECTURE, [count])
    assert found is not None
    assert size_remark(found, {"block": "Xb.shape[1]"}) == (
        "Right at your notebook's own sizes. A size is hard-coded in mine.py, line 5: 3 parts written one by one "
        "(block). A loop over `range(Xb.shape[1])` works at any size."
    )
    assert [each.number for each in accounted_for(["block"], LECTURE, [count, *numbers(3)]) or ()] == numbers(3)


def test_the_remark_names_line_by_line():
    found = accounted_for(["batch", "hidden"], LECTURE, [*numbers(64), WrittenNumber(32, "mine.py", 7)])
    assert found is not None
    assert size_remark(found, {"batch": "n"}) == (
        "Right at your notebook's own sizes. Sizes are hard-coded in mine.py, line 5: 64 (hidden); line 7: 32 (batch). "
        "`n` in place of 32 works at any size."
    )


# The verdict ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def graded(course, session_for, tmp_path):
    """graded("# instead of: ...", "03"): (the rows by name, the session), of the lecture's notebook with changes."""

    def rows(text: str, wanted: str = "03") -> dict[str, Any]:
        place = tmp_path / "mine.ipynb"
        place.write_text(as_notebook(changed(lecture_cells(), text)), encoding="utf-8")
        session = session_for(wanted)
        (submission,) = find([place], session.lessons, list(course.lessons.values()))
        return rows_of(session.grade(submission).results)

    return rows


def test_figures_and_chain_are_at_the_notebook_s_sizes(graded):
    rows = graded(
        "# instead of: n = batch_size #\nbatch_size = 48\nn = batch_size\n"
        "# instead of: cmp('emb',\ndemb = dembcat.view(48, 3, 10)\n"
    )
    assert rows["demb"]["status"] == "passed" and rows["demb"]["shape"] == [48, 3, 10] == rows["demb"]["expected_shape"]
    assert rows["demb"]["exact"] and {row["chain"] for row in rows.values()} == {"passed"}


def test_a_shape_that_breaks_the_lines_below_is_blamed_for_them(graded):
    rows = graded("# instead of: dlogit_maxes =\ndlogit_maxes = -dnorm_logits.sum(1)\n")
    assert {row["status"] for row in rows.values()} == {"passed"}
    assert rows["dlogit_maxes"]["chain"] == "passed"
    assert (rows["dlogits"]["chain"], rows["dlogits"]["because_of"]) == ("failed", ["dlogit_maxes"])
    assert rows["dh"]["because_of"] == ["dlogit_maxes"] and rows["dh"]["chain"] != "passed"


def test_a_shape_that_broadcasts_back_is_blamed_for_nothing(graded):
    rows = graded(
        "# instead of: dbnmeani =\ndbnmeani = -dbndiff.sum(0)\n"
        "# instead of: cmp('embcat',\ndembcat = dhprebn @ W1.T * 2\n"
    )
    assert {name for name, row in rows.items() if row["status"] != "passed"} == {"dembcat"}
    assert rows["dbnmeani"]["chain"] == rows["dhprebn"]["chain"] == "passed"
    assert rows["demb"]["because_of"] == ["dembcat"] == rows["dC"]["because_of"]


def test_a_wrong_formula_is_named_at_the_sizes_where_it_runs(graded):
    rows = graded("# instead of: dbndiff2 =\ndbndiff2 = torch.ones(32, 64) * dbnvar * n\n")
    assert rows["dbndiff2"]["status"] == "failed" and "1024" not in rows["dbndiff2"]["message"]
    assert "expand" not in rows["dbndiff2"]["message"] and "(6, 7)" not in rows["dbndiff2"]["message"]


def test_sizes_too_large_to_draw_are_not_drawn(course, graded, monkeypatch):
    lesson = course.find("03")
    assert are_drawable(lesson, LECTURE) and are_drawable(lesson, LECTURE | {"batch": 256, "hidden": 300})
    assert not are_drawable(lesson, LECTURE | {"batch": 4096}) and not are_drawable(lesson, LECTURE | {"batch": 1})
    draw, drawn = Lesson.problem, list[int]()
    monkeypatch.setattr(Lesson, "problem", lambda *of, **more: drawn.extend(of[1].sizes.values()) or draw(*of, **more))
    rows = graded(
        "# instead of: n = batch_size #\nbatch_size = 1000000\nn = batch_size\n"
        "# instead of: cmp('emb',\ndemb = dembcat.view(1000000, 3, 10)\n"
    )
    assert rows["demb"]["status"] == "error" and 1_000_000 not in drawn
    assert {row["status"] for name, row in rows.items() if name != "demb"} == {"passed"}


def test_own_problems_have_secret_draws_and_their_changes(course):
    lesson = course.find("03")
    first, second = (own_problems(lesson, lesson.draws, LECTURE, seed) for seed in (1, 2))
    assert len(first.same) == len([draw for draw in lesson.draws if not draw.note])
    assert set(first.changed) == set(LECTURE)
    assert not torch.equal(first.same[0].values["C"], second.same[0].values["C"])
    assert not torch.equal(first.same[0].values["C"], first.same[1].values["C"])
    assert all(problem.values["h"].shape == (32, 64) and problem.random_upstream for problem in first.same)
    spreads = [float(problem.values["hprebn"].std()) for problem in first.same]
    assert min(spreads) < 0.5 < max(spreads)  # the draw whose `hprebn` varies little


# Shapes --------------------------------------------------------------------------------------------------------------


def test_the_terms_are_the_course_s_settings(course):
    lesson = course.find("03")
    functions = find_handed(lesson, "def dh(dlogits, W2):\n    return dlogits @ W2.T")
    notebook = find_handed(lesson, CHAIN)
    assert terms_of(lesson, functions.origin.sizes if functions.origin else None) == Terms()
    terms = terms_of(lesson, notebook.origin.sizes, notebook.origin.numbers)
    assert terms.broadcast and terms.sizes == LECTURE


def find_handed(lesson: Lesson, text: str) -> Any:
    return read_notebook_limited(text.encode(), "mine.py", False, [notebook_lesson(lesson)])[lesson.name]
