"""The cause of a row: its line in the student's file, or another function of the student's that is wrong itself.

The line is that of a gradient, or of a misplaced function. `text` is the student's file.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from grader.lesson.definitions import definitions_of
from grader.lesson.lesson import Lesson
from grader.results import START_THERE, Row
from grader.results.wording import listed_as_code
from grader.source.own_functions import joint_gradients, nested_definitions, own_calls
from grader.source.reader import ReadingFailed, ReadingStopped, source_reader
from grader.source.similar_names import close_names
from grader.verdict.explain.edits.patterns import called_name
from grader.verdict.explain.explanation import UNNAMED_MULTIPLE

NAME_NO_CAUSE = frozenset(
    {"inner_gradient", "shapes_do_not_fit", "view_does_not_fit", "axis_out_of_range", "index_out_of_range"}
    | {"not_so_many_parts", "none_for_tensor", "list_for_tensor", "pair_for_tensor", "number_for_tensor"}
    | {UNNAMED_MULTIPLE, "wrong_pattern", "wrong_slope", "not_zero_elsewhere"}
)
"""Explanations that leave open which function is the cause."""


def locate_checks(lesson: Lesson, rows: Sequence[Row], source: bytes) -> None:
    """Write into checks without a line that of their function, or of their method of a class."""
    checks = {item.name: item for item in lesson.checks}
    for row in rows:
        if row.line is None and row.name in checks:
            row.line = next((each.lineno for each in definitions_of(checks[row.name], source)[::-1]), None)


def locate_gradients(lesson: Lesson, rows: list[Row], text: str) -> None:
    """Move wrong rows of a function that returns all gradients from its first line to where they are assigned last.

    Rows with the same message stay on the first line: one mistake has spoiled them all, somewhere above.
    """
    joint = lesson.joint
    if joint is None:
        return
    wrong = [r for r in rows if r.status in ("failed", "shape") and lesson.item_for(r.name).function == joint.name]
    if not wrong:
        return
    try:
        found = source_reader().call(joint_gradients, text, joint.name, list(joint.returns), [])
    except (ReadingStopped, ReadingFailed):
        return
    if found is None:
        return
    (first, gradients), times = found, Counter(row.message for row in wrong)
    for row in wrong:
        if row.line == first and times[row.message] == 1:
            row.line = gradients[row.name][0] or first


def explain_missing(lesson: Lesson, rows: list[Row], functions: Iterable[str], text: str) -> None:
    """Write into a missing row where its function is instead, or a similar name; `functions` are those of the file."""
    allowed = set(lesson.functions)
    missing = [row for row in rows if row.status == "missing" and row.message is None]
    names = list(dict.fromkeys(lesson.item_for(row.name).function for row in missing))
    if not names:
        return
    near = close_names(names, (name for name in functions if name not in allowed))
    inside: Mapping[str, tuple[int, str]] = {}
    with suppress(ReadingStopped):
        inside = source_reader().call(nested_definitions, text, names)
    for row in missing:
        name = lesson.item_for(row.name).function
        what = "class" if name[:1].isupper() and row.name != name else "function"
        if name in inside:
            row.line, where = inside[name]
            row.message = (
                f"`{name}` is defined inside {where}, so the file has no function of that name. Move it to the top "
                "level, without indentation."
            )
            continue
        guess = f"; did you mean `{near[name]}`? Rename it." if name in near else " in the file."
        row.message = f"There is no {what} `{name}`{guess}"


def move_errors(lesson: Lesson, rows: Sequence[Row], source: bytes) -> None:
    """Move errors out of functions that are right by themselves, to where they are called with other values."""
    wrong = {lesson.item_for(row.name).function for row in rows if row.status not in ("passed", "here")}
    functions = {item.function: found[0] for item in lesson.items if (found := definitions_of(item, source))}
    for row in (each for each in rows if each.status == "error" and "not right yet" not in (each.message or "")):
        user, line = lesson.item_for(row.name).function, row.line or 0
        failing = [name for name, each in functions.items() if each.lineno <= line <= (each.end_lineno or 0)]
        nodes = ast.walk(functions[user]) if user in functions and failing and failing[0] not in wrong else ()
        calls = [each.lineno for each in nodes if isinstance(each, ast.Call) and called_name(each) == failing[0]]
        if calls:
            what = f"Your `{failing[0]}` fails here, and it is right by itself: how does `{user}` call it?"
            row.line, row.message = min(calls), f"{what} {row.message}"
            row.mistake = row.mistake and row.mistake._replace(message=row.message)


def computed_with(functions: Sequence[str]) -> str:
    are = "which is" if len(functions) == 1 else "which are"
    return f"This is computed with your {listed_as_code(functions)}, {are} not right yet: {START_THERE}"


def name_wrong_functions(lesson: Lesson, rows: Sequence[Row], text: str) -> None:
    """Write into wrong rows which other wrong functions of the student's they are computed with.

    A gradient keeps the mistake that is named, and an error its text. A check's result may look like a mistake of its
    own, and comes from one in a function that it calls: that has rows of its own, and comes first. A function whose
    results are wrong only in their numbers causes no error and no wrong shape.
    """
    joint, of = lesson.joint, {row.name: lesson.item_for(row.name).function for row in rows}
    wrong = [row for row in rows if row.status in ("failed", "shape", "error")]
    functions = list(dict.fromkeys(of[row.name] for row in wrong))
    ill_shaped = [of[row.name] for row in wrong if row.status != "failed"]
    causes = {"failed": functions, "shape": ill_shaped, "error": ill_shaped}
    gradients = {item.name for item in lesson.gradients}
    forward = [row.name for row in wrong if joint and of[row.name] == joint.name and row.name not in gradients]
    doubtful = {row.name for row in wrong if row.name not in gradients and row.status != "error"}
    errors = [row for row in wrong if row.status == "error" and row.line]
    passed_on = {a.name for a in errors for b in errors if a.line == b.line and of[a.name] != of[b.name]}
    due = [r for r in wrong if r.mistake is None or r.mistake.id in NAME_NO_CAUSE or r.name in doubtful | passed_on]
    if not due or (len(functions) < 2 and not forward):
        return
    try:
        called = source_reader().call(own_calls, text, functions, functions)
        if joint is not None:
            found = source_reader().call(joint_gradients, text, joint.name, list(joint.returns), functions)
            called |= {name: behind for name, (_, behind) in found[1].items()} if found else {}
    except (ReadingStopped, ReadingFailed):
        return
    for row in due:
        own, is_joint = of[row.name], joint is not None and of[row.name] == joint.name
        in_general = row.status == "error" or not is_joint  # an error ends all gradients of one function
        names = [name for name in called.get(own if in_general else row.name, []) if name in causes[row.status]]
        names = [name for name in names if own not in (name, *called.get(name, []))]  # two may call each other
        if is_joint and row.status == "error" and len(names) != 1:
            continue
        if names and not any(f"`{name}` is not right yet" in (row.message or "") for name in names):
            uses = computed_with(names)
        elif is_joint and row.name in gradients and row.status != "error" and forward:
            uses = f"Your {listed_as_code(forward)} is wrong, too, and it comes first: {START_THERE}"
        else:
            continue
        if row.name in doubtful or (row.mistake is None and row.status != "error"):
            row.message, row.mistake = uses, None  # that it is wrong, and by how much, says nothing more
            continue
        row.message = f"{uses} {row.message}" if row.message else uses
        row.mistake = row.mistake and row.mistake._replace(message=row.message)
