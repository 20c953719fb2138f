"""The page of a training run: one file that loads nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Template

from grader.dojo.training.contract import PAGE, Outcome, writing
from grader.publish.inert import inert
from grader.publish.report.curve import plot
from grader.publish.templates import page_templates

SMALLEST, SMALLEST_EXACT = 1e-8, 1e-16
"""Smaller differences are drawn as the first: a logarithmic axis has no zero, and a loss near 2 is exact to 2.4e-7. The
second is for runs in float64, whose differences are all smaller than the first."""


@cache
def template() -> Template:
    return page_templates(inert).get_template("training.html")


def page(outcome: Outcome, resume: str) -> str:
    """The page as text; `resume` is the command that goes on."""
    curves = [outcome.losses] + ([outcome.reference] if outcome.reference else [])
    apart = [abs(a - b) for a, b in zip(outcome.losses, outcome.reference or (), strict=False)]
    smallest = SMALLEST if max(apart, default=1.0) > SMALLEST else SMALLEST_EXACT
    return template().render(
        run=outcome,
        resume=resume,
        curve=plot(outcome.losses, curves, outcome.window, outcome.steps, 1e-6) if outcome.losses else None,
        apart=plot(apart, [], 1, outcome.steps, smallest, filled=True) if any(apart) else None,
        largest=max(apart, default=0.0),
        smallest=smallest,
    )


def write_page(outcome: Outcome, out: Path, resume: str) -> Path:
    """Write the page of a training run into the folder `out`, and return its path. Raises UserError.

    `resume` is the command that continues the run.
    """
    path = out / PAGE
    with writing(out):
        path.write_text(page(outcome, resume), encoding="utf-8")
    return path
