"""The table of rules: each undoes one common slip in a student's code, and says which.

A new rule is one entry, with one example as its test. The order of the table is the order in which rules are tried, the
most likely slips first. A slip is reported only if the changed code ran and was right.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from grader.verdict.explain.edits import generators
from grader.verdict.explain.edits.generators import Around

Found = tuple[ast.AST, Mapping[str, str]]
"""(what takes a node's place, the words for a rule's sentence)"""
LOCAL_DERIVATIVE = "What is the local derivative of the forward line?"
WHICH_NUMBER = "Which number does the derivative of the forward line have there?"
ALONG_WHICH_AXIS = "Along which axis did the forward pass copy or reduce?"
WHICH_VALUE = "Which value does the forward pass use there?"
BRACKETS = "With brackets around both terms, {it} is right."
TO_WHICH_TERM = "Applied to only one of the two terms, {it} is right: to which one?"
SHAPES_OF_A_PRODUCT = "Write the shapes next to each other: which product has the right one?"
WITHOUT = "Without it, {it} is right."
TOGETHER = "Index rows and columns together, so that each row is paired with its own entry; then {it} is right."


@dataclass(frozen=True)
class Rule:
    """A slip and what undoes it.

    Attributes:
        id: of the mistake, for counting over a class.
        change: {pattern: what takes its place, or several of these}, see patterns; or what changes a node.
        text: kind and place of the slip. `{code}` is the student's code, `{new}` what takes its place, `{A}` a part.
        fix: what makes it right; `{it}` is what becomes right.
        question: follows where the function is a derivative.
        example: code with the slip, and without.
    """

    id: str
    change: Mapping[str, str | tuple[str, ...]] | Callable[[ast.AST, Around], Iterator[Found]]
    text: str
    fix: str
    example: tuple[str, str]
    question: str = ""


REDUCED_AGAIN = tuple(f"A.any_sum({axis}{keepdim})" for axis in ("0", "1", "-1") for keepdim in ("", ", keepdim=True"))
RULES = (
    Rule(
        "return_in_loop",
        {
            "for I in R:\n    *B\n    return C": "for I in R:\n    *B\nelse:\n    return C",
            "for I in R:\n    *B\n    for J in Q:\n        *D\n        return C": (
                "for I in R:\n    *B\n    for J in Q:\n        *D\nelse:\n    return C"
            ),
        },
        "`return {C}` is inside of the loop, so the function ends in the loop's first round.",
        "After the loop, with less indentation, {it} is right.",
        (
            "for i in range(n):\n    h = h * i\n    return h",
            "for i in range(n):\n    h = h * i\nelse:\n    return h",
        ),
    ),
    Rule(
        "break_for_continue",
        {"break": "continue"},
        "`break` ends the whole loop: the rounds after it are left out.",
        "With `continue`, which ends one round, {it} is right.",
        ("for i in Y:\n    if i:\n        break", "for i in Y:\n    if i:\n        continue"),
    ),
    Rule(
        "break_too_many",
        {"break": "pass"},
        "`break` ends the loop too early: rounds that {it} needs are left out.",
        "In which round should the loop end?",
        ("for i in Y:\n    if i:\n        break", "for i in Y:\n    if i:\n        pass"),
    ),
    Rule(
        "reset_in_loop",
        {"for I in R:\n    *B\n    V = C\n    *D": "if True:\n    V = C\n    for I in R:\n        *B\n        *D"},
        "`{V} = {C}` is inside the loop, so each round begins anew, and only the last is left.",
        "In front of the loop, {it} is right.",
        (
            "for i in Y:\n    g = 0\n    g = g + dy[i]",
            "if True:\n    g = 0\n    for i in Y:\n        g = g + dy[i]",
        ),
    ),
    Rule(
        "range_start",
        {"range(1, A)": "range(A)"},
        "`{code}` begins with 1, so place 0 is left out.",
        "With `{new}`, {it} is right.",
        ("sum(dy[i] for i in range(1, n))", "sum(dy[i] for i in range(n))"),
    ),
    Rule(
        "range_end",
        {"range(A - 1)": "range(A)", "range(B, A - 1)": "range(B, A)"},
        "`{code}` leaves out the last place: a range ends before its last number anyway.",
        "With `{new}`, {it} is right.",
        ("sum(dy[i] for i in range(n - 1))", "sum(dy[i] for i in range(n))"),
    ),
    Rule(
        "half_precision",
        {"A.half()": "A", "A.bfloat16()": "A", "A.to(torch.float16)": "A"},
        "`{code}` rounds to about three digits.",
        "Without the conversion, {it} is right: keep the type of what you are given.",
        ("dy.half() * h", "dy * h"),
    ),
    Rule(
        "rounded",
        {"A.any_rounding(*X)": "A", "A.to(torch.int64)": "A"},
        "`{code}` rounds.",
        "Without the rounding, {it} is right.",
        ("dy.round(decimals=2)", "dy"),
    ),
    Rule(
        "function_too_many",
        {"A.any_function(*X)": "A"},
        "You write `{code}`.",
        "With `{A}` itself in that place, {it} is right: the `{any_function}` is one too many.",
        ("dy / h.log()", "dy / h"),
        "At which value is the derivative of the forward line taken?",
    ),
    Rule(
        "whole_columns",
        {
            "A[:, B]": "A[range(len(B)), B]",
            "A[B, :]": "A[B, range(len(B))]",
            "A[:, B] = C": "A[range(len(B)), B] = C.flatten()",
            "A[:, B] += C": "A[range(len(B)), B] += C.flatten()",
            "A[:, B] -= C": "A[range(len(B)), B] -= C.flatten()",
            "A[:, B] = A[:, B] ± C": "A[range(len(B)), B] = A[range(len(B)), B] ± C",
        },
        "`{code}` picks whole columns: for each entry of `{B}`, that column in every row.",
        TOGETHER,
        ("dy[:, Y]", "dy[range(len(Y)), Y]"),
    ),
    Rule(
        "result_unused",
        generators.in_place_calls,
        "`{code}` returns a new tensor, and nothing uses it: `{method}` changes nothing in place.",
        "With a call that does, {it} is right.",
        ("h.sub(dy)", "h.sub_(dy)"),
    ),
    Rule(
        "new_tensor",
        {"V = V ± B": "V ±= B", "V = V × B": "V ×= B"},
        "`{code}` gives the name `{V}` a new tensor; the tensor that it named before stays as it was.",
        "Change that tensor in place; then {it} is right.",
        ("h = h - dy", "h -= dy"),
    ),
    Rule(
        "value_unused",
        {"A ± B": "A ±= B"},
        "`{code}` computes a value that nothing uses: `{A}` stays as it was.",
        "With the `=` of an update, {it} is right.",
        ("h[0] - dy", "h[0] -= dy"),
    ),
    Rule(
        "line_too_many",
        {"A ±= B": "pass", "A ×= B": "pass"},
        "The line `{code}` is one too many.",
        WITHOUT,
        ("h += dy", "pass"),
    ),
    Rule(
        "overwritten",
        {"A[B] = C": "A[B] += C"},
        "`{code}` overwrites what was there before.",
        "If it adds to the old value instead, {it} is right.",
        ("h[0] = dy", "h[0] += dy"),
    ),
    Rule(
        "factor_too_many",
        {"N * A": "A", "A * N": "A", "A / N": "A"},
        "In `{code}`, the factor `{N}` is one too many.",
        WITHOUT,
        ("2 * dy", "dy"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "divided_exponent",
        {"A ** B / C": "A ** (B / C)", "D * A ** B / C": "D * A ** (B / C)"},
        "In `{code}`, only `{B}` is the exponent, because a power comes before a division.",
        "With the exponent in brackets, {it} is right.",
        ("dy * h ** -3 / 2", "dy * h ** (-3 / 2)"),
    ),
    Rule(
        "divisor",
        {
            "A / B ± C": "A / (B ± C)",
            "A / B ± C * D": "A / (B ± C) * D",
            "A / B ± C * D * E": "A / (B ± C) * D * E",
            "E - A / B ± C": "E - A / (B ± C)",
            "A / B * C": "A / (B * C)",
            "A / B.any_root() ± C": "A / (B ± C).any_root()",
            "A / B.any_root() ± C * D": "A / (B ± C).any_root() * D",
        },
        "In `{code}`, what follows the divisor is no part of it, because there are no brackets.",
        "With brackets around the whole divisor, {it} is right.",
        ("h / n - 1 * dy", "h / (n - 1) * dy"),
    ),
    Rule(
        "part_divided",
        {"A ± B / C": "(A ± B) / C", "B / C ± A": "(B ± A) / C"},
        "In `{code}`, the division by `{C}` applies to `{B}` only, because it comes before `+` and `-`. Should "
        "it apply to both terms?",
        "With brackets around them, {it} is right.",
        ("h - dy / n", "(h - dy) / n"),
    ),
    Rule(
        "part_multiplied",
        {
            "A ± B * C": "(A ± B) * C",
            "B * C ± A": "(B ± A) * C",
            "A ± C * B": "C * (A ± B)",
            "C * B ± A": "C * (B ± A)",
        },
        "In `{code}`, the multiplication by `{C}` applies to `{B}` only, because it comes before `+` and `-`. Should "
        "it apply to both terms?",
        "With brackets around them, {it} is right.",
        ("1 - h ** 2 * dy", "(1 - h ** 2) * dy"),
    ),
    Rule(
        "first_term_multiplied",
        {
            "A * B ± C ∓ D": ("A * (B ± C ∓ D)", "B * (A ± C ∓ D)"),
            "A * B * C ± D ∓ E": "A * (B * C ± D ∓ E)",
        },
        "In `{code}`, the factor `{A}` multiplies only the first term.",
        "With brackets around all terms, {it} is right.",
        ("h * dy - dy.sum(0) - h", "h * (dy - dy.sum(0) - h)"),
    ),
    Rule(
        "outside",
        {"F(A, *X) * B": "F(A * B, *X)", "F(A, *X) / B": "F(A / B, *X)"},
        "`{code}` scales what `{F}` returns.",
        "With its argument scaled instead, {it} is right.",
        ("torch.erf(h) / n", "torch.erf(h / n)"),
    ),
    Rule(
        "whole_power",
        {"(A ± B) ** C": ("A ± B ** C", "A ** C ± B")},
        "In `{code}`, the power applies to both terms.",
        TO_WHICH_TERM,
        ("(1 - h) ** 2 * dy", "(1 - h ** 2) * dy"),
    ),
    Rule(
        "whole_divided",
        {"(A ± B) / C": ("A ± B / C", "A / C ± B")},
        "In `{code}`, the division applies to both terms.",
        TO_WHICH_TERM,
        ("(h + dy) / n", "h + dy / n"),
    ),
    Rule(
        "part_raised",
        {"B ** C ± A": "(B ± A) ** C", "A ± B ** C": "(A ± B) ** C", "D * A ± B ** C": "D * (A ± B) ** C"},
        "In `{code}`, the power `{C}` applies to `{B}` only, because it comes before `+` and `-`.",
        BRACKETS,
        ("dy * h + 1e-5 ** -0.5", "dy * (h + 1e-5) ** -0.5"),
    ),
    Rule(
        "sums_multiplied",
        {
            "A.any_sum(*X) * B.any_sum(*X)": "(A * B).any_sum(*X)",
            "C * A.any_sum(*X) * B.any_sum(*X)": "C * (A * B).any_sum(*X)",
        },
        "`{code}` takes a {any_sum} of each factor and multiplies afterwards. A product of sums is not the sum of the "
        "products.",
        "Multiply first, then {it} is right.",
        ("h.sum(1) * dy.sum(1)", "(h * dy).sum(1)"),
    ),
    Rule(
        "sums_multiplied",
        {"A.any_sum(*X) * B": "(A * B).any_sum(*X)", "B * A.any_sum(*X)": "(A * B).any_sum(*X)"},
        "`{code}` takes the {any_sum} of `{A}` alone and multiplies afterwards.",
        "Multiply first, then take the {any_sum}: so {it} is right.",
        ("h * dy.sum(1)", "(dy * h).sum(1)"),
    ),
    Rule(
        "other_small_number",
        generators.other_small_numbers,
        "`{number}` is not the small number that the forward pass adds.",
        "With that one in `{code}`, {it} is right.",
        ("dy / (h + 1e-8)", "dy / (h + 1e-5)"),
    ),
    Rule(
        "standard_deviation",
        {"A.std(*X)": tuple(f"(A.var(*X, unbiased={each}) + EPS) ** 0.5" for each in (False, True))},
        "`{code}` is not the root that the forward pass divides by: look at the small number under it, and at what the "
        "variance is divided by.",
        "With that root in its place, {it} is right.",
        ("dy / h.std(0)", "dy / (h.var(0, unbiased=False) + 1e-5) ** 0.5"),
    ),
    Rule(
        "small_number_missing",
        {
            "A.any_root(*X)": "(A + EPS).any_root(*X)",
            "A ** B": "(A + EPS) ** B",
            "B / A": "B / (A + EPS)",
        },
        "The {EPS} is missing: the forward pass adds it before it takes the root or the power, and `{code}` uses `{A}` "
        "alone.",
        "With it, {it} is right.",
        ("dy / torch.sqrt(h)", "dy / (h + 1e-5).sqrt()"),
    ),
    Rule(
        "floor_division",
        {"A // B": "A / B", "A //= B": "A /= B"},
        "In `{code}`, `//` rounds down to whole numbers.",
        "With `/`, {it} is right.",
        ("dy // n", "dy / n"),
    ),
    Rule(
        "exclusive_or",
        {"A ^ B": "A ** B", "A ± C ^ B": "A ± C ** B"},
        "In `{code}`, `^` is exclusive or, for integers and truth values.",
        "With `**`, which is the power, {it} is right.",
        ("dy * n ^ 2", "(dy * n) ** 2"),
    ),
    Rule(
        "product_for_matrix_product",
        {"A @ B": "A * B"},
        "`{code}` is a matrix product, which also sums.",
        "Multiplied element by element, {it} is right.",
        ("dy @ h", "dy * h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "wrong_operator",
        {"A / B": "A * B", "A /= B": "A *= B"},
        "In `{code}`, you divide by `{B}`.",
        "If you multiply by it, {it} is right.",
        ("dy / h", "dy * h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "wrong_operator",
        {"A * B": "A / B", "A *= B": "A /= B"},
        "In `{code}`, you multiply by `{B}`.",
        "If you divide by it, {it} is right.",
        ("dy * h", "dy / h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "wrong_operator",
        {"A + B": "A - B", "A += B": "A -= B"},
        "`{code}` adds.",
        "If it subtracts, {it} is right.",
        ("dy + h", "dy - h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "wrong_operator",
        {"A - B": "A + B", "A -= B": "A += B"},
        "`{code}` subtracts.",
        "If it adds, {it} is right.",
        ("dy - h", "dy + h"),
        LOCAL_DERIVATIVE,
    ),
    Rule("minus_too_many", {"-A": "A"}, "In `{code}`, the minus is one too many.", WITHOUT, ("-dy", "dy")),
    Rule(
        "comparison",
        {
            **{"A < B": ("A <= B", "A > B"), "A <= B": ("A < B", "A >= B")},
            **{"A > B": ("A >= B", "A < B"), "A >= B": ("A > B", "A <= B")},
        },
        "`{code}` is not the comparison that belongs there.",
        "With another one, {it} is right. What should hold on each side, and what when both are equal?",
        ("dy if n <= 3 else h", "dy if n < 3 else h"),
    ),
    Rule(
        "index",
        {"F(*X)[B]": "F(*X)"},
        "`{code}` takes only a part of `{new}`.",
        "Without the index, {it} is right.",
        ("dy.sum(0)[0]", "dy.sum(0)"),
    ),
    Rule(
        "factor_too_many",
        {"A * B": "A", "B * A": "A"},
        "In `{code}`, the factor `{B}` is one too many.",
        WITHOUT,
        ("dy * h", "dy"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "factor_too_many",
        {"A / B": "A"},
        "In `{code}`, the division by `{B}` is one too many.",
        WITHOUT,
        ("dy / h", "dy"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "term_too_many",
        {"A ± B": "A", "B + A": "A"},
        "In `{code}`, the term `{B}` is one too many.",
        WITHOUT,
        ("dy - h", "dy"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "power_too_many",
        {"A ** B": "A"},
        "In `{code}`, the power `{B}` is one too many.",
        WITHOUT,
        ("dy * h ** 2", "dy * h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "keepdim",
        {"A.any_sum(B)": "A.any_sum(B, keepdim=True)"},
        "`{code}` loses the axis that it sums over.",
        "With that axis kept, {it} is right: check `keepdim`.",
        ("dy.sum(0)", "dy.sum(0, keepdim=True)"),
    ),
    Rule(
        "keepdim",
        {"A.any_sum(B, keepdim=True)": "A.any_sum(B)"},
        "`{code}` keeps the axis that it sums over.",
        "Without that axis, {it} is right: check `keepdim`.",
        ("dy.sum(0, keepdim=True)", "dy.sum(0)"),
    ),
    Rule(
        "wrong_axis",
        {"A.any_sum(B)": REDUCED_AGAIN, "A.any_sum(B, keepdim=True)": REDUCED_AGAIN},
        "`{code}` takes the {any_sum} over another axis than it should.",
        "Over the right one, {it} is right.",
        ("dy.sum(0)", "dy.sum(1)"),
        ALONG_WHICH_AXIS,
    ),
    Rule(
        "wrong_axis",
        {"A.any_sum()": REDUCED_AGAIN},
        "`{code}` takes the {any_sum} over all elements.",
        "Over one axis only, {it} is right.",
        ("dy.sum()", "dy.sum(0)"),
        ALONG_WHICH_AXIS,
    ),
    Rule(
        "mean_or_sum",
        {"A.sum(*X)": "A.mean(*X)"},
        "`{code}` takes a sum.",
        "With a mean in that place, {it} is right.",
        ("dy.sum(0)", "dy.mean(0)"),
    ),
    Rule(
        "mean_or_sum",
        {"A.mean(*X)": "A.sum(*X)"},
        "`{code}` takes a mean.",
        "With a sum in that place, {it} is right.",
        ("dy.mean(0)", "dy.sum(0)"),
    ),
    Rule(
        "reduction_too_many",
        {"A.any_sum(*X)": "A"},
        "The {any_sum} in `{code}` is one too many.",
        WITHOUT,
        ("dy.sum(0)", "dy"),
    ),
    Rule(
        "factors_in_the_other_order",
        {"A @ B": "B @ A"},
        "In `{code}`, the two factors are in the wrong order.",
        SHAPES_OF_A_PRODUCT,
        ("h @ dy", "dy @ h"),
    ),
    Rule(
        "transpose",
        {"A @ B": ("A.mT @ B", "A @ B.mT", "A.mT @ B.mT")},
        "In `{code}`, a transpose is missing, or there is one too many: with the other form {it} is right.",
        "Over which axis should the product sum?",
        ("h @ dy", "h.mT @ dy"),
    ),
    Rule(
        "product_transposed",
        {"(A @ B).mT": ("A.mT @ B", "A @ B.mT"), "(A @ B × C).mT": ("A.mT @ B × C", "A @ B.mT × C")},
        "`{code}` transposes the whole product.",
        "With one of its factors transposed instead, {it} is right: which one?",
        ("(h @ dy).T", "h.mT @ dy"),
    ),
    Rule(
        "transposed",
        {"A.mT": "A"},
        "In `{code}`, the transpose is one too many.",
        WITHOUT,
        ("dy.T", "dy"),
    ),
    Rule(
        "wrong_number",
        generators.other_numbers,
        "The {kind} {number} in `{code}` is not the right one.",
        "With another one, {it} is right.",
        ("dy * h ** -0.5", "dy * h ** -1.5"),
        WHICH_NUMBER,
    ),
    Rule(
        "wrong_axis",
        generators.other_axes,
        "Axis {number} in `{code}` is not the right one.",
        "With another axis, {it} is right.",
        ("h.permute(0, 2, 1)", "h.permute(0, 2, 2)"),
        "Which axes does the forward line work on?",
    ),
    Rule(
        "power_missing",
        {"1 - A": "1 - A ** 2", "A * V": "A * V ** 2", "A / B": "A / B ** 2"},
        "In `{code}`, a square is missing.",
        "With `{new}`, {it} is right.",
        ("dy * (1 - h)", "dy * (1 - h ** 2)"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "max_for_sum",
        {"A.max(B, *X).values": "A.sum(B, *X)", "A.amax(B, *X)": "A.sum(B, *X)"},
        "`{code}` takes the largest element.",
        "With the sum in its place, {it} is right.",
        ("dy.max(1, keepdim=True).values", "dy.sum(1, keepdim=True)"),
    ),
    Rule(
        "max_of_all",
        {"A.max()": "A.amax(1, True)", "A.amax()": "A.amax(1, True)"},
        "`{code}` is the largest of all elements of `{A}`.",
        "With the maximum of each row in its place, {it} is right.",
        ("(h == h.max()) * dy", "(h == h.amax(1, True)) * dy"),
    ),
    Rule(
        "wrong_value",
        generators.other_names,
        "In `{code}`, `{name}` is not the value that belongs there.",
        "With another one, {it} is right.",
        ("dy * h", "dy * z"),
        WHICH_VALUE,
    ),
    Rule(
        "everywhere",
        generators.other_name_everywhere,
        "Each `{name}` in `{code}` should be another value.",
        "With that one, {it} is right.",
        ("dy * h + h.exp()", "dy * z + z.exp()"),
        WHICH_VALUE,
    ),
    Rule(
        "not_reduced",
        {
            "A * B": tuple(f"(A * B).{name}({axis}, keepdim=True)" for axis in (0, -1) for name in ("sum", "mean")),
        },
        "`{code}` is used element by element.",
        "With its sum or mean over an axis in that place, {it} is right: over which one?",
        ("h - dy * h", "h - (dy * h).sum(0, keepdim=True)"),
    ),
    Rule(
        "unbiased",
        {"A.any_variance(*X)": tuple(f"A.any_variance(*X, unbiased={each})" for each in (False, True))},
        "`{code}` does not divide by the number that the forward pass divides by: look at Bessel's correction.",
        "Divided by the same number, {it} is right.",
        ("dy / h.var(0)", "dy / h.var(0, unbiased=False)"),
    ),
    Rule(
        "reshaped",
        {"A.reshape(*X)": "A.mT", "A.view(*X)": "A.mT"},
        "`{code}` keeps the order of the numbers, which transposes nothing.",
        "With the transpose in that place, {it} is right.",
        ("dy @ h.view(3, 4)", "dy @ h.mT"),
    ),
    Rule(
        "not_divided",
        generators.divided_by_sizes,
        "`{part}` is not divided by `{size}`.",
        "If it were, {it} would be right. Where does the size go?",
        ("dy", "dy / n"),
    ),
    Rule(
        "reversed_difference",
        {"A - B": "B - A"},
        "In `{code}`, the two terms have changed places.",
        "The other way round, {it} is right.",
        ("dy - h", "h - dy"),
    ),
    Rule(
        "exchanged",
        generators.exchanged_names,
        "In `{code}`, `{name}` and `{other}` have changed places.",
        "The other way round, {it} is right.",
        ("dy - h.exp()", "h - dy.exp()"),
    ),
    Rule(
        "wrong_operator",
        {"A ± B": ("A * B", "A / B"), "A * B": ("A + B", "A - B"), "A / B": "A - B"},
        "In `{code}`, another operation belongs between `{A}` and `{B}`.",
        "With it, {it} is right.",
        ("dy + h", "dy * h"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "term_without_factor",
        {"A ± B": ("A ± FACTOR * B", "FACTOR * A ± B")},
        "In `{code}`, a term lacks the factor `{FACTOR}`.",
        "With it, {it} is right.",
        ("h - z ** 2", "h - dy * z ** 2"),
        LOCAL_DERIVATIVE,
    ),
    Rule(
        "other_function",
        {
            "A.any_smooth(*X)": ("A.softmax(1)", "A.log_softmax(1)", "A.sigmoid()", "A.exp()", "A.tanh()"),
            **{f"A.{name}(*X)": f"A.{other}(*X)" for name, other in [("min", "max"), ("max", "min")]},
            **{f"A.a{name}(*X)": f"A.a{other}(*X)" for name, other in [("min", "max"), ("max", "min")]},
        },
        "`{code}` calls a function.",
        "With another function in its place, {it} is right: which one?",
        ("h.sigmoid() - dy", "h.softmax(1) - dy"),
        "Which function does the forward line apply, and what is its derivative?",
    ),
    Rule(
        "sum_without_factor",
        {"A.any_sum(*X)": "(A * FACTOR).any_sum(*X)"},
        "In `{code}`, `{A}` lacks the factor `{FACTOR}`.",
        "With it, {it} is right.",
        ("dy.sum(0)", "(dy * h).sum(0)"),
    ),
    Rule(
        "rows",
        {"A[V]": "A[range(len(V)), V]"},
        "`{code}` picks whole rows: for each entry of `{V}`, that row in every column.",
        TOGETHER,
        ("dy[Y]", "dy[range(len(Y)), Y]"),
    ),
    Rule(
        "part_for_sum",
        {
            "A[N]": "A.sum(0)",
            "A[:N]": "A.sum(0, keepdim=True)",
            "A[:, N]": "A.sum(1)",
            "A[:, :N]": "A.sum(1, keepdim=True)",
            "A[:, M:N]": "A.sum(1, keepdim=True)",
        },
        "`{code}` takes one part of `{A}` along an axis.",
        "With the sum over that axis in its place, {it} is right: every copy counts.",
        ("dy[:, :1]", "dy.sum(1, keepdim=True)"),
    ),
    Rule(
        "matrix_product_for_product",
        {"V * W": tuple(f"{a} @ {b}" for v, w in ("VW", "WV") for a, b in ((v, w), (v + ".mT", w), (v, w + ".mT")))},
        "`{code}` multiplies element by element.",
        "As a matrix product (`@`), with the transpose that it needs, {it} is right.",
        ("dy * h", "dy @ h.mT"),
    ),
    Rule(
        "wrong_value",
        generators.related_names,
        "In `{code}`, `{name}` is not the value that belongs there.",
        "With another one, {it} is right.",
        ("dy * n", "dy * Y"),
        WHICH_VALUE,
    ),
)
UPDATE = Rule(
    "update_written_backwards",
    {},
    "`{code}` assigns: `{written}` is `=` and a sign.",
    "With `{new}`, {it} is right.",
    ("h =- dy", "h -= dy"),
)
"""Of a line's text: no tree shows it."""
