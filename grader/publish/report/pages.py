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
from grader.publish.inert import csv_text, inert, markdown
from grader.publish.lesson_graph import lesson_figure
from grader.publish.report.classroom import (
    csv_rows,
    difficulties,
    incomplete,
    lesson_names,
    named_mistakes,
    note_about,
    report_link,
    triage,
    with_absent,
)
from grader.publish.report.decisions import sentences_about, sentences_about_lesson
from grader.publish.templates import page_templates
from grader.publish.view import STATES, LessonView, lesson_view, next_step
from grader.results import SubmissionResult
from grader.results.wording import date_text

NO_FACTS = ClassFacts()


class Reporter:
    """`lessons` give the graphs and the hints."""

    def __init__(self, lessons: Sequence[Lesson]) -> None:
        self._lessons = {lesson.name: lesson for lesson in lessons}

    def student_pages(self, graded: GradedSubmission, sources: Mapping[str, str] = {}) -> dict[str, str]:
        """See gradebook.grading.graded.Publisher; `sources` are {lesson: the student's text}, to quote their lines."""
        parts = [
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
        text = page_templates(markdown).get_template("report.md").render(report_context(graded.results, parts))
        return {"report.html": self.page_of(graded.results, parts), "report.md": text}

    def page_of(self, results: SubmissionResult, parts: Sequence[LessonView], live: int = 0) -> str:
        """The report of `results`, whose lessons are `parts`; `live` is the number of the check of a live page."""
        occurring = {line.state for part in parts for line in part.lines if part.results.status == "graded"}
        graphs = {part.results.name: lesson_figure(part.lesson) if part.lesson else None for part in parts}
        states = [state for state in STATES if state in occurring]
        shown = report_context(results, parts)
        return page_templates(inert).get_template("report.html").render(shown, graphs=graphs, states=states, live=live)

    def class_pages(
        self, results: Sequence[SubmissionResult], facts: ClassFacts, plain: MutableMapping[str, str]
    ) -> Iterator[tuple[str, str]]:
        """See gradebook.grading.graded.Publisher."""
        everyone = with_absent(results, facts)

        def guarded(render: Callable[[Sequence[SubmissionResult]], str]) -> str:
            return rendered(render, everyone, plain_results, lambda each, why: plain.update({each.student: why}))

        yield "grades.csv", guarded(lambda shown: csv_text(csv_rows(shown, facts.attendance)))
        yield "index.html", guarded(lambda shown: self.class_page(shown, facts, plain))

    def class_page(
        self, results: Sequence[SubmissionResult], facts: ClassFacts = NO_FACTS, plain: Collection[str] = ()
    ) -> str:
        """index.html over all students' results.json; `plain` are those whose report or row is plain."""
        scored = [result.percent for result in results if result.score_or_none is not None]
        shown = {
            "students": results,
            "reported": {result.student for result in results if result.has_report},
            "note_about": note_about,
            "report_link": report_link,
            "date_text": date_text,
            "assignment": next((result.assignment for result in results if result.assignment), None),
            "remarks": facts.attendance.remarks if facts.attendance else (),
            "incomplete": [*incomplete(results, facts.present), *([fault_sentence(plain)] if plain else [])],
            "triage": triage(results),
            "lessons": lesson_names(results),
            "titles": {name: lesson.title for name, lesson in self._lessons.items()},
            "median": statistics.median(scored) if scored else None,
            "scored": scored,
            "histogram": [sum(min(int(percent // 10), 9) == bin for percent in scored) for bin in range(10)],
            "difficulties": difficulties(results),
            "mistakes": named_mistakes(results),
            "left_out": facts.left_out,
            "isolation": Counter(each.isolation for each in results if not each.is_absent).most_common(),
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
