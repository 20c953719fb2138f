"""Results in the form in which Gradescope gives them back: an autograder that looks them up.

Gradescope has no upload for feedback. But an autograder gets the submission's number (`id` in
submission_metadata.json), and a download's folders have the same number. The archive contains no hidden suite, and runs
no student's code. https://gradescope-autograders.readthedocs.io/en/latest/submission_metadata/
"""

from __future__ import annotations

import json

from grader.lesson.paths import TEMPLATES
from grader.publish.export.gradescope import Visibility, gradescope_results
from grader.publish.feedback.download import Returned
from grader.publish.feedback.reports import markdown_of, require_score

AUTOGRADER_SCRIPTS = ("setup.sh", "run_autograder")
STORED = "stored"
"""The folder of templates, and that of the results in the archive."""


def stored_result(each: Returned, visibility: str, maximum: float | None) -> dict[str, bytes]:
    """{path in the archive: the results.json that Gradescope gets for a submission}, with points scaled to `maximum`.

    Raises NoFeedback.
    """
    require_score(each.results)
    data = gradescope_results(each.results, Visibility(visibility), maximum)
    data |= {"output": markdown_of(each.files), "output_format": "md"}
    number = each.arrival.path.name.removeprefix("submission_")
    return {f"{STORED}/{number}.json": (json.dumps(data, indent=1, ensure_ascii=False) + "\n").encode()}


def autograder_scripts() -> dict[str, bytes]:
    """{path in the archive: content} of the AUTOGRADER_SCRIPTS that look results up."""
    return {name: (TEMPLATES / "export" / STORED / name).read_bytes() for name in AUTOGRADER_SCRIPTS}
