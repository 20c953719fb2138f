"""Verdicts of one run that are used again: for a function, or a whole file, that was judged before.

Only for files that run nothing but pure functions (grader/sandbox/policy/pure_functions.py): what such a function
returns is decided by its text. Three things are kept, each under digests of the texts on which it depends:

* the row of a gradient that passed, under the function's key;
* the row of a gradient that is wrong, where the function itself decides the message, under the function's text;
* a step's answer in the student's own chain, under the function's key and the answers that it was fed;
* that an affine function (affine_functions.py) was right in a chain. A chain of such functions passes: each is fed the
  true gradients but for rounding;
* all rows of a file, wrong ones included, under the file's bytes; not in a lesson with checks, which may measure time
  and memory.

A file with a function that is not known starts a worker, which runs the unknown functions. If anything happens there
that is not an ordinary return or error (text is printed, a deadline is missed, the worker ends), RecallDoubtful is
raised, and the file is judged as if there were no cache. Nothing is kept of such a file either.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.calling.answer import Answer
from grader.comparison.tensors import relative_error
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
MOST_WRONG_ROWS = 1_000
"""With their pictures: some 20 KB for each."""
ROUNDING = 1e-11
"""The relative error in a chain up to which an answer is the true gradient but for rounding. The tolerance is a hundred
times larger."""
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
    own_chain: dict[str, Answer] | None = None
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
        self._rows: dict[tuple[str, str], JudgedRow] = {}  # their lines are counted from the function's
        self._wrong_rows: dict[tuple[str, str], JudgedRow] = {}
        self._affine: dict[tuple[str, str], None] = {}  # functions that were right in a chain
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
            if function is None or not function.key:
                continue
            known = self._rows.get((step, function.key)) or self._wrong_rows.get((step, function.text_key))
            if known is not None:
                rows_known[step] = at_line(known, function.line)
        is_right = len(rows_known) == len(self._steps) and all(r.row.status == "passed" for r in rows_known.values())
        return Recall(key, functions, rows_known, self._chain(functions) if self._steps and is_right else None)

    def _chain(self, functions: Mapping[str, PureFunction]) -> dict[str, Answer] | None:
        """The chain of functions that are all right."""
        if all((step, functions[step].key) in self._affine for step in self._steps):
            return {step: Answer("returned", tensor=gradient) for step, gradient in self._true_chain.items()}
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
        final = {row.name: row for row in rows}
        all_right = all(row.status == "passed" for row in rows)
        has_keys = all(function.key for function in recall.functions.values())
        if has_keys and (recall.in_time or all_right) and not self._lesson.checks:
            make_room(self._files, MOST_FILES)
            self._files[recall.key] = recall.judged
        for step in self._alone.intersection(self._steps) - recall.narrow:
            found, function = recall.found.get(step), recall.functions.get(step)
            if found is None or function is None or not function.key:
                continue
            if found.row.status == "passed" and found.row.line == function.line:
                make_room(self._rows, MOST_ROWS)
                self._rows[step, function.key] = at_line(found, -function.line)
            elif function.text_key and recall.in_time and is_decided_by_function(found.row, final[step]):
                make_room(self._wrong_rows, MOST_WRONG_ROWS)
                self._wrong_rows[step, function.text_key] = at_line(found, -function.line)
        if has_keys and all_right and self._steps and recall.own_chain:
            self._keep_chain(recall.functions, recall.own_chain)
            self._keep_affine(recall.functions, recall.own_chain)

    def _keep_affine(self, functions: Mapping[str, PureFunction], chain: Mapping[str, Answer]) -> None:
        """Keep that affine functions were right in a chain whose answers are the true gradients but for rounding."""
        problem = self._lesson.public_chain
        if all(is_close(chain[s], gradient, problem.scale(s[1:])) for s, gradient in self._true_chain.items()):
            make_room(self._affine, MOST_ROWS)
            self._affine |= {(step, functions[step].key): None for step in self._steps if functions[step].is_affine}

    @cached_property
    def _true_chain(self) -> dict[str, Tensor]:
        chain = self._lesson.public_chain.chain
        return {item.name: chain[item.target] for item in self._lesson.gradients if item.target is not None}

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


def is_close(answer: Answer, gradient: Tensor, scale: float) -> bool:
    """Whether an answer is the gradient but for rounding."""
    tensor = answer.tensor
    if tensor is None or tensor.dtype != torch.float64 or tensor.shape != gradient.shape or answer.changed:
        return False
    return relative_error(tensor, gradient, scale) <= ROUNDING


def own_copy(row: Row) -> Row:
    """A copy that can be changed. A row that was just judged has no annotations."""
    return replace(row, expected_shape=[*row.expected_shape], because_of=[*row.because_of])


def make_room(kept: dict[Any, Any], most: int) -> None:
    """Drop the oldest entry once there are too many."""
    while len(kept) >= most:
        del kept[next(iter(kept))]
