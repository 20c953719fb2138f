"""The student kit: what is in it, that it gives nothing away (by content, however it is dressed), that it works."""

from __future__ import annotations

import ast
import contextlib
import json
import re
import runpy
import shutil
import sys
import textwrap
import zipfile
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner
from hatchling import build as hatchling
from kits import functions_of
from support import ROOT, solution_of

from grader.authoring.release import engine
from grader.authoring.release.engine import write_zip
from grader.authoring.release.kit import MODEL_ANSWERS_FILE, kit_of, notebook_of, published_answers, stub_text
from grader.authoring.release.leaks import Secrets, distribution_files, leaks, secrets_of
from grader.authoring.release.website import website_at
from grader.commands import grade as cli
from grader.commands.command_line import UNUSABLE
from grader.commands.course import LEAKS, refuse_leaks
from grader.dojo.start import lesson_files
from grader.errors import UserError
from grader.intake.submissions.arrival import Arrival
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course
from grader.lesson.stub import stub_of
from grader.questions.question import questions_of

SMALL = Path(__file__).parents[2] / "corpus" / "courses" / "calling"


@pytest.fixture(scope="module")
def secrets(course: Course) -> Secrets:
    """Those of the lessons whose answers these tests quote. Those of all take five times as long."""
    return secrets_of(course, [course.find(number) for number in ("03", "04", "11")])


def released(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(cli.main, ["release", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


def answer_of(course: Course, number: str, name: str) -> str:
    """A function of the answer key without its markers."""
    return re.sub(r" *# </?answer>\n?", "", functions_of(solution_of(course.find(number)))[name])


# What would give a secret away ---------------------------------------------------------------------------------------


NO_LEAKS = [
    "A product: `a * b`. A sum over rows: `x.sum(0)`. A matrix product: `dY @ B.T`.",
    "    loss = -logprobs[range(n), Yb].mean()\n    probs = counts * counts_sum_inv\n",
    "Use `F.one_hot`, `torch.zeros_like(x)` or `x.clone()`; a mean is `x.sum() / x.numel()`.",
    # what the course publishes
    "Subtract 1 at the true classes: `F.softmax(logits, 1)` first.",
    "logprobs = F.log_softmax(logits, 1)\nloss = -logprobs[range(n), Yb].mean()\n",
    "return gradient",
    "import torch\nimport torch.nn.functional as F\n",
]


@pytest.mark.full
def test_the_course_s_own_kit_gives_nothing_away(course):
    """All lessons, the engine, notebooks, README, tests and page, and common code, compared with all of solutions/."""
    secrets = secrets_of(course)
    assert len(secrets.whole) >= 100
    common = {f"common/{n}.{end}": text.encode() for n, text in enumerate(NO_LEAKS) for end in ("md", "py")}
    kit = kit_of(list(course.lessons.values()), website=website_at("https://example.org/course"))
    assert "index.html" in kit and leaks(kit | common, secrets) == []


@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_what_is_published_contains_no_secret(course, tmp_path, monkeypatch, kind):
    """Built from a course in which somebody has written answers, by pyproject.toml's own rules.

    An answer in a file that is packed is found, and `make wheel` or `make sdist` deletes what it built.
    """
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "grader").mkdir()
    for name in ("__init__.py", "py.typed"):
        shutil.copy(ROOT / "grader" / name, tmp_path / "grader")
    (tmp_path / "tests").mkdir()
    lesson = course.find("04")
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / lesson.name, tmp_path / part / lesson.name)
    shutil.copytree(ROOT / "templates" / "new_lesson", tmp_path / "templates" / "new_lesson")
    for name in ("exercises/04_cross_entropy/backward.py", "tests/test_answer.py", "bench.py"):
        (tmp_path / name).write_text(solution_of(lesson))
    monkeypatch.chdir(tmp_path)
    built = tmp_path / "dist" / getattr(hatchling, f"build_{kind}")("dist")
    files, secrets = distribution_files(built), secrets_of(Course(tmp_path))
    assert {"grader/__init__.py", "grader/py.typed", "exercises/04_cross_entropy/.stub"} <= files.keys()
    assert not [name for name in files if name.startswith(("solutions/", "tests/", "bench"))]
    assert leaks(files, secrets) == []
    (tmp_path / "exercises/04_cross_entropy/my_try.py").write_text(answer_of(course, "04", "dlogits"))
    getattr(hatchling, f"build_{kind}")("dist")
    monkeypatch.delitem(sys.modules, "grader.authoring.release.leaks")  # runpy warns of a module that is loaded
    monkeypatch.setattr(sys, "argv", ["leaks", str(built)])
    with pytest.raises(
        SystemExit, match=r"^exercises/04_cross_entropy/my_try\.py gives away `dlogits(.|\n)*was deleted"
    ):
        runpy.run_module("grader.authoring.release.leaks", run_name="__main__")
    assert not built.exists()


def in_another_layout(text: str) -> str:
    """The same statements: other spaces and line breaks, and comments between."""
    lines = ast.unparse(ast.parse(text)).splitlines()
    return "\n\n".join(line.replace(", ", ",\n        ").replace(" = ", "  =  ") + "  # so it goes" for line in lines)


def as_notebook(text: str, kind: str) -> str:
    return json.dumps({"cells": [{"cell_type": kind, "source": text.splitlines(keepends=True)}]})


RENAMED = """```python
g = torch.addcmul(torch.ones_like(u), u, u, value=-1)
g = g * up
```
"""
BETWEEN_PROSE = """As everybody knows:
q = F.softmax(scores, 1)
q[range(k), truth] -= 1
out = q / k
That is all.
"""
MISTAKE = """```
z = up.clone()
z[range(k), t] += most.view(-1)
```
"""
OTHER_FORMS = {
    "renamed-in-a-block-of-code": ("03", "dhpreact", RENAMED),
    "renamed-in-backticks": ("11", "ddiff", "Take `2 * total * rest / rest.shape[-1] + above * width`, say."),
    "between-lines-of-prose": ("04", "dlogits", BETWEEN_PROSE),
    "in-one-expression": ("04", "dlogits", "    (F.softmax(scores, dim=1) - F.one_hot(truth, scores.shape[1])) / k"),
    "with-its-names-reordered": ("03", "dcounts", "`dcounts_sum + dprobs * counts_sum_inv`"),
    "with-the-gradient-s-name": ("03", "dprobs", "    dprobs = (1.0 / probs) * dlogprobs"),
    "a-known-mistake": ("03", "dlogits__max_at_true_class", MISTAKE),
}


def test_an_answer_is_found_in_every_form_and_format(course, secrets):
    """All at once: to compare one file with all secrets takes as long."""
    answer = answer_of(course, "04", "dlogits")
    dressed = {
        "as_it_is.py": answer,
        "laid_out.py": in_another_layout(answer),
        "README.md": f"# Words\n\nFor example:\n\n{textwrap.indent(answer, '    ')}\n",
        "in_a_docstring.py": f'"""Try\n\n{answer}\n"""\n',
        "in_a_comment.py": "\n".join("# " + line for line in answer.splitlines()),
        "notebook.ipynb": as_notebook(answer, "code"),
        "in_a_method.py": "class A:\n" + textwrap.indent(answer, "    "),
        "lesson.toml": f"[x]\nhint = '''\n{answer}\n'''\n",
    }
    functions = dict.fromkeys(dressed, "`dlogits` of solutions/04")
    for form, (number, function, text) in OTHER_FORMS.items():
        pages = {"notes.md": text, "book.ipynb": as_notebook(text, "markdown")}
        for name, page in pages.items():
            dressed[f"{form}/{name}"], functions[f"{form}/{name}"] = page, f"`{function}` of solutions/{number}"
    found = leaks({name: text.encode() for name, text in dressed.items()}, secrets)
    for name, function in functions.items():
        assert any(sentence.startswith(f"{name} ") and function in sentence for sentence in found), name


def test_a_readme_may_work_out_the_answer_that_its_lesson_names(course, secrets):
    """And no other one; and no other file may."""
    text = (course.find("11").exercise / "README.md").read_bytes()
    assert course.find("11").config.public.worked == ("ddiff",)
    assert leaks({"exercises/11_layer_norm/README.md": text}, secrets) == []
    assert any("`ddiff`" in sentence for sentence in leaks({"exercises/11_layer_norm/more.md": text}, secrets))


def test_a_suite_is_found_under_another_name(course, secrets):
    suite = course.find("04").suite
    (sentence,) = leaks({"grader/examples.py": suite.read_bytes()}, secrets)
    assert sentence == f"grader/examples.py is {suite.relative_to(ROOT)}."


def test_markers_and_what_cannot_be_compared_are_found(secrets):
    kit = {
        "stub.py": b"def f():\n    # <answer>\n    return 1\n",
        "words.md": b"What stands between `# <answer>` and `# </answer>` is left out.\n",
        "extra.zip": b"PK\x03\x04\xff\xfe",
        "graph.png": b"\x89PNG\xff",
    }
    assert leaks(kit, secrets) == [
        "stub.py holds an answer's marker (# <answer>).",
        "extra.zip is no text, so what is in it cannot be checked: leave it out, or unpack it.",
    ]


# What is in a kit ----------------------------------------------------------------------------------------------------


def test_only_the_kit_with_answers_contains_them(course):
    lessons = list(course.lessons.values())
    asking = [lesson for lesson in lessons if questions_of(lesson)]
    found = published_answers(lessons)
    assert len(found) == len(lessons) + len(asking)
    graded = found[f"exercises/{asking[0].name}/questions-answers.md"].decode()
    assert "> In y = a + b, a = {a}" in graded and "So da = dy and db = dy, and their sum is twice dy." in graded
    several = found["exercises/02_small_net/questions-answers.md"].decode()
    assert "- Not true: “The batch is so large that the update of W would overflow.” " in several
    assert not any(name.endswith(MODEL_ANSWERS_FILE) for lesson in lessons for name in lesson_files(lesson, ""))


@pytest.mark.full
def test_all_model_answers_may_be_given_out(course):
    """Also where the key to a question is a line of a right answer."""
    refuse_leaks(course, {}, published_answers([*course.lessons.values()]))


def test_a_kit_that_is_installed_has_its_lessons(course, tmp_path):
    """`pip install ./kit`, as its notebooks do: `dojo` compares the folder's lessons with the installed ones."""
    kit = {
        "grader/__init__.py": b"",
        "pyproject.toml": engine.pyproject("dojo"),
        **lesson_files(course.find("04"), stub_text(course.find("04"))),
    }
    write_zip(tmp_path / "kit.zip", kit)
    shutil.unpack_archive(tmp_path / "kit.zip", tmp_path)
    (tmp_path / "exercises/04_cross_entropy/backward.py").write_text("# a student's work\n")
    with contextlib.chdir(tmp_path):
        built = hatchling.build_wheel(str(tmp_path / "dist"))
    names = {*zipfile.ZipFile(tmp_path / "dist" / built).namelist()}
    lesson = {f"grader/exercises/04_cross_entropy/{name}" for name in (".stub", "forward.py", "examples.py")}
    assert lesson <= names and not any(name.endswith("backward.py") for name in names)


def test_a_kit_of_one_lesson_has_its_stub_whatever_was_tried_in_exercises(course, tmp_path):
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    lesson = Course(tmp_path).find("04")
    public = {f"exercises/04_cross_entropy/{path.name}" for path in lesson.exercise.iterdir()}
    (lesson.exercise / "backward.py").write_text(solution_of(lesson))
    (lesson.exercise / "backward.py.before-reset-1").write_text(solution_of(lesson))
    (lesson.exercise / ".dojo.json").write_text("{}")
    (lesson.exercise / "answers.toml").write_text("count = 1\n")
    kit = kit_of([lesson])
    stub = stub_of(course.find("04")).encode()
    assert kit["exercises/04_cross_entropy/backward.py"] == kit["exercises/04_cross_entropy/.stub"] == stub
    others = {name for name in kit if not name.startswith(("grader/", "notebooks/", "exercises/04_cross_entropy/"))}
    tools = {".gitignore", ".vscode/tasks.json", "LICENSE", "Makefile", "README.md", "AGENTS.md", "pyproject.toml"}
    assert others == {*tools, "tests/test_kit.py"} and "notebooks/04_cross_entropy.ipynb" in kit
    unpublished = {"exercises/04_cross_entropy/figures.py", "exercises/04_cross_entropy/__pycache__"}
    assert {name for name in kit if name.startswith("exercises/")} == public - unpublished
    assert "- [04 Cross-entropy in one go](exercises/04_cross_entropy/README.md)" in kit["README.md"].decode()
    assert "grader/templates/report.html" in kit and "grader/schema/results.schema.json" in kit
    assert not any(part in name for name in kit for part in ("solutions", "new_lesson", "__pycache__"))


def test_archives_are_the_same_to_the_last_byte(tmp_path):
    files = {"b/run": b"#!/bin/sh\n", "a.txt": b"text" * 100}
    write_zip(tmp_path / "one.zip", files, executable=["b/run"])
    write_zip(tmp_path / "two.zip", dict(reversed(files.items())), executable=["b/run"])
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as archive:
        assert [(entry.filename, oct(entry.external_attr >> 16)) for entry in archive.infolist()] == [
            ("a.txt", "0o100644"),
            ("b/run", "0o100755"),
        ]


# Notebooks -----------------------------------------------------------------------------------------------------------


def test_a_notebook_has_each_function_in_a_cell_of_its_own_and_is_read_as_the_stub(course, tmp_path):
    for number in ("01", "04", "08"):
        lesson = course.find(number)
        stub = stub_of(lesson)
        text = notebook_of(lesson, stub).decode()
        nbformat.validate(notebook := nbformat.reads(text, 4))
        assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
        assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)
        set_up, *code_cells = (cell.source for cell in notebook.cells if cell.cell_type == "code")
        compile(set_up.replace("%load_ext grader", ""), "set up", "exec")
        checked = re.findall(rf"^%%check {number}\.(.*)$", "\n".join(code_cells), re.MULTILINE)
        assert checked == [name for name in functions_of(stub) if name in lesson.functions]
        code_cells = [re.sub(r"^%%check .*\n", "", text) for text in code_cells]
        defined = [list(functions_of(text)) for text in code_cells]
        assert all(len(names) <= 1 for names in defined)
        assert [name for names in defined for name in names] == list(functions_of(stub))
        assert ast.dump(ast.parse("\n".join(code_cells))) == ast.dump(ast.Module(ast.parse(stub).body[1:], []))
        (path := tmp_path / f"{number}.ipynb").write_text(text)
        submitted = read_submission(Arrival("ada", path), [lesson]).lessons[lesson.name].files["backward.py"].decode()
        assert functions_of(submitted).keys() >= functions_of(stub).keys()


# On the web ----------------------------------------------------------------------------------------------------------


def test_the_page_links_to_colab_where_colab_can_open_the_notebooks(course):
    """It opens those of public GitHub repositories. Notebooks download the kit's zip in both cases."""
    lesson, notebook = course.find("04"), "notebooks/04_cross_entropy.ipynb"
    on_github = "https://github.com/ada/course/tree/main/some/kit/"
    for url, address, in_colab in (
        (on_github, "https://raw.githubusercontent.com/ada/course/main/some/kit", "ada/course/blob/main/some/kit"),
        ("https://ada.github.io/course", "https://ada.github.io/course", None),
    ):
        kit = kit_of([lesson], website=website_at(url))
        page = kit["index.html"].decode()
        assert f'urlretrieve(\\"{address}/kit.zip\\"' in kit[notebook].decode()
        assert "You will go from the loss straight to the logits" in page and 'alt="Arrows on three logits' in page
        assert f'href="{notebook}"' in page and 'href="kit.zip"' in page
        opened = re.findall(r'href="https://colab\.research\.google\.com/github/(.*?)"', page)
        assert opened == ([f"{in_colab}/{notebook}"] if in_colab else [])
        assert ("File &gt; Upload notebook" in page) == (in_colab is None)


def test_an_answer_in_a_readme_is_found_there_and_in_the_notebook(secrets, tmp_path):
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / "04_cross_entropy", tmp_path / part / "04_cross_entropy")
    answer = OTHER_FORMS["in-one-expression"][2].strip()
    readme = tmp_path / "exercises" / "04_cross_entropy" / "README.md"
    readme.write_text(f"## What you will be able to do\n\nYou will write `{answer}`.\n\n![A picture](forces.svg)\n")
    lesson, website = Course(tmp_path).find("04"), website_at("https://example.org")
    found = {sentence.partition(" ")[0] for sentence in leaks(kit_of([lesson], website=website), secrets)}
    assert found == {"exercises/04_cross_entropy/README.md", "notebooks/04_cross_entropy.ipynb"}
    (readme.parent / "forces.svg").unlink()
    with pytest.raises(UserError, match=r"forces\.svg is missing, and README\.md shows it"):
        kit_of([lesson])


# The command ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A copy of a small course with two lessons."""
    return shutil.copytree(SMALL, tmp_path / "course", ignore=shutil.ignore_patterns("__pycache__"))


@pytest.mark.full
def test_folder_and_zip_are_the_same_and_have_the_lessons_that_are_wanted(small, tmp_path):
    url = ("--url", "https://example.org/kit")
    status, said, warned = released(tmp_path / "kit", "--course", small, "--lesson", "2", *url)
    assert (status, warned) == (0, ""), warned
    assert said.splitlines()[0].startswith("1 lesson, ") and "Colab opens notebooks from GitHub only" in said
    assert said.splitlines()[1] == f"The kit: {tmp_path / 'kit'} and {tmp_path / 'kit.zip'}"
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        packed = {name: archive.read(name) for name in archive.namelist()}
    folder = tmp_path / "kit"
    assert (folder / "kit.zip").read_bytes() == (tmp_path / "kit.zip").read_bytes()
    (folder / "kit.zip").unlink()
    assert packed == {f"kit/{p.relative_to(folder)}": p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert [path.name for path in (folder / "exercises").iterdir()] == ["02_joint"]
    assert [path.name for path in (folder / "notebooks").iterdir()] == ["02_joint.ipynb"]


@pytest.mark.full
def test_a_leak_is_named_and_nothing_is_written(small, tmp_path):
    """Of all lessons' secrets, also of one that is not released; and any file of solutions/, whatever is in it."""
    answers = (small / "solutions" / "01_calls" / "backward.py").read_text()
    notes, picture = (small / "exercises" / "02_joint" / name for name in ("notes.py", "a.png"))
    notes.write_text(re.sub(r" *# </?answer>\n", "", answers))
    picture.write_bytes(b"\x89PNG 1 2 3")
    (small / "solutions" / "01_calls" / "numbers").write_bytes(picture.read_bytes())
    status, said, warned = released(tmp_path / "kit", "--course", small, "--lesson", "2")
    assert status == LEAKS and said == ""
    assert "grade: exercises/02_joint/notes.py gives away" in warned
    assert "solutions/01_calls/backward.py" in warned
    assert "exercises/02_joint/a.png is solutions/01_calls/numbers." in warned
    assert "Take them out of exercises/ and try again" in warned.splitlines()[-1]
    assert not (tmp_path / "kit").exists() and not (tmp_path / "kit.zip").exists()


def test_bad_input_is_one_sentence(small, tmp_path):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").write_text("")
    shutil.copytree(small, tmp_path / "bare")
    shutil.rmtree(tmp_path / "bare" / "solutions" / "01_calls")
    for arguments, sentence in (
        ([tmp_path / "full", "--course", small], "exists and is not empty"),
        ([tmp_path / "kit", "--course", small, "--lesson", "9"], "There is no lesson '9'"),
        ([tmp_path / "kit", "--url", "example.org"], "example.org is not the address of a folder"),
        ([tmp_path / "kit", "--url", "https://github.com/ada/course"], "OWNER/REPOSITORY/tree/main"),
        ([tmp_path / "kit", "--course", tmp_path / "bare"], "it cannot be checked that none is given away"),
    ):
        status, _, said = released(*arguments)
        assert status == UNUSABLE
        assert sentence in said and said.startswith("grade: ") and said.count("\n") == 1


@pytest.mark.full
def test_no_link_and_no_results_of_students_are_in_a_kit(small, tmp_path):
    """A key, a roster or a gradebook is in no answer key, so that comparing contents would not find it."""
    grades = small / "exercises" / "01_calls" / "grades" / "ada"
    grades.mkdir(parents=True)
    (tmp_path / "private").write_text("Ada Okafor, 12 of 23\n")
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "roster.csv").write_text("id,name,email\n")
    place = small / "exercises" / "01_calls"
    for name, target in (("notes.txt", tmp_path / "private"), ("suite.txt", small / "solutions" / "01_calls")):
        (place / name).symlink_to(target if target.is_file() else target / "backward.py")
        status, said, warned = released(tmp_path / "kit", "--course", small)
        assert (status, said) == (2, "") and f"{name} is a link to {target}" in warned
        assert not (tmp_path / "kit").exists()
        (place / name).unlink()
    for name in ("results.json", "gradebook.sqlite"):
        (grades / name).write_text("{}")
        status, said, warned = released(tmp_path / "kit", "--course", small)
        assert (status, said) == (2, "") and f"{name} has results of students" in warned
        (grades / name).unlink()
    (place / "names").symlink_to(tmp_path / "names")  # a folder
    assert released(tmp_path / "kit", "--course", small)[0] == 0
    assert not list((tmp_path / "kit").rglob("roster.csv"))
