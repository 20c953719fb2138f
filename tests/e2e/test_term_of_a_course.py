"""A term: two assignments on a platform's downloads, a bug in a suite, a regrade, and every figure that leaves the kit.

The expected figures are computed here, from the tables in `term_class` and by the rules of docs/assignments.md.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from shared_nursery import run_command
from support import ROOT
from term_class import (
    CANVAS_MAXIMUM,
    EVERYBODY,
    LESSONS,
    PLATFORMS,
    Student,
    Work,
    column_of,
    download,
    partner_of,
    roster,
    submissions,
    times,
    write_files,
)

from grader.commands.grade import main

DUE = (datetime(2026, 10, 24, 21, 59, tzinfo=UTC), datetime(2026, 11, 20, 22, 59, tzinfo=UTC))
ASSIGNMENTS = (
    """title = "Homework 1"
rows = [{rows = "04.dlogits", points = 6}, {rows = "04.in_one_go", points = 4}]
due = 2026-10-24T23:59:00
timezone = "Europe/Zurich"
grace_minutes = 15
counts = "last"
[late]
percent_per_day = 10
keep_at_least = 60
free_days = 2
term = ["hw1", "hw2"]
""",
    """title = "Homework 2"
rows = ["02", {rows = "02.dh", weight = 2}]
points = 100
due = 2026-11-20T23:59:00
timezone = "Europe/Zurich"
counts = "best"
[late]
percent_per_day = 25
hard_deadline = 2026-11-24T23:59:00
free_days = 2
term = ["hw1", "hw2"]
""",
)
HOURS_OF_EXTENSION = {(0, 1): 25, (0, 2): 49, (1, 1): 24, (1, 2): 48, (1, 3): 72}
"""{(homework, days): hours}: on 25 October summer time ends."""
FREE_DAYS = 2
GRACE, PERCENT, KEEP, HARD = (0.25, 0.0), (10, 25), (60, 0), (math.inf, 96.0)
WORTH = ({"dlogits": 6.0, "in_one_go": 4.0}, {"dh": 600 / 17, "dW2": 100 / 17, "others": 1000 / 17})
BROKEN, FIXED = "if not dlogits.passes(FAR_APART):", "if dlogits.passes(FAR_APART):"
"""The bug: the suite of lesson 04 accepts what is wrong, and rejects what is right."""
REPORT = re.compile(r"# (.+): (?:([\d.]+) of ([\d.]+)|excused)$", re.MULTILINE)


def rows_right(homework: int, file: str, broken: bool) -> set[str]:
    if homework == 1:
        return {"right": {"dh", "dW2", "others"}, "half": {"others"}}[file]
    accepted = {"dlogits": ("right", "steps"), "in_one_go": ("steps",) if broken else ("right",)}
    return {row for row, names in accepted.items() if file in names}


# What must come out ---------------------------------------------------------------------------------------------------


@dataclass
class Decisions:
    """What people decided about the first homework: {student's name: ...}."""

    rows: dict[tuple[str, str], float] = field(default_factory=dict)
    totals: dict[str, float] = field(default_factory=dict)
    excused_rows: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True)
class Expected:
    """A student's figures in one assignment. `score` is None for an excused student."""

    score: float | None
    maximum: float
    submitted: bool

    @property
    def share(self) -> float:
        return (self.score or 0) / self.maximum if self.maximum else 0.0

    def of_maximum(self, maximum: float) -> float | None:
        """The figure in a column with this maximum; None for an empty cell."""
        return self.share * maximum if self.submitted and self.score is not None else None


class Arithmetic:
    """The points of a class, from what each student submits."""

    def __init__(self, everybody: Sequence[Student], decisions: Decisions) -> None:
        self.everybody, self.decisions = everybody, decisions
        self.broken, self.latest, self.is_second_graded = True, False, False

    def attempts(self, student: Student, homework: int) -> list[tuple[str, float]]:
        partner = partner_of(student, self.everybody)
        work = student.homework[homework]
        if not work.attempts and partner is not None:
            work = partner.homework[homework]
        return work.attempts if self.latest else work.attempts[:1]

    def points(self, student: Student, homework: int, days: int) -> Expected:
        """With exactly so many free late days."""
        work: Work = student.homework[homework]
        attempts = self.attempts(student, homework)
        if work.excused:
            return Expected(None, 0, bool(attempts))
        worth = dict(WORTH[homework])
        decided = self.decisions if homework == 0 else Decisions()
        for name, row in decided.excused_rows:
            if name == student.name:
                del worth[row]
        fixed = {row: points for (name, row), points in decided.rows.items() if name == student.name}
        scores = [0.0]
        for file, hours in attempts:
            earned = sum(worth[row] for row in rows_right(homework, file, self.broken) if row in worth.keys() - fixed)
            kept = self.kept(homework, hours, work.extended, days)
            scores.append(earned * kept / 100 + sum(fixed.values()))
        score = max(scores) if homework == 1 else scores[-1]
        return Expected(decided.totals.get(student.name, score), sum(worth.values()), bool(attempts))

    def kept(self, homework: int, hours: float, extended: int, days: int) -> float:
        """The percent of its points that an attempt keeps."""
        more = HOURS_OF_EXTENSION[homework, extended] if extended else 0
        late = hours - more
        if late <= GRACE[homework]:
            return 100
        if hours > max(HARD[homework], more):
            return 0
        return max(KEEP[homework], 100 - PERCENT[homework] * max(0, math.ceil(late / 24) - days))

    def of(self, student: Student) -> tuple[Expected, Expected]:
        """Both assignments: in the order of due dates, each uses the fewest free days that give it the most points."""
        first = self.days_used(student, 0, FREE_DAYS)
        second = self.days_used(student, 1, FREE_DAYS - first) if self.is_second_graded else 0
        return self.points(student, 0, first), self.points(student, 1, second)

    def days_used(self, student: Student, homework: int, left: int) -> int:
        return max(range(left + 1), key=lambda days: (self.points(student, homework, days).share, -days))


# A term ---------------------------------------------------------------------------------------------------------------


class Term:
    """One platform's class in a folder, with the commands that an instructor types there."""

    def __init__(self, folder: Path, platform: str) -> None:
        self.folder, self.platform, self.everybody = folder, platform, EVERYBODY
        self.decisions = Decisions()
        self.expected = Arithmetic(self.everybody, self.decisions)
        self.course = folder / "course"
        for lesson in LESSONS:
            for part in ("exercises", "solutions"):
                shutil.copytree(ROOT / part / lesson, self.course / part / lesson)
        self.suite = self.course / "solutions" / LESSONS[0] / "test_cross_entropy.py"
        self.write_suite(FIXED, BROKEN)
        self.roster = folder / "roster.csv"
        self.roster.write_text(roster(platform, self.everybody), encoding="utf-8")
        self.compared = 0

    def write_suite(self, old: str, new: str) -> None:
        text = self.suite.read_text(encoding="utf-8")
        assert old in text and new not in text
        self.suite.write_text(text.replace(old, new), encoding="utf-8")

    def graders(self, *arguments: object) -> tuple[str, str]:
        """A command that grades: (standard output, standard error)."""
        done = run_command("grade", [*arguments, "--course", self.course], self.folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout, done.stderr

    def grade(self, *arguments: object) -> tuple[str, str]:
        given = [str(self.folder / each) if each in ("hw1", "hw2") else str(each) for each in arguments]
        if given[0] in ("adjust", "comment", "excuse", "extend", "undo"):
            given += ["--course", str(self.course)]
        done = CliRunner(env={"GRADE_AUTHOR": "TA"}).invoke(main, given)
        assert done.exit_code == 0, done.output
        return done.stdout, done.stderr

    def place(self, homework: int, latest: bool) -> Path:
        return self.folder / f"download-{homework + 1}{'-later' if latest else ''}"

    def run(self, homework: int, latest: bool = False) -> str:
        """Grade a download."""
        place, out = self.place(homework, latest), f"hw{homework + 1}"
        write_files(place, download(self.platform, self.everybody, homework, DUE[homework], files(homework), latest))
        (self.folder / f"{out}.toml").write_text(ASSIGNMENTS[homework], encoding="utf-8")
        extensions = self.folder / f"extensions-{homework + 1}.csv"
        extensions.write_text(self.extensions(homework), encoding="utf-8")
        options = ["--assignment", f"{out}.toml", "--extensions", extensions, "--roster", self.roster, "-o", out]
        if self.platform == "canvas":
            file = self.folder / f"{place.name}-times"
            file.write_text(times(self.everybody, homework, DUE[homework], latest), encoding="utf-8")
            options += ["--times", file]
        return self.graders("run", place, "--jobs", 1, *options)[1]

    def extensions(self, homework: int) -> str:
        lines = ["student,until,excused,because"]
        for each in self.everybody:
            work = each.homework[homework]
            if work.excused:
                lines.append(f"{each.name},,yes,certificate seen")
            elif work.extended:
                until = DUE[homework].date().replace(day=DUE[homework].day + work.extended)
                lines.append(f"{each.name},{until},,ill")
        return "\n".join([*lines, ""])

    def decide(self) -> None:
        """Adjustments, an excused row and comments on homework 1."""
        names = [each.name for each in self.everybody]
        on_paper = ("--because", "right on paper", "-o", "hw1")
        for at, row, points in ((8, "dlogits", 3), (1, "in_one_go", 4), (5, "in_one_go", 2)):  # 5: one of a group
            self.grade("adjust", names[at], f"04.{row}", "--points", points, *on_paper)
            self.decisions.rows[names[at], row] = points
        self.grade("adjust", names[6], "total", "--points", 5.5, *on_paper)
        self.decisions.totals[names[6]] = 5.5
        self.grade("excuse", names[11], "04.in_one_go", "--because", "not taught in this section", "-o", "hw1")
        self.decisions.excused_rows.add((names[11], "in_one_go"))

    def compare(self, found: object, expected: float | None, *about: object, within: float = 2e-6) -> None:
        """Asserts that a figure is the expected one; None stands for an empty cell."""
        self.compared += 1
        if expected is None:
            assert found == "", about
        else:
            assert found != "" and abs(float(str(found)) - expected) <= within, (found, expected, *about)

    def compare_report(self, text: str, name: str, homework: int) -> None:
        """Asserts that a report begins with this student's name and figures, which reports round to two digits."""
        expected, found = self.figures()[name][homework], REPORT.search(text)
        assert found is not None and found[1] == name, (name, text[:200])
        if expected.score is None:
            assert found[2] is None, text[:200]
            return
        self.compare(found[2], expected.score, name, text[:200], within=0.0051)
        self.compare(found[3], expected.maximum, name, text[:200], within=0.0051)

    def figures(self) -> dict[str, tuple[Expected, Expected]]:
        return {each.name: self.expected.of(each) for each in self.everybody}


def files(homework: int) -> dict[str, str]:
    """{name in the tables: a student's file}."""
    if homework == 1:
        right = (ROOT / "solutions" / LESSONS[1] / "backward.py").read_text(encoding="utf-8")
        half = right.replace("direct - through_mean - through_variance", "direct - through_mean")
        half = half.replace("h_bn.T @ dlogits", "h_bn.T @ dlogits * 2")
        assert half.count("* 2") == right.count("* 2") + 1 and "through_mean -" not in half
        return {"right": right, "half": half}
    start = "import torch\nimport torch.nn.functional as F\n\n\ndef dlogits(logits, Yb, n):\n"
    steps = """    counts = logits.exp()
    total = counts.sum(1, keepdim=True)
    probs = counts / total
    dprobs = torch.zeros_like(probs)
    dprobs[torch.arange(n), Yb] = -1 / n / probs[torch.arange(n), Yb]
    dtotal = -(dprobs * counts / total**2).sum(1, keepdim=True)
    return (dprobs / total + dtotal) * counts
"""
    right = """    gradient = F.softmax(logits, 1)
    gradient[torch.arange(n), Yb] -= 1
    return gradient / n
"""
    return {
        "right": start + right,
        "steps": start + steps,
        "wrong": start + right.replace("gradient / n", "gradient"),
        "stub": start + "    raise NotImplementedError\n",
    }


# What the files say ---------------------------------------------------------------------------------------------------


def lines_of(path: Path, key: str) -> dict[str, dict[str, str]]:
    text = path.read_text(encoding="utf-8-sig")
    return {line[key].strip(): line for line in csv.DictReader(io.StringIO(text))}


def check_grades(term: Term, homework: int) -> None:
    found = lines_of(term.folder / f"hw{homework + 1}" / "grades.csv", "student")
    assert found.keys() == {each.name for each in term.everybody}
    for name, both in term.figures().items():
        expected, line = both[homework], found[name]
        term.compare(line["total"], expected.score, name, line)
        if expected.score is None:
            assert line["excused"].endswith("certificate seen")
        else:
            term.compare(line["max"], expected.maximum, name, line)
        assert line["handed_in"] == ("yes" if expected.submitted or expected.score is None else "no"), line


def check_pages(term: Term) -> None:
    """Compares grades.csv and reports of both assignments: a day used in one changes the pages of the other."""
    for homework in (0, 1):
        check_grades(term, homework)
        for name, both in term.figures().items():
            report = term.folder / f"hw{homework + 1}" / name / "report.md"
            if both[homework].submitted:
                term.compare_report(report.read_text(encoding="utf-8"), name, homework)


def check_times(term: Term, homework: int) -> None:
    """Every time is known; where the platform does not say it, the report names the file that does."""
    out, latest = term.folder / f"hw{homework + 1}", homework == 1
    lines = lines_of(out / "grades.csv", "student")
    for student, _, hours, _ in submissions(term.everybody, homework, latest):
        if student.homework[homework].excused:
            continue
        report = (out / student.name / "report.md").read_text(encoding="utf-8")
        assert lines[student.name]["late_days"].isdigit() and "not known" not in report
        assert ("-times, " in report) == (term.platform == "canvas"), report[:400]
        marked = json.loads((out / student.name / "results.json").read_text(encoding="utf-8"))["message"] or ""
        if student.homework[homework].again is None:  # else the message is that of the attempt that counts
            assert ("Canvas marks it as late." in marked) == (term.platform == "canvas" and hours > 0)


def check_import(term: Term, homework: int) -> None:
    """Compares every figure in what Canvas would import."""
    column, place, figures = column_of(homework), term.folder / f"exported-{homework + 1}.csv", term.figures()
    maximum = ["--max", str(CANVAS_MAXIMUM)] if term.platform == "gradescope" else []  # whose roster has none
    names = ["--name", f"total={column}", *maximum]
    term.grade("export", "canvas", f"hw{homework + 1}", *names, "--roster", term.roster, "-o", place)
    lines = lines_of(place, "Student")
    term.compare(lines.pop("Points Possible")[column], CANVAS_MAXIMUM, "Points Possible")
    assert len(lines) == len(term.everybody)
    for student, line in lines.items():
        name = " ".join(reversed(student.split(", ")))
        term.compare(line[column], figures[name][homework].of_maximum(CANVAS_MAXIMUM), name, line)


def check_feedback(term: Term, homework: int) -> None:
    """Compares every figure in what goes back to students through Canvas; Gradescope's autograder reports by itself."""
    if term.platform == "gradescope":
        return
    latest, place = homework == 1, term.folder / f"feedback-{homework + 1}.zip"
    submitted = {student.squeezed: student for student, *_ in submissions(term.everybody, homework, latest)}
    said = term.grade("feedback", "canvas", f"hw{homework + 1}", "-o", place)[1]
    for each in term.everybody:
        if each.group and each.squeezed not in submitted:
            assert f"`{each.name}` gets no feedback here" in said
    archive = unzipped(place)
    assert sorted(submitted) == sorted(name.split("_")[0] for name in archive)
    for name, data in archive.items():
        assert (term.place(homework, latest) / name).exists(), f"{name} is no name of the download"
        text = data.decode().replace("\n# ", "\n")  # Canvas returns Python: comments
        term.compare_report(text, submitted[name.split("_")[0]].name, homework)


def unzipped(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def printed_changes(text: str) -> dict[str, tuple[float, float]]:
    """{student: (points before, points after)} in what `grade regrade` prints."""
    found = re.findall(r"^(\S.*): ([\d.]+)(?: of [\d.]+)? → ([\d.]+) of [\d.]+ \([+-][\d.]+\)$", text, re.MULTILINE)
    return {name: (float(before), float(after)) for name, before, after in found}


def check_changes(term: Term, printed: str, before: Mapping[str, tuple[Expected, Expected]]) -> None:
    """Compares the diff that `grade regrade` has printed."""
    after = {name: both[0].score for name, both in term.figures().items() if both[0].score is not None}
    changed = {name: (before[name][0].score or 0, score) for name, score in after.items()}
    changed = {name: pair for name, pair in changed.items() if not math.isclose(*pair)}
    assert {score > earlier for earlier, score in changed.values()} == {True, False}, "some rise, some fall"
    shown = printed_changes(printed)
    assert shown.keys() == changed.keys(), printed
    for name, pair in changed.items():
        for found, expected in zip(shown[name], pair, strict=True):
            term.compare(found, expected, name, within=1e-4)
    rises = sum(score > earlier for earlier, score in changed.values())
    total = f"{len(changed)} of {len(term.everybody) - 1} scores change"  # one student submits nothing
    assert f"{total}: {rises} rise, {len(changed) - rises} fall." in printed
    assert "stays 4, " in printed and "(adjusted by hand)" in printed


@pytest.mark.full
@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_term(tmp_path, platform):
    term = Term(tmp_path, platform)
    term.run(0)
    check_grades(term, 0)
    term.decide()
    check_grades(term, 0)
    term.run(1)
    term.expected.is_second_graded = True
    check_pages(term)
    term.run(1, latest=True)
    term.expected.latest = True
    check_pages(term)

    before = term.figures()
    term.write_suite(BROKEN, FIXED)
    printed, _ = term.graders("regrade", "-o", "hw1")
    assert "No score has changed yet" in printed
    check_import(term, 0)
    term.expected.broken = False
    check_changes(term, printed, before)
    applied, _ = term.graders("regrade", "-o", "hw1", "--apply")
    assert applied.endswith("Applied.\n")
    check_pages(term)
    for homework in (0, 1):
        for check in (check_times, check_import, check_feedback):
            check(term, homework)
    history = term.grade("history", term.everybody[1].name, "-o", "hw1")[0]
    assert "adjusted" in history and "graded again" in history and "right on paper" in history
    assert term.compared > 240
