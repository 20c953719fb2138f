"""What is known about a notebook's own names for a lesson's values and gradients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from grader.lesson.notebook_table import NotebookTable


@dataclass(frozen=True)
class KnownNames:
    """What is known about other names.

    Attributes:
        others: {the notebook's name: the lecture's}, gradients and values of the forward pass.
        compared: {the notebook's name of a value: the lecture's}, from comparisons only.
        remarks: {the notebook's name: why it is taken for a gradient}, a sentence.
        reasons: {gradient: why nothing is taken for it}, a sentence.
    """

    others: Mapping[str, str] = field(default_factory=dict)
    compared: Mapping[str, str] = field(default_factory=dict)
    remarks: Mapping[str, str] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)

    def added_to(self, table: NotebookTable) -> NotebookTable:
        """The table with these names among the inputs of its functions."""
        if not self.others and not self.compared:
            return table
        return replace(table, given=replace(table.given, others=self.others, compared=self.compared))
