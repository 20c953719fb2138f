"""The canonical form of expressions: equal for those that differ in layout, in the order of operands, or in spelling.

`torch.sum(x, 0)` is `x.sum(dim=0)`. The operands of sums and products are sorted, and signs are outside: `-(a - b) / n`
equals `(b - a) / n`. A long form is replaced by its hash, so that the time is linear in the length of the text.
"""

from __future__ import annotations

import ast
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple, Self

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
MAX_FORM_CHARACTERS = 160
MAX_PARTS = 64
SignedParts = tuple[tuple[int, str], ...]


class CodeValue(NamedTuple):
    """A value by how it is computed.

    Attributes:
        sign: 1 or -1; 0 for `x - x`, where with one label for two names nobody knows which of them comes first.
        terms: (sign, key) of each term of a sum.
        factors: (1, key) of each factor of a product, (-1, key) of each divisor.
    """

    sign: int
    key: str
    terms: SignedParts = ()
    factors: SignedParts = ()

    def __str__(self) -> str:
        return f"-{self.key}" if self.sign < 0 else self.key


def short(text: str) -> str:
    """The text, or its hash if it is long."""
    if len(text) <= MAX_FORM_CHARACTERS:
        return text
    return "#" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def plain(key: str, sign: int = 1) -> CodeValue:
    """The value of a name or a number, which `key` identifies."""
    return CodeValue(sign, short(key))


def flattened(operands: Iterable[tuple[int, SignedParts, str]]) -> list[tuple[int, str]]:
    """The operands (sign, parts, key) in a fixed order, with the parts of one in its place, up to MAX_PARTS."""
    found: list[tuple[int, str]] = []
    for sign, parts, key in operands:
        fits = len(found) + len(parts) <= MAX_PARTS
        found += [(sign * each, part) for each, part in parts] if parts and fits else [(sign, key)]
    return sorted(found, key=lambda entry: (entry[1], entry[0]))


def sum_of(*terms: CodeValue) -> CodeValue:
    found = flattened((term.sign, term.terms, term.key) for term in terms)
    sign = next((each for each, _ in found if each), 0)
    own = tuple(((sign or 1) * each, key) for each, key in found)
    if Counter(own) == Counter((-each, key) for each, key in own):
        sign = 0
    return CodeValue(sign, short(f"({''.join(('+' if each > 0 else '-') + key for each, key in own)})"), own)


def product_of(*powers: tuple[int, CodeValue]) -> CodeValue:
    """The product of (1 or -1 for a divisor, value)."""
    sign = math.prod(value.sign for _, value in powers)
    own = [part for part in flattened((power, value.factors, value.key) for power, value in powers) if part[1] != "1"]
    above, below = ([key for power, key in own if power == wanted] for wanted in (1, -1))
    if len(above) == 1 and not below:
        only = next((value for _, value in powers if value.key == above[0]), plain(above[0]))
        return only._replace(sign=sign)
    text = "*".join(above or ["1"]) + "".join(f"/{key}" for key in below)
    return CodeValue(sign, short(f"({text})"), (), tuple(own))


def dotted_path(node: ast.AST) -> str:
    """`torch.nn.functional` for that expression; "" for one that is not names with dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


class ExpressionReader:
    """Gives expressions their canonical form.

    Attributes:
        names: {name: what stands for it}: the value of a variable, or a label in place of its name.
        modules: {name: the library that it is}; `exp` imported by name is "torch:exp".
    """

    def __init__(self, names: Mapping[str, CodeValue] | None = None, modules: Mapping[str, str] = LIBRARY) -> None:
        self.names, self.modules = dict(names or {}), dict(modules)
        self._labels = 0

    def inside(self, bound: Sequence[str]) -> Self:
        """A reader of what has the variables `bound` of its own."""
        labels = {name: plain(f"_b{self._labels + place}") for place, name in enumerate(bound)}
        inner = type(self)(self.names | labels, self.modules)
        inner._labels = self._labels + len(bound)
        return inner

    def value(self, node: ast.AST) -> CodeValue:
        """The canonical form of an expression, or of a statement inside a loop."""
        method = getattr(self, f"_{type(node).__name__}", None)
        return method(node) if method is not None else self._other(node)

    def text(self, node: ast.AST) -> str:
        return str(self.value(node))

    def _other(self, node: ast.AST) -> CodeValue:
        parts = []
        for name, field in ast.iter_fields(node):
            for each in field if isinstance(field, list) else [field]:
                if not (each is None or isinstance(each, ast.expr_context)):
                    parts.append(f"{name}={self.text(each) if isinstance(each, ast.AST) else each!r}")
        return plain(f"{type(node).__name__}({','.join(parts)})")

    def _Name(self, node: ast.Name) -> CodeValue:
        return self.names.get(node.id) or plain(node.id)

    def _arg(self, node: ast.arg) -> CodeValue:
        return self.names[node.arg]

    def _Constant(self, node: ast.Constant) -> CodeValue:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return plain(repr(value))
        magnitude = abs(value)
        whole = isinstance(value, float) and magnitude < 1e15 and magnitude == int(magnitude)
        return plain(repr(int(magnitude) if whole else magnitude), -1 if value < 0 else 1)

    def _UnaryOp(self, node: ast.UnaryOp) -> CodeValue:
        inner = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return inner._replace(sign=-inner.sign)
        return inner if isinstance(node.op, ast.UAdd) else plain(f"{type(node.op).__name__}({inner})")

    def _BinOp(self, node: ast.BinOp) -> CodeValue:
        is_text = isinstance(node.left, ast.Constant) and not isinstance(node.left.value, int | float)
        commutes = not is_text and not isinstance(node.left, NOT_COMMUTING)
        return self._operation(node.op, self.value(node.left), self.value(node.right), commutes)

    def _operation(self, op: ast.operator, left: CodeValue, right: CodeValue, commutes: bool = True) -> CodeValue:
        if isinstance(op, ast.Add) and commutes:
            return sum_of(left, right)
        if isinstance(op, ast.Sub):
            return sum_of(left, right._replace(sign=-right.sign))
        if isinstance(op, ast.Mult | ast.Div):
            return product_of((1, left), (1 if isinstance(op, ast.Mult) else -1, right))
        if isinstance(op, ast.Pow):
            power = plain(f"({left}**{right.key})") if right.key != "1" else left
            return product_of((-1, power)) if right.sign < 0 else power
        if isinstance(op, ast.MatMult):
            return plain(f"({left.key}@{right.key})", left.sign * right.sign)
        if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
            left, right = sorted((left, right), key=str)
        return plain(f"{type(op).__name__}({left},{right})")

    def _Compare(self, node: ast.Compare) -> CodeValue:
        sides, kinds = [self.text(each) for each in (node.left, *node.comparators)], [type(op) for op in node.ops]
        if len(kinds) == 1 and kinds[0] in SWAPPED:
            sides, kinds = sides[::-1], [SWAPPED[kinds[0]]]
        elif kinds in ([ast.Eq], [ast.NotEq]):
            sides.sort()
        return plain(f"Compare({','.join(sides)};{','.join(kind.__name__ for kind in kinds)})")

    def _Attribute(self, node: ast.Attribute) -> CodeValue:
        module = self.module_of(node)
        if module:
            return plain(f"{module}.{node.attr}")
        inner = self.value(node.value)
        return plain(f"T({inner.key})", inner.sign) if node.attr in ("T", "mT") else plain(f"{inner}.{node.attr}")

    def _Subscript(self, node: ast.Subscript) -> CodeValue:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return plain(f"size({self.text(node.value.value)},{self.text(node.slice)})")
        inner = self.value(node.value)
        return plain(f"{inner.key}[{self.text(node.slice)}]", inner.sign)

    def _Tuple(self, node: ast.Tuple | ast.List) -> CodeValue:
        return plain(f"[{','.join(self.text(each) for each in node.elts)}]")

    _List = _Tuple

    def _scope(self, node: ast.AST) -> CodeValue:
        return self.inside(bound_names(node))._other(node)

    _Lambda = _ListComp = _SetComp = _GeneratorExp = _DictComp = _scope

    def module_of(self, node: ast.Attribute) -> str:
        """ "torch" for `torch.exp`, `F.relu`, `torch.nn.functional.relu`; "" where it is no attribute of a library."""
        first, _, _ = dotted_path(node.value).partition(".")
        return self.modules.get(first, "") if first and first not in self.names else ""

    def _Call(self, node: ast.Call) -> CodeValue:
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
        return self._called(name, [self.value(each) for each in arguments], keywords)

    def _called(self, name: str, values: list[CodeValue], keywords: list[tuple[str, str]]) -> CodeValue:
        """The value of a function of torch, of a method, or of a function with this name."""
        if name in OPERATOR_OF_NAME and len(values) == 2 and not keywords:
            return self._operation(OPERATOR_OF_NAME[name], values[0], values[1])
        first = values[0] if values else plain("")
        if len(values) == 1 and not keywords:
            match name:
                case "neg" | "negative":
                    return first._replace(sign=-first.sign)
                case "square":
                    return plain(f"({first}**2)")
                case "reciprocal":
                    return product_of((-1, first))
                case "size":
                    return plain(f"size({first},0)")
                case _ if name in IDENTITIES:
                    return first
        if name == "t" or (name == "transpose" and sorted(map(str, values[1:])) == ["0", "1"]):
            return plain(f"T({first.key})", first.sign)
        if name == "arange" and len(values) == 1:
            return plain(f"$range({first})")
        named = POSITIONAL.get(name, ())
        if values and len(values) - 1 <= len(named):
            keywords = [*zip(named, map(str, values[1:]), strict=False), *keywords]
            values = values[:1]
        texts = [str(each) for each in values]
        sign = first.sign if name in SIGN_OF_FIRST_ARGUMENT else 1
        if values and name in SIGN_OF_FIRST_ARGUMENT:
            texts[0] = first.key
        texts += sorted(f"{key}={text}" for key, text in keywords if (key, text) != ("keepdim", "False"))
        return plain(f"{name}({','.join(texts)})", sign)


def bound_names(node: ast.AST) -> list[str]:
    """The parameters and variables of a lambda or a comprehension."""
    nodes = list(ast.walk(node))
    found = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return list(dict.fromkeys([*found, *(each.arg for each in nodes if isinstance(each, ast.arg))]))
