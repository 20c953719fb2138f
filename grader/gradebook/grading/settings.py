"""What a run tells its grader processes, here or on other machines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
"""
"""Its arguments: `Settings.program`, the settings, and the descriptor of a socket of a zygote, if there is one."""


@dataclass(frozen=True)
class Settings:
    """What a grader process needs to know, as it travels on its command line."""

    course: str
    lessons: list[str]
    seed: int
    out: str
    program: str = field(kw_only=True)  # the module whose `main` a grader process runs; a nursery loads it for all
    seed_given: bool = False  # else it was drawn, and any other would have done as well
    limits: dict[str, Any] = field(default_factory=dict)
    require: str = "none"  # isolation: with less than this nothing is graded
    hide: list[str] = field(default_factory=list)  # folders that student code must not even see
    reports: bool = True  # whether grader processes write the students' folders in `out`
    without_report: list[str] = field(default_factory=list)  # students whose folder they leave alone
    course_settings: dict[str, str] = field(default_factory=dict)  # in place of those in course.toml
    left_out: list[str] = field(default_factory=list)  # lessons of the course that no submission contains
    isolation: dict[str, Any] | None = None  # what the coordinator found on the same machine, else a grader probes
    cache: bool = True  # a verdict on a function serves every submission that contains the same function

    def has_report(self, student: str) -> bool:
        """Whether a grader process writes this student's folder."""
        return self.reports and student not in self.without_report

    def to_json(self) -> str:
        return json.dumps(self.__dict__)
