"""The operating-system isolation is usable by another project: it needs neither torch nor any other part of grader."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from grader.sandbox import isolation

MODULES = sorted(path.stem for path in Path(isolation.__file__).parent.glob("*.py") if path.stem != "__init__")
PROGRAM = """
import importlib, sys
from importlib.abc import MetaPathFinder

OWN = "grader.sandbox.isolation"

class Refuses(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        is_own = OWN.startswith(name) or name.startswith(OWN + ".")
        if not is_own and name.partition(".")[0] not in sys.stdlib_module_names:
            raise ImportError(f"{name} is not available here")

sys.meta_path.insert(0, Refuses())
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", PROGRAM + program], capture_output=True, text=True)


def test_every_module_needs_only_the_standard_library():
    ended = run(f"for module in {MODULES}: importlib.import_module(f'{{OWN}}.{{module}}')\n")
    assert ended.returncode == 0, ended.stderr
    assert "is not available here" in run("import grader.errors").stderr
