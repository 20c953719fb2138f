"""What people look at: a student's report as a page and as Markdown, the class's page, grades.csv.

Every text in a page passes `inert` and Jinja's escaping, every text in Markdown passes `markdown`: a name, a message, a
line of code or printed output can show anything and do nothing.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, MutableMapping, Sequence
from typing import Any

from grader.gradebook.grading.graded import ClassFacts, GradedSubmission
from grader.gradebook.guarded import fault_sentence, plain_results, rendered
from grader.lesson.lesson import Lesson
from grader.publish.inert import inert, markdown
from grader.publish.lesson_graph import lesson_figure
from grader.publish.report.classroom import (
    csv_text,
    difficulties,
    incomplete,
    is_absent,
    lesson_names,
    named_mistakes,
    report_link,
    student_row,
    triage,
    with_absent,
)
from grader.publish.report.decisions import date_text, sentences_about, sentences_about_lesson
from grader.publish.templates import page_templates
from grader.publish.view import STATES, LessonView, lesson_view, next_step
from grader.results import SubmissionResult

MAX_NAMES_ON_PAGE = 40
NO_FACTS = ClassFacts()
AT_ONCE = 100  # rows of the class that a browser lays out before its script has run


class Reporter:
    """`lessons` give the graphs and the hints."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self._lessons = {lesson.name: lesson for lesson in lessons}

    def _parts(self, graded: GradedSubmission, sources: Mapping[str, str]) -> list[LessonView]:
        return [
            lesson_view(
                each,
                self._lessons.get(each.name),
                sources.get(each.name, ""),
                graded.texts,
                graded.pictures.get(each.name, {}),
                "\n".join(graded.shown.get(each.name, ())),
            )
            for each in graded.results.lessons
        ]

    def waiting_page(self) -> str:
        """What the live page shows before the first check."""
        return page_templates(inert).get_template("live.html").render()

    def student_page(self, graded: GradedSubmission, sources: Mapping[str, str] = {}) -> str:
        """report.html; `sources` are {lesson: the student's text}, to quote their own lines."""
        return self.page_of(graded.results, self._parts(graded, sources))

    def page_of(self, results: SubmissionResult, parts: Sequence[LessonView], live: int = 0) -> str:
        """The report of `results`, whose lessons are `parts`; `live` is the number of the check of a live page."""
        occurring = {line.state for part in parts for line in part.lines if part.results.status == "graded"}
        names = [part.results.name for part in parts]
        graphs = {name: lesson_figure(self._lessons[name]) if name in self._lessons else None for name in names}
        states = [state for state in STATES if state in occurring]
        shown = report_context(results, parts)
        return page_templates(inert).get_template("report.html").render(shown, graphs=graphs, states=states, live=live)

    def student_markdown(self, graded: GradedSubmission) -> str:
        """report.md, for a job summary or a comment."""
        context = report_context(graded.results, self._parts(graded, {}))
        return page_templates(markdown).get_template("report.md").render(context)

    def student_pages(self, graded: GradedSubmission, sources: Mapping[str, str]) -> dict[str, str]:
        """See gradebook.grading.graded.Publisher."""
        return {"report.html": self.student_page(graded, sources), "report.md": self.student_markdown(graded)}

    def class_pages(
        self, results: Sequence[SubmissionResult], facts: ClassFacts, plain: MutableMapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """See gradebook.grading.graded.Publisher."""
        everyone = with_absent(results, facts)

        def guarded(render: Callable[[Sequence[SubmissionResult]], str]) -> str:
            return rendered(render, everyone, plain_results, lambda each, why: plain.update({each.student: why}))

        yield "grades.csv", guarded(lambda shown: csv_text(shown, facts.attendance))
        yield "index.html", guarded(lambda shown: self.class_page(shown, facts, plain))

    def class_page(
        self, results: Sequence[SubmissionResult], facts: ClassFacts = NO_FACTS, plain: Collection[str] = ()
    ) -> str:
        """index.html over all students' results.json; `plain` are those whose report or row is plain."""
        lessons = lesson_names(results)
        students = [student_row(result, lessons) for result in results]
        scores = [one.percent for one in students if one.percent is not None]
        shown = {
            "students": students,
            "report_link": report_link,
            "date_text": date_text,
            "assignment": next((result.assignment for result in results if result.assignment), None),
            "remarks": facts.attendance.remarks if facts.attendance else (),
            "incomplete": [*incomplete(results, facts.present), *([fault_sentence(plain)] if plain else [])],
            "triage": triage(results),
            "at_once": AT_ONCE,
            "lessons": lessons,
            "titles": {name: lesson.title for name, lesson in self._lessons.items()},
            "median": statistics.median(scores) if scores else None,
            "full": sum(score >= 100 for score in scores),
            "not_graded": sum(result.status in ("rejected", "error") for result in results),
            "histogram": [sum(min(int(score // 10), 9) == bin for score in scores) for bin in range(10)],
            "difficulties": difficulties(results),
            "mistakes": named_mistakes(results),
            "left_out": facts.left_out,
            "isolation": Counter(each.isolation for each in results if not is_absent(each)).most_common(),
            "most_names": MAX_NAMES_ON_PAGE,
        }
        return page_templates(inert).get_template("index.html").render(shown)


def report_context(results: SubmissionResult, parts: Sequence[LessonView]) -> dict[str, Any]:
    """What report.html and report.md both show."""
    return {
        "results": results,
        "sentences": sentences_about(results),
        "sentences_about_lesson": sentences_about_lesson,
        "parts": parts,
        "next": next_step(parts),
        "gradients": any(part.has_gradients for part in parts if part.results.status == "graded"),
    }
