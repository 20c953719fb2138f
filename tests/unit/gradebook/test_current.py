"""The class is everybody in the gradebook, with the current result of each lesson; what failed has no score anywhere.

`ran` plays the grading: see tests/helpers/played_grading.py.
"""

from __future__ import annotations

import csv
import itertools
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_gradebook import grades_of
from played_grading import CROSS, NORM, STEPS, submitted

from grader.commands.grade import main
from grader.gradebook.files import DERIVED, STUDENT_FILES, OutputError
from grader.lesson.lesson import Course

RIGHT = "Everything is right"


def points(out: Path, *columns: str) -> dict[str, tuple[str, ...]]:
    return {student: tuple(line[name] for name in columns) for student, line in grades_of(out).items()}


def exported(out: Path, roster: Path) -> tuple[dict[str, str], str]:
    """({name: the column Grade}, what the command says) of `grade export moodle`."""
    done = CliRunner().invoke(main, ["export", "moodle", str(out), "--roster", str(roster)])
    assert done.exit_code == 0, done.output
    with open(out / "moodle.csv", newline="", encoding="utf-8") as file:
        return {line["Full name"]: line["Grade"] for line in csv.DictReader(file)}, done.stdout + done.stderr


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


@pytest.fixture
def roster(tmp_path: Path) -> Path:
    path = tmp_path / "roster.csv"
    path.write_text("id,name\n1,ada\n2,bo\n3,cy\n")
    return path


# What failed has no score ---------------------------------------------------------------------------------------------


def test_after_a_failed_regrade_no_view_shows_the_old_score(ran, out, roster):
    """Issue 17: 31 students kept the scores of the run before, and reports said "Everything is right"."""
    class_ = [submitted(name, STEPS) for name in ("ada", "bo", "cy")]
    ran(class_)
    for name in DERIVED:
        (out / "ada" / name).write_text("3 of 3")
    (out / "ada" / "notes of the TA.txt").write_text("she was ill")
    outcome, *_ = ran(class_, fresh=True, faults={"ada", "cy"})
    assert outcome.faults == 2
    assert points(out, STEPS, "total", "percent") == {
        "ada": ("", "", ""), "bo": ("3", "3", "100"), "cy": ("", "", ""),
    }  # fmt: skip
    marks, said = exported(out, roster)
    assert marks == {"ada": "", "bo": "3", "cy": ""}
    assert "2 could not be graded in the last run" in said and "ada, cy" in said and "1 of 3 students have" in said
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "2 could not be graded in the last run" in page and '<tr><th scope="row">ada</th>' in page
    for name in ("report.md", "report.html"):
        text = (out / "ada" / name).read_text(encoding="utf-8")
        assert RIGHT not in text and "no earlier score counts" in text and "could not be graded" in text
        assert "dprobs" not in text, "a fault may quote the hidden suite"
    remaining = {path.name for path in (out / "ada").iterdir()}
    assert remaining == {"report.md", "report.html", "notes of the TA.txt"}
    assert RIGHT in (out / "bo" / "report.md").read_text()

    # the same command again grades what failed, and everything is there again
    outcome, graded, _ = ran(class_)
    assert (graded, outcome.faults) == (["ada", "cy"], 0)
    assert exported(out, roster)[0] == {"ada": "3", "bo": "3", "cy": "3"}
    assert "What is missing" not in (out / "index.html").read_text(encoding="utf-8")
    assert {path.name for path in (out / "ada").iterdir()} == {*STUDENT_FILES, "notes of the TA.txt"}


def test_a_failed_run_of_one_lesson_leaves_the_others(ran, out, roster):
    ada = submitted("ada", STEPS, NORM)
    ran([ada], (STEPS,))
    ran([ada], (NORM,), faults={"ada"})
    assert points(out, STEPS, "total", "max")["ada"][:2] == ("3", "")
    assert exported(out, roster)[0]["ada"] == "", "no total while a part of it is not known"
    assert "no earlier score counts" in (out / "ada" / "report.md").read_text()
    ran([ada], (NORM,))
    assert json.loads((out / "ada" / "results.json").read_text())["score"] == 6
    assert points(out, STEPS, NORM, "total", "max")["ada"] == ("3", "3", "6", "6")


# A run adds to the gradebook ------------------------------------------------------------------------------------------


def test_one_student_graded_into_the_class_s_folder(ran, out):
    ran([submitted(name, STEPS) for name in ("ada", "bo", "cy")])
    outcome, graded, _ = ran([submitted("bo", STEPS, source="new")], points=2)
    assert (graded, len(outcome.results), outcome.class_size) == (["bo"], 1, 3)
    assert points(out, "total") == {"ada": ("3",), "bo": ("2",), "cy": ("3",)}
    page = (out / "index.html").read_text(encoding="utf-8")
    assert all(f'<a href="{name}/report.html">' in page for name in ("ada", "bo", "cy"))
    assert "2 of 3 students were not in the last run" in page


def test_only_these_shows_the_run_alone_and_the_book_keeps_the_class(ran, out, roster):
    ran([submitted(name, STEPS) for name in ("ada", "bo", "cy")])
    ran([submitted("bo", STEPS, source="new")], points=2, only_these=True)
    assert points(out, "total") == {"bo": ("2",)}
    assert exported(out, roster)[0] == {"ada": "3", "bo": "2", "cy": "3"}
    ran([submitted("bo", STEPS, source="new")])
    assert set(grades_of(out)) == {"ada", "bo", "cy"}


def test_a_report_has_every_lesson_also_when_one_of_them_is_run_again(ran, out):
    ran([submitted("ada", STEPS, CROSS)], (STEPS, CROSS))
    (out / "ada" / "junit.xml").write_text("6 of 6")
    again = submitted("ada", STEPS, CROSS, source="new")
    ran([again], (STEPS,), points=0)
    assert points(out, STEPS, CROSS, "total")["ada"] == ("0", "3", "3"), "the newest counts"
    assert not (out / "ada" / "junit.xml").exists(), "it was the earlier run's"
    text = (out / "ada" / "report.md").read_text(encoding="utf-8")
    assert text.startswith("# ada: 3 of 6\n") and "makemore" in text
    (out / "ada" / "report.md").unlink()
    assert ran([again], (STEPS,), points=0).graded == [], "nothing is graded again for a report"
    assert (out / "ada" / "report.md").read_text(encoding="utf-8") == text


def test_a_newer_submission_without_a_lesson_keeps_what_was_submitted_before(ran, out):
    """The second week's download: one student has both weeks in it, so both lessons count for everybody."""
    ran([submitted("ada", STEPS), submitted("bo", STEPS)])
    ran([submitted("ada", CROSS), submitted("bo", STEPS, CROSS)], (STEPS, CROSS), points=2)
    assert points(out, STEPS, CROSS, "total", "max") == {
        "ada": ("3", "2", "5", "6"), "bo": ("2", "2", "4", "6"),
    }  # fmt: skip


@pytest.mark.full
def test_a_roster_s_name_takes_the_place_of_the_folder_s(ran, out):
    names = {"Ada Okafor": ("ada",), "Bo Li": ("bo",), "Cy": ("cy",)}
    ran([submitted(name, STEPS, source=name) for name in ("ada", "bo", "cy", "di")])
    ran([submitted("cy", STEPS, CROSS, source="cy")], (CROSS,))
    renamed = [("Ada Okafor", "ada"), ("Bo Li", "another"), ("Cy", "cy")]
    ran([submitted(name, STEPS, source=source) for name, source in renamed], other_names=names)
    assert set(grades_of(out)) == {
        "Ada Okafor",  # and no `ada`
        "bo", "Bo Li",  # another submission: perhaps another person
        "Cy",  # with the lesson that was graded as `cy`
        "di",
    }  # fmt: skip
    assert points(out, STEPS, CROSS)["Cy"] == ("3", "3")
    assert {path.name for path in out.iterdir() if path.is_dir()} == {"Ada Okafor", "bo", "Bo Li", "Cy", "di"}
    ran([submitted("ada", STEPS, source="later")])
    assert {"ada", "Ada Okafor"} < set(grades_of(out))


# Whose folder it is ---------------------------------------------------------------------------------------------------


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def copied(course: Course, place: Path, *names: str) -> Course:
    """Another folder with the same lessons."""
    for name, part in itertools.product(names, ("exercises", "solutions")):
        shutil.copytree(course.root / part / name, place / part / name, ignore=shutil.ignore_patterns("__pycache__"))
    return Course(place)


def test_another_course_is_refused_before_anything_is_written(ran, out, course, tmp_path):
    ran([submitted("ada", STEPS)])
    other = copied(course, tmp_path / "other", STEPS)
    assert ran([submitted("ada", STEPS)], course=other).outcome.faults == 0, "the same lessons in another place"
    (other.root / "exercises" / STEPS / "README.md").write_text("another year's")
    ran([submitted("ada", STEPS)])  # the book belongs to the first course again
    before = everything(out)
    with pytest.raises(OutputError, match=rf"{out} holds the results of another course, .*Nothing was written.* -o"):
        ran([submitted("bo", STEPS)], course=Course(other.root))
    assert everything(out) == before


@pytest.mark.parametrize(("first", "second", "says"), [(None, 7, "leave out --seed"), (7, 8, "add --seed 7")])
def test_other_seeds_are_refused(ran, out, first, second, says):
    policies = [{"seed": seed or 1, "seed_given": seed is not None} for seed in (first, second)]
    ran([submitted("ada", STEPS)], **policies[0])
    before = everything(out)
    with pytest.raises(OutputError, match=rf"graded with other hidden problems.*: {says}. Nothing was written"):
        ran([submitted("ada", STEPS)], fresh=True, **policies[1])
    assert everything(out) == before


def test_drawn_seeds_are_one_policy_and_a_lesson_that_changed_is_the_same_course(ran, out, course, tmp_path):
    own = copied(course, tmp_path / "own", STEPS)
    ran([submitted("ada", STEPS)], course=own, seed=1)
    (own.root / "exercises" / STEPS / "README.md").write_text("better")
    assert ran([submitted("ada", STEPS)], course=Course(own.root), seed=2).outcome.faults == 0
