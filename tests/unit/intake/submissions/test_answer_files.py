"""Where answers.toml may be in a submission."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.gradebook.grading.question_rows import question_rows
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.finding import find
from grader.intake.submissions.roster import read_roster
from grader.intake.submissions.submission import Submission, read_submission
from grader.lesson.lesson import Lesson
from grader.questions.question import pose_question, questions_of, seed_of

ANSWERS = 'lesson = "03"\nstudent = "ada"\n[answers]\nboost = "-10"\n'


@pytest.mark.parametrize(
    ("place", "alone", "found"),
    [
        ("03_makemore_steps/answers.toml", False, "03_makemore_steps/answers.toml"),
        ("exercises/03_makemore_steps/answers (1).toml", False, "exercises/03_makemore_steps/answers (1).toml"),
        ("answers-2.toml", False, "answers-2.toml"),
        ("answers.toml", True, "answers.toml"),
        ("notes.toml", True, None),
    ],
)
def test_places(tmp_path: Path, lessons, place: str, alone: bool, found: str | None) -> None:
    wanted = [lessons["03_makemore_steps"]] if alone else list(lessons.values())
    file = tmp_path / "ada" / place
    file.parent.mkdir(parents=True)
    file.write_text(ANSWERS)
    (file.parent / "backward.py").write_text("def dh():\n    pass\n")
    packed = Path(shutil.make_archive(str(tmp_path / "ada"), "zip", tmp_path / "ada"))
    for submission in (tmp_path / "ada", packed):
        read = read_submission(Arrival("ada", submission), wanted)
        answers = {name: each.answers_shown for name, each in read.lessons.items() if each.answers is not None}
        assert answers == ({"03_makemore_steps": found} if found else {})
        assert not [remark for remark in read.remarks if remark.kind == "answers"]


def test_remarks(tmp_path: Path, lessons) -> None:
    place = tmp_path / "03_makemore_steps"
    place.mkdir()
    (place / "answers.toml").write_text(ANSWERS)
    read = read_submission(Arrival("grace", tmp_path), [lessons["03_makemore_steps"]])
    assert [remark.message for remark in read.remarks] == [
        "03_makemore_steps/answers.toml was written for `ada`, which is not known as a name, id or address of this "
        "student: the questions have the values of `grace`. If it is one, add it to the roster."
    ]
    assert not read.lessons["03_makemore_steps"].nothing
    (place / "answers.toml").write_bytes(b"#" * 300_000)
    read = read_submission(Arrival("grace", tmp_path), [lessons["03_makemore_steps"]])
    assert [(each.kind, each.message) for each in read.remarks] == [
        ("unread", "answers.toml has more than 200,000 bytes, the most that is read.")
    ]


CLASS = """name,id,email,submission,group
Ada Okafor,1001,ada@uni.example,okaforgit,
Ben Lind,1002,ben@uni.example,lindgit,
Cleo Wei,1003,cleo@uni.example,weigit,
Dana Haddad,1004,dana@uni.example,dana,two
Emil Novak,1005,emil@uni.example,emil,two
"""


def texts_of_questions(tmp_path: Path, lesson: Lesson, name: str) -> dict[str, list[str]]:
    """{student: the questions as that student is judged} where all of a class submit the same answers.toml."""
    (tmp_path / "roster.csv").write_text(CLASS)
    answers = f'student = "{name}"\n[answers]\n' + "".join(f"{each} = 1\n" for each in questions_of(lesson))
    for folder in ("Ada Okafor", "Ben Lind", "weigit", "dana"):
        place = tmp_path / "class" / folder / lesson.name
        place.mkdir(parents=True)
        (place / "answers.toml").write_text(answers)
    found = find([tmp_path / "class"], [lesson], [lesson], read_roster(tmp_path / "roster.csv"))
    return {each.student: texts_of(lesson, each) for each in found}


def texts_of(lesson: Lesson, submission: Submission) -> list[str]:
    rows, _ = question_rows(lesson, submission.lessons[lesson.name], submission.student, lambda line, inputs: "not run")
    return [row.answer.question for row in rows if row.answer]


def drawn_for(lesson: Lesson, name: str) -> list[str]:
    return [pose_question(each, seed_of(lesson, name)).text for each in questions_of(lesson).values()]


@pytest.mark.parametrize(
    ("name", "whose"),
    [
        ("Ada Okafor Ben Lind Cleo Wei", set()),
        ("\u0410da Okafor", set()),
        ("...", set()),
        ("ADA_OKAFOR", {"Ada Okafor"}),
        ("Ada@Uni.example", {"Ada Okafor"}),
        ("Dana Haddad", {"Dana Haddad", "Emil Novak"}),  # members of one group
    ],
)
def test_a_name_in_a_file_counts_for_whom_the_roster_says_alone(tmp_path: Path, lessons, name, whose) -> None:
    """Everybody submits the file with this name; all others have questions of their own."""
    lesson = lessons["03_makemore_steps"]
    found = texts_of_questions(tmp_path, lesson, name)
    assert len(found) >= 4 and whose <= found.keys()
    for student, texts in found.items():
        assert texts == drawn_for(lesson, name if student in whose else student), student
