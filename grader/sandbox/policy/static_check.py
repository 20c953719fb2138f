"""The static check: which lines of a submission, if any, let PyTorch differentiate, and for which steps.

For naming only. It reads the text in the trusted process and neither imports nor runs it; the sandbox is what stops the
acts (grader/sandbox/workers/autograd_off.py). It looks at the part of the file that the steps reach, so an autograd
self-check under ``if __name__ == "__main__":``, or in a function that no step calls, is the student's own business.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from grader.calling.autograd_used import autograd_message
from grader.sandbox.policy import names
from grader.sandbox.policy.act_reader import ActReader, owns_backward
from grader.source.module_names import importable_name
from grader.source.module_pieces import Piece, pieces_by_name
from grader.source.parsing import MAX_PARSED_BYTES, PARSE_ERRORS, parse_submitted
from grader.source.program import Program

MAX_FINDINGS = 100  # of one step; nobody reads more, and a file could hold a hundred thousand


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
        source: the file as it was submitted.
        filename: its name, as the findings show it.
        entry_points: names of the steps; those that the file does not define are passed over.
        neighbours: the submission's other files, ``{"helpers.py": …}``, followed through ``import helpers``.
    """
    files = parse_files(source, filename, neighbours or {})
    try:
        submission = _Submission(files) if files else None
    except PARSE_ERRORS:
        submission = None
    steps = entry_points if submission else ()
    return sorted({found for step in steps if submission for found in islice(submission.findings(step), MAX_FINDINGS)})


def parse_files(source: bytes, filename: str, neighbours: Mapping[str, bytes]) -> dict[str, tuple[str, ast.Module]]:
    """{module name: (file name, tree)} of the graded file and of its neighbours, the shortest first; {} where Python
    cannot parse the graded file.

    Of all files together MAX_PARSED_BYTES are parsed: a tree takes a hundred times as much memory as its text.
    """
    files: dict[str, tuple[str, ast.Module]] = {}
    left = MAX_PARSED_BYTES
    for name, text in [(filename, source), *sorted(neighbours.items(), key=lambda entry: len(entry[1]))]:
        left -= len(text)
        tree = parse_submitted(text, name) if left >= 0 else None
        if tree is not None:
            files[importable_name(name)] = name, tree
        elif name == filename:
            return {}
    return files


class _Submission:
    """The graded file and its neighbours: which names lead to which pieces of text."""

    def __init__(self, files: Mapping[str, tuple[str, ast.Module]]) -> None:
        program = Program(files)
        has_backward = any(owns_backward(tree) for _, tree in files.values())
        self._main = next(iter(files))
        self._names = {module: name for module, (name, _) in files.items()}
        self._readers = {m: ActReader(scope, program, has_backward) for m, scope in program.modules.items()}
        self._pieces = {module: pieces_by_name(files[module][1], scope) for module, scope in program.modules.items()}

    def findings(self, step: str) -> Iterator[Finding]:
        """The acts in all pieces that the step's name leads to."""
        seen = {(self._main, step)}
        waiting = [*seen]
        done: set[Piece] = set()
        while waiting:
            module, name = waiting.pop()
            for piece in self._pieces[module].get(name, ()):
                if piece in done:
                    continue
                done.add(piece)
                contents = self._readers[module].read(piece)
                for there, other in [*((module, each) for each in contents.reached), *contents.reached_elsewhere]:
                    if (there, other) not in seen and other in self._pieces[there]:
                        seen.add((there, other))
                        waiting.append((there, other))
                for act in contents.acts:
                    sentence = autograd_message if act.differentiates else names.out_of_bounds
                    message = sentence(act.line, act.what)
                    yield Finding(act.line, act.column, step, act.what, message, self._names[module])
