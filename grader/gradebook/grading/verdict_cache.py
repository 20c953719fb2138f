"""Verdicts of one run that are used again: for a function, or a whole file, that was judged before.

Only for files that run only pure functions (grader/sandbox/policy/pure_functions.py): the text of such a function
decides what it returns. Three things are kept, each under digests of the texts on which it depends:

* the row of a gradient that passed, under the function's key;
* the row of a gradient that is wrong, where the function itself decides the message, under the function's text;
* a step's answer in the student's own chain, under the function's key and the answers that it was fed;
* that an affine function is right on the published problem for any upstream gradients. A chain of such functions
  passes, see chain_proof.py;
* all rows of a file, wrong ones included, under the file's bytes; not in a lesson with checks, which may measure time
  and memory.

A file with a function that is not known starts a worker, which runs the unknown functions. If anything happens there
that is not an ordinary return or error (text is printed, a deadline is missed, the worker ends), RecallDoubtful is
raised, and the file is judged as if there were no cache. Nothing is kept of such a file either.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch

from grader.calling.answer import Answer
from grader.gradebook.grading.chain_proof import ChainProof
from grader.gradebook.grading.recall import JudgedRow, Recall, at_line, is_decided_by_function
from grader.intake.submissions.lesson_files import LessonFiles
from grader.lesson.lesson import Lesson
from grader.lesson.paths import BACKWARD_FILE
from grader.results import Row
from grader.sandbox.policy.pure_functions import PureFunction
from grader.sandbox.policy.reading import read_pure_functions
from grader.sandbox.workers.shared_worker import SharedWorker
from grader.source.reader import ReadingFailed, ReadingStopped

MAX_CACHED_FILES = 200
"""Files whose rows are kept, with their pictures: some 100 KB for a wrong one."""
MAX_CACHED_ROWS = 20_000
MAX_TENSOR_BYTES = 1 << 26
"""Of answers in chains."""
MAX_WRONG_ROWS = 1_000
"""With their pictures: some 20 KB for each."""

Learned = list[Any]
"""[kind, step, key, row or None, picture or None]"""


class ChainLink(NamedTuple):
    """A step in the student's own chain: its function, and the numbers of the gradients of the student's it is fed."""

    function: str
    fed: tuple[tuple[str, int], ...]


class VerdictCache:
    """The verdicts of one lesson's hidden suite on the problems of one run."""

    def __init__(self, lesson: Lesson, seed: int, shared: SharedWorker | None = None) -> None:
        """`shared` is where chains are run of files that need nothing else."""
        self._lesson, self._proof, self._shared = lesson, ChainProof(lesson, seed), shared
        self._steps = [item.name for item in lesson.gradients] if lesson.joint is None else []
        self._alone = {item.name for item in lesson.gradients if not item.earned_with}
        self._functions: dict[bytes, Mapping[str, PureFunction]] = {}
        self._files: dict[bytes, list[JudgedRow]] = {}
        self._rows: dict[tuple[str, str], JudgedRow] = {}  # their lines are counted from the function's
        self._wrong_rows: dict[tuple[str, str], JudgedRow] = {}
        self._affine: dict[tuple[str, str], None] = {}  # functions of which a chain follows
        self._kinds: dict[str, tuple[dict[tuple[str, str], Any], int]] = {
            "right": (self._rows, MAX_CACHED_ROWS),
            "wrong": (self._wrong_rows, MAX_WRONG_ROWS),
            "affine": (self._affine, MAX_CACHED_ROWS),
        }
        self._links: dict[ChainLink, int] = {}
        self._answers: list[Answer] = []  # of chains, by number
        self._numbers: dict[bytes, int] = {}  # {digest of a tensor: the number of its answer}
        self._tensor_bytes = 0
        self._new: list[Learned] = []

    def recall(self, submitted: LessonFiles) -> Recall | None:
        """What is known of a file; None where nothing of it may be kept."""
        if submitted.files.keys() != {BACKWARD_FILE} or submitted.origin is not None or submitted.message is not None:
            return None
        source = submitted.files[BACKWARD_FILE]
        key = hashlib.sha256(source).digest()
        functions = self._functions.get(key)
        if functions is None:
            try:
                functions = read_pure_functions(source, self._lesson.functions)
            except (ReadingStopped, ReadingFailed):
                functions = {}
            make_room(self._functions, MAX_CACHED_ROWS)
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
        recall = Recall(key, functions, rows_known)
        if self._steps and len(rows_known) == len(self._steps):
            if all(each.row.status == "passed" for each in rows_known.values()):
                recall.chain = self._chain(functions)
            recall.shared = None if self._lesson.checks else self._shared
        recall.unproved = self._unproved(functions) if recall.chain is None else ()
        recall.proof = self._proof.problems if recall.unproved else ()
        return recall

    def _learn(self, kind: str, step: str, key: str, judged: JudgedRow | None = None) -> None:
        if self._add(kind, step, key, judged):
            row = None if judged is None else judged.row.to_json()
            self._new.append([kind, step, key, row, None if judged is None else judged.picture])

    def _add(self, kind: str, step: str, key: str, judged: JudgedRow | None) -> bool:
        """Keep something; False where it is known."""
        kept, most = self._kinds[kind]
        if (step, key) in kept:
            return False
        make_room(kept, most)
        kept[step, key] = judged
        return True

    def take_learned(self) -> list[Learned]:
        """What is kept since this was last called, as JSON, for other graders of the run."""
        new, self._new = self._new, []
        return new

    def learn(self, entries: Iterable[Learned]) -> None:
        """Keep what another grader of the run has learned."""
        for kind, step, key, row, picture in entries:
            self._add(kind, step, key, None if row is None else JudgedRow(Row.from_json(row), picture))

    def _chain(self, functions: Mapping[str, PureFunction]) -> dict[str, Answer] | None:
        """The chain of functions that are all right."""
        if all((step, functions[step].key) in self._affine for step in self._steps) and self._proof.holds:
            return {step: Answer("returned", tensor=gradient) for step, gradient in self._proof.gradients.items()}
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
            make_room(self._files, MAX_CACHED_FILES)
            self._files[recall.key] = recall.judged
        for step in self._alone.intersection(self._steps) - recall.narrow:
            found, function = recall.found.get(step), recall.functions.get(step)
            if found is None or function is None or not function.key:
                continue
            if found.row.status == "passed" and found.row.line == function.line:
                self._learn("right", step, function.key, at_line(found, -function.line))
            elif function.text_key and recall.in_time and is_decided_by_function(found.row, final[step]):
                self._learn("wrong", step, function.text_key, at_line(found, -function.line))
        if has_keys and all_right and self._steps and recall.own_chain:
            self._keep_chain(recall.functions, recall.own_chain)
            for step in recall.unproved if recall.proof_answers else ():
                if self._proof.is_right(step, recall.functions[step], recall.proof_answers):
                    self._learn("affine", step, recall.functions[step].key)

    def _unproved(self, functions: Mapping[str, PureFunction]) -> tuple[str, ...]:
        """The steps whose functions are affine, and not known to be right in any chain."""
        found = {step: functions[step] for step in self._steps if step in functions}
        return tuple(s for s, function in found.items() if function.is_affine and (s, function.key) not in self._affine)

    def _keep_chain(self, functions: Mapping[str, PureFunction], chain: Mapping[str, Answer]) -> None:
        if self._tensor_bytes > MAX_TENSOR_BYTES or len(self._links) > MAX_CACHED_ROWS:
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


def make_room(kept: dict[Any, Any], most: int) -> None:
    """Drop the oldest entry once there are too many."""
    while len(kept) >= most:
        del kept[next(iter(kept))]
