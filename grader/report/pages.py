"""What people look at: a student's report as a page and as Markdown, the class's page, grades.csv.

Every text in a page passes `inert` and Jinja's escaping, every text in Markdown passes `markdown`: a name, a message, a
line of code or printed output can show anything and do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from grader.grading.session import Graded
from grader.lesson import Lesson
from grader.paths import TEMPLATES
from grader.report.classroom import absences, difficulties, duration, lesson_names, link, mistakes
from grader.report.drawing import SCALE, Layout, layout_of
from grader.report.inert import code, inert, markdown, prose
from grader.report.reading import UNWRITTEN, WRONG, Part, Results, next_step, part
from grader.report.scores import number, percent

MOST_NAMES = 40


@cache
def layout(lesson: Lesson) -> Layout | None:
    return layout_of(lesson) if lesson.gradients else None


def shape(sizes: Sequence[int] | None) -> str:
    return "–" if sizes is None else "(" + ", ".join(map(str, sizes)) + ("," if len(sizes) == 1 else "") + ")"


def figure(value: float | None) -> str:
    """A count in full while it is short, else two digits."""
    if value is None or value == 0:
        return "–" if value is None else "0"
    return f"{value:,}" if isinstance(value, int) and value < 1_000_000 else f"{value:.2g}"


class Reporter:
    """`lessons` give the graphs and the hints; the templates are compiled once."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self._lessons = {lesson.name: lesson for lesson in lessons}
        loader = FileSystemLoader(TEMPLATES)
        filters = {
            "shape": shape,
            "figure": figure,
            "score": lambda value: f"{number(value):g}",
            "six": lambda value: f"{value:.6g}",
        }
        filters |= {"duration": duration, "link": link}

        def environment(written: Callable[[str], str], name: Callable[[str], Markup]) -> Environment:
            made = Environment(
                loader=loader,
                autoescape=True,
                undefined=StrictUndefined,
                trim_blocks=True,
                lstrip_blocks=True,
                # whatever a template puts out passes here first, so that none can forget it
                finalize=lambda v: written(v) if isinstance(v, str) and not isinstance(v, Markup) else v,
            )
            made.globals["heat_scale"] = SCALE
            made.filters |= {**filters, "name": name, "prose": prose if name is code else markdown}
            return made

        page, text = environment(inert, code), environment(markdown, lambda text: markdown(f"`{text}`"))
        self._student, self._class = page.get_template("report.html"), page.get_template("index.html")
        self._markdown = text.get_template("report.md")
        self._script = Markup((TEMPLATES / "index.js").read_text(encoding="utf-8"))

    def _parts(self, graded: Graded, sources: Mapping[str, str]) -> list[Part]:
        lessons = graded.results["lessons"]
        return [part(each, self._lessons.get(each["name"]), graded, sources.get(each["name"], "")) for each in lessons]

    def student_page(self, graded: Graded, sources: Mapping[str, str] = {}) -> str:
        """report.html; `sources` are {lesson: the student's text}, to quote their own lines."""
        parts = self._parts(graded, sources)
        layouts = {part.results["name"]: layout(part.lesson) if part.lesson else None for part in parts}
        occurring = {line.state for part in parts for line in part.lines if part.results["status"] == "graded"}
        return self._student.render(
            results=graded.results,
            parts=parts,
            next=next_step(parts),
            layouts=layouts,
            most_nodes=max((len(each.nodes) for each in layouts.values() if each), default=0),
            states=[state for state in ("passed", "chain", *WRONG, *UNWRITTEN, "hidden") if state in occurring],
            percent=percent(graded.results),
        )

    def student_markdown(self, graded: Graded) -> str:
        """report.md, for a job summary or a comment."""
        parts = self._parts(graded, {})
        return self._markdown.render(results=graded.results, parts=parts, next=next_step(parts))

    def class_page(self, results: Sequence[Results]) -> str:
        """index.html over all students' results.json."""
        digest = base64.b64encode(hashlib.sha256(str(self._script).encode()).digest()).decode()
        scores = [percent(result) for result in results if result["status"] != "error"]
        return self._class.render(
            results=results,
            lessons=lesson_names(results),
            titles={name: lesson.title for name, lesson in self._lessons.items()},
            percents=[percent(result) for result in results],
            median=statistics.median(scores) if scores else None,
            histogram=[sum(min(int(score // 10), 9) == bin for score in scores) for bin in range(10)],
            difficulties=difficulties(results),
            mistakes=mistakes(results),
            absences=absences(results),
            isolation=Counter(result["isolation"] for result in results).most_common(),
            seconds=[result["seconds"] for result in results],
            most_names=MOST_NAMES,
            script=self._script,
            digest=digest,
        )
