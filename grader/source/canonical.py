"""The canonical form of Python code: equal for code that differs only in layout, order, temporaries or spelling.

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
from typing import NamedTuple

from grader.source.aliases import ends_in_underscore
from grader.source.syntax import FunctionDefinition, all_nodes, base_name, children

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
LIST_CHANGES = frozenset({"append", "extend", "insert", "update"})
NOT_COMMUTING = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
EFFECTS = (ast.Return, ast.Raise, ast.Yield, ast.Expr)
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


class Canonicaliser:
    """Reads expressions and statements.

    Attributes:
        names: {name: what stands for it}: the value of a variable, or a label in place of its name.
        modules: {name: the library that it is}; `exp` imported by name is "torch:exp".
        computed: (the variable that gets it or "", value) for each value that a statement computes.
    """

    def __init__(self, names: Mapping[str, CodeValue] | None = None, modules: Mapping[str, str] = LIBRARY) -> None:
        self.names, self.modules = dict(names or {}), dict(modules)
        self.computed: list[tuple[str, CodeValue]] = []
        self._labels = 0

    def inside(self, bound: Sequence[str]) -> Canonicaliser:
        """A reader of what has the variables `bound` of its own."""
        labels = {name: plain(f"_b{self._labels + place}") for place, name in enumerate(bound)}
        inner = Canonicaliser(self.names | labels, self.modules)
        inner._labels = self._labels + len(bound)
        return inner

    # ---- expressions ----

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

    # ---- statements ----

    def run(self, body: Sequence[ast.stmt]) -> list[str]:
        """The effects of code, in order: what it returns, its loops, and what it calls for an effect.

        The values that it assigns are then in `names`.
        """
        return [effect for statement in body for effect in self._effects(statement)]

    def _effects(self, node: ast.stmt) -> list[str]:
        match node:
            case ast.Return(value=None):
                return ["return"]
            case ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                return self._unassigned(node, value)
            case ast.Assign():
                assigned = self.value(node.value)
                for target in node.targets:
                    self._assign(target, assigned, node.value)
            case ast.AnnAssign(value=ast.expr() as value):
                self._assign(node.target, self.value(value), value)
            case ast.AugAssign():
                self._assign(node.target, self._operation(node.op, self.value(node.target), self.value(node.value)))
            case ast.With() if all("grad" in ast.unparse(item.context_expr) for item in node.items):
                return self.run(node.body)  # torch.no_grad()
            case ast.Import() | ast.ImportFrom():
                self.modules |= imported_modules(node)
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                self.names[node.name] = self._definition(node)
            case ast.Pass() | ast.Global() | ast.Nonlocal() | ast.Assert() | ast.AnnAssign():
                pass
            case _:
                is_compound = any(isinstance(each, ast.stmt) for each in children(node))
                return self._compound(node) if is_compound else [self.text(node)]
        return []

    def _unassigned(self, node: ast.stmt, expression: ast.expr) -> list[str]:
        if isinstance(expression, ast.Constant) and isinstance(node, ast.Expr):
            return []  # a docstring
        value = self.value(expression)
        self.computed.append(("", value))
        if isinstance(node, ast.Return):
            return [f"return {value}"]
        match expression:
            case ast.Call(func=ast.Name(id="print")):
                return []
            case ast.Call(func=ast.Attribute(value=ast.Name() as holder, attr=method)) if ends_in_underscore(method):
                function = ast.Attribute(holder, method.rstrip("_"), ast.Load())
                self._set(holder.id, self.value(ast.Call(function, expression.args, expression.keywords)))
                return []
        return [str(value)]

    def _set(self, name: str, value: CodeValue) -> None:
        self.names[name] = value
        self.computed.append((name, value))

    def _assign(self, target: ast.expr, value: CodeValue, node: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            self._set(target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            if isinstance(node, ast.Tuple | ast.List) and len(node.elts) == len(target.elts):
                values = [self.value(each) for each in node.elts]
            else:
                values = [plain(f"{value}[{place}]") for place in range(len(target.elts))]
            for each, part in zip(target.elts, values, strict=True):
                self._assign(each, part)
        elif isinstance(target, ast.Starred):
            self._assign(target.value, value)
        elif name := base_name(target):
            before = self.names.get(name) or plain(name)
            self._set(name, plain(f"set({before};{self._place(target, name)};{value})"))

    def _place(self, target: ast.expr, name: str) -> str:
        """Where in the variable `name` a target is: `x` has no part in the place of `x[0]`."""
        return Canonicaliser(self.names | {name: plain("")}, self.modules).text(target)

    def _compound(self, node: ast.stmt) -> list[str]:
        """A loop, an `if` or so: one effect, after which the names that it changes have new values."""
        changed = changed_names(node)
        before = "|".join(str(self.names.get(name, "")) for name in changed)
        text = short(f"{self.inside(changed)._other(node)}|{before}")
        for place, name in enumerate(changed):
            self._set(name, plain(f"after({place};{text})"))
        return [text] if not changed or any(isinstance(each, EFFECTS) for each in all_nodes(node)) else []

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> CodeValue:
        if isinstance(node, ast.ClassDef):
            return plain(f"class({','.join(sorted(self.text(each) for each in node.body))})")
        arguments = argument_names(node)
        return plain(f"def({len(arguments)};{';'.join(self.inside(arguments).run(node.body))})")

    _FunctionDef = _AsyncFunctionDef = _ClassDef = _definition

    def _AugAssign(self, node: ast.AugAssign) -> CodeValue:
        return self._other(ast.Assign([node.target], ast.BinOp(node.target, node.op, node.value)))

    def _AnnAssign(self, node: ast.AnnAssign) -> CodeValue:
        return self._other(ast.Assign([node.target], node.value)) if node.value else plain("")


def argument_names(node: FunctionDefinition | ast.Lambda) -> list[str]:
    """The names of all parameters of a function, in the order of its definition."""
    return [each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)]


def bound_names(node: ast.AST) -> list[str]:
    """The parameters and variables of a lambda or a comprehension."""
    nodes = list(ast.walk(node))
    found = [each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)]
    return list(dict.fromkeys([*found, *(each.arg for each in nodes if isinstance(each, ast.arg))]))


def changed_names(node: ast.AST) -> list[str]:
    """Names that a statement assigns, or whose objects it changes."""
    found: dict[str, None] = {}
    for each in all_nodes(node):
        if isinstance(each, ast.Name | ast.Subscript | ast.Attribute):
            changes = not isinstance(each.ctx, ast.Load)
        else:
            method = each.func.attr if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute) else ""
            changes = ends_in_underscore(method) or method in LIST_CHANGES
        if changes and (name := base_name(each.func if isinstance(each, ast.Call) else each)):
            found.setdefault(name)
    return list(found)


def imported_modules(node: ast.Import | ast.ImportFrom) -> dict[str, str]:
    """{name: what it stands for} of torch and numpy; a function that is imported by name is "torch:exp"."""
    found = {}
    if isinstance(node, ast.Import):
        for alias in node.names:
            top = alias.name.partition(".")[0]
            if top in ("torch", "numpy"):
                found[alias.asname or top] = LIBRARY[top]
    elif (node.module or "").partition(".")[0] == "torch":
        for alias in node.names:
            is_module = alias.name in ("nn", "functional")
            found[alias.asname or alias.name] = "torch" if is_module else f"torch:{alias.name}"
    return found
