"""The harder stub: every gradient has empty parentheses, and no docstring lists what the gradient is computed from.

Students write the names of forward values and upstream gradients between the parentheses themselves. A step requests
its values by name, so the grader treats both kinds of stub in the same way, and a file may mix them.
"""

from __future__ import annotations

import ast

from grader.lesson.lesson import Lesson

READ_IN = "Where the forward pass reads it:"
"""The line of a generated docstring below which the forward pass is quoted."""
BARE_STUB_NOTE = (
    "# In this version of the file, the parentheses of every gradient are empty. Write the names that your line needs\n"
    "# between them: forward values (forward.py has all names), and upstream gradients with a `d` in front.\n"
)


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
