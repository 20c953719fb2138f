"""Public examples: rows that are no gradients, checked by a student where there is no hidden suite and no answer."""

from __future__ import annotations

from pathlib import Path

import pytest
from kits import file_of, functions_of, line_of, make_kit, solved
from support import ROOT, sampled

from grader.dojo.file import HERE, read_own
from grader.lesson.lesson import Course, Lesson
from grader.verdict.judge.examples import examples_of

pytest_plugins = ["dojos"]

WITH_CHECKS = sorted(lesson.name for lesson in Course(ROOT).lessons.values() if lesson.checks)


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return make_kit(tmp_path, ("01_chain_rule", "04_cross_entropy", "08_gradient_check"))


def statuses(judge, lesson: Lesson, source: str) -> dict[str, str]:
    (lesson.exercise / "backward.py").write_text(source, encoding="utf-8")
    return {row.name: row.status for row in judge.judge(lesson, read_own(lesson)).rows}


def example_line(kit: Path, number: str, row: str) -> int:
    text = next((kit / "exercises").glob(f"{number}_*/examples.py")).read_text()
    return text[: text.index(f"def test_{row}(")].count("\n") + 1


@sampled("name", WITH_CHECKS, keep=1)
def test_every_row_has_an_example_that_the_answer_passes_and_the_stub_does_not(tmp_path, judge, name):
    """In a kit without solutions/, in a worker, as for a student."""
    lesson = Course(make_kit(tmp_path, (name,)), secrets=False).find(name)
    rows = [item.name for item in lesson.checks]
    assert sorted(examples_of(lesson)) == sorted(rows)
    answer = statuses(judge, lesson, solved(lesson.number, *functions_of(lesson.pristine.read_text())))
    assert {row: answer[row] for row in rows} == dict.fromkeys(rows, HERE)
    stub = statuses(judge, lesson, solved(lesson.number))
    assert {row: stub[row] for row in rows} == dict.fromkeys(rows, "todo")
    empty = statuses(judge, lesson, lesson.pristine.read_text().replace("raise NotImplementedError", "return None"))
    assert not [row for row in rows if empty[row] in (HERE, "passed")]


def test_what_is_wrong_here_is_shown_with_its_example(kit, dojo):
    right = solved("01", "closed_share", "mean_gate", "accumulation_factor")
    file_of(kit, "01").write_text(right.replace("h.abs() > threshold", "h > threshold"))
    result = dojo("check", "01.closed_share", "01.mean_gate", "01.accumulation_factor", "01.push_and_pull")
    line, example = line_of(kit, "01", "closed_share"), example_line(kit, "01", "closed_share")
    assert result.exit_code == 1
    for part in (
        "closed_share    | wrong\nmean_gate       | passed here; the hidden suite decides\npush_and_pull   | to do\n"
        "accumulation_factor | passed here; the hidden suite decides\n\n",
        f"✗ closed_share wrong  exercises/01_chain_rule/backward.py:{line}\n"
        "    Only the gates at the upper end are counted. tanh saturates at -1 as well.\n"
        f"    Its public example: exercises/01_chain_rule/examples.py:{example}\n\n"
        "2 of 30 right, 1 wrong, 27 to do · 2 of 32 points\n"
        "The hidden suite decides 2 rows (2 points): mean_gate, accumulation_factor.\n",
        f"Next: fix closed_share  exercises/01_chain_rule/backward.py:{line}\n",
    ):
        assert part in result.stdout, part


def test_examples_that_do_not_run_are_one_sentence(kit, dojo):
    (kit / "exercises" / "08_gradient_check" / "examples.py").write_text("import nothing_like_it\n")
    file_of(kit, "08").write_text(solved("08", "relative_error"))
    result = dojo("check", "08", "--course", str(kit))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"dojo: {kit}/exercises/08_gradient_check/examples.py does not run: ModuleNotFoundError: No module named "
        "'nothing_like_it'\n"
    )


def test_changed_examples_are_run_again(kit, dojo):
    file_of(kit, "04").write_text(solved("04", "dlogits"))
    dojo("check", "04")
    assert "3 of 3  done\n" in dojo().stdout
    path = kit / "exercises" / "04_cross_entropy" / "examples.py"
    path.write_text(path.read_text().replace("if not dlogits.passes(far)", "if dlogits.passes(far)"))
    assert "3 of 3  not checked\n" in dojo("list", "--course", ".").stdout
    assert "✗ in_one_go" in dojo("check", "04", "--course", ".").stdout
