"""Does anything in a kit give a secret away? Compared by content: answers, suites, mistakes and variants, in any file.

A file leaks a function when it holds most of its statements (in any layout, as code or quoted in prose), or code that
computes the same in the same way, whatever its names, order and layout are (grader/source/canonical.py). It leaks a
text when it holds a long sentence of it. What the course publishes itself is no secret:
the forward pass, and what the stub keeps of the solution. A hint may quote a line of a longer answer, not the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from grader.authoring.lesson_sources import ANSWER_BEGIN, ANSWER_END
from grader.authoring.release.code_in_text import code_in
from grader.authoring.release.engine import KitFiles, files_under
from grader.authoring.release.kit import lesson_files, stub_text
from grader.authoring.release.pieces import FunctionPieces, Pieces, condense, pieces_of, python_pieces, words_of
from grader.authoring.release.same_answers import CodeIndex, SecretForm, code_index, secret_forms
from grader.lesson.lesson import Course, Lesson

MAX_SHARE = 0.6
"""Of a function's mass: more than this is its answer. Hints of the course quote up to 0.53 of one."""
MAX_MASS = 60
"""Of a long function in one file, whatever its share: three or four statements."""
MIN_ANSWER, MIN_HELPER = 5, 20
"""Mass below which a function says too little: of an answer or a mistake; of a suite."""
MIN_STATEMENT = 12
"""Characters of a statement that is looked for in prose."""
MIN_SENTENCE = 50
"""Characters, condensed, of a string or comment that nobody writes twice by chance."""
MAX_MISTAKES = 2
"""Names of a lesson's known mistakes in one file: more are a list of them."""
ENGINE = "grader/"
"""The engine knows no lesson: what it computes is compared as text only."""
QUOTED_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+|\n\s*\n")
MISTAKES = "mistakes.py"
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
ANSWER_MARKER = re.compile(rf"^\s*({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Secret:
    """Something of solutions/ in pieces; `what` it is in words. Of `mistakes` the names count, all together.

    `worked` are (file, function): a README that works a function's answer out on purpose. `content` is the whole file.
    """

    what: str
    functions: Sequence[FunctionPieces] = ()
    sentences: Sequence[str] = ()
    mistakes: Sequence[str] = ()
    forms: Sequence[SecretForm] = ()
    worked: frozenset[tuple[str, str]] = frozenset()
    content: bytes = b""


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
    public = PublicCode.of(
        [pieces for lesson in everything for pieces in published_pieces(lesson)],
        [text for lesson in everything for text in published_texts(lesson)],
    )
    return [
        secret_in(path, lesson, course, public)
        for lesson in (everything if lessons is None else lessons)
        for path in files_under(lesson.solution)
    ]


@dataclass(frozen=True)
class PublicCode:
    """What the course publishes: its statements, its sentences as one text, and what its code computes."""

    statements: set[str]
    text: str
    forms: Sequence[CodeIndex]

    @classmethod
    def of(cls, pieces: Sequence[Pieces], texts: Sequence[str]) -> PublicCode:
        forms = CodeIndex()
        for text in texts:
            forms.add("public", code_in("public.py", text))
        statements = {statement for each in pieces for statement in each.statements}
        return cls(statements, " ".join(sentence for each in pieces for sentence in each.sentences), [forms])


def secret_in(path: Path, lesson: Lesson, course: Course, public: PublicCode) -> Secret:
    """What a file of solutions/ keeps secret."""
    text = path.read_text(encoding="utf-8", errors="replace")
    are_mistakes, is_suite = path.name == MISTAKES, path == lesson.suite
    if are_mistakes:
        text += "".join(f"\n\n{mistake.declaration()}\n" for mistake in lesson.mistakes)
    pieces = pieces_of(path.name, text)
    functions = [without_public(function, public.statements) for function in pieces.functions]
    least = MIN_HELPER if is_suite else MIN_ANSWER
    sentences = pieces.sentences if pieces.functions else long_lines(path)
    forms = [form for form in secret_forms(text) if not any(index.holders(form) for index in public.forms)]
    if is_suite:
        forms = [replace(form, result=None) for form in forms if form.mass >= MIN_HELPER]
    return Secret(
        f"{path.relative_to(course.root)}",
        [function for function in functions if function.mass >= least],
        [sentence for sentence in sentences if len(sentence) >= MIN_SENTENCE and sentence not in public.text],
        [mistake.name for mistake in lesson.mistakes] if are_mistakes else [],
        forms,
        frozenset((f"exercises/{lesson.name}/README.md", name) for name in lesson.config.public.worked),
        path.read_bytes(),
    )


def published_texts(lesson: Lesson) -> Iterator[str]:
    """The stub, and the forward pass with and without the tape's `t.`."""
    yield stub_text(lesson)
    forward = lesson.exercise / "forward.py"
    if forward.is_file():
        text = forward.read_text(encoding="utf-8")
        yield text
        yield re.sub(r"\bt\.", "", text)


def published_pieces(lesson: Lesson) -> Iterator[Pieces]:
    yield from (pieces for text in published_texts(lesson) if (pieces := python_pieces(text)) is not None)


def without_public(function: FunctionPieces, public: set[str]) -> FunctionPieces:
    """The function without its `public` statements."""
    kept = {text: mass for text, mass in function.statements.items() if text not in public}
    return FunctionPieces(function.name, kept)


def long_lines(path: Path) -> list[str]:
    """The lines of a file that is not Python, such as a data file, condensed; of a TOML file the texts in quotes.

    Of a Markdown file the sentences. What it quotes (`> `) is left out: the questions of a README are public.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if path.suffix == ".md":
        lines = SENTENCE_ENDS.split("\n".join(line for line in lines if not line.startswith(">")))
    elif path.suffix == ".toml":
        lines = QUOTED_STRING.findall(text)
    return [condense(part).strip() for part in lines]


def leaks(kit: KitFiles, secrets: Sequence[Secret]) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away."""
    found, texts = [], {}
    whole = {secret.content: secret.what for secret in secrets if secret.content.strip()}
    for name, content in kit.items():
        if content in whole:
            found.append(f"{name} is {whole[content]}.")
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            if not name.lower().endswith(PICTURES):
                found.append(f"{name} is no text, so what is in it cannot be checked: leave it out, or unpack it.")
            continue
        if ANSWER_MARKER.search(text):
            found.append(f"{name} holds an answer's marker ({ANSWER_BEGIN}).")
        texts[name] = pieces_of(name, text)
    index = KitIndex(texts)
    code = code_index({name: kit[name].decode() for name in texts if not name.startswith(ENGINE)})
    for secret in secrets:
        found += index.leaks_of(secret)
    return [*dict.fromkeys(found), *same_answers(code, secrets, found)]


def same_answers(code: CodeIndex, secrets: Sequence[Secret], known: Sequence[str]) -> Iterator[str]:
    """Sentences about functions that files hold in another form, besides the `known` ones.

    A function of a lesson is named once for each file: its variants compute the same.
    """
    said: set[str] = set()
    for secret in secrets:
        for form in secret.forms:
            for name in sorted(code.holders(form)):
                sentence = f"{name} gives away `{form.name}` of {secret.what}"
                start = sentence.removesuffix(secret.what) + "/".join(secret.what.split("/")[:2])
                is_known = start in said or any(each.startswith(start) for each in known)
                if not is_known and (name, form.answers) not in secret.worked:
                    said.add(start)
                    yield f"{sentence}, in another form."


class KitIndex:
    """An index of the kit's files in pieces. `leaked` says what they contain of a secret."""

    def __init__(self, texts: dict[str, Pieces]) -> None:
        self._words = {name: pieces.words for name, pieces in texts.items()}
        self._prose = {name: "\n".join(pieces.sentences) for name, pieces in texts.items()}
        self._with_word: dict[str, list[str]] = {}  # {a word: the files whose prose has it}
        for name, prose in self._prose.items():
            for word in words_of(prose):
                self._with_word.setdefault(word, []).append(name)
        self._statements: dict[str, set[str]] = {}
        for name, pieces in texts.items():
            for statement in pieces.statements:
                self._statements.setdefault(statement, set()).add(name)

    def leaks_of(self, secret: Secret) -> Iterator[str]:
        for function in secret.functions:
            what = f"`{function.name}` of {secret.what}" if function.name else f"{secret.what}"
            for name in self._holders(function):
                yield f"{name} gives away {what}."
        for sentence in secret.sentences:
            for name in self._quoting(sentence):
                yield f"{name} quotes {secret.what}: {sentence[:60]!r} ..."
        for name, words in self._words.items():
            if len(words & set(secret.mistakes)) > MAX_MISTAKES:
                yield f"{name} lists mistakes of {secret.what}."

    def _holders(self, function: FunctionPieces) -> Iterator[str]:
        held: dict[str, int] = {}
        for statement, mass in function.statements.items():
            ways = ways_of_writing(statement, function.name)
            here = {name for way in ways for name in (*self._statements.get(way, ()), *self._quoting(way))}
            for name in here:
                held[name] = held.get(name, 0) + mass
        yield from (name for name, mass in held.items() if mass > MAX_SHARE * function.mass or mass >= MAX_MASS)

    def _quoting(self, text: str) -> Iterator[str]:
        """Files whose prose (comments and strings included) holds this text, not as a part of a longer name."""
        if len(text) < MIN_STATEMENT:
            return
        files = min((self._with_word.get(word, []) for word in words_of(text)), key=len, default=list(self._prose))
        whole = rf"(?<![\w.]){re.escape(text)}(?![\w(\[.])"
        yield from (name for name in files if text in self._prose[name] and re.search(whole, self._prose[name]))


def ways_of_writing(statement: str, function: str) -> tuple[str, ...]:
    """The statement; of `return ...` also what the lecture writes: the gradient's name, `=`, and the same."""
    gradient = function.partition("__")[0]
    given = statement.removeprefix("return ")
    return (statement,) if given == statement or not gradient else (statement, f"{gradient}={given}")
