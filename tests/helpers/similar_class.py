"""A made class with planted pairs: honest submissions from right answers in several styles and common mistakes."""

from __future__ import annotations

import ast
import random
from dataclasses import dataclass, field

from support import IMPORTS, ROOT

from bench.made_up_class import spellings
from grader.lesson.lesson import Course, Lesson
from grader.results import NamedMistake, Row

LESSONS = ("03", "05", "06")
SLIPS = ("-({})", "2 * ({})", "({}) / 2", "({}).abs()", "({}) / n", "({}) + 1", "({})[0]", "({}).mean()")
"""What a student may do to a right expression, by mistake; many do the first ones."""


@dataclass
class MadeClass:
    """`files`, `rows` and the planted pairs by kind."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    rows: dict[str, dict[tuple[str, str], Row]] = field(default_factory=dict)
    planted: dict[str, tuple[str, str]] = field(default_factory=dict)


@dataclass
class Choice:
    """One function as a student wrote it."""

    text: str
    status: str = "passed"
    mistake: str | None = None


Work = dict[str, dict[str, Choice]]
"""{lesson: {function: choice}}"""


def styles_of(lesson: Lesson) -> dict[str, list[str]]:
    """{function: right answers in several styles}, the answer key's first."""
    # without the comparisons of lesson 06: honest students don't write the same twenty lines
    names = [lesson.joint.name] if lesson.joint else lesson.functions
    return {name: texts for name, texts in spellings(lesson).items() if name in names}


def slipped(text: str, slip: str) -> str:
    """A right answer with a slip in what it returns."""
    tree = ast.parse(text)
    last = tree.body[0].body[-1]  # type: ignore[attr-defined]
    if isinstance(last, ast.Return) and last.value is not None:
        last.value = ast.parse(slip.format(ast.unparse(last.value)), mode="eval").body
    return ast.unparse(tree)


def honest(lessons: list[Lesson], styles: dict[str, dict[str, list[str]]], draw: random.Random) -> Work:
    work: Work = {}
    taste = draw.random()
    for lesson in lessons:
        own = work[lesson.name] = {}
        for name, texts in styles[lesson.name].items():
            mistakes = [mistake for mistake in lesson.mistakes if mistake.gradient == name and not mistake.old]
            chance = draw.random()
            if chance < 0.08 and mistakes:
                place = min(int(draw.expovariate(1.2)), len(mistakes) - 1)
                mistake = mistakes[place]
                own[name] = Choice(mistake.source(), "failed", mistake.id)
            elif chance < 0.12:
                slip = SLIPS[min(int(draw.expovariate(0.7)), len(SLIPS) - 1)]
                own[name] = Choice(slipped(texts[0], slip), "failed")
            elif chance < 0.16:
                continue
            else:
                is_plain = draw.random() < 0.3 + 0.6 * taste
                own[name] = Choice(texts[0] if is_plain else draw.choice(texts))
    return work


def written(work: dict[str, Choice], order: list[str] | None = None) -> str:
    return IMPORTS + "\n\n\n".join(work[name].text for name in order or work) + "\n"


class Renaming(ast.NodeTransformer):
    """Other names for a function's own variables."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        stored = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
        names = {name: f"my_{place}" for place, name in enumerate(dict.fromkeys(stored))}
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id in names:
                each.id = names[each.id]
        return node


def with_names_changed(text: str) -> str:
    return ast.unparse(Renaming().visit(ast.parse(text)))


def made_class(seed: int, count: int = 60) -> MadeClass:
    """A class of `count` honest students, and one more student for each planted pair."""
    course, draw, made = Course(ROOT), random.Random(seed), MadeClass()
    lessons = [course.find(number) for number in LESSONS]
    styles = {lesson.name: styles_of(lesson) for lesson in lessons}
    works: dict[str, Work] = {f"honest {place:03}": honest(lessons, styles, draw) for place in range(count - 4)}
    for place in range(count - 4, count):  # exactly the answer key
        key = {lesson: {name: Choice(texts[0]) for name, texts in own.items()} for lesson, own in styles.items()}
        works[f"honest {place:03}"] = key
    texts: dict[str, dict[str, str]] = {who: {le: written(own) for le, own in w.items()} for who, w in works.items()}
    sources = iter(draw.sample(sorted(works)[: count - 4], 6))

    def plant(kind: str, source: str, work: Work, changed: dict[str, str]) -> None:
        who = f"planted {kind}"
        works[who], texts[who] = work, changed
        made.planted[kind] = source, who

    source = next(sources)
    plant("identical", source, works[source], texts[source])
    source = next(sources)
    plant("renamed", source, works[source], {le: with_names_changed(t) for le, t in texts[source].items()})
    source = next(sources)
    reordered = {le: written(own, draw.sample([*own], len(own))) for le, own in works[source].items()}
    plant("reordered", source, works[source], reordered)
    source = next(sources)
    formatted = {
        le: "# lesson\n\n" + ast.unparse(ast.parse(t)).replace("\n    ", "\n        ")
        for le, t in texts[source].items()
    }
    plant("reformatted", source, works[source], formatted)
    source = next(sources)
    lesson = lessons[0].name
    own = honest(lessons, styles, draw)
    own[lesson] = works[source][lesson]
    plant("one lesson", source, own, {le: written(choices) for le, choices in own.items()})
    source = next(sources)
    odd = "def dhpreact(dh, h):\n    slope = 1 - h * h.abs() + 0.25 * h.mean()\n    return dh * slope.clamp(min=0.01)"
    renamed = "def dhpreact(h, dh):\n    k = h.mean() * 0.25 + (1 - h.abs() * h)\n    return k.clamp(min=1e-2) * dh"
    works[source] = works[source] | {lesson: works[source][lesson] | {"dhpreact": Choice(odd, "failed")}}
    own = honest(lessons, styles, draw)
    own[lesson] = own[lesson] | {"dhpreact": Choice(renamed, "failed")}
    texts[source] = {le: written(choices) for le, choices in works[source].items()}
    plant("rare wrong answer", source, own, {le: written(choices) for le, choices in own.items()})
    for who, own_texts in texts.items():
        made.files[who] = {f"{lesson}/backward.py": text.encode() for lesson, text in own_texts.items()}
        made.rows[who] = {
            (lesson, name): Row(
                name,
                choice.status,  # type: ignore[arg-type]
                0,
                1,
                mistake=NamedMistake(choice.mistake, "") if choice.mistake else None,
            )
            for lesson, choices in works[who].items()
            for name, choice in choices.items()
        }
    return made
