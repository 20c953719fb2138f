"""The live page's text: the page itself once, a board for each check, and one gradient of it at a time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from markupsafe import Markup

from grader.dojo.desk import Checked
from grader.dojo.file import outline_of_text
from grader.dojo.live.gradient import gradient_view
from grader.dojo.screen import tally
from grader.dojo.view import View
from grader.lesson.paths import BACKWARD_FILE, TEMPLATES
from grader.publish.excerpt import Lines, excerpt
from grader.publish.graph import layouts_of
from grader.publish.inert import inert
from grader.publish.layout import Layout
from grader.publish.report.pages import report_templates
from grader.publish.view import LessonView
from grader.sandbox.isolation.probe import Isolation

MAX_NODES_WITH_A_TOOLTIP = 200
"""Boxes of a graph that show what they know when the pointer is on them."""
MAX_FORWARD_LINES_ON_PAGE = 6
"""Lines of the forward pass next to a gradient."""

drawings_of = cache(layouts_of)


@dataclass(frozen=True)
class Board:
    """A check as the page shows it. Everything is computed at most once, when the page first asks for it."""

    view: View
    number: int
    isolation: Isolation
    at: float = field(default_factory=time.time)

    @property
    def checked(self) -> Checked | None:
        return self.view.checked

    @property
    def part(self) -> LessonView | None:
        return None if self.checked is None else self.checked.part

    @property
    def drawings(self) -> tuple[Layout, ...]:
        return drawings_of(self.view.lesson) if self.view.lesson.gradients else ()

    @property
    def time(self) -> str:
        return time.strftime("%H:%M:%S", time.localtime(self.at))


class LivePage:
    """Renders what a browser asks for. Every text passes `inert` and Jinja's escaping, as in the report."""

    def __init__(self) -> None:
        templates = report_templates(inert)
        self._frame = templates.get_template("live.html")
        self._parts = templates.get_template("live_parts.html").module
        names = ("live.js", "live_questions.js", "report.js")
        script = "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)
        self._script = Markup(script.replace('"use strict";', ""))

    def frame(self, nonce: str) -> str:
        """The page without any content; only scripts and styles with `nonce` may run in it."""
        return self._frame.render(nonce=nonce, script=self._script, most_nodes=MAX_NODES_WITH_A_TOOLTIP)

    def board(self, board: Board) -> dict[str, Any]:
        """What a check found, as JSON for live.js; texts that begin with `<` are HTML."""
        view, part, checked = board.view, board.part, board.checked
        macros: Any = self._parts
        runs = checked is not None and checked.judged.runs
        counts = tally(checked.progress) if checked is not None and runs else ""
        share = 100 * len(checked.progress.reached) / len(checked.progress.items) if checked is not None and runs else 0
        found = {
            "number": board.number,
            "lesson": view.lesson.name,
            "title": f"{view.lesson.number} {counts.partition(' · ')[0] or view.lesson.title} · Backprop Ninja",
            "words": "Checked" if runs else "The file does not run. Checked",
            "time": board.time,
            "rows": [],
            "message": "",
            "top": macros.top(view.lesson, view.file, counts, round(share, 1)),
            "graph": "",
            "table": "",
        }
        if part is None or checked is None:
            return found | {"words": "Nothing is checked yet: opened"}
        found["graph"] = macros.graph(part, board.drawings)
        if not runs:
            return found | {"message": macros.broken(part)}
        found["table"] = macros.rows(part)
        found["rows"] = [{"name": each.row.name, "word": each.word, "anchor": each.anchor} for each in part.lines]
        return found

    def gradient(self, board: Board, row: str, place: tuple[int, int] | None, in_chain: bool) -> str:
        """One row of the check. Raises KeyError where there is no such row."""
        part, checked = board.part, board.checked
        if part is None or checked is None or not checked.judged.runs:
            raise KeyError(row)
        lines = {line.row.name: (number, line) for number, line in enumerate(part.lines, 1)}
        number, line = lines[row]
        item = line.item
        assert item is not None
        source = checked.text_of(line.row)
        at = line.row.line
        function = at or outline_of_text(checked.submitted.files[BACKWARD_FILE]).line(item)
        macros: Any = self._parts
        return str(
            macros.gradient(
                part,
                line,
                number,
                len(lines),
                gradient_view(checked, item, place, in_chain),
                line.excerpt or excerpt(Lines(source), item.function, function),
                at,
                line.forward[:MAX_FORWARD_LINES_ON_PAGE],
            )
        )


def news_of_view(view: View, board: Mapping[str, Any] | None) -> dict[str, Any]:
    """One event for live.js: what is going on, and the board if the browser does not have it yet."""
    return {
        "running": view.running,
        "outdated": view.outdated,
        "trouble": view.trouble,
        "focus": view.focus,
        "board": board,
    }
