"""What a run did: its results, whom it could not grade, and what a person should look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from grader.gradebook.class_results import ClassResults, Moves
from grader.gradebook.grading.changes import StudentChange


@dataclass
class RunOutcome:
    """`results` are those of this run, in order of name: `kept` of them from earlier runs.

    `reasons` are {student: the fault for which nothing could be graded}; `class_size` counts the book's students;
    `stopped` says that a signal came before everything was graded. `unapplied` is whose points an edited assignment
    would change, which counts only after `grade regrade --apply`; None where nothing waits for that. `joined` are
    sentences about students whom another name is counted for, and questions about those for whom a person should
    decide. `plain` is {student: why} of those whose report, or whose row in the class's pages, is plain (see
    gradebook.guarded).
    """

    results: ClassResults = field(default_factory=ClassResults)
    reasons: dict[str, str] = field(default_factory=dict)
    class_size: int = 0
    kept: int = 0
    stopped: bool = False
    unapplied: list[StudentChange] | None = None
    moves: Moves = field(default_factory=Moves)
    joined: list[str] = field(default_factory=list)
    plain: Mapping[str, str] = field(default_factory=dict)

    @property
    def faults(self) -> int:
        return len(self.reasons)

    def below(self, percent: float) -> list[str]:
        """The students under so many percent; not those whose score is not decided."""
        decided = (each for each in self.results if each.status != "unclear")
        return [each.student for each in decided if 100 * each.score < percent * each.max_score]
