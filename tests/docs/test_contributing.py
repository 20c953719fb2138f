"""CONTRIBUTING.md's way through the tree, and the shape of the tree that it describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`?((?:grader|tests|docs|bench)/[\w/]+\.(?:py|md))\b", TEXT)))
MODULES = sorted(
    path for path in (ROOT / "grader").rglob("*.py") if "__pycache__" not in path.parts and path.name != "__init__.py"
)
MAX_LINES = 300


@pytest.mark.parametrize("path", NAMED)
def test_every_file_that_is_named_exists(path):
    assert (ROOT / path).is_file()


def test_the_way_of_a_submission_names_files():
    assert sum(path.startswith("grader/") for path in NAMED) > 30


def test_the_list_of_packages_is_complete():
    listed = re.findall(r"^    (\w+)(?:/|\.py) {2,}", TEXT[TEXT.index("from the bottom up:") :], re.MULTILINE)
    packages = {path.parent.name for path in (ROOT / "grader").glob("*/__init__.py")}
    assert set(listed) == packages | {"errors", "results"}


def test_no_module_is_loose_in_grader():
    assert {path.stem for path in MODULES if path.parent == ROOT / "grader"} <= {"errors", "results", "__main__"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_is_over_300_lines(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= MAX_LINES


IN_EACH_OF_A_FAMILY = {"answer", "close", "main", "pose", "question_about", "regrade", "start"}
"""Entry points, and functions that each member of a family of modules has."""


def test_a_function_or_class_has_a_name_of_its_own():
    found: dict[str, set[Path]] = {}
    for path in MODULES:
        for name in re.findall(r"^(?:async )?(?:def|class) (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(name, set()).add(path)
    twice = {name for name, paths in found.items() if len(paths) > 1}
    assert twice <= IN_EACH_OF_A_FAMILY, "give the new one a name of its own"
