"""JUnit XML as Ant wrote it and Jenkins, GitLab and others read it: a suite for each lesson, a case for each row.

A wrong value is a failure, a line that raised (or hung, crashed, was not allowed) an error, one not written is skipped.
The order of elements and the attributes are those of https://github.com/windyroad/JUnit-Schema.
"""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from grader.publish.export.rows import explanation_text
from grader.publish.inert import inert
from grader.publish.view import RowView
from grader.results import BROKEN_STATUSES, UNWRITTEN, LessonResult, SubmissionResult


def junit_xml(results: SubmissionResult, when: datetime | None = None) -> str:
    """The results of one submission. `when` they were written is given to the second, in UTC."""
    stamp = (when or datetime.now(UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    root = Element("testsuites")
    for number, lesson in enumerate(results.lessons):
        add_suite(root, number, inert(results.student), lesson, stamp)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False).join(
        ['<?xml version="1.0" encoding="UTF-8"?>\n', "\n"]
    )


def add_suite(root: Element, number: int, student: str, lesson: LessonResult, stamp: str) -> None:
    rows = lesson.rows
    count = Counter[str](row.status for row in rows)
    suite = SubElement(
        root,
        "testsuite",
        name=lesson.name,
        id=str(number),
        package=" ".join(student.split()),
        timestamp=stamp,
        hostname="localhost",  # what the schema asks for where there is nothing to tell
        tests=str(len(rows)),
        failures=str(count["failed"] + count["shape"]),
        errors=str(sum(count[status] for status in BROKEN_STATUSES)),
        skipped=str(sum(count[status] for status in UNWRITTEN)),
        time=f"{lesson.seconds:.3f}",
    )
    properties = SubElement(suite, "properties")
    for name, value in (("score", lesson.score), ("max_score", lesson.max_score)):
        SubElement(properties, "property", name=name, value=f"{value:g}")
    others = {row.name: row for row in rows}
    for row in rows:
        add_case(suite, lesson.name, RowView(row, others=others))
    SubElement(suite, "system-out").text = inert(lesson.message or "")
    SubElement(suite, "system-err")


def add_case(suite: Element, lesson: str, line: RowView) -> None:
    case = SubElement(suite, "testcase", name=line.row.name, classname=lesson, time="0")
    status, message = line.row.status, inert(line.message or line.word)
    if status in UNWRITTEN:
        SubElement(case, "skipped", message=message)
    elif status != "passed":
        kind = "error" if status in BROKEN_STATUSES else "failure"
        SubElement(case, kind, type=status, message=message).text = explanation_text(line)
