"""A notebook or script, submitted and graded."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from lecture_notebooks import Notebook
from support import rows_of

from grader.intake.submissions.finding import find
from grader.intake.submissions.submission import Submission


@pytest.fixture
def submit(course, tmp_path) -> Callable[..., Submission]:
    """submit(notebook or text or bytes, "03", name=...): the submission as `grade run` finds it."""

    def found(submitted: Notebook | str | bytes, *wanted: str, name: str = "mine.ipynb") -> Submission:
        if isinstance(submitted, dict):
            submitted = json.dumps(submitted)
        data = submitted.encode() if isinstance(submitted, str) else submitted
        place = tmp_path / "in" / name
        place.parent.mkdir(exist_ok=True, parents=True)
        place.write_bytes(data)
        lessons = [course.find(number) for number in wanted] or list(course.lessons.values())
        (submission,) = find([place], lessons, list(course.lessons.values()))
        return submission

    return found


@pytest.fixture
def graded(submit, session_for) -> Callable[..., list[dict[str, Any]]]:
    """graded(notebook, "03", "04"): {row: row} of each lesson, from real workers."""

    def rows(submitted: Notebook | str, *wanted: str, **options: Any) -> Any:
        results = session_for(*wanted).grade(submit(submitted, *wanted, **options)).results.to_json()
        found = [rows_of(results, number) for number in range(len(wanted))]
        return found[0] if len(found) == 1 else found

    return rows
