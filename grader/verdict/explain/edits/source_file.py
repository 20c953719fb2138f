"""The functions of a student's file, and the code of a node as the student wrote it."""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Mapping

from grader.results.wording import shortened
from grader.source.parsing import parse_text

MAX_SOURCE_CHARACTERS = 100_000
"""A longer text is not read."""
RANDOM = frozenset(
    {"rand", "rand_like", "randn", "randn_like", "randint", "randint_like", "randperm", "bernoulli", "multinomial"}
    | {"dropout", "normal_", "uniform_", "bernoulli_"}
)
MAX_CODE_CHARACTERS_QUOTED = 70
"""Characters of the student's code that a message quotes."""
ChildPlace = tuple[ast.AST, str, int | None]
"""(parent, field, index in it)"""


class SourceFile:
    """The functions, constants and imports at the top level of a file. A text that is not Python has none."""

    def __init__(self, source: str) -> None:
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, ast.Constant] = {}
        self.imports: list[str] = []
        self._lines = re.split(rb"(?<=\n)|(?<=\r)(?!\n)", source.encode("utf-8", "replace"))
        if len(source) > MAX_SOURCE_CHARACTERS:
            return
        tree = parse_text(source)
        for statement in tree.body if tree is not None else ():
            match statement:
                case ast.FunctionDef(name=name):
                    self.functions[name] = statement
                case ast.Import(names=modules):
                    self.imports += [each.name for each in modules]
                case ast.ImportFrom(module=str(module), level=0):
                    self.imports.append(module)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda() as function):
                    self.functions[name] = as_function(name, function)
                case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant() as value):
                    self.constants[name] = value
                case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                    for target, entry in zip(names, values, strict=False):
                        if isinstance(target, ast.Name) and isinstance(entry, ast.Constant):
                            self.constants[target.id] = entry

    def reached_from(self, name: str) -> list[ast.FunctionDef]:
        """The function, and the file's functions that it calls, in the order in which they are met."""
        found, waiting = dict[str, ast.FunctionDef](), deque([name])
        while waiting:
            due = waiting.popleft()
            if due in self.functions and due not in found:
                function = found[due] = self.functions[due]
                self._keep_texts(function)
                bound = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
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


def as_function(name: str, function: ast.Lambda) -> ast.FunctionDef:
    """`def name(...): return ...` for a lambda."""
    (made,) = ast.parse(f"def {name}(): return").body
    assert isinstance(made, ast.FunctionDef)
    made.args = function.args
    made.body = [ast.copy_location(ast.Return(function.body), function.body)]
    return ast.copy_location(made, function)


def parameter_names(function: ast.FunctionDef) -> list[str]:
    """The named parameters, without `*args` and `**kwargs`."""
    return [a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def assigned_names(function: ast.FunctionDef) -> list[str]:
    """The variables that a function sets, those of functions inside it included, without repetition."""
    stored = [n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(stored))


def quote(node: ast.AST) -> str:
    """The code of a node in one line, as the student wrote it, shortened where it is long."""
    return quote_text(getattr(node, "own_text", None) or ast.unparse(node).replace("e-0", "e-"))  # 1e-5, not 1e-05


def quote_text(code: str) -> str:
    """Code in one line, shortened where it is long."""
    return shortened(code.replace("`", "'"), MAX_CODE_CHARACTERS_QUOTED)


def called_name(node: ast.AST) -> str:
    """`exp` of `x.exp()` and of `torch.exp(x)`; "" for anything that is not a call of a name."""
    if not isinstance(node, ast.Call):
        return ""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def draws_numbers(function: ast.FunctionDef) -> str:
    """The function that it calls and that draws random numbers, without a generator that it is given; "" for none."""
    calls = (node for node in ast.walk(function) if isinstance(node, ast.Call) and called_name(node) in RANDOM)
    return next((called_name(each) for each in calls if all(k.arg != "generator" for k in each.keywords)), "")


def is_module(node: ast.AST) -> bool:
    """Whether an expression is `torch`, `F`, `np`, `torch.nn.functional` ..."""
    text = ast.unparse(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
    return text in ("torch", "F", "np", "numpy", "math", "torch.nn.functional", "nn.functional")


def operand_of(call: ast.Call) -> ast.expr | None:
    """`x` of `x.exp()` and of `torch.exp(x)`."""
    if isinstance(call.func, ast.Attribute) and not is_module(call.func.value):
        return call.func.value
    return call.args[0] if call.args else None


def transposed_operand(node: ast.AST) -> ast.expr | None:
    """`x` of `x.T`, `x.mT` and `x.transpose(1, 2)`."""
    if isinstance(node, ast.Attribute) and node.attr in ("T", "mT"):
        return node.value
    is_call = isinstance(node, ast.Call) and called_name(node) in ("transpose", "swapaxes")
    return operand_of(node) if isinstance(node, ast.Call) and is_call else None


def new_name(name: str) -> ast.Name:
    """A name that is not in the student's code at that place."""
    made = ast.Name(id=name, ctx=ast.Load())
    made.is_new = True  # type: ignore[attr-defined]
    return made


def is_new(node: ast.Name) -> bool:
    return bool(getattr(node, "is_new", False))


def is_leaf(node: ast.AST) -> bool:
    """A name or a number, with its sign."""
    return isinstance(node, (ast.Name, ast.Constant)) or (isinstance(node, ast.UnaryOp) and is_leaf(node.operand))


def context_of(node: ast.AST, parents: Mapping[int, ast.AST]) -> ast.AST:
    """The nearest operation, call or assignment around a name or a number; the node itself where there is none."""
    around = parents[id(node)]
    while isinstance(around, (ast.UnaryOp, ast.Attribute, ast.Tuple, ast.keyword)) and id(around) in parents:
        around = parents[id(around)]
    if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Pow):  # `1 - h ** 2` says more than `h ** 2`
        outer = parents.get(id(around))
        around = outer if isinstance(outer, ast.BinOp) else around
    if isinstance(around, ast.Return) and isinstance(parents[id(node)], ast.Tuple):
        return parents[id(node)]
    return around if isinstance(around, ast.expr | ast.Assign | ast.AugAssign | ast.AnnAssign) else node


def is_decided_by_equality(node: ast.AST, parents: Mapping[int, ast.AST]) -> bool:
    """Whether it is part of an `a == b` that decides something: a change there may only mean that it never holds."""
    each, is_equality = node, False
    while (parent := parents.get(id(each))) is not None:
        is_equality = is_equality or (isinstance(each, ast.Compare) and isinstance(each.ops[0], ast.Eq | ast.NotEq))
        if isinstance(parent, ast.IfExp | ast.If | ast.While) and parent.test is each:
            return is_equality
        each = parent
    return False


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
