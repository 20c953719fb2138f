"""The budget of one run: time belongs to the innermost kind of work, and the parts add up."""

from __future__ import annotations

import itertools
import sys
from types import ModuleType

from bench import budget, clock


def test_time_belongs_to_the_innermost_kind(monkeypatch, tmp_path):
    module = ModuleType("worked")
    module.inner = lambda: None
    module.outer = lambda: module.inner()
    monkeypatch.setitem(sys.modules, "worked", module)
    seconds = itertools.count()
    monkeypatch.setattr(clock.time, "monotonic", lambda: float(next(seconds)))  # one second between two readings
    monkeypatch.setattr(clock, "RECORD", str(tmp_path / "record"))
    clock.kind_of_work("steps", "worked:inner")
    clock.kind_of_work("problems", "worked:outer")
    clock.begin_grading()
    module.outer()
    clock.end_grading()
    lines = [line.split(" ", 1)[1] for line in (tmp_path / "record").read_text().splitlines()]
    assert lines == ["spent 2.000000 judge", "spent 2.000000 problems", "spent 1.000000 steps", "graded"]


def test_the_table_has_medians_and_their_sum():
    turns = [{"torch": 1.0, "steps": 0.1}, {"torch": 3.0, "steps": 0.2}, {"torch": 2.0, "steps": 0.3}]
    assert [line.split() for line in budget.table(turns, 2.0).splitlines()[1:]] == [
        ["torch", "2000.0", "1.000"],
        ["steps", "200.0", "0.100"],
        ["all", "2300.0", "1.150"],
    ]
