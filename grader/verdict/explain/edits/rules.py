"""The table of rules: each undoes one common slip in a student's code, and says which.

A new rule is one entry, with one example as its test. They are tried in the order of the table: lines, operators, sums
and products, numbers and functions, names, what is missing. A slip is reported only if the changed code ran and was
right.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

from grader.source.syntax import names_in
from grader.verdict.explain.edits import coded_changes
from grader.verdict.explain.edits.coded_changes import RANKED_OPERATORS, Around, NodeChanges, new_name
from grader.verdict.explain.edits.patterns import filled, matches, variants_of
from grader.verdict.explain.edits.source_file import quote


@dataclass(frozen=True)
class Rule:
    """A slip and what undoes it.

    Attributes:
        id: of the mistake, for counting over a class.
        change: {pattern: what takes its place, or several of these}, see patterns; or what changes a node. In what
            takes its place, `EPS` and `SIZE` are a small number and a size of the lesson, `FACTOR` a tensor parameter.
        text: kind and place of the slip. `{code}` is the student's code, `{new}` what takes its place, `{A}` a part.
        example: code with the slip, and without.
        fix: goes on with ", your `dh` is right."
        question: follows where the function is a derivative.
        is_sure: whether the slip is looked for although something else explains the numbers: a gradient has hardly
            another use for such code.
    """

    id: str
    change: Mapping[str, str | tuple[str, ...]] | Callable[[ast.AST, Around], NodeChanges]
    text: str
    example: tuple[str, str]
    fix: str = "With that changed"
    question: str = ""
    is_sure: bool = False

    def message(self, words: Mapping[str, str]) -> str:
        """The sentences about one place, without the question. `{it}` is left for what becomes right."""
        return f"{self.text.format(it='{it}', **words)} {self.fix.format(**words)}, {{it}} is right."


LOCAL_DERIVATIVE = "What is the local derivative of the forward line?"
ALONG_WHICH_AXIS = "Along which axis did the forward pass copy or reduce?"
SHAPES_OF_A_PRODUCT = "Write the shapes next to each other: over which axis should the product sum?"
WITHOUT = "Without it"
REDUCED_AGAIN = tuple(f"A.any_sum({axis}{keepdim})" for axis in ("0", "1", "-1") for keepdim in ("", ", keepdim=True"))
PAIRS_OF_FUNCTIONS = (("max", "min"), ("amax", "amin"), ("argmax", "argmin"), ("maximum", "minimum"))
RULES = (
    # Lines
    Rule(
        "return_in_loop",
        {
            "for I in R:\n *B\n return C": "for I in R:\n *B\nelse:\n return C",
            "for I in R:\n *B\n for J in Q:\n  *D\n  return C": (
                "for I in R:\n *B\n for J in Q:\n  *D\nelse:\n return C"
            ),
        },
        "`return {C}` is inside of the loop, so the function ends in the loop's first round.",
        ("for i in range(n):\n h = h * i\n return h", "for i in range(n):\n h = h * i\nelse:\n return h"),
        "After the loop, with less indentation",
    ),
    Rule(
        "break_in_loop",
        {"break": ("continue", "pass")},
        "`break` ends the whole loop: rounds that {it} needs are left out.",
        ("for i in Y:\n if i:\n  break", "for i in Y:\n if i:\n  continue"),
        "With the loop going on",
    ),
    Rule(
        "reset_in_loop",
        {"for I in R:\n *B\n V = C\n *D": "if True:\n V = C\n for I in R:\n  *B\n  *D"},
        "`{V} = {C}` is inside the loop, so each round begins anew, and only the last is left.",
        ("for i in Y:\n g = 0\n g = g + dy[i]", "if True:\n g = 0\n for i in Y:\n  g = g + dy[i]"),
        "In front of the loop",
    ),
    Rule(
        "range",
        {"range(1, A)": "range(A)", "range(A - 1)": "range(A)", "range(B, A - 1)": "range(B, A)"},
        "`{code}` leaves out the first or the last place: a range begins with 0 and ends before its last number.",
        ("sum(dy[i] for i in range(1, n))", "sum(dy[i] for i in range(n))"),
        "With `{new}`",
    ),
    Rule(
        "rows_and_columns",
        {
            "A[:, B]": "A[range(len(B)), B]",
            "A[B, :]": "A[B, range(len(B))]",
            "A[:, B] = C": "A[range(len(B)), B] = C.flatten()",
            "A[:, B] += C": "A[range(len(B)), B] += C.flatten()",
            "A[:, B] -= C": "A[range(len(B)), B] -= C.flatten()",
            "A[:, B] = A[:, B] ± C": "A[range(len(B)), B] = A[range(len(B)), B] ± C",
            "A[V]": "A[range(len(V)), V]",
        },
        "`{code}` picks whole rows or columns, one for each entry of the index.",
        ("dy[:, Y]", "dy[range(len(Y)), Y]"),
        "Indexed by rows and columns together, so that each row is paired with its own entry",
    ),
    Rule(
        "value_unused",
        coded_changes.unused_values,
        "`{code}` computes a value that nothing uses: `{unchanged}` stays as it was.",
        ("h.sub(dy)", "h.sub_(dy)"),
        "If it changes in place",
        is_sure=True,
    ),
    Rule(
        "update_written_backwards",
        coded_changes.updates_written_backwards,
        "`{code}` assigns: `={sign}` is `=` and a sign.",
        ("h =- dy", "h -= dy"),
        "With `{sign}=`",
        is_sure=True,
    ),
    Rule(
        "new_tensor",
        {"V = V ± B": "V ±= B", "V = V × B": "V ×= B"},
        "`{code}` gives the name `{V}` a new tensor; the tensor that it named before stays as it was.",
        ("h = h - dy", "h -= dy"),
        "If that tensor changes in place",
    ),
    Rule(
        "line_too_many",
        {"A ±= B": "pass", "A ×= B": "pass"},
        "The line `{code}` is one too many.",
        ("h += dy", "pass"),
        WITHOUT,
    ),
    Rule(
        "overwritten",
        {"A[B] = C": "A[B] += C"},
        "`{code}` overwrites what was there before.",
        ("h[0] = dy", "h[0] += dy"),
        "If it adds to the old value instead",
        is_sure=True,
    ),
    # Operators
    Rule(
        "brackets_missing",
        coded_changes.brackets_put_in,
        "In `{code}`, brackets are missing: powers come first, then products and quotients, then sums and differences.",
        ("1 - h ** 2 * dy", "(1 - h ** 2) * dy"),
        "With brackets around the right part",
    ),
    Rule(
        "brackets_too_many",
        {"(A ± B) ∘ C": ("A ± B ∘ C", "A ∘ C ± B")},
        "In `{code}`, what follows the brackets applies to both terms in them.",
        ("(1 - h) ** 2 * dy", "(1 - h ** 2) * dy"),
        "Applied to only one of the two",
    ),
    Rule(
        "operator_of_whole_numbers",
        {
            "A // B": "A / B",
            "A //= B": "A /= B",
            "A ^ B": "A ** B",
            "A ± C ^ B": "A ± C ** B",
            "A × C ^ B": "A × C ** B",
        },
        "In `{code}`, an operator is for whole numbers: `//` rounds down, and `^` is exclusive or.",
        ("dy // n", "dy / n"),
        "With `/` for a division and `**` for a power",
        is_sure=True,
    ),
    Rule("minus_too_many", {"-A": "A"}, "In `{code}`, the minus is one too many.", ("-dy", "dy"), WITHOUT),
    Rule(
        "one_too_many",
        {"A ∘ B": "A", "B * A": "A", "A ± B": "A", "B + A": "A"},
        "In `{code}`, `{B}` is one too many.",
        ("dy / h", "dy"),
        WITHOUT,
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "wrong_operator",
        {
            "A @ B": "A * B",
            "A / B": ("A * B", "A - B"),
            "A * B": ("A / B", "A + B", "A - B"),
            "A + B": ("A - B", "A * B", "A / B"),
            "A - B": ("A + B", "A * B", "A / B"),
            **{"A /= B": "A *= B", "A *= B": "A /= B", "A += B": "A -= B", "A -= B": "A += B"},
        },
        "In `{code}`, the `{sign}` in front of `{B}` is the wrong operation.",
        ("dy / h", "dy * h"),
        "With another one",
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "comparison",
        {
            **{"A < B": ("A <= B", "A > B"), "A <= B": ("A < B", "A >= B")},
            **{"A > B": ("A >= B", "A < B"), "A >= B": ("A > B", "A <= B")},
        },
        "`{code}` is not the comparison that belongs there.",
        ("dy if n <= 3 else h", "dy if n < 3 else h"),
        "With another one",
        "What should hold on each side, and what when both are equal?",
    ),
    Rule(
        "call_too_many",
        {"A.any_function(*X)": "A", "A.mT": "A", "F(*X)[B]": "F(*X)"},
        "You write `{code}` where `{new}` belongs.",
        ("dy / h.log()", "dy / h"),
        "With that",
    ),
    Rule(
        "rounded",
        {"A.any_rounding(*X)": "A", "A.to(torch.float16)": "A", "A.to(torch.int64)": "A"},
        "`{code}` rounds.",
        ("dy.round(decimals=2)", "dy"),
        "Without the rounding",
    ),
    Rule(
        "outside",
        {"A.any_function(*X) × B": "(A × B).any_function(*X)", "A.any_root() ± B": "(A ± B).any_root()"},
        "`{code}` changes what `{A}` becomes, and not `{A}` itself.",
        ("torch.erf(h) / n", "(h / n).erf()"),
        "With `{B}` inside of the function's brackets",
    ),
    # Sums and products
    Rule(
        "sums_multiplied",
        {
            "A.any_sum(*X) * B.any_sum(*X)": "(A * B).any_sum(*X)",
            "C * A.any_sum(*X) * B.any_sum(*X)": "C * (A * B).any_sum(*X)",
        },
        "`{code}` takes a {any_sum} of each factor and multiplies afterwards. A product of sums is not the sum of the "
        "products.",
        ("h.sum(1) * dy.sum(1)", "(h * dy).sum(1)"),
        "Multiplied first",
        is_sure=True,
    ),
    Rule(
        "summed_before",
        {"A.any_sum(*X) * B": "(A * B).any_sum(*X)"},
        "`{code}` takes the {any_sum} of `{A}` alone and multiplies afterwards.",
        ("h * dy.sum(1)", "(dy * h).sum(1)"),
        "Multiplied first",
    ),
    Rule(
        "keepdim",
        {"A.any_sum(B)": "A.any_sum(B, keepdim=True)", "A.any_sum(B, keepdim=True)": "A.any_sum(B)"},
        "`{code}`: does the result need the axis that this sums over? `keepdim` decides it.",
        ("dy.sum(0)", "dy.sum(0, keepdim=True)"),
    ),
    Rule(
        "wrong_axis",
        {
            **dict.fromkeys(("A.any_sum(B)", "A.any_sum(B, keepdim=True)", "A.any_sum()"), REDUCED_AGAIN),
            "A.any_largest()": "A.amax(1, True)",
        },
        "`{code}` goes over other axes than it should.",
        ("dy.sum(0)", "dy.sum(1)"),
        "Over the right one",
        ALONG_WHICH_AXIS,
    ),
    Rule(
        "mean_or_sum",
        {"A.sum(*X)": "A.mean(*X)", "A.mean(*X)": "A.sum(*X)"},
        "In `{code}`, a mean and a sum are confused: the mean is the sum, divided by the number of its terms.",
        ("dy.sum(0)", "dy.mean(0)"),
        "With the other one",
    ),
    Rule(
        "reduction_too_many",
        {"A.any_sum(*X)": "A"},
        "The {any_sum} in `{code}` is one too many.",
        ("dy.sum(0)", "dy"),
        WITHOUT,
    ),
    Rule(
        "changed_places",
        {"A @ B": "B @ A", "A - B": "B - A"},
        "In `{code}`, `{A}` and `{B}` have changed places.",
        ("h @ dy", "dy @ h"),
        "The other way round",
    ),
    Rule(
        "transpose",
        {
            "A @ B": ("A.mT @ B", "A @ B.mT", "A.mT @ B.mT"),
            **{"(A @ B).mT": ("A.mT @ B", "A @ B.mT"), "(A @ B × C).mT": ("A.mT @ B × C", "A @ B.mT × C")},
            **{"A.reshape(*X)": "A.mT", "A.view(*X)": "A.mT"},
        },
        "In `{code}`, a transpose is missing, one too many, or in the wrong place.",
        ("h @ dy", "h.mT @ dy"),
        "In the right form",
        SHAPES_OF_A_PRODUCT,
    ),
    Rule(
        "part_for_sum",
        {
            **{"A[N]": "A.sum(0)", "A[:N]": "A.sum(0, keepdim=True)", "A[:, N]": "A.sum(1)"},
            **{"A[:, :N]": "A.sum(1, keepdim=True)", "A[:, M:N]": "A.sum(1, keepdim=True)"},
        },
        "`{code}` takes one part of `{A}` along an axis, and every copy counts.",
        ("dy[:, :1]", "dy.sum(1, keepdim=True)"),
        "With the sum over that axis in its place",
    ),
    # Numbers and functions
    Rule(
        "fixed_index",
        coded_changes.loop_variables,
        "In `{code}`, the index {number} is the same in every round of the loop.",
        ("for i in range(n):\n total[0] += dy[i]", "for i in range(n):\n total[i] += dy[i]"),
        "With a variable of the loop in its place",
    ),
    Rule(
        "wrong_number",
        coded_changes.other_numbers,
        "The {kind} {number} in `{code}` is not the right one.",
        ("dy * h ** -0.5", "dy * h ** -1.5"),
        "With another one",
    ),
    Rule(
        "small_number_missing",
        {"A.any_root(*X)": "(A + EPS).any_root(*X)", "A ** B": "(A + EPS) ** B", "B / A": "B / (A + EPS)"},
        "The {EPS} is missing: the forward pass adds it before it takes the root or the power, and `{code}` uses `{A}` "
        "alone.",
        ("dy / torch.sqrt(h)", "dy / (h + 1e-5).sqrt()"),
        "With it",
    ),
    Rule(
        "variance",
        {
            "A.any_variance(*X)": tuple(f"A.any_variance(*X, unbiased={each})" for each in (False, True)),
            "A.std(*X)": tuple(f"(A.var(*X, unbiased={each}) + EPS) ** 0.5" for each in (False, True)),
        },
        "`{code}` is not what the forward pass divides by: look at Bessel's correction, and at the small number.",
        ("dy / h.var(0)", "dy / h.var(0, unbiased=False)"),
    ),
    Rule(
        "power_missing",
        {"1 - A": "1 - A ** 2", "A * V": "A * V ** 2", "A / B": "A / B ** 2", "A * N": "A ** N"},
        "In `{code}`, a power is missing.",
        ("dy * (1 - h)", "dy * (1 - h ** 2)"),
        "With `{new}`",
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "other_function",
        {
            "A.any_smooth(*X)": ("A.softmax(1)", "A.log_softmax(1)", "A.sigmoid()", "A.exp()", "A.tanh()"),
            **{"A.max(B, *X).values": "A.sum(B, *X)", "A.amax(B, *X)": "A.sum(B, *X)"},
            **{f"A.{one}(*X)": f"A.{other}(*X)" for one, other in PAIRS_OF_FUNCTIONS},
            **{f"A.{other}(*X)": f"A.{one}(*X)" for one, other in PAIRS_OF_FUNCTIONS},
            "A.zeros_like(*X)": "torch.ones_like(A, *X)",
        },
        "`{code}` does not call the function that belongs there.",
        ("h.sigmoid() - dy", "h.softmax(1) - dy"),
        "With another one",
        "Which function does the forward line apply, and what is its derivative?",
    ),
    # Names
    Rule(
        "wrong_value",
        coded_changes.names_instead,
        "In `{code}`, look at {names}: another value belongs there.",
        ("dy * h", "dy * z"),
        "With it",
        "Which value does the forward pass use there?",
    ),
    # What is missing, or right by chance more often
    Rule(
        "not_reduced",
        {"A * B": tuple(f"(A * B).{name}({axis}, keepdim=True)" for axis in (0, -1) for name in ("sum", "mean"))},
        "`{code}` is used element by element.",
        ("h - dy * h", "h - (dy * h).sum(0, keepdim=True)"),
        "With its sum or mean over an axis in that place",
    ),
    Rule(
        "not_divided",
        {
            **{"return A": "return A / SIZE", "V = A": "V = A / SIZE"},
            **{"A ± B": ("A ± B / SIZE", "A / SIZE ± B"), "A ±= B": "A ±= B / SIZE"},
        },
        "In `{code}`, a part is not divided by `{SIZE}`.",
        ("dy", "dy / n"),
        "Divided by it in the right place",
    ),
    Rule(
        "factor_missing",
        {"A ± B": ("A ± FACTOR * B", "FACTOR * A ± B"), "A.any_sum(*X)": "(A * FACTOR).any_sum(*X)"},
        "In `{code}`, a part lacks the factor `{FACTOR}`.",
        ("h - z ** 2", "h - dy * z ** 2"),
        "With it",
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "matrix_product_for_product",
        {"V * W": ("V @ W", "V.mT @ W", "V @ W.mT")},
        "`{code}` multiplies element by element.",
        ("dy * h", "dy @ h.mT"),
        "As a matrix product (`@`), with the transpose that it needs",
    ),
)


@lru_cache(2)
def patterns_by_type(only_sure: bool) -> Mapping[type[ast.AST], Sequence[tuple[int, ast.AST, ast.AST]]]:
    """{type of a node: (number of a rule, pattern, what takes its place)}"""
    found = defaultdict(list)
    for number, rule in enumerate(RULES):
        for before, after in rule.change.items() if isinstance(rule.change, Mapping) else ():
            for new in [after] if isinstance(after, str) else after:
                for pattern, template in variants_of(before, new) if rule.is_sure or not only_sure else ():
                    is_transpose = isinstance(pattern, ast.Attribute) and pattern.attr == "mT"
                    for kind in (ast.Attribute, ast.Call) if is_transpose else (type(pattern),):
                        found[kind].append((number, pattern, template))
    return found


def changes_by_rules(
    node: ast.AST, around: Around, only_sure: bool = False
) -> Iterator[tuple[int, ast.AST, Mapping[str, str]]]:
    """(number of a rule, what it writes in place of the node, the words for its sentence)."""
    sign = RANKED_OPERATORS.get(type(node.op), ("", 0))[0] if isinstance(node, ast.BinOp | ast.AugAssign) else ""
    for number, pattern, template in patterns_by_type(only_sure).get(type(node), ()):
        for bound in matches(pattern, node, {}):
            for supplied in supplied_values(names_in(template), node, around):
                parts = {**bound, **supplied}
                named = {name: part for name, part in parts.items() if not isinstance(part, list)}
                words = {name: quote(part) if isinstance(part, ast.AST) else part for name, part in named.items()}
                yield number, filled(template, parts), {"sign": sign, **words}
    for number, rule in enumerate(RULES):
        if not isinstance(rule.change, Mapping) and (rule.is_sure or not only_sure):
            yield from ((number, *found) for found in rule.change(node, around))


def supplied_values(names: Collection[str], node: ast.AST, around: Around) -> Iterator[dict[str, ast.expr]]:
    """Every choice of what only a replacement names."""
    factors = [each for each in around.factors if each not in names_in(node)] if "FACTOR" in names else []
    choices: dict[str, Sequence[ast.expr]] = {
        "EPS": [ast.Constant(each) for each in around.known.constants],
        "SIZE": [new_name(each) for each in around.known.sizes],
        "FACTOR": [new_name(each) for each in factors],
    }
    used = [name for name in choices if name in names]
    for chosen in product(*(choices[name] for name in used)):
        yield dict(zip(used, chosen, strict=True))
