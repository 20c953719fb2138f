"""Names of modules: those that no submission gets, and those of a submission's own files."""

from __future__ import annotations

from collections.abc import Collection

NOT_FROM_THE_STANDARD_LIBRARY = frozenset({"ctypes", "_ctypes", "_ctypes_test"})
"""Raw memory and C functions: the worker refuses them, and no instructor can allow them. Everything else that CPython
lists in sys.stdlib_module_names may be imported."""
NEVER_ALLOWED = NOT_FROM_THE_STANDARD_LIBRARY | {"torch", "grader"}


def importable_name(path: str) -> str:
    """The name under which a submitted file is imported: "utils.ops" for "utils/ops.py"."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def is_beneath(name: str, roots: Collection[str]) -> bool:
    """Whether the module `name` is one of `roots` or beneath one."""
    while name:
        if name in roots:
            return True
        name = name.rpartition(".")[0]
    return False
