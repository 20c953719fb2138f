"""A notebook or a script as one run of statements, in the order of the page, with blocks around all of it opened.

The order is that of the document, not of the execution counts: they are lost when outputs are cleared, and say nothing
of cells run twice.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.intake.notebook.batches import with_named_batches
from grader.intake.notebook.cells import Cell, NotebookError
from grader.intake.notebook.claims import Scan, scan_of
from grader.intake.notebook.compared_expressions import with_named_expressions
from grader.intake.notebook.devices import on_the_cpu
from grader.intake.notebook.gradient_claim import GradientClaim
from grader.intake.notebook.main_function import without_main_functions
from grader.intake.notebook.opened_blocks import bound_by_loop, top_level_statements, whole_loops, without_blocks
from grader.intake.notebook.plain_variables import PlainNotebook, plain_notebook
from grader.intake.notebook.readable_lines import Broken, readable_statements
from grader.intake.notebook.spellings import meant_by, names_by_spelling
from grader.intake.notebook.updates import update_claims
from grader.source.parsing import PARSE_ERRORS
from grader.source.statement_names import StatementNames, changed_parameters, names_of_statement
from grader.source.syntax import (
    DefinitionNode,
    FunctionDefinition,
    all_nodes,
    last_name,
)

MAX_STATEMENTS = 5_000
NOT_FOLLOWED = frozenset(
    {"open", "input", "eval", "exec", "compile", "globals", "locals", "vars", "get_ipython", "__import__", "load"}
    | {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "normal", "multinomial", "Generator"}
    | {"manual_seed", "read_csv", "read_text", "loadtxt"}
)
"""Means of making a value that is not computed from the forward pass: chance, files, text run as code."""


@dataclass(frozen=True)
class Statement:
    """`loop` is the number of the outermost loop around it. `opaque`: it binds names to what is not computed."""

    node: ast.stmt
    file: str
    names: StatementNames
    loop: int | None = None
    opaque: bool = False

    @property
    def line(self) -> int:
        return self.node.lineno

    @property
    def computes(self) -> bool:
        """Whether what it binds is computed there: a function or a class is only defined."""
        return not isinstance(self.node, DefinitionNode | ast.Import | ast.ImportFrom)


def is_opaque(node: ast.stmt) -> bool:
    if isinstance(node, DefinitionNode):
        return False
    return any(last_name(each) in NOT_FOLLOWED for each in all_nodes(node))


@dataclass
class NotebookScript:
    """`inside` are names assigned in a function or class only, with the place: {name: (function, file, line)}."""

    statements: list[Statement] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    inside: dict[str, tuple[str, str, int]] = field(default_factory=dict)

    @property
    def functions(self) -> set[str]:
        return {s.node.name for s in self.statements if isinstance(s.node, DefinitionNode)}


class Page:
    """Code cells, parsed once for all lessons that are looked for in them."""

    def __init__(self, cells: Sequence[Cell], plain: PlainNotebook | None = None) -> None:
        """With `plain`, the statements are those, and not the cells' own."""
        self.cells = tuple(cells)
        self.files: Mapping[int, str] = plain.files if plain else {}
        self.shown: Mapping[str, str] = plain.shown if plain else {}
        self.gradients: Collection[str] = plain.gradients if plain else ()
        self.written_out: Collection[str] = plain.opened if plain else ()
        self._plain = plain
        self._without_objects: dict[tuple[frozenset[str], frozenset[str]], Page | None] = {}
        self.written: dict[int, tuple[ast.stmt, str, dict[int, int]]] = {}  # see as_file.FileWriter
        self._opaque: dict[int, bool] = {}
        self._names: dict[tuple[int, int], StatementNames] = {}  # by statement and by the changers before it

    @cached_property
    def _scan(self) -> Scan:
        return scan_of((cell.file, body) for cell, (body, _) in zip(self.cells, self.parsed, strict=True))

    @cached_property
    def claims(self) -> list[GradientClaim]:
        """What the cells' own comparisons and updates say."""
        looping = self._scan.looping
        cells = ((cell.file, body) for cell, (body, _) in zip(self.cells, self.parsed, strict=True))
        return [*self._scan.claims(), *update_claims(each for each in cells if each[0] in looping)]

    @property
    def stored(self) -> set[str]:
        """Every name that is assigned anywhere."""
        return self._scan.stored

    def possible_gradients(self, gradients: Collection[str]) -> set[str]:
        """Names that the page assigns and that may be these gradients: they tell a loop around the backward pass."""
        values = names_by_spelling(name[1:] for name in gradients)
        found = {claim.variable for claim in self.claims} | {*self.gradients}
        return found | {name for name in self.stored if meant_by(name, values) is not None}

    def has_loop(self, cell: Cell) -> bool:
        return cell.file in self._scan.looping

    def is_opaque(self, node: ast.stmt) -> bool:
        if bound_by_loop(node):
            return True
        if id(node) not in self._opaque:
            self._opaque[id(node)] = is_opaque(node)
        return self._opaque[id(node)]

    @cached_property
    def parsed(self) -> list[tuple[list[ast.stmt], list[Broken]]]:
        """For each cell its statements, and the lines that Python cannot parse."""
        found = [readable_statements(cell.file, cell.text) for cell in self.cells]
        if self._plain is None:
            bodies = without_main_functions([without_blocks(body) for body, _ in found])
            bodies, batches = with_named_batches([without_blocks(body) for body in bodies])
            bodies, compared = with_named_expressions(bodies)
            self.shown = batches | compared
            return [
                (on_the_cpu(body, cell.text), broken)
                for cell, body, (_, broken) in zip(self.cells, bodies, found, strict=True)
            ]
        return [(body, broken) for body, (_, broken) in zip(self._plain.bodies, found, strict=True)]

    def without_objects(self, names: frozenset[str], gradients: frozenset[str]) -> Page | None:
        """The page as `plain_notebook` writes it; None where that changes nothing."""
        key = names, gradients
        if key not in self._without_objects:
            bodies = [(cell.file, body) for cell, (body, _) in zip(self.cells, self.parsed, strict=True)]
            try:
                plain = plain_notebook(bodies, names, gradients)
            except PARSE_ERRORS:
                plain = None
            if plain is not None:
                plain.shown |= self.shown
            self._without_objects[key] = Page(self.cells, plain) if plain else None
        return self._without_objects[key]

    def names_of(self, node: ast.stmt, changers: Mapping[str, frozenset[int]], version: int) -> StatementNames:
        if isinstance(node, ast.For) and not node.body:  # a binder, made anew for each lesson
            return names_of_statement(node, changers)
        key = id(node), version
        if key not in self._names:
            self._names[key] = names_of_statement(node, changers)
        return self._names[key]


def script_of(page: Page, gradients: Collection[str]) -> NotebookScript:
    """All cells' statements. `gradients` are the names that tell a loop around all. Raises NotebookError."""
    script = NotebookScript()
    changers: dict[str, frozenset[int]] = {}
    version = loops = 0
    for cell, (body, broken) in zip(page.cells, page.parsed, strict=True):
        script.broken += broken
        try:
            whole = whole_loops(body, frozenset(gradients)) if page.has_loop(cell) else ()
            for node, loop in top_level_statements(body, whole, loops, frozenset(gradients)):
                loops = max(loops, loop or 0)
                if isinstance(node, FunctionDefinition):
                    changers[node.name] = changed_parameters(node)
                    version = hash((version, node.name, changers[node.name]))
                if isinstance(node, DefinitionNode):
                    note_inside(node, cell.file, script.inside, page.written_out)
                names = page.names_of(node, changers, version)
                file = page.files.get(id(node), cell.file)
                script.statements.append(Statement(node, file, names, loop, page.is_opaque(node)))
                if len(script.statements) > MAX_STATEMENTS:
                    raise NotebookError(
                        f"it has more than {MAX_STATEMENTS:,} statements. Submit the exercise's cells only."
                    )
        except PARSE_ERRORS:
            script.broken.append(Broken(cell.file, 1, cell.text))
    return script


def note_inside(
    node: DefinitionNode, file: str, inside: dict[str, tuple[str, str, int]], written_out: Collection[str]
) -> None:
    """Note what is assigned in a function or class, except in functions `written_out` where they are called."""
    parts = [node] if isinstance(node, FunctionDefinition) else node.body
    open_ = [each for each in parts if getattr(each, "name", "") not in written_out]
    for each in (inner for part in open_ for inner in all_nodes(part)):
        if isinstance(each, ast.Name | ast.Attribute | ast.Subscript) and isinstance(each.ctx, ast.Store):
            key = each.slice.value if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant) else ""
            inside.setdefault(last_name(each) or str(key), (node.name, file, each.lineno))
