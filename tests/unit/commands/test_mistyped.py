"""A command line that cannot be used is answered with one sentence, which has a command to type."""

from __future__ import annotations

import click.testing

from grader.commands.dojo import main as dojo
from grader.commands.grade import main as grade

DOJO = [
    ("18", "`dojo check 18` checks a lesson or a row."),
    ("chekc 03 'my file.py'", "There is no command 'chekc'. Did you mean `dojo check 03 'my file.py'`?"),
    ("check README.md", "README.md is not a Python file or a notebook: name a .py or .ipynb file, or a lesson."),
    (
        "check three",
        "There is no lesson 'three'. `dojo` lists the lessons: type a number or a name, as in `dojo check 01`.",
    ),
    (
        "check convolutoin",
        "There is no lesson 'convolutoin'; did you mean convolution?",
    ),
    ("hint 18 foo", "Type, for example, `dojo hint dprobs`; `dojo hint --help` shows all forms."),
    (
        "reset",
        "Missing argument 'LESSON'. Type, for example, `dojo reset 03`; `dojo reset --help` shows all forms.",
    ),
    ("check --once 03", "`dojo check 03`; `dojo check --help` shows all forms."),
    ("train 18", "Lesson 18 has no network to train; these have: `dojo train 07`, "),
]


def test_dojo():
    for words, sentence in DOJO:
        result = click.testing.CliRunner().invoke(dojo, words if "'" in words else words.split())
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert result.stderr.startswith("dojo: ") and sentence in result.stderr


GRADE = [
    (["rnu", "x"], "There is no command 'rnu'. Did you mean `grade run x`?"),
    (["18"], "There is no command '18'; `grade --help` lists them."),
    (["run"], "Missing argument 'SUBMISSIONS...'. Type, for example, `grade run submissions/`; `grade run --help`"),
    (["export", "csv"], "No such command 'csv'"),
]


def test_grade():
    for words, sentence in GRADE:
        result = click.testing.CliRunner().invoke(grade, words)
        assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1)
        assert result.stderr.startswith("grade: ") and sentence in result.stderr


def test_no_words_at_all_show_the_help():
    shown = click.testing.CliRunner().invoke(grade, [])
    assert "Commands:" in shown.output and not shown.output.startswith("grade:")
