"""What `grade run` knows: its command line, and what its phases find out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.commands.remembered import ClassFiles
    from grader.gradebook.assignment.config import Assignment
    from grader.gradebook.records import Decision
    from grader.intake.submissions.roster import Roster
    from grader.lesson.lesson import Course, Lesson


@dataclass(kw_only=True)
class RunContext:
    """`grade run`: its command line, where the help of each option says what it means, and what its phases find out.

    Attributes:
        lessons: those that are graded; `left_out` are the names of those that no submission contains.
        are_chosen: whether somebody has said which lessons count.
        known: the roster, and the times of submission.
    """

    submissions: tuple[Path, ...]
    out: Path
    lesson_names: tuple[str, ...]
    assignment_file: Path | None
    extensions_file: Path | None
    roster_file: Path | None
    times_files: tuple[Path, ...]
    intake_file: Path | None
    code_page: str | None
    jobs: int | None
    cluster: str | None
    seed: int | None
    timeout: float
    require: str
    fail_under: float | None
    formats: tuple[str, ...]
    fresh: bool
    only_these: bool
    follow: bool
    settle: float | None
    quiet: bool
    course: Path | None
    loaded: Course = field(init=False)
    assignment: Assignment | None = None
    lessons: list[Lesson] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    are_chosen: bool = False
    known: ClassFiles = field(init=False)
    decisions: list[Decision] = field(default_factory=list)

    @property
    def roster(self) -> Roster | None:
        return self.known.roster

    @property
    def course_lessons(self) -> list[Lesson]:
        return list(self.loaded.lessons.values())
