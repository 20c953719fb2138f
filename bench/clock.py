"""Clocks inside the processes of one `grade run`, for bench/budget.py. Its text runs in each: it imports little.

Each line of the record is "seconds process what": an event, by the clock that all processes of a machine share, or,
with a number in front of `what`, the seconds that the process has spent in one kind of work.
"""

from __future__ import annotations

import functools
import importlib
import os
import time
from collections.abc import Callable
from typing import Any

RECORD = ""  # the file's path, which budget.py fills in
REST, LOCK_DOWN = "judge", "lock-down"
_spent: dict[str, float] = {}
_kinds = [REST]
_since = [0.0]


def note(what: str) -> None:
    descriptor = os.open(RECORD, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    os.write(descriptor, f"{time.monotonic():.6f} {what}\n".encode())
    os.close(descriptor)


def _pass_time() -> None:
    now = time.monotonic()
    _spent[_kinds[-1]] = _spent.get(_kinds[-1], 0.0) + now - _since[0]
    _since[0] = now


def around(place: str, before: Callable[[], None], after: Callable[[], None]) -> None:
    """Calls `before` and `after` around each call of the function at "module:Class.function"."""
    module_name, _, path = place.partition(":")
    owner: Any = importlib.import_module(module_name)
    *above, name = path.split(".")
    for each in above:
        owner = getattr(owner, each)
    function = getattr(owner, name)

    @functools.wraps(function)
    def timed(*arguments: Any, **keywords: Any) -> Any:
        before()
        try:
            return function(*arguments, **keywords)
        finally:
            after()

    setattr(owner, name, timed)


def events(place: str, before: str = "", after: str = "") -> None:
    around(place, lambda: note(before) if before else None, lambda: note(after) if after else None)


def kind_of_work(kind: str, *places: str) -> None:
    """Time inside these functions is of this kind, except inside functions of another kind that they call.

    Locking in also waits for a frame of the worker's, as steps do.
    """

    def begin() -> None:
        _pass_time()
        _kinds.append(LOCK_DOWN if _kinds[-1] == LOCK_DOWN else kind)

    def end() -> None:
        _pass_time()
        _kinds.pop()

    for place in places:
        around(place, begin, end)


def begin_grading() -> None:
    _spent.clear()
    _since[0] = time.monotonic()


def end_grading() -> None:
    _pass_time()
    for kind, seconds in _spent.items():
        note(f"spent {seconds:.6f} {kind}")
    note("graded")


def coordinator() -> None:
    """Has the processes that this one starts keep the record, too."""
    note("interpreter")
    from grader.gradebook.grading import settings
    from grader.sandbox.workers import clean_process

    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    clock = f"clock = {{'__name__': 'clock'}}; exec({text!r}, clock); clock['RECORD'] = {RECORD!r}; clock"
    for_format = clock.replace("{", "{{").replace("}", "}}")
    first, last = clean_process.CLEAN_BOOTSTRAP.split("from grader.sandbox", 1)
    clean_process.CLEAN_BOOTSTRAP = f"{first}{for_format}['nursery']()\nfrom grader.sandbox{last}"
    settings.START_GRADER_CODE = f"{clock}['grader']()\n{settings.START_GRADER_CODE}"


def nursery() -> None:
    note("nursery")
    events("grader.sandbox.workers.nursery:load_torch", "torch begins", "torch")
    events("grader.sandbox.workers.nursery:make_ready", after="workers can be forked")
    events("grader.sandbox.workers.nursery:Programs.serve", "modules")


def grader() -> None:
    note("grader")
    events("grader.gradebook.grading.session:Session.wait_until_ready", "session", "zygote")
    events("grader.gradebook.grading.server:write_student", after="report")
    around("grader.gradebook.grading.session:Session._lesson", begin_grading, end_grading)
    kind_of_work("hidden suite", "grader.gradebook.grading.suite:HiddenSuite.__init__")
    problems = "grader.lesson.lesson:Lesson.problem"
    kind_of_work("problems", problems, "grader.verdict.judging.hidden_problems:ProblemBook.problems")
    kind_of_work("fork", "grader.sandbox.workers.client:ZygoteProcess.worker")
    kind_of_work(LOCK_DOWN, "grader.sandbox.workers.worker_process:WorkerProcess.wait_until_locked_in")
    kind_of_work("steps", "grader.sandbox.workers.worker_pipes:WorkerPipes.receive")
