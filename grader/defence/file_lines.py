"""The lines of a student's functions that a defence can ask about. Only text is read: nothing here imports torch.

`source_reader()` calls these functions in a process with limits, because a student wrote the text.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from grader.defence.changed_lines import Variant, equal_versions, variants, wrong_templates, wrong_versions
from grader.source.parsing import parse_text

MAX_LINE_CHARACTERS_SHOWN = 110
"""Characters of a line that a question can show."""
MAX_REWRITTEN_LINES = 200
MAX_LINES_OF_ONE_KIND = 6
"""Rewritten lines from which wrong ones are made, and wrong ones made from each."""
COPY_NAME, TRACE_PREFIX = "_defence_copy", "_defence_trace_"
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
        name: what it computes: the assigned name, or the function's name where it is returned.
        code: the expression in one line.
        names: the values that it reads, in the order in which they appear.
        is_returned: whether the function returns it.
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
    """A function of the file: its parameters, and the text of a copy that returns the values which each line reads.

    `is_shown` if questions can show most of what it computes: at least half of its statements, and no helper.
    """

    name: str
    parameters: tuple[str, ...]
    trace: str
    lines: tuple[FileLine, ...]
    is_shown: bool = False


def functions_in(source: str, wanted: Sequence[str]) -> list[FileFunction]:
    """The functions of these names with their lines. A text that is not Python has none."""
    tree = parse_text(source)
    if tree is None:
        return []
    nodes = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in wanted}
    functions, number = [], 0
    for function in nodes.values():
        used = functions_used(function, tree)
        read = list(lines_of(function, number, used))
        number += len(read)
        if number > MAX_REWRITTEN_LINES or function.decorator_list:
            break
        arguments = function.args
        if arguments.vararg or arguments.kwarg:
            continue
        parameters = tuple(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
        places = {index: line for index, line in read}
        found = tuple(places.values())
        hidden = [at for at, each in enumerate(function.body) if at not in places and not computes_nothing(each)]
        is_shown = len(hidden) <= len(places) and used <= set(wanted)
        functions.append(FileFunction(function.name, parameters, trace_of(function, places), found, is_shown))
    return functions


def functions_used(node: ast.AST, tree: ast.Module) -> set[str]:
    """The file's own functions that a part of it reads, under names that this part gives no value itself."""
    names = [each for each in ast.walk(node) if isinstance(each, (ast.Name, ast.arg))]
    local = {each.arg if isinstance(each, ast.arg) else each.id for each in names if not is_read(each)}
    own = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)} - local
    return {each.id for each in names if isinstance(each, ast.Name) and each.id in own}


def is_read(node: ast.Name | ast.arg) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def lines_of(function: ast.FunctionDef, number: int, used: set[str]) -> Iterator[tuple[int, FileLine]]:
    """(the statement's index in the body, the line) of every line that a question can be about.

    It reads none of `used`, the file's other functions: such a line shows a call, and not what is computed.
    """
    arguments = function.args
    parameters = {each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    known = set(parameters)
    for index, statement in enumerate(function.body):
        expression = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
        name = function.name
        if isinstance(statement, ast.Assign):
            targets = statement.targets
            name = targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""
        if expression is not None and name and can_be_shown(expression, used):
            code = ast.unparse(expression)
            read = names_read(expression, known)
            if read and len(code) <= MAX_LINE_CHARACTERS_SHOWN and "\n" not in code:
                is_returned = isinstance(statement, ast.Return)
                yield index, FileLine(function.name, number, name, code, read, is_returned, set(read) <= parameters)
                number += 1
        known |= {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


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


def trace_of(function: ast.FunctionDef, places: dict[int, FileLine]) -> str:
    """A copy of the function that returns {number of a line: {name: its value just before}} where it would return."""
    traced = copy.deepcopy(function)
    traced.name = TRACE_PREFIX + function.name
    body: list[ast.stmt] = ast.parse("_defence_seen = {}").body
    for index, statement in enumerate(traced.body):
        if index in places:
            line = places[index]
            values = ", ".join(f"{name!r}: {COPY_NAME}({name})" for name in line.names)
            body += ast.parse(f"_defence_seen['{line.number}'] = {{{values}}}").body
        if isinstance(statement, ast.Return):
            break
        body.append(statement)
    body += ast.parse("return _defence_seen").body
    traced.body = body
    return ast.unparse(ast.fix_missing_locations(traced))


def versions_of(lines: Sequence[tuple[str, Sequence[str]]]) -> list[dict[str, list[Variant]]]:
    """Other lines for each (code, names): "equal" ones, "wrong" ones, wrong ones that are rewritten, and the reverse.

    Whether they are equal or wrong is for a run to say.
    """
    found = []
    for code, names in lines:
        wrong = wrong_versions(code, names)
        again = [
            Variant(each.kind, other.code, each.words)
            for each in wrong
            for other in equal_versions(each.code, most=2, deep=False)
        ]
        equal = equal_versions(code)
        alike = wrong_alike(equal)
        found.append({"equal": equal, "wrong": wrong, "wrong_rewritten": again, "wrong_alike": alike})
    return found


def wrong_alike(rights: Sequence[Variant]) -> list[Variant]:
    """Rewritten lines with a mistake in one part: as long as the rewritten ones that are right."""
    found: dict[str, Variant] = {}
    for right in evenly(rights):
        for each in evenly(list(variants(right.code, wrong_templates))):
            found.setdefault(each.code, each)
    return list(found.values())


def evenly(several: Sequence[Variant]) -> Sequence[Variant]:
    """Up to MAX_LINES_OF_ONE_KIND of them, from the first to the last."""
    count = min(MAX_LINES_OF_ONE_KIND, len(several))
    return [several[place * len(several) // count] for place in range(count)]
