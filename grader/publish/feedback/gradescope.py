"""Results that were reached elsewhere, for Gradescope: an autograder that looks a submission's result up.

Gradescope has no upload for feedback. But an autograder gets the submission's number (`id` in submission_metadata.json)
and a download's folders have the same number. The archive contains no hidden suite, and runs no student's code.
https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from grader.lesson.paths import TEMPLATES
from grader.publish.export.gradescope import Visibility, gradescope_results
from grader.publish.feedback.reports import markdown_of
from grader.results import SubmissionResult

SCRIPTS = ("setup.sh", "run_autograder")
STORED = "stored"
"""The folder of templates, and that of the results in the archive."""


def stored_result(
    results: SubmissionResult, files: dict[str, bytes], shown: Visibility, maximum: float | None
) -> dict[str, object]:
    """The results.json that Gradescope gets for one submission, with points scaled to `maximum`."""
    data = gradescope_results(results, shown, maximum)
    return {**data, "output": markdown_of(files), "output_format": "md"}


def stored_autograder(stored: Mapping[str, Mapping[str, object]]) -> dict[str, bytes]:
    """{path in the archive: content}. `stored` are {submission's number: its results.json}."""
    found = {name: (TEMPLATES / "export" / STORED / name).read_bytes() for name in SCRIPTS}
    for place, data in stored.items():
        found[f"{STORED}/{place}.json"] = (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()
    return found
