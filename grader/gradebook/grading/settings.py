"""What a run tells its grader processes, here or on other machines."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Settings:
    """What a grader process needs to know, as it travels on its command line."""

    course: str
    lessons: list[str]
    seed: int
    out: str
    seed_given: bool = False  # else it was drawn, and any other would have done as well
    limits: dict[str, Any] = field(default_factory=dict)
    require: str = "none"  # isolation: with less than this nothing is graded
    hide: list[str] = field(default_factory=list)  # folders that student code must not even see
    left_out: list[str] = field(default_factory=list)  # lessons of the course that no submission contains
    program: str = ""  # the module whose `main` a grader process runs; it also publishes, so it is above this package

    def to_json(self) -> str:
        return json.dumps(self.__dict__)
