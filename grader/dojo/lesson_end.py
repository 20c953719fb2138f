"""What a student reads at the end of a lesson: what it taught, other right forms of a row, the next lesson."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Checked, Desk
from grader.dojo.file import names_it_uses, read_ordinary
from grader.dojo.overview import LIST_INDENT, Paragraph, next_lines
from grader.dojo.progress import next_lesson
from grader.lesson.lesson import Lesson
from grader.source.parsing import parse_text

GOALS_HEADING = "What you will be able to do"
"""The heading of the part of a lesson's README.md that says what it teaches."""
MAX_LINES_OF_OTHER_FORM = 6
"""Of a function that is shown as another form."""
MAX_FORMS = 2


def finish_lines(
    desk: Desk, checked: Checked, changed: Sequence[str] = (), by_key: bool = True
) -> Iterator[RenderableType]:
    """The summary of a lesson of which nothing is wrong and nothing is left to write now.

    `changed` are the rows written last, whose other forms are shown first. `by_key`: keys lead to the next lesson.
    """
    lesson = checked.lesson
    if checked.progress.taught_later:
        yield from next_lines(checked.progress)
    else:
        yield Text(f"That was the last row of lesson {lesson.number}.", "bold green")
        if taught := what_it_taught(lesson.exercise / "README.md"):
            yield Text("The goal of this lesson was:", "bold")
            yield Paragraph(taught, indent=LIST_INDENT)
    right = checked.progress.right
    for row in sorted(right, key=lambda row: row not in changed):
        forms = other_forms(lesson, lesson.item_for(row).function, checked.source)
        if len(forms) == MAX_FORMS:
            yield Text(f"Two other right forms of {row}:", "bold")
            for number, form in enumerate(forms):
                yield from [""] if number else []
                yield from (Text(f"    {line}", no_wrap=True, overflow="ellipsis") for line in form.splitlines())
            break
    following = next_lesson(desk.all_progress(checked), lesson.name)
    if following is None:
        yield Text("Nothing else is left to do: every lesson is done here.", "bold green")
        return
    other = following.lesson
    how = "n goes there" if by_key else f"dojo watch {other.number}"
    yield Text.assemble((f"Next: lesson {other.number} {other.title}", "bold"), (f"  {how}", "dim"))


def what_it_taught(readme: Path) -> str:
    """The text under GOALS_HEADING, as one paragraph without Markdown's signs; "" where there is none."""
    try:
        text = read_ordinary(readme).decode()
    except (OSError, UnicodeDecodeError):
        return ""
    found = re.search(rf"^#+ {re.escape(GOALS_HEADING)}\s*\n(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    words = " ".join(found[1].split()) if found else ""
    words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", words)
    return re.sub(r"(?<![\w*])\*+([^*]+)\*+(?![\w*])", r"\1", words)


def other_forms(lesson: Lesson, function: str, own: str) -> list[str]:
    """The shortest bodies of a function in solutions/NN_name/variants that differ from each other and from `own`.

    A body that needs something else of its file is left out. Empty without solutions/.
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
    return sorted(found.values(), key=lambda text: (text.count("\n"), len(text)))[:MAX_FORMS]


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
