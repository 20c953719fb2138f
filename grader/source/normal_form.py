"""The normal form of expressions: equal for code that differs in layout, in the order of operands, or in spelling.

`torch.sum(x, 0)` is `x.sum(dim=0)`. Operands that may change places are sorted. Signs are pulled out of products, sums
and linear functions, so that `-(a - b) / n` and `(b - a) / n` are equal.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Self

from grader.source.normal_values import NormalValue, plain, product_of, sum_of
from grader.source.syntax import all_nodes

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
SWAPPED = {ast.Gt: "<", ast.GtE: "<="}
SYMBOLS = {ast.Lt: "<", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
NOT_COMMUTING = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)


def dotted_path(node: ast.AST) -> str:
    """`torch.nn.functional` for that expression; "" for one that is not names with dots."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed([*parts, node.id])) if isinstance(node, ast.Name) else ""


class ExpressionReader:
    """Gives expressions their normal form.

    Attributes:
        names: {name: what stands for it}: the value of a variable, a label in place of a name, an imported module.
        mass: how many names, constants, operators and calls have been read so far.
    """

    def __init__(self, names: Mapping[str, NormalValue] = {}, modules: Mapping[str, str] = LIBRARY) -> None:
        self.names, self.modules, self.mass = dict(names), dict(modules), 0
        self._labels = 0

    # ---- expressions ----

    def value(self, node: ast.AST) -> NormalValue:
        """The normal form of an expression."""
        self.mass += 1
        method = getattr(self, f"_{type(node).__name__}", None)
        return method(node) if method is not None else self._other(node)

    def text(self, node: ast.AST) -> str:
        return str(self.value(node))

    def _other(self, node: ast.AST) -> NormalValue:
        parts = []
        for name, field in ast.iter_fields(node):
            for each in field if isinstance(field, list) else [field]:
                if isinstance(each, ast.expr_context) or each is None:
                    continue
                parts.append(f"{name}={self.text(each) if isinstance(each, ast.AST) else each!r}")
        return plain(f"{type(node).__name__}({','.join(parts)})")

    def _Name(self, node: ast.Name) -> NormalValue:
        return self.names.get(node.id) or plain(node.id)

    def _Constant(self, node: ast.Constant) -> NormalValue:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            return plain(repr(value))
        magnitude = abs(value)
        whole = isinstance(value, float) and magnitude < 1e15 and magnitude == int(magnitude)
        return plain(repr(int(magnitude) if whole else magnitude), -1 if value < 0 else 1)

    def _UnaryOp(self, node: ast.UnaryOp) -> NormalValue:
        inner = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return inner._replace(sign=-inner.sign)
        return inner if isinstance(node.op, ast.UAdd) else plain(f"{type(node.op).__name__}({inner})")

    def _BinOp(self, node: ast.BinOp) -> NormalValue:
        commutes = not isinstance(node.left, NOT_COMMUTING) or isinstance(getattr(node.left, "value", ""), int | float)
        return self._operation(node.op, self.value(node.left), self.value(node.right), commutes)

    def _operation(self, op: ast.operator, left: NormalValue, right: NormalValue, commutes: bool = True) -> NormalValue:
        if isinstance(op, ast.Add) and commutes:
            return sum_of((left, right))
        if isinstance(op, ast.Sub):
            return sum_of((left, right._replace(sign=-right.sign)))
        if isinstance(op, ast.Mult):
            return product_of((left, right))
        if isinstance(op, ast.Div):
            return product_of((left,), (right,))
        if isinstance(op, ast.Pow):
            power = plain(f"({left}**{right.key})") if right.key != "1" else left
            return product_of((plain("1"),), (power,)) if right.sign < 0 else power
        if isinstance(op, ast.MatMult):
            return plain(f"({left.key}@{right.key})", left.sign * right.sign)
        if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
            left, right = sorted((left, right), key=str)
        return plain(f"{type(op).__name__}({left},{right})")

    def _Compare(self, node: ast.Compare) -> NormalValue:
        sides = [self.text(each) for each in (node.left, *node.comparators)]
        if len(sides) == 2:
            kind = type(node.ops[0])
            if kind in SWAPPED:
                return plain(f"({sides[1]}{SWAPPED[kind]}{sides[0]})")
            if kind in (ast.Eq, ast.NotEq):
                sides.sort()
            return plain(f"({sides[0]} {SYMBOLS.get(kind, kind.__name__)} {sides[1]})".replace(" < ", "<"))
        return plain(f"Compare({','.join(sides)};{','.join(type(op).__name__ for op in node.ops)})")

    def _Attribute(self, node: ast.Attribute) -> NormalValue:
        module = self.module_of(node)
        if module:
            return plain(f"{module}.{node.attr}")
        inner = self.value(node.value)
        if node.attr in ("T", "mT"):
            return plain(f"T({inner.key})", inner.sign)
        return plain(f"{inner}.{node.attr}")

    def _Subscript(self, node: ast.Subscript) -> NormalValue:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            return plain(f"size({self.text(node.value.value)},{self.text(node.slice)})")
        inner = self.value(node.value)
        return plain(f"{inner.key}[{self.text(node.slice)}]", inner.sign)

    def _Tuple(self, node: ast.Tuple | ast.List) -> NormalValue:
        return plain(f"[{','.join(self.text(each) for each in node.elts)}]")

    _List = _Tuple

    def _Lambda(self, node: ast.Lambda) -> NormalValue:
        arguments = [each.arg for each in all_nodes(node.args) if isinstance(each, ast.arg)]
        with_labels = self._within(arguments)
        text = f"lambda({len(arguments)}:{with_labels.text(node.body)})"
        self.mass += with_labels.mass
        return plain(text)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> NormalValue:
        bound = [each.id for gen in node.generators for each in all_nodes(gen.target) if isinstance(each, ast.Name)]
        inner = self._within(bound)
        heads = [f"{inner.text(g.target)} in {inner.text(g.iter)}{[*map(inner.text, g.ifs)]}" for g in node.generators]
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        text = f"{type(node).__name__}({[*map(inner.text, parts)]};{';'.join(heads)})"
        self.mass += inner.mass
        return plain(text)

    _ListComp = _SetComp = _GeneratorExp = _DictComp = _comprehension

    def _within(self, bound: Sequence[str]) -> Self:
        """A reader of what has the variables `bound` of its own."""
        inner = copy(self)
        inner.mass, inner._labels, inner.modules = 0, self._labels + len(bound), dict(self.modules)
        inner.names = self.names | {name: plain(f"_b{self._labels + place}") for place, name in enumerate(bound)}
        return inner

    def module_of(self, node: ast.Attribute) -> str:
        """ "torch" for `torch.exp`, `F.relu`, `torch.nn.functional.relu`; "" where it is no attribute of a library."""
        first, _, _ = dotted_path(node.value).partition(".")
        return self.modules.get(first, "") if first and first not in self.names else ""

    def _Call(self, node: ast.Call) -> NormalValue:
        func, name, arguments = node.func, "", list(node.args)
        if isinstance(func, ast.Attribute):
            module = self.module_of(func)
            name = func.attr if module in ("", "torch") else f"{module}.{func.attr}"
            if not module:
                arguments = [func.value, *arguments]
        elif isinstance(func, ast.Name):
            known = self.names.get(func.id)
            name = known.key if known else {"len": "size"}.get(func.id, self.modules.get(func.id, f"${func.id}"))
            name = name.removeprefix("torch:")
        if not name:
            return plain(f"call({self.text(func)};{','.join(map(self.text, arguments))})")
        values = [self.value(each) for each in arguments]
        keywords = sorted((KEYWORDS.get(k.arg or "", k.arg or "**"), self.text(k.value)) for k in node.keywords)
        return self._called(name, values, keywords)

    def _called(self, name: str, values: list[NormalValue], keywords: list[tuple[str, str]]) -> NormalValue:
        """The value of a function of torch, of a method, or of a function with this name."""
        if name in OPERATOR_OF_NAME and len(values) == 2 and not keywords:
            return self._operation(OPERATOR_OF_NAME[name], values[0], values[1])
        first = values[0] if values else plain("")
        if len(values) == 1 and not keywords:
            if name in IDENTITIES:
                return first
            if name == "t":
                return plain(f"T({first.key})", first.sign)
            if name in ("neg", "negative"):
                return first._replace(sign=-first.sign)
            if name == "square":
                return plain(f"({first}**2)")
            if name == "reciprocal":
                return product_of((plain("1"),), (first,))
            if name == "size":
                return plain(f"size({first},0)")
        if name == "transpose" and sorted(str(value) for value in values[1:]) == ["0", "1"]:
            return plain(f"T({first.key})", first.sign)
        if name == "arange" and len(values) == 1:
            return plain(f"$range({first})")
        named = POSITIONAL.get(name, ())
        if len(values) - 1 <= len(named):
            keywords = sorted([*zip(named, map(str, values[1:]), strict=False), *keywords])
            values = values[:1]
        keywords = [(key, text) for key, text in keywords if (key, text) != ("keepdim", "False")]
        sign = first.sign if name in SIGN_OF_FIRST_ARGUMENT else 1
        texts = [first.key if name in SIGN_OF_FIRST_ARGUMENT else str(first), *map(str, values[1:])] if values else []
        return plain(f"{name}({','.join([*texts, *(f'{key}={text}' for key, text in keywords)])})", sign)
