"""The stub that students fill in. It is the solution without the answers between its markers.

In the harder, bare stub every gradient has empty parentheses, and no docstring lists what the gradient is computed
from: students write the names of forward values and upstream gradients themselves. A step requests its values by name,
so the grader treats both kinds of stub in the same way, and a file may mix them.
"""

from __future__ import annotations

import ast
import re

from grader.lesson.forward_statements import forward_lines
from grader.lesson.lesson import Lesson, LessonError
from grader.lesson.toml_tables import read_lesson_text
from grader.results.wording import format_shape

ANSWER_BEGIN, ANSWER_END = "# <answer>", "# </answer>"
ANSWER = re.compile(rf"^([ ]*){re.escape(ANSWER_BEGIN)}\n.*?^[ ]*{re.escape(ANSWER_END)}\n", re.DOTALL | re.MULTILINE)
TODO = r"\1# TODO: replace the next line by your own\n\1raise NotImplementedError\n"
READ_IN = "Where the forward pass reads it:"
"""The line of a generated docstring below which the forward pass is quoted."""
BARE_STUB_NOTE = (
    "# In this version of the file, the parentheses of every gradient are empty. Write the names that your line needs\n"
    "# between them: forward values (forward.py has all names), and upstream gradients with a `d` in front.\n"
)


def steps_of(lesson: Lesson) -> tuple[str, ...]:
    """The gradients that are written as one function each."""
    return () if lesson.joint else tuple(item.name for item in lesson.gradients)


def stub_of(lesson: Lesson) -> str:
    """The text of exercises/NN_name/backward.py. Raises LessonError for unpaired markers or a missing function."""
    path = lesson.solution / "backward.py"
    source = read_lesson_text(path)
    if source.count(ANSWER_BEGIN) != source.count(ANSWER_END) or not source.count(ANSWER_BEGIN):
        raise LessonError(f"{path}: every answer is between `{ANSWER_BEGIN}` and `{ANSWER_END}`; they do not pair.")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    missing = sorted({item.function for item in lesson.gradients} - functions.keys())
    if missing:
        raise LessonError(f"{path} has no function {', '.join(missing)}, which lesson.toml asks for.")
    lines = source.splitlines(keepends=True)
    for name in sorted(steps_of(lesson), key=lambda name: -functions[name].lineno):  # from the end of the file on
        if ast.get_docstring(functions[name]) is None:
            below = functions[name].lineno
            while not lines[below - 1].rstrip().endswith(":"):
                below += 1
            lines.insert(below, docstring(lesson, name.removeprefix("d")))
    stub = ANSWER.sub(TODO, "".join(lines))
    leaks = [line for line in stub.splitlines() if "answer>" in line]
    if leaks:
        raise LessonError(
            f"{path}: a marker would leak into the stub: {leaks[0].strip()!r}. Put each marker on a line of its own."
        )
    return stub


def docstring(lesson: Lesson, target: str) -> str:
    """What a function in a stub says: its gradient's shape, and the lines of the forward pass that read `target`."""
    shape, lines = format_shape(lesson.public.values[target].shape), forward_lines(lesson, target)
    body = "".join(f"        {line}\n" for line in lines)
    return f'    """The gradient with respect to `{target}`, of shape {shape}.\n\n    {READ_IN}\n\n{body}    """\n'


def bare_stub(lesson: Lesson, stub: str) -> str:
    """The lesson's stub with bare signatures; unchanged where one function returns all gradients, or there is none.

    Functions that are not gradients keep their parameters: their arguments are not requested by name.
    """
    if lesson.joint is not None or not lesson.gradients:
        return stub
    gradients = {item.function for item in lesson.gradients}
    lines, body = stub.splitlines(keepends=True), ast.parse(stub).body
    functions = [node for node in body if isinstance(node, ast.FunctionDef) and node.name in gradients]
    if not any(function.args.args for function in functions):
        return stub  # it is bare already
    for function in reversed(functions):
        first = function.body[0]
        text = ast.get_docstring(function)
        if text is not None and READ_IN in text:
            lines[first.lineno - 1 : first.end_lineno] = [f'    """{text.partition(READ_IN)[0].strip()}"""\n']
        lines[function.lineno - 1 : first.lineno - 1] = [f"def {function.name}():\n"]
    introduction = body[0].end_lineno if ast.get_docstring(ast.Module(body, [])) is not None else 0
    lines[introduction:introduction] = ["\n", BARE_STUB_NOTE] if introduction else [BARE_STUB_NOTE, "\n"]
    return "".join(lines)


def is_bare(lesson: Lesson) -> bool:
    """Whether the stub in the lesson's folder is a bare one."""
    try:
        return BARE_STUB_NOTE.encode() in lesson.pristine.read_bytes()
    except OSError:
        return False


def published_stub(lesson: Lesson, bare: bool | None = None) -> str:
    """The stub that students get: bare, or not; with None as the one in the lesson's folder is. Raises LessonError."""
    stub = stub_of(lesson)
    return bare_stub(lesson, stub) if (is_bare(lesson) if bare is None else bare) else stub
