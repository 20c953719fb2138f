"""What is known of one file before it is judged, and what its judging adds: see verdict_cache.py."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from grader.calling.answer import Answer
from grader.reference.problem import Problem
from grader.results import Row
from grader.sandbox.policy.pure_functions import PureFunction
from grader.sandbox.workers.endings import RecallDoubtful
from grader.sandbox.workers.shared_worker import SharedWorker
from grader.sandbox.workers.student import Student

UNKEPT = ("timeout", "crashed", "forbidden")
"""Statuses that may depend on more than the file."""

Picture = Any


class JudgedRow(NamedTuple):
    """A row as the hidden suite gave it, and the picture of its error."""

    row: Row
    picture: Picture


@dataclass
class Recall:
    """What is known of one file before it is judged, and the rows that its judging adds.

    Attributes:
        functions: the file's functions.
        rows: {row: verdict} that the hidden suite takes as they are.
        chain: {step: answer} of the student's own chain, if all of it is known.
        own_chain: {step: answer} of the chain as it was run.
        unproved: steps that are run on the problems of `proof` if all rows are right, see chain_proof.py.
        proof_answers: {step: answer} of those, for each of the problems.
        is_whole: `rows` are all of the file's, as they are in results.json.
        shared: where the chain is run, if nothing else is left to run.
        found: {row: verdict} of the others, as they are judged.
        judged: all rows in the end, with their pictures; empty where they may depend on more than the file.
        narrow: steps that computed in float32 where they were given float64.
        in_time: the search for explanations was not stopped.
    """

    key: bytes
    functions: Mapping[str, PureFunction]
    rows: dict[str, JudgedRow]
    chain: dict[str, Answer] | None = None
    unproved: Sequence[str] = ()
    proof: Sequence[Problem] = ()
    own_chain: dict[str, Answer] | None = None
    is_whole: bool = False
    proof_answers: Sequence[Mapping[str, Answer]] = ()
    shared: SharedWorker | None = None
    found: dict[str, JudgedRow | None] = field(default_factory=dict)
    judged: list[JudgedRow] = field(default_factory=list)
    narrow: frozenset[str] = frozenset()
    in_time: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether nothing has to be run for the rows of gradients."""
        return self.is_whole or self.chain is not None

    def add(self, judged: JudgedRow) -> None:
        """A row that was judged. One that a suite judges twice is not kept."""
        row = judged.row
        self.found[row.name] = None if row.name in self.found else JudgedRow(own_copy(row), judged.picture)

    def run_proof(self, student: Student, rows: Sequence[Row]) -> None:
        """Note the student's own chain; run the unproved steps where all rows are right."""
        self.own_chain = student.chain() if self.chain is None else None
        if self.unproved and all(row.status == "passed" for row in rows):
            student.prefetch(self.proof)
            answers = [student.answers(problem) for problem in self.proof]
            self.proof_answers = [{step: each[step] for step in self.unproved} for each in answers]

    def finish(self, rows: Sequence[Row], pictures: Mapping[str, Picture], student: Student, in_time: bool) -> None:
        """All rows of the file, as they are in results.json; `in_time`: the search for explanations was not stopped.

        Raises RecallDoubtful.
        """
        unusual = student.printed_bytes or student.switched_on or any(row.status in UNKEPT for row in rows)
        if student.is_doubtful or (unusual and self.rows):
            raise RecallDoubtful
        if unusual or any(row.numerical_differentiation and row.numerical_differentiation.observed for row in rows):
            return
        self.judged = [JudgedRow(own_copy(row), pictures.get(row.name)) for row in rows]
        self.narrow, self.in_time = frozenset(student.low_precision_steps), in_time


def at_line(judged: JudgedRow, line: int) -> JudgedRow:
    """A copy with `line` added to its line."""
    row = own_copy(judged.row)
    row.line = None if row.line is None else row.line + line
    return JudgedRow(row, judged.picture)


def is_decided_by_function(found: Row, final: Row) -> bool:
    """Whether a row that is wrong would be the same in any file with this function, apart from its line.

    `found` is what the hidden suite gave, `final` what became of it. Not so where the message names lines, or where the
    answers of other functions were read.
    """
    mistake = found.mistake.id if found.mistake else ""
    return (
        found.status in ("failed", "shape", "todo")
        and mistake not in ("other_gradient", "changed_places")
        and (found.message, found.mistake) == (final.message, final.mistake)
        and re.search(r"\bline \d", found.message or "", re.IGNORECASE) is None
    )


def own_copy(row: Row) -> Row:
    """A copy that can be changed. A row that was just judged has no annotations."""
    return replace(row, expected_shape=[*row.expected_shape], because_of=[*row.because_of])
