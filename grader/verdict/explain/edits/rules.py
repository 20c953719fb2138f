"""The table of rules: each undoes one common slip in a student's code, and says which.

A new rule is one entry, with one example as its test. The order of the table is the order in which rules are tried, the
most likely slips first. A slip is reported only if the changed code ran and was right.
"""

from __future__ import annotations

from grader.verdict.explain.edits.rule import Rule
from grader.verdict.explain.edits.rules_for_formulas import RULES_FOR_FORMULAS
from grader.verdict.explain.edits.rules_for_lines import RULES_FOR_LINES

RULES = (*RULES_FOR_LINES, *RULES_FOR_FORMULAS)
BACKWARD_UPDATE = Rule(
    "update_written_backwards",
    {},
    "`{code}` assigns: `{written}` is `=` and a sign.",
    "With `{new}`, {it} is right.",
    ("h =- dy", "h -= dy"),
)
"""Of a line's text: no tree shows it."""
