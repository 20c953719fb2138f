"""`dojo check that.ipynb`: a notebook or a script, checked like a backward.py, without a hidden suite."""

from __future__ import annotations

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from kits import make_kit, solved
from lecture_notebooks import CHAIN, NOTEBOOKS, SOFTMAX, lecture, notebook
from rich.console import Console

from grader.dojo.desk import Desk
from grader.dojo.session import CheckSession, Event
from grader.dojo.watch import Watch
from grader.dojo.work import Work

pytest_plugins = ["dojos"]

SCOPE = "Checked on public problems and examples. Your grade comes from the hidden test\nsuite, with other problems.\n"


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    return make_kit(tmp_path, ("03_makemore_steps", "04_cross_entropy", "05_batch_norm", "11_layer_norm"))


def written(kit: Path, name: str, *cells: str) -> Path:
    (kit / name).write_text(json.dumps(notebook(*cells)), encoding="utf-8")
    return kit / name


@pytest.mark.full
def test_the_lecture_s_notebook_is_checked_for_every_lesson_in_it(kit, dojo):
    shutil.copy(NOTEBOOKS / "colab_as_in_the_lecture.ipynb", kit / "that.ipynb")
    result = dojo("check", "that.ipynb")
    assert result.exit_code == 0
    assert re.findall(r"^(\d\d) .*\nthat\.ipynb\n", result.stdout, re.MULTILINE) == ["03", "04", "05"]
    assert result.stdout.count("| right ✓\n") == 26 + 1 + 1
    words = " ".join(result.stdout.split())
    assert "12 missing: dh, dxhat, dscale and 9 more • The lecture's notebook has no such row. For its points," in words
    assert "1 of 13 right, 12 to do · 4 of 20 points" in words
    assert words.endswith(
        "Nothing in it is wrong. What is missing can be written in exercises/05_batch_norm/backward.py."
    )


@pytest.mark.full
def test_a_wrong_line_is_named_by_its_cell_and_quoted_from_there(kit, dojo):
    wrong = lecture(dprobs="dprobs = dlogprobs * probs", dcounts_sum="dcounts_sum = counts_sum.nothing")
    written(kit, "that.ipynb", "import torch", "# mine\n" + wrong)
    line = wrong.split("\n").index("dprobs = dlogprobs * probs") + 2
    result = dojo("check", "that.ipynb")
    assert result.exit_code == 1
    assert re.search(r"^dprobs +\| exact: False \| approximate: False \| .* \| wrong ✗$", result.stdout, re.MULTILINE)
    assert f"\n✗ dprobs wrong value  that.ipynb, cell 2, line {line}\n" in result.stdout
    at = wrong.split("\n").index("dcounts_sum = counts_sum.nothing") + 2
    assert f"\n✗ dcounts_sum error  that.ipynb, cell 2, line {at}\n" in result.stdout
    assert f"\n    {at} │ dcounts_sum = counts_sum.nothing\n" in result.stdout
    assert result.stdout.endswith(
        f"Next: fix dprobs  that.ipynb, cell 2, line {line}\n      dojo watch that.ipynb 03 · dojo hint 03.dprobs\n"
    )
    assert dojo("check", "that.ipynb", "03.dlogprobs").exit_code == 0
    assert dojo("check", "that.ipynb", "03.dprobs").exit_code == 1


def test_a_script_in_the_lecture_s_style_that_has_begun_is_checked_and_not_remembered(kit, dojo):
    before = dojo().stdout
    (kit / "my_script.py").write_text("import torch\n" + "\n".join(CHAIN.split("\n")[:3]) + "\n")
    result = dojo("check", "my_script.py")
    assert (result.exit_code, result.stdout) == (
        0,
        "03 The makemore network, step by step\n"
        "my_script.py\n"
        "\n"
        "dlogprobs       | exact: True  | approximate: True  | maxdiff: 0       | right ✓\n"
        "dprobs          | exact: True  | approximate: True  | maxdiff: 0       | right ✓\n"
        "24 missing: dcounts_sum_inv, dcounts_sum, dcounts and 21 more\n"
        "\n"
        "• my_script.py assigns no `dcounts_sum_inv`. The same is true of dcounts_sum,\n"
        "dcounts, dnorm_logits and 20 more.\n"
        "\n"
        "2 of 26 right, 24 to do · 2 of 26 points\n"
        f"{SCOPE}"
        "Next: write dcounts_sum_inv  my_script.py\n"
        "      dojo watch my_script.py 03 · dojo hint 03.dcounts_sum_inv\n",
    )
    assert dojo().stdout == before and not (kit / ".dojo.json").exists()


def test_files_with_the_stub_s_functions_are_found_by_their_names(kit, dojo):
    functions = solved("11", "dgain", "dbias", "dnorm")
    written(kit, "mine.ipynb", "%matplotlib inline\nprint('not run')", functions)
    result = dojo("check", "mine.ipynb")
    assert result.exit_code == 0
    assert result.stdout.startswith("11 Layer normalisation\nmine.ipynb\n\ndgain ")
    assert result.stdout.count("| right ") == 3 and "3 of 9 right, 6 to do" in result.stdout
    assert "not run" not in result.stdout
    line = functions.split("\n").index("def dinv_std(dnorm, diff):") + 1
    assert re.search(rf"^Next: write dinv_std  mine\.ipynb, cell 2, line {line}$", result.stdout, re.MULTILINE)
    (kit / "mine.py").write_text(solved("04", "dlogits"))  # of two lessons with `dlogits`, the one that asks no more
    assert dojo("check", "mine.py").stdout.startswith("04 Cross-entropy in one go\nmine.py\n")
    path = "exercises/04_cross_entropy/backward.py"
    (kit / path).write_text(solved("04", "dlogits"))
    finished, again = dojo("check", path).stdout, dojo("check", "04").stdout
    assert finished.partition("That was")[0] == again.partition("Lesson 04 is done")[0] != again
    assert "04_cross_entropy" in json.loads((kit / ".dojo.json").read_text())["verdicts"]


def test_what_cannot_be_read_is_one_sentence(kit, dojo):
    (kit / "folder.ipynb").mkdir()
    (kit / "no.ipynb").write_text("no")
    written(kit, "empty.ipynb", "x = 1")
    (kit / "broken.py").write_text("def f(:\n")
    (kit / "both.py").write_text("def dx(dy):\n    return dy\n")
    for words, sentence in (
        ("nothing.ipynb", "nothing.ipynb is not there."),
        ("folder.ipynb", "folder.ipynb is no file."),
        ("no.ipynb", "no.ipynb cannot be read: it is no notebook file (no JSON). Save or download it again as "),
        ("empty.ipynb", "empty.ipynb holds nothing that can be graded: no gradient of a lesson "),
        ("empty.ipynb 04", "Lesson 04: empty.ipynb assigns no `dlogits`."),
        ("broken.py", "broken.py cannot be read as Python: line "),
        ("both.py no.ipynb", "One file at a time: both.py and no.ipynb are 2."),
        ("both.py 99", "There is no lesson '99'."),
    ):
        result = dojo("check", *words.split())
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert result.stderr.startswith(f"dojo: {sentence}") and result.stderr.count("\n") == 1, result.stderr


def test_a_watch_of_a_notebook_goes_on_to_the_next_lesson_in_it(kit, judge, monkeypatch):
    written(kit, "that.ipynb", CHAIN, SOFTMAX)
    monkeypatch.chdir(kit)
    desk = Desk(kit, print)
    desk._judge = judge
    session, paper = CheckSession(Work(desk, Path("that.ipynb"))), io.StringIO()
    watch = Watch(session, Console(file=paper, width=80, highlight=False, markup=False))
    assert [lesson.number for lesson in session.work.lessons] == ["03", "04"]
    for words, following in (("26 of 26 right", "04"), ("2 of 2 right", "03")):
        lesson = watch.view.lesson
        watch.show(Event("checked", lesson, checked=session.checked_now(lesson)))
        assert words in paper.getvalue()
        watch.press("n")
        assert watch.view.lesson.number == following
    session.close()
