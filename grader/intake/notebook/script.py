"""A notebook or a script as one run of statements, in the order of the page, with blocks and called functions opened.

The order is that of the document, not of the execution counts: they are lost when outputs are cleared, and say nothing
of cells run twice.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from grader.intake.notebook.cells import Cell, NotebookError
from grader.intake.notebook.claims import GradientClaim, claims_in
from grader.intake.notebook.inlining import Inliner, is_binder
from grader.intake.notebook.readable_lines import Broken
from grader.source.parsing import PARSE_ERRORS
from grader.source.similar_names import MAX_COMPARED_NAME
from grader.source.statement_names import StatementNames, changed_parameters, names_of_statement
from grader.source.syntax import DefinitionNode, FunctionDefinition, all_nodes, last_name

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

    @cached_property
    def code(self) -> tuple[str, dict[int, int]]:
        """(its code as a file has it, {line of that: line of the cell}); it may be part of many functions."""
        text, found = ast.unparse(self.node), dict[int, int]()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = ast.parse(text).body[0]
        for old, new in zip(all_nodes(self.node), all_nodes(again), strict=False):
            if type(old) is not type(new):
                break
            if isinstance(old, ast.stmt | ast.expr) and isinstance(new, ast.stmt | ast.expr):
                found[new.lineno] = min(old.lineno, found.get(new.lineno, old.lineno))
        return text, found

    @property
    def defines(self) -> str:
        """The name of the function or class that it defines, also as `name = lambda ...`; "" where it defines none."""
        match self.node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                return name
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda()):
                return name
        return ""

    @property
    def computes(self) -> bool:
        """Whether what it binds is computed there: a function or a class is only defined."""
        return not (self.defines or isinstance(self.node, ast.Import | ast.ImportFrom))


def is_opaque(node: ast.stmt) -> bool:
    if isinstance(node, DefinitionNode):
        return False
    return any(last_name(each) in NOT_FOLLOWED for each in all_nodes(node))


@dataclass
class NotebookScript:
    """Attributes:
    texts: {file: text} of each cell.
    statements: in the order in which they run.
    broken: lines that Python cannot read.
    elsewhere: what is assigned in functions, classes and objects only: {name: where}, the beginning of a sentence.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    elsewhere: dict[str, str] = field(default_factory=dict)

    @property
    def functions(self) -> set[str]:
        return {statement.defines for statement in self.statements} - {""}


class Page:
    """Code cells, in which all lessons are looked for."""

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = tuple(cells)

    @cached_property
    def bodies(self) -> list[tuple[str, list[ast.stmt]]]:
        """(file, statements) of each cell."""
        return [(cell.file, cell.parsed[0]) for cell in self.cells]

    @cached_property
    def claims(self) -> list[GradientClaim]:
        """What the cells' own comparisons say."""
        return claims_in(self.bodies)


def script_of(page: Page, gradients: Collection[str], values: Collection[str] = ()) -> NotebookScript:
    """All cells' statements. `gradients` and `values` tell what is opened, see Inliner. Raises NotebookError."""
    inliner = Inliner(page.bodies, gradients, values)
    script = NotebookScript({cell.file: cell.text for cell in page.cells})
    changers: dict[str, frozenset[int]] = {}
    definitions: list[tuple[str, DefinitionNode]] = []
    for cell in page.cells:
        body, broken = cell.parsed
        script.broken += broken
        try:
            for node, file, loop, _ in inliner.statements(cell.file, body):
                if isinstance(node, FunctionDefinition):
                    changers[node.name] = changed_parameters(node)
                if isinstance(node, DefinitionNode):
                    definitions.append((file, node))
                names = names_of_statement(node, changers)
                script.statements.append(Statement(node, file, names, loop, is_binder(node) or is_opaque(node)))
                if len(script.statements) > MAX_STATEMENTS:
                    raise NotebookError(
                        f"it has more than {MAX_STATEMENTS:,} statements. Submit the exercise's cells only."
                    )
        except PARSE_ERRORS:
            script.broken.append(Broken(cell.file, 1, cell.text))
    for file, body in page.bodies:
        note_kept(file, body, script.elsewhere)
    for file, definition in definitions:
        if definition.name not in inliner.opened:
            note_inside(definition, file, script.elsewhere)
    return script


def note_inside(definition: DefinitionNode, file: str, elsewhere: dict[str, str]) -> None:
    """Note the variables that are assigned in a function or class."""
    for node in all_nodes(definition):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            elsewhere.setdefault(node.id, f"`{node.id}` in `{definition.name}` ({file}, line {node.lineno})")


def note_kept(file: str, body: Iterable[ast.stmt], elsewhere: dict[str, str]) -> None:
    """Note the attributes and entries that are assigned: `self.dW1` and `grads["W1"]` under dW1."""
    for node in (each for statement in body for each in all_nodes(statement)):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Store()):
                pass
            case ast.Subscript(value=holder, slice=ast.Constant(str(name)), ctx=ast.Store()):
                if last_name(holder)[:1] in ("d", "g") and name[:1] != "d":  # of `grads`, not of `params`
                    name = f"d{name}"
            case _:
                continue
        if len(name) <= MAX_COMPARED_NAME:
            elsewhere.setdefault(name, f"`{ast.unparse(node)}` ({file}, line {node.lineno})")
