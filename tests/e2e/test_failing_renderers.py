"""Fourteen kinds of submissions under six assignments; every renderer fails once for each student, one at a time.

`grade run` grades each class once. Then the pages are written again by a decision about somebody else.
"""

from __future__ import annotations

import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from failing_renderers import RENDERERS, failing, files_in, of_others
from made_gradebook import grade
from shared_nursery import run_grade
from support import CORPUS, ROOT, solution_of

from grader.gradebook.database import GRADEBOOK, Gradebook
from grader.gradebook.files import DERIVED
from grader.gradebook.guarded import NO_REPORT
from grader.lesson.lesson import Course
from grader.source.unparsed import LFS_POINTER

pytestmark = pytest.mark.slow

DUE = 'due = 2026-11-20T23:59:00\ntimezone = "Europe/Zurich"\n'
ASSIGNMENTS = {
    "none": "",
    "a lesson": 'rows = ["07"]\n',
    "questions alone": 'rows = ["07.q:*", "03.q:*"]\n',
    "with a due date": f'rows = ["03", {{rows = "03.q:*", points = 10}}]\n{DUE}[late]\npercent_per_day = 20\n',
    "one row": 'rows = ["03.dlogits"]\n',
    "two lessons": f'rows = ["03", "07"]\n{DUE}counts = "best"\n',
}
ANSWERS = 'lesson = "{}"\n[answers]\nshape_of_sum = "(3, 1)"\n'
LATE, EXCUSED, RENAMED, BYSTANDER = "late", "excused", "Dee Renamed", "right"


def write_class(place: Path, course: Course) -> None:
    """The submissions, roster.csv and times.csv."""
    right = {lesson.name: solution_of(lesson) for lesson in map(course.find, ("03", "07"))}
    stub = {name: (ROOT / "exercises" / name / "backward.py").read_text(encoding="utf-8") for name in right}

    def changed(edit: Callable[[str], str]) -> dict[str, str]:
        return {name: edit(text) for name, text in right.items()}

    kinds = {
        BYSTANDER: right,
        "wrong": changed(lambda text: text.replace("    return ", "    return 2 * ").replace("2 * losses", "losses")),
        "stub": stub,
        "unreadable": changed(lambda text: "def (:\n" + text),
        "empty": {},
        "lfs": changed(lambda text: f"{LFS_POINTER}v1\noid sha256:{'0' * 64}\nsize 12345\n"),
        LATE: right,
        EXCUSED: right,
        "s1234": right,
        "loud": changed(lambda text: "print('spam ' * 100_000)\n" + text),
        "curve": changed(
            lambda text: text.replace("    return losses\n", "    losses[1] = 1e300\n    return losses\n")
        ),
        "zipped": right,
    }
    for student, texts in kinds.items():
        (place / "class" / student).mkdir(parents=True)
        for name, text in texts.items():
            (place / "class" / student / name).mkdir()
            (place / "class" / student / name / "backward.py").write_text(text, encoding="utf-8")
    with zipfile.ZipFile(place / "class" / "zipped.zip", "w") as archive:
        for path in (place / "class" / "zipped").rglob("*.py"):
            archive.write(path, path.relative_to(place / "class"))
    shutil.rmtree(place / "class" / "zipped")
    (place / "class" / "notebook").mkdir()
    shutil.copy(CORPUS / "notebooks" / "jupyter_a_cell_each.ipynb", place / "class" / "notebook")
    for name in right:
        folder = place / "class" / "answers" / name
        folder.mkdir(parents=True)
        (folder / "answers.toml").write_text(ANSWERS.format(name[:2]), encoding="utf-8")
    students = [path.stem for path in sorted((place / "class").iterdir())]
    assert len(students) == 14
    times = [f"{each},2026-11-{22 if each == LATE else 20} 12:00" for each in students]
    (place / "times.csv").write_text("\n".join(["name,submitted", *times]), encoding="utf-8")
    roster = [f"{each},{RENAMED if each == 's1234' else each}" for each in students]
    (place / "roster.csv").write_text("\n".join(["id,name", *roster]), encoding="utf-8")


@pytest.fixture(scope="module", params=ASSIGNMENTS)
def graded(request, tmp_path_factory, course) -> Iterator[tuple[Path, dict[str, bytes], list[str]]]:
    """(OUT, its files when everything is written again, the students)"""
    place = tmp_path_factory.mktemp("failing")
    write_class(place, course)
    options = ["class", "-o", "grades", "--seed", 1, "--format", "gradescope", "--format", "junit"]
    if text := ASSIGNMENTS[request.param]:
        (place / "hw.toml").write_text(f'title = "Homework"\n{text}', encoding="utf-8")
        options += ["--assignment", "hw.toml", *(["--times", "times.csv"] if "due" in text else [])]
    else:
        options += ["--lesson", "03", "--lesson", "07"]
    for more in ((), ("--roster", "roster.csv")):
        done = run_grade(*options, *more, cwd=place)
        assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
        assert "fault of the grader" not in done.stderr
    out = place / "grades"
    excused = grade("excuse", EXCUSED, "--because", "ill", "-o", out)
    assert excused.exit_code == 0, excused.output
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        students = gradebook.students()
    assert len(students) == 14 and RENAMED in students
    yield out, written_again(out, students)[1], students


def written_again(out: Path, stale: list[str]) -> tuple[str, dict[str, bytes]]:
    """(what a decision prints, all files)"""
    with closing(Gradebook(out / GRADEBOOK)) as gradebook:
        gradebook.mark_stale(stale)
    for path in (out / student / name for student in stale for name in DERIVED if (out / student).is_dir()):
        path.touch()  # it is written again where it is there
    done = grade("adjust", BYSTANDER, "total", "--points", 1, "--because", "seen", "-o", out)
    assert (done.exit_code, done.exception) == (0, None), done.output
    return done.output, {name: without_clock(text) for name, text in files_in(out).items()}


def without_clock(text: bytes) -> bytes:
    return re.sub(rb'timestamp="[^"]*"|"made": ?"[^"]*"|"before": ?[\d.]+|before, it was [\d.]+', b"", text)


@pytest.mark.parametrize("renderer", RENDERERS)
def test_one_renderer_fails_for_one_student_after_the_other(renderer, graded):
    out, sound, students = graded
    earlier = list[str]()  # whose files the next command makes whole again
    for student in students:
        with failing(renderer, student, once=True) as raised:
            output, files = written_again(out, [student, *earlier])
        assert of_others(files, student) == of_others(sound, student), student
        if NO_REPORT.encode() in files.get(f"{student}/report.html", b""):
            assert raised and f"report of {student} could not be made: a fault of the grader" in output
            assert files[f"{student}/results.json"] == sound[f"{student}/results.json"]
        earlier = [student]
    _, files = written_again(out, earlier)
    assert [name for name in sound if files[name] != sound[name]] == []
