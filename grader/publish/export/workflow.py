"""The workflow for GitHub Actions: graded with the hidden suites, or checked on public problems only."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.publish.templates import text_templates

CPU_WHEELS = "--extra-index-url=https://download.pytorch.org/whl/cpu"
"""PyTorch without GPU libraries, which are ten times as large and of no use to a grader."""
PATH = Path(".github") / "workflows" / "grade.yml"


@dataclass(frozen=True)
class Workflow:
    """`public` uses no secret at all.

    `assignment` is the path of an assignment file in the course's repository; "" without one.
    """

    lessons: Sequence[str] = ()
    require: str = "fair"
    fail_under: float | None = None
    public: bool = False
    assignment: str = ""

    def text(self) -> str:
        marks = {"variable_start_string": "<<", "variable_end_string": ">>"}  # ${{ }} is GitHub's
        template = text_templates("export", **marks).get_template(
            "public.yml.jinja" if self.public else "grade.yml.jinja"
        )
        pip = ["--quiet", CPU_WHEELS]
        assignment = shlex.quote(self.assignment) if self.assignment else ""
        return template.render(pip=shlex.join(pip), arguments=shlex.join(self.arguments), assignment=assignment)

    @property
    def arguments(self) -> list[str]:
        """Of `dojo check`, or of `grade run` those that do not depend on where the job's folders are."""
        if self.public:
            return list(self.lessons)
        chosen = [word for name in self.lessons for word in ("--lesson", name)]
        bound = [] if self.fail_under is None else ["--fail-under", f"{self.fail_under:g}"]
        return [".", "--require", self.require, *chosen, *bound]
