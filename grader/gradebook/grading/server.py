"""A grader process: torch and pytest loaded once, one submission after another. grader_processes.py starts it.

in: a pickled Submission, as the coordinator read it
out: a line of JSON when it is ready, and for each submission one with results; a fault in their place ends the process

The coordinator and its graders are one program and trust each other; what a student wrote is bytes to both.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import socket
import sys
from pathlib import Path
from typing import Any

from grader.errors import GraderFault, LessonError
from grader.gradebook.grading.session import Session
from grader.gradebook.grading.settings import Settings, weakness_of
from grader.lesson.lesson import Course
from grader.sandbox.isolation.probe import probe


def main(settings_text: str, zygote: str = "") -> None:
    """Grade what comes on standard input until it ends; see settings.START_GRADER_CODE for how it is started.

    `zygote` is the descriptor of a socket from a nursery, if there is one.
    """
    settings = Settings.from_text(settings_text)
    gc.set_threshold(100_000, 50, 100)  # a submission leaves few cycles behind, and looking for them takes its time
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints in here does not get between the lines of the protocol
    zygote_socket = socket.socket(fileno=int(zygote)) if zygote else None
    if zygote_socket is not None:
        zygote_socket.set_inheritable(False)
    session: Session | None = None
    reply: dict[str, Any] = {"ready": True}
    try:
        session = new_session(settings, zygote_socket)
        session.wait_until_ready()
    except GraderFault as error:
        reply = {"fault": str(error)}
    while True:
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if session is None or "fault" in reply:
            break
        try:
            graded = session.grade(pickle.load(sys.stdin.buffer))
            reply = {"results": graded.results.to_json(), "extras": graded.extras}
        except EOFError:
            break
        except (GraderFault, LessonError, OSError) as error:
            reply = {"fault": f"{type(error).__name__}: {error}"}
    if session is not None:
        session.close()
    os._exit(0)  # taking torch apart piece by piece would be half a second that the run waits for


def new_session(settings: Settings, zygote: socket.socket | None) -> Session:
    """Raises GraderFault where this machine isolates less than required."""
    isolation = settings.isolation or probe()
    if weakness := weakness_of(isolation, settings.require):
        raise GraderFault(f"it {weakness}")
    course = Course(Path(settings.course), changed=settings.course_settings)
    lessons = [course.lessons[name] for name in settings.lessons]
    return Session(lessons, settings.seed, settings.limits, isolation, zygote, settings.left_out)
