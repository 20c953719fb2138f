"""The reports: what they say, that one file holds all of it, and that nothing a student wrote does anything in them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from made_results import lesson as part
from made_results import results, row
from support import ROOT

from grader.gradebook.grading.graded import GradedSubmission
from grader.lesson.lesson import Course, Lesson
from grader.publish.excerpt import excerpt
from grader.publish.report.classroom import (
    csv_rows,
    difficulties,
    named_mistakes,
    note_about,
    report_link,
)
from grader.publish.report.pages import Reporter
from grader.results import LessonResult, Row, SubmissionResult

Pages = Callable[..., tuple[str, str, str]]


def part_of(lesson: Lesson, changed: dict[str, Row] | None = None, **more: Any) -> LessonResult:
    """The lesson's part of the results: everything right except for the rows in `changed`."""
    rows = [(changed or {}).get(item.name) or row(item.name) for item in lesson.items]
    return part(lesson.name, *rows, **more)


def results_of(*parts: LessonResult, student: str = "ada", **more: Any) -> SubmissionResult:
    return results(student, *parts, **more)


def text_of(page: str) -> str:
    """What a page shows, without style and script."""
    shown = re.sub(r"<(style|script)\b.*?</\1>", " ", page, flags=re.DOTALL)
    shown = re.sub(r"</?(a|b|code|i|span|strong)\b[^>]*>", "", shown)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", shown)).split())


def values(page: str, attribute: str) -> list[str]:
    return [unescape(value) for value in re.findall(rf'\s{attribute}="([^"]*)"', page)]


@pytest.fixture(scope="module")
def reporter(lessons: dict[str, Lesson]) -> Reporter:
    return Reporter(list(lessons.values()))


@pytest.fixture(scope="module")
def report(reporter: Reporter) -> Pages:
    """report(parts, ...): (report.html, what it shows, report.md)"""

    def made(*parts: LessonResult, source: str = "", pictures: Any = None) -> tuple[str, str, str]:
        name = parts[0].name
        pages = reporter.student_pages(GradedSubmission(results_of(*parts), {name: pictures or {}}), {name: source})
        return pages["report.html"], text_of(pages["report.html"]), pages["report.md"]

    return made


# --- one file, nothing secret


def test_a_page_is_one_file_whose_links_lead_somewhere(report: Pages, lesson: Lesson) -> None:
    """Of the largest report: everything wrong, every picture full, every hint there."""
    noise = [[(x * 37 + y * 91) % 997 / 500 for x in range(64)] for y in range(32)]
    worst = [{"index": [0, at], "found": 0.25, "expected": -1e-3} for at in range(5)]
    picture = {"rows": 320, "columns": 640, "cells": noise, "worst": worst}
    names = [item.name for item in lesson.gradients]
    more = {"message": "The value is wrong: " + "a long sentence with `code` in it " * 8, "ulps": 2_000_000_000}
    rows = {name: row(name, "failed", line=20 * at + 1, shape=[32, 27], **more) for at, name in enumerate(names)}
    body = "    x = x + 1  # a line of a student's, quite long as lines go\n" * 19
    source = "\n".join(f"def {name}(x):\n{body}" for name in names)
    page, _, _ = report(part_of(lesson, rows), source=source, pictures=dict.fromkeys(names, picture))
    assert len(page.encode()) < 300_000
    targets = [*values(page, "href"), *values(page, "src"), *values(page, "xlink:href")]
    assert all(target.startswith(("#", "data:")) for target in targets)
    assert not re.search(r"https?://|@import|url\((?!#)", page) and "default-src 'none'" in page
    ids = values(page, "id")
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)
    assert f"{lesson.name}-dprobs" in ids and f"why-{lesson.name}-dprobs" in ids


def test_graph_is_well_formed_and_marks_every_gradient(report: Pages, lesson: Lesson) -> None:
    changed = {name: row(name, status) for name, status in {"dprobs": "failed", "dh": "todo"}.items()}
    page, _, _ = report(part_of(lesson, changed | {"dC": row("dC", chain="failed", because_of=["dh"])}))
    svg = ElementTree.fromstring(re.search(r'<svg class="graph".*?</svg>', page, re.DOTALL)[0])  # type: ignore[index]
    states = {link.get("href"): (link.get("class") or "").split()[1] for link in svg.iter("a")}
    assert len(states) == 26
    for name, state in (("dprobs", "failed"), ("dh", "todo"), ("dC", "chain"), ("dlogprobs", "passed")):
        assert states[f"#{lesson.name}-{name}"] == f"s-{state}"
    (first,) = [link for link in svg.iter("a") if link.find("rect[@class='ring']") is not None]
    assert first.get("href") == f"#{lesson.name}-dprobs"
    assert first.get("aria-label") == "dprobs: wrong value, start here"


# --- what it says


def test_every_status_is_shown(report: Pages, lesson: Lesson) -> None:
    words = {"passed": "right", "failed": "wrong value", "shape": "wrong shape", "todo": "to do", "missing": "missing"}
    words |= {"error": "error", "timeout": "out of time", "crashed": "crashed", "forbidden": "not allowed"}
    names = [item.name for item in lesson.items][: len(words)]
    rows = {name: row(name, status) for name, status in zip(names, words, strict=True)}
    page, text, written = report(part_of(lesson, rows))
    icons = re.findall(r'<use [^>]*href="#(i-\w+)"', page)
    assert set(icons) <= set(values(page, "id"))
    for name, (status, word) in zip(names, words.items(), strict=True):
        assert f"{name} {word}" in text and f"i-{status}" in icons
        assert re.search(rf"\| `{name}` \| \S+ {word} \|", written)


def test_a_lesson_of_functions_has_a_table_of_its_own() -> None:
    calls = Course(ROOT / "tests" / "corpus" / "courses" / "calling").find("01")
    figures = dict.fromkeys(("shape", "exact", "approximate", "maxdiff"))
    kept = row("kept", "shape", message="`means` has 1 entries.", **figures)
    pages = Reporter([calls]).student_pages(GradedSubmission(results_of(part_of(calls, {"kept": kept}))))
    assert "| `kept` | ❌ wrong type | `Counter` | 0 / 1 |" in pages["report.md"].splitlines()
    text = text_of(pages["report.html"])
    assert "Check by check" in text and "nearest the loss" not in text and "maxdiff ulps" not in text


def test_next_step(report: Pages, lesson: Lesson, lessons: dict[str, Lesson]) -> None:
    for statuses, output in (
        ({"dlogprobs": "todo", "dcounts": "failed", "dh": "error"}, "What to do next: fix dcounts"),
        ({"dcounts": "missing", "dh": "todo"}, "What to do next: write dcounts"),
        ({}, "Everything is right"),
    ):
        assert output in report(part_of(lesson, {name: row(name, status) for name, status in statuses.items()}))[1]
    unwritten = {item.name: row(item.name, "todo") for item in lessons["02_small_net"].items}
    assert "next: write dh_bn" in report(part_of(lessons["02_small_net"], unwritten))[1]  # dlogits is taught later
    # a lesson that was not submitted comes last
    absent, small = lessons["02_small_net"], lessons["04_cross_entropy"]
    missing = part_of(absent, status="missing", score=0, message="No folder 02_small_net was submitted.")
    _, text, _ = report(missing, part_of(small))
    assert "What to do next: submit lesson 02, A small net" in text
    assert "Nothing to grade. No folder 02_small_net was submitted." in text
    assert "next: write dlogits" in report(missing, part_of(small, {"dlogits": row("dlogits", "todo")}))[1]


def test_a_file_that_does_not_run_is_explained_once(report: Pages, lesson: Lesson) -> None:
    message = "SyntaxError: '(' was never closed"
    rows = {item.name: row(item.name, "error", message=message, line=3) for item in lesson.items}
    _, text, _ = report(part_of(lesson, rows, message=message), source="import torch\n\nx = (\n")
    assert "What to do next: make the file run" in text
    assert text.count(message) == 2  # on top, and with the lines
    assert "dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum and 22 more" in text
    assert "3x = (" in text


def test_a_wrong_row_is_explained(report: Pages, lesson: Lesson) -> None:
    place = {"line": 4, "file": "03/backward.py", "message": "The numbers are right, the shape is not."}
    wrong = row("dcounts_sum", "shape", expected_shape=[32, 1], shape=[32], **place)
    source = "def dprobs(x):\n    return x\n\n"
    source += 'def dcounts_sum(y):\n    """Doc\n\n    string."""\n    return y.sum(1)\n\ndef dh(): ...\n'
    _, text, _ = report(part_of(lesson, {"dcounts_sum": wrong}), source=source)
    for shown in (
        "Shape found (32,)",
        "Shape expected (32, 1)",
        "Your lines, 03/backward.py, line 4 4def dcounts_sum(y):8 return y.sum(1)",
        "Hint for dcounts_sum (1 of 3)",
        "Another hint for dcounts_sum (3 of 3)",
    ):
        assert shown in text


def test_heat_map_has_its_words(report: Pages, lesson: Lesson) -> None:
    worst = [{"index": [1, 0], "found": 2.5, "expected": -1.0}]
    picture = {"rows": 2, "columns": 2, "cells": [[0, 0], [0.5, 0]], "worst": worst}
    wrong = part_of(lesson, {"dh": row("dh", "failed")})
    page, text, _ = report(wrong, pictures={"dh": picture})
    label = "Heat map of the error of dh: 1 of its 4 blocks are wrong; the worst element is [1, 0]."
    assert label in values(page, "aria-label")
    assert "The worst element, on the published problem place yours expected [1, 0] 2.5 -1" in text
    worst[0]["found"] = None  # as results.json has what is not finite
    assert "place yours expected [1, 0] not finite -1" in report(wrong, pictures={"dh": picture})[1]
    picture["cells"] = [[0, 0], [0, 0]]  # as when an argument was changed in place: nothing to see
    assert "Heat map" not in report(wrong, pictures={"dh": picture})[0]


def test_gradients_of_one_function_spoilt_by_one_mistake_are_explained_once(report: Pages, lessons) -> None:
    joint, message = lessons["07_training"], "The variance is divided by n."
    names = [item.name for item in joint.gradients]
    _, text, _ = report(
        part_of(joint, {name: row(name, "failed", message=message, line=9) for name in (*names, "loss")})
    )
    assert f"What to do next: fix {names[0]} The variance" in text
    assert f"and {len(names) - 1} more rows for the same reason, the wrong step nearest the loss" in text
    assert text.count(message) == 3  # on top, the gradients', and the check's own
    assert f"Hint for {names[0]} (1 of 3)" in text and f"Hint for {names[1]}" not in text


def test_a_row_that_passed_a_public_example(report: Pages, lessons: dict[str, Lesson]) -> None:
    here = replace(row("in_one_go"), status="here")
    _, text, written = report(part_of(lessons["04_cross_entropy"], {"in_one_go": here}))
    assert "2 of 2 right" in text
    assert "passed here; the hidden suite decides" in text and "it agrees with its public examples" in text
    assert "| `in_one_go` | ☑️ passed here; the hidden suite decides |" in written


def test_forces_are_drawn_and_described(report: Pages, lessons: dict[str, Lesson]) -> None:
    small = part_of(lessons["04_cross_entropy"])
    drawn = {"found": [[0.5, 0.25, 0.25], [0.1, 0.2, -0.3]], "expected": [[-0.5, 0.25, 0.25], [0.1, 0.2, -0.3]]}
    page, text, _ = report(small, pictures={"dlogits": {"forces": drawn}})
    assert "must cancel; in 1 of your 2 examples they do." in text
    assert "Example 0 of the published problem, class by class, the one farthest off." in text
    label = "Forces of example 0: class 0 down 100, class 1 down 50, class 2 down 50 percent of the longest arrow."
    assert label in values(page, "aria-label")
    drawn["found"] = drawn["expected"]
    _, text, _ = report(small, pictures={"dlogits": {"forces": drawn}})
    assert "in all of your 2 examples they do." in text and "farthest off" not in text


def test_excerpt() -> None:
    source = "import torch\n\ndef dh(x):\n    a = x\n    return a\n\ndef dC(x):\n" + "    a = x\n" * 33
    places = {1: [1], 3: [3, 4, 5], 5: [3, 4, 5], 40: [37, 38, 39, 40], 99: [], None: [3, 4, 5]}
    for line, numbers in places.items():
        assert [number for number, _ in excerpt(source, "dh", line)] == numbers


# --- the class


def test_csv_rows(lesson: Lesson, lessons: dict[str, Lesson]) -> None:
    small = lessons["04_cross_entropy"]
    rows = csv_rows(
        [
            results_of(part_of(lesson, {"dh": row("dh", "todo")}), part_of(small)),
            results_of(part_of(lesson), student="bob"),
            results_of(student="carl", status="error", score=0, max_score=28),
        ]
    )
    assert rows == [
        ["student", "03_makemore_steps", "04_cross_entropy", "total", "max", "percent"],
        ["ada", "25", "2", "27", "28", "96.43"],
        ["bob", "26", "", "26", "26", "100"],
        ["carl", "", "", "", "28", ""],
    ]


def test_links_lead_to_any_name() -> None:
    addresses = {"ada": "ada", "a/../b": "a%2F..%2Fb", "javascript:x": "javascript%3Ax", "\udcff": "%FF"}
    for student, address in {**addresses, "Zoë #1?": "Zo%C3%AB%20%231%3F"}.items():
        assert report_link(student) == f"{address}/report.html"


def test_class_page(reporter: Reporter, lesson: Lesson) -> None:
    wrong = {"dh": row("dh", "failed", mistake={"id": "sign", "message": "The sign is `-`."}), "dC": row("dC", "todo")}
    everyone = [results_of(part_of(lesson, wrong if n % 3 else None), student=f"s{n}") for n in range(12)]
    everyone += [
        results_of(student="link", status="rejected", message="It is a link.", max_score=26),
        results_of(student="ours", status="error", message="A fault of ours.", max_score=26),
    ]
    page = reporter.class_page(everyone)
    for shown in (
        *("14 students", "rejected", "link has 0: It is a link.", "strong for 14"),
        *("8 03_makemore_steps dh The sign is -. 8 students s1, s2, s4", "03_makemore_steps dh 33 % 67 % 0 %"),
    ):
        assert shown in text_of(page)
    assert "90 to 100: 12." in next(label for label in values(page, "aria-label") if label.startswith("Histogram"))
    links = [target for target in values(page, "href") if target.endswith("report.html")]
    assert "s0/report.html" in links and "ours/report.html" not in links


def test_points_and_notes_of_the_class(lesson: Lesson, lessons: dict[str, Lesson]) -> None:
    small, absent = part_of(lessons["04_cross_entropy"]), part_of(lesson, status="missing", score=0)
    refused = part_of(lesson, status="rejected", score=0)
    for found, points, note in (
        (results_of(part_of(lesson), small), {lesson.name: 26, small.name: 2}, ""),
        (results_of(absent, small), {small.name: 2}, ""),
        (results_of(refused, small), {small.name: 2}, ""),
        (results_of(refused, status="rejected"), {}, "rejected"),
        (results_of(status="error", score=0, max_score=28), {}, "could not be graded"),
    ):
        assert (found.lesson_points, note_about(found)) == (points, note)


def test_mistakes_and_difficulties_leave_out_what_was_not_submitted(lesson: Lesson) -> None:
    absent = results_of(part_of(lesson, {"dh": row("dh", "missing")}, status="missing"))
    present = results_of(part_of(lesson, {"dh": row("dh", "shape", mistake={"id": "keepdim", "message": "m"})}))
    assert difficulties([absent, present])[0] == (lesson.name, "dh", {"wrong": 1})
    assert named_mistakes([absent, present]) == [(lesson.name, "dh", "m", ["ada"])]
