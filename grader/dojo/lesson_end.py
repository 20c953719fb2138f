"""The card at the end of a lesson: points, tries, mistakes, other right forms of two lines, the next lesson."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from rich.console import RenderableType
from rich.text import Text

from grader.dojo.desk import Desk
from grader.dojo.overview import Paragraph
from grader.dojo.progress import Checked, next_lesson
from grader.lesson.lesson import Lesson
from grader.results import points_text
from grader.results.wording import count_text
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, is_text, names_in, stored_names

MAX_LINES_OF_OTHER_FORM = 6
MAX_FORMS, MAX_MISTAKES = 2, 3


def finish_lines(desk: Desk, checked: Checked, by_key: bool = True) -> Iterator[RenderableType]:
    """The card of a lesson of which nothing is wrong, and nothing is left to write that was taught.

    `by_key`: keys lead to the next lesson.
    """
    lesson, progress, state = checked.lesson, checked.progress, desk.state_file.read()
    yield Text(f"That was the last row of lesson {lesson.number}.", "bold green")
    if later := progress.taught_later:
        waiting = ", ".join(f"{row} after lesson {teacher}" for row, teacher in later.items())
        yield Paragraph(f"For later: {waiting}. Or try it now, with hints.", "dim")
    points = f"{points_text(progress.points_reached)} of {points_text(lesson.max_score)} points"
    by_count = sorted(state.mistakes.get(lesson.name, {}).items(), key=lambda each: -each[1])[:MAX_MISTAKES]
    kinds = ", ".join(f"{mistake.replace('_', ' ')} {count}" for mistake, count in by_count)
    tries = count_text(state.tries.get(lesson.name, 0), "try", "tries")
    yield Paragraph(f"{points}; {tries}{f'; mistakes: {kinds}' if kinds else ''}.", "bold")
    functions = dict.fromkeys(lesson.item_for(row).function for row in progress.having("passed"))
    forms = ((function, form) for function in functions if (form := other_form(lesson, function, checked.source)))
    for function, form in islice(forms, MAX_FORMS):
        yield Text(f"Another right form of {function}:", "bold")
        yield from (Text(f"    {line}", no_wrap=True, overflow="ellipsis") for line in form.splitlines())
    following = next_lesson(desk.all_progress(), lesson.name)
    if following is None:
        yield Text("Nothing else is left to do: every lesson is done here.", "bold green")
        return
    how = "n goes there" if by_key else f"dojo watch {following.lesson.number}"
    yield Text.assemble(
        (f"Next: lesson {following.lesson.number} {following.lesson.title}", "bold"), (f"  {how}", "dim")
    )


def other_form(lesson: Lesson, function: str, own: str) -> str:
    """The shortest body of a function in solutions/NN_name/variants that differs from `own`; "" without solutions/."""
    variants = (path.read_text(encoding="utf-8") for path in sorted((lesson.solution / "variants").glob("*.py")))
    forms = {
        form for source in variants if 0 < (form := form_of(source, function)).count("\n") < MAX_LINES_OF_OTHER_FORM
    }
    return min(forms - {form_of(own, function)}, key=lambda form: (form.count("\n"), len(form), form), default="")


def form_of(source: str, function: str) -> str:
    """The body of a function, a line for each statement; "" where it uses other parts of its file."""
    tree = parse_text(source) or ast.Module([], [])
    defined = {each.name for each in tree.body if isinstance(each, FunctionDefinition)} | stored_names(tree)
    for node in tree.body:
        if isinstance(node, FunctionDefinition) and node.name == function:
            given = {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
            if not names_in(node) & defined - given - {function}:
                return "".join(f"{ast.unparse(each)}\n" for each in node.body if not is_text(each))
    return ""
