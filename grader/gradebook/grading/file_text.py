"""What the text of a submitted file says, whatever its functions do when they run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from grader.gradebook.grading import numerical
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.sandbox.policy.numerical import Observation
from grader.source.reader import ReadingFailed, ReadingStopped


@dataclass(frozen=True)
class FileText:
    """`numerical` are differentiations by finite differences. A remark says that the text could not be read for them;
    such a file is graded all the same.
    """

    numerical: Sequence[Observation]
    numerical_remark: str | None


def text_of_file(lesson: Lesson, submitted: LessonFiles) -> FileText:
    try:
        return FileText(numerical.observations(lesson, submitted), None)
    except (ReadingStopped, ReadingFailed) as reason:  # the verdicts do not depend on this reading
        return FileText([], f"{submitted.shown} could not be read for numerical differentiation: {reason}.")
