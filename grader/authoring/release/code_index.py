"""What pieces of code compute, in canonical form, and which files hold it: whatever names, order and layout are."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.source.code_forms import ComputedValue, bodies, computed_values, whole_function
from grader.source.syntax import FunctionDefinition, all_nodes

MIN_ASSIGNED_MASS, MIN_NAMED_MASS, MIN_RENAMED_MASS, MIN_FORM_CHARACTERS = 2, 5, 8, 16
"""Mass below which code is too short to be known by its canonical form: where the text says which gradient it is, with
its names, and without them (then its form also has MIN_FORM_CHARACTERS, or it is little more than a pair)."""
HINTS_FILE = "lesson.toml"
"""The last hint is nearly the answer: an expression in it is no leak, a function or several statements are."""


@dataclass
class CodeIndex:
    """Everything that pieces of code compute: {canonical form: the files in which it occurs}."""

    named: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    assigned: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    blank: dict[str, list[tuple[str, ComputedValue]]] = field(default_factory=lambda: defaultdict(list))
    functions: dict[str, list[tuple[str, ComputedValue]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, name: str, pieces: Iterable[ast.Module]) -> None:
        """Adds the pieces of code of a file."""
        for tree in pieces:
            try:
                for owner, body in bodies(tree):
                    if name.endswith(HINTS_FILE) and len(body) == 1 and not owner:
                        continue
                    for value in computed_values(body):
                        self.named[value.named].add(name)
                        self.assigned[owner or value.name, value.named].add(name)
                        self.blank[value.blank].append((name, value))
                for node in all_nodes(tree):
                    if isinstance(node, FunctionDefinition):
                        function = whole_function(node)
                        self.functions[function.blank].append((name, function))
            except RecursionError:
                continue

    def with_function(self, function: ComputedValue, mass: int) -> set[str]:
        """The files with a function that does the same."""
        candidates = self.functions.get(function.blank, ()) if mass >= MIN_RENAMED_MASS else ()
        return {name for name, each in candidates if each.renamed == function.renamed}

    def with_value(self, value: ComputedValue, mass: int, gradient: str) -> set[str]:
        """The files with code that computes the same. `gradient` is what a short text must call it."""
        found: set[str] = set()
        if mass >= MIN_ASSIGNED_MASS:
            found |= self.assigned.get((gradient, value.named), set())
        if mass >= MIN_NAMED_MASS:
            found |= self.named.get(value.named, set())
        if mass >= MIN_RENAMED_MASS and (len(value.blank) >= MIN_FORM_CHARACTERS or value.blank.startswith("#")):
            candidates = self.blank.get(value.blank, ())
            found |= {name for name, each in candidates if name not in found and each.renamed == value.renamed}
        return found
