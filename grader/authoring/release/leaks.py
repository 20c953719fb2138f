"""Does anything in a kit give a secret away? Compared by content, in any file: code, notebooks, pages and prose.

A file leaks a function of solutions/ when it holds code that computes the same, or statements with more than MAX_SHARE
of its mass, each in its canonical form (grader/source/canonical.py). It also leaks when it is a file of solutions/,
quotes a sentence of a question's key, or holds an answer's marker. What the course publishes itself is no secret: the
forward pass, and what the stub keeps of the solution. A hint may quote a line of a longer answer, not the answer.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END
from grader.authoring.release.code_in_text import code_in
from grader.authoring.release.code_index import CodeIndex
from grader.authoring.release.engine import KitFiles, files_under
from grader.authoring.release.kit import lesson_files, stub_text
from grader.lesson.lesson import Course, Lesson
from grader.source.code_forms import (
    ComputedValue,
    computed_values,
    mass_of,
    mass_of_function,
    returned_value,
    whole_function,
)
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, all_nodes

MAX_SHARE = 0.6
"""Of a function's mass: statements with more than this are its answer."""
MIN_SENTENCE = 50
"""Characters of a sentence that nobody writes twice by chance."""
QUOTED_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MIN_HELPER = 20
"""Mass below which a function of a hidden suite says too little."""
ENGINE = "grader/"
"""The engine knows no lesson: only whole files and markers are looked for in it."""
MISTAKES = "mistakes.py"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ANSWER_MARKER = re.compile(rf"^\s*({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class SecretFunction:
    """A function of solutions/. `result` is None for one that does more than return a value.

    `statements` are (value, mass) of its statements, without public ones. A function of a suite is known as a whole
    only: examples.py may have the same lines.
    """

    name: str
    mass: int
    whole: ComputedValue
    result: ComputedValue | None
    statements: Sequence[tuple[ComputedValue, int]]

    @property
    def answers(self) -> str:
        """The function that it is an answer to: `dz` for a mistake `dz__averaged`, and `__add__` itself."""
        return self.name.partition("__")[0] or self.name

    def holders(self, code: CodeIndex) -> set[str]:
        """The files that hold it, or enough of its statements, with their names."""
        found = code.with_function(self.whole, self.mass)
        if self.result is not None:
            found |= code.with_value(self.result, self.mass, self.answers)
        held = Counter[str]()
        for value, mass in self.statements if len(self.statements) > 1 else ():
            held.update(dict.fromkeys(code.named.get(value.named, ()), mass))
        return found | {name for name, mass in held.items() if mass > MAX_SHARE * self.mass}


@dataclass(frozen=True)
class Secret:
    """A file of solutions/.

    Attributes:
        sentences: long ones of the keys to questions.
        worked: (file, function): a README that works a function's answer out on purpose.
    """

    what: str
    content: bytes
    functions: Sequence[SecretFunction] = ()
    sentences: Sequence[str] = ()
    worked: frozenset[tuple[str, str]] = frozenset()


def lesson_leaks(course: Course, names: Sequence[str]) -> Iterator[list[str]]:
    """For each of these lessons, sentences about what its public files give away of them. Raises LessonError, OSError.

    `grade release` compares each file of the kit with the secrets of all lessons.
    """
    lessons = [course.lessons[name] for name in names]
    secrets = secrets_of(course, lessons)
    yield from (leaks(lesson_files(lesson), secrets) for lesson in lessons)


def secrets_of(course: Course, lessons: Sequence[Lesson] | None = None) -> list[Secret]:
    """Everything in solutions/ that is not public, of all lessons or of `lessons`. Raises LessonError, OSError."""
    everything = list(course.lessons.values())
    public = CodeIndex()
    for lesson in everything:
        for text in published_texts(lesson):
            public.add("public", code_in("public.py", text))
    return [
        secret_in(path, lesson, course, public)
        for lesson in (everything if lessons is None else lessons)
        for path in files_under(lesson.solution)
    ]


def published_texts(lesson: Lesson) -> Iterator[str]:
    """The stub, and the forward pass with and without the tape's `t.`."""
    yield stub_text(lesson)
    forward = lesson.exercise / "forward.py"
    if forward.is_file():
        text = forward.read_text(encoding="utf-8")
        yield text
        yield re.sub(r"\bt\.", "", text)


def secret_in(path: Path, lesson: Lesson, course: Course, public: CodeIndex) -> Secret:
    """What a file of solutions/ keeps secret."""
    text, sentences = "", list[str]()
    if path.suffix == ".py":
        text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".toml":
        sentences = QUOTED_STRING.findall(path.read_text(encoding="utf-8", errors="replace"))
    if path.name == MISTAKES:
        text += "".join(f"\n\n{mistake.declaration()}\n" for mistake in lesson.mistakes)
    is_suite = path == lesson.suite
    functions = [each for each in secret_functions(text, public, is_suite) if not each.holders(public)]
    return Secret(
        f"{path.relative_to(course.root)}",
        path.read_bytes(),
        [each for each in functions if each.mass >= MIN_HELPER] if is_suite else functions,
        [spaced for each in sentences if len(spaced := " ".join(each.split())) >= MIN_SENTENCE],
        frozenset((f"exercises/{lesson.name}/README.md", name) for name in lesson.config.public.worked),
    )


def secret_functions(text: str, public: CodeIndex, is_suite: bool) -> Iterator[SecretFunction]:
    """The functions in a Python file of solutions/."""
    tree = parse_text(text)
    for node in all_nodes(tree) if tree is not None else ():
        if isinstance(node, FunctionDefinition):
            with suppress(RecursionError):
                statements = [] if is_suite else [pair for each in node.body for pair in statement_values(each)]
                yield SecretFunction(
                    node.name,
                    mass_of_function(node),
                    whole_function(node),
                    None if is_suite else returned_value(node.body),
                    [(value, mass) for value, mass in statements if value.named not in public.named],
                )


def statement_values(statement: ast.stmt) -> Iterator[tuple[ComputedValue, int]]:
    """(value, mass) of the value that a simple statement computes."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return):
        for value in computed_values([statement])[-1:]:
            yield value, mass_of(statement)


def leaks(kit: KitFiles, secrets: Sequence[Secret]) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away.

    A function of a lesson is named once for each file: its variants compute the same.
    """
    found, texts, code = dict[str, str](), dict[str, str](), CodeIndex()
    whole = {secret.content: secret.what for secret in secrets if secret.content.strip()}
    for name, content in kit.items():
        if content in whole:
            found[f"{name} is"] = f"{name} is {whole[content]}."
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            if not name.lower().endswith(PICTURES):
                found[name] = f"{name} is no text, so what is in it cannot be checked: leave it out, or unpack it."
            continue
        if ANSWER_MARKER.search(text):
            found[name] = f"{name} holds an answer's marker ({ANSWER_BEGIN})."
        if not name.startswith(ENGINE):
            texts[name] = " ".join(text.split())
            code.add(name, code_in(name, text))
    for secret in secrets:
        lesson = "/".join(secret.what.split("/")[:2])
        for sentence in secret.sentences:
            for name in (name for name, text in texts.items() if sentence in text):
                found[f"{name} {sentence}"] = f"{name} quotes {secret.what}: {sentence[:60]!r} ..."
        for function in secret.functions:
            for name in sorted(function.holders(code)):
                if (name, function.answers) not in secret.worked:
                    sentence = f"{name} gives away `{function.name}` of {secret.what}."
                    found.setdefault(f"{name} {function.name} {lesson}", sentence)
    return list(found.values())
