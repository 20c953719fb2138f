"""Changes of operators, of the terms and factors that they combine, and of numbers.

A change is (kind, the part that is changed, what takes its place in words, the new node).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from grader.verdict.diagnosis.repairs.source_file import called_name, operand_of, quote

ArithmeticChange = tuple[str, str, str, ast.AST]

OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {ast.Mult: ast.Div, ast.Div: ast.Mult}
MULTIPLIED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Mult, ast.Div),
    ast.Sub: (ast.Mult, ast.Div),
    ast.Mult: (ast.Add, ast.Sub),
    ast.Div: (ast.Sub,),
}
OTHER_SIGN: dict[type[ast.operator], type[ast.operator]] = {ast.Add: ast.Sub, ast.Sub: ast.Add}
OTHER_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
}
PRODUCT_OPERATORS = (ast.Mult, ast.Div)
SUM_OPERATORS = (ast.Add, ast.Sub)
OF_SHAPES = frozenset({"ones_like", "zeros_like", "full_like", "empty_like", "ones", "zeros", "full", "len", "range"})
"""Functions that return the same whatever numbers a tensor holds."""
SMALLEST_ORDINARY = 1e-2
"""A number below this one is there to keep a root or a division finite."""
LARGEST_NUMBER = 100
"""Numbers beyond this one are not changed."""


def new_name(name: str) -> ast.Name:
    """A name that is not in the student's code at that place."""
    made = ast.Name(id=name, ctx=ast.Load())
    made.is_new = True  # type: ignore[attr-defined]
    return made


def is_new(node: ast.Name) -> bool:
    return bool(getattr(node, "is_new", False))


def cancels(parent: ast.AST, other: str) -> bool:
    """Whether `other` cannot be meant: in `n // m`, `x - y` or a tuple it would appear twice."""
    if isinstance(parent, ast.Tuple):
        return any(isinstance(each, ast.Name) and each.id == other for each in parent.elts)
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Sub | ast.Div | ast.FloorDiv | ast.Mod):
        return any(isinstance(each, ast.Name) and each.id == other for each in (parent.left, parent.right))
    return False


def regroupings(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Brackets that are missing, or too wide."""
    yield from divided_exponents(node)
    yield from divisors(node)
    if not isinstance(node, ast.BinOp):
        return
    left, right = node.left, node.right
    if isinstance(node.op, SUM_OPERATORS):
        for product, other, is_left in ((left, right, True), (right, left, False)):
            if isinstance(product, ast.BinOp) and isinstance(product.op, PRODUCT_OPERATORS):

                def combined(term: ast.expr, other: ast.expr = other, is_left: bool = is_left) -> ast.BinOp:
                    return ast.BinOp(term if is_left else other, node.op, other if is_left else term)

                kind = "part_divided" if isinstance(product.op, ast.Div) else "part_multiplied"
                inner, outer = product.left, product.right
                yield kind, quote(inner), quote(outer), ast.BinOp(combined(inner), product.op, outer)
                if isinstance(product.op, ast.Mult):
                    yield kind, quote(outer), quote(inner), ast.BinOp(inner, ast.Mult(), combined(outer))
                elif is_left:
                    divisor = combined(outer)
                    yield "divisor", quote(outer), quote(divisor), ast.BinOp(inner, ast.Div(), divisor)
    if isinstance(node.op, ast.Mult) and isinstance(left, ast.BinOp) and isinstance(left.op, ast.Div):
        divisor = ast.BinOp(left.right, ast.Mult(), right)
        yield "divisor", quote(left.right), quote(divisor), ast.BinOp(left.left, ast.Div(), divisor)
    is_scaled = isinstance(node.op, PRODUCT_OPERATORS) and called_name(left) not in OF_SHAPES
    if is_scaled and isinstance(left, ast.Call) and left.args and not left.keywords:
        argument = ast.BinOp(left.args[0], node.op, right)
        yield "outside", quote(left), "", ast.Call(left.func, [argument, *left.args[1:]], [])
    if (
        isinstance(node.op, (*PRODUCT_OPERATORS, ast.Pow))
        and isinstance(left, ast.BinOp)
        and isinstance(left.op, SUM_OPERATORS)
    ):
        kind = {ast.Pow: "whole_power", ast.Mult: "whole_multiplied"}.get(type(node.op), "whole_divided")
        for first, second in (
            (left.left, ast.BinOp(left.right, node.op, right)),
            (ast.BinOp(left.left, node.op, right), left.right),
        ):
            yield kind, quote(left), quote(right), ast.BinOp(first, left.op, second)


def divided_exponents(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`x ** (-3 / 2)` for `x ** -3 / 2`, where the power comes before the division."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and isinstance(node.right, ast.Constant):
        product, divisor = node.left, node.right
        power = product.right if isinstance(product, ast.BinOp) and isinstance(product.op, ast.Mult) else product
        if isinstance(power, ast.BinOp) and isinstance(power.op, ast.Pow) and ends_in_a_number(power.right):
            exponent = ast.BinOp(power.right, ast.Div(), divisor)
            raised: ast.expr = ast.BinOp(power.left, ast.Pow(), exponent)
            if power is not product:
                assert isinstance(product, ast.BinOp)
                raised = ast.BinOp(product.left, ast.Mult(), raised)
            yield "divided_exponent", quote(power.right), quote(exponent), raised


def ends_in_a_number(node: ast.expr) -> bool:
    return isinstance(node.operand if isinstance(node, ast.UnaryOp) else node, ast.Constant)


def divisors(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`a / (n - 1) * b` for `a / n - 1 * b`, and `a / (v + 1e-5).sqrt()` for `a / v.sqrt() + 1e-5`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, SUM_OPERATORS)):
        return
    earlier, quotient = None, node.left
    if isinstance(quotient, ast.BinOp) and isinstance(quotient.op, SUM_OPERATORS):
        earlier, quotient = quotient, quotient.right
    if not (isinstance(quotient, ast.BinOp) and isinstance(quotient.op, ast.Div)):
        return
    operation, divisor = node.op, quotient.right
    first, with_first = first_factor(node.right)
    wholes: list[ast.expr] = [ast.BinOp(divisor, operation, first)]
    if isinstance(divisor, ast.Call) and (operand := operand_of(divisor)) is not None:
        inside = ast.BinOp(operand, operation, first)
        if isinstance(divisor.func, ast.Attribute) and divisor.func.value is operand:
            wholes.append(ast.Call(ast.Attribute(inside, divisor.func.attr, ast.Load()), divisor.args, []))
        else:
            wholes.append(ast.Call(divisor.func, [inside, *divisor.args[1:]], []))
    for whole in wholes:
        divided = with_first(ast.BinOp(quotient.left, ast.Div(), whole))
        new = divided if earlier is None else ast.BinOp(earlier.left, earlier.op, divided)
        yield "divisor", quote(divisor), quote(whole), new


def first_factor(node: ast.expr) -> tuple[ast.expr, Callable[[ast.expr], ast.expr]]:
    """The first factor of a product, and the product with another one in its place."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, PRODUCT_OPERATORS)):
        return node, lambda new: new
    first, with_first = first_factor(node.left)
    return first, lambda new: ast.BinOp(with_first(new), node.op, node.right)


def operators(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Rounded down, `^` for a power, multiplied for divided, added for subtracted, and a sign."""
    match node:
        case ast.BinOp(op=ast.FloorDiv()):
            yield "floor_division", "", "", ast.BinOp(node.left, ast.Div(), node.right)
        case ast.BinOp(op=ast.BitXor()):
            yield "exclusive_or", "", "", ast.BinOp(node.left, ast.Pow(), node.right)
            if isinstance(node.left, ast.BinOp):  # `n - 1 ^ 2` is `(n - 1) ^ 2`
                power = ast.BinOp(node.left.right, ast.Pow(), node.right)
                yield "exclusive_or", "", "", ast.BinOp(node.left.left, node.left.op, power)
        case ast.BinOp(op=ast.MatMult()):
            yield "product_for_matrix_product", "", "", ast.BinOp(node.left, ast.Mult(), node.right)
        case ast.AugAssign(op=ast.FloorDiv()):
            changed = ast.AugAssign(node.target, ast.Div(), node.value)
            yield "floor_division", "", "", ast.copy_location(changed, node)
        case ast.BinOp() | ast.AugAssign():
            for table, kind in ((OTHER_OPERATOR, "operator"), (OTHER_SIGN, "sign_of_a_term")):
                if (other := table.get(type(node.op))) is not None:
                    if isinstance(node, ast.BinOp) and isinstance(node.op, PRODUCT_OPERATORS):
                        kind_of_product = "divided" if isinstance(node.op, ast.Div) else "multiplied"
                        yield kind_of_product, quote(node.right), "", ast.BinOp(node.left, other(), node.right)
                        continue
                    if isinstance(node, ast.BinOp):
                        new: ast.AST = ast.BinOp(node.left, other(), node.right)
                    else:
                        new = ast.copy_location(ast.AugAssign(node.target, other(), node.value), node)
                    yield kind, type(node.op).__name__, other.__name__, new
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and is_usual_exponent(node.right):
                yield "product_for_power", quote(node.right), "", ast.BinOp(node.left, ast.Pow(), node.right)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
            yield "minus", "", "", operand


def is_usual_exponent(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (2, 0.5)


def other_operators(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Added where it should be multiplied, and the other way round; the terms of a difference exchanged."""
    if isinstance(node, ast.BinOp):
        if isinstance(node.op, ast.Sub):
            yield "reversed_difference", "", "", ast.BinOp(node.right, ast.Sub(), node.left)
        for other in MULTIPLIED.get(type(node.op), ()):
            yield "operator", type(node.op).__name__, other.__name__, ast.BinOp(node.left, other(), node.right)


def terms_without_a_factor(node: ast.AST, factors: Sequence[str]) -> Iterator[ArithmeticChange]:
    """A factor that belongs to every term of a sum, and that one of the terms lacks: `da - a**2`."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, SUM_OPERATORS)):
        return
    for term, other, is_left in ((node.right, node.left, False), (node.left, node.right, True)):
        inside = {each.id for each in ast.walk(term) if isinstance(each, ast.Name)}
        for factor in factors:
            if factor not in inside:
                product = ast.BinOp(ast.Name(factor, ast.Load()), ast.Mult(), term)
                new = ast.BinOp(product, node.op, other) if is_left else ast.BinOp(other, node.op, product)
                yield "term_without_factor", quote(term), factor, new


def comparisons(node: ast.AST) -> Iterator[ArithmeticChange]:
    """`<=` for `<`, `>` for `<` ..."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for other in OTHER_COMPARISONS.get(type(node.ops[0]), ()):
            kind = "comparison" if OTHER_COMPARISONS[other][-1] is not type(node.ops[0]) else "direction"
            yield kind, "", "", ast.Compare(node.left, [other()], node.comparators)


def omissions(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Without a factor, a term, a power or an index."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Call):
        yield "index", quote(node.slice), quote(node.value), node.value
    if not isinstance(node, ast.BinOp):
        return
    if isinstance(node.op, (*PRODUCT_OPERATORS, *SUM_OPERATORS, ast.Pow)):
        kind = (
            "power" if isinstance(node.op, ast.Pow) else "factor" if isinstance(node.op, PRODUCT_OPERATORS) else "term"
        )
        kind_of_right = "division" if isinstance(node.op, ast.Div) else kind
        yield kind_of_right, quote(node.right), quote(node.left), node.left
        if isinstance(node.op, (ast.Mult, ast.Add)):
            yield kind, quote(node.left), quote(node.right), node.right


def other_numbers(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Another number: an exponent, a factor, a one."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=magnitude)):
            sign = -1
        case ast.Constant(value=magnitude):
            sign = 1
        case _:
            return
    if not isinstance(magnitude, (int, float)) or isinstance(magnitude, bool) or not abs(magnitude) <= LARGEST_NUMBER:
        return
    value = sign * magnitude
    steps = () if 0 < abs(value) < SMALLEST_ORDINARY else (value + 1, value - 1)
    inverse = (1 / value,) if value in (2, 0.5) else ()  # a square for a root
    for other in dict.fromkeys((-value, *steps, 2 * value, value / 2, *inverse)):
        is_axis_at_most = other == 0 and type(magnitude) is int and magnitude == 1  # axis 0, the only zero that counts
        if other != value and (abs(other) > 1e-3 or is_axis_at_most):
            yield "number", repr(value), repr(other), ast.parse(repr(other), mode="eval").body


def scalings(node: ast.AST, sizes: Sequence[str], parents: Mapping[int, ast.AST]) -> Iterator[ArithmeticChange]:
    """A value divided by a size, or multiplied by one. Of a product only the whole: its factors would give the same."""
    parent = parents.get(id(node))
    if isinstance(parent, ast.BinOp) and isinstance(parent.op, ast.Mult | ast.MatMult | ast.Div):
        return
    if isinstance(node, (ast.Call, ast.BinOp, ast.Name)) and not isinstance(getattr(node, "ctx", None), ast.Store):
        if isinstance(node, ast.Name) and node.id in sizes:
            return
        for size in sizes:
            yield "not_divided", quote(node), size, ast.BinOp(node, ast.Div(), new_name(size))
            yield "not_multiplied", quote(node), size, ast.BinOp(node, ast.Mult(), new_name(size))


def roots(node: ast.AST) -> Iterator[ArithmeticChange]:
    """Divided by the root or by the square."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and not isinstance(node.right, ast.Constant):
        for kind, power in (("root", 0.5), ("square", 2)):
            new = ast.BinOp(node.left, ast.Div(), ast.BinOp(node.right, ast.Pow(), ast.Constant(power)))
            yield kind, quote(node.right), "", new
