"""A required defence through the commands: `regrade --apply`, then the defence is entered, then it is undone."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from made_gradebook import CROSS, current, submission_of, write_gradebook
from made_results import lesson as lesson_of
from made_results import results, row

from grader.commands.grade import main
from grader.defence.question import DefenceQuestion
from grader.gradebook.assignment.config import parse_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.defence_sheets import Sheet, keep_sheet
from grader.gradebook.grading import regrade as regrade_module
from grader.gradebook.grading.grader_processes import Reply
from grader.lesson.lesson import Course

CAPPED = f"""title = "Homework"
rows = [{{rows = "04.dlogits", points = 12}}, {{rows = "04.in_one_go", points = 12}}]
[defence]
lessons = ["{CROSS}"]
right = 4
policy = "cap"
keep_at_most = 50
"""
QUESTIONS = tuple(DefenceQuestion("by_hand", "dlogits", "number", f"What is it? ({n})", str(n)) for n in range(6))


def test_what_is_written_follows_the_defence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both rows turn right, but the second counts only with the defence; and no longer when that is undone."""
    for part in ("exercises", "solutions"):
        shutil.copytree(Path(part) / CROSS, tmp_path / "course" / part / CROSS)
    course, out, roster = Course(tmp_path / "course"), tmp_path / "grades", tmp_path / "roster.csv"
    roster.write_text("name,email\nada,ada@example.edu\n", encoding="utf-8")
    write_gradebook(out, {"ada": 0}, course.root)
    gradebook = Gradebook(out / GRADEBOOK)
    gradebook.set_assignment(parse_assignment(CAPPED, Path("hw.toml"), list(course.lessons.values())))
    keep_sheet(gradebook, Sheet("K7QFB", "ada", CROSS, "04", "7", QUESTIONS))
    gradebook.close()

    def grade_all(due: Any, *_: Any) -> Iterator[tuple[Any, Reply]]:
        for submission in due:
            lesson = lesson_of(CROSS, row("dlogits"), row("in_one_go"))
            yield submission, Reply(results("ada", lesson, submission_sha256=submission_of("ada").sha256), extras={})

    def run(*arguments: object, typed: str = "") -> str:
        done = CliRunner(env={"GRADE_AUTHOR": "TA"}).invoke(main, [str(each) for each in arguments], input=typed)
        assert done.exit_code == 0, done.output
        return done.output

    def points() -> set[float]:
        (line,) = csv.DictReader((out / "grades.csv").read_text(encoding="utf-8").splitlines())
        report = re.search(r"ada: ([\d.]+) of 24", (out / "ada" / "report.md").read_text(encoding="utf-8"))
        found = json.loads((out / "ada" / "results.json").read_text())["score"]
        return {current(out)["ada"].score, float(line["total"]), float(report[1] if report else -1), found}

    monkeypatch.setattr(regrade_module, "grade_all", grade_all)
    suite = next((course.root / "solutions" / CROSS).glob("test_*.py"))
    suite.write_text(suite.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    here = ("-o", out, "--course", course.root)
    assert "Applied." in run("regrade", "--apply", "--require", "none", *here) and points() == {12}
    run("export", "canvas", out, "--roster", roster)
    entered = run("defence", "--enter", *here, typed="K7QFB 0 1 2 3 4 5\n")
    assert "total 12 → 24 of 24" in entered and points() == {24}
    assert "canvas.csv was exported before: export it again" in entered
    run("undo", 1, "--because", "another student's sheet", *here)
    assert points() == {12}
