"""A command line that cannot be used is answered with one sentence, which has a command to type."""

from __future__ import annotations

import shlex

import click.testing
from support import ROOT

from grader.commands.dojo import main as dojo
from grader.commands.grade import main as grade

DOJO = [
    ("18", "`dojo check 18` checks a lesson or a row."),
    ("chekc 03 'my file.py'", "There is no command 'chekc'. Did you mean `dojo check 03 'my file.py'`?"),
    ("check README.md", "README.md is not a Python file or a notebook: name a .py or .ipynb file, or a lesson."),
    ("hint 18 foo", "Type, for example, `dojo hint dprobs`; `dojo hint --help` shows all forms."),
    (
        "reset",
        "Missing argument 'LESSON'. Type, for example, `dojo reset 03`; `dojo reset --help` shows all forms.",
    ),
    ("check --once 03", "`dojo check 03`; `dojo check --help` shows all forms."),
]


GRADE = [
    ("rnu x", "There is no command 'rnu'. Did you mean `grade run x`?"),
    ("18", "There is no command '18'; `grade --help` lists them."),
    ("run", "Missing argument 'SUBMISSIONS...'. Type, for example, `grade run submissions/`; `grade run --help`"),
    ("export csv", "No such command 'csv'"),
    ("run nowhere", "nowhere does not exist"),
    ("run empty", "empty holds no submissions"),
    ("run empty --lesson 77", "There is no lesson '77'"),
    ("run class --course empty", "holds no lessons"),
    ("run --follow nowhere --lesson 04", "--follow grades what appears in one folder"),
    ("run --follow empty class --lesson 04", "was given empty, class"),
    ("run --follow empty", "name the lessons with --lesson, or give --assignment"),
    ("run --follow empty --lesson 04 --cluster tcp://x:1", "leave out --cluster"),
    ("run --follow empty --lesson 04 --format classroom50", "--format github and classroom50 report to"),
    ("verify nothing", "There is no lesson 'nothing'"),
]


def test_one_sentence_and_exit_status_2(tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    (tmp_path / "class" / "ada").mkdir(parents=True)
    for program, table, place in ((dojo, DOJO, ROOT), (grade, GRADE, tmp_path)):
        monkeypatch.chdir(place)
        for typed, sentence in table:
            result = click.testing.CliRunner().invoke(program, shlex.split(typed))
            assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.output
            assert result.stderr.startswith(f"{program.name}: ") and sentence in result.stderr


def test_no_words_at_all_show_the_help():
    shown = click.testing.CliRunner().invoke(grade, [])
    assert "Commands:" in shown.output and not shown.output.startswith("grade:")
