"""Does anything in a kit give a secret away? Compared by content, in any file: code, notebooks and prose.

Code is compared by its canonical forms (grader/source/canonical.py). A file leaks a function of solutions/ when it has
forms of more than MAX_SHARE of it: of all that it does, of what it returns, or of its statements. A file also leaks
when it is a file of solutions/, quotes a sentence of a question's key, or holds an answer's marker. What the course
publishes itself is no secret: the forward pass, and what the stub keeps of the solution.

python -m grader.authoring.release.leaks dist/backprop_ninja-0.1.0-py3-none-any.whl     (`make wheel`, `make sdist`)
"""

from __future__ import annotations

import ast
import re
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from grader.authoring.release.engine import KitFiles
from grader.authoring.release.kit import stub_text
from grader.lesson.lesson import Course, Lesson
from grader.lesson.paths import files_under
from grader.lesson.stub import ANSWER_BEGIN, ANSWER_END
from grader.source.code_forms import bodies, computed_values, mass_of, returned_value, whole_form
from grader.source.parsing import parse_text
from grader.source.syntax import FunctionDefinition, all_nodes

MAX_SHARE = 0.6
"""Of a function's mass: statements with more than this are its answer."""
MIN_ASSIGNED_MASS, MIN_NAMED_MASS, MIN_BLANK_MASS = 2, 5, 8
"""Mass below which code is too short to be known by its canonical form: where the text says which gradient it is, with
its names, and without them."""
MIN_SENTENCE = 50
"""Characters of a sentence that nobody writes twice by chance."""
MIN_HELPER = 20
"""Mass below which a function of a hidden suite says too little."""
ENGINE, SCAFFOLD = "grader/", "templates/new_lesson/"
"""The engine knows no lesson: only whole files and markers are looked for in it. A scaffold has markers of its own."""
PACKED = re.compile(r"^(?:backprop_ninja[^/]*/)?(?:grader/(?=exercises/|templates/))?")
"""What a wheel or a source distribution has in front of the path that a file has in a course."""
HINTS_FILE = "lesson.toml"
"""The last hint is nearly the answer: an expression in it is no leak, a function or several statements are."""
PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp")
QUOTED_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SPAN = re.compile(r"`+([^`\n]+)`+")
PROMPT = re.compile(r"^[ \t]*(?:>>> ?|\.\.\. ?|In \[\d*\]: ?|[-*>#|] +)", re.MULTILINE)
SAYS_SOMETHING = re.compile(r"[-+*/@(\[=]")
OPENS = re.compile(r"(?:def|class|for|while|if|elif|else|with|try|except|finally)\b.*:$")
ANSWER_MARKER = re.compile(rf"^\s*({re.escape(ANSWER_BEGIN)}|{re.escape(ANSWER_END)})\s*$", re.MULTILINE)


@dataclass(frozen=True)
class SecretFunction:
    """A function of a solution, with the forms of what it computes: {form: the mass of the code that computes it}.

    It `answers` a function: `dz` for a mistake `dz__averaged`, and `__add__` itself.
    """

    file: str
    name: str
    answers: str
    mass: int
    forms: Mapping[str, int]

    def is_in(self, forms: set[str]) -> bool:
        return sum(mass for form, mass in self.forms.items() if form in forms) > MAX_SHARE * self.mass


@dataclass
class Secrets:
    """All that is secret in some lessons."""

    functions: list[SecretFunction] = field(default_factory=list)
    whole: dict[bytes, str] = field(default_factory=dict)  # {content of a file of solutions/: its path}
    sentences: list[tuple[str, str]] = field(default_factory=list)  # (a long one of a question's key, its file's path)
    worked: set[tuple[str, str]] = field(default_factory=set)  # (a README or notebook, a function that it works out)


def secrets_of(course: Course, lessons: Sequence[Lesson] | None = None) -> Secrets:
    """Everything in solutions/ that is not public, of all lessons or of `lessons`. Raises LessonError, OSError."""
    everything, secrets, public = list(course.lessons.values()), Secrets(), set[str]()
    for lesson in everything:
        text = lesson.public_text("forward.py")
        for published in (stub_text(lesson), text, re.sub(r"\bt\.", "", text)):
            public |= forms_in(code_in(published))
    for lesson in everything if lessons is None else lessons:
        texts = (f"exercises/{lesson.name}/README.md", f"notebooks/{lesson.name}.ipynb")  # which has the README
        secrets.worked |= {(text, name) for text in texts for name in lesson.config.public.worked}
        for path in files_under(lesson.solution):
            content, file = path.read_bytes(), str(path.relative_to(course.root))
            text = content.decode("utf-8", errors="replace")
            if content.strip():
                secrets.whole[content] = file
            if path.suffix == ".toml":
                spaced = (" ".join(each.split()) for each in QUOTED_STRING.findall(text))
                secrets.sentences += [(each, file) for each in spaced if len(each) >= MIN_SENTENCE]
            if path.name == "mistakes.py":
                text += "".join(f"\n\n{mistake.declaration()}\n" for mistake in lesson.mistakes)
            tree = parse_text(text) if path.suffix == ".py" else None
            for node in all_nodes(tree) if tree is not None else ():
                if isinstance(node, FunctionDefinition):
                    answers, mass = node.name.partition("__")[0] or node.name, mass_of(node)
                    forms = function_forms(node, answers, is_helper=path == lesson.suite)
                    if public.isdisjoint(form for form, part in forms.items() if part == mass):
                        forms = {form: part for form, part in forms.items() if form not in public}
                        secrets.functions.append(SecretFunction(file, node.name, answers, mass, forms))
    return secrets


def function_forms(node: FunctionDefinition, answers: str, is_helper: bool) -> dict[str, int]:
    """{a form by which a secret function is known: the mass of what has it}, of all of it and of its statements.

    A helper of a suite is known as a whole only: examples.py may have the same lines.
    """
    found, mass, least = dict[str, int](), mass_of(node), dict[str, int]()
    with suppress(RecursionError):
        least[whole_form(node)] = MIN_HELPER if is_helper else MIN_BLANK_MASS
        if not is_helper and (result := returned_value(node.body)) is not None:
            least |= {f"{answers} = {result.named}": MIN_ASSIGNED_MASS, result.named: MIN_NAMED_MASS}
            least[result.blank] = MIN_BLANK_MASS
        for each in node.body if len(node.body) > 1 and not is_helper else ():
            if isinstance(each, ast.Assign | ast.AugAssign | ast.Return):
                found |= {value.named: mass_of(each) for value in computed_values([each])[-1:]}
    return found | {form: mass for form, enough in least.items() if mass >= enough}


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


def code_in(text: str) -> Iterator[ast.Module]:
    """The pieces of code in a text, each parsed: all of it, what is in backticks, and successive lines of code."""
    for view in (text, "\n".join(QUOTED_STRING.findall(text)).replace(r"\n", "\n").replace(r"\"", '"')):
        spans = [part for span in SPAN.finditer(view) for part in (span[1], *re.split(r"\s+=\s+|→|=>", span[1]))]
        for piece in dict.fromkeys((view, *spans, *runs_of_code(PROMPT.sub("", view).splitlines()))):
            if SAYS_SOMETHING.search(piece) and (tree := parsed_piece(piece)) is not None:
                yield tree


def runs_of_code(lines: list[str]) -> Iterator[str]:
    """Successive lines that are code, as one text. Where they do not parse as one, each line is a text."""
    run, is_open = list[str](), False  # open: the indented lines below belong to it
    for line in [*lines, "."]:
        bare, is_inside = line.strip(), line[:1] in " \t"
        opens = bool(OPENS.match(bare))
        if not bare or opens or (is_open and is_inside) or (SAYS_SOMETHING.search(bare) and parsed_piece(bare)):
            run.append(line)
            is_open = opens or (is_open and is_inside)
        else:
            together = "\n".join(run)
            yield from run if parsed_piece(together) is None else [together]
            run, is_open = [], False


def parsed_piece(text: str) -> ast.Module | None:
    """A piece of code, which may be indented and may begin with `return`; None if it is not Python."""
    code = textwrap.dedent(text).strip("\n").rstrip(".;, ")
    return parse_text(code) or parse_text(code.strip())


def leaks(kit: KitFiles, secrets: Secrets, published: tuple[str, ...] = ()) -> list[str]:
    """Sentences, each naming a file of the kit and what it gives away.

    A function of a lesson is named once for each file: its variants compute the same. What the files of the names
    `published` in solutions/ say is no secret.
    """
    found = dict[str, str]()
    for name, content in kit.items():
        whole = secrets.whole.get(content)
        if whole is not None and not whole.endswith(published):
            found[f"{name} is"] = f"{name} is {whole}."
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            if not name.lower().endswith(PICTURES):
                found[name] = f"{name} is no text, so what is in it cannot be checked: leave it out, or unpack it."
            continue
        if ANSWER_MARKER.search(text) and not name.startswith(SCAFFOLD):
            found[name] = f"{name} holds an answer's marker ({ANSWER_BEGIN})."
        if name.startswith(ENGINE):
            continue
        spaced = " ".join(text.split())
        for sentence, file in secrets.sentences:
            if sentence in spaced and not file.endswith(published):
                found[f"{name} {sentence}"] = f"{name} quotes {file}: {sentence[:60]!r} ..."
        forms = forms_in(code_in(text), name.endswith(HINTS_FILE))
        for function in secrets.functions:
            if function.is_in(forms) and (name, function.answers) not in secrets.worked:
                sentence = f"{name} gives away `{function.name}` of {function.file}."
                found.setdefault(f"{name} {function.name} {Path(function.file).parts[1]}", sentence)
    return list(found.values())


def distribution_files(distribution: Path) -> KitFiles:
    """The files of a wheel or a source distribution, with the paths that they have in a course."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(distribution, folder, "zip" if distribution.suffix == ".whl" else None)
        found = [path for path in Path(folder).rglob("*") if path.is_file()]
        return {PACKED.sub("", path.relative_to(folder).as_posix()): path.read_bytes() for path in found}


if __name__ == "__main__":
    built = Path(sys.argv[1])
    if given_away := leaks(distribution_files(built), secrets_of(Course(Path.cwd()))):
        built.unlink()
        sys.exit("\n".join([*given_away, f"{built} was deleted. Leave these files out of it, in pyproject.toml."]))
    print(f"{built}: nothing of solutions/ is in it. Next:\n\n    pip install {built}\n    dojo start")
