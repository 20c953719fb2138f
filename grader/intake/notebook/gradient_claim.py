"""One statement of a notebook about a gradient: a comparison or an update says whose gradient a variable is."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import islice

from grader.source.syntax import all_nodes
from grader.source.unparsing import code_of

MAX_NODES_QUOTED, MAX_CHARACTERS_QUOTED = 60, 80  # nodes and characters of a comparison that a message quotes


@dataclass(frozen=True)
class GradientClaim:
    """`variable` is compared with the gradient of `tensor`, or of what the string `label` names, in `code`; or
    `is_update`, and `tensor` is updated with it."""

    variable: str
    label: str | None
    tensor: str | None
    code: ast.AST
    file: str
    line: int
    is_update: bool = False

    @property
    def text(self) -> str:
        """The code as a message quotes it; long code, which may be too deep to be written, is not quoted."""
        if len(list(islice(all_nodes(self.code), MAX_NODES_QUOTED + 1))) > MAX_NODES_QUOTED:
            return "a comparison"
        text = code_of(self.code).replace("`", "'").replace("\n", " ")
        return text if len(text) <= MAX_CHARACTERS_QUOTED else text[: MAX_CHARACTERS_QUOTED - 4] + " ..."

    @property
    def place(self) -> str:
        return f"{self.file}, line {self.line}"
