"""Which files of a kit compute what a secret function computes, whatever the names, the order and the layout are."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from grader.authoring.release.code_in_text import code_in
from grader.source.code_forms import (
    ComputedValue,
    bodies,
    computed_values,
    mass_of_function,
    returned_value,
    whole_function,
)
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, all_nodes

MIN_ASSIGNED_MASS, MIN_NAMED_MASS, MIN_RENAMED_MASS, MIN_FORM_CHARACTERS = 2, 5, 8, 16
"""Mass below which a function is too short to be known by its canonical form: where the text says which gradient it is,
with its names, and without them (then its form also has MIN_FORM_CHARACTERS, or it is little more than a pair)."""
HINTS_FILE = "lesson.toml"
"""The last hint is nearly the answer: an expression in it is no leak, a function or several statements are."""


@dataclass(frozen=True)
class SecretForm:
    """A function of solutions/ in its canonical form. `result` is None for one that does more than return a value."""

    name: str
    mass: int
    function: ComputedValue
    result: ComputedValue | None = None

    @property
    def answers(self) -> str:
        """The function that it is an answer to: `dz` for a mistake `dz__averaged`, and `__add__` itself."""
        return self.name.partition("__")[0] or self.name


def secret_forms(text: str) -> Iterator[SecretForm]:
    """The functions in a Python file of solutions/."""
    tree = parse_text(text)
    for node in all_nodes(tree) if tree is not None else ():
        if isinstance(node, FunctionDefinition):
            with suppress(RecursionError):
                mass = mass_of_function(node)
                yield SecretForm(node.name, mass, whole_function(node), returned_value(node.body))


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
                    for result in computed_values(body):
                        self.named[result.named].add(name)
                        self.assigned[owner or result.name, result.named].add(name)
                        self.blank[result.blank].append((name, result))
                for node in all_nodes(tree):
                    if isinstance(node, FunctionDefinition):
                        function = whole_function(node)
                        self.functions[function.blank].append((name, function))
            except RecursionError:
                continue

    def holders(self, secret: SecretForm) -> set[str]:
        """The files that hold a secret function, or a line that computes the same."""
        found: set[str] = set()
        result = secret.result
        if secret.mass >= MIN_RENAMED_MASS:
            candidates = self.functions.get(secret.function.blank, ())
            found |= {name for name, each in candidates if each.renamed == secret.function.renamed}
        if result is None:
            return found
        if secret.mass >= MIN_ASSIGNED_MASS:
            found |= self.assigned.get((secret.answers, result.named), set())
        if secret.mass >= MIN_NAMED_MASS:
            found |= self.named.get(result.named, set())
        if secret.mass >= MIN_RENAMED_MASS and (
            len(result.blank) >= MIN_FORM_CHARACTERS or result.blank.startswith("#")
        ):
            results = self.blank.get(result.blank, ())
            found |= {name for name, each in results if name not in found and each.renamed == result.renamed}
        return found


def code_index(texts: dict[str, str]) -> CodeIndex:
    """The index of a kit's files, {name: text}."""
    found = CodeIndex()
    for name, text in texts.items():
        found.add(name, code_in(name, text))
    return found
