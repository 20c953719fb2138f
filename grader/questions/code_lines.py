"""Lines of code as answers: the inputs that they run on, the key's results, and whether two results agree."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from grader.errors import LessonError
from grader.questions.question import Question, hashed

LINE_FUNCTION = "line"
CODE_LINE_DRAWS = 3
CODE_LINE_RTOL, CODE_LINE_ATOL = 1e-9, 1e-12
GIVEN_SHAPE = re.compile(r"(?:\w+(?:\s*,\s*\w+)*,?)?|\w+\s*<\s*\w+")

Results = list[Any] | str
"""The results of a line on each of several inputs, or a sentence that says why it has none."""
RunLine = Callable[[str, Sequence[Mapping[str, Any]]], Results]


def module_of(line: str, names: Sequence[str]) -> str:
    """The text of a file whose function `line` evaluates one expression of these names."""
    start = "import torch\nimport torch.nn.functional as F\n\n\n"
    return f"{start}def {LINE_FUNCTION}({', '.join(names)}):\n    return ({line})\n"


def line_inputs(question: Question) -> list[dict[str, Any]]:
    """CODE_LINE_DRAWS inputs: a tensor of each given shape in float64; for "n < k" n whole numbers below k.

    No two names of sizes have the same size. Raises LessonError for a shape that cannot be read.
    """
    import torch  # takes a second to load, and few questions need it

    found = []
    for number in range(CODE_LINE_DRAWS):
        generator = torch.Generator().manual_seed(hashed(f"{question.name}/{number}") >> 16)
        free, sizes, values = (torch.randperm(7, generator=generator) + 2).tolist(), dict[str, int](), dict[str, Any]()
        for name, shape in question.given.items():
            if not GIVEN_SHAPE.fullmatch(shape.strip()):
                expected = 'expected "n, d" or "n < k"'
                raise LessonError(f"Question {question.name}: the shape {shape!r} cannot be read; {expected}.")
            parts = re.findall(r"\w+", shape)
            for part in parts:
                if part not in sizes:
                    sizes[part] = int(part) if part.isdigit() else free.pop()
            of = [sizes[part] for part in parts]
            values[name] = (
                torch.randint(of[1], of[:1], generator=generator)
                if "<" in shape
                else torch.randn(of, generator=generator, dtype=torch.float64)
            )
        found.append(values)
    return found


def trusted_results(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
    """Run a line of the course, in this process. A student's line is never run here."""
    module: dict[str, Any] = {}
    try:
        exec(compile(module_of(line, list(inputs[0])), "<questions.toml>", "exec"), module)
        return [module[LINE_FUNCTION](**copy.deepcopy(dict(each))) for each in inputs]
    except Exception as error:
        return f"`{line}` raises {type(error).__name__}: {error}"


def results_agree(found: Results, expected: Results) -> bool:
    """Whether both have all results, of the same shapes and, to rounding, with the same numbers."""
    if isinstance(found, str) or isinstance(expected, str) or len(found) != len(expected):
        return False
    import torch

    try:
        pairs = [[torch.as_tensor(each).detach() for each in pair] for pair in zip(found, expected, strict=True)]
        if any(each.is_complex() for pair in pairs for each in pair):
            return False
        pairs = [[each.to(torch.float64) for each in pair] for pair in pairs]
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return False
    return all(
        one.shape == other.shape and torch.allclose(one, other, rtol=CODE_LINE_RTOL, atol=CODE_LINE_ATOL)
        for one, other in pairs
    )
