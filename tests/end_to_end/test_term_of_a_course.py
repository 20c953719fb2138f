"""A term: two assignments on a platform's downloads, a bug in a suite, a regrade, and every figure that leaves the kit.

The expected figures are computed here, from the tables in `term_class` and by the rules of docs/assignments.md.
"""

from __future__ import annotations

import csv
import io
import itertools
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
    HAS_TIMES,
    LESSONS,
    MOODLE_MAXIMUM,
    PLATFORMS,
    Student,
    Work,
    class_of,
    column_of,
    download,
    partner_of,
    roster,
    submissions,
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
    comments: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Expected:
    """A student's figures in one assignment. `score` is None for an excused student."""

    score: float | None
    maximum: float
    submitted: bool

    @property
    def share(self) -> float:
        return (self.score or 0) / self.maximum if self.maximum else 0.0


class Arithmetic:
    """The points of a class, from what each student submits."""

    def __init__(self, everybody: Sequence[Student], has_times: bool, decisions: Decisions) -> None:
        self.everybody, self.has_times, self.decisions = everybody, has_times, decisions
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
        if not self.has_times:
            return 100
        more = HOURS_OF_EXTENSION[homework, extended] if extended else 0
        late = hours - more
        if late <= GRACE[homework]:
            return 100
        if hours > max(HARD[homework], more):
            return 0
        return max(KEEP[homework], 100 - PERCENT[homework] * max(0, math.ceil(late / 24) - days))

    def of(self, student: Student) -> tuple[Expected, Expected]:
        """Both assignments, with the free days spent where they help most."""
        second = FREE_DAYS if self.is_second_graded else 0
        ways = [
            (one, two)
            for one, two in itertools.product(range(FREE_DAYS + 1), range(second + 1))
            if one + two <= FREE_DAYS
        ]

        def value(way: tuple[int, int]) -> tuple[float, int, int]:
            shares = [self.points(student, homework, days).share for homework, days in enumerate(way)]
            return round(shares[0] + shares[1] * self.is_second_graded, 9), -sum(way), way[0]

        first, other = max(ways, key=value)
        return self.points(student, 0, first), self.points(student, 1, other)


# A term ---------------------------------------------------------------------------------------------------------------


class Term:
    """One platform's class in a folder, with the commands that an instructor types there."""

    def __init__(self, folder: Path, platform: str, size: int) -> None:
        self.folder, self.platform, self.everybody = folder, platform, class_of(size)
        self.decisions = Decisions()
        self.expected = Arithmetic(self.everybody, HAS_TIMES[platform], self.decisions)
        self.course = folder / "course"
        for lesson in LESSONS:
            for part in ("exercises", "solutions"):
                shutil.copytree(ROOT / part / lesson, self.course / part / lesson)
        self.suite = self.course / "solutions" / LESSONS[0] / "test_cross_entropy.py"
        self.write_suite(FIXED, BROKEN)
        self.roster = folder / "roster.csv"
        self.roster.write_text(roster(platform, self.everybody), encoding="utf-8")

    def write_suite(self, old: str, new: str) -> None:
        text = self.suite.read_text(encoding="utf-8")
        assert old in text and new not in text
        self.suite.write_text(text.replace(old, new), encoding="utf-8")

    def graders(self, *arguments: object) -> tuple[str, str]:
        """A command that grades: (standard output, standard error)."""
        done = run_command("grade", [*arguments, "--course", self.course], self.folder, seconds=600)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout, done.stderr

    def grade(self, *arguments: object) -> tuple[str, str]:
        given = [str(self.folder / each) if each in ("hw1", "hw2") else str(each) for each in arguments]
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
        options = ("--assignment", f"{out}.toml", "--extensions", extensions, "--roster", self.roster, "-o", out)
        return self.graders("run", place, *options)[1]

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
        """Adjustments, an excused row and comments on homework 1, in every section of the class."""
        for start in range(0, len(self.everybody), 12):
            names = [each.name for each in self.everybody[start : start + 12]]
            on_paper = ("--because", "right on paper", "-o", "hw1")
            self.grade("adjust", names[8], "04.dlogits", "--points", 3, *on_paper)
            self.decisions.rows[names[8], "dlogits"] = 3
            self.grade("adjust", names[1], "04.in_one_go", "--points", 4, *on_paper)
            self.decisions.rows[names[1], "in_one_go"] = 4
            self.grade("adjust", names[6], "total", "--points", 5.5, *on_paper)
            self.decisions.totals[names[6]] = 5.5
            self.grade("excuse", names[11], "04.in_one_go", "--because", "not taught in this section", "-o", "hw1")
            self.decisions.excused_rows.add((names[11], "in_one_go"))
            for at in (0, 5):
                self.decisions.comments[names[at]] = f"Well derived, {names[at]}."
                self.grade("comment", names[at], self.decisions.comments[names[at]], "-o", "hw1")

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


def is_figure(text: str, value: float | None) -> bool:
    """Whether a cell has this value, empty for None."""
    return text == "" if value is None else bool(text) and math.isclose(float(text), value, abs_tol=2e-6)


def check_grades(term: Term, homework: int) -> None:
    found = lines_of(term.folder / f"hw{homework + 1}" / "grades.csv", "student")
    assert found.keys() == {each.name for each in term.everybody}
    for name, both in term.figures().items():
        expected, line = both[homework], found[name]
        if expected.score is None:
            assert (line["total"], bool(line["excused"])) == ("", True), (name, line)
        else:
            assert is_figure(line["total"], expected.score), (name, expected, line)
            assert is_figure(line["max"], expected.maximum) or not expected.submitted, (name, expected, line)


def exported(term: Term, homework: int) -> int:
    """Compares every exported figure; returns how many there were."""
    out, whole = f"hw{homework + 1}", sum(WORTH[homework].values())
    place = term.folder / "exports" / out
    place.mkdir(parents=True, exist_ok=True)
    figures, compared = term.figures(), 0

    def scaled(name: str, maximum: float) -> float | None:
        expected = figures[name][homework]
        if not expected.submitted or expected.score is None:
            return None
        return expected.share * maximum

    common = ("--roster", term.roster, "-o")
    if term.platform in ("canvas", "gradescope"):
        options = () if term.platform == "canvas" else ("--max", CANVAS_MAXIMUM)
        named = ("--name", f"total={column_of(homework)}")
        term.grade("export", "canvas", out, *named, *options, *common, place / "canvas.csv")
        lines = lines_of(place / "canvas.csv", "Student")
        assert float(lines.pop("Points Possible")[column_of(homework)]) == CANVAS_MAXIMUM
        for student, line in lines.items():
            name = " ".join(reversed(student.split(", "))) if ", " in student else student
            assert is_figure(line[column_of(homework)], scaled(name, CANVAS_MAXIMUM)), (name, line)
        assert len(lines) == len(term.everybody)
        compared += len(lines)
    else:
        options = () if term.platform == "moodle" else ("--max", MOODLE_MAXIMUM)
        term.grade("export", "moodle", out, *options, *common, place / "moodle.csv")
        lines = lines_of(place / "moodle.csv", "Full name")
        for name, line in lines.items():
            assert is_figure(line["Grade"], scaled(name, MOODLE_MAXIMUM)), (name, line)
        assert len(lines) == len(term.everybody)
        compared += len(lines)
    term.grade("export", "mailmerge", out, *common, place / "mailmerge.csv")
    lines = lines_of(place / "mailmerge.csv", "name")
    assert lines.keys() == {name for name, both in figures.items() if both[homework].submitted}
    for name, line in lines.items():
        expected = figures[name][homework]
        assert is_figure(line["score"], expected.score or 0) and is_figure(line["maximum"], expected.maximum), (
            name,
            expected,
            line,
        )
        comment = term.decisions.comments.get(name) if homework == 0 else None
        assert comment is None or comment in line["summary"]
    return compared + 2 * len(lines) + (whole < 0)


def in_report(text: str, name: str, expected: Expected) -> bool:
    """Whether a report begins with this student's name and figures."""
    found = REPORT.search(text.replace("\\", ""))
    assert found is not None, text[:200]
    if expected.score is None:
        return found[1] == name and found[2] is None
    # reports round to two digits
    close = [abs(float(found[at]) - value) < 0.0051 for at, value in ((2, expected.score), (3, expected.maximum))]
    return found[1] == name and all(close)


def returned(term: Term, homework: int) -> int:
    """Compares every figure in what goes back to students; returns how many there were."""
    out, place = f"hw{homework + 1}", term.folder / "feedback" / f"hw{homework + 1}"
    place.mkdir(parents=True, exist_ok=True)
    figures, source = term.figures(), term.place(homework, latest=homework == 1)
    latest = list(submissions(term.everybody, homework, latest=homework == 1))
    back = ("--roster", term.roster, "--course", term.course, "-o")
    if term.platform == "gradescope":
        _, said = term.grade("feedback", "gradescope", out, source, "--max", 40, *back, place / "g.zip")
        stored = {name: json.loads(text) for name, text in unzipped(place / "g.zip").items() if name.endswith(".json")}
        expected = {}
        for student, _, _, is_second in latest:
            group = [student, *filter(None, [partner_of(student, term.everybody)])]
            points = [figures[each.name][homework] for each in group]
            number = 4000 + 1000 * homework + student.number + (500 if is_second else 0)
            doubt = any(each.score is None for each in points) or len({each.score for each in points}) > 1
            if not doubt:
                expected[f"stored/{number}.json"] = points[0].share * 40
            else:
                assert f"submission_{number} gets no feedback" in said
        assert stored.keys() == expected.keys()
        for name, share in expected.items():
            assert math.isclose(stored[name]["score"], share, abs_tol=2e-6), (name, share, stored[name]["score"])
        return len(stored)
    if term.platform == "classroom50":
        scores = place / "scores-before.json"
        assignments = {f"hw-{homework + 1}": {"type": "individual", "entries": []}}
        text = json.dumps({"schema": "classroom50/scores/v1", "classroom": "ml", "assignments": assignments})
        scores.write_text(text, encoding="utf-8")
        term.grade("feedback", "classroom50", out, source, "--scores", scores, *back, place / "scores.json")
        found = json.loads((place / "scores.json").read_text(encoding="utf-8"))
        entries = {each["owner"]: each["submissions"][0] for each in found["assignments"][f"hw-{homework + 1}"]["entries"]}
        graded = [each for each, *_ in latest if figures[each.name][homework].score is not None]
        assert entries.keys() == {each.login for each in graded}
        for each in graded:
            entry, expected = entries[each.login], figures[each.name][homework]
            # whole numbers, the largest factor is 1000
            assert abs(entry["score"] / entry["max-score"] - expected.share) < 1e-5, (each.name, entry, expected)
        return len(graded)
    term.grade("feedback", term.platform, out, source, *back, place / "back.zip")
    archive = unzipped(place / "back.zip")
    owners = {}
    for name, content in archive.items():
        if name.endswith((".py", ".md")):
            given = name.split("/")[0]
            assert (source / given).exists(), f"{name} is no name of the download"
            text = content.decode().replace("\n# ", "\n")
            owner = next(
                each
                for each, *_ in latest
                if given.startswith(each.squeezed if term.platform == "canvas" else f"{each.name}_")
            )
            assert in_report(text, owner.name, figures[owner.name][homework]), (name, text[:300])
            owners[owner.name] = text
    assert owners.keys() == {each.name for each, *_ in latest}
    compared = len(owners)
    if term.platform == "moodle":
        for name, line in lines_of(place / "moodle-worksheet.csv", "Full name").items():
            expected = figures[name][homework]
            grade = expected.share * MOODLE_MAXIMUM if expected.submitted and expected.score is not None else None
            assert is_figure(line["Grade"], grade), (name, line)
            compared += 1
    return compared


def unzipped(path: Path) -> Mapping[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def printed_changes(text: str) -> dict[str, tuple[float, float]]:
    """{student: (points before, points after)} in what `grade regrade` prints."""
    found = re.findall(r"^(\S.*): ([\d.]+)(?: of [\d.]+)? → ([\d.]+) of [\d.]+ \([+-][\d.]+\)$", text, re.MULTILINE)
    return {name: (float(before), float(after)) for name, before, after in found}


def teach(folder: Path, platform: str, size: int) -> int:
    """The whole term; returns how many figures were compared."""
    term = Term(folder, platform, size)
    term.run(0)
    check_grades(term, 0)
    term.decide()
    check_grades(term, 0)
    term.run(1)
    term.expected.is_second_graded = True
    check_grades(term, 1)
    term.run(1, latest=True)
    term.expected.latest = True
    check_grades(term, 1)
    before = exported(term, 0)

    figures = term.figures()
    term.write_suite(BROKEN, FIXED)
    printed, _ = term.graders("regrade", "-o", "hw1")
    assert "No score has changed yet" in printed
    assert exported(term, 0) == before, "the same figures as before the regrade"
    term.expected.broken = False
    changed = {
        name: (figures[name][0].score or 0, both[0].score or 0)
        for name, both in term.figures().items()
        if both[0].score is not None and not math.isclose(both[0].score, figures[name][0].score or 0)
    }
    assert any(after > was for was, after in changed.values()) and any(after < was for was, after in changed.values())
    shown = printed_changes(printed)
    assert shown.keys() == changed.keys(), printed
    for name, pair in changed.items():
        assert all(math.isclose(*each, abs_tol=1e-5) for each in zip(shown[name], pair, strict=True)), (name, pair)
    assert "stays 4, " in printed and "(adjusted by hand)" in printed
    applied, _ = term.graders("regrade", "-o", "hw1", "--apply")
    assert applied.endswith("Applied.\n")

    for homework in (0, 1):  # at the end of the term, as docs/assignments.md says
        term.run(homework, latest=homework == 1)
        check_grades(term, homework)
    history = term.grade("history", term.everybody[1].name, "-o", "hw1")[0]
    assert "adjusted" in history and "graded again" in history and "right on paper" in history
    return before + sum(exported(term, homework) + returned(term, homework) for homework in (0, 1))


def test_a_term_on_gradescope_with_twelve_students(tmp_path):
    assert teach(tmp_path, "gradescope", 12) > 100


@pytest.mark.slow  # 60 students on each platform, two assignments: minutes
@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_term_with_sixty_students(tmp_path, platform):
    figures = teach(tmp_path, platform, 60)
    print(f"{platform}: {figures} figures are those computed by the test")
    assert figures > 500
