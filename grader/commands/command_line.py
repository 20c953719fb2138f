"""What a command line is made of: commands declared by their signatures, groups as tables, and errors as sentences.

A command is a function, or a dataclass with a method `run`. Its docstring is its help, and each of its parameters is
annotated with the option or argument that gives it. Its module is loaded when it is called, or its help is shown.
"""

from __future__ import annotations

import difflib
import errno
import inspect
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NoReturn, get_args, get_origin, get_type_hints

import click

from grader.errors import GraderFault, UserError
from grader.publish.inert import terminal_line

BELOW, UNUSABLE, FAULT, STOPPED = 1, 2, 3, 130
UNWRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT}
"""What a user can fix: a permission, a full disk. Any other error of the system is a fault of this program."""
LATE_PACKAGES = {"torch": "", "numpy": "", "mcp": ">=2,<3", "pygls": ">=2", "distributed": ">=2025.1"}
"""{what only some commands import: the versions that serve}"""
FILE, ANY_PATH = click.Path(path_type=Path, dir_okay=False), click.Path(path_type=Path)
FOLDER, EXISTING_FOLDER = (click.Path(path_type=Path, file_okay=False, exists=exists) for exists in (False, True))
POSITIVE = click.IntRange(1)
MakeParameter = Callable[[str, Any], click.Parameter]
"""Makes the option or argument for a function's parameter, from its name and type."""


def fail(message: str, status: int = UNUSABLE, program: str = "grade") -> NoReturn:
    """Print `message` on standard error, with control characters shown, and end with `status`."""
    click.echo("\n".join(map(terminal_line, f"{program}: {message}".split("\n"))), err=True)
    raise SystemExit(status)


class SeldomOption(click.Option):
    """An option that the help lists last."""


def argument(metavar: str, kind: Any = ANY_PATH, **more: Any) -> MakeParameter:
    """A word of the command line, or several for a parameter that is a tuple. `kind` is that of a path."""

    def made(name: str, hint: Any) -> click.Argument:
        of, several = element_type(hint), get_origin(hint) is tuple
        more.setdefault("required", not several and type(None) not in get_args(hint))
        return click.Argument(
            [name], type=kind if of is Path else of, metavar=metavar, nargs=-1 if several else 1, **more
        )

    return made


def option(flags: str, meaning: str, kind: Any = None, seldom: bool = False, **more: Any) -> MakeParameter:
    """An option: its flags and the word for its value, as in "-o --out DIR"; a switch where the parameter is a bool.

    `kind` is its type for click, unless the parameter's type says it. A tuple is an option that may be repeated.
    """
    words = flags.split()
    names, metavar = [word for word in words if word[0] == "-"], " ".join(word for word in words if word[0] != "-")

    def made(name: str, hint: Any) -> click.Option:
        of = element_type(hint)
        own: dict[str, Any] = {"is_flag": True} if of is bool else {"type": kind or (FILE if of is Path else of)}
        own |= {"metavar": metavar or None, "multiple": get_origin(hint) is tuple}
        return (SeldomOption if seldom else click.Option)([name, *names], help=meaning, **own, **more)

    return made


def element_type(hint: Any) -> Any:
    """`Path` for Path, Path | None and tuple[Path, ...]."""
    return (get_args(hint) or (hint,))[0]


seldom = partial(option, seldom=True)


@dataclass(frozen=True)
class Opened:
    """`Annotated[Desk, Opened(desk)]` is a parameter that gets what `with desk(...) as` gives, while the command runs.

    The options and arguments of `desk` are then options and arguments of the command.
    """

    by: Callable[..., AbstractContextManager[Any]]


def annotations_of(target: Callable[..., Any]) -> dict[str, tuple[MakeParameter | Opened, Any]]:
    """{parameter: (what gives its value, its type)}"""
    hints = get_type_hints(target, include_extras=True).items()
    return {name: (hint.__metadata__[0], hint.__origin__) for name, hint in hints if get_origin(hint) is Annotated}


def parameters_of(target: Callable[..., Any]) -> Iterator[click.Parameter]:
    for name, (source, hint) in annotations_of(target).items():
        if isinstance(source, Opened):
            yield from parameters_of(source.by)
        else:
            yield source(name, hint)


def call_target(target: Callable[..., Any], ctx: click.Context) -> Any:
    """Call `target` with the values of a command line, and with what is opened until the command has ended."""
    values = dict[str, Any]()
    for name, (source, _) in annotations_of(target).items():
        if isinstance(source, Opened):
            values[name] = ctx.with_resource(call_target(source.by, ctx))
        else:
            values[name] = ctx.params[name]
    return target(**values)


class Command(click.Command):
    """The command that calls `target`. Its help lists the options that are seldom needed last."""

    def __init__(self, name: str, target: Callable[..., Any]) -> None:
        super().__init__(name, params=[*parameters_of(target)], **help_of(target.__doc__ or ""))
        self._target = target

    def invoke(self, ctx: click.Context) -> None:
        command = call_target(self._target, ctx)
        if isinstance(self._target, type):
            command.run()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        for title, kinds in (("Options", False), ("Seldom needed", True)):
            records = [each.get_help_record(ctx) for each in options if isinstance(each, SeldomOption) == kinds]
            if shown := list(filter(None, records)):
                with formatter.section(title):
                    formatter.write_dl(shown)


def help_of(text: str) -> dict[str, Any]:
    """The help and the epilog of a command from its text, which may end with lines that can be typed, "Examples:".

    The mark \\b keeps a paragraph's lines as they are.
    """
    meaning, _, examples = inspect.cleandoc(text).partition("\n\nExamples:\n")
    return {"help": meaning, "epilog": "\b\nExamples:\n" + examples.replace("\n\n", "\n\n\b\n") if examples else ""}


class CommandGroup(click.Group):
    """A group of commands. The outermost one reports every error as a sentence that begins with its name.

    These are UserError and GraderFault, each with its exit status, a command line that cannot be used, Ctrl-C, a
    missing permission, and a full disk.
    """

    def __init__(
        self,
        name: str,
        text: str,
        table: Mapping[str, tuple[str | CommandGroup, str]],
        default: Sequence[str] = ("--help",),
    ) -> None:
        """`table` is {command: ("module.function" of this package or a group, what it does in a few words)}.

        `default` are the words that are meant where none are typed.
        """
        super().__init__(name, **help_of(text), context_settings={"help_option_names": ["-h", "--help"]})
        self._table, self._default = table, list(default)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        target, _ = self._table.get(cmd_name, ("", ""))
        if not target or isinstance(target, CommandGroup):
            return target or None
        module, _, function = target.partition(".")
        return Command(cmd_name, getattr(import_module(f"grader.commands.{module}"), function))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in self._table.items()])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_completion = ctx.resilient_parsing  # which has no words before the one that it completes
        return super().parse_args(ctx, args or ([] if is_completion else list(self._default)))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if ctx.parent is None and not ctx.resilient_parsing and args[0] not in self._table:
            raise UserError(unknown_command(args, list(self._table), str(self.name)))
        return super().resolve_command(ctx, args)

    def main(self, args: Any = None, prog_name: Any = None, *others: Any, **more: Any) -> Any:
        """Run the words `args`, by default those of this process, and exit."""
        program = str(self.name)  # also where Python was started with -m
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that knows no ✓ shows a ?
        try:
            raise SystemExit(super().main(args, program, standalone_mode=False, **more))
        except (UserError, GraderFault) as error:
            fail(str(error), error.exit_status, program)
        except click.UsageError as error:
            self._refuse(error)
        except ModuleNotFoundError as error:
            package = str(error.name).partition(".")[0]
            if package not in LATE_PACKAGES:
                raise
            install = f"{sys.executable} -m pip install '{package}{LATE_PACKAGES[package]}'"
            fail(f"{package} is not installed. Type: {install}   (or load a module that has it)", program=program)
        except click.Abort:  # Ctrl-C, after which click has ended the line
            fail("stopped.", STOPPED, program)
        except OSError as error:
            if error.errno not in UNWRITABLE:
                raise
            fail(f"{error.filename or 'the output'} cannot be read or written: {error.strerror}.", program=program)

    def _refuse(self, error: click.UsageError) -> NoReturn:
        """End with what click found, an example of the command, and where all its forms are listed."""
        context = error.ctx or click.Context(self, info_name=self.name)
        path, epilog = context.command_path, context.command.epilog or ""
        typed = (line.strip().split("  ")[0] for line in epilog.splitlines())
        example = next((f" Type, for example, `{words}`;" for words in typed if words.startswith(f"{path} ")), "")
        found = error.format_message().rstrip(".")
        fail(f"{found}.{example} `{path} --help` shows all forms.", error.exit_code, str(self.name))


def unknown_command(words: Sequence[str], commands: Sequence[str], program: str) -> str:
    """The sentence for a first word that does not name a command. `words` are all words after the program's name."""
    word, *others = words
    if near := difflib.get_close_matches(word, commands, n=1):
        return f"There is no command {word!r}. Did you mean `{shlex.join([program, near[0], *others])}`?"
    advice = f" `{shlex.join([program, 'check', word])}` checks a lesson or a row." if "check" in commands else ""
    return f"There is no command {word!r}; `{program} --help` lists them.{advice}"
