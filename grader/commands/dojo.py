"""The commands of `dojo`: what a student types about their own work."""

from __future__ import annotations

import click

from grader.commands.command_line import CommandGroup

main = CommandGroup(
    "dojo",
    """Checks your backpropagation exercises. It runs your files as if you ran them: check only code that you trust.

    Examples:
      dojo                    the lessons, how far you are, what to do next
      dojo watch 03           checks lesson 03 whenever you save
      dojo check 03.dprobs    checks one row of it once
      dojo check that.ipynb   the lecture's notebook, or one with the functions in it

    Shell completion: eval "$(_DOJO_COMPLETE=bash_source dojo)"   (or zsh_source, fish_source)
    """,
    {
        "list": ("dojo_work.list_lessons", "the lessons, how far you are, what to do next; the same as `dojo` alone"),
        "check": ("dojo_work.check", "checks your file once"),
        "watch": ("dojo_work.watch", "checks your file whenever you save it"),
        "open": ("dojo_work.open_page", "the same, with a live page in your browser"),
        "hint": ("dojo_work.hint", "a hint, and one more each time; hints cost no points"),
        "answer": ("dojo_questions.answer", "asks the questions of a lesson"),
        "defend": ("dojo_questions.defend", "asks about your own code, to practise a defence"),
        "report": ("dojo_work.report", "the page that your instructor would see"),
        "train": ("train.train", "trains a network with your gradients"),
        "verify": ("dojo_work.verify_own", "checks your gradients with the checker that you wrote in lesson 08"),
        "reset": ("dojo_work.reset_lesson", "restores the stub of a lesson, and keeps your file"),
        "start": ("dojo_work.start", "makes a folder to work in"),
        "lsp": ("dojo_servers.lsp", "shows mistakes in your editor"),
        "mcp": ("dojo_servers.serve_assistant", "for an AI assistant: verdicts and hints, no answers"),
    },
    default=["list"],
)
click.version_option(package_name="backprop-ninja")(main)
