"""The lines of a student's functions that a defence can ask about. Only text is read: nothing here imports torch.

`source_reader()` calls these functions in a process with limits, because a student wrote the text.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from grader.source.parsing import parse_text
from grader.source.syntax import nested_statements
from grader.verdict.explain.edits.source_file import ChildPlace, assigned_names, parameter_names, replace_node

MAX_LINE_CHARACTERS_SHOWN = 110
"""Characters of a line that a question can show."""
MAX_REWRITTEN_LINES = 200
NOTE_FUNCTION = "_defence_note"
CALL = "call of "
"""Begins the number of the note that a function makes when it is called."""
NO_FIXED_VALUE = re.compile(r"empty|rand|normal_?$|bernoulli|multinomial|poisson|dropout|uniform|exponential_$")
"""Names of calls whose value is not decided by what they read: unused memory, and random numbers."""
CONSTANT = re.compile(r"^(new_)?(zeros|ones|full|eye|arange)(_like)?$")
"""Names of calls whose value is the same whatever the tensors hold."""
NOT_SHOWN = (ast.Lambda, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.IfExp, ast.JoinedStr, ast.Starred)


@dataclass(frozen=True)
class FileLine:
    """An expression that a function assigns to one name, or returns.

    Attributes:
        function: the student's function; `number` counts the lines of the file.
        name: what it computes: the assigned name, or `f(...)` for what the function returns.
        code: the expression in one line.
        names: the values that it reads, in the order in which they appear.
        is_returned: whether it is all that the function returns.
        is_whole: whether it reads the function's parameters only.
    """

    function: str
    number: int
    name: str
    code: str
    names: tuple[str, ...]
    is_returned: bool
    is_whole: bool


@dataclass(frozen=True)
class FileFunction:
    """A function of the file, its lines, and the text of a copy of the same name that notes what each line reads.

    `repeated` are the names that it gives a value more than once: "your line for `h`" would be several lines. It
    `is_shown` if questions can show most of what it computes: at least half of its statements, and no helper.
    """

    name: str
    parameters: tuple[str, ...]
    lines: tuple[FileLine, ...]
    noting: str = ""
    repeated: tuple[str, ...] = ()
    is_shown: bool = False

    @classmethod
    def from_data(cls, values: Mapping[str, Any]) -> FileFunction:
        """What another process has read."""
        lines = tuple(FileLine(**{**each, "names": tuple(each["names"])}) for each in values["lines"])
        of_texts = {name: tuple(values[name]) for name in ("parameters", "repeated")}
        return cls(**{**values, **of_texts, "lines": lines})


LinePlace = tuple[FileLine, ast.stmt, ChildPlace]
"""A line, its statement, and where its expression is."""


def functions_in(source: str, wanted: Sequence[str]) -> list[FileFunction]:
    """The functions of these names with their lines. A text that is not Python has none."""
    found, number = [], 0
    for function in plain_definitions(source, wanted):
        places = list(places_in(function, number, source))
        number += len(places)
        if number > MAX_REWRITTEN_LINES:
            break
        parameters = tuple(parameter_names(function))
        targets = [each for line in nested_statements(function.body) for each in targets_of(line)]
        repeated = tuple(name for name, count in Counter([*parameters, *targets]).items() if count > 1)
        with_lines = {id(statement) for _, statement, _ in places}
        hidden = [each for each in function.body if id(each) not in with_lines and not computes_nothing(each)]
        is_shown = len(hidden) <= len(with_lines) and functions_used(function, ast.parse(source)) <= set(wanted)
        lines = tuple(line for line, _, _ in places)
        found.append(FileFunction(function.name, parameters, lines, noting(function, places), repeated, is_shown))
    return found


def with_line(source: str, function: str, name: str, old: str, new: str) -> str:
    """The function with `new` in place of its line `name = old`; "" where it has that line twice, or not at all."""
    for node in plain_definitions(source, [function]):
        lines = list(places_in(node, 0, source))
        found = [place for line, _, place in lines if (line.code, line.name) == (old, name)]
        if len(found) == 1:
            replace_node(found[0], ast.parse(new, mode="eval").body)
            return ast.unparse(ast.fix_missing_locations(node))
    return ""


def plain_definitions(source: str, wanted: Sequence[str]) -> list[ast.FunctionDef]:
    tree = parse_text(source)
    defined = [each for each in tree.body if isinstance(each, ast.FunctionDef)] if tree is not None else []
    found = {each.name: each for each in defined if each.name in wanted}
    return [each for each in found.values() if not (each.decorator_list or each.args.vararg or each.args.kwarg)]


def places_in(function: ast.FunctionDef, number: int, source: str) -> Iterator[LinePlace]:
    """The lines of a function, also those inside loops and branches, and each part of a tuple that it returns.

    None that reads another function of the file's: it would show a call, and not what is computed.
    """
    used = functions_used(function, ast.parse(source))
    parameters, stored = set(parameter_names(function)), set(assigned_names(function))
    for statement in nested_statements(function.body):
        for name, place, expression in expressions_in(function.name, statement):
            code = ast.unparse(expression)
            read = names_read(expression, parameters | stored) if can_be_shown(expression, used) else ()
            if read and len(code) <= MAX_LINE_CHARACTERS_SHOWN and "\n" not in code:
                is_whole = isinstance(statement, ast.Return) and expression is statement.value
                line = FileLine(function.name, number, name, code, read, is_whole, set(read) <= parameters - stored)
                yield line, statement, place
                number += 1


def expressions_in(function: str, statement: ast.stmt) -> Iterator[tuple[str, ChildPlace, ast.expr]]:
    """(what it computes, where it is, the expression): of an assignment, or of a return, part by part."""
    match statement:
        case ast.Assign(targets=[ast.Name() | ast.Subscript() as target], value=value):
            yield ast.unparse(target), (statement, "value", None), value
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values) as several):
            for at, (name, each) in enumerate(zip(names, values, strict=False)):
                yield ast.unparse(name), (several, "elts", at), each
        case ast.Return(value=ast.Tuple(elts=values) as several):
            for at, each in enumerate(values):
                yield f"{function}(...)[{at}]", (several, "elts", at), each
        case ast.Return(value=ast.expr() as value):
            yield f"{function}(...)", (statement, "value", None), value


def targets_of(statement: ast.stmt) -> list[str]:
    """What an assignment or a loop gives a value, as it is written."""
    targets = list(getattr(statement, "targets", []))
    if isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For)):
        targets = [statement.target]
    return [ast.unparse(each) for target in targets for each in getattr(target, "elts", [target])]


def noting(function: ast.FunctionDef, places: Sequence[LinePlace]) -> str:
    """A copy of the function that notes that it is called, and what a line reads, before it goes on."""
    notes: dict[int, list[ast.stmt]] = {}
    for line, statement, _ in places:
        notes.setdefault(id(statement), []).extend(note(str(line.number), line.names))

    class Noting(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
            before = notes.get(id(node), [])
            node = self.generic_visit(node)
            return [*before, node] if before and isinstance(node, ast.stmt) else node

    text = Noting().visit(function)
    assert isinstance(text, ast.FunctionDef)
    text.body[:0] = note(CALL + function.name, ())
    return ast.unparse(ast.fix_missing_locations(text))


def note(number: str, names: Sequence[str]) -> list[ast.stmt]:
    values = ", ".join(f"{name!r}: {name}" for name in names)
    return ast.parse(f"{NOTE_FUNCTION}({number!r}, {{{values}}})").body


def functions_used(node: ast.AST, tree: ast.Module) -> set[str]:
    """The file's own functions that a part of it reads, under names that this part gives no value itself."""
    names = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.arg))]
    local = {each.arg if isinstance(each, ast.arg) else each.id for each in names if not is_read(each)}
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)} - local
    return {each.id for each in names if isinstance(each, ast.Name) and each.id in own}


def is_read(node: ast.Name | ast.arg) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def can_be_shown(expression: ast.expr, used: Collection[str] = ()) -> bool:
    """Whether it is arithmetic: more than a name or a number, and nothing that only Python's control flow does.

    What it reads must decide its value: a key about random numbers would be wrong in the next run.
    """
    if isinstance(expression, (ast.Name, ast.Constant, ast.Tuple, ast.List, ast.Dict)):
        return False
    nodes = list(ast.walk(expression))
    if isinstance(expression, ast.Call) and CONSTANT.search(function_called(expression)):
        return False
    called = [function_called(n) for n in nodes if isinstance(n, ast.Call)]
    if any(NO_FIXED_VALUE.search(name) for name in called) or any(
        n.id in used for n in nodes if isinstance(n, ast.Name)
    ):
        return False
    comprehensions = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return len(nodes) < 80 and not any(isinstance(node, (*NOT_SHOWN, *comprehensions)) for node in nodes)


def computes_nothing(statement: ast.stmt) -> bool:
    """Whether it is a docstring, or gives a name to a value or to a constant tensor."""
    value = getattr(statement, "value", None)
    is_constant = isinstance(value, ast.Call) and CONSTANT.search(function_called(value)) is not None
    return isinstance(statement, (ast.Expr, ast.Assign, ast.Return)) and (
        is_constant or isinstance(value, (ast.Name, ast.Constant))
    )


def function_called(call: ast.Call) -> str:
    return str(getattr(call.func, "attr", getattr(call.func, "id", "")))


def names_read(expression: ast.expr, known: set[str]) -> tuple[str, ...]:
    """The local names that an expression reads; other names are the file's or Python's own."""
    nodes = sorted(
        (node for node in ast.walk(expression) if isinstance(node, ast.Name)),
        key=lambda node: (node.lineno, node.col_offset),
    )
    return tuple(dict.fromkeys(node.id for node in nodes if node.id in known and not hasattr(builtins, node.id)))
