"""How a nursery starts a grader process."""

from __future__ import annotations

PROGRAM = """
import importlib, sys
importlib.import_module(sys.argv[1]).main(*sys.argv[2:])
"""
"""Its arguments: `Settings.program`, the settings, and the descriptor of a socket of a zygote, if there is one."""
