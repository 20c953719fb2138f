"""Many submissions over several grader processes: handed out one by one, results as they arrive."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grader.grading.server import Settings
from grader.submissions.submission import Submission

TRIES = 2

# Tied to the coordinator's life before anything slow is loaded; the coordinator may have ended before that.
BOOTSTRAP = """
import os, sys
from grader.sandbox import kernel
if kernel.supported():
    kernel.die_with_parent()
if os.getppid() == int(sys.argv[1]):
    from grader.grading.server import main
    main(sys.argv[2])
"""


class GraderProcess:
    """One `grader.grading.server`, started again when it dies."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closing, self._lock = False, threading.Lock()
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        # -P: the current folder may be a submission, and its torch.py is not to be imported here
        command = [sys.executable, "-P", "-c", BOOTSTRAP, str(os.getpid()), self._settings.to_json()]
        # its own session: a Ctrl-C in the terminal reaches the coordinator, which decides
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", start_new_session=True
        )

    def grade(self, student: str, path: Path) -> dict[str, Any]:
        """{"results": ...}, or {"fault": sentence} after TRIES attempts in fresh processes."""
        fault = ""
        for _ in range(TRIES):
            assert self._process.stdin is not None and self._process.stdout is not None
            try:
                self._process.stdin.write(json.dumps({"student": student, "path": str(path)}) + "\n")
                self._process.stdin.flush()
                line = self._process.stdout.readline()
            except (OSError, ValueError):
                line = ""
            if line:
                reply: dict[str, Any] = json.loads(line)
                if "results" in reply:
                    return reply
                fault = reply["fault"]
            else:
                fault = f"A grader process ended (status {self._process.wait()})."
                with self._lock:
                    if self._closing:
                        break
                    self._process = self._start()
        return {"fault": fault}

    def close(self) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.kill()

    def kill(self) -> None:
        with self._lock:
            self._closing = True
            self._process.kill()
        self._process.wait()


def grade_all(
    submissions: Sequence[Submission], settings: Settings, jobs: int
) -> Iterator[tuple[Submission, dict[str, Any]]]:
    """(submission, reply) in the order in which they finish. Leaving the loop early ends the grader processes."""
    waiting: queue.SimpleQueue[Submission] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Submission, dict[str, Any]]] = queue.SimpleQueue()
    for submission in submissions:
        waiting.put(submission)
    stopping = threading.Event()
    graders = [GraderProcess(settings) for _ in range(max(1, min(jobs, len(submissions))))]

    def work(grader: GraderProcess) -> None:
        while not stopping.is_set():
            try:
                submission = waiting.get_nowait()
            except queue.Empty:
                return
            try:
                reply = grader.grade(submission.student, submission.path)
            except Exception as error:  # a fault of ours must not leave the loop below waiting for ever
                reply = {"fault": f"{type(error).__name__}: {error}"}
            if not stopping.is_set():
                done.put((submission, reply))

    threads = [threading.Thread(target=work, args=(grader,), daemon=True) for grader in graders]
    for thread in threads:
        thread.start()
    finished = False
    try:
        for _ in submissions:
            yield done.get()
        finished = True
    finally:
        stopping.set()
        for grader in graders:
            if finished:
                grader.close()
            else:
                grader.kill()
