"""What the changes of a student's function may use of the lesson."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Known:
    """What a step may read.

    `shapes` are those of forward values and upstream gradients by name on one problem, () for a number; `sizes` are the
    names of whole numbers, `masks` of the tensors of True and False; `constants` are the small numbers that the
    forward pass adds (1e-5). `related` are what the derivative of one forward line may be written with: the values that
    it reads and gives, and their gradients.

    Of a function that returns all gradients, `returned` are their names, `right` those that are right, `inner` the
    names of gradients on the way to them, and `forward` the values of the forward pass. `wrong` is the
    first wrong one of these gradients, "" where none is known, and None to take any changes that have been found
    already.
    """

    shapes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    sizes: Sequence[str] = ()
    constants: Sequence[float] = ()
    returned: Sequence[str] = ()
    inner: Sequence[str] = ()
    right: Sequence[str] = ()
    forward: Sequence[str] = ()
    wrong: str | None = None
    masks: Sequence[str] = ()
    related: Sequence[str] = ()
