"""A question about the mistake that a row has, where it is known: the hint that comes before the lesson's own hints."""

from __future__ import annotations

from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson
from grader.results import Row

QUESTION_OF_MISTAKE = {
    ("sign", "branch_sign", "inner_branch_sign"): (
        "Raise one element of `{x}` a little. In `{line}`, does the result rise or fall? And what happens to it if the "
        "upstream gradient is positive?"
    ),
    ("transposed", "the_other_way_round", "transpose", "product_transposed", "factors_in_the_other_order"): (
        "Write the shapes of both factors next to each other, and the shape of `{x}` below. Which axis has to "
        "disappear, and so has to be in the middle of the product?"
    ),
    ("keepdim", "no_keepdim", "not_reshaped"): (
        "A gradient always has the shape of its value. Compare the shape of `{x}` with what you return: which axis is "
        "missing, or is one too many?"
    ),
    ("sum_missing", "no_sum", "wrong_axis", "not_copied", "shared_out"): (
        "In `{line}`, one element of `{x}` may be used several times. Along which axis is it copied? All these uses "
        "send a gradient back."
    ),
    ("sum_too_many", "summed_too_much", "over_all_elements", "whole_columns", "sum", "reduction_too_many"): (
        "Choose one element of `{x}`. Which elements of the result of `{line}` depend on it? Only their gradients "
        "belong into the sum."
    ),
    ("branch_missing", "branch_ratio", "inner_branch_missing", "inner_branch_ratio", "way_ratio", "other_gradient"): (
        "Count the forward lines that read `{x}`. Does your line have one term for each of them?"
    ),
    (
        *("mean", "mean_for_sum", "averaged", "over_n", "no_one_over_n", "times_n", "factor", "ratio"),
        *("factor_too_many", "term_too_many", "mean_or_sum", "wrong_number"),
    ): (
        "Write `{line}` for a single element, with indices. Which numbers multiply `{x}` there, and is there a "
        "division? Those are the factors that you need, and no others."
    ),
    (
        "upstream_forgotten",
        "upstream_left_out",
        "wrong_upstream",
        "local_derivative_missing",
        "upstream_with_a_factor",
    ): (
        "The chain rule has two factors: the upstream gradient of what `{line}` computes, and the derivative of that "
        "line with respect to `{x}`. Find both in your formula."
    ),
    (
        *("operand", "operand_alone", "step", "as_given", "at_the_input", "zero_too_often"),
        *("wrong_value", "function_too_many"),
    ): ("At which value is the derivative of `{line}` taken: at what goes in, or at what comes out?"),
    (
        *("operation", "upside_down", "exponent_kept", "exponent_up", "power_rule", "times_itself", "product_rule"),
        *("wrong_operator", "power_missing", "power_too_many"),
    ): ("Differentiate `{line}` on paper with plain numbers first. What is the derivative at {x} = 2?"),
    ("repeated_index", "not_zero_elsewhere", "overwritten"): (
        "Which elements of `{x}` does `{line}` read more than once, and which never? What is the gradient of each kind?"
    ),
    ("held_constant", "statistics_constant", "constant", "left_to_the_data"): (
        "Which values in `{line}` change when one element of `{x}` changes? A value that changes as well is not a "
        "constant."
    ),
    ("changed_argument",): (
        "Which operations change a tensor in place, and which return a new one? A function must leave its arguments "
        "as they are."
    ),
    ("sizes_written_in", "sizes_of_the_lecture"): (
        "Where does each number in your line come from? A size can be read from a tensor: `{x}.shape`."
    ),
}
BY_ID = {mistake: question for mistakes, question in QUESTION_OF_MISTAKE.items() for mistake in mistakes}


def question_about_mistake(lesson: Lesson, row: Row) -> str:
    """The question for the row's mistake; "" where the mistake is not known or has none."""
    target = lesson.item_for(row.name).target
    question = BY_ID.get(row.mistake.id if row.mistake else "")
    if question is None or target is None:
        return ""
    lines = forward_lines(lesson, target)
    return question.format(x=target, line=lines[0].partition("  # ")[0] if lines else f"{target}")
