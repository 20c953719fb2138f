"""The functions of a file in their normal form, and its comments and strings: what two files are compared by."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b

from grader.source.normal_form import LIBRARY
from grader.source.normal_statements import Normaliser, imported_modules
from grader.source.normal_values import NormalValue, plain, short
from grader.source.parsing import parse_submitted
from grader.source.syntax import FunctionDefinition, all_nodes

MAX_RENAMED = 24
"""With more parameters, they get their labels in the order of the definition."""
BLANK = plain("_")
FormLine = tuple[str, int, int]
"""(normal form of one statement, its line, its mass)"""


@dataclass(frozen=True)
class FunctionForm:
    """A function in its normal form. `mass` is how many names, constants, operators and calls it has.

    Attributes:
        name: `dprobs`, or `BatchNorm1d.forward` for a method.
        form: equal for functions that compute the same in the same way. Its variables have no names of their own, and
            neither have its parameters unless the caller of the grader gives them by name.
        first, last: its lines in the file, counted from 1.
        lines: its statements, each for itself.
        tokens: {a name, operator or constant: how often}, without the function's own variables. The fewer of them
            two functions have in different numbers, the smaller the step from one to the other.
    """

    name: str
    form: str
    mass: int
    first: int
    last: int
    lines: Sequence[FormLine] = ()
    tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass
class FileForms:
    """A file: its functions, what it says in comments and strings, as (condensed text, line)."""

    functions: list[FunctionForm] = field(default_factory=list)
    texts: list[tuple[str, int]] = field(default_factory=list)


def forms_of_files(sources: Sequence[bytes], steps: Collection[str]) -> list[FileForms | None]:
    """`forms_of` for each of several files: for one call of a SourceReader."""
    return [forms_of(source, frozenset(steps)) for source in sources]


def forms_of(source: bytes | str, steps: Collection[str]) -> FileForms | None:
    """The forms in a student's file; None for a text that is not Python or is nested too deeply.

    The parameters of the functions `steps` keep their names, as the grader passes them by name.
    """
    tree = parse_submitted(source)
    if tree is None:
        return None
    text = source if isinstance(source, str) else source.decode("utf-8-sig", "replace")
    names, modules = module_names(tree, text, steps)
    found = FileForms()
    for prefix, node in definitions(tree):
        try:
            form, mass, lines, tokens = cached_form(node, segment_of(text, node), node.name in steps, names, modules)
        except RecursionError:
            continue
        first = node.lineno
        here = [(line, first + offset, own) for line, offset, own in lines]
        found.functions.append(
            FunctionForm(prefix + node.name, form, mass, first, node.end_lineno or first, here, tokens)
        )
    found.texts = list(texts_of(tree, text))
    return found


def definitions(tree: ast.Module) -> Iterator[tuple[str, FunctionDefinition]]:
    """(prefix of its name, function) of the functions of a file and the methods of its classes."""
    for node in tree.body:
        if isinstance(node, FunctionDefinition):
            yield "", node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, FunctionDefinition):
                    yield f"{node.name}.", inner


def module_names(tree: ast.Module, text: str, kept: Collection[str]) -> tuple[dict[str, NormalValue], dict[str, str]]:
    """(what stands for the file's own constants and helpers, its modules). The functions `kept` keep their names."""
    reader = Normaliser({}, LIBRARY)
    for node in tree.body:
        try:
            if isinstance(node, ast.Import | ast.ImportFrom):
                reader.modules |= imported_modules(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                reader.run([node])
            elif isinstance(node, FunctionDefinition) and node.name not in kept:
                form = cached_form(node, segment_of(text, node), False, reader.names, reader.modules)[0]
                reader.names[node.name] = plain(f"def:{form}")
        except RecursionError:
            continue
    return reader.names, reader.modules


CachedForm = tuple[str, int, list[FormLine], dict[str, int]]
_forms: dict[bytes, CachedForm] = {}


def cached_form(
    node: FunctionDefinition,
    segment: str,
    keeps_names: bool,
    names: Mapping[str, NormalValue],
    modules: Mapping[str, str],
) -> CachedForm:
    """(form, mass, lines relative to the first, tokens) of a function. The same text is read once."""
    known = {name: value for name, value in names.items() if name in segment and name != node.name}
    described = segment, keeps_names, sorted(known.items()), sorted(modules.items())
    key = blake2b(repr(described).encode("utf-8", "replace"), digest_size=16).digest()
    if key not in _forms:
        form, mass = (named_form if keeps_names else renamed_form)(node, known, modules)
        lines = list(form_lines(node, keeps_names, known, modules))
        _forms[key] = short(form), mass, lines, dict(tokens_of(node, keeps_names))
    return _forms[key]


def segment_of(text: str, node: FunctionDefinition) -> str:
    return "\n".join(split_lines(text)[node.lineno - 1 : node.end_lineno])


@lru_cache(4)
def split_lines(text: str) -> list[str]:
    return text.split("\n")


def argument_names(node: FunctionDefinition) -> list[str]:
    """The names of all parameters of a function, in the order of its definition."""
    return [each.arg for each in all_nodes(node.args) if isinstance(each, ast.arg)]


def named_form(
    node: FunctionDefinition, names: Mapping[str, NormalValue], modules: Mapping[str, str]
) -> tuple[str, int]:
    """(form, mass) of a function whose parameters keep their names."""
    labels = {name: plain(name) for name in argument_names(node)}
    reader = Normaliser({**names, **labels}, modules)
    effects = reader.run(node.body)
    changed = [f"{name}:={reader.names[name]}" for name in sorted(labels) if reader.names[name] != labels[name]]
    returns = bool(effects) and effects[-1].startswith("return")
    return "\n".join([*effects, *([] if returns else changed)]), reader.mass


def renamed_form(
    node: FunctionDefinition, names: Mapping[str, NormalValue], modules: Mapping[str, str]
) -> tuple[str, int]:
    """(form, mass) of a function whose parameters get labels by where they occur, whatever they are called."""
    arguments = argument_names(node)
    return with_labels(arguments, lambda labels: effects_of(node, {**names, **labels}, modules))


def effects_of(
    node: FunctionDefinition, names: Mapping[str, NormalValue], modules: Mapping[str, str]
) -> tuple[str, int]:
    """(form, mass) of the body of a function in which each of `names` has a given value."""
    reader = Normaliser(names, modules)
    return "\n".join(reader.run(node.body)), reader.mass


def with_labels(names: Sequence[str], read: Callable[[dict[str, NormalValue]], tuple[str, int]]) -> tuple[str, int]:
    """What `read` gives if `names` have labels that depend only on where they occur.

    One round of colour refinement: a name's colour is the text with this name marked and all others blank.
    """
    order = list(names)
    if 1 < len(order) <= MAX_RENAMED:
        blank = dict.fromkeys(order, BLANK)
        colours = {name: read({**blank, name: plain("@")})[0] for name in order}
        order.sort(key=colours.__getitem__)  # names with the same colour keep their order
    return read({name: plain(f"_{place}") for place, name in enumerate(order)})


def form_lines(
    node: FunctionDefinition, keeps_names: bool, names: Mapping[str, NormalValue], modules: Mapping[str, str]
) -> Iterator[FormLine]:
    """The simple statements in a function, each with blanks for the function's own variables."""
    arguments = argument_names(node)
    stored = {each.id for each in all_nodes(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    blank = stored if keeps_names else stored.union(arguments)
    known = {**names, **{name: plain(name) for name in arguments}, **dict.fromkeys(blank, BLANK)}
    for statement in all_nodes(node):
        value = getattr(statement, "value", None)
        if not isinstance(statement, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr) or not value:
            continue
        if isinstance(value, ast.Constant):
            continue
        reader = Normaliser(known, modules)
        text = reader.text(value)
        if isinstance(statement, ast.AugAssign):
            text = f"{type(statement.op).__name__}= {text}"
        if isinstance(statement, ast.Assign | ast.AugAssign):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
            if not isinstance(target, ast.Name):
                text = f"{reader.text(target)} = {text}"
        yield text, statement.lineno - node.lineno, reader.mass


def tokens_of(node: FunctionDefinition, keeps_names: bool) -> Counter[str]:
    own = {each.id for each in all_nodes(node) if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load)}
    own |= set() if keeps_names else set(argument_names(node))
    found: Counter[str] = Counter()
    for each in (inner for statement in node.body for inner in all_nodes(statement)):
        if isinstance(each, ast.Name) and each.id not in own:
            found[each.id] += 1
        elif isinstance(each, ast.Attribute):
            found[each.attr] += 1
        elif isinstance(each, ast.Constant) and not isinstance(each.value, str):
            found[repr(each.value)] += 1
        elif isinstance(each, ast.BinOp | ast.UnaryOp | ast.AugAssign):
            found[type(each.op).__name__] += 1
        elif isinstance(each, ast.Call | ast.Subscript | ast.Compare | ast.For | ast.While | ast.If):
            found[type(each).__name__] += 1
    return found


def texts_of(tree: ast.Module, text: str) -> Iterator[tuple[str, int]]:
    """(words, line) of docstrings and other texts, and of the comment on each line.

    What follows a `#` counts as a comment, even inside a text: finding the difference takes longer than parsing.
    """
    for node in all_nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno
    for number, line in enumerate(split_lines(text) if "#" in text else (), 1):
        _, mark, words = line.partition("#")
        if mark:
            yield words.lstrip("#"), number
