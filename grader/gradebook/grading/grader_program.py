"""What a nursery loads for grader processes, and their program. It imports nothing: a run needs it before all else."""

from __future__ import annotations

PRELOAD = ("grader.publish.grader_process",)
"""Modules that every grader process needs and that hold no secret: a nursery loads them once for all."""
PROGRAM = """
import sys
from grader.publish.grader_process import main
main(*sys.argv[1:])
"""
"""A grader process. It grades and publishes, so its main program is above this package."""
