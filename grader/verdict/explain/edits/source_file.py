"""The functions of a student's file, and the code of a node as the student wrote it."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Iterator, Mapping

from grader.results.wording import shortened
from grader.source.parsing import parse_text
from grader.source.syntax import parameters
from grader.verdict.explain.edits.patterns import is_signed_number

MAX_SOURCE_CHARACTERS = 100_000
"""A longer text is not read."""
MAX_CODE_CHARACTERS_QUOTED = 70
"""Characters of the student's code that a message quotes."""
ChildPlace = tuple[ast.AST, str, int | None]
"""(parent, field, index in it)"""
CHANGED_NODES = (ast.expr, ast.stmt, ast.keyword, ast.comprehension)
PARTS = (ast.Name, ast.Constant, ast.UnaryOp, ast.Attribute, ast.Tuple, ast.Slice, ast.keyword)
AROUND_PARTS = (ast.expr, ast.keyword, ast.Assign, ast.AugAssign, ast.AnnAssign)
"""Of a name or a number, a message quotes the first of these around it that is not itself such a part."""


class SourceFile:
    """The functions, constants and imports at the top level of a file. A text that is not Python has none."""

    def __init__(self, source: str) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, ast.Constant] = {}
        self.imports: list[str] = []
        self._lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", source.encode("utf-8", "replace"))
        tree = parse_text(source) if len(source) <= MAX_SOURCE_CHARACTERS else None
        for statement in tree.body if tree is not None else ():
            match statement:
                case ast.FunctionDef(name=name):
                    self.functions[name] = statement
                case ast.Import(names=modules):
                    self.imports += [each.name for each in modules]
                case ast.ImportFrom(module=str(module), level=0):
                    self.imports.append(module)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(args=given, body=body) as value):
                    made = ast.FunctionDef(name, given, [ast.copy_location(ast.Return(body), body)], [])
                    self.functions[name] = ast.copy_location(made, value)
                case ast.Assign(targets=[target], value=value):
                    pairs = zip(getattr(target, "elts", [target]), getattr(value, "elts", [value]), strict=False)
                    constants = ((a, b) for a, b in pairs if isinstance(a, ast.Name) and isinstance(b, ast.Constant))
                    self.constants |= {name.id: constant for name, constant in constants}

    def reached_from(self, name: str) -> list[ast.FunctionDef]:
        """The function, and the file's functions that it calls, in the order in which they are met."""
        found, waiting = dict[str, ast.FunctionDef](), deque([name])
        while waiting:
            due = waiting.popleft()
            if due in self.functions and due not in found:
                function = found[due] = self.functions[due]
                self._keep_texts(function)
                bound = {*(node.arg for node in ast.walk(function) if isinstance(node, ast.arg))}
                bound |= set(assigned_names(function))
                waiting += [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and n.id not in bound]
        return list(found.values())

    def _keep_texts(self, function: ast.FunctionDef) -> None:
        """Gives every expression and assignment of one line its text as `own_text`."""
        for node in ast.walk(function):
            if not isinstance(node, (ast.expr, ast.Assign, ast.AugAssign, ast.Expr)):
                continue
            if node.lineno == node.end_lineno and node.lineno <= len(self._lines):
                text = self._lines[node.lineno - 1][node.col_offset : node.end_col_offset]
                node.own_text = text.decode("utf-8", "replace")  # type: ignore[union-attr]


def parameter_names(function: ast.FunctionDef) -> list[str]:
    """The named parameters, without `*args` and `**kwargs`."""
    return [each.arg for each, _ in parameters(function) if each not in (function.args.vararg, function.args.kwarg)]


def assigned_names(function: ast.FunctionDef) -> list[str]:
    """The variables that a function sets, those of functions inside it included, without repetition."""
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(stored))


def quote(node: ast.AST) -> str:
    """The code of a node in one line, as the student wrote it, shortened where it is long."""
    code = getattr(node, "own_text", None) or ast.unparse(node)
    return shortened(code.replace("`", "'").replace("e-0", "e-"), MAX_CODE_CHARACTERS_QUOTED)  # 1e-5, not 1e-05


def quote_in_context(node: ast.AST, parents: Mapping[int, ast.AST]) -> str:
    """The code of a node; of a name or a number, that of the operation, call or assignment around it."""
    if not isinstance(node, ast.Name | ast.Constant) and not is_signed_number(node):
        return quote(node)
    around = node
    while isinstance(around, PARTS) and isinstance(parents.get(id(around)), AROUND_PARTS):
        around = parents[id(around)]
    outer = parents.get(id(around))
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Pow) and isinstance(outer, ast.BinOp):
        around = outer  # `1 - h ** 2` says more than `h ** 2`
    return quote(around)


def nodes_with_places(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, ChildPlace]]:
    """Every expression and statement in the body, with its place; not what a statement writes to.

    With another `g` in `g[0] = 1` or `g.add_(1)`, the statement would write to something that nobody reads.
    """
    waiting: deque[tuple[ast.AST, ChildPlace]] = deque((s, (function, "body", i)) for i, s in enumerate(function.body))
    receivers: set[int] = set()
    while waiting:
        node, place = waiting.popleft()
        yield node, place
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method) as receiver)) if method.endswith("_"):
                receivers.add(id(receiver))
        is_written_to = id(node) in receivers or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        for name, value in ast.iter_fields(node):
            if name == "value" and is_written_to:
                continue
            if isinstance(value, ast.expr):
                waiting.append((value, (node, name, None)))
            elif isinstance(value, list):
                waiting += [(v, (node, name, i)) for i, v in enumerate(value) if isinstance(v, CHANGED_NODES)]


def replace_node(place: ChildPlace, new: ast.AST) -> ast.AST:
    """Puts a node in a place and returns the old one."""
    parent, name, index = place
    old: ast.AST
    if index is None:
        old = getattr(parent, name)
        setattr(parent, name, new)
    else:
        entries = getattr(parent, name)
        old, entries[index] = entries[index], new
    return old
