"""A required defence through the commands: `regrade --apply`, then the defence is entered, then it is undone."""

from __future__ import annotations

import csv
import json
import re
import shutil
import zipfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from feedback_class import laid_out
from made_gradebook import CROSS, current
from made_results import lesson as lesson_of
from made_results import results, row

from grader.commands.grade import main
from grader.defence.question import DefenceQuestion
from grader.gradebook.assignment.config import parse_assignment
from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.defence_sheets import Sheet, keep_sheet
from grader.gradebook.grading import regrade as regrade_module
from grader.gradebook.grading.grader_processes import Reply
from grader.gradebook.grading.settings import Conditions, Settings
from grader.gradebook.store import StoredVerdict
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import read_roster
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Course
from grader.results import SubmissionResult

CAPPED = f"""title = "Homework"
rows = [{{rows = "04.dlogits", points = 12}}, {{rows = "04.in_one_go", points = 12}}]
[defence]
lessons = ["{CROSS}"]
right = 4
policy = "cap"
keep_at_most = 50
"""
DOWNLOADS = {
    "canvas": {"okaforada_12345_67890_backward.py": "right"},
    "moodle": {"Ada Okafor_123456_assignsubmission_file_/backward.py": "right"},
}
ROSTER = "id,name,email\n0017,Ada Okafor,ada@example.edu\n"
WORKSHEET = (
    "Identifier,Full name,Email address,Grade,Maximum Grade,Last modified (grade),Feedback comments\n"
    "Participant 123456,Ada Okafor,ada@example.edu,,24.00,-,\n"
)
TOTALS = ("total", "Homework", "Grade", "score")
LIVE = {"gradebook", "grades.csv", "results.json", "report.md"}
"""What a decision writes again at once; the rest is exported by another command."""
QUESTIONS = tuple(DefenceQuestion("by_hand", "dlogits", "number", f"What is it? ({n})", str(n)) for n in range(6))


def verdict(submission: Submission, right: int) -> SubmissionResult:
    """Of two rows of one point each, the first `right` are right."""
    rows = [row(name, "passed" if at < right else "failed") for at, name in enumerate(("dlogits", "in_one_go"))]
    return results(submission.student, lesson_of(CROSS, *rows), submission_sha256=submission.sha256, left_out=[])


class Class:
    """A class of one student, downloaded from a platform: of two rows the suite finds `right` right."""

    def __init__(self, platform: str, folder: Path) -> None:
        self.platform, self.folder, self.out, self.right = platform, folder, folder / "grades", 1
        for part in ("exercises", "solutions"):
            shutil.copytree(Path(part) / CROSS, folder / "course" / part / CROSS)
        self.download = laid_out(folder / "download", DOWNLOADS[platform])
        self.roster = folder / "roster.csv"
        self.roster.write_text(WORKSHEET if platform == "moodle" else ROSTER, encoding="utf-8")
        course, self.named = Course(folder / "course"), ("--course", folder / "course")
        lessons = list(course.lessons.values())
        (submission,) = find([self.download], lessons, lessons, read_roster(self.roster))
        self.student = submission.student
        self.out.mkdir()
        gradebook = Gradebook(self.out / GRADEBOOK)
        gradebook.describe({"course": str(course.root), "seed": "drawn"})
        gradebook.set_assignment(parse_assignment(CAPPED, Path("hw.toml"), lessons))
        conditions = Conditions.of(
            lessons, Settings(course=str(course.root), lessons=[CROSS], seed=1, out=str(self.out), program="")
        )
        gradebook.add(StoredVerdict("", verdict(submission, 1), conditions, {}), submission)
        keep_sheet(gradebook, Sheet("K7QFB", self.student, CROSS, "04", "7", QUESTIONS))
        gradebook.close()

    def grade_all(self, due: Iterable[Submission], *_: Any) -> Iterator[tuple[Submission, Reply]]:
        for submission in due:
            yield submission, Reply(verdict(submission, self.right), extras={})

    def regraded(self, right: int) -> str:
        """What `grade regrade --apply` prints, after a change to the suite."""
        suite = next((self.folder / "course" / "solutions" / CROSS).glob("test_*.py"))
        suite.write_text(suite.read_text(encoding="utf-8") + f"\n# {right} are right\n", encoding="utf-8")
        self.right = right
        return self.run("regrade", "--apply", "--require", "none", "-o", self.out, *self.named)

    def run(self, *arguments: object, typed: str = "") -> str:
        done = CliRunner(env={"GRADE_AUTHOR": "TA"}).invoke(main, [str(each) for each in arguments], input=typed)
        assert done.exit_code == 0, done.output
        return done.output

    def export(self) -> None:
        roster = ("--roster", self.roster)
        for platform in ("canvas", "moodle", "mailmerge"):
            self.run("export", platform, self.out, *roster, *(("--max", 24) if platform == "moodle" else ()))
        self.run("feedback", "folder", self.out, *roster)
        self.run("feedback", self.platform, self.out)

    def points(self, names: Collection[str] = ()) -> dict[str, float]:
        """{what was written: the total that it contains}, of these files, or of all."""
        found = {"gradebook": {current(self.out)[self.student].score}}
        found["results.json"] = {json.loads((self.out / self.student / "results.json").read_text())["score"]}
        found["report.md"] = totals_in((self.out / self.student / "report.md").read_text(encoding="utf-8"))
        for path in [*self.out.glob("*.csv"), *self.out.glob("feedback/*.csv")]:
            lines = csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines())
            cells = [
                line[name]
                for line in lines
                for name in TOTALS
                if "Ada" in "".join(map(str, line.values())) and name in line
            ]
            found[str(path.relative_to(self.out))] = set(map(float, cells))
        for path in (self.out / "feedback").rglob("report.md"):
            found["feedback/report.md"] = totals_in(path.read_text(encoding="utf-8"))
        for path in self.out.glob("*-feedback.zip"):
            with zipfile.ZipFile(path) as archive:
                texts = {name: archive.read(name).decode() for name in archive.namelist()}
            of_students = [text for name, text in texts.items() if name.endswith((".md", "backward.py", "101.json"))]
            found[path.name] = set.union(*map(totals_in, of_students))
        return {name: only(each, name) for name, each in found.items() if not names or name in names}


def only(totals: set[float], name: str) -> float:
    assert len(totals) == 1, f"{name}: {totals}"
    return totals.pop()


def totals_in(text: str) -> set[float]:
    """Of a report, or of Gradescope's results, whose score is not the sum of the tests."""
    return {
        float(each)
        for each in re.findall(r"Okafor: ([\d.]+) of 24|^ ?\"score\": ([\d.]+)", text, re.M)
        for each in each
        if each
    }


@pytest.fixture(params=list(DOWNLOADS))
def graded(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Class:
    made = Class(request.param, tmp_path)
    monkeypatch.setattr(regrade_module, "grade_all", made.grade_all)
    return made


@pytest.mark.full
def test_every_export_follows_the_defence(graded: Class) -> None:
    """The second row turns right, but counts only with the defence; and no longer when that is undone."""
    assert "Applied." in graded.regraded(2)
    graded.export()
    before = graded.points()
    assert set(before) > {"gradebook", "grades.csv", "canvas.csv", "moodle.csv", "results.json", "report.md"}
    assert before == dict.fromkeys(before, 12.0)
    entered = graded.run("defence", "--enter", "-o", graded.out, *graded.named, typed="K7QFB 0 1 2 3 4 5\n")
    assert "total 12 → 24 of 24" in entered
    assert graded.points(LIVE) == dict.fromkeys(LIVE, 24.0)
    exported = {name.partition("/")[0] for name in before.keys() - LIVE}
    stale = set(re.findall(r"grade: (\S+) was exported before: export it again", entered))
    assert exported <= stale and all((graded.out / name).exists() for name in stale)
    assert "nothing to do" not in graded.regraded(2)
    graded.export()
    assert graded.points() == dict.fromkeys(before, 24.0)
    graded.run("undo", 1, "--because", "another student's sheet", "-o", graded.out, *graded.named)
    assert graded.points(LIVE) == dict.fromkeys(LIVE, 12.0)
