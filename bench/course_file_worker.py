"""Defences of the course's own files without a worker: they are trusted, and a run of 10,000 has no process to start.

The generator is the usual one. Only what runs a file, and what reads its text, is replaced; what is read of equal lines
is kept, because the mutants of one solution differ in a single line.
"""

from __future__ import annotations

import contextlib
import json
import pickle
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest import mock

from bench.defence_keys import Unmeasured, limited_time
from grader.calling.answer import Answer
from grader.calling.module_target import ModuleTarget
from grader.calling.protocol import CallFailed
from grader.defence import material, recorded
from grader.defence.file_lines import versions_of
from grader.lesson.lesson import Item, Lesson
from grader.reference.course_formulas import LocalStudent
from grader.sandbox.isolation.limits import Limits
from grader.sandbox.workers.student_file import StudentFile
from grader.sandbox.workers.work_clock import WorkClock
from grader.source.reader_process import json_data
from grader.verdict.judge.examples import PUBLIC_SEED, Example, examples_of, run_example
from grader.verdict.judge.problems import ProblemBook

NO_ZYGOTE: Any = SimpleNamespace(limits=Limits(), clock=WorkClock(lambda: None))
"""In place of a zygote where no worker is started: the limits of a submission, and a clock."""


class FileInThisProcess(ModuleType):
    """Takes the place of a `Student`: the file as a module of this process. Raises CallFailed where it does not run."""

    def __init__(self, zygote: object, file: StudentFile, *, time: Any = None) -> None:
        super().__init__("backward")
        self._defence_time = time
        try:
            exec(compiled(file.files[file.main]), vars(self))
        except Exception as error:
            raise CallFailed(Answer("raised", message=str(error)), "the file") from error

    @property
    def time(self) -> Any:
        """A property: the file may import `time`, and its names are in the same namespace."""
        return self._defence_time

    def like_this(self, files: Mapping[str, bytes], main: str, time: Any = None) -> FileInThisProcess:
        return FileInThisProcess(None, StudentFile(files, main), time=time)

    def close(self) -> None:
        """Do nothing: there is no process."""


@lru_cache(8)
def compiled(text: bytes) -> Any:
    return compile(text, "backward.py", "exec")


class DirectReader:
    """Takes the place of the process that reads texts."""

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if function is versions_of:
            return [read_again(pickle.dumps((versions_of, ([line],))))[0] for line in arguments[0]]
        return read_again(pickle.dumps((function, arguments)))


@lru_cache(20_000)
def read_again(request: bytes) -> Any:
    """What the process would send back."""
    function, arguments = pickle.loads(request)
    return json.loads(json.dumps(function(*arguments), default=json_data))


def example_holds(lesson: Lesson, item: Item, module: ModuleType) -> bool:
    check = Example(lesson, item, LocalStudent(vars(module), []), Unmeasured(module), ProblemBook(PUBLIC_SEED))
    with contextlib.suppress(TimeoutError), limited_time():
        return run_example(examples_of(lesson)[item.name], check) is None
    return False


@contextlib.contextmanager
def without_workers() -> Iterator[None]:
    """Files run, and texts are read, in this process while this is open."""

    def target(module: ModuleType) -> ModuleTarget:
        return ModuleTarget(module, traced=False)

    reader = DirectReader()
    common: dict[str, Any] = {"Student": FileInThisProcess, "source_reader": lambda: reader}
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.multiple(material, RemoteTarget=target, **common))
        stack.enter_context(mock.patch.multiple(recorded, example_holds=example_holds, **common))
        yield
