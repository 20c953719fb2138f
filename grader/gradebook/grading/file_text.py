"""What the text of a submitted file says, whatever its functions do when they run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.gradebook.grading import numerical
from grader.gradebook.grading.numerical import LONG_FILE
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.sandbox.policy.names import may_hold_acts
from grader.sandbox.policy.numerical import Observation
from grader.sandbox.policy.reading import static_findings
from grader.sandbox.policy.static_check import Finding
from grader.source.reader import ReadingFailed, ReadingStopped


@dataclass(frozen=True)
class FileText:
    """What the text of a submission says. What the sandbox stops anyway is read too, because the text can name it.

    `not_allowed` is {step: what it uses that is not allowed}; `numerical` are differentiations by finite differences.
    A remark says that the text could not be read for that; such a file is graded all the same.
    """

    not_allowed: Mapping[str, Finding]
    remark: str | None
    numerical: Sequence[Observation]
    numerical_remark: str | None


def text_of_file(lesson: Lesson, submitted: LessonFiles) -> FileText:
    return FileText(*read_for_acts(lesson, submitted), *read_for_differences(lesson, submitted))


def read_for_acts(lesson: Lesson, submitted: LessonFiles) -> tuple[dict[str, Finding], str | None]:
    sources = submitted.files.values()
    if not any(len(source) > LONG_FILE or may_hold_acts(source) for source in sources):
        return {}, None
    neighbours = {name: source for name, source in submitted.files.items() if name != BACKWARD_FILE}
    try:
        found = static_findings(submitted.files[BACKWARD_FILE], BACKWARD_FILE, lesson.functions, neighbours)
    except ReadingStopped as reason:
        return {}, f"{submitted.shown} could not be read before it was run: {reason}. It was graded all the same."
    return {finding.step: finding for finding in reversed(found)}, None


def read_for_differences(lesson: Lesson, submitted: LessonFiles) -> tuple[list[Observation], str | None]:
    try:
        return numerical.observations(lesson, submitted), None
    except (ReadingStopped, ReadingFailed) as reason:  # the verdicts do not depend on this reading
        return [], f"{submitted.shown} could not be read for numerical differentiation: {reason}."
