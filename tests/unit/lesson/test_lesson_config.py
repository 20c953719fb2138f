"""lesson.toml as typed values: what is read, and one sentence for every slip of its author."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import ROOT

from grader.errors import LessonError
from grader.lesson.config import (
    LECTURE_SEED,
    JointFunction,
    LessonConfig,
    lesson_config,
)
from grader.lesson.notebook_table import NotebookTable
from grader.typed_json import MAX_DATA_CHARACTERS

FULL = """
title = "Everything"
seed = 7
[function]
name = "backward"
returns = ["loss", "dW", "db"]
[public]
draws = [{batch = 5, scale = 0.5}, {batch = 7, change = "tied", note = "TIE"}]
[sandbox]
imports = ["scipy"]
[train]
script = "training.py"
[notebook]
names = ["dW"]
[gradients.dW]
points = 2.5
hints = ["a", "b", "c"]
drawn = "forces"
[gradients.db]
with = ["dW"]
[checks.in_one_go]
function = "Layer"
differentiates = "Layer.backward"
"""


def config_of(folder: Path, text: str) -> LessonConfig:
    (folder / "lesson.toml").write_bytes(text.encode())
    return lesson_config(folder)


def test_every_key_is_read(tmp_path):
    config = config_of(tmp_path, FULL)
    assert (config.title, config.seed, config.sandbox.imports) == ("Everything", 7, ("scipy",))
    assert config.function == JointFunction("backward", ("loss", "dW", "db"))
    assert config.public.draws == ({"batch": 5, "scale": 0.5}, {"batch": 7, "change": "tied", "note": "TIE"})
    assert (config.train.script, config.notebook) == ("training.py", NotebookTable(names=("dW",)))
    first, second = config.gradients.values()
    assert (first.target, first.points, first.hints, first.drawn) == ("W", 2.5, ("a", "b", "c"), "forces")
    assert (second.target, second.points, second.earned_with) == ("b", 1, ("dW",))
    assert first.function == second.function == "backward"
    (check,) = config.checks.values()
    assert (check.target, check.function, check.differentiates) == (None, "Layer", "Layer.backward")


def test_what_a_file_leaves_out(tmp_path):
    config = config_of(tmp_path, "[gradients.dW]\n[checks.shape]\n")
    assert (config.title, config.seed, config.function) == (tmp_path.name, LECTURE_SEED, None)
    assert [row.function for row in (config.gradients | config.checks).values()] == ["dW", "shape"]
    assert config_of(tmp_path, "") == LessonConfig(tmp_path.name)


SLIPS = [
    ("titel = 'x'", "there is no setting 'titel'; did you mean 'title'?"),
    ("[gradients.dW]\npoint = 1", "there is no setting 'point' in [gradients.dW]; did you mean 'points'?"),
    ("[checks.a]\nwith = ['b']", "there is no setting 'with' in [checks.a]; the keys are: points, hints, function"),
    ("[gradients.'a b']\nhnts = []", "there is no setting 'hnts' in [gradients.\"a b\"]; did you mean 'hints'?"),
    ("[notebook.same]\nn = 3", "[notebook.same] n is 3; expected a text."),
    ("notebook = 3", "notebook is 3; expected a table."),
    ("[gradients]\ndW = 3", "[gradients] dW is 3; expected a table."),
    ("seed = 1e9", "seed is 1000000000.0; expected a whole number from 0 to 9223372036854775807."),
    ("seed = -1", "seed is -1; expected a whole number"),
    ("seed = 0x" + "f" * 9000, "seed is a number that is too long to print; expected"),
    ("[gradients.dW]\npoints = '1'", "[gradients.dW] points is '1'; expected a number from 0 up."),
    ("[gradients.dW]\npoints = inf", "[gradients.dW] points is inf; expected a number"),
    ("[checks.a]\nhints = 'one'", "[checks.a] hints is 'one'; expected a list of texts."),
    ("[checks.a]\nhints = [1]", "[checks.a.hints] entry 1 is 1; expected a text."),
    ("[gradients.dW]\ndrawn = 'curve'", "[gradients.dW] drawn is 'curve'; expected \"forces\"."),
    ("[function]\nname = 'f'", "[function] needs a name and what it returns"),
    ("[public]\ndraws = [{batch = inf}]", "[public] draws is [{'batch': inf}]; expected a list of tables"),
    ("[public]\ndraws = [{change = 3}]", "[public] draws is [{'change': 3}]; expected a list of tables"),
    ("[sandbox]\nimports = ['torch']", "[sandbox] imports is ['torch']; expected a list of top"),
    ("[sandbox]\nimports = ['scipy.special']", "[sandbox] imports is ['scipy.special']; expected a list of top"),
    ("[sandbox]\nnot_allowed = ['numpy']", "[sandbox] not_allowed is ['numpy']; expected a list of modules"),
    ("title = ", "cannot be read: Invalid value"),
    ("seed = " + "9" * 5000, "cannot be read: "),
    ("a = " + "[" * 20_000, "cannot be read: "),
    ("a.b." + "c" * 500 + " = 1", "there is no setting 'a'; the keys are: title"),
    (f"title = [{'1, ' * 500}]", ", 1, 1..."),
]


def test_a_slip_is_one_sentence(tmp_path):
    most = len(str(tmp_path)) + 3 * MAX_DATA_CHARACTERS
    for text, sentence in SLIPS:
        with pytest.raises(LessonError) as raised:
            config_of(tmp_path, text)
        message = str(raised.value)
        assert message.startswith(f"{tmp_path / 'lesson.toml'}") and sentence in message, text
        assert "\n" not in message.removeprefix(str(tmp_path)) and len(message) < most, text


def test_a_file_that_is_not_there_or_not_utf8(tmp_path):
    with pytest.raises(LessonError, match=r"lesson\.toml cannot be read: "):
        lesson_config(tmp_path)
    (tmp_path / "lesson.toml").write_bytes(b"title = '\xff'")
    with pytest.raises(LessonError, match=r"lesson\.toml cannot be read: "):
        lesson_config(tmp_path)


# Any file ------------------------------------------------------------------------------------------------------------


@given(st.text(st.characters(codec="utf-8"), max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    with contextlib.suppress(LessonError):
        config_of(tmp_path_factory.getbasetemp(), text)


def test_lessons_are_read_without_torch():
    program = (
        "import sys; from pathlib import Path; from grader.lesson.lesson import Course; "
        f"lessons = Course(Path({str(ROOT)!r})).lessons.values(); "
        "print(sum(lesson.max_score for lesson in lessons) > 0, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["True", "False"], done.stderr
