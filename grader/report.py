"""What people look at: a student's report as a page and as Markdown, the class's page, grades.csv.

Every text in a page passes `inert` and Jinja's escaping, every text in Markdown passes `markdown`: a name, a message, a
line of code or printed output can show anything and do nothing.
"""

from __future__ import annotations

import base64
import hashlib
import re
import statistics
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from grader.drawing import SCALE, HeatMap, Layout, heat_map, layout_of
from grader.lesson import Item, Lesson
from grader.session import Graded, number

INSTALLED, CHECKOUT = Path(__file__).parent / "templates", Path(__file__).parent.parent / "templates"
BROKEN = ("error", "timeout", "crashed", "forbidden")
WRONG = ("failed", "shape", *BROKEN)
UNWRITTEN = ("todo", "missing")
EXCERPT_LINES, EXCERPT_WIDTH, MOST_NAMES = 12, 160, 40

Results = Mapping[str, Any]


# ---------------------------------------------------------------------------------------------------------------------
# text that somebody else wrote

TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
UNSEEN = set("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")  # no controls by category, but blank to the eye


def inert(text: str) -> str:
    """The text with all of it visible: control, zero-width and bidirectional characters as `\\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    shown = []
    marks = 0
    for character in TERMINAL.sub("", text).replace("\r\n", "\n"):
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        hidden = category in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") or character in UNSEEN
        if hidden and character not in "\n\t":
            shown.append(character.encode("unicode_escape").decode())
        elif marks <= 3:  # more accents on one letter than any language has would cover the lines around it
            shown.append(character)
    return "".join(shown)


def markdown(text: str) -> Markup:
    """One line of Markdown that shows `text`: no markup, mention, reference or link of its own; `code` stays code."""
    pieces = re.split(r"(`[^`|]+`)", " ↵ ".join(inert(text).split("\n")))
    return Markup("".join(piece if piece[:1] == "`" and len(piece) > 2 else plain(piece) for piece in pieces))


def plain(text: str) -> str:
    text = re.sub(r"([\\`*_{}\[\]<>#|~&$!])", r"\\\1", text)
    text = re.sub(r"(:)(?=[/:])|(?<=[wW]{3})(\.)", lambda match: "\\" + match[0], text)
    # no backslash stops a mention or a reference: an empty character between sign and name does
    return re.sub(r"([@#])(?=\w)", "\\1\u200b", text)


def prose(text: str) -> Markup:
    """A sentence for a page, its `code` as code."""
    return Markup(re.sub(r"`([^`\n]+)`", r"<code>\1</code>", str(escape(inert(text)))))


def code(text: str) -> Markup:
    return Markup("<code>{}</code>").format(inert(text))


def csv_cell(text: str) -> str:
    """What no spreadsheet takes for a formula."""
    shown = "".join(c if c in "\t\r\n" else inert(c) for c in text)
    return "'" + shown if shown[:1] in set("=+-@\t\r\n") else shown


# ---------------------------------------------------------------------------------------------------------------------
# a student's page


@dataclass(frozen=True)
class Line:
    """A row of results.json with what the page adds. `state` is its status, or `chain` where only the chain is red."""

    row: Results
    state: str
    anchor: str
    item: Item | None
    culprits: tuple[tuple[str, bool], ...] = ()  # the wrong steps above it, nearest first, and whether they are written
    picture: Mapping[str, Any] | None = None
    excerpt: tuple[tuple[int, str], ...] = ()

    @property
    def wrong(self) -> bool:
        return self.state in WRONG

    @property
    def heat(self) -> HeatMap | None:
        return heat_map(self.picture) if self.picture else None


@dataclass
class Part:
    """A lesson's part of the page; `groups` are rows that tell the same, in one section."""

    results: Results
    lesson: Lesson | None
    lines: list[Line]
    groups: list[list[Line]] = field(default_factory=list)
    printed: str = ""

    @property
    def first(self) -> Line | None:
        """The step to mend first: the wrong one nearest the loss, else the first one not written yet."""
        unwritten = (line for line in self.lines if line.state in UNWRITTEN)
        return next((line for line in self.lines if line.wrong), next(unwritten, None))

    @property
    def title(self) -> str:
        return self.lesson.title if self.lesson else str(self.results["name"])

    @property
    def number(self) -> str:
        return self.lesson.number if self.lesson else ""

    @property
    def by_target(self) -> dict[str, Line]:
        return {line.item.target: line for line in self.lines if line.item and line.item.target}

    @property
    def explained(self) -> dict[str, str]:
        """{a row's anchor: the anchor of the section that explains it}"""
        return {line.anchor: group[0].anchor for group in self.groups for line in group}


@dataclass(frozen=True)
class Next:
    """What to do next: a row to mend or to write, or a lesson to hand in; nothing when all is right."""

    part: Part | None = None
    line: Line | None = None
    together: int = 1  # rows that fail with this one sentence


def next_step(parts: Sequence[Part]) -> Next:
    graded = [part for part in parts if part.results["status"] == "graded" and part.first]
    for part in sorted(graded, key=lambda part: not (part.first and part.first.wrong)):
        together = next((len(group) for group in part.groups if part.first in group), 1)
        return Next(part, part.first, together)
    return Next(next((part for part in parts if part.results["status"] != "graded"), None))


def part(results: Results, lesson: Lesson | None, graded: Graded, source: str) -> Part:
    name = results["name"]
    rows = {row["name"]: row for row in results["gradients"]}
    items = {item.name: item for item in lesson.items} if lesson else {}
    pictures = graded.pictures.get(name, {})
    lines = [
        Line(
            row,
            "chain" if row["status"] == "passed" and row["chain"] == "failed" else row["status"],
            f"{name}-{row['name']}",
            items.get(row["name"]),
            tuple((step, rows[step]["status"] not in UNWRITTEN) for step in row["because_of"] if step in rows),
            picture if picture and any(map(any, picture["cells"])) else None,
            excerpt(source, row["name"], row["line"]) if row["status"] not in ("passed", *UNWRITTEN) else (),
        )
        for row in results["gradients"]
        for picture in (pictures.get(row["name"]),)
    ]
    found = Part(results, lesson, lines, printed=graded.printed.get(name, ""))
    for line in lines:
        tells = line.wrong or (line.state != "todo" and line.row["message"])
        alike = found.groups and telling(found.groups[-1][-1]) == telling(line)
        if tells and alike and line.state in BROKEN:
            found.groups[-1].append(line)  # a file that does not run fails all its rows with one sentence
        elif tells:
            found.groups.append([line])
    return found


def telling(line: Line) -> tuple[str, str | None, int | None]:
    return line.state, line.row["message"], line.row["line"]


def excerpt(source: str, name: str, line: int | None) -> tuple[tuple[int, str], ...]:
    """The student's own lines, numbered: from `line` (or the step's `def`, if unknown) up to the next step's."""
    lines = re.split(r"\r\n|\r|\n", source)  # as Python counts lines
    if line is None:
        starts = (n for n, text in enumerate(lines, 1) if re.match(rf"def\s+{re.escape(name)}\s*\(", text))
        line = next(starts, None)
    if line is None or line > len(lines):
        return ()
    found: list[tuple[int, str]] = []
    quotes = ""  # that end the docstring we are in: it is the stub's, not the student's
    for n, text in enumerate(lines[line - 1 :], line):
        if quotes:
            quotes = "" if quotes in text else quotes
        elif found and found[-1][1].rstrip().endswith(":") and (opened := re.match(r"\s*(\"\"\"|''')", text)):
            quotes = "" if text.count(opened[1]) > 1 else opened[1]
        elif len(found) == EXCERPT_LINES or (found and re.match(r"(def|class|@)\b|# %%", text)):
            break
        else:
            found.append((n, text if len(text) <= EXCERPT_WIDTH else text[:EXCERPT_WIDTH] + " …"))
    while len(found) > 1 and not found[-1][1].strip():
        found.pop()
    return tuple(found)


# ---------------------------------------------------------------------------------------------------------------------
# the class


@dataclass
class Difficulty:
    """How a class did on one row. `discrimination` is the correlation of passing it with the rest of the score."""

    lesson: str
    name: str
    passed: int = 0
    wrong: int = 0
    unwritten: int = 0
    discrimination: float | None = None

    @property
    def total(self) -> int:
        return self.passed + self.wrong + self.unwritten


def difficulties(results: Sequence[Results]) -> list[Difficulty]:
    """Every row of every lesson, the one that fewest passed first."""
    found: dict[tuple[str, str], Difficulty] = {}
    points: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for result in results:
        for lesson in result["lessons"]:
            for row in lesson["gradients"]:
                key = lesson["name"], row["name"]
                entry = found.setdefault(key, Difficulty(*key))
                kind = "unwritten" if row["status"] in UNWRITTEN else "passed" if row["status"] == "passed" else "wrong"
                setattr(entry, kind, getattr(entry, kind) + 1)
                points.setdefault(key, []).append((row["points"], result["score"] - row["points"]))
    for key, pairs in points.items():
        own, rest = zip(*pairs, strict=True)
        if len(pairs) >= 10 and len(set(own)) > 1 and len(set(rest)) > 1:
            found[key].discrimination = statistics.correlation(own, rest)
    return sorted(found.values(), key=lambda entry: (entry.passed / entry.total, -entry.wrong))


def mistakes(results: Sequence[Results]) -> list[tuple[str, str, str, list[str]]]:
    """(lesson, row, what is told, the students who made it) of every named mistake, the most frequent first."""
    who: dict[tuple[str, str, str], list[str]] = {}
    told: dict[tuple[str, str, str], str] = {}
    for result in results:
        for lesson in result["lessons"]:
            for row in lesson["gradients"]:
                if row["mistake"]:
                    key = lesson["name"], row["name"], row["mistake"]["id"]
                    told.setdefault(key, row["mistake"]["message"])
                    who.setdefault(key, []).append(result["student"])
    return [(*key[:2], told[key], names) for key, names in sorted(who.items(), key=lambda entry: -len(entry[1]))]


def absences(results: Sequence[Results]) -> list[tuple[str, str, str | None, list[str]]]:
    """(lesson or "", status, reason, students): what was not graded, the same reason told once."""
    who: dict[tuple[str, str, str | None], list[str]] = {}
    for result in results:
        if result["status"] != "graded":
            who.setdefault(("", result["status"], result["message"]), []).append(result["student"])
            continue
        for lesson in result["lessons"]:
            if lesson["status"] != "graded":
                who.setdefault((lesson["name"], lesson["status"], lesson["message"]), []).append(result["student"])
    return [(*key, names) for key, names in sorted(who.items(), key=lambda entry: (entry[0][0], -len(entry[1])))]


def percent(result: Results) -> float:
    return 100 * result["score"] / result["max_score"] if result["max_score"] else 0.0


def link(student: str) -> str:
    """The address of a student's page from index.html, whatever the name holds."""
    return quote(student, safe="", errors="surrogateescape") + "/report.html"


def duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 100
        else f"{seconds / 60:.0f} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )


def lesson_names(results: Sequence[Results]) -> list[str]:
    return sorted({lesson["name"] for result in results for lesson in result["lessons"]})


def csv_rows(results: Sequence[Results]) -> list[list[str]]:
    """grades.csv with its header. What could not be graded for a reason of ours has no figures: it is no zero."""
    lessons = lesson_names(results)
    rows = [["student", *lessons, "total", "max", "percent"]]
    for result in results:
        scores = {lesson["name"]: f"{lesson['score']:g}" for lesson in result["lessons"]}
        known = result["status"] != "error"
        total, share = (f"{result['score']:g}", f"{number(round(percent(result), 2)):g}") if known else ("", "")
        cells = [scores.get(name, "") for name in lessons]
        rows.append([result["student"], *cells, total, f"{result['max_score']:g}", share])
    return [[csv_cell(cell) for cell in row] for row in rows]


# ---------------------------------------------------------------------------------------------------------------------
# the templates


@cache
def layout(lesson: Lesson) -> Layout:
    return layout_of(lesson)


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
        loader = FileSystemLoader(INSTALLED if INSTALLED.is_dir() else CHECKOUT)
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
        self._script = Markup((Path(loader.searchpath[0]) / "index.js").read_text(encoding="utf-8"))

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
            states=[state for state in ("passed", "chain", *WRONG, *UNWRITTEN) if state in occurring],
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
