"""Does anything in a kit give a secret away? Compared by content, in any file: code, notebooks, pages and prose.

Code is compared by its canonical forms (grader/source/canonical.py). A file leaks a function of solutions/ when it has
forms of more than MAX_SHARE of it: of all that it does, of what it returns, or of its statements. A file also leaks
when it is a file of solutions/, quotes a sentence of a question's key, or holds an answer's marker. What the course
publishes itself is no secret: the forward pass, and what the stub keeps of the solution.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END
from grader.authoring.release.code_in_text import QUOTED_STRING, code_in
from grader.authoring.release.engine import KitFiles, files_under
from grader.authoring.release.kit import lesson_files, stub_text
from grader.lesson.lesson import Course, Lesson
from grader.source.code_forms import bodies, computed_values, mass_of, returned_value, whole_form
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, all_nodes

MAX_SHARE = 0.6
"""Of a function's mass: statements with more than this are its answer."""
MIN_ASSIGNED_MASS, MIN_NAMED_MASS, MIN_BLANK_MASS, MIN_FORM_CHARACTERS = 2, 5, 8, 16
"""Mass below which code is too short to be known by its canonical form: where the text says which gradient it is, with
its names, and without them (then its form also has MIN_FORM_CHARACTERS, or it is little more than a pair)."""
MIN_SENTENCE = 50
"""Characters of a sentence that nobody writes twice by chance."""
MIN_HELPER = 20
"""Mass below which a function of a hidden suite says too little."""
ENGINE = "grader/"
"""The engine knows no lesson: only whole files and markers are looked for in it."""
HINTS_FILE = "lesson.toml"
"""The last hint is nearly the answer: an expression in it is no leak, a function or several statements are."""
MISTAKES = "mistakes.py"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ANSWER_MARKER = re.compile(rf"^\s*({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class SecretFunction:
    """A function in a file of solutions/.

    Attributes:
        file, lesson: the path of the file in the course, and the lesson's name.
        answers: the function that it is an answer to: `dz` for a mistake `dz__averaged`, and `__add__` itself.
        forms: {a canonical form: the mass of what has it}
    """

    file: str
    lesson: str
    name: str
    answers: str
    mass: int
    forms: dict[str, int]

    def is_in(self, forms: set[str]) -> bool:
        return sum(mass for form, mass in self.forms.items() if form in forms) > MAX_SHARE * self.mass


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
        return replace(self, whole=whole, sentences=[each for each in self.sentences if not each[1].endswith(names)])


def lesson_leaks(course: Course, names: Sequence[str]) -> Iterator[list[str]]:
    """For each of these lessons, sentences about what its public files give away of them. Raises LessonError, OSError.

    `grade release` compares each file of the kit with the secrets of all lessons.
    """
    lessons = [course.lessons[name] for name in names]
    secrets = secrets_of(course, lessons)
    yield from (leaks(lesson_files(lesson), secrets) for lesson in lessons)


def secrets_of(course: Course, lessons: Sequence[Lesson] | None = None) -> Secrets:
    """Everything in solutions/ that is not public, of all lessons or of `lessons`. Raises LessonError, OSError."""
    everything, secrets, public = list(course.lessons.values()), Secrets(), set[str]()
    for lesson in everything:
        forward = lesson.exercise / "forward.py"
        text = forward.read_text(encoding="utf-8") if forward.is_file() else ""
        for published in (stub_text(lesson), text, re.sub(r"\bt\.", "", text)):
            public |= forms_in(code_in(published))
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
            tree = parse_text(text) if path.suffix == ".py" else None
            for node in all_nodes(tree) if tree is not None else ():
                if isinstance(node, FunctionDefinition) and not (path == lesson.suite and mass_of(node) < MIN_HELPER):
                    answers, mass = node.name.partition("__")[0] or node.name, mass_of(node)
                    forms = function_forms(node, answers, mass, path == lesson.suite)
                    if public.isdisjoint(form for form, part in forms.items() if part == mass):
                        forms = {form: part for form, part in forms.items() if form not in public}
                        secrets.functions.append(SecretFunction(file, lesson.name, node.name, answers, mass, forms))
    return secrets


def function_forms(node: FunctionDefinition, answers: str, mass: int, is_helper: bool) -> dict[str, int]:
    """{a form by which a secret function is known: the mass of what has it}. A helper of a suite is known as a whole
    only: examples.py may have the same lines.
    """
    found = dict[str, int]()
    with suppress(RecursionError):
        for each in node.body if len(node.body) > 1 and not is_helper else ():
            if isinstance(each, ast.Assign | ast.AugAssign | ast.Return):
                found |= {value.named: mass_of(each) for value in computed_values([each])[-1:]}
        if mass >= MIN_BLANK_MASS:
            found[whole_form(node)] = mass
        if not is_helper and (result := returned_value(node.body)) is not None:
            if mass >= MIN_ASSIGNED_MASS:
                found[f"{answers} = {result.named}"] = mass
            if mass >= MIN_NAMED_MASS:
                found[result.named] = mass
            if mass >= MIN_BLANK_MASS and (len(result.blank) >= MIN_FORM_CHARACTERS or result.blank.startswith("#")):
                found[result.blank] = mass
    return found


def forms_in(pieces: Iterable[ast.Module], is_hints: bool = False) -> set[str]:
    """The forms of all that pieces of code compute. In hints, a single statement outside functions has none."""
    found = set[str]()
    for tree in pieces:
        with suppress(RecursionError):
            for owner, body in bodies(tree):
                for part in [body, *([each] for each in body)] if len(body) > 1 else [body]:
                    for value in computed_values(part) if owner or len(body) > 1 or not is_hints else ():
                        found |= {value.named, value.blank, f"{owner or value.name} = {value.named}"}
            found |= {whole_form(node) for node in all_nodes(tree) if isinstance(node, FunctionDefinition)}
    return found


def leaks(kit: KitFiles, secrets: Secrets) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away.

    A function of a lesson is named once for each file: its variants compute the same.
    """
    found = dict[str, str]()
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
        forms = forms_in(code_in(text), name.endswith(HINTS_FILE))
        for function in secrets.functions:
            if function.is_in(forms) and (name, function.answers) not in secrets.worked:
                sentence = f"{name} gives away `{function.name}` of {function.file}."
                found.setdefault(f"{name} {function.name} {function.lesson}", sentence)
    return list(found.values())
