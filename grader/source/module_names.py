"""Modules that no submission gets, by name. The worker refuses them and no instructor can allow them."""

from __future__ import annotations

NOT_FROM_THE_STANDARD_LIBRARY = frozenset({"ctypes", "_ctypes", "_ctypes_test"})
"""Raw memory and C functions. Everything else that CPython lists in sys.stdlib_module_names may be imported."""
NEVER_ALLOWED = NOT_FROM_THE_STANDARD_LIBRARY | {"torch", "grader"}
