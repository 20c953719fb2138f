"""How large a value may be that travels between processes."""

from __future__ import annotations

from dataclasses import dataclass

from grader.sandbox.workers.tensor_bytes import MAX_BODY

MAX_TREE_NODES, MAX_TREE_DEPTH = 100_000, 30


@dataclass(frozen=True)
class Budget:
    """What a reply may bring into the trusted process, which loops over it.

    `nodes` counts the entries of all lists, tuples and dicts, `elements` those of all tensors (a size of 0 counts as 1,
    because a tensor of shape (n, 0) is iterated n times), `characters` those of all texts. A value that goes beyond it
    is replaced by an `Opaque`, which says what it is.
    """

    nodes: int = 4_000
    elements: int = 1 << 17
    characters: int = 200_000

    def at_least(self, sent: Budget, factor: int = 4) -> Budget:
        """Room for an answer `factor` times as large as what was sent, or this budget where that is larger."""
        return Budget(
            max(self.nodes, factor * sent.nodes),
            max(self.elements, factor * sent.elements),
            max(self.characters, factor * sent.characters),
        )


SLACK = 100
"""Nodes of a reply that do not count: descriptions in place of values that are too large."""
TENSOR_NODES = 10
"""What a tensor counts for: to build one takes ten times as long as to take in a number."""
LEAST = Budget()
UNLIMITED = Budget(MAX_TREE_NODES, MAX_BODY, MAX_BODY)
"""The budget of the trusted side's own requests."""


class TooLarge(Exception):
    """A value goes beyond its budget; the text says what it is."""
