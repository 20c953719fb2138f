"""What a message says about each kind of change that is described by its parts alone."""

from __future__ import annotations

ONE_PART = (
    "In `{{code}}`, the {} `{{new}}` applies to `{{part}}` only, because it comes before `+` and `-`. Should it apply "
    "to both terms? With brackets around them, {{it}} is right."
)
WHOLE_SENTENCE = (
    "In `{{code}}`, the {} applies to all of `{{part}}`. Applied to only one of the two terms, {{it}} is right: to "
    "which one?"
)
OPERATOR = "`{code}` {verb}. If it {other_verb}, {it} is right."
ONE_TOO_MANY = "In `{code}`, the {kind} `{part}` is one too many: without it, {it} is right."
NUMBER_SENTENCE = "The {kind} {part} in `{code}` is not the right one; with another one {it} is right."
SCALE_SENTENCE = "`{{part}}` is not {} by `{{new}}`; if it were, {{it}} would be right. Where does the size go?"
PRODUCT_SENTENCE = "In `{{code}}`, {}. Write the shapes next to each other: which product has the right one?"
CORRECTION = "Divided by the same number as in the forward pass, {it} is right."
ROOT_SENTENCE = "`{{code}}` divides by `{{part}}`. With its {} in that place, {{it}} is right."

CHANGE_TEXTS = {
    "function": ("You write `{code}`. With `{new}` itself in that place, {it} is right: the `{part}` is one too many."),
    "forward_line": "Your forward pass has `{code}`. With the lesson's line, `{new}`, {it} is right.",
    "factor_everywhere": "Each `{part}` in this line lacks the factor `{new}`; with it, {it} is right.",
    "not_reduced": (
        "`{part}` is used element by element. With its {new} over an axis in that place, {it} is right: over which one?"
    ),
    "unbiased": "`{code}` divides by the number of elements less one, as `{part}` does by default. " + CORRECTION,
    "biased": "`{code}` divides by the number of elements. " + CORRECTION,
    "power_missing": "In `{code}`, a power of `{part}` is missing; with it, {it} is right.",
    "reshaped": (
        "`{part}` keeps the order of the numbers, which transposes nothing. With the transpose in that place, {it} is "
        "right."
    ),
    "rounded": "`{part}` rounds. Without the rounding, {it} is right.",
    "whole_numbers": "`{part}` converts to whole numbers. Without the conversion, {it} is right.",
    "other_small_number": (
        "`{part}` is not the small number that the forward pass adds. With that one in `{code}`, {it} is right."
    ),
    "part_divided": ONE_PART.format("division by"),
    "part_multiplied": ONE_PART.format("multiplication by"),
    "part_raised": (
        "In `{code}`, the power `{new}` applies to `{part}` only, because it comes before `+` and `-`. With brackets "
        "around both terms, {it} is right."
    ),
    "first_term_multiplied": (
        "In `{code}`, the factor `{new}` multiplies only the first term, `{part}`. With brackets around all terms, "
        "{it} is right."
    ),
    "half_precision": (
        "`{part}` rounds to about three digits. Without the conversion, {it} is right: keep the type of what you are "
        "given."
    ),
    "exchanged": "In `{code}`, `{part}` and `{new}` have changed places: the other way round, {it} is right.",
    "sum_without_factor": "In `{code}`, `{part}` lacks the factor `{new}`; with it, {it} is right.",
    "divisor": (
        "In `{code}`, only `{part}` divides: without brackets, what follows it is no part of the divisor. Divided by "
        "`{new}`, {it} is right."
    ),
    "divided_exponent": (
        "In `{code}`, only `{part}` is the exponent, because a power comes before a division. With `{new}` in "
        "brackets, {it} is right."
    ),
    "outside": "`{code}` scales what `{part}` returns. With its argument scaled instead, {it} is right.",
    "whole_power": WHOLE_SENTENCE.format("power"),
    "whole_divided": WHOLE_SENTENCE.format("division"),
    "whole_multiplied": WHOLE_SENTENCE.format("multiplication"),
    "sums_multiplied": (
        "`{code}` takes a {part} of each factor and multiplies afterwards. A product of sums is not the sum of the "
        "products: multiply first, then {it} is right."
    ),
    "one_factor_summed": (
        "`{code}` takes the {part} of `{new}` alone and multiplies afterwards. Multiply first, then take the {part}: "
        "so {it} is right."
    ),
    "term_without_factor": ("In `{code}`, the term `{part}` lacks the factor `{new}`; with it, {it} is right."),
    "other_function": "`{code}` calls `{part}`. With another function in its place, {it} is right: which one?",
    "max_of_all": (
        "`{code}` is the largest of all elements of `{part}`. With the maximum of each row in its place, {it} is right."
    ),
    "axis_everywhere": (
        "Each `{part}` in this line reduces over another axis than it should; otherwise {it} is right. Along which "
        "axis did the forward pass reduce?"
    ),
    "small_number": (
        "The {new} is missing: the forward pass adds it before it takes the root or the power, and `{code}` uses "
        "`{part}` alone. With it, {it} is right."
    ),
    "standard_deviation": (
        "`{code}` is not the root that the forward pass divides by: look at the small number under it, and at what "
        "the variance is divided by. With that root in its place, {it} is right."
    ),
    "column": (
        "`{code}` picks whole columns: for each entry of `{part}`, that column in every row. Index rows and columns "
        "together, so that each row is paired with its own entry; then {it} is right."
    ),
    "divided": "In `{code}`, you divide by `{part}`. If you multiply by it, {it} is right.",
    "multiplied": "In `{code}`, you multiply by `{part}`. If you divide by it, {it} is right.",
    "operator": OPERATOR,
    "sign_of_a_term": OPERATOR,
    "minus": "The minus in `{code}` is one too many: without it, {it} is right.",
    "factor": ONE_TOO_MANY,
    "division": "In `{code}`, the division by `{part}` is one too many: without it, {it} is right.",
    "term": ONE_TOO_MANY,
    "power": ONE_TOO_MANY,
    "index": "`{code}` takes only the part `[{part}]` of `{new}`. Without the index, {it} is right.",
    "axis": "`{code}` takes the {part} over another axis than it should; otherwise {it} is right.",
    "one_axis": "`{code}` takes the {part} over all elements. Over one axis only, {it} is right.",
    "mean_or_sum": "`{code}` takes a {part}. With a {new} in that place, {it} is right.",
    "reduction": "The {part} in `{code}` is one too many: without it, {it} is right.",
    "number": NUMBER_SENTENCE,
    "exponent": NUMBER_SENTENCE,
    "axis_number": "Axis {part} in `{code}` is not the right one; with another axis {it} is right.",
    "not_divided": SCALE_SENTENCE.format("divided"),
    "not_multiplied": SCALE_SENTENCE.format("multiplied"),
    "order": PRODUCT_SENTENCE.format("the two factors are in the wrong order"),
    "transpose": (
        "In `{code}`, a transpose is missing, or there is one too many: with the other form {it} is right. Over which "
        "axis should the product sum?"
    ),
    "transposed": "In `{code}`, the transpose is one too many: without it, {it} is right.",
    "product_transposed": (
        "`{code}` transposes the whole product. With one of its factors transposed instead, {it} is right: which one?"
    ),
    "product_for_matrix_product": (
        "`{code}` is a matrix product, which also sums. Multiplied element by element, {it} is right."
    ),
    "matrix_product_for_product": (
        "`{code}` multiplies element by element. As a matrix product (`@`), with the transpose that it needs, {it} is "
        "right."
    ),
    "product_for_power": "`{code}` multiplies by {part}. If it raises to that power, {it} is right.",
    "part_for_sum": (
        "`{code}` takes one part of `{part}` along an axis. With the sum over that axis in its place, {it} is right: "
        "every copy counts."
    ),
    "fixed_index": (
        "In `{new}`, the index {part} is the same in every round of the loop. With a variable of the loop in its "
        "place, {it} is right: which one?"
    ),
    "reset_in_loop": (
        "`{part}` is inside the loop, so each round begins anew, and only the last is left. In front of the loop, {it} "
        "is right."
    ),
    "max_for_sum": "`{code}` takes the largest element. With the sum in its place, {it} is right.",
    "line_too_many": "The line `{part}` is one too many: without it, {it} is right.",
    "rows": (
        "`{code}` picks whole rows: for each entry of `{part}`, that row in every column. Index rows and columns "
        "together, so that each row is paired with its own entry; then {it} is right."
    ),
    "root": ROOT_SENTENCE.format("square root"),
    "square": ROOT_SENTENCE.format("square"),
    "new_tensor": (
        "`{code}` gives the name `{part}` a new tensor; the tensor that it named before stays as it was. Change that "
        "tensor in place; then {it} is right."
    ),
    "result_unused": (
        "`{code}` returns a new tensor, and nothing uses it: `{part}` changes nothing in place. With a call that "
        "does, {it} is right."
    ),
    "update": "`{code}` assigns: `{part}` is `=` and a sign. With `{new}`, {it} is right.",
    "overwritten": ("`{code}` overwrites what was there before. If it adds to the old value instead, {it} is right."),
    "total_overwritten": (
        "`{part}` gives `{new}` another value in each round of the loop, so only the last one is left. If each round "
        "adds to it, {it} is right."
    ),
    "value_unused": (
        "`{code}` computes a value that nothing uses: `{part}` stays as it was. With the `=` of an update, {it} is "
        "right."
    ),
    "return_in_loop": (
        "`{part}` is inside of the loop, so the function ends in the loop's first round. After the loop, with less "
        "indentation, {it} is right."
    ),
    "break_for_continue": (
        "`break` ends the whole loop: the rounds after it are left out. With `continue`, which ends one round, {it} "
        "is right."
    ),
    "break_too_many": (
        "`break` ends the loop too early: rounds that {it} needs are left out. In which round should the loop end?"
    ),
    "range_start": "`{part}` begins with 1, so place 0 is left out. With `{new}`, {it} is right.",
    "range_end": (
        "`{part}` leaves out the last place: a range ends before its last number anyway. With `{new}`, {it} is right."
    ),
    "floor_division": "In `{code}`, `//` rounds down to whole numbers. With `/`, {it} is right.",
    "exclusive_or": (
        "In `{code}`, `^` is exclusive or, for integers and truth values. With `**`, which is the power, {it} is right."
    ),
    "reversed_difference": "In `{code}`, the two terms have changed places: the other way round, {it} is right.",
    "direction": "With the comparison in `{code}` the other way round, {it} is right.",
    "comparison": (
        "With another comparison in place of `{code}`, {it} is right. What should hold when both are equal?"
    ),
}
"""{kind of change: the message}, with the names of repairs.edits.Edit in braces; `it` is what becomes right."""
