"""Numerical differentiation in a submission, read from the text: which gradients depend on it, in which line.

Two methods: difference quotients (`differences`) and complex numbers (`complex numbers`). Only what a graded function
returns counts: a comparison that it prints, a self-check under ``if __name__ == "__main__":`` and a function that no
step calls are the student's own business. So is automatic differentiation that students wrote themselves, with dual
numbers or with a tape: its rules are the chain rule.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.sandbox.policy.difference_quotients import Quotients
from grader.source.module_names import importable_name
from grader.source.parsing import MAX_PARSED_BYTES, parse_submitted, utf8_text
from grader.source.program import Program
from grader.source.program_slice import ProgramSlice
from grader.source.scopes import Binding, Scope
from grader.source.syntax import FunctionNode, last_name

METHODS = {
    "differences": "a difference quotient",
    "complex numbers": "complex numbers",
}


MAX_NAMES_TO_A_GRADIENT = 6  # on the way from what is returned to the expression of one gradient


@dataclass(frozen=True, order=True)
class Observation:
    """That a gradient depends on numerical differentiation.

    Attributes:
        row: the gradient.
        method: a key of METHODS.
        line: where, counted from 1, in the file `filename`.
    """

    row: str
    method: str
    line: int
    filename: str


def sentence(observation: Observation, main: str, counts: bool) -> str:
    """The message for the student: what was observed, and what is expected."""
    where = f"Line {observation.line}"
    if observation.filename != main:
        where = f"Line {observation.line} of {observation.filename}"
    found = f"{where} uses {METHODS[observation.method]} (numerical differentiation)"
    if counts:
        return f"{found}. This course gives points for it."
    return (
        f"{found}, so this gradient is not counted. Write it by the chain rule: upstream gradient times local "
        "derivative, from the values that the function receives."
    )


# ---- which files need to be read ----

# What a file must contain in which one of the methods is found. A right file mostly has nothing of it. Each pattern
# begins with a character that is rare, so that searching for it takes a few microseconds.
_COMPLEX = frozenset({"complex", "complex64", "complex128", "cfloat", "cdouble", "csingle", "polar", "view_as_complex"})
_NUMERICAL_WORDS = frozenset(
    _COMPLEX
    | {"imag", "cmath"}
    | {"eye", "vmap", "identity", "finfo", "float_info", "Decimal", "Fraction", "linspace", "logspace", "polyfit"}
    | {"vander", "lstsq"}
    | {"fromhex", "Polynomial", "Chebyshev", "chebyshev", "chebfit", "approx_fprime"}
)
_NUMERICAL_WORD = re.compile(r"[^\W\d]\w*")
_STEPS = (
    re.compile(r"\][ \t]*(?:\+=[ \t]*[\d.(-]|=[ \t]*1(?:\.0?)?[ \t]*(?:$|[;#]))", re.MULTILINE),
    re.compile(
        r"/[ \t]*\(*[ \t]*(?:[\d.]+[ \t]*\*[ \t]*)?(?:(?:eps|epsilon|h|step|delta)\b(?![.(])|\d{3}|2(?:\.0)?[ \t]*\*\*)"
    ),
    re.compile(r"<<[ \t]*\d|one_hot\([ \t]*torch\.(?:tensor|arange|full)"),
    re.compile(r"\.gradient\(|==[ \t]*torch\.arange|arange\([^()\n]*\)[ \t]*=="),
)
_SMALL = re.compile(r"(?:\d[eE]-\d|\d[jJ]\b|(?<!\d)0?\.(?:0+[1-9]|[12])\d*|\*\*[ \t]*-)")
_HARMLESS = re.compile(
    r"(?:[+]=? ?|\badd_?\(|\breturn |\belse |\beps(?:ilon)?(?:: float)? ?= ?|\bmomentum ?= ?|-)[\d.]*$"
)
_MINUS_CALL = re.compile(r"\)[ \t]*-[ \t]*([\w.]+\()")  # f(up) - f(down)
_POWER_OF = re.compile(r"(?:\b10|\b2|\.[05])(?:\.0?)?[ \t]*$")
_LEXEME = re.compile(
    r"""(#[^\n]*|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z))"""
    r"""|"(?:\\[^\n]|[^"\\\n])*"?|'(?:\\[^\n]|[^'\\\n])*'?""",
    re.DOTALL,
)
"""A comment or a string in three quotes (the group), or another string: what looks like a comment in it is not one."""
_NESTED = re.compile(r"""\b(?:[ft]|r[ft]|[ft]r)["']|\\\n""", re.IGNORECASE)
"""Strings with strings in them, since Python 3.12, and strings that go on in the next line."""


def code_words(source: bytes) -> set[str]:
    """The words of a file outside its comments and its longer strings."""
    text = utf8_text(source)
    return set(_NUMERICAL_WORD.findall(source.decode("latin-1") if text is None else without_prose(text)))


def without_prose(text: str) -> str:
    """Without comments and strings in three quotes, unless a file is written so that finding them takes a parser."""
    return text if _NESTED.search(text) else _LEXEME.sub(lambda found: "" if found[1] else found[0], text)


def may_differentiate_numerically(source: bytes) -> bool:
    """Whether a file may hold numerical differentiation, from its words alone."""
    text = utf8_text(source)
    if text is None:
        return True
    text = without_prose(text)
    if not _NUMERICAL_WORDS.isdisjoint(_NUMERICAL_WORD.findall(text)) or any(
        pattern.search(text) for pattern in _STEPS
    ):
        return True
    for found in _MINUS_CALL.finditer(text):
        if found[1] in text[max(0, found.start() - 80) : found.start()].rpartition("\n")[2]:
            return True
    for found in _SMALL.finditer(text):
        before = text[max(0, found.start() - 24) : found.start()]
        if found[0].startswith("**"):
            if _POWER_OF.search(before):
                return True
        elif found[0][-1] in "jJ" or not _HARMLESS.search(before):
            return True
    return False


# ---- what is found ----


def observe(
    source: bytes,
    filename: str,
    rows: Mapping[str, tuple[str, Sequence[str]]],
    neighbours: Mapping[str, bytes] | None = None,
) -> list[Observation]:
    """The rows whose gradients depend on numerical differentiation, one observation per row.

    `rows` is {row: (its function or `Class.method`, the gradients that it returns together, or none)}. Raises
    nothing, whatever the bytes are: a file that cannot be parsed has no observations.
    """
    files = parse_files(source, filename, neighbours or {})
    if not files:
        return []
    program = Program(files)
    begins: dict[str, Begin] = {}
    for row, (function, together) in rows.items():
        entry = program.entry(*function.partition(".")[::2])
        if entry is not None:
            begins[row] = begin_of(program, *entry, row, together)
    every = ProgramSlice(program, [value for begin in begins.values() for value in begin.values])
    if not any(begin.changes for begin in begins.values()) and first_of(every) is None:
        return []  # a right file that looked suspicious: read once, not once per row
    found: list[Observation] = []
    known: dict[tuple[int, ...], tuple[str, int, str] | None] = {}
    for row, begin in begins.items():
        key = tuple(sorted([*(id(node) for node, _ in begin.values), *(id(change) for change, _ in begin.changes)]))
        if key not in known:
            known[key] = first_of(ProgramSlice(program, begin.values, changes=begin.changes))
        if (first := known[key]) is not None:
            found.append(Observation(row, *first))
    return found


def parse_files(source: bytes, filename: str, neighbours: Mapping[str, bytes]) -> dict[str, tuple[str, ast.Module]]:
    """{module name: (file name, tree)} of the graded file and of its neighbours, the shortest first; {} where Python
    cannot parse the graded file.

    Of all files together MAX_PARSED_BYTES are parsed: a tree takes a hundred times as much memory as its text.
    """
    files: dict[str, tuple[str, ast.Module]] = {}
    left = MAX_PARSED_BYTES
    for name, text in [(filename, source), *sorted(neighbours.items(), key=lambda entry: len(entry[1]))]:
        left -= len(text)
        tree = parse_submitted(text, name) if left >= 0 else None
        if tree is not None:
            files[importable_name(name)] = name, tree
        elif name == filename:
            return {}
    return files


def first_of(whole: ProgramSlice) -> tuple[str, int, str] | None:
    """(method, line, file) of what is found first in the file, of the first method that is found."""
    for method, nodes in (("complex numbers", complex_numbers(whole)), ("differences", Quotients(whole).find())):
        places = [(file_of(node, whole), getattr(node, "lineno", 1)) for node in nodes]
        if places:
            file, line = min(places)
            return method, line, file
    return None


def file_of(node: ast.AST, whole: ProgramSlice) -> str:
    known = whole.nodes.get(id(node))
    return known[1].module.file if known else next(iter(whole.program.modules.values())).file


def complex_numbers(whole: ProgramSlice) -> Iterator[ast.AST]:
    """Where complex numbers are made, in a slice that also takes their imaginary parts."""
    makes: list[ast.AST] = []
    takes = False
    for node, _ in whole.nodes.values():
        if isinstance(node, ast.Constant):
            if isinstance(node.value, complex):
                makes.append(node)
                takes = True
        elif isinstance(node, ast.Name | ast.Attribute):
            name = last_name(node)
            if name in _COMPLEX:
                makes.append(node)
            takes = takes or name in ("imag", "view_as_real", "angle", "phase", "rect")
    return iter(makes if takes else [])


@dataclass
class Begin:
    """Where the slice of a row begins: expressions, and calls that may change what is returned, by the name in them."""

    values: list[tuple[ast.AST, Scope]]
    changes: list[tuple[Binding, str]]


def begin_of(program: Program, target: ast.AST, scope: Scope, row: str, together: Sequence[str]) -> Begin:
    """What a function returns, or the row's part of it."""
    decorated = isinstance(target, ast.FunctionDef) and bool(target.decorator_list)
    if isinstance(target, ast.FunctionDef) and not scope.returns:
        return Begin([(target, scope), *stored_by(program, target)], [])
    if not isinstance(target, FunctionNode) or decorated or not together:
        return Begin([(target, scope)], [])
    begin = Begin([], [])
    for value in scope.returns:
        add_part(begin, program, value, scope, row, together)
    return begin


def stored_by(program: Program, method: ast.FunctionDef) -> Iterator[tuple[ast.AST, Scope]]:
    """What a method that returns nothing gives: the values of `grad`, and of the attributes that it assigns itself.

    An attribute of the same name that another class assigns has nothing to do with it.
    """
    roots = (module.node for module in program.modules.values())
    classes = (node for root in roots for node in getattr(root, "body", ()) if isinstance(node, ast.ClassDef))
    others = {id(node) for each in classes if method not in each.body for node in ast.walk(each)}
    nodes = (node for node in ast.walk(method) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    for name in dict.fromkeys(["grad", *(node.attr for node in nodes)]):
        for binding in program.attributes.get(name, ()):
            if binding.value is not None and id(binding.node) not in others:
                yield binding.value, binding.scope


def add_part(
    begin: Begin, program: Program, value: ast.AST, scope: Scope, row: str, together: Sequence[str], depth: int = 0
) -> None:
    """Of what a function returns for all its gradients, adds the expressions for one; all where that is not plain."""
    if isinstance(value, ast.Name) and depth < MAX_NAMES_TO_A_GRADIENT:
        bindings = program.bindings(value.id, scope)
        values = [d for d in bindings if d.kind == "value" and d.value is not None]
        if len(values) == 1 and all(d.kind in ("value", "store", "passed") for d in bindings):
            add_part(begin, program, values[0].value or value, values[0].scope, row, together, depth + 1)
            for other in bindings:
                if other.kind == "passed":
                    begin.changes.append((other, value.id))
                elif other.kind == "store" and other.value is not None and other.key in (None, row):
                    begin.values.append((other.value, other.scope))
            return
    if isinstance(value, ast.Dict) and all(isinstance(key, ast.Constant) for key in value.keys):
        entries = zip(value.keys, value.values, strict=True)
        begin.values += [(own, scope) for key, own in entries if isinstance(key, ast.Constant) and key.value == row]
        return
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict" and not value.args:
        begin.values += [(word.value, scope) for word in value.keywords if word.arg in (None, row)]
        return
    flat = flat_elements(program, value, scope)
    if len(flat) == len(together) and row in together:
        begin.values.append(flat[together.index(row)])
    else:
        begin.values.append((value, scope))


def flat_elements(program: Program, value: ast.AST, scope: Scope, depth: int = 0) -> list[tuple[ast.AST, Scope]]:
    """The elements of nested tuples and lists, also where an inner one has a name."""
    if depth > MAX_NAMES_TO_A_GRADIENT:
        return [(value, scope)]
    if isinstance(value, ast.Tuple | ast.List):
        return [entry for element in value.elts for entry in flat_elements(program, element, scope, depth + 1)]
    if isinstance(value, ast.Name):
        bindings = [d for d in program.bindings(value.id, scope) if d.kind != "passed"]
        if len(bindings) == 1 and isinstance(bindings[0].value, ast.Tuple | ast.List) and not bindings[0].path:
            return flat_elements(program, bindings[0].value, bindings[0].scope, depth + 1)
    return [(value, scope)]
