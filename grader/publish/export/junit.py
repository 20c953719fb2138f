"""JUnit XML as Ant wrote it and Jenkins, GitLab and others read it: a suite for each lesson, a case for each row.

A wrong value is a failure, a line that raised (or hung, crashed, was not allowed) an error, one not written is skipped.
The order of elements and the attributes are those of https://github.com/windyroad/JUnit-Schema.
"""

from __future__ import annotations

from datetime import UTC, datetime
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from grader.publish.export.rows import explanation_lines, row_message
from grader.publish.inert import inert
from grader.results import BROKEN_STATUSES, STATUS_WORDS, UNWRITTEN, LessonResult, Row, SubmissionResult
from grader.results.wording import verdict_of_row


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
    count = {status: sum(row.status == status for row in rows) for status in STATUS_WORDS}
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
    for row in rows:
        add_case(suite, lesson.name, row)
    SubElement(suite, "system-out").text = inert(lesson.message or "")
    SubElement(suite, "system-err")


def add_case(suite: Element, lesson: str, row: Row) -> None:
    case = SubElement(suite, "testcase", name=row.name, classname=lesson, time="0")
    status = row.status
    if status in UNWRITTEN:
        SubElement(case, "skipped", message=row_message(row) or verdict_of_row(row))
    elif status != "passed":
        kind = "error" if status in BROKEN_STATUSES else "failure"
        element = SubElement(case, kind, type=status, message=row_message(row) or verdict_of_row(row))
        element.text = "\n".join(explanation_lines(row))
