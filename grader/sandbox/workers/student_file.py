"""What a `Student` is made of: a file with what is called in it, and problems that belong to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from grader.calling.joint import Joint
from grader.reference.problem import Problem
from grader.verdict.judge.runner import STRICT, Terms


@dataclass(frozen=True)
class StudentFile:
    """`files` is {file name: bytes}, `main` the graded one, `steps` its functions that return gradients.

    With `joint`, that function returns all gradients. `not_allowed` are parts of PyTorch that are removed in the
    worker, see library_off.py.
    """

    files: Mapping[str, bytes]
    main: str
    steps: Sequence[str] = ()
    joint: Joint | None = None
    not_allowed: Sequence[str] = ()


@dataclass(frozen=True)
class FileProblems:
    """`chain` is the problem of the student's own chain, and for each step those above it.

    `terms` is what the file may write differently from a stub, and `public` the published problem at the file's own
    sizes, where these differ from the lecture's.
    """

    chain: tuple[Problem, Mapping[str, Collection[str]]] | None = None
    terms: Terms = STRICT
    public: Problem | None = None


NO_PROBLEMS = FileProblems()
