"""The static check: which lines of a submission, if any, let PyTorch differentiate, and for which steps.

For naming only. It reads the text in the trusted process and neither imports nor runs it; the sandbox is what stops the
acts (grader/sandbox/workers/autograd_off.py). It looks at the part of the file that the steps reach, so an autograd
self-check under ``if __name__ == "__main__":``, or in a function that no step calls, is the student's own business.
"""

from __future__ import annotations

import ast
import io
import tokenize
import warnings
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from grader.calling.autograd_used import autograd_message
from grader.sandbox.policy import names
from grader.sandbox.policy.reader import Reader, owns_backward
from grader.source import scopes as scopes
from grader.source.scopes import Piece

MAX_BYTES = 300_000  # reading takes seconds for so much; a lesson's file has a few thousand bytes
MAX_FINDINGS = 100  # of one step; nobody reads more, and a file could hold a hundred thousand
# A coding cookie chooses among a hundred decoders, some of which take time quadratic in the length.
ENCODINGS = frozenset({"utf-8", "utf-8-sig", "ascii", "iso-8859-1", "cp1252"})


@dataclass(frozen=True, order=True)
class Finding:
    """One act that a step reaches.

    Attributes:
        line, column: where, counted from 1, in the file ``filename``.
        step: the entry point that reaches it; an act in a shared helper is one finding for each step that calls it.
        what: the act as written out, e.g. ``torch.autograd.grad`` or ``.backward()``.
        message: a whole sentence for the student: what was found, what is expected, what to do.
    """

    line: int
    column: int
    step: str
    what: str
    message: str
    filename: str


def find_acts(
    source: bytes, filename: str, entry_points: Collection[str], neighbours: Mapping[str, bytes] | None = None
) -> list[Finding]:
    """Acts that the functions named in ``entry_points`` reach, ordered by line. Raises nothing, whatever the bytes are.

    A file that cannot be parsed has no findings: running it gives the SyntaxError, in Python's own words.

    Args:
        source: the file as it was handed in.
        filename: its name, as it is to stand in the findings.
        entry_points: names of the steps; those that the file does not define are passed over.
        neighbours: the submission's other files, ``{"helpers.py": …}``, followed through ``import helpers``.
    """
    main = _parse(source, filename)
    if main is None:
        return []
    others: dict[str, _File | None] = {}
    left = MAX_BYTES  # for all of them together: a file's tree takes a hundred times its bytes
    for name, text in sorted((neighbours or {}).items(), key=lambda entry: len(entry[1])):
        left -= len(text)
        others[name.removesuffix(".py")] = _parse(text, name) if left >= 0 else None
    submission = _Submission(main, {module: file for module, file in others.items() if file})
    return sorted({finding for step in entry_points for finding in islice(submission.findings(step), MAX_FINDINGS)})


@dataclass(frozen=True)
class _File:
    name: str
    scope: scopes.Scope
    bindings: Mapping[str, list[Piece]]
    owns_backward: bool


def _parse(source: bytes, filename: str) -> _File | None:
    tree = parsed(source, filename)
    if tree is None:
        return None
    try:
        scope = scopes.scope_of(tree.body)
        return _File(filename, scope, scopes.bindings(tree, scope), owns_backward(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parsed(source: bytes, filename: str) -> ast.Module | None:
    """The file's syntax tree; None where Python cannot parse it, or reading it would take too long."""
    if len(source) > MAX_BYTES:
        return None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        if encoding not in ENCODINGS:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "invalid escape sequence" is between Python and the student
            return ast.parse(source, filename)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Submission:
    """The graded file and its neighbours: who reaches what."""

    def __init__(self, main: _File, neighbours: Mapping[str, _File]) -> None:
        self.main = main
        self.neighbours = neighbours
        self.owns_backward = any(file.owns_backward for file in (main, *neighbours.values()))
        everywhere = self.neighbours.keys()
        self._readers = {
            file.name: Reader(file.scope, everywhere, self.owns_backward) for file in (main, *neighbours.values())
        }

    def findings(self, step: str) -> Iterator[Finding]:
        """The acts in all that the step's name leads to."""
        seen = {(self.main.name, step)}
        waiting = [(self.main, step)]
        done: set[Piece] = set()
        while waiting:
            file, name = waiting.pop()
            for piece in file.bindings.get(name, ()):
                if piece in done:
                    continue
                done.add(piece)
                contents = self._readers[file.name].read(piece)
                reached = [(file, other) for other in contents.reached]
                reached += [(self.neighbours[module], other) for module, other in contents.reached_elsewhere]
                for there, other in reached:
                    if (there.name, other) not in seen and other in there.bindings:
                        seen.add((there.name, other))
                        waiting.append((there, other))
                for act in contents.acts:
                    sentence = autograd_message if act.differentiates else names.out_of_bounds
                    yield Finding(act.line, act.column, step, act.what, sentence(act.line, act.what), file.name)
