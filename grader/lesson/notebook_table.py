"""The `[notebook]` table of a lesson says what the lesson takes from the lecture's notebook.

[notebook]
names = ["dhprebn"]            gradients that the notebook has; all of the lesson's, if not given
values = ["n", "dhpreact"]     what its steps are given; all values and gradients of the lesson, if not given
again = ["dlogits"]            those that the notebook assigns again after the chain, for other lessons
after = "NN_name"              this lesson takes what follows the chain of that one
loop = "parameters, Xb, Yb"    this lesson takes the loop around all, as its one function with these parameters
[notebook.same]
batch_size = "n"               the notebook's other names for values
[notebook.also]
loss = "F.nll_loss(a, Yb)"     another line of a forward pass that gives a value: it shows what its variables are

The sizes are the whole numbers among the defaults of `inputs`. A lesson with `after` also knows the tensors of that
other lesson: sizes of the same name are the same size.

Plain data without torch: notebook_lesson.py completes it, and the process that reads students' files receives it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.lesson.toml_tables import NOT_IN_THE_FILE


@dataclass(frozen=True)
class NotebookTable:
    """The `[notebook]` table, with what the lesson's own files add to it.

    Attributes:
        values, gradients: what the function of one gradient may request by name.
        others: {a student's name: the value or gradient that it is}, as in {"dL_dp": "dprobs"}.
        groups: {name of a group of parameters: its members}, from the lesson's `GROUPS`.
        consumers: {gradient: the upstream gradients from which its own step is computed}.
        sizes: {a size of the lesson's inputs, by the parameter of `inputs`: its published value}.
        scalars: {value: the size that it is}.
        axes: {value: for each axis, the sizes whose product it is; none where it is something else}.
        expressions: {size: an expression of values that gives it}.
        forward: {value: the expression that computes it in the forward pass}.
    """

    names: tuple[str, ...] = ()
    values: frozenset[str] = frozenset()
    again: frozenset[str] = frozenset()
    after: str = ""
    loop: str = ""
    same: Mapping[str, str] = field(default_factory=dict)
    also: Mapping[str, str] = field(default_factory=dict)
    gradients: frozenset[str] = field(default_factory=frozenset, metadata=NOT_IN_THE_FILE)
    others: Mapping[str, str] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    groups: Mapping[str, Sequence[str]] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    consumers: Mapping[str, frozenset[str]] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    sizes: Mapping[str, int] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    scalars: Mapping[str, str] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    axes: Mapping[str, Sequence[Sequence[str]]] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    expressions: Mapping[str, str] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)
    forward: Mapping[str, str] = field(default_factory=dict, metadata=NOT_IN_THE_FILE)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """(value, expression) of the forward pass, also of other ways to write it."""
        return [*self.forward.items(), *self.also.items()]

    def size_of(self, expression: str) -> str | None:
        """The size that `n` or `C.shape[0]` gives."""
        name, _, axis = expression.partition(".shape[")
        if not axis:
            return self.scalars.get(name)
        axes = self.axes.get(name, ())
        number = int(axis[:-1]) if axis[:-1].isdigit() else len(axes)
        sizes = axes[number] if number < len(axes) else ()
        return sizes[0] if len(sizes) == 1 else None


@dataclass(frozen=True)
class NotebookLesson:
    """A lesson as a reader of notebooks needs it: plain data, which can be sent to another process.

    Attributes:
        rows: {row: the function that it is about}, in the lesson's order.
        gradients: those rows that are gradients.
        joint: the one function that returns all gradients, if the lesson asks for one.
        table: None for a lesson that takes nothing from the lecture's notebook.
        chain: what the lecture's chain assigns, which comes before what this lesson takes.
        stepwise: for a lesson that takes a loop, the chain of the course's lesson with `again`: a loop with its
            formulas is not this lesson's.
    """

    name: str
    rows: Mapping[str, str]
    gradients: Sequence[str]
    joint: str | None
    table: NotebookTable | None
    chain: NotebookTable
    stepwise: NotebookTable | None = None

    @property
    def functions(self) -> list[str]:
        return list(dict.fromkeys(self.rows.values()))
