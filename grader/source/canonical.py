"""The canonical form of code: equal for code that differs only in layout, order, temporaries or spelling.

`torch.sum(x, 0)` is `x.sum(dim=0)`. The operands of sums and products are sorted, and signs are outside: `-(a - b) / n`
equals `(b - a) / n`. A temporary variable stands for its value, and `x[i] = v` for a new value of `x`. A loop is one
effect. Method: value numbering, as in optimising compilers. A long form is replaced by its hash, so that the time is
linear in the length of the text.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, Self

from grader.source.statement_names import ends_in_underscore
from grader.source.syntax import all_nodes, base_name, children, parameters

LIBRARY = {"torch": "torch", "F": "torch", "nn": "torch", "np": "np", "numpy": "np"}
"""What these names are, if nothing in the text says otherwise."""
IDENTITIES = frozenset({"clone", "contiguous", "detach", "double"})
SIGN_OF_FIRST_ARGUMENT = frozenset(
    {"sum", "mean", "T", "view", "reshape", "expand", "expand_as", "view_as", "unsqueeze", "squeeze", "flatten"}
)
"""Functions of which the sign of the first argument is the sign of the value."""
OPERATOR_OF_NAME: dict[str, ast.operator] = {
    **{"mul": ast.Mult(), "multiply": ast.Mult(), "add": ast.Add(), "sub": ast.Sub(), "subtract": ast.Sub()},
    **{"div": ast.Div(), "divide": ast.Div(), "true_divide": ast.Div(), "pow": ast.Pow()},
    **{"matmul": ast.MatMult(), "mm": ast.MatMult()},
}
POSITIONAL = {
    **dict.fromkeys(("sum", "mean", "amax", "amin", "max", "min", "argmax", "var", "std"), ("dim", "keepdim")),
    **dict.fromkeys(("softmax", "log_softmax", "cumsum", "unsqueeze", "squeeze", "prod", "logsumexp"), ("dim",)),
    "one_hot": ("num_classes",),
}
"""The names of a function's parameters after the first one."""
KEYWORDS = {"axis": "dim", "keepdims": "keepdim"}
SWAPPED = {ast.Gt: ast.Lt, ast.GtE: ast.LtE}
NOT_COMMUTING = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
LIST_CHANGES = frozenset({"append", "extend", "insert", "update"})
EFFECTS = (ast.Return, ast.Raise, ast.Yield, ast.Expr)
MAX_FORM_CHARACTERS = 160
MAX_PARTS = 64


class CodeValue(NamedTuple):
    """A value by how it is computed.

    `sign` is 1 or -1, or 0 for `x - x`, where with one label for two names nobody knows which of them comes first.
    `parts` of a sum ("+") or a product ("*") are (1, key), and (-1, key) for what is subtracted or divided by.
    """

    sign: int
    key: str
    kind: str = ""
    parts: tuple[tuple[int, str], ...] = ()

    def __str__(self) -> str:
        return f"-{self.key}" if self.sign < 0 else self.key

    def negative(self) -> CodeValue:
        return self._replace(sign=-self.sign)


def short(text: str) -> str:
    """The text, or its hash if it is long."""
    if len(text) <= MAX_FORM_CHARACTERS:
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def plain(key: str, sign: int = 1) -> CodeValue:
    """The value of a name or a number, which `key` identifies."""
    return CodeValue(sign, short(key))


def operands_of(kind: str, operands: Iterable[tuple[int, CodeValue]]) -> list[tuple[int, str]]:
    """The operands in a fixed order. A sum in a sum is replaced by its parts, up to MAX_PARTS; so is a product."""
    found: list[tuple[int, str]] = []
    for sign, value in operands:
        is_alike = value.kind == kind and len(found) + len(value.parts) <= MAX_PARTS
        found += [(sign * each, key) for each, key in (value.parts if is_alike else [(1, value.key)])]
    return sorted(found, key=lambda part: part[::-1])


def sum_of(*terms: CodeValue) -> CodeValue:
    found = operands_of("+", ((term.sign, term) for term in terms))
    sign = next((each for each, _ in found if each), 0)
    own = tuple(((sign or 1) * each, key) for each, key in found)
    if Counter(own) == Counter((-each, key) for each, key in own):
        sign = 0
    return CodeValue(sign, short(f"({''.join(('+' if each > 0 else '-') + key for each, key in own)})"), "+", own)


def product_of(*powers: tuple[int, CodeValue]) -> CodeValue:
    """The product of (1, or -1 for a divisor; value)."""
    sign = math.prod(value.sign for _, value in powers)
    own = [part for part in operands_of("*", powers) if part[1] != "1"]
    above, below = ([key for power, key in own if power == wanted] for wanted in (1, -1))
    if len(above) == 1 and not below:
        only = next((value for _, value in powers if value.key == above[0]), plain(above[0]))
        return only._replace(sign=sign)
    text = "*".join(above or ["1"]) + "".join(f"/{key}" for key in below)
    return CodeValue(sign, short(f"({text})"), "*", tuple(own))


def operation(op: ast.operator, left: CodeValue, right: CodeValue, commutes: bool = True) -> CodeValue:
    """The value of `left op right`. Texts and lists do not commute: their order stays."""
    match op:
        case ast.Add() if commutes:
            return sum_of(left, right)
        case ast.Sub():
            return sum_of(left, right.negative())
        case ast.Mult() | ast.Div():
            return product_of((1, left), (1 if isinstance(op, ast.Mult) else -1, right))
        case ast.Pow():
            power = plain(f"({left}**{right.key})") if right.key != "1" else left
            return product_of((-1, power)) if right.sign < 0 else power
        case ast.MatMult():
            return plain(f"({left.key}@{right.key})", left.sign * right.sign)
        case ast.BitAnd() | ast.BitOr() | ast.BitXor():
            left, right = sorted((left, right), key=str)
    return plain(f"{type(op).__name__}({left},{right})")


def number_or_text(value: object) -> CodeValue:
    """The value of a constant: 1.0 is 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return plain(repr(value))
    size = abs(value)
    is_whole = isinstance(value, float) and size < 1e15 and size == int(size)
    return plain(repr(int(size) if is_whole else size), -1 if value < 0 else 1)


def result_of(name: str, values: list[CodeValue], keywords: list[tuple[str, str]]) -> CodeValue:
    """The value of a function of torch, of a method, or of a function with this name."""
    if name in OPERATOR_OF_NAME and len(values) == 2 and not keywords:
        return operation(OPERATOR_OF_NAME[name], values[0], values[1])
    first = values[0] if values else plain("")
    match name, [*map(str, values[1:])], keywords:
        case "neg" | "negative", [], []:
            return first.negative()
        case "square", [], []:
            return plain(f"({first}**2)")
        case "reciprocal", [], []:
            return product_of((-1, first))
        case "size", [], []:
            return plain(f"size({first},0)")
        case "arange", [], _ if values:
            return plain(f"$range({first})")
        case ("t", _, _) | ("transpose", ["0", "1"] | ["1", "0"], _):
            return plain(f"T({first.key})", first.sign)
        case _, [], [] if name in IDENTITIES:
            return first
    named = POSITIONAL.get(name, ())
    if values and len(values) - 1 <= len(named):
        keywords = [*zip(named, map(str, values[1:]), strict=False), *keywords]
        values = values[:1]
    keeps_sign = bool(values) and name in SIGN_OF_FIRST_ARGUMENT
    texts = [first.key if keeps_sign else str(first), *map(str, values[1:])] if values else []
    texts += sorted(f"{key}={text}" for key, text in keywords if (key, text) != ("keepdim", "False"))
    return plain(f"{name}({','.join(texts)})", first.sign if keeps_sign else 1)


class Canonicaliser:
    """Gives code its canonical form.

    Attributes:
        names: {name: what stands for it}: the value of a variable, which `run` follows, or a label for its name.
        modules: {name: the library that it is}; `exp` imported by name is "torch:exp".
        computed: (the variable that gets it or "", value) of each value that a statement has computed.
    """

    def __init__(self, names: Mapping[str, CodeValue] | None = None, modules: Mapping[str, str] = LIBRARY) -> None:
        self.names, self.modules = dict(names or {}), dict(modules)
        self.computed: list[tuple[str, CodeValue]] = []
        self._labels = 0

    def inside(self, bound: Sequence[str]) -> Self:
        """A reader of what has the variables `bound` of its own."""
        labels = {name: plain(f"_b{self._labels + place}") for place, name in enumerate(bound)}
        inner = type(self)(self.names | labels, self.modules)
        inner._labels = self._labels + len(bound)
        return inner

    def text(self, node: ast.AST) -> str:
        return str(self.value(node))

    def value(self, node: ast.AST) -> CodeValue:
        """The canonical form of an expression, or of a statement inside a loop."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name) or plain(name)
            case ast.arg(arg=name):
                return self.names[name]
            case ast.Constant():
                return number_or_text(node.value)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
                inner = self.value(node.operand)
                return inner.negative() if isinstance(node.op, ast.USub) else inner
            case ast.BinOp(left=left):
                is_text = isinstance(left, ast.Constant) and not isinstance(left.value, int | float)
                commutes = not is_text and not isinstance(left, NOT_COMMUTING)
                return operation(node.op, self.value(left), self.value(node.right), commutes)
            case ast.Compare(ops=[op], comparators=[right]):
                sides, kind = [self.text(node.left), self.text(right)], type(op)
                sides = sorted(sides) if kind in (ast.Eq, ast.NotEq) else sides[::-1] if kind in SWAPPED else sides
                return plain(f"Compare({','.join(sides)};{SWAPPED.get(kind, kind).__name__})")
            case ast.Attribute(attr=name):
                if module := self.module_of(node):
                    return plain(f"{module}.{name}")
                inner = self.value(node.value)
                return plain(f"T({inner.key})", inner.sign) if name in ("T", "mT") else plain(f"{inner}.{name}")
            case ast.Subscript(value=ast.Attribute(value=owner, attr="shape")):
                return plain(f"size({self.text(owner)},{self.text(node.slice)})")
            case ast.Subscript():
                inner = self.value(node.value)
                return plain(f"{inner.key}[{self.text(node.slice)}]", inner.sign)
            case ast.Tuple() | ast.List():
                return plain(f"[{','.join(map(self.text, node.elts))}]")
            case ast.Call():
                return self._called(node)
            case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return self.inside(bound_names(node))._any(node)
            case ast.ClassDef():
                return plain(f"class({','.join(sorted(map(self.text, node.body)))})")
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                own = [each.arg for each, _ in parameters(node)]
                return plain(f"def({len(own)};{';'.join(self.inside(own).run(node.body))})")
            case ast.AugAssign(target=target):
                return self._any(ast.Assign([target], ast.BinOp(target, node.op, node.value)))
            case ast.AnnAssign():
                return self._any(ast.Assign([node.target], node.value)) if node.value else plain("")
        return self._any(node)

    def _any(self, node: ast.AST) -> CodeValue:
        """The form of a node by its kind and its parts."""
        parts = []
        for name, field in ast.iter_fields(node):
            for each in field if isinstance(field, list) else [field]:
                if not (each is None or isinstance(each, ast.expr_context)):
                    parts.append(f"{name}={self.text(each) if isinstance(each, ast.AST) else each!r}")
        return plain(f"{type(node).__name__}({','.join(parts)})")

    def module_of(self, node: ast.Attribute) -> str:
        """ "torch" for `torch.exp`, `F.relu`, `torch.nn.functional.relu`; "" where it is no attribute of a library."""
        first = base_name(node.value)
        return self.modules.get(first, "") if first not in self.names else ""

    def _called(self, node: ast.Call) -> CodeValue:
        function, arguments = node.func, list(node.args)
        if isinstance(function, ast.Attribute):
            module = self.module_of(function)
            name = function.attr if module in ("", "torch") else f"{module}.{function.attr}"
            arguments = arguments if module else [function.value, *arguments]
        elif isinstance(function, ast.Name):
            own = self.modules.get(function.id, "size" if function.id == "len" else f"${function.id}")
            name = self.names[function.id].key if function.id in self.names else own.removeprefix("torch:")
        else:
            name = f"call({self.text(function)})"
        keywords = [(KEYWORDS.get(k.arg or "", k.arg or "**"), self.text(k.value)) for k in node.keywords]
        return result_of(name, [*map(self.value, arguments)], keywords)

    # Statements ------------------------------------------------------------------------------------------------------

    def run(self, body: Iterable[ast.stmt]) -> list[str]:
        """The effects of code, in order: what it returns, its loops, and what it calls for an effect.

        The values that it assigns are then in `names`.
        """
        return [effect for statement in body for effect in self._effects(statement)]

    def _effects(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Return(value=ast.expr() as value):
                self.computed.append(("", self.value(value)))
                return [f"return {self.computed[-1][1]}"]
            case ast.Return():
                return ["return"]
            case ast.Expr():
                return self._expression(node.value)
            case ast.Assign():
                assigned = self.value(node.value)
                for target in node.targets:
                    self._assign(target, assigned, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self._assign(node.target, self.value(value), value)
            case ast.AugAssign():
                self._assign(node.target, operation(node.op, self.value(node.target), self.value(node.value)))
            case ast.With() if all("grad" in ast.unparse(item.context_expr) for item in node.items):
                return self.run(node.body)  # torch.no_grad()
            case ast.Import() | ast.ImportFrom():
                self.modules |= imported_modules(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.names[node.name] = self.value(node)
            case ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Assert() | ast.AnnAssign():
                pass
            case _:
                is_compound = any(isinstance(each, ast.stmt) for each in children(node))
                return self._compound(node) if is_compound else [self.text(node)]
        return []

    def _expression(self, node: ast.expr) -> list[str]:
        """A docstring, `print(...)`, a method that changes a variable, or an effect."""
        if isinstance(node, ast.Constant):
            return []
        value = self.value(node)
        self.computed.append(("", value))
        match node:
            case ast.Call(func=ast.Name(id="print")):
                return []
            case ast.Call(func=ast.Attribute(value=ast.Name() as holder, attr=method)) if ends_in_underscore(method):
                function = ast.Attribute(holder, method.rstrip("_"), ast.Load())
                self._set(holder.id, self.value(ast.Call(function, node.args, node.keywords)))
                return []
        return [str(value)]

    def _set(self, name: str, value: CodeValue) -> None:
        self.names[name] = value
        self.computed.append((name, value))

    def _assign(self, target: ast.expr, value: CodeValue, node: ast.expr | None = None) -> None:
        match target:
            case ast.Name(id=name):
                self._set(name, value)
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                values = [plain(f"{value}[{place}]") for place in range(len(targets))]
                if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(targets):
                    values = [*map(self.value, node.elts)]
                for each, part in zip(targets, values, strict=True):
                    self._assign(each, part)
            case ast.Starred(value=inner):
                self._assign(inner, value)
            case _ if name := base_name(target):
                before = self.names.get(name) or plain(name)
                place = type(self)(self.names | {name: plain("")}, self.modules).text(target)  # without `x` in `x[0]`
                self._set(name, plain(f"set({before};{place};{value})"))

    def _compound(self, node: ast.stmt) -> list[str]:
        """A loop, an `if` or so: one effect, after which the names that it changes have new values."""
        changed = changed_names(node)
        before = "|".join(str(self.names.get(name, "")) for name in changed)
        text = short(f"{self.inside(changed)._any(node)}|{before}")
        for place, name in enumerate(changed):
            self._set(name, plain(f"after({place};{text})"))
        return [text] if not changed or any(isinstance(each, EFFECTS) for each in all_nodes(node)) else []


def bound_names(node: ast.AST) -> list[str]:
    """The parameters and variables of a lambda or a comprehension."""
    nodes = list(ast.walk(node))
    found = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return list(dict.fromkeys([*found, *(each.arg for each in nodes if isinstance(each, ast.arg))]))


def changed_names(node: ast.AST) -> list[str]:
    """Names that a statement assigns, or whose objects it changes, in the order of the text."""
    found: dict[str, None] = {}
    for each in all_nodes(node):
        match each:
            case ast.Name() | ast.Subscript() | ast.Attribute() if not isinstance(each.ctx, ast.Load):
                found.setdefault(base_name(each))
            case ast.Call(func=ast.Attribute(attr=method)) if ends_in_underscore(method) or method in LIST_CHANGES:
                found.setdefault(base_name(each.func))
    found.pop("", None)
    return list(found)


def imported_modules(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """{name: what it stands for} of torch and numpy; a function that is imported by name is "torch:exp"."""
    if isinstance(node, ast.Import):
        tops = [(alias, alias.name.partition(".")[0]) for alias in node.names]
        return {alias.asname or top: LIBRARY[top] for alias, top in tops if top in ("torch", "numpy")}
    if (node.module or "").partition(".")[0] != "torch":
        return {}
    modules = {"nn": "torch", "functional": "torch"}
    return {alias.asname or alias.name: modules.get(alias.name, f"torch:{alias.name}") for alias in node.names}
