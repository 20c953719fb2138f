"""`pytest --processes N`: N forks of pytest share the tests, which are collected and imported once.

Each worker takes tests from a range of its own. Once that is empty, it takes the second half of the longest range that
is left, so neighbours mostly run in one worker and share their fixtures. A module with `IN_ORDER = True` is not split.
Unlike xdist's workers these have no threads: a process with threads cannot enter a user namespace, as the sandbox's
tests do.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import warnings
from multiprocessing.connection import Connection, wait
from typing import Any

import pytest

FORK = multiprocessing.get_context("fork")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("workers").addoption(
        "--processes", type=int, default=1, metavar="N", help="run the tests in N processes"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = session.config.option
    count = min(option.processes, len(session.items))
    if count < 2 or option.collectonly or option.usepdb or session.testsfailed:
        return None  # pytest's own loop
    capture = session.config.pluginmanager.getplugin("capturemanager")
    capture.stop_global_capturing()  # workers would share its files and their offsets
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one folder, and one cleaning up
    gc.collect()
    gc.freeze()  # else a worker's first collection copies all memory
    ranges = Ranges(count, [may_start_range(session.items, number) for number in range(len(session.items))])
    workers = [Worker(session, ranges, number) for number in range(count)]
    try:
        report_results(session, workers)
    finally:
        for worker in workers:
            worker.end()
        capture.start_global_capturing()
    return True


def may_start_range(items: list[pytest.Item], number: int) -> bool:
    """Whether a worker's range may start with this test."""
    module = getattr(items[number], "module", None)
    return number == 0 or not getattr(module, "IN_ORDER", False) or getattr(items[number - 1], "module", None) != module


class Ranges:
    """The tests that are left, as one range of their numbers per worker, in shared memory."""

    def __init__(self, workers: int, may_start: list[bool]) -> None:
        """`may_start` says of each test whether a range may start with it."""
        tests = len(may_start)
        self._may_start = [*may_start, True]
        bounds = [self._next_start(number * tests // workers) for number in range(workers + 1)]
        self._starts: Any = FORK.Array("i", bounds[:-1])
        self._ends: Any = FORK.Array("i", bounds[1:])

    def _next_start(self, test: int) -> int:
        return self._may_start.index(True, test)

    def take(self, worker: int) -> int | None:
        """The number of the test that this worker runs next, None when none is left."""
        starts, ends = self._starts, self._ends
        with starts.get_lock():
            if starts[worker] == ends[worker]:
                longest = max(range(len(ends)), key=lambda other: ends[other] - starts[other])
                if starts[longest] == ends[longest]:
                    return None
                middle = self._next_start((starts[longest] + ends[longest]) // 2)
                if middle >= ends[longest]:
                    return None
                starts[worker], ends[worker], ends[longest] = middle, ends[longest], middle
            starts[worker] += 1
            return int(starts[worker]) - 1


class Worker:
    """A fork that runs tests, as its parent sees it. `running` is (node id, location) of its test."""

    def __init__(self, session: pytest.Session, ranges: Ranges, number: int) -> None:
        self.running: tuple[str, tuple[str, int | None, str]] | None = None
        self.results, theirs = FORK.Pipe(duplex=False)
        self.process = FORK.Process(target=run_tests, args=(session, ranges, number, theirs))
        self.process.start()
        theirs.close()

    def end(self) -> None:
        """Wait for it; one that still runs tests is interrupted, and cleans up after itself."""
        if not self.results.closed and self.process.pid is not None:
            os.kill(self.process.pid, signal.SIGINT)
        self.process.join()


def run_tests(session: pytest.Session, ranges: Ranges, number: int, results: Connection) -> None:
    """The life of a worker."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    config = session.config
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(Messenger(config, results))
    config.pluginmanager.getplugin("capturemanager").start_global_capturing()
    try:
        current = ranges.take(number)
        while current is not None:
            following = ranges.take(number)
            nextitem = None if following is None else session.items[following]
            config.hook.pytest_runtest_protocol(item=session.items[current], nextitem=nextitem)
            current = following
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        session._setupstate.teardown_exact(None)
    results.close()


class Messenger:
    """A worker's plugin that sends its parent (the name of a hook, its arguments)."""

    def __init__(self, config: pytest.Config, results: Connection) -> None:
        self._config, self._results = config, results

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._results.send(("pytest_runtest_logstart", {"nodeid": nodeid, "location": location}))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._results.send(("pytest_runtest_logreport", {"report": data}))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._results.send(("pytest_runtest_logfinish", {"nodeid": nodeid, "location": location}))

    def pytest_warning_recorded(self, warning_message: warnings.WarningMessage, when: str, nodeid: str) -> None:
        text = f"{warning_message.category.__name__}: {warning_message.message}"
        given = {"text": text, "file": warning_message.filename, "line": warning_message.lineno}
        self._results.send(("pytest_warning_recorded", {**given, "when": when, "nodeid": nodeid}))


def report_results(session: pytest.Session, workers: list[Worker]) -> None:
    """Report what the workers send until all have finished. Raises Session.Failed, Session.Interrupted."""
    left, finished = {worker.results: worker for worker in workers}, 0
    while left:
        for results in wait(list(left)):
            worker = left[results]  # type: ignore[index]
            try:
                hook, given = worker.results.recv()
            except EOFError:
                del left[worker.results]
                worker.results.close()
                finished += report_crash(session, worker)
                continue
            report_result(session, worker, hook, given)
            finished += hook == "pytest_runtest_logfinish"
            if session.shouldfail:
                raise session.Failed(session.shouldfail)
            if session.shouldstop:
                raise session.Interrupted(session.shouldstop)
    if finished < len(session.items):
        raise session.Interrupted(f"{len(session.items) - finished} tests were not run: the workers ended before them")


def report_result(session: pytest.Session, worker: Worker, name: str, given: dict[str, Any]) -> None:
    hook = session.config.hook
    if name == "pytest_warning_recorded":
        message = warnings.WarningMessage(given["text"], UserWarning, given["file"], given["line"])
        said = {"warning_message": message, "when": given["when"], "nodeid": given["nodeid"], "location": None}
        hook.pytest_warning_recorded.call_historic(kwargs=said)
    elif name == "pytest_runtest_logreport":
        report = hook.pytest_report_from_serializable(config=session.config, data=given["report"])
        hook.pytest_runtest_logreport(report=report)
    else:
        worker.running = (given["nodeid"], given["location"]) if name == "pytest_runtest_logstart" else None
        getattr(hook, name)(**given)


def report_crash(session: pytest.Session, worker: Worker) -> bool:
    """Whether the worker ended in the midst of a test. That test failed; other workers take over the rest."""
    worker.process.join()
    if worker.running is None:
        return False
    text = f"The process that ran this test ended with status {worker.process.exitcode}."
    report = pytest.TestReport(*worker.running, {}, "failed", text, "call")
    session.config.hook.pytest_runtest_logreport(report=report)
    return True
