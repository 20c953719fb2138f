"""Judging mutants as students' files: each is the answer key with one wrong definition, graded in a worker."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property

from bench.mutants.edits import Mutant
from grader.authoring.verify import rows_in, submission_of
from grader.dojo.check import LocalJudge
from grader.dojo.file import HERE
from grader.errors import GraderFault
from grader.gradebook.grading.session import Session
from grader.lesson.lesson import Item, Lesson
from grader.results import Row
from grader.sandbox.isolation.limits import Limits

KINDS = {
    "known": "a known mistake of the lesson",
    "found": "found from the numbers or from the code",
    "shape": "shape or type, with what was expected",
    "sentence": "a sentence of its own (not finite, a rule of the row)",
    "meaning": "raised, and told what that error means",
    "raised": "raised: Python's or torch's own error alone",
    "timeout": "stopped: no end, or its process ended",
    "anatomy": "the anatomy of the error",
}
SPECIFIC = ("known", "found", "shape", "sentence", "timeout", "meaning")
UNEXPLAINED = re.compile(r"Worst element|^The value is wrong|^(`.*`|The result) (is|at) .*; expected |has \d+ entries")


@dataclass(frozen=True)
class Judged:
    """How one row took a mutant. `kind` is one of KINDS, "accepted", or "fault" where the grader itself broke."""

    kind: str
    row: str = ""
    message: str = ""

    @property
    def specific(self) -> bool:
        return self.kind in SPECIFIC


class Bench:
    """One lesson on one seed; `judge` grades a mutant. Close it in the end."""

    def __init__(self, lesson: Lesson, seed: int, limits: Limits | None = None) -> None:
        self.lesson, self._at_end = lesson, ExitStack()
        self._session = self._at_end.enter_context(closing(Session([lesson], seed, limits)))
        self._known = {mistake.id for mistake in lesson.mistakes}
        self._reads = reached(ast.parse(lesson.answer_key))
        self.close = self._at_end.close

    def judge(self, mutant: Mutant) -> Judged:
        """The first row that rejects it with a specific explanation, else the first that rejects it, else accepted."""
        own, others = self.rows(mutant.where.split(".")[0])
        try:
            rejected = [*self._rejected(mutant, own)] or [*self._rejected(mutant, others)]
        except GraderFault as error:
            return Judged("fault", message=str(error))
        return next((each for each in rejected if each.specific), (rejected or [Judged("accepted")])[0])

    def passes_at_home(self, mutant: Mutant, row: str) -> bool:
        """Whether `dojo check` finds nothing wrong with the row."""
        files = submission_of(self.lesson, "mutant", self._text(mutant)).lessons[self.lesson.name]
        statuses = {each.name: each.status for each in self._home.judge(self.lesson, files).rows}
        return statuses[row] in ("passed", HERE)

    @cached_property
    def _home(self) -> LocalJudge:
        return self._at_end.enter_context(closing(LocalJudge()))

    def _text(self, mutant: Mutant) -> str:
        return f"{self.lesson.answer_key}\n\n{mutant.source}\n"

    def rows(self, function: str) -> tuple[list[str], list[str]]:
        """The rows about a function of the file or about one that calls it, and all others that a call may reach."""
        items = self.lesson.items

        def concerns(item: Item) -> bool:
            return item.function == function or function in self._reads.get(item.function, ())

        return [each.name for each in items if concerns(each)], [each.name for each in items if not concerns(each)]

    def _rejected(self, mutant: Mutant, only: Collection[str]) -> Iterator[Judged]:
        self._session.only_rows = only
        submission = submission_of(self.lesson, "mutant", self._text(mutant))
        for row in rows_in(self._session.grade(submission)) if only else ():
            if row.name in only and row.status != "passed":
                yield Judged(self._kind(row), row.name, row.message or "")

    def _kind(self, row: Row) -> str:
        name = row.mistake.id if row.mistake else ""
        if name in self._known:
            return "known"
        if row.status in ("timeout", "crashed"):
            return "timeout"
        if row.status == "error":
            return "meaning" if name else "raised"
        if name:
            return "found"
        if row.status == "shape":
            return "shape"
        return "anatomy" if UNEXPLAINED.search(row.message or "") else "sentence"


def reached(tree: ast.Module) -> dict[str, set[str]]:
    """{function or class: the others of the file that it calls, at whatever distance}."""
    tops = {top.name: top for top in tree.body if isinstance(top, (ast.FunctionDef, ast.ClassDef))}
    reads = {
        name: {node.id for node in ast.walk(top) if isinstance(node, ast.Name) and node.id in tops}
        for name, top in tops.items()
    }
    for _ in tops:
        reads = {name: direct.union(*(reads[other] for other in direct)) for name, direct in reads.items()}
    return reads
