"""What pieces of code compute, in canonical form: with their names, without them, and with blanks for what they read.

The search for answers in a kit compares values; the comparison of submissions compares the functions of two files.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from grader.source.canonical import LIBRARY, Canonicaliser, CodeValue, plain, short
from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, all_nodes, children, is_text, parameters

MAX_RENAMED = 24
"""More names than this get their labels in the order in which they occur."""
BLANK, MARKED = plain("_"), plain("@")
FormReader = Callable[[Mapping[str, CodeValue]], str]
"""Gives the form of a piece of code, by {name: label}."""


def renamed_form(names: Sequence[str], read: FormReader) -> str:
    """The form if each name has a label that depends only on where it occurs.

    One round of colour refinement: a name's colour is the form with this name marked and all others blank. Names that
    do not matter stay blank; names of one colour keep their order.
    """
    blank, used = dict.fromkeys(names, BLANK), list(names)
    if len(names) <= MAX_RENAMED:
        unmarked, colours = read(blank), {name: read({**blank, name: MARKED}) for name in names}
        used = sorted((name for name in names if colours[name] != unmarked), key=colours.__getitem__)
    return read({**blank, **{name: plain(f"_{place}") for place, name in enumerate(used)}})


def body_form(node: FunctionDefinition, outside: Canonicaliser, labels: Mapping[str, CodeValue]) -> str:
    """What a function does, with these labels of its parameters; `outside` knows the names around it."""
    known = {name: value for name, value in outside.names.items() if name != node.name}
    reader = Canonicaliser({**known, **labels}, outside.modules)
    effects = reader.run(node.body)
    if not effects or not effects[-1].startswith("return"):
        changed = ((label, reader.names[name]) for name, label in labels.items())
        effects += sorted(f"{label}:={value}" for label, value in changed if value != label)
    return short("\n".join(effects))


def mass_of(node: ast.AST) -> int:
    """How many names that are read, constants, operators and calls there are; of a function in its body."""
    if isinstance(node, FunctionDefinition):
        return sum(mass_of(each) for each in node.body if not is_text(each))
    parts = [each for each in all_nodes(node) if isinstance(each, ast.expr) and not isinstance(each, ast.Attribute)]
    names = [each for each in parts if isinstance(each, ast.Name)]
    return len(parts) - sum(each.id in LIBRARY or not isinstance(each.ctx, ast.Load) for each in names)


# Values, for the search for answers in a kit ------------------------------------------------------------------------


class ComputedValue(NamedTuple):
    """A value that a piece of code computes.

    Attributes:
        name: the variable that gets it, or "".
        named: its form with the names of its inputs.
        blank: its form with blanks. Two with the same `blank` differ at most in their inputs' names and places.
    """

    name: str
    named: str
    blank: str


def computed_values(body: Sequence[ast.stmt]) -> list[ComputedValue]:
    """The values that statements compute, with temporary variables replaced by their values.

    A value and its negative have the same forms: which of them a text shows makes little difference to a reader.
    """
    nodes = [node for each in body for node in all_nodes(each)]
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    names = (n.id for n in nodes if isinstance(n, ast.Name) and id(n) not in called and n.id not in LIBRARY)
    named, blank = Canonicaliser(), Canonicaliser(dict.fromkeys(names, BLANK))
    named.run(body)
    blank.run(body)
    both = zip(named.computed, blank.computed, strict=True)
    return [ComputedValue(name, own.key, other.key) for (name, own), (_, other) in both]


def returned_value(body: Sequence[ast.stmt]) -> ComputedValue | None:
    """The value that a function returns at its end, if nothing else that it does has an effect."""
    returns = bool(body) and isinstance(body[-1], ast.Return) and body[-1].value is not None
    return computed_values(body)[-1] if returns and len(Canonicaliser().run(body)) == 1 else None


def whole_form(node: FunctionDefinition) -> str:
    """The form of all that a function does, with blanks for its parameters."""
    return body_form(node, Canonicaliser(), {each.arg: BLANK for each, _ in parameters(node)})


def bodies(tree: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    """(name or "", statements) of the module and of each function."""
    for node in all_nodes(tree):
        if isinstance(node, ast.Module | FunctionDefinition):
            own = [each for each in children(node) if isinstance(each, ast.stmt)]
            if own:
                yield getattr(node, "name", ""), own


# Files, for the comparison of submissions ---------------------------------------------------------------------------


@dataclass(frozen=True)
class FunctionForm:
    """A function in its canonical form.

    Attributes:
        name: `dprobs`, or `BatchNorm1d.forward` for a method.
        form: equal for functions that compute the same in the same way. Its variables have no names of their own, and
            neither have its parameters unless the grader passes them by name.
        mass: see mass_of.
        first, last: its lines in the file, counted from 1.
        tokens: {a name, operator or constant: how often}, without the function's own variables. The fewer of them
            two functions have in different numbers, the smaller the step from one to the other.
    """

    name: str
    form: str
    mass: int
    first: int
    last: int
    tokens: Mapping[str, int] = field(default_factory=dict)


def forms_of(source: bytes | str, steps: Collection[str]) -> list[FunctionForm] | None:
    """The functions in a student's file; None for a text that is not Python or is nested too deeply.

    The parameters of the functions `steps` keep their names, as the grader passes them by name.
    """
    tree = parse_submitted(source)
    if tree is None:
        return None
    outside = Canonicaliser()
    for node in tree.body:
        with suppress(RecursionError):
            if isinstance(node, FunctionDefinition) and node.name not in steps:
                outside.names[node.name] = plain(f"def:{function_form(node, outside).form}")
            elif isinstance(node, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign):
                outside.run([node])
    found = list[FunctionForm]()
    for owner in tree.body:
        prefix = f"{owner.name}." if isinstance(owner, ast.ClassDef) else ""
        for node in owner.body if isinstance(owner, ast.ClassDef) else [owner]:
            if isinstance(node, FunctionDefinition):
                with suppress(RecursionError):
                    found.append(function_form(node, outside, prefix, node.name in steps))
    return found


def function_form(
    node: FunctionDefinition, outside: Canonicaliser, prefix: str = "", keeps_names: bool = False
) -> FunctionForm:
    arguments, read = [each.arg for each, _ in parameters(node)], partial(body_form, node, outside)
    form = read({name: plain(name) for name in arguments}) if keeps_names else renamed_form(arguments, read)
    own = {each.id for each in all_nodes(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    own |= set() if keeps_names else set(arguments)
    tokens = Counter(token for each in node.body for token in tokens_in(each) if token not in own)
    return FunctionForm(prefix + node.name, form, mass_of(node), node.lineno, node.end_lineno or node.lineno, tokens)


def tokens_in(node: ast.AST) -> Iterator[str]:
    for each in all_nodes(node):
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.Constant(value=value) if not isinstance(value, str):
                yield repr(value)
            case ast.BinOp(op=op) | ast.UnaryOp(op=op) | ast.AugAssign(op=op):
                yield type(op).__name__
            case ast.Call() | ast.Subscript() | ast.Compare() | ast.For() | ast.While() | ast.If():
                yield type(each).__name__
