"""The card at the end of a lesson: points, tries, mistakes, other right forms of two lines, the next lesson."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.checked import Checked
from grader.dojo.desk import Desk
from grader.dojo.file import names_it_uses
from grader.dojo.overview import Paragraph, next_lines
from grader.dojo.progress import next_lesson
from grader.dojo.state_file import verdict_digest
from grader.lesson.lesson import Lesson
from grader.results import points_text
from grader.results.wording import count_text
from grader.source.parsing import parse_text

MAX_LINES_OF_OTHER_FORM = 6
"""Of a function that is shown as another form."""
MAX_FORMS, MAX_MISTAKES = 2, 3


def finish_lines(
    desk: Desk, checked: Checked, changed: Sequence[str] = (), by_key: bool = True
) -> Iterator[RenderableType]:
    """The card of a lesson of which nothing is wrong and nothing is left to write now.

    `changed` are the rows written last, whose other forms are shown first. `by_key`: keys lead to the next lesson.
    """
    lesson, progress, state = checked.lesson, checked.progress, desk.state_file.read()
    if progress.taught_later:
        yield from next_lines(progress)
    else:
        yield Text(f"That was the last row of lesson {lesson.number}.", "bold green")
    points = f"{points_text(progress.points_reached)} of {points_text(progress.max_score)} points"
    is_new = state.verdicts.get(lesson.name, ("", {}))[0] != verdict_digest(lesson, checked.submitted.files)
    tries, mistakes = state.tries.get(lesson.name, 0) + is_new, state.mistakes.get(lesson.name, {})
    by_count = sorted(mistakes.items(), key=lambda each: -each[1])[:MAX_MISTAKES]
    kinds = ", ".join(f"{mistake.replace('_', ' ')} {count}" for mistake, count in by_count)
    yield Paragraph(f"{points}; {count_text(tries, 'try', 'tries')}{f'; mistakes: {kinds}' if kinds else ''}.", "bold")
    functions = dict.fromkeys(
        lesson.item_for(row).function for row in sorted(progress.right, key=lambda row: row not in changed)
    )
    forms = ((function, form) for function in functions if (form := other_form(lesson, function, checked.source)))
    for function, form in islice(forms, MAX_FORMS):
        yield Text(f"Another right form of {function}:", "bold")
        yield from (Text(f"    {line}", no_wrap=True, overflow="ellipsis") for line in form.splitlines())
    following = next_lesson(desk.all_progress(checked), lesson.name)
    if following is None:
        yield Text("Nothing else is left to do: every lesson is done here.", "bold green")
        return
    other = following.lesson
    how = "n goes there" if by_key else f"dojo watch {other.number}"
    yield Text.assemble((f"Next: lesson {other.number} {other.title}", "bold"), (f"  {how}", "dim"))


def other_form(lesson: Lesson, function: str, own: str) -> str:
    """The shortest body of a function in solutions/NN_name/variants that differs from `own`; "" without solutions/.

    A body that needs something else of its file is left out.
    """
    found: dict[str, str] = {}
    for path in sorted((lesson.solution / "variants").glob("*.py")):
        source = path.read_text(encoding="utf-8")
        body = body_of(source, function)
        if body is not None:
            found.setdefault(shape_of(body[0]), body[1])
    mine = body_of(own, function) if found else None
    if mine is not None:
        found.pop(shape_of(mine[0]), None)
    return min(found.values(), key=lambda text: (text.count("\n"), len(text)), default="")


def body_of(source: str, function: str) -> tuple[list[ast.stmt], str] | None:
    """(the statements of a function without its docstring, their text); None if it is long or uses its neighbours."""
    tree = tree_of(source)
    definitions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    node = definitions.get(function)
    if node is None:
        return None
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    constants = {
        target.id
        for statement in tree.body
        if isinstance(statement, ast.Assign)
        for target in statement.targets
        if isinstance(target, ast.Name)
    }
    if not body or {*definitions, *constants} & names_it_uses(node) - {function}:
        return None
    lines = source.splitlines()[body[0].lineno - 1 : body[-1].end_lineno]
    if len(lines) > MAX_LINES_OF_OTHER_FORM:
        return None
    return body, "\n".join(line[node.body[0].col_offset :].rstrip() for line in lines)


@lru_cache(maxsize=16)
def tree_of(source: str) -> ast.Module:
    """A text that is not Python has no statements."""
    return parse_text(source) or ast.Module([], [])


def shape_of(body: Sequence[ast.stmt]) -> str:
    return "\n".join(map(ast.dump, body))
