"""What a command line that cannot be used should have been: one sentence, with a command to type."""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from grader.lesson.paths import nearest_course


def usage_sentence(error: click.UsageError, program: str) -> str:
    """What click found, an example of the command, and where all its forms are listed."""
    command = error.ctx.command if error.ctx is not None else None
    words, context = list[str](), error.ctx
    while context is not None and context.parent is not None:  # command_path begins otherwise after `python -m`
        words.insert(0, context.info_name or "")
        context = context.parent
    found = error.format_message().rstrip(".")
    example = example_of(command, " ".join([program, *words])) if command is not None else ""
    such_as, forms = (f" Type, for example, `{example}`;", "all forms") if example else ("", "what it takes")
    return f"{found}.{such_as} `{' '.join([program, *words, '--help'])}` shows {forms}."


def example_of(command: click.Command, beginning: str) -> str:
    """The first example in the command's help; "" where it has none."""
    for line in (command.epilog or "").splitlines():
        typed = line.strip().split("  ")[0]
        if typed.startswith(f"{beginning} "):
            return typed
    return ""


def unknown_command(words: Sequence[str], commands: Sequence[str], program: str) -> str:
    """The sentence for a first word that does not name a command. `words` are all words after the program's name."""
    word, others = words[0], words[1:]
    if others and others[0] in commands:
        return f"The command comes first: type `{words_to_type(program, others[0], word, *others[1:])}`."
    if near := difflib.get_close_matches(word, commands, n=1):
        return f"There is no command {word!r}. Did you mean `{words_to_type(program, near[0], *others)}`?"
    if program == "dojo" and is_lesson(word):
        once, always = words_to_type(program, "check", *words), words_to_type(program, "watch", *words)
        return f"Put a command before the lesson: `{once}` checks it once, `{always}` whenever you save."
    if program == "dojo" and not word.startswith("-"):
        return (
            f"There is no command {word!r}; `dojo --help` lists them. To check a lesson or one of its rows, type "
            f"`{words_to_type(program, 'check', *words)}`."
        )
    return f"There is no command {word!r}; `{program} --help` lists them."


def words_to_type(*words: str) -> str:
    return shlex.join(words)


def is_lesson(word: str) -> bool:
    """Whether it is a lesson's number or name, or begins with one, as `03.dprobs` does."""
    name = word.partition(".")[0]
    if name.isdigit():
        return True
    course: Path | None = nearest_course(None)
    folders = (course / "exercises").glob("*_*") if course is not None else ()
    return any(name in (folder.name, folder.name.partition("_")[2]) for folder in folders)
