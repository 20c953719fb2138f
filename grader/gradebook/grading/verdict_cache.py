"""Verdicts of one run that are used again: for a function, or a whole file, that was judged before.

Only for files that run nothing but pure functions (grader/sandbox/policy/pure_functions.py): what such a function
returns is decided by its text. Three things are kept, each under digests of the texts on which it depends:

* the row of a gradient that passed, under the function's key;
* a step's answer in the student's own chain, under the function's key and the answers that it was fed;
* all rows of a file, wrong ones included, under the file's bytes; not in a lesson with checks, which may measure time
  and memory.

A file with a function that is not known starts a worker, which runs the unknown functions. If anything happens there
that is not an ordinary return or error (text is printed, a deadline is missed, the worker ends), RecallDoubtful is
raised, and the file is judged as if there were no cache. Nothing is kept of such a file either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch

from grader.calling.answer import Answer
from grader.intake.submissions.lesson_files import MAIN, LessonFiles
from grader.lesson.lesson import Lesson
from grader.results import Row
from grader.sandbox.policy.pure_functions import PureFunction
from grader.sandbox.policy.reading import read_pure_functions
from grader.sandbox.workers.endings import RecallDoubtful
from grader.sandbox.workers.student import Student
from grader.source.reader import ReadingFailed, ReadingStopped

MOST_FILES = 200
"""Files whose rows are kept, with their pictures: some 100 KB for a wrong one."""
MOST_ROWS = 20_000
MOST_TENSOR_BYTES = 1 << 26
"""Of answers in chains."""
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
        is_whole: `rows` are all of the file's, as they are in results.json.
        found: {row: verdict} of the others, as they are judged.
        judged: all rows in the end, with their pictures; empty where they may depend on more than the file.
        narrow: steps that computed in float32 where they were given float64.
        in_time: no row lacks an explanation for want of time.
    """

    key: bytes
    functions: Mapping[str, PureFunction]
    rows: dict[str, JudgedRow]
    chain: dict[str, Answer] | None = None
    is_whole: bool = False
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

    def finish(self, rows: Sequence[Row], pictures: Mapping[str, Picture], student: Student, in_time: bool) -> None:
        """All rows of the file, as they are in results.json; `in_time`: none lacks an explanation for want of time.

        Raises RecallDoubtful.
        """
        unusual = student.printed_bytes or student.switched_on or any(row.status in UNKEPT for row in rows)
        if student.is_doubtful or (unusual and self.rows):
            raise RecallDoubtful
        if unusual:
            return
        self.judged = [JudgedRow(own_copy(row), pictures.get(row.name)) for row in rows]
        self.narrow, self.in_time = frozenset(student.low_precision_steps), in_time


class ChainLink(NamedTuple):
    """A step in the student's own chain: its function, and the numbers of the gradients of the student's it is fed."""

    function: str
    fed: tuple[tuple[str, int], ...]


class VerdictCache:
    """The verdicts of one lesson's hidden suite on the problems of one run."""

    def __init__(self, lesson: Lesson) -> None:
        self._lesson = lesson
        self._steps = [item.name for item in lesson.gradients] if lesson.joint is None else []
        self._alone = {item.name for item in lesson.gradients if not item.earned_with}
        self._functions: dict[bytes, Mapping[str, PureFunction]] = {}
        self._files: dict[bytes, list[JudgedRow]] = {}
        self._rows: dict[tuple[str, str], JudgedRow] = {}
        self._links: dict[ChainLink, int] = {}
        self._answers: list[Answer] = []  # of chains, by number
        self._numbers: dict[bytes, int] = {}  # {digest of a tensor: the number of its answer}
        self._tensor_bytes = 0

    def recall(self, submitted: LessonFiles) -> Recall | None:
        """What is known of a file; None where nothing of it may be kept."""
        if submitted.files.keys() != {MAIN} or submitted.origin is not None or submitted.message is not None:
            return None
        source = submitted.files[MAIN]
        key = hashlib.sha256(source).digest()
        functions = self._functions.get(key)
        if functions is None:
            try:
                functions = read_pure_functions(source, self._lesson.functions)
            except (ReadingStopped, ReadingFailed):
                functions = {}
            make_room(self._functions, MOST_ROWS)
            self._functions[key] = functions
        if not functions:
            return None
        key += submitted.shown.encode("utf-8", "surrogatepass")
        if key in self._files:
            return Recall(key, functions, {each.row.name: each for each in self._files[key]}, is_whole=True)
        rows_known = {}
        for step in self._steps:
            function = functions.get(step)
            known = self._rows.get((step, function.key)) if function is not None and function.key else None
            if function is not None and known is not None:
                row = own_copy(known.row)
                row.line = function.line
                rows_known[step] = JudgedRow(row, known.picture)
        chain = self._chain(functions) if self._steps and len(rows_known) == len(self._steps) else None
        return Recall(key, functions, rows_known, chain)

    def _chain(self, functions: Mapping[str, PureFunction]) -> dict[str, Answer] | None:
        numbers: dict[str, int] = {}
        for step in self._steps:
            number = self._links.get(self._link(step, functions[step], numbers), -1)
            if number < 0:
                return None
            numbers[step] = number
        return {step: self._answers[number] for step, number in numbers.items()}

    def _link(self, step: str, function: PureFunction, numbers: Mapping[str, int]) -> ChainLink:
        fed = [(name, numbers.get(name, -1)) for name in function.parameters if name in self._steps]
        return ChainLink(f"{step} {function.key}", tuple(fed))

    def keep(self, recall: Recall) -> None:
        """Keep what was judged."""
        if recall.is_whole or not recall.judged:
            return
        rows = [each.row for each in recall.judged]
        all_right = all(row.status == "passed" for row in rows)
        has_keys = all(function.key for function in recall.functions.values())
        if has_keys and (recall.in_time or all_right) and not self._lesson.checks:
            make_room(self._files, MOST_FILES)
            self._files[recall.key] = recall.judged
        for step in self._alone.intersection(self._steps) - recall.narrow:
            found, function = recall.found.get(step), recall.functions.get(step)
            if found is None or function is None or not function.key:
                continue
            if found.row.status != "passed" or found.row.line != function.line:
                continue
            make_room(self._rows, MOST_ROWS)
            self._rows[step, function.key] = found
        if has_keys and all_right and self._steps and recall.chain:
            self._keep_chain(recall.functions, recall.chain)

    def _keep_chain(self, functions: Mapping[str, PureFunction], chain: Mapping[str, Answer]) -> None:
        if self._tensor_bytes > MOST_TENSOR_BYTES or len(self._links) > MOST_ROWS:
            return
        numbers: dict[str, int] = {}
        for step in self._steps:
            answer = chain[step]
            if answer.tensor is None or answer.tensor.dtype not in (torch.float32, torch.float64) or answer.changed:
                return
            if answer.in_float32 or answer.low_precision:
                return
            link = self._link(step, functions[step], numbers)
            if link not in self._links:
                self._links[link] = self._number_of(answer)
            numbers[step] = self._links[link]

    def _number_of(self, answer: Answer) -> int:
        """The number under which this answer's tensor is kept."""
        assert answer.tensor is not None
        tensor = answer.tensor
        digest = hashlib.sha256(f"{tensor.dtype} {tuple(tensor.shape)} ".encode())
        digest.update(tensor.contiguous().numpy().tobytes())
        number = self._numbers.setdefault(digest.digest(), len(self._answers))
        if number == len(self._answers):
            self._answers.append(answer)
            self._tensor_bytes += tensor.nbytes
        return number


def own_copy(row: Row) -> Row:
    """A copy that can be changed. A row that was just judged has no annotations."""
    return replace(row, expected_shape=[*row.expected_shape], because_of=[*row.because_of])


def make_room(kept: dict[Any, Any], most: int) -> None:
    """Drop the oldest entry once there are too many."""
    while len(kept) >= most:
        del kept[next(iter(kept))]
