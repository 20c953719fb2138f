"""Which known mistakes of a function that returns all gradients can be the cause of a check's wrong results."""

from __future__ import annotations

from grader.lesson.lesson import Item, Lesson
from grader.lesson.mistakes import Mistake
from grader.reference.course_formulas import LocalStudent
from grader.verdict.judge.gradient import GradientCheck
from grader.verdict.judge.problems import ProblemBook
from grader.verdict.judge.runner import StepRunner


def is_possible(lesson: Lesson, item: Item, student: StepRunner, book: ProblemBook, mistake: Mistake) -> bool:
    """Whether the file can have a mistake: one of the joint function that makes gradients wrong needs wrong ones.

    A training run can come out the same: where every gradient is clipped, a constant factor has no effect.
    """
    joint = lesson.joint
    if joint is None or mistake.gradient != joint.name or item.function == joint.name:
        return True

    def leaves_gradients_right() -> bool:
        names = [gradient.name for gradient in lesson.gradients]
        return gradients_are_right(lesson, LocalStudent(vars(lesson.wrong(mistake)), names, joint), book)

    named = (lesson.name, mistake.name, "leaves gradients right")
    return not gradients_are_right(lesson, student, book) or bool(book.value(named, leaves_gradients_right))


def gradients_are_right(lesson: Lesson, student: StepRunner, book: ProblemBook) -> bool:
    checks = (GradientCheck(lesson, item, student, book, naming=False) for item in lesson.gradients)
    return all(check.passes(lesson.draws) for check in checks)
