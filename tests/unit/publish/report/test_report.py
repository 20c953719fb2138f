"""The reports: what they say, that one file holds all of it, and that nothing a student wrote does anything in them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from made_results import lesson as part
from made_results import results, row
from support import ROOT

from grader.gradebook.grading.graded import GradedSubmission
from grader.lesson.lesson import Course, Lesson
from grader.publish.excerpt import excerpt
from grader.publish.inert import inert, prose
from grader.publish.report.classroom import csv_rows, difficulties, named_mistakes, report_link, student_row
from grader.publish.report.pages import Reporter
from grader.results import LessonResult, Row, SubmissionResult


def part_of(lesson: Lesson, changed: dict[str, Row] | None = None, **more: Any) -> LessonResult:
    """The lesson's part of the results: everything right but for the rows in `changed`."""
    rows = [(changed or {}).get(item.name) or row(item.name) for item in lesson.items]
    return part(lesson.name, *rows, **more)


def results_of(*parts: LessonResult, student: str = "ada", **more: Any) -> SubmissionResult:
    return results(student, *parts, **more)


def broken(lesson: Lesson, message: str) -> dict[str, Row]:
    return {item.name: row(item.name, "error", message=message, line=3) for item in lesson.items}


class Page(HTMLParser):
    """What a browser would make of a page: its tags, their attributes, and its text without style and script."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._raw = False
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._raw = tag in ("style", "script")
        self._part(tag)

    def handle_endtag(self, tag: str) -> None:
        self._raw = False
        self._part(tag)

    def _part(self, tag: str) -> None:
        self.texts += [] if tag in ("a", "b", "code", "i", "span", "strong") else [" "]

    def handle_data(self, data: str) -> None:
        if not self._raw:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())

    def values(self, attribute: str) -> Iterable[str]:
        return [attrs[attribute] or "" for _, attrs in self.tags if attribute in attrs]


@pytest.fixture(scope="module")
def reporter(lessons: dict[str, Lesson]) -> Reporter:
    return Reporter(list(lessons.values()))


# --- text that somebody else wrote


def test_inert() -> None:
    for text, shown in (
        ("plain", "plain"),
        ("Zoë 木村", "Zoë 木村"),
        ("a\x00b\x07", "a\\x00b\\x07"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07x", "red x"),
        ("\x1bc", "\\x1bc"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("a\u200bb\ufeff\u2066", "a\\u200bb\\ufeff\\u2066"),
        ("a\u3164b\u2028c", "a\\u3164b\\u2028c"),
        ("\udc80", "\\udc80"),
        ("two\r\nlines\tand a tab", "two\nlines\tand a tab"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 3),
    ):
        assert inert(text) == shown
        assert inert(shown) == shown


def test_prose_marks_code_and_nothing_else() -> None:
    assert prose("your `dW1 < 3` & <b>") == "your <code>dW1 &lt; 3</code> &amp; &lt;b&gt;"


# --- one file, nothing secret


def attacked(lesson: Lesson) -> tuple[GradedSubmission, dict[str, str]]:
    """The largest report there is: everything wrong, every picture full, every hint there."""
    noise = [[(x * 37 + y * 91) % 997 / 500 for x in range(64)] for y in range(32)]
    worst = [{"index": [0, at], "found": 0.25, "expected": -1e-3} for at in range(5)]
    picture = {"rows": 320, "columns": 640, "cells": noise, "worst": worst}
    names = [item.name for item in lesson.gradients]
    message = "The value is wrong: " + "a long sentence with `code` in it " * 8
    rows = {
        name: row(
            name, "failed", message=message, line=20 * number + 1, shape=[32, 27], maxdiff=1.0, ulps=2_000_000_000
        )
        for number, name in enumerate(names)
    }
    source = "\n".join(
        f"def {name}(x):\n" + "    x = x + 1  # a line of a student's, quite long as lines go\n" * 19 for name in names
    )
    graded = GradedSubmission(
        results_of(part_of(lesson, rows)), {lesson.name: dict.fromkeys(names, picture)}, {lesson.name: "x" * 4000}
    )
    return graded, {lesson.name: source}


def test_a_page_is_one_file_whose_links_lead_somewhere(reporter: Reporter, lesson: Lesson) -> None:
    graded, sources = attacked(lesson)
    text = reporter.student_page(graded, sources)
    assert len(text.encode()) < 300_000
    page = Page(text)
    targets = [value for name in ("href", "src", "xlink:href") for value in page.values(name)]
    assert all(target.startswith(("#", "data:")) for target in targets)
    assert not re.search(r"https?://|@import|url\((?!#)", text) and "default-src 'none'" in text
    ids = list(page.values("id"))
    assert len(ids) == len(set(ids))
    assert {target[1:] for target in targets if target.startswith("#")} <= set(ids)
    assert f"{lesson.name}-dprobs" in ids and f"why-{lesson.name}-dprobs" in ids


def test_graph_is_well_formed_and_marks_every_gradient(reporter: Reporter, lesson: Lesson) -> None:
    changed = {
        "dprobs": row("dprobs", "failed"),
        "dh": row("dh", "todo"),
        "dC": row("dC", chain="failed", because_of=["dh"]),
    }
    text = reporter.student_page(GradedSubmission(results_of(part_of(lesson, changed))))
    svg = ElementTree.fromstring(re.search(r'<svg class="graph".*?</svg>', text, re.DOTALL)[0])  # type: ignore[index]
    states = {link.get("href"): (link.get("class") or "").split()[1] for link in svg.iter("a")}
    assert len(states) == 26
    assert states[f"#{lesson.name}-dprobs"] == "s-failed"
    assert states[f"#{lesson.name}-dh"] == "s-todo"
    assert states[f"#{lesson.name}-dC"] == "s-chain"
    assert states[f"#{lesson.name}-dlogprobs"] == "s-passed"
    (first,) = [link for link in svg.iter("a") if link.find("rect[@class='ring']") is not None]
    assert first.get("href") == f"#{lesson.name}-dprobs"
    assert first.get("aria-label") == "dprobs: wrong value, start here"


# --- what it says


def test_every_status_is_told(reporter: Reporter, lesson: Lesson) -> None:
    words = {"passed": "right", "failed": "wrong value", "shape": "wrong shape", "todo": "to do", "missing": "missing"}
    words |= {"error": "error", "timeout": "out of time", "crashed": "crashed", "forbidden": "not allowed"}
    names = [item.name for item in lesson.items][: len(words)]
    rows = {name: row(name, status) for name, status in zip(names, words, strict=True)}
    graded = GradedSubmission(results_of(part_of(lesson, rows)))
    page, text = Page(reporter.student_page(graded)), reporter.student_markdown(graded)
    icons = [attrs["href"] for tag, attrs in page.tags if tag == "use"]
    assert set(icons) <= {f"#{name}" for name in page.values("id")}
    for name, (status, word) in zip(names, words.items(), strict=True):
        assert f"{name} {word}" in page.text and f"#i-{status}" in icons
        assert re.search(rf"\| `{name}` \| \S+ {word} \|", text)


def test_a_lesson_of_functions_has_a_table_of_its_own() -> None:
    calls = Course(ROOT / "tests" / "corpus" / "courses" / "calling").find("01")
    figures = dict.fromkeys(("shape", "exact", "approximate", "maxdiff"))
    kept = row("kept", "shape", message="`means` has 1 entries.", **figures)
    graded = GradedSubmission(results_of(part_of(calls, {"kept": kept})))
    reporter = Reporter([calls])
    assert "| `kept` | ❌ wrong type | `Counter` | 0 / 1 |" in reporter.student_markdown(graded).splitlines()
    page = Page(reporter.student_page(graded))
    assert "Check by check" in page.text and "nearest the loss" not in page.text and "maxdiff ulps" not in page.text


def test_next_step(reporter: Reporter, lesson: Lesson) -> None:
    for statuses, output in (
        ({"dlogprobs": "todo", "dcounts": "failed", "dh": "error"}, "What to do next: fix dcounts"),
        ({"dcounts": "missing", "dh": "todo"}, "What to do next: write dcounts"),
        ({}, "Everything is right"),
    ):
        rows = {name: row(name, status) for name, status in statuses.items()}
        assert output in Page(reporter.student_page(GradedSubmission(results_of(part_of(lesson, rows))))).text


def test_a_lesson_not_handed_in_comes_last(reporter: Reporter, lessons: dict[str, Lesson]) -> None:
    names = ("02_small_net", "04_cross_entropy")
    absent = part_of(lessons[names[0]], status="missing", score=0, message="No folder 02_small_net was submitted.")
    page = Page(reporter.student_page(GradedSubmission(results_of(absent, part_of(lessons[names[1]])))))
    assert "What to do next: submit lesson 02, A small net" in page.text
    assert "Nothing to grade. No folder 02_small_net was submitted." in page.text
    half = part_of(lessons[names[1]], {"dlogits": row("dlogits", "todo")})
    assert (
        "What to do next: write dlogits" in Page(reporter.student_page(GradedSubmission(results_of(absent, half)))).text
    )


def test_a_file_that_does_not_run_is_told_once(reporter: Reporter, lesson: Lesson) -> None:
    message = "SyntaxError: '(' was never closed"
    graded = GradedSubmission(results_of(part_of(lesson, broken(lesson, message), message=message)))
    page = Page(reporter.student_page(graded, {lesson.name: "import torch\n\nx = (\n"}))
    assert "What to do next: make the file run" in page.text
    assert page.text.count(message) == 2  # on top, and with the lines
    assert "dlogprobs, dprobs, dcounts_sum_inv, dcounts_sum and 22 more" in page.text
    assert "3x = (" in page.text


def test_a_wrong_row_is_explained(reporter: Reporter, lesson: Lesson) -> None:
    output: dict[str, Any] = {
        "message": "The numbers are right, the shape is not.",
        "shape": [32],
        "line": 4,
        "file": "03/backward.py",
    }
    changed = {"dcounts_sum": row("dcounts_sum", "shape", expected_shape=[32, 1], **output)}
    source = "def dprobs(x):\n    return x\n\n"
    source += 'def dcounts_sum(y):\n    """Doc\n\n    string."""\n    return y.sum(1)\n\ndef dh(): ...\n'
    page = Page(reporter.student_page(GradedSubmission(results_of(part_of(lesson, changed))), {lesson.name: source}))
    for text in (
        "Shape found (32,)",
        "Shape expected (32, 1)",
        "Your lines, 03/backward.py, line 4 4def dcounts_sum(y):8 return y.sum(1)",
        "Hint for dcounts_sum (1 of 3)",
        "Another hint for dcounts_sum (3 of 3)",
    ):
        assert text in page.text


def test_heat_map_has_its_words(reporter: Reporter, lesson: Lesson) -> None:
    picture = {
        "rows": 2,
        "columns": 2,
        "cells": [[0, 0], [0.5, 0]],
        "worst": [{"index": [1, 0], "found": 2.5, "expected": -1.0}],
    }
    graded = GradedSubmission(results_of(part_of(lesson, {"dh": row("dh", "failed")})), {lesson.name: {"dh": picture}})
    page = Page(reporter.student_page(graded))
    label = "Heat map of the error of dh: 1 of its 4 blocks are wrong; the worst element is [1, 0]."
    assert label in page.values("aria-label")
    assert "The worst element, on the published problem place yours expected [1, 0] 2.5 -1" in page.text
    picture["cells"] = [[0, 0], [0, 0]]  # as when an argument was changed in place: nothing to see
    assert "Heat map" not in reporter.student_page(graded)


def test_gradients_of_one_function_spoilt_by_one_mistake_are_told_once(
    reporter: Reporter, lessons: dict[str, Lesson]
) -> None:
    joint = lessons["07_training"]
    output: dict[str, Any] = {"message": "The variance is divided by n.", "line": 9}
    names = [item.name for item in joint.gradients]
    rows = {name: row(name, "failed", **output) for name in names} | {"loss": row("loss", "failed", **output)}
    page = Page(reporter.student_page(GradedSubmission(results_of(part_of(joint, rows)))))
    assert f"What to do next: fix {names[0]} The variance" in page.text
    assert f"and {len(names) - 1} more rows for the same reason, the wrong step nearest the loss" in page.text
    assert page.text.count("The variance is divided by n.") == 3  # on top, the gradients', and the check's own
    assert f"Hint for {names[0]} (1 of 3)" in page.text and f"Hint for {names[1]}" not in page.text


def test_a_row_that_passed_a_public_example(reporter: Reporter, lessons: dict[str, Lesson]) -> None:
    small = lessons["04_cross_entropy"]
    graded = GradedSubmission(results_of(part_of(small, {"in_one_go": replace(row("in_one_go"), status="here")})))
    page = Page(reporter.student_page(graded)).text
    assert "2 of 2 right" in page
    assert "passed here; the hidden suite decides" in page and "it agrees with its public examples" in page
    assert "| `in_one_go` | ☑️ passed here; the hidden suite decides |" in reporter.student_markdown(graded)


# --- forces


def test_forces_are_drawn_and_told(reporter: Reporter, lessons: dict[str, Lesson]) -> None:
    lesson = lessons["04_cross_entropy"]
    drawn = {"found": [[0.5, 0.25, 0.25], [0.1, 0.2, -0.3]], "expected": [[-0.5, 0.25, 0.25], [0.1, 0.2, -0.3]]}
    graded = GradedSubmission(results_of(part_of(lesson)), {lesson.name: {"dlogits": {"forces": drawn}}})
    page = Page(reporter.student_page(graded))
    assert "must cancel; in 1 of your 2 examples they do." in page.text
    assert "Example 0 of the published problem, class by class, the one farthest off." in page.text
    label = "Forces of example 0: class 0 down 100, class 1 down 50, class 2 down 50 percent of the longest arrow."
    assert label in page.values("aria-label")
    drawn["found"] = drawn["expected"]
    page = Page(reporter.student_page(graded))
    assert "in all of your 2 examples they do." in page.text and "farthest off" not in page.text


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
    addresses = {
        "ada": "ada",
        "a/../b": "a%2F..%2Fb",
        "javascript:x": "javascript%3Ax",
        "Zoë #1?": "Zo%C3%AB%20%231%3F",
    }
    for student, address in {**addresses, "\udcff": "%FF"}.items():
        assert report_link(student) == f"{address}/report.html"


def test_class_page(reporter: Reporter, lesson: Lesson) -> None:
    wrong = {"dh": row("dh", "failed", mistake={"id": "sign", "message": "The sign is `-`."}), "dC": row("dC", "todo")}
    everyone = [results_of(part_of(lesson, wrong if n % 3 else None), student=f"s{n}") for n in range(12)]
    everyone += [
        results_of(student="link", status="rejected", message="It is a link.", max_score=26),
        results_of(student="ours", status="error", message="A fault of ours.", max_score=26),
    ]
    page = Page(reporter.class_page(everyone))
    assert "14 students" in page.text and "rejected" in page.text
    assert "8 03_makemore_steps dh The sign is -. 8 students s1, s2, s4" in page.text
    assert "03_makemore_steps dh 33 % 67 % 0 %" in page.text
    assert "link has 0: It is a link." in page.text
    assert "strong for 14" in page.text
    assert "90 to 100: 12." in next(label for label in page.values("aria-label") if label.startswith("Histogram"))
    links = [target for target in page.values("href") if target.endswith("report.html")]
    assert "s0/report.html" in links and "ours/report.html" not in links


def test_rows_of_the_class(lesson: Lesson, lessons: dict[str, Lesson]) -> None:
    small, absent = lessons["04_cross_entropy"], part_of(lesson, status="missing", score=0)
    names = [lesson.name, small.name]
    refused = part_of(lesson, status="rejected", score=0)
    found = [
        student_row(results_of(part_of(lesson), part_of(small), student="all"), names),
        student_row(results_of(absent, part_of(small), student="half"), names),
        student_row(results_of(refused, part_of(small), student="link"), names),
        student_row(results_of(refused, student="zip", status="rejected"), names),
        student_row(results_of(student="ours", status="error", score=0, max_score=28), names),
    ]
    assert [(one.name, one.points, one.note) for one in found] == [
        ("all", (26, 2), ""),
        ("half", (None, 2), ""),
        ("link", (None, 2), ""),
        ("zip", (None, None), "rejected"),
        ("ours", (None, None), "could not be graded"),
    ]
    assert [one.percent is None for one in found] == [False, False, False, False, True]


def test_mistakes_and_difficulties_leave_out_what_was_not_handed_in(lesson: Lesson) -> None:
    absent = results_of(part_of(lesson, {"dh": row("dh", "missing")}, status="missing"))
    present = results_of(part_of(lesson, {"dh": row("dh", "shape", mistake={"id": "keepdim", "message": "m"})}))
    (hardest, *_) = difficulties([absent, present])
    assert (hardest.name, hardest.total, hardest.wrong) == ("dh", 1, 1)
    assert named_mistakes([absent, present]) == [(lesson.name, "dh", "m", ["ada"])]
