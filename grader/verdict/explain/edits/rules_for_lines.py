"""Rules for loops, indices and assignments, and for brackets: the first ones that are tried."""

from __future__ import annotations

from grader.verdict.explain.edits import generators
from grader.verdict.explain.edits.rule import LOCAL_DERIVATIVE, TOGETHER, WITHOUT, Rule

BRACKETS = "With brackets around both terms, {it} is right."
TO_WHICH_TERM = "Applied to only one of the two terms, {it} is right: to which one?"
RULES_FOR_LINES = (
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
            "E - A / B ± C * D": "E - A / (B ± C) * D",
            "E - A / B ± C * D * G": "E - A / (B ± C) * D * G",
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
        {"A.any_function(*X) × B": "(A × B).any_function(*X)"},
        "`{code}` scales what `{any_function}` returns.",
        "With its argument scaled instead, {it} is right.",
        ("torch.erf(h) / n", "(h / n).erf()"),
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
)
