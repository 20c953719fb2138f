"""Lines of code as answers: the inputs that they run on, the key's results, and whether two results agree."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from grader.errors import LessonError
from grader.questions.question import Question

if TYPE_CHECKING:  # torch takes a second to load, and few questions need it
    import torch

LINE_FUNCTION = "line"
CODE_LINE_DRAWS = 3
CODE_LINE_RTOL, CODE_LINE_ATOL = 1e-9, 1e-12
SIZE = re.compile(r"[a-z]\w*|\d+")

Results = list[Any] | str
"""The results of a line on each of several inputs, or a sentence that says why it has none."""
RunLine = Callable[[str, Sequence[Mapping[str, Any]]], Results]


def module_of(line: str, names: Sequence[str]) -> str:
    """The text of a file whose function `line` evaluates one expression of these names."""
    start = "import torch\nimport torch.nn.functional as F\n\n\n"
    return f"{start}def {LINE_FUNCTION}({', '.join(names)}):\n    return ({line})\n"


def line_inputs(question: Question) -> list[dict[str, Any]]:
    """CODE_LINE_DRAWS inputs with different sizes. Raises LessonError for a shape that cannot be read."""
    import torch

    found = []
    for number in range(CODE_LINE_DRAWS):
        seed = int.from_bytes(hashlib.sha256(f"{question.name}/{number}".encode()).digest()[:6])
        generator = torch.Generator().manual_seed(seed)
        sizes: dict[str, int] = {}
        found.append({name: drawn_value(shape, sizes, generator, question) for name, shape in question.given.items()})
    return found


def drawn_value(shape: str, sizes: dict[str, int], generator: torch.Generator, question: Question) -> Any:
    """A tensor of `shape` in float64; of "n < k" n whole numbers below k; of "size n" the number n itself.

    A size that occurs for the first time is drawn, different from those before it.
    """
    import torch

    def size(name: str) -> int:
        if name.isdigit():
            return int(name)
        if name not in sizes:
            free = [each for each in range(2, 9) if each not in sizes.values()]
            sizes[name] = free[int(torch.randint(len(free), (), generator=generator))]
        return sizes[name]

    parts = SIZE.findall(shape)
    if shape.startswith("size ") and len(parts) == 2:
        return size(parts[1])
    if "<" in shape and len(parts) == 2:
        return torch.randint(size(parts[1]), (size(parts[0]),), generator=generator)
    if re.sub(r"[\s,]", "", shape) != "".join(parts):
        raise LessonError(f'Question {question.name}: the shape {shape!r} cannot be read; expected "n, d" or "n < k".')
    return torch.randn([size(part) for part in parts], generator=generator, dtype=torch.float64)


def trusted_results(line: str, inputs: Sequence[Mapping[str, Any]]) -> Results:
    """Run a line of the course, in this process. A student's line is never run here."""
    module: dict[str, Any] = {}
    try:
        exec(compile(module_of(line, list(inputs[0])), "<questions.toml>", "exec"), module)
        return [module[LINE_FUNCTION](**copies(each)) for each in inputs]
    except Exception as error:
        return f"`{line}` raises {type(error).__name__}: {error}"


def copies(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value.clone() if hasattr(value, "clone") else value for name, value in values.items()}


def results_agree(found: Sequence[Any], expected: Sequence[Any]) -> bool:
    """Whether all results have the same shapes and, to rounding, the same numbers."""
    return len(found) == len(expected) and all(map(result_agrees, found, expected))


def result_agrees(found: Any, expected: Any) -> bool:
    import torch

    try:
        one, other = (torch.as_tensor(each).detach() for each in (found, expected))
        if one.is_complex() or other.is_complex():
            return False
        one, other = one.to(torch.float64), other.to(torch.float64)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return False
    return one.shape == other.shape and torch.allclose(one, other, rtol=CODE_LINE_RTOL, atol=CODE_LINE_ATOL)
