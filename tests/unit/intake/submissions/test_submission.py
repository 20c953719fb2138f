"""Finding submissions and reading their files: nothing is run, nothing outside is read, every trouble is a sentence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lecture_notebooks import NOTEBOOKS
from support import ROOT

from grader.gradebook.grading.grader_processes import GraderProcess, Reply
from grader.intake.lesson_files import LessonFiles
from grader.intake.submissions.arrival import Arrival, SubmissionError
from grader.intake.submissions.finding import FoundSubmissions, find
from grader.intake.submissions.imported_files import MAX_PACKAGE_FILES
from grader.intake.submissions.submission import read_submission
from grader.lesson.lesson import Course

SOURCE = b"import torch\nimport helper, helper2\n"
MAKEMORE, ENTROPY = "03_makemore_steps", "04_cross_entropy"


def lay(folder: Path, *paths: str, source: bytes = SOURCE) -> Path:
    """Files below `folder`; a path that ends in / is an empty folder."""
    for path in paths:
        place = folder / path
        if path.endswith("/"):
            place.mkdir(parents=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(source)
    return folder


@pytest.fixture
def found(lessons) -> Callable[..., FoundSubmissions]:
    """found(path, ..., lessons="04 03"): what `grade run` finds there, all lessons unless some are named."""

    def look(*paths: Path, wanted: str = "") -> FoundSubmissions:
        everything = list(lessons.values())
        chosen = [next(e for e in everything if e.name.startswith(number)) for number in wanted.split()] or everything
        return find(paths, chosen, everything)

    return look


# One submission or a class -------------------------------------------------------------------------------------------


def test_a_folder_with_a_folder_for_each_student(tmp_path, found, monkeypatch):
    lay(tmp_path, f"ada/{MAKEMORE}/backward.py", f"Boris/{ENTROPY}/backward.py", f"Boris/{ENTROPY}/helper.py", "chen/")
    ada, boris, chen = found(tmp_path)
    assert [each.student for each in (ada, boris, chen)] == ["ada", "Boris", "chen"]
    assert ada.lessons[MAKEMORE] == LessonFiles(MAKEMORE, {"backward.py": SOURCE}, f"{MAKEMORE}/backward.py")
    assert ada.lessons[ENTROPY].message == f"No folder {ENTROPY} was submitted: expected {ENTROPY}/backward.py."
    assert sorted(boris.lessons[ENTROPY].files) == ["backward.py", "helper.py"]
    assert not any(each.present or each.rejected for each in chen.lessons.values())
    monkeypatch.chdir(tmp_path / "ada" / MAKEMORE)
    (here,) = found(Path(".."))
    assert here.student == "ada" and here.lessons[MAKEMORE].present


def test_a_single_file(tmp_path, found):
    lay(tmp_path, "class/ada.py", "class/my work.py", "ada.py", "ada.txt")
    ada, other = found(tmp_path / "class", wanted="04")
    assert (ada.student, other.student) == ("ada", "my work")
    assert ada.lessons == {ENTROPY: LessonFiles(ENTROPY, {"backward.py": SOURCE}, "ada.py")}
    (ada,) = found(tmp_path / "ada.py")
    nothing = (
        "ada.py holds nothing that can be graded: no gradient of a lesson that is graded here is assigned, as in "
        "`dlogprobs = ...`, and no function of one is defined. Submit the exercise's notebook, or its backward.py."
    )
    assert (ada.message, ada.lessons) == (nothing, {})
    (tmp_path / "ada.py").write_text("this is no Python\n")  # nobody knows what it would define
    (ada,) = found(tmp_path / "ada.py")
    assert ada.message.startswith("ada.py cannot be read as Python: line 1: SyntaxError: invalid syntax (in Python 3.")
    (ada,) = found(tmp_path / "ada.txt", wanted="04")
    assert ada.message.startswith("ada.txt cannot be read: expected a folder or an archive with NN_name/backward.py")


def test_a_backward_py_right_inside(tmp_path, found):
    """For the one lesson that is named it counts; for several it does not say which one it is for."""
    lay(tmp_path, "ada/backward.py", "ada/helper.py")
    (ada,) = found(tmp_path / "ada", wanted="04")
    assert sorted(ada.lessons[ENTROPY].files) == ["backward.py", "helper.py"]
    (ada,) = found(tmp_path / "ada")
    assert not any(submitted.present for submitted in ada.lessons.values())


def test_different_files_in_one_place_are_a_question(tmp_path, found):
    """The first counts until somebody decides."""
    for folder, slip in (("new", ""), ("old", " * 2")):
        source = f"def dlogits(logits, Yb, n):\n    return logits{slip}\n".encode()
        lay(tmp_path, f"ada/{folder}/backward.py", source=source)
    submissions = found(tmp_path, wanted="04")
    (ada,) = submissions
    assert ada.lessons[ENTROPY].shown == "new/backward.py" and [each.kind for each in ada.remarks] == ["guess"]
    assert [each.found for each in submissions.questions["ada"]] == ["new/backward.py; old/backward.py"]


def test_the_only_file_of_another_lesson_is_named(tmp_path, found):
    source = b"def dlogits(logits, Yb, n):\n    return logits\n"
    (ada,) = found(lay(tmp_path, "ada.py", source=source) / "ada.py", wanted="11")
    assert [each.message for each in ada.remarks] == [f"`ada.py` is {ENTROPY}, which this run does not grade."]


def test_of_two_definitions_the_last_counts_in_the_lesson_s_place(tmp_path, found):
    """Also where the first has more of the stub's parameters, and other lessons have the function as well."""
    source = b"def dlogits(logits, Yb, n):\n    return logits\n\n\ndef dlogits(logits, Yb):\n    return Yb\n"
    lay(tmp_path, f"ada/{ENTROPY}/backward.py", "bo/backward.py", source=source)
    files = {each.student: each.lessons[ENTROPY].files for each in found(tmp_path, wanted="04")}
    assert files == {student: {"backward.py": source} for student in ("ada", "bo")}


def test_a_helper_is_read_however_it_is_imported(tmp_path, found):
    lay(tmp_path, f"ada/{MAKEMORE}/helper.py", f"ada/{MAKEMORE}/notes.py")
    for line in (
        b"if True: import torch, helper",
        b"from torch.nn import (\n    functional)\nfrom .helper import (\n    softmax,\n)",
        b"ops = importlib.import_module('helper')",
        b'ops = __import__("helper")',
    ):
        lay(tmp_path, f"ada/{MAKEMORE}/backward.py", source=line)
        (ada,) = found(tmp_path / "ada", wanted="03")
        assert sorted(ada.lessons[MAKEMORE].files) == ["backward.py", "helper.py"], line


# Files ---------------------------------------------------------------------------------------------------------------


def test_the_file_has_another_name(tmp_path, found):
    lay(tmp_path, *(f"ada/{MAKEMORE}/{name}" for name in ("one.py", "My_Backward_final.py")))
    lay(tmp_path, *(f"bo/{MAKEMORE}/{name}" for name in ("backward.txt", "notes.md")), f"cy/{MAKEMORE}/backward.py/")
    read = {each.student: each.lessons[MAKEMORE] for each in found(tmp_path)}
    missing, nothing = f"{MAKEMORE}/backward.py is missing", ", and there is no Python file next to it."
    several = "; found My_Backward_final.py, one.py. Submit one file for the lesson: backward.py, or a notebook."
    assert {name: each.message for name, each in read.items()} == {
        "ada": missing + several,
        "bo": missing + nothing,
        "cy": missing + nothing,
    }
    assert not any(each.present or each.rejected for each in read.values()) and not read["cy"].nothing


@pytest.mark.parametrize("name", ["bob", "exercises", "submission_12"])
def test_a_folder_that_may_not_be_read_stops_nobody_else(tmp_path, found, monkeypatch, name):
    """`chmod 0` on one's own folder, where an ordinary user grades; root may read everything, so it is imitated."""
    lay(tmp_path, f"ann/{MAKEMORE}/backward.py", f"{name}/{MAKEMORE}/backward.py")

    def closed(call: Callable[..., Any]) -> Callable[..., Any]:
        def checked(path: Any = ".", *more: Any, **named: Any) -> Any:
            inside = str(path).startswith(str(tmp_path / name) + "/")
            if inside or (call in (os.listdir, os.scandir) and str(path) == str(tmp_path / name)):
                raise PermissionError(13, "Permission denied", str(path))
            return call(path, *more, **named)

        return checked

    with monkeypatch.context() as patched:
        for call in (os.listdir, os.scandir, os.stat, os.lstat, os.open):
            patched.setattr(os, call.__name__, closed(call))
        read = {each.student: each for each in found(tmp_path, wanted="03")}
    assert read.pop("ann").lessons[MAKEMORE].present
    (other,) = read.values()
    assert not other.lessons and (other.message or "").endswith("cannot be read: Permission denied.")


def test_links_and_pipes_are_no_files(tmp_path, found):
    secret = lay(tmp_path / "secret", f"{MAKEMORE}/backward.py", source=b"# the answer key\n") / MAKEMORE
    folder = tmp_path / "class"
    lay(folder, f"file/{MAKEMORE}/", "folder/", f"helper/{MAKEMORE}/backward.py", f"pipe/{MAKEMORE}/")
    (folder / "file" / MAKEMORE / "backward.py").symlink_to(secret / "backward.py")
    (folder / "helper" / MAKEMORE / "helper.py").symlink_to(secret / "backward.py")
    (folder / "folder" / MAKEMORE).symlink_to(secret)
    (folder / "student").symlink_to(secret.parent)
    (folder / "student.py").symlink_to(secret / "backward.py")
    os.mkfifo(folder / "pipe" / MAKEMORE / "backward.py")
    os.mkfifo(folder / "pipe.py")
    read = {each.student: each for each in found(folder, wanted="03")}
    files = {student: each.lessons.get(MAKEMORE, LessonFiles("")) for student, each in read.items()}
    assert {student for student, each in files.items() if each.files} == {"helper"}
    assert files["helper"].files == {"backward.py": SOURCE}
    assert files["file"].message == "backward.py cannot be read: it is a link. Submit the file itself."
    assert files["pipe"].message == "backward.py cannot be read: it is not an ordinary file. Submit the file itself."
    for name in ("student", "student.py"):
        assert read[name].message == f"{name} is a link. Submit the folder or file itself."
    assert read["pipe.py"].message == "pipe.py is no file and no folder. Submit the file itself."


# Names of students, and whose command line it is ---------------------------------------------------------------------


def test_two_of_the_same_name(tmp_path, found):
    """Nothing says that a folder and a file of one name are one student's, and a date decides nothing."""
    lay(tmp_path, f"a/ada/{MAKEMORE}/backward.py", f"b/ada/{ENTROPY}/backward.py", f"c/Ada/{ENTROPY}/backward.py")
    submissions = found(tmp_path / "a", tmp_path / "b", tmp_path / "c")
    assert [each.student for each in submissions] == ["ada", "ada-2", "Ada-3"]  # a disk may not tell Ada from ada
    assert len({each.path for each in submissions}) == 3
    lay(tmp_path, f"d/ada/{ENTROPY}/backward.py", "d/ada.py", "d/ada-2.py")
    names = [(each.student, each.path.name, each.full_message) for each in found(tmp_path / "d", wanted="04")]
    assert names == [("ada", "ada", None), ("ada-2", "ada-2.py", None), ("ada.py", "ada.py", None)]


def test_where_nothing_can_be_graded(tmp_path, found):
    lay(tmp_path, "class/notes.txt", "class/.git/x")
    for name, sentence in {
        "nowhere": "does not exist: give a submission, or a folder that holds one for each student.",
        "class": "holds no submissions: expected a folder for each student, with NN_name/backward.py inside.",
    }.items():
        with pytest.raises(SubmissionError) as caught:
            found(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name} {sentence}"


def test_the_results_of_an_earlier_run_are_nobody_s_submission(tmp_path, found):
    """`grade run .` writes grades/ into the folder of the submissions, and is typed again the next day."""
    lay(tmp_path, "ann.py", "cy/gradebook.sqlite", f"cy/hw/{ENTROPY}/backward.py", "gradebook.sqlite")
    lay(tmp_path / "grades", "gradebook.sqlite", ".grade-run.lock", "ann/report.html", "moodle-feedback.zip")
    assert [each.student for each in found(tmp_path)] == ["ann", "cy"]
    with pytest.raises(SubmissionError, match="grades contains the results of an earlier run, not submissions"):
        found(tmp_path / "grades")


def test_the_fingerprint_is_of_what_is_graded(tmp_path, found):
    def fingerprint(name: str, *paths: str, source: bytes = SOURCE) -> str:
        (submission,) = found(lay(tmp_path / name, *paths, source=source))
        return str(submission.sha256)

    one = fingerprint("one", f"{MAKEMORE}/backward.py", f"{MAKEMORE}/helper.py")
    assert one == fingerprint("same", "03/backward.py", "03/helper.py", "03/notes.txt", "README.md")
    others = [
        fingerprint("a", f"{MAKEMORE}/backward.py"),
        fingerprint("b", f"{MAKEMORE}/backward.py", f"{MAKEMORE}/helper2.py"),
        fingerprint("c", f"{ENTROPY}/backward.py", f"{ENTROPY}/helper.py"),
        fingerprint("d", f"{MAKEMORE}/backward.py", f"{MAKEMORE}/helper.py", source=SOURCE + b"\n"),
    ]
    assert len({one, *others}) == 5


def test_a_file_without_gradients_is_refused_without_torch(tmp_path):
    """The coordinator reads it, while a run waits for its first result."""
    lay(tmp_path, "ada/04_cross_entropy/backward.py", source=b"while True:\n    pass\n")
    program = (
        "import sys\nfrom pathlib import Path\n"
        "from grader.intake.submissions.finding import find\nfrom grader.lesson.lesson import Course\n"
        f"lessons = [Course(Path({str(ROOT)!r})).find('04')]\n"
        f"print([entry.student for entry in find([Path({str(tmp_path)!r}) / 'ada'], lessons, lessons)])\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['ada']\nFalse\n"


def test_files_that_the_course_gives_out_next_to_a_stub_are_nobody_s_work(found, tmp_path):
    """Lesson 07 gives out my_network.py, which has functions of its names. An untouched folder has nothing right."""
    given = ROOT / "exercises" / "07_training"
    for path in given.glob("*.py"):
        lay(tmp_path, f"ada/07_training/{path.name}", source=path.read_bytes())
    (submission,) = found(tmp_path / "ada", wanted="07")
    files = submission.lessons["07_training"].files
    assert files["backward.py"] == (given / ".stub").read_bytes() and submission.remarks == ()


@pytest.mark.parametrize("name", ["ada.ipynb", "ada_06.ipynb"])
def test_a_notebook_is_not_said_to_be_read_as_a_lesson_of_which_it_has_nothing(course, tmp_path, name):
    """Its `cmp` and a `backward` of its own are names of functions of lesson 06."""
    notebook = json.loads((NOTEBOOKS / "colab_as_in_the_lecture.ipynb").read_text(encoding="utf-8"))
    helper = "def backward(dlogits):\n    return dlogits @ W2.T, h.T @ dlogits\n"
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "outputs": [], "source": helper})
    (tmp_path / name).write_text(json.dumps(notebook), encoding="utf-8")
    read = read_submission(Arrival("ada", tmp_path / name), list(course.lessons.values()))
    assert read.lessons[course.find("06").name].nothing
    assert not read.remarks and not read.questions and read.full_message is None


# Packages of the student's -------------------------------------------------------------------------------------------

USES_PACKAGES = b"import torch\nfrom utils.ops import f\n"


@pytest.mark.parametrize(
    ("main", "packed"), [(f"{ENTROPY}/backward.py", False), ("backward.py", True), ("hw/mine.py", True)]
)
def test_packages_next_to_the_file_that_it_imports_are_its_files(tmp_path, found, main, packed):
    text = USES_PACKAGES + b"def dlogits(logits, Yb, n): return f(logits)\n"
    near = str(Path(main).parent)
    lay(tmp_path, f"ada/{main}", source=text)
    lay(tmp_path, f"ada/{near}/utils/ops.py", f"ada/{near}/utils/deep/er.py", source=b"import common.more\n")
    lay(tmp_path, f"ada/{near}/common/more.py", f"ada/{near}/unused/x.py", f"ada/{near}/utils/venv/x.py")
    if packed:
        shutil.make_archive(str(tmp_path / "ada"), "zip", tmp_path / "ada")
    (ada,) = found(tmp_path / ("ada.zip" if packed else "ada"), wanted="04")
    expected = dict.fromkeys(("utils/ops.py", "utils/deep/er.py"), b"import common.more\n")
    assert ada.lessons[ENTROPY].files == {"backward.py": text, **expected, "common/more.py": SOURCE}


def test_a_package_has_limits_and_no_links(tmp_path, found):
    lay(tmp_path, f"{ENTROPY}/backward.py", source=USES_PACKAGES)
    lay(tmp_path, *(f"{ENTROPY}/utils/m{n}.py" for n in range(MAX_PACKAGE_FILES + 1)), "key.py", "elsewhere/x.py")
    (ada,) = found(tmp_path / ENTROPY, wanted="04")
    assert ada.lessons[ENTROPY].files == {"backward.py": USES_PACKAGES}
    for name in ("m0.py", "m1.py"):
        (tmp_path / ENTROPY / "utils" / name).unlink()
    (tmp_path / ENTROPY / "utils" / "key.py").symlink_to(tmp_path / "key.py")
    (tmp_path / ENTROPY / "utils" / "folder").symlink_to(tmp_path / "elsewhere")
    (tmp_path / ENTROPY / "torch").symlink_to(tmp_path / "elsewhere")
    (ada,) = found(tmp_path / ENTROPY, wanted="04")
    assert len(ada.lessons[ENTROPY].files) == MAX_PACKAGE_FILES
    assert not {"utils/key.py", "utils/folder/x.py", "torch/x.py"} & ada.lessons[ENTROPY].files.keys()


POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"


@pytest.mark.parametrize(
    "place", ["ada.ipynb", "ada.zip", f"ada/{ENTROPY}/backward.py", f"ada/{ENTROPY}/helper.py", "ada/work.zip"]
)
def test_a_pointer_of_git_lfs_is_not_its_student_s_fault(course, tmp_path, place):
    """There is no score, and the next run grades it: `git lfs pull` has brought the file then."""
    path = tmp_path / "class" / place
    path.parent.mkdir(parents=True)
    if path.name == "helper.py":
        path.with_name("backward.py").write_text("import helper\n")
    path.write_bytes(POINTER)
    found = find([tmp_path / "class"], [course.find("03"), course.find("04")], [*course.lessons.values()])
    (ada,) = found
    sentence = "is a Git LFS pointer, not the file itself: run `git lfs pull` in the download, and grade again."
    assert ada.fault == ada.message == f"{path.name} {sentence}"
    assert not found.questions["ada"]
    assert GraderProcess.grade(None, ada) == Reply(fault=ada.fault)  # no process sees it


def test_a_pointer_in_place_of_what_a_platform_writes_stops_no_class(course, tmp_path):
    """A student may keep any file of their repository in Git LFS: it costs nobody else anything."""
    for name in ("spring-hw1-ada", "spring-hw1-ben"):
        lay(tmp_path, f"class/{name}/{ENTROPY}/backward.py")
        places = (f"class/{name}/{text}" for text in (".classroom50.yaml", "result.json", "answers.toml"))
        lay(tmp_path, *places, source=POINTER)
    found = list(find([tmp_path / "class"], [course.find("04")], [*course.lessons.values()]))
    assert len(found) == 2 and not any(each.fault for each in found)


def test_a_course_without_the_lesson_whose_chain_its_own_follows(tmp_path):
    """Lesson 04 takes from a notebook what follows the chain of lesson 03, which this course does not have."""
    for part in ("exercises", "solutions"):
        shutil.copytree(ROOT / part / ENTROPY, tmp_path / part / ENTROPY)
    lay(tmp_path / "ada", f"{ENTROPY}/backward.py", source=b"dlogits = 1\n")
    read = read_submission(Arrival("ada", tmp_path / "ada"), list(Course(tmp_path).lessons.values()))
    assert read.lessons[ENTROPY].files == {"backward.py": b"dlogits = 1\n"}
