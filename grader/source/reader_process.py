"""The process that reads source text, under limits of time and memory: see source_reader.py, which starts it.

in: a line of JSON, {"task", "arguments", "sizes"}, then as many texts as there are sizes, as bytes
out: a line of JSON, {"answer": ...}, {"stopped": why} or {"failed": an error of ours}

It imports neither torch nor anything of a student's, and it holds no secret.
"""

from __future__ import annotations

import contextlib
import gc
import json
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import IO, Any

MEMORY = "memory"


def static_check(
    texts: Sequence[bytes], filename: str, entry_points: Sequence[str], neighbours: Sequence[str]
) -> list[list[Any]]:
    """`texts`: the graded file, then its neighbours in the order of their names."""
    from grader.sandbox.policy.static_check import check

    found = check(texts[0], filename, entry_points, dict(zip(neighbours, texts[1:], strict=True)))
    return [[each.line, each.column, each.step, each.what, each.message, each.filename] for each in found]


def numerical(
    texts: Sequence[bytes],
    filename: str,
    rows: Mapping[str, tuple[str, list[str]]],
    neighbours: Sequence[str],
) -> list[list[Any]]:
    """`texts`: the graded file, then its neighbours in the order of their names."""
    from grader.sandbox.policy.numerical import observe

    found = observe(texts[0], filename, rows, dict(zip(neighbours, texts[1:], strict=True)))
    return [[each.row, each.method, each.line, each.filename] for each in found]


def lines_of_changes(texts: Sequence[bytes], changes: Sequence[tuple[str, list[str]]]) -> list[int | None]:
    from grader.source.in_place_changes import lines_of_changes

    return lines_of_changes(texts[0].decode("utf-8", errors="replace"), changes)


def contents_of(texts: Sequence[bytes], functions: Sequence[str]) -> dict[str, Any]:
    from grader.verdict.diagnosis.repairs.edits import contents_of

    return contents_of(texts[0].decode("utf-8", errors="replace"), functions)


def nested_definitions(texts: Sequence[bytes], names: Sequence[str]) -> dict[str, Any]:
    from grader.source.nested_definitions import nested_definitions

    return nested_definitions(texts[0].decode("utf-8", errors="replace"), names)


def edits_of(
    texts: Sequence[bytes], function: str, named: str, known: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[str]]:
    from grader.verdict.diagnosis.repairs.edits import Known, edits_of

    found, changed = edits_of(texts[0].decode("utf-8", errors="replace"), function, named, Known(**known))
    return [asdict(edit) for edit in found], changed


def notebook(
    texts: Sequence[bytes], shown: str, is_notebook: bool, lessons: Sequence[Mapping[str, Any]], functions: bool
) -> dict[str, Any]:
    """What a notebook or script holds for each of the lessons (`NotebookLesson.to_dict`).

    `refused` says why nothing of it is read; `defined` are its functions, None where there are too many statements.
    """
    from grader.intake.notebook.cells import NotebookError, cells_of, script_cells
    from grader.intake.notebook.reading import read_for
    from grader.intake.notebook.script import Page, script_of
    from grader.lesson.notebook_table import NotebookLesson

    try:
        cells = cells_of(texts[0], shown) if is_notebook else script_cells(texts[0], shown)
    except NotebookError as error:
        return {"refused": str(error)}
    page = Page(cells)
    answer: dict[str, Any] = {"cells": len(cells), "texts": {cell.file: cell.text for cell in cells}, "lessons": {}}
    for data in lessons:
        lesson = NotebookLesson.from_dict(data)
        try:
            reading = read_for(lesson, page, shown, functions)
        except NotebookError as error:
            answer["lessons"][lesson.name] = {"refused": str(error)}
            continue
        origin = reading.origin
        answer["lessons"][lesson.name] = {
            "source": None if reading.source is None else reading.source.decode("utf-8", "surrogatepass"),
            "message": reading.message,
            "lines": list(origin.lines.items()),
            "texts": bool(origin.texts),
            "missing": dict(origin.missing),
            "rows": dict(origin.rows),
            "sizes": origin.sizes,
            "numbers": dict(origin.numbers),
            "remarks": dict(origin.remarks),
            "uncounted": list(origin.uncounted),
            "attempted": reading.attempted,
        }
    try:
        answer["defined"] = sorted(script_of(page, ()).functions)
    except NotebookError as error:
        answer["defined"], answer["too_much"] = None, str(error)
    return answer


TASKS: dict[str, Callable[..., Any]] = {
    "static_check": static_check,
    "numerical": numerical,
    "lines_of_changes": lines_of_changes,
    "nested_definitions": nested_definitions,
    "contents_of": contents_of,
    "edits_of": edits_of,
    "notebook": notebook,
}


def limit_memory(size: int) -> None:
    """So that an allocation above it fails; nothing where the system has no such limit."""
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def set_timer(seconds: float) -> None:
    """Ends this process after so many seconds of processor time; 0 stops the timer. Nothing where there is none."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def serve(requests: IO[bytes], replies: IO[bytes], seconds: float, memory: int) -> None:
    """Answers one request after another until there are no more."""
    limit_memory(memory)
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process wherever it is, a regular expression say
    gc.disable()  # a tree has a million objects, and none of them is garbage while it is read
    while line := requests.readline():
        request = json.loads(line)
        texts = [requests.read(size) for size in request["sizes"]]
        set_timer(seconds)
        try:
            reply = {"answer": TASKS[request["task"]](texts, **request["arguments"])}
            data = json.dumps(reply).encode()
        except MemoryError:
            data = json.dumps({"stopped": MEMORY}).encode()
        except Exception as error:
            data = json.dumps({"failed": f"{type(error).__name__}: {error}"}).encode()
        set_timer(0)
        replies.write(data + b"\n")
        replies.flush()
        if sum(request["sizes"]) > 20_000:
            gc.collect()
