"""Does anything in a kit give a secret away? Compared by content, in any file: code, notebooks, pages and prose.

A file leaks a function of solutions/ when it holds code that computes the same, or statements with more than MAX_SHARE
of its mass, each in its canonical form (grader/source/canonical.py). It also leaks when it is a file of solutions/,
quotes a sentence of a question's key, or holds an answer's marker. What the course publishes itself is no secret: the
forward pass, and what the stub keeps of the solution. A hint may quote a line of a longer answer, not the answer.
"""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END
from grader.authoring.release.code_in_text import code_in
from grader.authoring.release.engine import KitFiles, files_under
from grader.authoring.release.kit import lesson_files, stub_text
from grader.lesson.lesson import Course, Lesson
from grader.source.code_forms import (
    ComputedValue,
    bodies,
    computed_values,
    mass_of,
    returned_value,
    whole_function,
)
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, all_nodes

MAX_SHARE = 0.6
"""Of a function's mass: statements with more than this are its answer."""
MIN_ASSIGNED_MASS, MIN_NAMED_MASS, MIN_RENAMED_MASS, MIN_FORM_CHARACTERS = 2, 5, 8, 16
"""Mass below which code is too short to be known by its canonical form: where the text says which gradient it is, with
its names, and without them (then its form also has MIN_FORM_CHARACTERS, or it is little more than a pair)."""
MIN_SENTENCE = 50
"""Characters of a sentence that nobody writes twice by chance."""
QUOTED_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
MIN_HELPER = 20
"""Mass below which a function of a hidden suite says too little."""
ENGINE = "grader/"
"""The engine knows no lesson: only whole files and markers are looked for in it."""
HINTS_FILE = "lesson.toml"
"""The last hint is nearly the answer: an expression in it is no leak, a function or several statements are."""
MISTAKES = "mistakes.py"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ANSWER_MARKER = re.compile(rf"^\s*({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\s*$", re.MULTILINE)


@dataclass(frozen=True, eq=False)
class SecretFunction:
    """A function in a file of solutions/.

    Attributes:
        file, lesson: the path of the file in the course, and the lesson's name.
        result: None for one that does more than return a value.
        statements: {the form of a statement with its names: its mass}; empty for a function of a suite, which is known
            as a whole only: examples.py may have the same lines.
    """

    file: str
    lesson: str
    name: str
    mass: int
    whole: ComputedValue
    result: ComputedValue | None
    statements: dict[str, int]

    @property
    def answers(self) -> str:
        """The function that it is an answer to: `dz` for a mistake `dz__averaged`, and `__add__` itself."""
        return self.name.partition("__")[0] or self.name

    def is_result(self, value: ComputedValue, gradient: str) -> bool:
        """Whether `value` is what it returns. `gradient` is what the text calls it, which a short one must."""
        if self.result is None:
            return False
        if self.result.named == value.named:
            return self.mass >= (MIN_ASSIGNED_MASS if gradient == self.answers else MIN_NAMED_MASS)
        is_long = len(value.blank) >= MIN_FORM_CHARACTERS or value.blank.startswith("#")
        return self.mass >= MIN_RENAMED_MASS and is_long and self.result.renamed == value.renamed


@dataclass
class Secrets:
    """All that is secret in some lessons.

    Attributes:
        whole: {content of a file of solutions/: its path}.
        sentences: (a long one of a key to a question, the path of its file).
        worked: (a README, a function): it works the function's answer out on purpose.
    """

    functions: list[SecretFunction] = field(default_factory=list)
    whole: dict[bytes, str] = field(default_factory=dict)
    sentences: list[tuple[str, str]] = field(default_factory=list)
    worked: set[tuple[str, str]] = field(default_factory=set)

    def without(self, *names: str) -> Secrets:
        """What is secret except the contents of the files of these names."""
        whole = {content: path for content, path in self.whole.items() if not path.endswith(names)}
        kept = [each for each in self.sentences if not each[1].endswith(names)]
        return Secrets(self.functions, whole, kept, self.worked)


class CodeSearch:
    """Finds the functions that pieces of code give away."""

    def __init__(self, functions: Sequence[SecretFunction]) -> None:
        self._results, self._wholes = (
            defaultdict[str, list[SecretFunction]](list),
            defaultdict[str, list[SecretFunction]](list),
        )
        self._statements = defaultdict[str, list[SecretFunction]](list)
        for function in functions:
            if function.result is not None:
                for form in {function.result.named, function.result.blank}:
                    self._results[form].append(function)
            if function.mass >= MIN_RENAMED_MASS:
                self._wholes[function.whole.blank].append(function)
            for form in function.statements if len(function.statements) > 1 else ():
                self._statements[form].append(function)

    def held(self, name: str, pieces: Iterable[ast.Module]) -> set[SecretFunction]:
        """The functions that the pieces of code of a file compute, or enough of whose statements are in them."""
        found, forms = set[SecretFunction](), set[str]()
        for tree in pieces:
            with suppress(RecursionError):
                for owner, value in values_in(name, tree):
                    forms.add(value.named)
                    for function in {*self._results.get(value.named, ()), *self._results.get(value.blank, ())}:
                        if function.is_result(value, owner or value.name):
                            found.add(function)
                for node in all_nodes(tree):
                    if isinstance(node, FunctionDefinition):
                        whole = whole_function(node)
                        alike = self._wholes.get(whole.blank, ())
                        found |= {function for function in alike if function.whole.renamed == whole.renamed}
        held = Counter[SecretFunction]()
        for form in forms:
            for function in self._statements.get(form, ()):
                held[function] += function.statements[form]
        return found | {function for function, mass in held.items() if mass > MAX_SHARE * function.mass}


def values_in(name: str, tree: ast.Module) -> Iterator[tuple[str, ComputedValue]]:
    """(the function around it or "", value) of each value that a piece of code of the file `name` computes."""
    for owner, body in bodies(tree):
        if not (name.endswith(HINTS_FILE) and len(body) == 1 and not owner):
            parts = [body, *([each] for each in body)] if len(body) > 1 else [body]
            yield from ((owner, value) for part in parts for value in computed_values(part))


def lesson_leaks(course: Course, names: Sequence[str]) -> Iterator[list[str]]:
    """For each of these lessons, sentences about what its public files give away of them. Raises LessonError, OSError.

    `grade release` compares each file of the kit with the secrets of all lessons.
    """
    lessons = [course.lessons[name] for name in names]
    secrets = secrets_of(course, lessons)
    yield from (leaks(lesson_files(lesson), secrets) for lesson in lessons)


def secrets_of(course: Course, lessons: Sequence[Lesson] | None = None) -> Secrets:
    """Everything in solutions/ that is not public, of all lessons or of `lessons`. Raises LessonError, OSError."""
    everything, secrets = list(course.lessons.values()), Secrets()
    public = [tree for lesson in everything for text in published_texts(lesson) for tree in code_in("public.py", text)]
    published = {value.named for tree in public for _, value in values_in("", tree)}
    for lesson in everything if lessons is None else lessons:
        secrets.worked |= {(f"exercises/{lesson.name}/README.md", name) for name in lesson.config.public.worked}
        for path in files_under(lesson.solution):
            content, file = path.read_bytes(), str(path.relative_to(course.root))
            text = content.decode("utf-8", errors="replace")
            if content.strip():
                secrets.whole[content] = file
            if path.suffix == ".toml":
                spaced = (" ".join(each.split()) for each in QUOTED_STRING.findall(text))
                secrets.sentences += [(each, file) for each in spaced if len(each) >= MIN_SENTENCE]
            if path.name == MISTAKES:
                text += "".join(f"\n\n{mistake.declaration()}\n" for mistake in lesson.mistakes)
            if path.suffix == ".py":
                found = secret_functions(file, lesson.name, text, path == lesson.suite, published)
                secrets.functions += found
    known = CodeSearch(secrets.functions).held("public.py", public)
    secrets.functions = [function for function in secrets.functions if function not in known]
    return secrets


def published_texts(lesson: Lesson) -> Iterator[str]:
    """The stub, and the forward pass with and without the tape's `t.`."""
    yield stub_text(lesson)
    forward = lesson.exercise / "forward.py"
    if forward.is_file():
        text = forward.read_text(encoding="utf-8")
        yield text
        yield re.sub(r"\bt\.", "", text)


def secret_functions(
    file: str, lesson: str, text: str, is_suite: bool, published: set[str]
) -> Iterator[SecretFunction]:
    """The functions in a Python file of solutions/; `published` are forms that are public."""
    tree = parse_text(text)
    for node in all_nodes(tree) if tree is not None else ():
        if isinstance(node, FunctionDefinition) and not (is_suite and mass_of(node) < MIN_HELPER):
            with suppress(RecursionError):
                statements = [] if is_suite else [pair for each in node.body for pair in statement_values(each)]
                yield SecretFunction(
                    file,
                    lesson,
                    node.name,
                    mass_of(node),
                    whole_function(node),
                    None if is_suite else returned_value(node.body),
                    {value.named: mass for value, mass in statements if value.named not in published},
                )


def statement_values(statement: ast.stmt) -> Iterator[tuple[ComputedValue, int]]:
    """(value, mass) of the value that a simple statement computes."""
    if isinstance(statement, ast.Assign | ast.AugAssign | ast.Return):
        for value in computed_values([statement])[-1:]:
            yield value, mass_of(statement)


def leaks(kit: KitFiles, secrets: Secrets) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away.

    A function of a lesson is named once for each file: its variants compute the same.
    """
    found, search = dict[str, str](), CodeSearch(secrets.functions)
    for name, content in kit.items():
        if content in secrets.whole:
            found[f"{name} is"] = f"{name} is {secrets.whole[content]}."
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            if not name.lower().endswith(PICTURES):
                found[name] = f"{name} is no text, so what is in it cannot be checked: leave it out, or unpack it."
            continue
        if ANSWER_MARKER.search(text):
            found[name] = f"{name} holds an answer's marker ({ANSWER_BEGIN})."
        if name.startswith(ENGINE):
            continue
        spaced = " ".join(text.split())
        for sentence, file in secrets.sentences:
            if sentence in spaced:
                found[f"{name} {sentence}"] = f"{name} quotes {file}: {sentence[:60]!r} ..."
        for function in sorted(search.held(name, code_in(name, text)), key=secrets.functions.index):
            if (name, function.answers) not in secrets.worked:
                sentence = f"{name} gives away `{function.name}` of {function.file}."
                found.setdefault(f"{name} {function.name} {function.lesson}", sentence)
    return list(found.values())
