"""Wrong versions of a lesson's solution, made by small edits of its syntax tree: what `bench mutants` judges.

Each edit is one slip of the pen: another operator, axis, number, name or order of arguments, a term, a call, a
transpose or a statement that is left out. Two edits that leave the same text are one mutant.
"""

from __future__ import annotations

import ast
import copy
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub, ast.Mult),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult,),
    ast.Pow: (ast.Mult, ast.Div),
    ast.MatMult: (ast.Mult,),
    ast.FloorDiv: (ast.Div,),
}
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
NUMBERS: dict[float, tuple[float, ...]] = {0: (1, -1), 1: (0, 2, -1), 2: (1, 3), 1e-5: (0.0, 1e-3), 0.5: (1.0, 0.25)}
FUNCTIONS = {
    "sum": ("mean",),
    "mean": ("sum",),
    "exp": ("log",),
    "log": ("exp",),
    "tanh": ("sigmoid",),
    "sqrt": ("square",),
    "rsqrt": ("sqrt",),
    "softmax": ("log_softmax",),
    "log_softmax": ("softmax",),
    "zeros_like": ("ones_like",),
    "ones_like": ("zeros_like",),
    "zeros": ("ones",),
    "ones": ("zeros",),
    "max": ("min",),
    "min": ("max",),
    "maximum": ("minimum",),
    "ceil": ("floor",),
    "all": ("any",),
    "indices": ("values",),
}
SIZES = ("n", "N")
SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Continue, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """One wrong version: `where` is the function (a class's method as `Class.method`), `change` the edit in words.

    `source` is the text of the whole definition, to be run after the solution's own file.
    """

    where: str
    change: str
    kind: str
    source: str

    @property
    def before(self) -> str:
        """The statement as the solution has it."""
        return self.change.partition(" → ")[0]


@dataclass(frozen=True)
class Edit:
    """`new` in the place of field `field` of `parent` (entry `index` of it, where it is a list)."""

    kind: str
    parent: ast.AST
    field: str
    index: int | None
    new: object

    def swap(self, value: object) -> object:
        """Puts `value` there and gives what stood there."""
        if self.index is None:
            old = getattr(self.parent, self.field)
            setattr(self.parent, self.field, value)
        else:
            entries = getattr(self.parent, self.field)
            old, entries[self.index] = entries[self.index], value
        return old


def definitions(tree: ast.Module) -> Iterator[tuple[str, ast.stmt, ast.FunctionDef]]:
    """(name, the definition at the top of the file, the function itself), class by class and method by method."""
    for top in tree.body:
        if isinstance(top, ast.FunctionDef):
            yield top.name, top, top
        elif isinstance(top, ast.ClassDef):
            for method in top.body:
                if isinstance(method, ast.FunctionDef):
                    yield f"{top.name}.{method.name}", top, method


def mutants(solution: str) -> list[Mutant]:
    """Every distinct mutant of every function in the text of a solution."""
    return [mutant for entry in definitions(ast.parse(solution)) for mutant in _of_one(*entry)]


def sample(every: Sequence[Mutant], budget: int, seed: int) -> list[Mutant]:
    """At most `budget` of each function's, dealt from the kinds of edits in turns: none crowds out the others."""
    chosen: set[Mutant] = set()
    by_function: dict[str, dict[str, list[Mutant]]] = defaultdict(lambda: defaultdict(list))
    for mutant in every:
        by_function[mutant.where][mutant.kind].append(mutant)
    for where, kinds in by_function.items():
        for kind, entries in kinds.items():
            random.Random(f"{seed} {where} {kind}").shuffle(entries)
        dealt = [entries[turn] for turn in range(len(every)) for entries in kinds.values() if turn < len(entries)]
        chosen.update(dealt[:budget])
    return [mutant for mutant in every if mutant in chosen]


def _of_one(where: str, top: ast.stmt, function: ast.FunctionDef) -> Iterator[Mutant]:
    seen = {ast.unparse(top)}
    said: defaultdict[str, int] = defaultdict(int)
    for statement, edit in _edits(function):
        before = _head(statement)
        old = edit.swap(edit.new)
        source = ast.unparse(ast.fix_missing_locations(top))
        after = "(gone)" if edit.kind == "statement dropped" else _head(_now(statement, edit))
        edit.swap(old)
        if source in seen:
            continue
        seen.add(source)
        change = f"{before} → {after}"
        said[change] += 1
        yield Mutant(where, change + (f" ({said[change]})" if said[change] > 1 else ""), edit.kind, source)


def _now(statement: ast.AST, edit: Edit) -> ast.AST:
    """What stands in the place of `statement` while `edit` is made."""
    return edit.new if isinstance(edit.new, ast.stmt) else statement


def _head(statement: ast.AST) -> str:
    """A statement's text; of one that holds others, its first line."""
    return ast.unparse(ast.fix_missing_locations(statement)).split("\n")[0]


def _slots(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            yield from ((node, field, i, entry) for i, entry in enumerate(value) if isinstance(entry, ast.AST))
        elif isinstance(value, ast.AST):
            yield node, field, None, value


def _edits(function: ast.FunctionDef) -> Iterator[tuple[ast.AST, Edit]]:
    """(the statement that it is in, an edit)."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    first = {argument.arg: 0 for argument in arguments if argument.arg != "self"}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            first.setdefault(node.id, node.lineno)
    for i, default in enumerate(function.args.defaults):
        for kind, new in _replacements(default, function.args, "defaults", []):
            yield function, Edit(kind, function.args, "defaults", i, new)
    for parent, field, at, statement in _statements(function):
        for kind, changed in _whole(statement):
            yield statement, Edit(kind, parent, field, at, changed)
        known = [name for name, line in first.items() if line < statement.lineno]
        for holder, name, index, node in _expressions(statement):
            for kind, new in _replacements(node, holder, name, known):
                yield statement, Edit(kind, holder, name, index, new)


def _statements(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.stmt]]:
    """Every statement below `node`, but for docstrings."""
    for parent, field, i, entry in _slots(node):
        if isinstance(entry, ast.stmt):
            text = isinstance(entry, ast.Expr) and isinstance(entry.value, ast.Constant)
            if not text:
                yield parent, field, i, entry
            yield from _statements(entry)


def _expressions(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for slot in _slots(node):
        if not isinstance(slot[3], (ast.stmt, ast.arguments)):
            yield slot
            yield from _expressions(slot[3])


def _whole(statement: ast.stmt) -> Iterator[tuple[str, ast.stmt]]:
    """Statements in the place of a whole one."""
    if isinstance(statement, (*SIMPLE, ast.If, ast.For)):
        yield "statement dropped", ast.Pass()
    if isinstance(statement, ast.AugAssign):
        for other in OPERATORS.get(type(statement.op), ()):
            yield "operator", ast.AugAssign(statement.target, other(), statement.value)
        yield "+= to =", ast.Assign([statement.target], statement.value)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], (ast.Subscript, ast.Attribute)):
        yield "= to +=", ast.AugAssign(statement.targets[0], ast.Add(), statement.value)
    if isinstance(statement, (ast.Return, ast.Assign)) and isinstance(statement.value, ast.expr):
        changed = copy.copy(statement)
        changed.value = ast.UnaryOp(ast.USub(), statement.value)
        if not isinstance(statement.value, (ast.Tuple, ast.List, ast.Dict, ast.UnaryOp)):
            yield "minus added", changed
    if isinstance(statement, (ast.If, ast.While)):
        turned = copy.copy(statement)
        turned.test = ast.UnaryOp(ast.Not(), statement.test)
        yield "condition", turned


def _replacements(node: ast.AST, parent: ast.AST, field: str, known: Sequence[str]) -> Iterator[tuple[str, ast.AST]]:
    """Expressions in the place of one."""
    called = isinstance(parent, ast.Call) and field == "func"
    if isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)):
        return
    if isinstance(node, ast.BinOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield "operator", ast.BinOp(node.left, other(), node.right)
        yield "term dropped", node.left
        yield "term dropped", node.right
        if not isinstance(node.op, (ast.Add, ast.Mult)):  # these do not care
            yield "order", ast.BinOp(node.right, node.op, node.left)
        if isinstance(node.op, ast.MatMult):
            yield "transpose", ast.BinOp(ast.Attribute(node.left, "T", ast.Load()), node.op, node.right)
            yield "transpose", ast.BinOp(node.left, node.op, ast.Attribute(node.right, "T", ast.Load()))
    elif isinstance(node, ast.UnaryOp):
        yield "minus dropped" if isinstance(node.op, ast.USub) else "condition", node.operand
    elif isinstance(node, ast.Constant):
        for value in _other_values(node.value):
            yield "number" if type(node.value) is not bool else "flag", ast.Constant(value)
    elif isinstance(node, ast.Name) and not called and node.id in known:
        yield from (("name", ast.Name(other, ast.Load())) for other in known if other != node.id)
        if node.id in SIZES:
            yield from (("number", ast.BinOp(node, by(), ast.Constant(1))) for by in (ast.Add, ast.Sub))
    elif isinstance(node, ast.Attribute):
        if node.attr == "T":
            yield "transpose", node.value
        yield from (("call", ast.Attribute(node.value, other, node.ctx)) for other in FUNCTIONS.get(node.attr, ()))
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Subscript):
        yield "index dropped", node.value
    elif isinstance(node, ast.Slice):
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                changed = copy.copy(node)
                setattr(changed, part, None)
                yield "index dropped", changed
    elif isinstance(node, ast.Compare):
        for comparison in COMPARISONS.get(type(node.ops[0]), ()):
            yield "condition", ast.Compare(node.left, [comparison(), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield "condition", ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
        yield from (("condition", value) for value in node.values)
    elif isinstance(node, ast.IfExp):
        yield "condition", ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, (ast.Tuple, ast.List)):
        for i in range(len(node.elts) - 1):
            swapped = [*node.elts[:i], node.elts[i + 1], node.elts[i], *node.elts[i + 2 :]]
            yield "order", type(node)(swapped, ast.Load())


def _calls(call: ast.Call) -> Iterator[tuple[str, ast.AST]]:
    """A call left out, or one of its arguments, or two of them in the wrong order."""
    if isinstance(call.func, ast.Attribute) and not _is_module(call.func.value):
        yield "call dropped", call.func.value
    elif call.args and not isinstance(call.args[0], ast.Starred):
        yield "call dropped", call.args[0]
    for i in range(len(call.args)):
        yield "argument dropped", ast.Call(call.func, call.args[:i] + call.args[i + 1 :], call.keywords)
    for i in range(len(call.args) - 1):
        swapped = [*call.args[:i], call.args[i + 1], call.args[i], *call.args[i + 2 :]]
        yield "order", ast.Call(call.func, swapped, call.keywords)
    for i in range(len(call.keywords)):
        yield "argument dropped", ast.Call(call.func, call.args, call.keywords[:i] + call.keywords[i + 1 :])


def _is_module(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("torch", "F", "np", "math")


def _other_values(value: object) -> tuple[float, ...]:
    if isinstance(value, bool):
        return (not value,)
    if isinstance(value, int):
        return NUMBERS.get(value, (value + 1, value - 1))
    return NUMBERS.get(value, (2 * value, value / 2)) if isinstance(value, float) else ()
