"""Which files run only pure functions, and a key for each function: equal keys, equal results to the last bit.

A verdict on such a function may be used again for another student (grader/gradebook/grading/verdict_cache.py). So the
reading is an allow-list: one statement, name or attribute that is not on it, in anything that runs, and no function of
the file has a key. What is left can change nothing outside a call: no attribute is set, no module is changed, nothing
is printed, drawn or read from outside, and module-level names are imports, functions and numbers that are set once.
Running the file itself can neither fail nor print: Python compiles it without a warning, and it only defines.

Not read are functions that no graded function calls, and what follows `if __name__ == "__main__":`.
"""

from __future__ import annotations

import ast
import builtins
import hashlib
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from grader.sandbox.policy.affine_functions import is_affine
from grader.sandbox.policy.filled_memory import COUNTING, is_filled
from grader.sandbox.policy.pure_names import ATTRIBUTES, IMPORTABLE, OTHER_KEYWORDS, PURE_NAMES, UNSETTLED, is_renamed
from grader.source.parsing import PARSE_ERRORS, names_from_outside

MAX_PURE_FILE_BYTES = 50_000
MAX_REMEMBERED = 5_000
"""Texts of functions whose reading is kept; a class has some hundred different ones."""
NODES = (
    *(ast.Return, ast.Assign, ast.AugAssign, ast.For, ast.If, ast.Expr, ast.Pass, ast.Break, ast.Continue, ast.Raise),
    *(ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Slice, ast.Name, ast.Constant, ast.Tuple),
    *(ast.List, ast.ListComp, ast.GeneratorExp, ast.Starred, ast.In, ast.NotIn),
    *(ast.operator, ast.unaryop, ast.boolop, ast.expr_context, ast.arguments, ast.arg),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
LITERALS = (ast.Constant, ast.Tuple, ast.List, ast.ListComp, ast.GeneratorExp)


class NotPure(Exception):
    """Something is not on the list."""


@dataclass(frozen=True)
class PureFunction:
    """A function of a file.

    Attributes:
        key: a digest of the function with all that it calls, whatever its place, its comments and its variables'
            names; "" where the result may depend on more.
        line: that of its `def`.
        parameters: their names.
        text_key: the same for its text to the letter; "" where it calls other functions of the file.
        is_affine: whether it is affine in its upstream gradients, see affine_functions.py.
    """

    key: str
    line: int
    parameters: Sequence[str]
    text_key: str = ""
    is_affine: bool = False


@dataclass(frozen=True)
class Reading:
    """One function by itself: its syntax as text, and names.

    Attributes:
        loaded: names that Python looks up outside the function: the module's, or Python's own.
        inside: variables of its comprehensions and lambdas.
        is_settled: whether it uses nothing UNSETTLED, or fills it (filled_memory.py).
        text: a digest of its text.
    """

    syntax: str
    loaded: tuple[str, ...]
    inside: frozenset[str]
    parameters: tuple[str, ...]
    is_settled: bool
    is_affine: bool
    text: str = ""


_remembered: dict[str, Reading | None] = {}  # by the function's text; None: not pure


def pure_functions(source: bytes, graded: Collection[str]) -> dict[str, PureFunction]:
    """{name: function} of those that are `graded`, of a file that runs nothing else; {} for any other file."""
    try:
        return _File(source).functions(graded)
    except (NotPure, *PARSE_ERRORS):
        return {}


class _File:
    """The names that the file's statements bind, each once. Raises NotPure, and what Python's parser raises."""

    def __init__(self, source: bytes) -> None:
        text = source.decode("utf-8").replace("\r\n", "\n")
        # a lone \r ends a line, and a coding cookie changes the text: lines would not be what Python reads
        if len(source) > MAX_PURE_FILE_BYTES or "\r" in text or "\0" in text or re.search(r"coding[:=]|^\ufeff", text):
            raise NotPure
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the worker would print it
            tree = ast.parse(text)
            self._lines = text.split("\n")
            compile(self._unread(tree), "", "exec", dont_inherit=True)  # it finds errors that the parser does not
        self._bound: dict[str, str] = {}  # names of imports and numbers, as they enter the keys
        self._defined: dict[str, tuple[int, Reading | None]] = {}  # {function: (its line, what it is made of)}
        self._keys: dict[str, str | None] = {}  # None: being made
        for statement in tree.body:
            self._read(statement)

    def _unread(self, tree: ast.Module) -> ast.Module:
        """The file without functions that were compiled before, in other files."""
        known = [isinstance(each, ast.FunctionDef) and self._text(each) in _remembered for each in tree.body]
        body = [
            ast.copy_location(ast.Pass(), statement) if is_known else statement
            for statement, is_known in zip(tree.body, known, strict=True)
        ]
        return ast.Module(body, [])

    def functions(self, graded: Collection[str]) -> dict[str, PureFunction]:
        """Raises NotPure where a graded function is not pure."""
        return {
            name: self._function(self._key(name), line, reading)
            for name, (line, reading) in self._defined.items()
            if name in graded
        }

    def _function(self, key: str, line: int, reading: Reading | None) -> PureFunction:
        assert reading is not None  # else there is no key
        if not key or not self._defined.keys().isdisjoint(reading.loaded):
            return PureFunction(key, line, reading.parameters)
        is_affine = reading.is_affine and not any(is_renamed(each, self._bound) for each in reading.loaded)
        return PureFunction(key, line, reading.parameters, digest(f"{key} {reading.text}"), is_affine)

    def _read(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(value=ast.Constant(value=str())):
                pass
            case ast.Import(names=aliases):
                for alias in aliases:
                    if alias.name not in IMPORTABLE:
                        raise NotPure
                    # `import torch.nn.functional` binds `torch`, however often
                    self._bind(alias.asname or alias.name.partition(".")[0], alias.name if alias.asname else "")
            case ast.ImportFrom(module="__future__", names=[ast.alias(name="annotations", asname=None)], level=0):
                pass
            case ast.ImportFrom(module=module, names=aliases, level=0) if module in IMPORTABLE:
                for alias in aliases:
                    if alias.name not in IMPORTABLE[module].split():
                        raise NotPure
                    self._bind(alias.asname or alias.name, f"{module}.{alias.name}")
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=int() | float() as value)):
                self._bind(name, f"{type(value).__name__} {value!r}")
            case ast.FunctionDef(name=name):
                for annotation in definition_names(statement):
                    meaning = self._bound.get(annotation.removesuffix(".Tensor"), "")  # the file may import it later
                    is_tensor = meaning == "torch" or (meaning == "torch.Tensor" and "." not in annotation)
                    if not (is_tensor or annotation in PURE_NAMES - {*self._bound}):
                        raise NotPure
                self._bind(name, "def")
                self._defined[name] = statement.lineno, self._reading(statement)
            case ast.If(
                test=ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant("__main__")]),
                orelse=[],
            ):
                pass
            case _:
                raise NotPure

    def _bind(self, name: str, value: str) -> None:
        """Raises NotPure where the name means something else already. Of two functions Python takes the last."""
        value = value or name
        if name.startswith("__") or name in COUNTING or self._bound.get(name, value) != value:
            raise NotPure
        self._bound[name] = value

    def _text(self, node: ast.FunctionDef) -> str:
        return "\n".join(self._lines[node.lineno - 1 : node.end_lineno])

    def _reading(self, node: ast.FunctionDef) -> Reading | None:
        text = self._text(node)
        if text not in _remembered:
            if len(_remembered) >= MAX_REMEMBERED:
                _remembered.clear()
            try:
                _remembered[text] = replace(read_function(node, text), text=digest(text))
            except NotPure:
                _remembered[text] = None
        return _remembered[text]

    def _key(self, name: str) -> str:
        """Raises NotPure where a global name is unknown, or where functions call each other in a circle."""
        known = self._keys.get(name, "new")
        if known is None:
            raise NotPure
        if known == "new":
            self._keys[name] = None
            reading = self._defined[name][1]
            if reading is None or any(each in self._bound or hasattr(builtins, each) for each in reading.inside):
                raise NotPure
            parts, is_settled = [reading.syntax], reading.is_settled
            for used in reading.loaded:
                if used in self._defined:
                    parts.append(f"{used} {self._key(used)}")
                    is_settled = is_settled and bool(self._key(used))
                elif self._bound.get(used, "").endswith(".Tensor"):  # it can make tensors of whatever is in memory
                    raise NotPure
                elif used in self._bound or used in PURE_NAMES:
                    parts.append(f"{used} {self._bound.get(used, 'builtin')}")
                else:
                    raise NotPure
            known = self._keys[name] = digest("\0".join(parts)) if is_settled else ""
        return known


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def definition_names(node: ast.FunctionDef) -> list[str]:
    """The names that a definition reads when the file is run: those of annotations. Raises NotPure for more."""
    arguments = node.args
    defaults = [*arguments.defaults, *filter(None, arguments.kw_defaults)]
    if node.decorator_list or getattr(node, "type_params", None) or arguments.vararg or arguments.kwarg:
        raise NotPure
    if not all(isinstance(each, ast.Constant) for each in defaults):
        raise NotPure
    found = []
    for annotation in (node.returns, *(each.annotation for each in all_parameters(node))):
        match annotation:
            case None | ast.Constant(value=None | str()):
                pass
            case ast.Name() | ast.Attribute(value=ast.Name(), attr="Tensor"):
                found.append(ast.unparse(annotation))
            case _:
                raise NotPure
    return found


def all_parameters(node: ast.FunctionDef | ast.Lambda) -> list[ast.arg]:
    return [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]


def read_function(node: ast.FunctionDef, text: str) -> Reading:
    """Read one function; its variables are numbered in their order. Changes the tree. Raises NotPure."""
    loaded = names_from_outside(text)
    parameters = tuple(each.arg for each in all_parameters(node))
    for each in all_parameters(node):
        each.annotation = each.type_comment = None  # which have no part in what the function does
    node.name, node.returns, node.type_comment = "", None, None
    if isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
        node.body = node.body[1:] or [ast.Pass()]  # without the docstring
    inside: set[str] = set()  # names that may mean something else outside of the comprehension or lambda
    is_settled = is_filled(node)
    for part in ast.walk(node):
        check_node(part, node)
        if isinstance(part, ast.comprehension):
            inside |= {target.id for target in ast.walk(part.target) if isinstance(target, ast.Name)}
        elif isinstance(part, ast.Lambda):
            inside |= {parameter.arg for parameter in all_parameters(part)}
    names, affine = [part for part in ast.walk(node) if isinstance(part, ast.Name)], is_affine(node, parameters)
    stored = {each.id for each in names if isinstance(each.ctx, ast.Store)} - set(parameters)
    in_order = sorted((name for name in names if name.id in stored), key=lambda name: (name.lineno, name.col_offset))
    numbers = {name: f"{number} variable" for number, name in enumerate(dict.fromkeys(each.id for each in in_order))}
    numbers = {name: number for name, number in numbers.items() if name not in inside}
    for name in names:
        name.id = numbers.get(name.id, name.id)
    return Reading(ast.dump(node), tuple(sorted(loaded)), frozenset(inside), parameters, is_settled, affine)


def check_node(node: ast.AST, function: ast.FunctionDef) -> None:
    """Raises NotPure for what is not on the lists."""
    match node:
        case ast.FunctionDef():
            allowed = node is function
        case ast.Attribute():
            allowed = node.attr in ATTRIBUTES | UNSETTLED and isinstance(node.ctx, ast.Load)
        case ast.Call():
            allowed = isinstance(node.func, (ast.Name, ast.Attribute))
        case ast.keyword():
            allowed = node.arg is not None and node.arg not in OTHER_KEYWORDS
        case ast.Constant(value=str() | bytes()):
            allowed = "%" not in repr(node.value)  # "%r" shows addresses, which depend on what ran before
        case ast.Subscript():
            allowed = not isinstance(node.value, LITERALS)
        case ast.comprehension():
            allowed = not node.is_async
        case ast.Lambda():
            allowed = not (node.args.vararg or node.args.kwarg or node.args.defaults or node.args.kw_defaults)
        case _:
            allowed = isinstance(node, NODES)
    if not allowed:
        raise NotPure
