"""What a command line is made of: commands whose work is loaded when they are called, options, and errors as sentences.

`grade.py` and `dojo.py` are tables of commands. Nothing of the engine is imported to show a help text.
"""

from __future__ import annotations

import difflib
import errno
import inspect
import shlex
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from grader.errors import GraderFault, UserError
from grader.lesson.paths import nearest_course
from grader.publish.inert import terminal_line

BELOW, UNUSABLE, FAULT, STOPPED = 1, 2, 3, 130
UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT}
"""What a user can fix: a permission, a full disk. Any other error of the system is a fault of this program."""
FILE, ANY_PATH = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path)
FOLDER, EXISTING_FOLDER = (click.Path(path_type=Path, file_okay=False, exists=exists) for exists in (False, True))


def fail(message: str, status: int = UNUSABLE, program: str = "grade") -> NoReturn:
    """Print `message` on standard error, with control characters shown, and end with `status`.

    A terminal breaks a long line inside a word; here it is broken between words.
    """
    lines: Iterable[str] = map(terminal_line, f"{program}: {message}".split("\n"))
    if sys.stderr.isatty():
        columns = shutil.get_terminal_size().columns
        lines = (textwrap.fill(line, columns, break_long_words=False, break_on_hyphens=False) for line in lines)
    click.echo("\n".join(lines), err=True)
    raise SystemExit(status)


def argument(name: str, **more: Any) -> click.Argument:
    return click.Argument([name], **more)


def option(flags: str, meaning: str, kind: Any = None, **more: Any) -> click.Option:
    """An option with these flags; a word without hyphens is the name of the function's parameter."""
    return click.Option(flags.split(), help=meaning, type=kind, **more)


def switch(flags: str, meaning: str) -> click.Option:
    return option(flags, meaning, is_flag=True)


class Command(click.Command):
    """A command that is a function of a module of this package, which is loaded when the command is called.

    `text` is its help, then, under "Examples:", lines that can be typed and further notes, which are shown as they are.
    The help lists the options of `seldom` last, under "Seldom needed".
    """

    def __init__(
        self, target: str, text: str, parameters: Sequence[click.Parameter], name: str, seldom: Sequence[str] = ()
    ) -> None:
        module, _, function = target.partition(".")
        self._seldom = seldom

        def call(**given: Any) -> None:
            getattr(import_module(f"grader.commands.{module}"), function)(**given)

        super().__init__(name or function.replace("_", "-"), callback=call, params=list(parameters), **help_of(text))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        records = [(each.name in self._seldom, each.get_help_record(ctx)) for each in options]
        for title, is_seldom in (("Options", False), ("Seldom needed", True)):
            if shown := [record for seldom, record in records if record and seldom == is_seldom]:
                with formatter.section(title):
                    formatter.write_dl(shown)


def help_of(text: str) -> dict[str, Any]:
    """The help and the epilog of a command from its text. The mark \\b keeps a paragraph's lines as they are."""
    meaning, _, examples = inspect.cleandoc(text).partition("\n\nExamples:\n")
    return {"help": meaning, "epilog": "\b\nExamples:\n" + examples.replace("\n\n", "\n\n\b\n") if examples else ""}


class CommandGroup(click.Group):
    """A group of commands. The outermost one reports every error as a sentence that begins with its name.

    These are UserError and GraderFault, each with its exit status, a command line that cannot be used, Ctrl-C, a
    missing permission, and a full disk.
    """

    def __init__(self, name: str, text: str, **more: Any) -> None:
        super().__init__(name, **help_of(text), context_settings={"help_option_names": ["-h", "--help"]}, **more)

    def add(self, target: str, text: str, *parameters: click.Parameter, name: str = "", seldom: str = "") -> None:
        """Add the command that calls `target`, "module.function", with these parameters."""
        self.add_command(Command(target, text, parameters, name, seldom.split()))

    def main(self, args: Any = None, prog_name: Any = None, *others: Any, **more: Any) -> Any:
        return super().main(args, self.name, *others, **more)  # also where Python was started with -m

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.UsageError as error:
            if parent is not None or isinstance(error, getattr(click.exceptions, "NoArgsIsHelpError", ())):
                raise
            self._refuse(error)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.parent is None and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            fail(unknown_command(args, self.list_commands(ctx), str(self.name)), program=str(self.name))
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if ctx.parent is not None:
            return super().invoke(ctx)
        program = str(self.name)
        try:
            return super().invoke(ctx)
        except (UserError, GraderFault) as error:
            fail(str(error), error.exit_status, program)
        except click.UsageError as error:
            self._refuse(error)
        except ModuleNotFoundError as error:
            if error.name not in ("torch", "numpy"):
                raise
            where = f"{sys.executable} finds no {error.name}"
            fail(f"{where}. Install it there, or load the module that contains it.", program=program)
        except (KeyboardInterrupt, click.Abort):
            fail("stopped.", STOPPED, program)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            fail(f"{error.filename or 'the output'} cannot be read or written: {error.strerror}.", program=program)

    def _refuse(self, error: click.UsageError) -> NoReturn:
        """End with what click found, an example of the command, and where all its forms are listed."""
        path = error.ctx.command_path if error.ctx is not None else str(self.name)
        lines = ((error.ctx.command.epilog or "") if error.ctx is not None else "").splitlines()
        typed = [line.strip().split("  ")[0] for line in lines]
        example = next((words for words in typed if words.startswith(f"{path} ")), "")
        such_as, forms = (f" Type, for example, `{example}`;", "all forms") if example else ("", "what it takes")
        found = error.format_message().rstrip(".")
        fail(f"{found}.{such_as} `{path} --help` shows {forms}.", error.exit_code, str(self.name))


def unknown_command(words: Sequence[str], commands: Sequence[str], program: str) -> str:
    """The sentence for a first word that does not name a command. `words` are all words after the program's name."""
    word, *others = words
    if others and others[0] in commands:
        return f"The command comes first: type `{shlex.join([program, others[0], word, *others[1:]])}`."
    if near := difflib.get_close_matches(word, commands, n=1):
        return f"There is no command {word!r}. Did you mean `{shlex.join([program, near[0], *others])}`?"
    once, always = (shlex.join([program, command, *words]) for command in ("check", "watch"))
    if program == "dojo" and is_lesson(word):
        return f"Put a command before the lesson: `{once}` checks it once, `{always}` whenever you save."
    advice = f" To check a lesson or one of its rows, type `{once}`." if program == "dojo" else ""
    return f"There is no command {word!r}; `{program} --help` lists them.{advice}"


def is_lesson(word: str) -> bool:
    """Whether it is a lesson's number or name, or begins with one, as `03.dprobs` does."""
    name, course = word.partition(".")[0], nearest_course(None)
    folders = [] if course is None else [path.name for path in (course / "exercises").glob("*_*")]
    return name.isdigit() or any(name in (folder, folder.partition("_")[2]) for folder in folders)
