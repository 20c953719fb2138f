"""Small changes to a student's function, each of which undoes one common slip; and what the function is made of.

Only the text is read and written here. Whether a changed function gives the right gradient is found out in a worker
(grader/verdict/diagnosis/repairs/repairs.py), so a slip that is reported explains the code and the numbers.
"""

from __future__ import annotations

import ast
import copy
import re
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any

MOST_CHARACTERS = 100_000
MOST_NODES = 1_500
"""Of a longer function nothing is changed."""
MOST_EDITS = 240
MOST_NUMBERS = 200
"""Whole numbers of one function that may be sizes. Each is quoted with the code around it, which takes its time."""
QUOTED = 70
"""Characters of the student's code that a message quotes."""

UNARY = {"exp", "log", "tanh", "sqrt", "rsqrt", "square", "abs", "reciprocal", "sigmoid", "softmax", "neg", "sign"}
UNARY |= {"log_softmax", "negative", "relu", "log1p", "expm1", "exp_", "log_", "tanh_", "sqrt_", "square_", "neg_"}
REDUCTIONS = {"sum", "mean"}
ROOTS = {"sqrt", "rsqrt", "sqrt_", "rsqrt_", "log"}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {ast.Mult: ast.Div, ast.Div: ast.Mult}
SIGNS: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
}
PRODUCTS = (ast.Mult, ast.Div)
SUMS = (ast.Add, ast.Sub)


@dataclass(frozen=True)
class Known:
    """What a step may read.

    `shapes` are those of forward values and upstream gradients by name on one problem, () for a number; `sizes` are the
    names of whole numbers; `constants` are the small numbers that the forward pass adds (1e-5).
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sizes: Sequence[str] = ()
    constants: Sequence[float] = ()


@dataclass(frozen=True)
class Edit:
    """One change of `function`, or of a function of the file that it calls.

    `code` is the student's expression, `part` what in it is changed, `new` what takes its place.
    """

    function: str
    kind: str
    line: int
    code: str
    part: str
    new: str


class File:
    """The functions of a file, at its top level. A text that is not Python has none."""

    def __init__(self, source: str) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.numbers: dict[str, ast.Constant] = {}
        self.lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", source.encode("utf-8", "replace"))
        if len(source) > MOST_CHARACTERS:
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                body = ast.parse(source).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for statement in body:
            if isinstance(statement, ast.FunctionDef):
                self.functions[statement.name] = statement
            elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                target, value = statement.targets[0], statement.value
                if isinstance(target, ast.Name) and isinstance(value, ast.Lambda):
                    self.functions[target.id] = as_function(target.id, value)
                elif isinstance(target, ast.Name) and isinstance(value, ast.Constant):
                    self.numbers[target.id] = value
                elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                    pairs = zip(target.elts, value.elts, strict=False)
                    self.numbers |= {
                        t.id: v for t, v in pairs if isinstance(t, ast.Name) and isinstance(v, ast.Constant)
                    }

    def keep_texts(self, function: ast.FunctionDef) -> None:
        """Gives every expression and assignment of one line its text as `own_text`."""
        for node in ast.walk(function):
            if not isinstance(node, (ast.expr, ast.Assign, ast.AugAssign, ast.Expr)):
                continue
            if node.lineno == node.end_lineno and node.lineno <= len(self.lines):
                text = self.lines[node.lineno - 1][node.col_offset : node.end_col_offset]
                node.own_text = text.decode("utf-8", "replace")  # type: ignore[union-attr]

    def reached(self, name: str) -> list[ast.FunctionDef]:
        """The function, and the file's functions that it calls, in the order in which they are met."""
        found, waiting = dict[str, ast.FunctionDef](), [name]
        while waiting:
            due = waiting.pop(0)
            if due in self.functions and due not in found:
                found[due] = self.functions[due]
                self.keep_texts(found[due])
                own = bound_names(found[due])
                waiting += [n.id for n in ast.walk(found[due]) if isinstance(n, ast.Name) and n.id not in own]
        return list(found.values())


def bound_names(function: ast.FunctionDef) -> set[str]:
    """Parameters and variables of a function, and of those inside it: not the file's functions of the same names."""
    parameters = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    return parameters | set(assigned_names(function))


def as_function(name: str, function: ast.Lambda) -> ast.FunctionDef:
    returned = ast.copy_location(ast.Return(function.body), function.body)
    made = ast.FunctionDef(name=name, args=function.args, body=[returned], decorator_list=[], returns=None)
    for other in set(ast.FunctionDef._fields) - {"name", "args", "body", "decorator_list", "returns"}:
        setattr(made, other, [] if other == "type_params" else None)  # Python 3.12 has a field more
    return ast.copy_location(made, function)


# What a function is made of -------------------------------------------------------------------------------------------


def contents_of(source: str, functions: Iterable[str]) -> dict[str, dict[str, Any]]:
    """{function: what it is made of, with the file's functions that it calls}, for those that the file defines.

    names: names that are read; calls: functions and methods called, and attributes read; keywords: of calls;
    operators: their types' names; numbers: [[whole number, its line, the code around it]] that may be sizes;
    open_widths: whether something may be as long as the data need (`F.one_hot` without the number of classes).
    """
    file = File(source)
    return {name: contents(file, name) for name in functions if name in file.functions}


def contents(file: File, name: str) -> dict[str, Any]:
    names, calls, keywords, operators = set[str](), set[str](), set[str](), set[str]()
    numbers: list[tuple[int, int, str]] = []
    open_widths = False
    for function in file.reached(name):
        for node in ast.walk(function):
            open_widths = open_widths or is_open_width(node)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                calls.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                keywords.add(node.arg)
            elif isinstance(node, (ast.BinOp, ast.UnaryOp, ast.AugAssign)):
                operators.add(type(node.op).__name__)
        calls |= {n.func.id for n in ast.walk(function) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)}
        found = (entry for statement in function.body for entry in whole_numbers(statement))
        numbers += islice(found, MOST_NUMBERS)
    for label, value in file.numbers.items():
        if label in names and type(value.value) is int and value.value > 1:
            numbers.append((value.value, value.lineno, f"{label} = {value.value}"))
    return {
        "names": sorted(names),
        "calls": sorted(calls),
        "keywords": sorted(keywords),
        "operators": sorted(operators),
        "numbers": list(dict.fromkeys(numbers)),
        "open_widths": open_widths,
    }


def is_open_width(node: ast.AST) -> bool:
    """Whether a call makes an axis that is as long as the data need, or a number that such an axis may have."""
    if not isinstance(node, ast.Call):
        return False
    given = {keyword.arg for keyword in node.keywords}
    match called_name(node):
        case "one_hot":
            return len(node.args) < 2 and "num_classes" not in given
        case "bincount":
            return len(node.args) < 3 and "minlength" not in given
        case name:
            return name in ("unique", "set", "max", "amax", "unique_consecutive", "Counter")


def whole_numbers(statement: ast.stmt) -> Iterator[tuple[int, int, str]]:
    """(value, line, code around it) of whole numbers larger than 1 that are not exponents."""
    waiting: deque[tuple[ast.AST, ast.AST]] = deque([(statement, statement)])
    quote = lru_cache(maxsize=1)(quoted)  # the numbers of a long list are all quoted with the same code
    while waiting:
        node, around = waiting.popleft()
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1:
            yield node.value, node.lineno, quote(around)
        if isinstance(node, (ast.Call, ast.BinOp, ast.Assign, ast.Subscript)):
            around = node
        for child in ast.iter_child_nodes(node):
            if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and child is node.right):
                waiting.append((child, around))


def quoted(node: ast.AST) -> str:
    """The code of a node in one line, as the student wrote it, cut where it is long."""
    text = " ".join((getattr(node, "own_text", None) or ast.unparse(node)).split()).replace("`", "'")
    return text if len(text) <= QUOTED else text[: QUOTED - 4] + " ..."


# Changes --------------------------------------------------------------------------------------------------------------

Place = tuple[ast.AST, str, int | None]
"""(parent, field, index in it)"""


def edits_of(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    """Changes to a function of the file, most likely slips first, and for each the text that defines the changed one.

    The changed functions are called `named` and a number, from 0. A function too deeply nested to be copied has none.
    """
    try:
        return changed_functions(source, function, named, known)
    except RecursionError:
        return [], []


def changed_functions(source: str, function: str, named: str, known: Known) -> tuple[list[Edit], list[str]]:
    file = File(source)
    reached = file.reached(function)
    if not reached or sum(1 for each in reached for _ in ast.walk(each)) > MOST_NODES:
        return [], []
    step, *helpers = (copy.deepcopy(each) for each in reached)
    found = [
        (order, edit, place, new)
        for each in (step, *helpers)
        for order, edit, place, new in changes(each, known, function, each is step)
    ]
    found.sort(key=lambda entry: entry[0])
    edits, texts, seen = list[Edit](), list[str](), set[str]()
    parameters = {a.arg for a in (*step.args.posonlyargs, *step.args.args, *step.args.kwonlyargs)}
    for _, edit, place, new in found:
        text = written(step, helpers, place, new, parameters, known)
        if text in seen:
            continue
        seen.add(text)
        texts.append(text.replace(PLACEHOLDER, f"{named}{len(edits)}", 1))
        edits.append(edit)
        if len(edits) == MOST_EDITS:
            break
    return edits, texts


PLACEHOLDER = "changed_function_"


def written(
    step: ast.FunctionDef,
    helpers: Sequence[ast.FunctionDef],
    place: Place,
    new: ast.AST,
    parameters: set[str],
    known: Known,
) -> str:
    """The changed function's text. The functions that it calls are defined inside it, so that they may be changed."""
    old = put(place, new)
    body, arguments = step.body, step.args
    added = [
        n.id
        for n in ast.walk(new)
        if isinstance(n, ast.Name) and n.id not in parameters and n.id in known.shapes and is_new(n)
    ]
    try:
        if added:
            step.args = copy.copy(arguments)
            extra = [ast.arg(arg=name) for name in dict.fromkeys(added)]
            step.args.kwonlyargs = [*arguments.kwonlyargs, *extra]
            step.args.kw_defaults = [*arguments.kw_defaults, *[None for _ in extra]]
        step.body = [*helpers, *body]
        name, decorators = step.name, step.decorator_list
        step.name, step.decorator_list = PLACEHOLDER, []
        return ast.unparse(step)
    finally:
        step.body, step.args, step.name, step.decorator_list = body, arguments, name, decorators
        put(place, old)


def put(place: Place, new: ast.AST) -> ast.AST:
    """Replace a node; returns the old one."""
    parent, name, index = place
    if index is None:
        old: ast.AST = getattr(parent, name)
        setattr(parent, name, new)
        return old
    entries = getattr(parent, name)
    old, entries[index] = entries[index], new
    return old


def value_of(name: str) -> ast.Name:
    made = ast.Name(id=name, ctx=ast.Load())
    made.is_new = True  # type: ignore[attr-defined]
    return made


def is_new(node: ast.Name) -> bool:
    return bool(getattr(node, "is_new", False))


def receiver_of(statement: ast.AST) -> ast.Attribute | None:
    """`g.add_` of the statement `g.add_(1)`."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    return method if isinstance(method, ast.Attribute) and method.attr.endswith("_") else None


def expressions(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, Place]]:
    """Every expression and statement in the body, with its place; not what a statement writes to.

    With another `g` in `g[0] = 1` or `g.add_(1)`, the statement would write to something that nobody reads.
    """
    waiting: deque[tuple[ast.AST, Place]] = deque((s, (function, "body", i)) for i, s in enumerate(function.body))
    receivers: set[int] = set()
    while waiting:
        node, place = waiting.popleft()
        yield node, place
        if (receiver := receiver_of(node)) is not None:
            receivers.add(id(receiver))
        written_to = id(node) in receivers or isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))
        for name, value in ast.iter_fields(node):
            if name == "value" and written_to:
                continue
            if isinstance(value, ast.expr):
                waiting.append((value, (node, name, None)))
            elif isinstance(value, list):
                waiting += [(v, (node, name, i)) for i, v in enumerate(value) if isinstance(v, (ast.expr, ast.stmt))]


Change = tuple[str, str, str, ast.AST]
"""(kind, the part that is changed, what takes its place in words, the new node)"""


def changes(
    function: ast.FunctionDef, known: Known, step: str, is_step: bool
) -> Iterator[tuple[float, Edit, Place, ast.AST]]:
    """Every change of one function, with its rank among the kinds."""
    parents: dict[int, ast.AST] = {}
    local = assigned_names(function)
    for node, place in expressions(function):
        parents[id(node)] = place[0]
        for order, make in enumerate(KINDS):
            for kind, part, words, new in make(node, known):
                if kind == "number" and isinstance(place[0], ast.BinOp) and isinstance(place[0].op, ast.Pow):
                    kind = "exponent" if place[1] == "right" else kind
                around = context_of(node, parents) if is_leaf(node) else node
                edit = Edit(function.name, kind, getattr(node, "lineno", function.lineno), quoted(around), part, words)
                yield order, edit, place, new
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and is_readable(node, parents):
            for other in swaps(node.id, function, known, step, is_step, local):
                around = context_of(node, parents)
                yield (
                    RANK_OF_NAMES,
                    Edit(function.name, "name", node.lineno, quoted(around), node.id, other),
                    place,
                    value_of(other),
                )


RANK_OF_NAMES = 5.5
"""Between the kinds of number 5 and 6."""
FEW = 4
"""Variables of unknown shape that may stand for each other."""


def is_leaf(node: ast.AST) -> bool:
    """A name or a number, with its sign."""
    return isinstance(node, (ast.Name, ast.Constant)) or (isinstance(node, ast.UnaryOp) and is_leaf(node.operand))


def assigned_names(function: ast.FunctionDef) -> list[str]:
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(stored))


def is_readable(node: ast.Name, parents: Mapping[int, ast.AST]) -> bool:
    """Whether the name stands for a value, not for a function or a module."""
    parent = parents[id(node)]
    return not (isinstance(parent, ast.Call) and parent.func is node)


def swaps(
    name: str, function: ast.FunctionDef, known: Known, step: str, is_step: bool, local: Sequence[str]
) -> list[str]:
    """What may stand for a name: values of its shape; for a function's own variable, its other variables."""
    own = [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    if not is_step:
        return [n for n in dict.fromkeys((*own, *local)) if n != name] if name in own or name in local else []
    if name not in own and name not in local:
        return []
    shape = shape_of(name, known, local)
    if shape is None:
        unknown = [n for n in local if shape_of(n, known, local) is None and n != name]
        return unknown if len(unknown) <= FEW else []
    found = [n for n in local if shape_of(n, known, local) == shape]
    found += [n for n, s in known.shapes.items() if list(s) == list(shape) and n not in local]
    return [n for n in found if n not in (name, step)]


def shape_of(name: str, known: Known, local: Sequence[str]) -> Sequence[int] | None:
    """The shape of a value by its name; a variable `dh` has the shape of `h`."""
    if name in known.shapes and name not in local:
        return known.shapes[name]
    return known.shapes.get(name[1:]) if name.startswith("d") else known.shapes.get(name)


def context_of(node: ast.AST, parents: Mapping[int, ast.AST]) -> ast.AST:
    """The nearest operation or call around a name or a number; the node itself where there is none."""
    around = parents[id(node)]
    while isinstance(around, (ast.UnaryOp, ast.Attribute, ast.Tuple, ast.keyword)) and id(around) in parents:
        around = parents[id(around)]
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Pow):  # `1 - h ** 2` says more than `h ** 2`
        outer = parents.get(id(around))
        around = outer if isinstance(outer, ast.BinOp) else around
    return around if isinstance(around, ast.expr) else node


def called_name(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_module(node: ast.AST) -> bool:
    """Whether an expression is `torch`, `F`, `np`, `torch.nn.functional` ..."""
    text = ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    return text in ("torch", "F", "np", "numpy", "math", "torch.nn.functional", "nn.functional")


def operand_of(call: ast.Call) -> ast.expr | None:
    """`x` of `x.exp()` and of `torch.exp(x)`."""
    if isinstance(call.func, ast.Attribute) and not is_module(call.func.value):
        return call.func.value
    return call.args[0] if call.args else None


def wrappers(node: ast.AST, known: Known) -> Iterator[Change]:
    """A function applied once too often."""
    if isinstance(node, ast.Call) and (name := called_name(node)) in UNARY:
        operand = operand_of(node)
        if operand is not None:
            yield "function", name, quoted(operand), operand


def regroupings(node: ast.AST, known: Known) -> Iterator[Change]:
    """Brackets that are missing, or too wide."""
    if not isinstance(node, ast.BinOp):
        return
    left, right = node.left, node.right
    if isinstance(node.op, SUMS):
        for side, other, is_left in ((left, right, True), (right, left, False)):
            if isinstance(side, ast.BinOp) and isinstance(side.op, PRODUCTS):
                inner, outer = (side.left, side.right)
                whole = ast.BinOp(inner if is_left else other, node.op, other if is_left else inner)
                kind = "part_divided" if isinstance(side.op, ast.Div) else "part_multiplied"
                yield kind, quoted(side), quoted(outer), ast.BinOp(whole, side.op, outer)
                if isinstance(side.op, ast.Mult):
                    whole = ast.BinOp(outer if is_left else other, node.op, other if is_left else outer)
                    yield kind, quoted(side), quoted(inner), ast.BinOp(inner, ast.Mult(), whole)
    if isinstance(node.op, (*PRODUCTS, ast.Pow)) and isinstance(left, ast.BinOp) and isinstance(left.op, SUMS):
        kind = "whole_power" if isinstance(node.op, ast.Pow) else "whole_divided"
        kind = "whole_multiplied" if isinstance(node.op, ast.Mult) else kind
        for last in (True, False):
            first = left.left if last else ast.BinOp(left.left, node.op, right)
            second = ast.BinOp(left.right, node.op, right) if last else left.right
            yield kind, quoted(left), quoted(right), ast.BinOp(first, left.op, second)


def sums_multiplied(node: ast.AST, known: Known) -> Iterator[Change]:
    """`a.sum(1) * b.sum(1)` for `(a * b).sum(1)`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)):
        return
    left, right = node.left, node.right
    if not (isinstance(left, ast.Call) and isinstance(right, ast.Call)):
        return
    name, first, second = called_name(left), operand_of(left), operand_of(right)
    if name not in REDUCTIONS or called_name(right) != name or first is None or second is None:
        return
    rest, keywords = left.args[1:] if left.args and left.args[0] is first else left.args, left.keywords
    product = ast.BinOp(first, ast.Mult(), second)
    yield "sums_multiplied", name, "", ast.Call(ast.Attribute(product, name, ast.Load()), rest, keywords)


def small_numbers(node: ast.AST, known: Known) -> Iterator[Change]:
    """The small number of the forward pass, forgotten before a root, a power or a division."""
    place, replace = operand_of_a_root(node)
    if place is None or (isinstance(place, ast.BinOp) and has_small_number(place)):
        return
    for constant in known.constants:
        yield "small_number", quoted(place), in_words(constant), replace(added(place, constant))


def in_words(constant: float) -> str:
    text = f"{constant:g}"
    return text.replace("e-0", "e-")


def added(place: ast.expr, constant: float) -> ast.expr:
    return ast.BinOp(place, ast.Add(), ast.Constant(constant))


def has_small_number(node: ast.BinOp) -> bool:
    return any(isinstance(n, ast.Constant) and type(n.value) is float and abs(n.value) < 1e-2 for n in ast.walk(node))


def operand_of_a_root(node: ast.AST) -> tuple[ast.expr | None, Callable[[ast.expr], ast.expr]]:
    """What a root, a power that is not whole, or a division is of, and how to put something else there."""
    if isinstance(node, ast.Call) and called_name(node) in ROOTS:
        operand = operand_of(node)
        if operand is not None and node.args and node.args[0] is operand:
            return operand, lambda new: ast.Call(node.func, [new, *node.args[1:]], node.keywords)
        function = node.func
        if operand is not None and isinstance(function, ast.Attribute):
            return operand, lambda new: ast.Call(
                ast.Attribute(new, function.attr, ast.Load()), node.args, node.keywords
            )
    if isinstance(node, ast.Call) and called_name(node) == "pow" and (operand := operand_of(node)) is not None:
        rest = node.args[-1:]
        return operand, lambda new: ast.BinOp(new, ast.Pow(), rest[0]) if rest else new
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return node.left, lambda new: ast.BinOp(new, ast.Pow(), node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return node.right, lambda new: ast.BinOp(node.left, ast.Div(), new)
    return None, lambda new: new


def columns(node: ast.AST, known: Known) -> Iterator[Change]:
    """`d[:, Y]`, which takes whole columns, for `d[range(n), Y]`."""
    if isinstance(node, ast.Subscript) and (found := paired(node)) is not None:
        yield "column", quoted(found[0]), "", found[1]
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    if isinstance(target, ast.Subscript) and (found := paired(target)) is not None:  # `d[:, Y] = d[:, Y] - 1`: both
        yield "column", quoted(found[0]), "", Pairing(target).visit(copy.deepcopy(node))


def paired(node: ast.Subscript) -> tuple[ast.expr, ast.Subscript] | None:
    """(index, the same place with rows and columns together) where all rows are taken; None elsewhere."""
    entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
    is_full = [isinstance(e, ast.Slice) and not (e.lower or e.upper or e.step) for e in entries]
    if len(entries) != 2 or is_full.count(True) != 1:
        return None
    index = entries[is_full.index(False)]
    if isinstance(index, (ast.Slice, ast.Constant)):
        return None
    rows = ast.Call(value_of("range"), [ast.Call(value_of("len"), [index], [])], [])
    both: list[ast.expr] = [rows if full else index for full in is_full]
    return index, ast.Subscript(node.value, ast.Tuple(both, ast.Load()), node.ctx)


class Pairing(ast.NodeTransformer):
    """Takes rows and columns together wherever `place` occurs."""

    def __init__(self, place: ast.Subscript) -> None:
        self._text = ast.unparse(place)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        found = paired(node) if ast.unparse(node) == self._text else None
        return self.generic_visit(node) if found is None else found[1]


def operators(node: ast.AST, known: Known) -> Iterator[Change]:
    """Multiplied for divided, added for subtracted, and a sign."""
    if isinstance(node, ast.BinOp):
        for table, kind in ((OPERATORS, "operator"), (SIGNS, "sign_of_a_term")):
            if (other := table.get(type(node.op))) is not None:
                yield kind, type(node.op).__name__, other.__name__, ast.BinOp(node.left, other(), node.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield "minus", "", "", node.operand
    if isinstance(node, ast.AugAssign) and (other := (OPERATORS | SIGNS).get(type(node.op))) is not None:
        kind = "operator" if type(node.op) in OPERATORS else "sign_of_a_term"
        new = ast.copy_location(ast.AugAssign(node.target, other(), node.value), node)
        yield kind, type(node.op).__name__, other.__name__, new


def drops(node: ast.AST, known: Known) -> Iterator[Change]:
    """A factor or a term too many."""
    if not isinstance(node, ast.BinOp):
        return
    kind = "factor" if isinstance(node.op, (ast.Mult, ast.Div)) else "term" if isinstance(node.op, SUMS) else ""
    if isinstance(node.op, ast.Pow):
        yield "power", quoted(node.right), quoted(node.left), node.left
    elif kind:
        yield kind, quoted(node.right), quoted(node.left), node.left
        if not isinstance(node.op, (ast.Div, ast.Sub)):
            yield kind, quoted(node.left), quoted(node.right), node.right


def scalings(node: ast.AST, known: Known) -> Iterator[Change]:
    """A value that is not divided by a size, or not multiplied by one."""
    if isinstance(node, (ast.Call, ast.BinOp, ast.Name)) and not isinstance(getattr(node, "ctx", None), ast.Store):
        if isinstance(node, ast.Name) and node.id in known.sizes:
            return
        for size in known.sizes:
            yield "not_divided", quoted(node), size, ast.BinOp(node, ast.Div(), value_of(size))
            yield "not_multiplied", quoted(node), size, ast.BinOp(node, ast.Mult(), value_of(size))


def reductions(node: ast.AST, known: Known) -> Iterator[Change]:
    """A sum or mean over another axis, with or without keepdim, one for the other, or one too many."""
    if not (isinstance(node, ast.Call) and called_name(node) in REDUCTIONS):
        return
    name, operand = called_name(node), operand_of(node)
    if operand is None:
        return
    is_method = not (node.args and node.args[0] is operand)
    axes = node.args if is_method else node.args[1:]
    front = [] if is_method else [operand]
    others = [k for k in node.keywords if k.arg not in ("dim", "axis", "keepdim", "keepdims")]
    given = axes[0] if axes else next((k.value for k in node.keywords if k.arg in ("dim", "axis")), None)
    kept = any(
        k.arg in ("keepdim", "keepdims") and isinstance(k.value, ast.Constant) and k.value.value is True
        for k in node.keywords
    ) or (len(axes) > 1 and isinstance(axes[1], ast.Constant) and axes[1].value is True)

    def made(axis: ast.expr | None, keep: bool, function: ast.expr = node.func) -> ast.expr:
        arguments = [*front, *([axis] if axis is not None else [])]
        keywords = [*others, *([ast.keyword("keepdim", ast.Constant(True))] if keep and axis is not None else [])]
        return ast.Call(function, arguments, keywords)

    if given is not None:
        yield "keepdim", name, "kept" if kept else "lost", made(given, not kept)
    now = ast.unparse(given) if given is not None else ""
    for axis in ("0", "1", "-1"):
        if axis != now:
            for keep in (kept, not kept):
                yield "axis", name, axis, made(ast.parse(axis, mode="eval").body, keep)
    other = "mean" if name == "sum" else "sum"
    if isinstance(node.func, ast.Attribute):
        yield "mean_or_sum", name, other, made(given, kept, ast.Attribute(node.func.value, other, ast.Load()))
    yield "reduction", name, quoted(operand), operand


def numbers(node: ast.AST, known: Known) -> Iterator[Change]:
    """A number that is another one in the derivative: an exponent, a factor, a one."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        given, sign = node.operand.value, -1
    elif isinstance(node, ast.Constant):
        given, sign = node.value, 1
    else:
        return
    if not isinstance(given, (int, float)) or isinstance(given, bool) or not abs(given) <= 100:
        return
    value = sign * given
    for other in dict.fromkeys((-value, value + 1, value - 1, 2 * value, value / 2)):
        if other != value and abs(other) > 1e-3:
            yield "number", repr(value), repr(other), ast.parse(repr(other), mode="eval").body


def products(node: ast.AST, known: Known) -> Iterator[Change]:
    """A transpose that is missing or too many, or the two factors of a matrix product in the other order."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        yield "order", "", "", ast.BinOp(node.right, ast.MatMult(), node.left)
        for flip_left, flip_right in ((True, False), (False, True), (True, True)):
            left = transposed(node.left) if flip_left else node.left
            right = transposed(node.right) if flip_right else node.right
            yield "transpose", "", "", ast.BinOp(left, ast.MatMult(), right)
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        yield "transpose", "", "", node.value


def transposed(node: ast.expr) -> ast.expr:
    return (
        node.value
        if isinstance(node, ast.Attribute) and node.attr in ("T", "mT")
        else ast.Attribute(node, "T", ast.Load())
    )


def roots(node: ast.AST, known: Known) -> Iterator[Change]:
    """Divided by a variance for its root, or the other way round."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
        for power, words in ((0.5, "root"), (2, "square")):
            yield (
                words,
                quoted(node.right),
                "",
                ast.BinOp(node.left, ast.Div(), ast.BinOp(node.right, ast.Pow(), ast.Constant(power))),
            )


def assignments(node: ast.AST, known: Known) -> Iterator[Change]:
    """`p = p - g`, which gives a name to a new tensor, for `p -= g`; `g[i] = d`, which keeps the last, for `+=`."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        call, function = node.value, node.value.func
        if not is_module(function.value) and not function.attr.endswith("_"):
            in_place = ast.Attribute(function.value, function.attr + "_", ast.Load())
            changed = ast.Expr(ast.Call(in_place, call.args, call.keywords))
            yield "result_unused", function.attr, "", ast.copy_location(changed, node)
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
        return
    target, value = node.targets[0], node.value
    if isinstance(target, ast.Name) and isinstance(value, ast.BinOp) and isinstance(value.op, (*SUMS, *PRODUCTS)):
        left = value.left
        if isinstance(left, ast.Name) and left.id == target.id:
            new = ast.AugAssign(ast.Name(target.id, ast.Store()), value.op, value.right)
            yield "new_tensor", target.id, "", ast.copy_location(new, node)
    if isinstance(target, ast.Subscript):
        new = ast.AugAssign(target, ast.Add(), value)
        yield "overwritten", quoted(target), "", ast.copy_location(new, node)


def comparisons(node: ast.AST, known: Known) -> Iterator[Change]:
    """`<=` for `<`, `>` for `<` ..."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in COMPARISONS.get(type(node.ops[0]), ()):
            yield "comparison", "", "", ast.Compare(node.left, [other()], node.comparators)


Kind = Callable[[ast.AST, Known], Iterator[Change]]
KINDS: tuple[Kind, ...] = (
    *(wrappers, columns, assignments, regroupings, sums_multiplied, small_numbers),
    *(operators, comparisons, drops, reductions, numbers, scalings, products, roots),
)
