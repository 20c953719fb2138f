"""The pages that the browser opens: a report of several lessons with everything in it, and a class."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path

from made_results import lesson as part
from made_results import results, row
from support import solution_of

from grader.gradebook.grading.graded import GradedSubmission
from grader.gradebook.grading.session import Session
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.submission import Submission
from grader.lesson.lesson import Lesson
from grader.publish.report.pages import Reporter
from grader.results import SubmissionResult

LESSONS = ("01", "03", "04", "07")
WRONG = {"03": ("dprobs__times_probs",), "07": ("gradients__biased_variance",)}
BY_HAND = {
    "01": """

def dq(dadded):
    return -dadded
""",
    "03": """

def dcounts_sum_inv(dprobs, counts):
    return (counts * dprobs).sum(1)


def dh(dlogits, W2):
    raise NotImplementedError


def dW2(dlogits, h):
    print("dW2 is next")
    return h.T @ dlogit


def dhpreact(dh, h):
    return dh.T
""",
    "04": """

def dlogits(logits, Yb, n):
    return F.softmax(logits, 1) / n
""",
}


MISTAKES = (
    {"id": "sign", "message": "The sign of the `gradient` is flipped."},
    {"id": "n", "message": "There is an n too many."},
)


def source(lesson: Lesson) -> str:
    """The solution with some known mistakes in it, and a few lines of another kind."""
    text = solution_of(lesson)
    named = {f"{mistake.gradient}__{mistake.id}": mistake for mistake in lesson.mistakes}
    for name in WRONG.get(lesson.number, ()):
        text = named[name].applied_to(text)
    return text + BY_HAND.get(lesson.number, "")


def report(session: Session) -> str:
    """report.html of a student with right and wrong steps, to-dos, errors, heat maps and forces."""
    submitted = {
        each.name: LessonFiles(each.name, {"backward.py": source(each).encode()}, f"{each.name}/backward.py")
        for each in session.lessons
    }
    graded = session.grade(Submission("Ada Okafor", Path("ada"), submitted))
    return Reporter(session.lessons).student_pages(graded, {each.name: source(each) for each in session.lessons})[
        "report.html"
    ]


def graphs(lessons: Sequence[Lesson]) -> str:
    """report.html with the widest graphs: right rows, a wrong one, and some that are not written yet."""
    states = ["passed", "passed", "failed"]
    parts = [
        part(
            lesson.name, *(row(item.name, state) for item, state in zip_longest(lesson.items, states, fillvalue="todo"))
        )
        for lesson in lessons
    ]
    return Reporter(lessons).student_pages(GradedSubmission(results("ada", *parts)))["report.html"]


def everyone(lessons: Sequence[Lesson], count: int) -> list[SubmissionResult]:
    """A made-up class: results.json of `count` students, some of whom were rejected, late or never came."""
    draw = random.Random(13)
    first, last = ("Ada", "Bo", "Chen", "Dana", "Emil", "Zoë", "Ímar", "木村"), ("Okafor", "Novák", "Sato", "O’Neill")
    names = [f"{draw.choice(first)} {draw.choice(last)} {number:05}" for number in range(count)]
    return [one(lessons, name, number, draw) for number, name in enumerate(names)]


def one(lessons: Sequence[Lesson], student: str, number: int, draw: random.Random) -> SubmissionResult:
    is_rejected, skill, parts = number % 97 == 5, draw.random(), []
    for lesson in lessons:
        state = "rejected" if is_rejected else "missing" if draw.random() < 0.15 else "graded"
        rows = []
        for item in lesson.items:
            status = "passed" if draw.random() * 1.4 < skill + 0.3 else draw.choice(("failed", "todo", "error"))
            status = status if state == "graded" else "missing"
            mistake = draw.choice(MISTAKES) if status == "failed" else None
            rows.append(row(item.name, status, mistake=mistake))
        message = f"No folder {lesson.name} was submitted." if state == "missing" else None
        parts.append(part(lesson.name, *rows, status=state, message=message))
    whole = {"status": "rejected", "message": f"{student}.zip is no archive."} if is_rejected else {}
    return results(student, *parts, isolation="strong" if number % 50 else "fair", **whole)
