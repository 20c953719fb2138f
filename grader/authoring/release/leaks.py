"""Does anything in a kit give a secret away? Compared by content: answers, suites, mistakes and variants, in any file.

A file leaks a function when it holds most of its statements (in any layout, as code or quoted in prose), or all of it
under other names; it leaks a text when it holds a long sentence of it. What the course publishes itself is no secret:
the forward pass, and what the stub keeps of the solution. A hint may quote a line of a longer answer, not the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.release.engine import Files, files_under
from grader.authoring.release.kit import stub_text
from grader.authoring.release.pieces import FunctionPieces, Pieces, condense, pieces_of, python_pieces
from grader.authoring.stubs import CLOSE, OPEN
from grader.lesson.lesson import Course, Lesson

MOST_SHARE = 0.6
"""Of a function's mass: more than this is its answer. Hints of the course quote up to 0.53 of one."""
MOST_MASS = 60
"""Of a long function in one file, whatever its share: three or four statements."""
LEAST_ANSWER, LEAST_HELPER, LEAST_SHAPE = 5, 20, 20
"""Mass below which a function says too little: of an answer or a mistake; of a suite; to be known without its names."""
LEAST_STATEMENT = 12
"""Characters of a statement that is looked for in prose."""
LEAST_SENTENCE = 50
"""Characters, condensed, of a string or comment that nobody writes twice by chance."""
MOST_MISTAKES = 2
"""Names of a lesson's known mistakes in one file: more are a list of them."""
SENTENCE_ENDS = re.compile(r"(?<=[.?!])\s+|\n\s*\n")
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
MARKER = re.compile(rf"^\s*({re.escape(OPEN)}|{re.escape(CLOSE)})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class Secret:
    """Something of solutions/ in pieces; `what` it is in words. Of `mistakes` the names count, all together."""

    what: str
    functions: Sequence[FunctionPieces] = ()
    sentences: Sequence[str] = ()
    mistakes: Sequence[str] = ()


def secrets_of(course: Course) -> list[Secret]:
    """Everything in solutions/ that is not public, of all lessons. Raises LessonError, OSError."""
    public = Pieces()
    for lesson in course.lessons.values():
        for pieces in published(lesson):
            public.functions += pieces.functions
            public.sentences += pieces.sentences
    known, said = public.statements, " ".join(public.sentences)
    found = []
    for lesson in course.lessons.values():
        for path in files_under(lesson.solution):
            text = path.read_text(encoding="utf-8", errors="replace")
            if path.name == "mistakes.py":
                text += "".join(f"\n\n{mistake.declaration()}\n" for mistake in lesson.mistakes)
            pieces = pieces_of(path.name, text)
            least = LEAST_HELPER if path == lesson.suite else LEAST_ANSWER
            functions = [without_public(function, known) for function in pieces.functions]
            sentences = pieces.sentences if pieces.functions else long_lines(path)
            found.append(
                Secret(
                    f"{path.relative_to(course.root)}",
                    [function for function in functions if function.mass >= least],
                    [text for text in sentences if len(text) >= LEAST_SENTENCE and text not in said],
                    [f"{mistake.gradient}__{mistake.id}" for mistake in lesson.mistakes]
                    if path.name == "mistakes.py"
                    else [],
                )
            )
    return found


def published(lesson: Lesson) -> Iterator[Pieces]:
    """The stub, and the forward pass with and without the tape's `t.`."""
    forward = lesson.exercise / "forward.py"
    texts = [stub_text(lesson)]
    if forward.is_file():
        text = forward.read_text(encoding="utf-8")
        texts += [text, re.sub(r"\bt\.", "", text)]
    yield from (pieces for text in texts if (pieces := python_pieces(text)) is not None)


def without_public(function: FunctionPieces, public: set[str]) -> FunctionPieces:
    """The function without its `public` statements."""
    kept = {text: mass for text, mass in function.statements.items() if text not in public}
    return FunctionPieces(function.name, kept, function.shape if kept else "")


def long_lines(path: Path) -> list[str]:
    """The lines of a file that is not Python, such as a data file, or the sentences of a Markdown file, condensed.

    What a Markdown file quotes (`> `) is left out: the questions of a README are public.
    """
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.splitlines()
    if path.suffix == ".md":
        lines = SENTENCE_ENDS.split("\n".join(line for line in lines if not line.startswith(">")))
    return [condense(part).strip() for part in lines]


def leaks(kit: Files, secrets: Sequence[Secret]) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away."""
    found, texts = [], {}
    for name, content in kit.items():
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            if not name.lower().endswith(PICTURES):
                found.append(f"{name} is no text, so what is in it cannot be checked: leave it out, or unpack it.")
            continue
        if MARKER.search(text):
            found.append(f"{name} holds an answer's marker ({OPEN}).")
        texts[name] = pieces_of(name, text)
    shelf = KitIndex(texts)
    for secret in secrets:
        found += shelf.leaked(secret)
    return list(dict.fromkeys(found))


class KitIndex:
    """An index of the kit's files in pieces. `leaked` says what they contain of a secret."""

    def __init__(self, texts: dict[str, Pieces]) -> None:
        self._words = {name: pieces.words for name, pieces in texts.items()}
        self._prose = {name: "\n".join(pieces.sentences) for name, pieces in texts.items()}
        self._all_prose = "\n".join(self._prose.values())
        self._statements: dict[str, set[str]] = {}
        self._shapes: dict[str, str] = {}
        for name, pieces in texts.items():
            for statement in pieces.statements:
                self._statements.setdefault(statement, set()).add(name)
            for function in pieces.functions:
                self._shapes.setdefault(function.shape, name)

    def leaked(self, secret: Secret) -> Iterator[str]:
        for function in secret.functions:
            what = f"`{function.name}` of {secret.what}" if function.name else f"{secret.what}"
            for name in self._holders(function):
                yield f"{name} gives away {what}."
        for sentence in secret.sentences:
            for name in self._quoting(sentence):
                yield f"{name} quotes {secret.what}: {sentence[:60]!r} ..."
        for name, words in self._words.items():
            if len(words & set(secret.mistakes)) > MOST_MISTAKES:
                yield f"{name} lists mistakes of {secret.what}."

    def _holders(self, function: FunctionPieces) -> Iterator[str]:
        held: dict[str, int] = {}
        for statement, mass in function.statements.items():
            ways = ways_of_writing(statement, function.name)
            here = {name for way in ways for name in (*self._statements.get(way, ()), *self._quoting(way))}
            for name in here:
                held[name] = held.get(name, 0) + mass
        yield from (name for name, mass in held.items() if mass > MOST_SHARE * function.mass or mass >= MOST_MASS)
        if function.shape and function.mass >= LEAST_SHAPE and function.shape in self._shapes:
            yield self._shapes[function.shape]

    def _quoting(self, text: str) -> Iterator[str]:
        """Files whose prose (comments and strings included) holds this text, not as a part of a longer name."""
        if len(text) < LEAST_STATEMENT or text not in self._all_prose:
            return
        whole = re.compile(rf"(?<![\w.]){re.escape(text)}(?![\w(\[.])")
        yield from (name for name, prose in self._prose.items() if text in prose and whole.search(prose))


def ways_of_writing(statement: str, function: str) -> tuple[str, ...]:
    """The statement; of `return ...` also what the lecture writes: the gradient's name, `=`, and the same."""
    gradient = function.partition("__")[0]
    given = statement.removeprefix("return ")
    return (statement,) if given == statement or not gradient else (statement, f"{gradient}={given}")
