"""Which files hold nothing but pure functions, and a key for each function: equal keys, equal results to the last bit.

A verdict on such a function may be used again for another student (grader/gradebook/grading/verdict_cache.py). So the
reading is an allow-list: one statement, name or attribute that is not on it, anywhere in the file, and no function of
the file has a key. What is left can change nothing outside a call: no attribute is set, no module is changed, nothing
is printed, drawn or read from outside, and module-level names are imports, functions and numbers that are set once.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from grader.source.parsing import PARSE_ERRORS

MOST_BYTES = 50_000
MOST_REMEMBERED = 5_000
"""Texts of functions whose reading is kept; a class has some hundred different ones."""
MODULES = frozenset({"torch", "torch.nn", "torch.nn.functional", "math"})
BUILTINS = frozenset(
    """
    abs bool enumerate float int len list max min range reversed round sorted sum tuple zip NotImplementedError
    """.split()  # noqa: SIM905
)
# The same whatever it is an attribute of: torch, its functional module, math, a tensor, a number, a list, a function.
# Nothing here prints, draws numbers, reads uninitialised memory, keeps anything, or sets a mode of torch's.
ATTRIBUTES = frozenset(
    """
    T mT H shape ndim dtype device nn functional to type
    float32 float64 int64 int32 long float double int bool item tolist numel dim size
    abs add addcmul addcdiv addmm all any amax amin arange argmax argmin baddbmm bmm bincount broadcast_to cat ceil
    chunk clamp clone concat contiguous cos cumsum detach diag diag_embed diagonal div divide dot einsum eq equal exp
    expand expand_as expm1 eye
    flatten flip floor fmod full full_like ge gather gt index_add index_copy index_fill
    index_select index_put inverse isclose le linear linspace log log10 log1p log2 log_softmax logical_and logical_not
    logical_or logsumexp lt masked_fill masked_select matmul max maximum mean min minimum mm movedim mul multiply mv
    narrow ne neg negative new_full new_ones new_tensor new_zeros nonzero norm one_hot ones ones_like outer permute
    pow prod reciprocal relu repeat repeat_interleave reshape reshape_as rsqrt rsub scatter scatter_add select sigmoid
    sign sin softmax sort split sqrt square squeeze stack std sub subtract sum sum_to_size swapaxes t take
    take_along_dim
    tanh tensor tensordot tile to topk trace transpose tril triu true_divide type_as unbind unflatten unfold unique
    unsqueeze values indices var view view_as where zeros zeros_like
    add_ addcmul_ clamp_ copy_ div_ exp_ fill_ fill_diagonal_ index_add_ index_copy_ index_fill_ index_put_
    masked_fill_ mul_ neg_ pow_ reciprocal_ scatter_ scatter_add_ sqrt_ square_ sub_ tanh_ unsqueeze_ squeeze_ zero_
    append extend index count inf pi e tau
    """.split()  # noqa: SIM905
)
OTHER_KEYWORDS = frozenset({"requires_grad", "pin_memory", "generator", "out", "layout", "device", "non_blocking"})
TENSOR_TYPES = frozenset({"Tensor"})  # in annotations
NODES = (
    *(ast.Return, ast.Assign, ast.AugAssign, ast.For, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Raise),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Slice, ast.Name, ast.Constant, ast.Tuple),
    *(ast.List, ast.ListComp, ast.GeneratorExp, ast.Starred),
    *(ast.operator, ast.unaryop, ast.boolop, ast.expr_context, ast.arguments, ast.arg),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp)
"""Python warns where one of these is called or wrongly subscripted, and a warning is printed."""


class NotPure(Exception):
    """Something is not on the list."""


@dataclass(frozen=True)
class PureFunction:
    """Attributes:
    key: a digest of the function with all that it calls, whatever its place, its comments and its variables' names.
    line: that of its `def`.
    parameters: their names.
    """

    key: str
    line: int
    parameters: Sequence[str]


@dataclass(frozen=True)
class Reading:
    """One function by itself: its syntax as text, and names.

    Attributes:
        loaded: names that are neither parameters nor variables: of the module, or Python's own.
        annotations: names that its annotations read when the file is run.
        inside: variables of its comprehensions.
    """

    syntax: str
    loaded: tuple[str, ...]
    annotations: tuple[str, ...]
    inside: frozenset[str]
    parameters: tuple[str, ...]


_remembered: dict[str, Reading] = {}  # by the function's text


def pure_functions(source: bytes) -> dict[str, PureFunction]:
    """{name: function} of a file that holds nothing else; {} for any other file. Raises nothing."""
    try:
        return _File(source).functions()
    except (NotPure, *PARSE_ERRORS):
        return {}


class _File:
    """The names that the file's statements bind, each once. Raises NotPure, and what Python's parser raises."""

    def __init__(self, source: bytes) -> None:
        text = source.decode("utf-8").replace("\r\n", "\n")
        # a lone \r ends a line, and a coding cookie changes the text: lines would not be what Python reads
        if len(source) > MOST_BYTES or "\r" in text or "\0" in text or re.search(r"coding[:=]|^\ufeff", text):
            raise NotPure
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the worker would print it
            tree = ast.parse(text)
        self._lines = text.split("\n")
        self._bound: dict[str, str] = {}  # names of imports and numbers, as they enter the keys
        self._defined: dict[str, tuple[ast.FunctionDef, Reading]] = {}
        self._keys: dict[str, str | None] = {}  # None: being made
        for statement in tree.body:
            self._read(statement)
        for name in self._defined:
            self._key(name)

    def functions(self) -> dict[str, PureFunction]:
        return {
            name: PureFunction(self._key(name), node.lineno, reading.parameters)
            for name, (node, reading) in self._defined.items()
        }

    def _read(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name not in MODULES:
                        raise NotPure
                    # `import torch.nn.functional` binds `torch`, however often
                    self._bind(alias.asname or alias.name.partition(".")[0], alias.name if alias.asname else "")
            case ast.ImportFrom(module="__future__", names=[ast.alias(name="annotations", asname=None)], level=0):
                pass
            case ast.ImportFrom(module=module, names=aliases, level=0) if module in MODULES:
                for alias in aliases:
                    if alias.name not in ATTRIBUTES | TENSOR_TYPES:
                        raise NotPure
                    self._bind(alias.asname or alias.name, f"{module}.{alias.name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float() as value)):
                self._bind(name, f"{type(value).__name__} {value!r}")
            case ast.FunctionDef(name=name):
                self._bind(name, "def")
                self._defined[name] = statement, self._reading(statement)
            case _:
                raise NotPure

    def _bind(self, name: str, value: str) -> None:
        """Raises NotPure where the name means something else already. Of two functions Python takes the last."""
        value = value or name
        if name.startswith("__") or self._bound.get(name, value) != value:
            raise NotPure
        self._bound[name] = value

    def _reading(self, node: ast.FunctionDef) -> Reading:
        text = "\n".join(self._lines[node.lineno - 1 : node.end_lineno])
        if text not in _remembered:
            if len(_remembered) >= MOST_REMEMBERED:
                _remembered.clear()
            _remembered[text] = read_function(node)
        return _remembered[text]

    def _key(self, name: str) -> str:
        """Raises NotPure where a global name is unknown, or where functions call each other in a circle."""
        known = self._keys.get(name, "")
        if known is None:
            raise NotPure
        if not known:
            self._keys[name] = None
            reading = self._defined[name][1]
            if any(each in self._bound or hasattr(builtins, each) for each in reading.inside):
                raise NotPure
            if any(each not in self._bound and each not in BUILTINS for each in reading.annotations):
                raise NotPure
            parts = [reading.syntax]
            for used in reading.loaded:
                if used in self._defined:
                    parts.append(f"{used} {self._key(used)}")
                elif self._bound.get(used, "").endswith(".Tensor"):  # it can make tensors of whatever is in memory
                    raise NotPure
                elif used in self._bound or used in BUILTINS:
                    parts.append(f"{used} {self._bound.get(used, 'builtin')}")
                else:
                    raise NotPure
            known = self._keys[name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()
        return known


def read_function(node: ast.FunctionDef) -> Reading:
    """Read one function; its variables are numbered in their order. Changes the tree. Raises NotPure."""
    arguments = node.args
    own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    if node.decorator_list or getattr(node, "type_params", None) or arguments.vararg or arguments.kwarg:
        raise NotPure
    if not all(isinstance(each, ast.Constant) for each in defaults):
        raise NotPure
    parameters = tuple(each.arg for each in own)
    annotated: list[ast.arg | ast.FunctionDef] = [*own, node]
    annotations = tuple(name for each in annotated for name in take_annotation(each))
    node.name, node.type_comment = "", None
    if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
        node.body[0] = ast.Pass()  # the docstring
    inside: set[str] = set()  # variables of comprehensions, whose names may mean something else outside of them
    for each in ast.walk(node):
        check_node(each, node)
        if isinstance(each, ast.comprehension):
            inside |= {target.id for target in ast.walk(each.target) if isinstance(target, ast.Name)}
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    stored = {each.id for each in names if isinstance(each.ctx, ast.Store)} - set(parameters)
    in_order = sorted((each for each in names if each.id in stored), key=lambda each: (each.lineno, each.col_offset))
    numbers = {name: f"{number} variable" for number, name in enumerate(dict.fromkeys(each.id for each in in_order))}
    loaded = {each.id for each in names} - stored - set(parameters)
    for each in names:
        each.id = numbers.get(each.id, each.id)
    return Reading(ast.dump(node), tuple(sorted(loaded)), annotations, frozenset(inside), parameters)


def take_annotation(node: ast.arg | ast.FunctionDef) -> list[str]:
    """Remove the annotation, which has no part in what the function does; its name, or no name. Raises NotPure."""
    annotation = node.returns if isinstance(node, ast.FunctionDef) else node.annotation
    if isinstance(node, ast.FunctionDef):
        node.returns = None
    else:
        node.annotation = node.type_comment = None
    match annotation:
        case None | ast.Constant(value=None | str()):
            return []
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(id=name), attr="Tensor"):
            return [name]
    raise NotPure


def check_node(node: ast.AST, function: ast.FunctionDef) -> None:
    """Raises NotPure for what is not on the lists."""
    match node:
        case ast.FunctionDef():
            allowed = node is function
        case ast.Attribute():
            allowed = node.attr in ATTRIBUTES and isinstance(node.ctx, ast.Load)
        case ast.Call():
            allowed = isinstance(node.func, (ast.Name, ast.Attribute))
        case ast.keyword():
            allowed = node.arg is not None and node.arg not in OTHER_KEYWORDS
        case ast.Subscript():
            allowed = not isinstance(node.value, LITERALS)
        case ast.comprehension():
            allowed = not node.is_async
        case _:
            allowed = isinstance(node, NODES)
    if not allowed:
        raise NotPure
