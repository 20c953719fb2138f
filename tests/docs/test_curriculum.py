"""docs/curriculum.md: the rows, links, tests and sections it names exist; its figures are the lessons' own."""

from __future__ import annotations

import inspect
import re

import pytest
from support import ROOT, solution_of

from grader.lesson.config import LECTURE_SEED
from grader.lesson.lesson import Course
from grader.questions.question import questions_of

TEXT = (ROOT / "docs" / "curriculum.md").read_text(encoding="utf-8")
LESSONS = Course(ROOT).lessons
NAMED = sorted(set(re.findall(r"`(\d\d)\.(\w+)`", TEXT)))
ASKED = set(re.findall(r"`(\d\d)\.q:(\w+)`", TEXT))


def test_each_row_it_names_exists():
    rows = {(lesson.number, item.name) for lesson in LESSONS.values() for item in lesson.items}
    assert len(NAMED) > 100 and set(NAMED) - rows == set()


def test_each_question_it_names_exists():
    of = {lesson.number: questions_of(lesson) for lesson in LESSONS.values()}
    assert len(ASKED) > 20 and {(number, name) for number, name in ASKED if name not in of[number]} == set()


def test_it_names_every_lesson_and_each_row_of_lesson_03_and_of_the_lessons_after_11():
    assert {number for number, _ in NAMED} == {lesson.number for lesson in LESSONS.values()}
    for lesson in LESSONS.values():
        if lesson.number == "03" or lesson.number > "11":
            assert {item.name for item in lesson.items} == {row for number, row in NAMED if number == lesson.number}


def test_what_a_lesson_needs_is_taught_before_it_or_in_its_own_readme():
    (section,) = re.findall(r"### What lessons 15 to 17 need\n(.*?)\n### ", TEXT, re.DOTALL)
    needing: set[tuple[str, str]] = set()
    for line in section.splitlines():
        if line.startswith("| lesson 1"):
            row, _, taught = line.strip("| ").split(" | ")
            number = row.removeprefix("lesson ")[:2]
            needing |= set(re.findall(r"`(\d\d)\.(\w+)`", row))
            assert all(lesson < number for lesson, _ in re.findall(r"`(\d\d)\.(\w+)`", taught)), line
            assert all(lesson <= number for lesson in re.findall(r"(\d\d)'s README", taught)), line
    rows = {(lesson.number, item.name) for lesson in LESSONS.values() for item in lesson.items}
    assert needing == {(number, name) for number, name in rows if number in ("15", "16", "17")}


def test_what_a_row_needs_is_taught_before_it():
    table = TEXT.split("### What the rows of lessons 12 to 14 need")[1].split("\n### ")[0]
    listed = []
    for line in (line for line in table.splitlines() if line.startswith("| `")):
        _, rows, _, where, _ = re.split(r" ?\| ?", line)
        here = re.findall(r"`(\d\d)\.(\w+)`", rows)
        listed += here
        lessons = set(re.findall(r"[Ll]esson (\d\d)|(\d\d)'s README|`(\d\d)\.", where))
        taught = {number for found in lessons for number in found if number}
        assert taught and max(taught) <= min(number for number, _ in here), line
    names = [(each.number, item.name) for each in LESSONS.values() for item in each.items]
    assert sorted(listed) == sorted(each for each in names if each[0] in ("12", "13", "14"))


def test_each_test_it_names_exists():
    texts = [(ROOT / file).read_text(encoding="utf-8") for file in set(re.findall(r"`(tests/[\w/]+\.py)`", TEXT))]
    names = set(re.findall(r"`(test_\w+)`", TEXT))
    assert names and [name for name in names if not any(f"def {name}(" in text for text in texts)] == []


SAYS_WHERE = re.compile(r"`\d\d\.(?:q:)?\w+`|[Ll]essons? \d\d|\d\d's README|READMEs? of|`test_|`dojo ")


def test_each_line_says_where_the_item_is():
    lines = [line for line in TEXT.splitlines() if line.startswith("| ") and "|---" not in line]
    assert len(lines) > 100 and "not covered" not in TEXT.lower()
    for line in lines:
        is_heading = line.startswith(("| in the document", "| formula", "| figure", "| lesson |", "| row |"))
        assert is_heading or SAYS_WHERE.search(line.split("|", 2)[2]), line


def test_each_section_of_a_readme_that_it_quotes_exists():
    quoted = re.findall(r"(\d\d)'s README, \"([^\"]+)\"((?: \([^)]*\))? and \"([^\"]+)\")?", TEXT)
    assert len(quoted) >= 6
    for number, first, _, second in quoted:
        (readme,) = ROOT.glob(f"exercises/{number}_*/README.md")
        text = readme.read_text(encoding="utf-8")
        for section in filter(None, (first, second)):
            assert f"## {section}\n" in text or f"**{section}.**" in text, (number, section)


def test_links_lead_somewhere():
    links = re.findall(r"\]\((\.\./[^)#]+)\)", TEXT)
    assert len(links) >= 10
    for link in links:
        assert (ROOT / "docs" / link).is_file(), link


@pytest.mark.parametrize(
    ("name", "expected"), [("03_makemore_steps", 4137), ("06_embedding_net", 4137), ("07_training", 12297)]
)
def test_parameter_counts(name, expected):
    problem = LESSONS[name].public
    parameters = [n for n in problem.graph.inputs if n in problem.graph.names]
    assert sum(problem.values[n].numel() for n in parameters) == expected
    assert f"{expected:,}" in TEXT


def test_what_lesson_03_says_about_rounding():
    """In the whole chain two gradients are zero but for rounding; the README gives their size, to one digit."""
    lesson = LESSONS["03_makemore_steps"]
    answers: dict[str, object] = {}
    exec(solution_of(lesson), answers)
    values = dict(lesson.public.values)
    for item in lesson.gradients:
        function = answers[item.name]
        values[item.name] = function(*(values[name] for name in inspect.signature(function).parameters))
    largest = {name: values[name].abs().max().item() for name in ("dlogit_maxes", "db1", "dlogits")}
    assert 2e-9 < largest["dlogit_maxes"] < 2e-8 and 1e-9 < largest["db1"] < 1e-8  # other processors round otherwise
    assert round(largest["dlogits"], 2) == 0.03
    readme = (lesson.exercise / "README.md").read_text(encoding="utf-8")
    assert "their largest elements are 7e-9 and 4e-9, and the largest element of `dlogits` is 0.03" in readme


@pytest.mark.parametrize(
    ("name", "gradient", "smallest", "largest"),
    [("04_cross_entropy", "dlogits", 5e-10, 1e-8), ("05_batch_norm", "dhprebn", 5e-8, 2e-6)],
)
def test_maxdiff_of_the_single_expressions(name, gradient, smallest, largest, grade):
    """Not exact, and so near: 2e-9 and 4e-7, by how the processor rounds a little more or less."""
    row = grade(name[:2], solution_of(LESSONS[name]))[gradient]
    assert row["exact"] is False
    assert smallest < row["maxdiff"] < largest


def test_figures_of_the_lecture_s_run():
    """The lecture's names are not in this repository: the page agrees with the log of a run on them."""
    log = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert "    32,033 names, 27 characters: 182,625 train / 22,655 validation / 22,866 test examples" in log
    assert re.search(r"    train      loss 2\.07\d\d", log) and re.search(r"    validation loss 2\.11\d\d", log)
    for figure in ("32,033 names, 27 characters", "182,625 / 22,655 / 22,866", "about 2.07 train and 2.11 validation"):
        assert figure in TEXT


def test_the_seed_is_the_lecture_s():
    assert LECTURE_SEED == 2147483647 and "seed 2147483647" in TEXT


def test_what_a_row_of_lessons_18_and_19_needs_is_taught_before_it():
    table = TEXT.split("### What the rows of lessons 18 and 19 need")[1].split("\n### ")[0]
    listed = []
    for line in (line for line in table.splitlines() if line.startswith("| `")):
        _, rows, _, where, _ = re.split(r" ?\| ?", line)
        here = re.findall(r"`(\d\d)\.(\w+)`", rows)
        listed += here
        taught = re.findall(r"[Ll]esson (\d\d)|(\d\d)'s README|`(\d\d)\.", where)
        numbers = {number for found in taught for number in found if number}
        assert numbers and max(numbers) <= min(number for number, _ in here), line
        assert all(lesson < here[0][0] for lesson in re.findall(r"`(\d\d)\.", where)), line
    rows = [(lesson.number, item.name) for lesson in LESSONS.values() for item in lesson.items]
    assert sorted(listed) == sorted(row for row in rows if row[0] in ("18", "19"))


def test_the_number_of_known_mistakes_of_lesson_18():
    (named,) = re.findall(r"(\d+) known mistakes are named", TEXT)
    assert int(named) == len(LESSONS["18_autograd_engine"].mistakes)
