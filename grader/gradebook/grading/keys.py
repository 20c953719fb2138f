"""When a result still stands: the key of all that it depends on, under which the gradebook keeps it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version

from grader.gradebook.grading.settings import Settings
from grader.gradebook.grading.versions import LOADED
from grader.intake.submissions.submission import Submission
from grader.lesson.course_settings import settings_text
from grader.lesson.lesson import Lesson

LIBRARIES = ("torch", "numpy")
"""Those whose version a result depends on, beside this package itself."""


def sha256_of(*parts: str | bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        total.update(len(data).to_bytes(8, "big") + data)
    return total.hexdigest()


def conditions_key(lessons: Sequence[Lesson], settings: Settings) -> str:
    """Of all that is the same for every submission of a run.

    A seed that was drawn is none of it: any hidden problems are as good as others, and whoever resubmits meets new
    ones. A seed that was given is: those problems are wanted, and no others.
    """
    seed = f"seed {settings.seed}" if settings.seed_given else "drawn"
    limits = json.dumps(settings.limits, sort_keys=True)
    libraries = (f"{name} {version(name)}" for name in LIBRARIES)
    lesson_settings = sorted({settings_text(each.settings) for each in lessons})
    parts = (part for each in lessons for part in (each.name, each.digest))
    return sha256_of(LOADED, *libraries, seed, limits, *lesson_settings, "left out", *settings.left_out, *parts)


def result_key(conditions: str, submission: Submission) -> str:
    """Of one submission under these conditions: what is graded, and what is said where nothing can be."""
    messages = [
        [name, submitted.shown, submitted.message, submitted.rejected]
        for name, submitted in sorted(submission.lessons.items())
    ]
    return sha256_of(conditions, submission.sha256, json.dumps([submission.full_message, messages]))
